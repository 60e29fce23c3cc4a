//! Headers of packs: the list of the blobs, read from a pack's end and written there.
//!
//! Bytes:   kind: 0 data, 1 tree, 2 compressed data, 3 compressed tree; numbers little-endian, docs/formats/restic.md

use manicule_core::bytes::{DecodeError, Reader};

use crate::blob::{BlobKind, PackedBlob, Place};
use crate::id::Id;
use crate::seal::{ENVELOPE_LEN, IV_LEN, Key};

use super::error::PackError;
use super::layout::{HEADER_LEN_MAX, PACK_END_LEN, PACK_LEN_MIN, PLAIN_ENTRY_LEN};

/// The header of a pack: its blobs in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackHeader {
    /// The blobs. Their offsets are sums of the lengths before them, as the header doesn't have
    /// them.
    pub blobs: Vec<PackedBlob>,
    /// Length of the sealed header.
    pub sealed_len: u32,
}

impl PackHeader {
    /// Offset of the byte after the last blob, as the header has it.
    pub fn blobs_end(&self) -> u64 {
        self.blobs.last().map_or(0, |blob| blob.place.end())
    }

    /// Whether blobs, header and its length fill a pack of this length. restic doesn't compare
    /// this; a pack of which it isn't true was damaged, or written by something else.
    pub fn fills(&self, pack_len: u64) -> bool {
        self.blobs_end() + u64::from(self.sealed_len) + PACK_END_LEN as u64 == pack_len
    }
}

/// Length of the sealed header: what the last four bytes of a pack say, checked against the pack's
/// length.
///
/// `end` are the last bytes of a pack, four at least; [`super::eager_len`] says how many to fetch.
pub fn header_len_at_end(end: &[u8], pack_len: u64) -> Result<u32, PackError> {
    let short = |what, need| DecodeError::Short { what, at: 0, need, have: pack_len };
    if pack_len < PACK_LEN_MIN {
        return Err(short("pack", PACK_LEN_MIN).into());
    }
    let Some(number) = end.last_chunk() else {
        return Err(PackError::TooFew { need: PACK_END_LEN as u64, have: end.len() as u64 });
    };
    let len = u32::from_le_bytes(*number);
    let (at, got) = (pack_len - PACK_END_LEN as u64, u64::from(len));
    let corrupt = |what, want| Err(DecodeError::Corrupt { what, at, want, got }.into());
    match got {
        0 => corrupt("pack header length above zero", 1),
        1..ENVELOPE => corrupt("pack header length of at least an envelope", ENVELOPE),
        _ if got > at => corrupt("pack header length within the pack", at),
        _ if len > HEADER_LEN_MAX => {
            corrupt("pack header length within the limit", HEADER_LEN_MAX.into())
        }
        _ => Ok(len),
    }
}

const ENVELOPE: u64 = ENVELOPE_LEN as u64;

/// Reads the header of a pack from the pack's last bytes, which are decrypted in place.
///
/// Where they don't reach back to its start the error is [`PackError::TooFew`], with the number of
/// bytes to fetch. Checks the length against the pack and [`HEADER_LEN_MAX`], the tag, and each
/// entry; whether the blobs fill the pack is left to [`PackHeader::fills`].
pub fn open_header(key: &Key, end: &mut [u8], pack_len: u64) -> Result<PackHeader, PackError> {
    let sealed_len = header_len_at_end(end, pack_len)?;
    let need = sealed_len as usize + PACK_END_LEN;
    let Some(start) = end.len().checked_sub(need) else {
        return Err(PackError::TooFew { need: need as u64, have: end.len() as u64 });
    };
    let sealed = &mut end[start..start + sealed_len as usize];
    let at = pack_len - need as u64;
    let plain = key.open_in_place(sealed).map_err(|error| PackError::Sealed { at, error })?;
    let blobs = read_entries(plain)?;
    Ok(PackHeader { blobs, sealed_len })
}

fn read_entries(plain: &[u8]) -> Result<Vec<PackedBlob>, PackError> {
    let mut blobs = Vec::with_capacity(plain.len() / PLAIN_ENTRY_LEN);
    let mut reader = Reader::new(plain, 0);
    let mut offset = 0;
    while !reader.rest().is_empty() {
        let at = reader.at();
        let blob = read_entry(&mut reader, offset)?;
        let (what, want) = ("sum of lengths in a pack header", u64::from(u32::MAX));
        let got = blob.place.end();
        offset = got.try_into().map_err(|_| DecodeError::Corrupt { what, at, want, got })?;
        blobs.push(blob);
    }
    Ok(blobs)
}

fn read_entry(reader: &mut Reader<'_>, offset: u32) -> Result<PackedBlob, DecodeError> {
    let at = reader.at();
    let what = "entry of a pack header";
    let (need, have) = (PLAIN_ENTRY_LEN as u64, reader.rest().len() as u64);
    if have < need {
        return Err(DecodeError::Short { what, at, need, have });
    }
    let number = reader.u8(what)?;
    let kind = match number {
        0 | 2 => BlobKind::Data,
        1 | 3 => BlobKind::Tree,
        _ => {
            let (what, got) = ("kind in an entry of a pack header", number.into());
            return Err(DecodeError::Corrupt { what, at, want: 3, got });
        }
    };
    let len = reader.u32_le(what)?;
    let raw_len = if number >= 2 { reader.u32_le(what)? } else { 0 };
    let id = reader.take(what, size_of::<Id>())?;
    let id = Id(id.try_into().expect("take gives as many bytes as asked for"));
    Ok(PackedBlob { kind: Some(kind), id, place: Place { offset, len, raw_len } })
}

/// Appends what follows the blobs of a pack: the sealed header and its length. The blobs lie back
/// to back from offset 0.
///
/// # Panics
/// If a blob doesn't begin where the one before ends, or has no kind; or if there are more than
/// [`super::PACK_BLOB_COUNT_MAX`]: no reader would accept the pack.
pub fn put_header(key: &Key, iv: [u8; IV_LEN], blobs: &[PackedBlob], out: &mut Vec<u8>) {
    let mut plain = Vec::with_capacity(blobs.len() * super::layout::COMPRESSED_ENTRY_LEN);
    let mut end = 0;
    for PackedBlob { kind, id, place } in blobs {
        assert_eq!(u64::from(place.offset), end, "blobs of a pack lie back to back");
        end = place.end();
        let kind = u8::from(kind.expect("a blob in a pack has a kind") == BlobKind::Tree);
        plain.push(if place.is_compressed() { kind + 2 } else { kind });
        plain.extend_from_slice(&place.len.to_le_bytes());
        if place.is_compressed() {
            plain.extend_from_slice(&place.raw_len.to_le_bytes());
        }
        plain.extend_from_slice(&id.0);
    }
    let sealed_len = (plain.len() + ENVELOPE_LEN) as u32;
    assert!(sealed_len <= HEADER_LEN_MAX, "a header of at most 16 MiB");
    key.seal(iv, &plain, out);
    out.extend_from_slice(&sealed_len.to_le_bytes());
}
