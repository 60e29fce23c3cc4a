//! Headers of packs, read from the ends of their files.
//!
//! Bytes:   docs/formats/restic.md, "Packs"

use std::fmt;

use manicule_format_restic::{
    FileKind, PACK_LEN_MIN, PackError, PackHeader, eager_len, open_header,
};
use manicule_store::store::StoreError;

use crate::repository::Repository;
use crate::storage::{FileName, Listed, Soon};

/// Reason why the header of a pack can't be read.
#[derive(Debug)]
pub(crate) enum HeaderError {
    /// The pack's end can't be read.
    Storage(StoreError),
    /// The bytes there are no header.
    Pack(PackError),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderError::Storage(error) => error.fmt(f),
            HeaderError::Pack(error) => error.fmt(f),
        }
    }
}

/// Number of bytes at the end of a pack that are read at first.
fn first_len(pack: &Listed, guess_len: u64) -> u64 {
    if pack.len < PACK_LEN_MIN {
        // Too short for any header; the parser says so.
        return 0;
    }
    eager_len(pack.len).max(guess_len).min(pack.len)
}

/// The end of a pack that [`read_header`] is going to read.
pub(crate) fn end_of(pack: &Listed, guess_len: u64) -> Soon {
    Soon::Part(pack.id, pack.len - first_len(pack, guess_len)..pack.len)
}

/// Reads the header of a pack in one range, or in two where it is longer than `guess_len` and than
/// what is read at first.
/// Memory: 16 MiB at most, and 56 bytes a blob.
pub(crate) fn read_header(
    repository: &Repository,
    pack: &Listed,
    guess_len: u64,
) -> Result<PackHeader, HeaderError> {
    let mut len = first_len(pack, guess_len);
    let file = FileName::Of(FileKind::Pack, pack.id);
    loop {
        let mut end = vec![0; len as usize];
        let read = repository.storage().read_at(file, pack.len - len, &mut end);
        read.map_err(HeaderError::Storage)?;
        match open_header(repository.key(), &mut end, pack.len) {
            // Within the limits of a header, which it was compared with.
            Err(PackError::TooFew { need, .. }) if need > len => len = need,
            opened => return opened.map_err(HeaderError::Pack),
        }
    }
}
