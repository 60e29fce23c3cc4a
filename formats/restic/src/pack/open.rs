//! A blob from its stored bytes: envelope, Zstandard, and the id that its plaintext must have.

use std::fmt;

use crate::blob::PackedBlob;
use crate::decompress::{DecompressError, Decompressor};
use crate::id::Id;
use crate::seal::{Key, SealError};

/// A blob whose plaintext has the id that was asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct OpenedBlob<'a> {
    /// The plaintext.
    pub plain: &'a [u8],
    /// Whether the plaintext is as long as the blob's place says. restic doesn't compare this;
    /// where it isn't, the index or the header is wrong, and the blob is right.
    pub is_as_long_as_listed: bool,
}

/// Error of a blob that can't be opened at this place. Another place of the same blob may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobError {
    /// The number of stored bytes isn't that of the place.
    Len {
        /// The length of the place.
        want: u32,
        /// The number of bytes.
        got: u64,
    },
    /// The envelope doesn't open.
    Sealed(SealError),
    /// What is in it isn't Zstandard, or too long.
    Decompress(DecompressError),
    /// The plaintext is another.
    Id {
        /// The blob's id.
        want: Id,
        /// The id of the plaintext.
        got: Id,
    },
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlobError::Len { want, got } => {
                write!(f, "stored length of the blob: wanted {want} bytes, got {got}")
            }
            BlobError::Sealed(error) => error.fmt(f),
            BlobError::Decompress(error) => error.fmt(f),
            BlobError::Id { want, got } => {
                write!(f, "SHA-256 of the blob's plaintext: wanted {want}, got {got}")
            }
        }
    }
}

impl std::error::Error for BlobError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BlobError::Sealed(error) => Some(error),
            BlobError::Decompress(error) => Some(error),
            BlobError::Len { .. } | BlobError::Id { .. } => None,
        }
    }
}

/// Opens a blob from its stored bytes, which are decrypted in place. A compressed one has at most
/// `limit` bytes.
///
/// Nothing is believed that wasn't checked: the tag, then Zstandard, then the SHA-256 of the
/// plaintext. About 3 ns a byte of plaintext.
pub fn open_blob<'a>(
    key: &Key,
    stored: &'a mut [u8],
    blob: &PackedBlob,
    limit: usize,
    decompressor: &'a mut Decompressor,
) -> Result<OpenedBlob<'a>, BlobError> {
    let (want, got) = (blob.place.len, stored.len() as u64);
    if u64::from(want) != got {
        return Err(BlobError::Len { want, got });
    }
    let inner = key.open_in_place(stored).map_err(BlobError::Sealed)?;
    let plain: &[u8] = if blob.place.is_compressed() {
        decompressor.decompress(inner, limit).map_err(BlobError::Decompress)?
    } else {
        inner
    };
    let (want, got) = (blob.id, Id::of(plain));
    if want != got {
        return Err(BlobError::Id { want, got });
    }
    let is_as_long_as_listed = plain.len() as u64 == u64::from(blob.place.plain_len());
    Ok(OpenedBlob { plain, is_as_long_as_listed })
}
