//! Parts of an index that is elsewhere, asked for before they are read: its tables when it is
//! opened, then what a reader stands at.

use std::ops::Range;

use manicule_core::bytes::{DecodeError, FileBytes, Reader, UVARINT_LEN_MAX};

use super::layout::{TOC_LEN, Toc};

/// Bytes of the end of an index that are brought with the table of contents: of a small one all,
/// of others much of the postings offset table.
const TAIL_LEN: u64 = 128 << 10;

/// Length of a length field, and of a checksum.
const WORD: u64 = size_of::<u32>() as u64;

/// The ranges of an index of a length that opening it brings first: the header, and the end with
/// the table of contents.
pub fn index_ends(len: u64) -> [Range<u64>; 2] {
    [0..WORD + 1, len.saturating_sub(TAIL_LEN)..len]
}

/// Brings the symbols, the postings offset table, and the beginning of the list of all series. What
/// the table of contents says of their ends nobody else believes: their own lengths count.
pub(super) fn bring_tables<B: FileBytes>(file: &B, toc: &Toc) -> Result<(), DecodeError> {
    let lists = toc.postings.saturating_add(WORD - 1) / WORD * WORD;
    let table_end = (file.len() - TOC_LEN) as u64;
    let head = lists..lists.saturating_add(2 * WORD);
    file.bring(&[toc.symbols..toc.series, toc.postings_table..table_end, head])?;
    need_section(file, toc.symbols)?;
    need_section(file, toc.postings_table)
}

/// Asks for a section `| 4 len | len bytes | 4 CRC |`.
#[cold]
pub(super) fn need_section<B: FileBytes>(file: &B, at: u64) -> Result<(), DecodeError> {
    file.need(at..at.saturating_add(WORD))?;
    let len = usize::try_from(at).ok().and_then(|at| file.get(at..)?.first_chunk::<4>());
    let Some(len) = len else { return Ok(()) };
    file.need(at..at + 2 * WORD + u64::from(u32::from_be_bytes(*len)))
}

/// Asks for the entry of a series.
#[cold]
pub(super) fn need_entry<B: FileBytes>(file: &B, at: u64) -> Result<(), DecodeError> {
    file.need(at..at.saturating_add(UVARINT_LEN_MAX as u64))?;
    match entry(file, at) {
        Some(entry) => file.need(entry),
        None => Ok(()),
    }
}

/// The bytes of an entry, by its length field.
pub(super) fn entry(bytes: &[u8], at: u64) -> Option<Range<u64>> {
    let mut reader = Reader::new(bytes.get(usize::try_from(at).ok()?..)?, at);
    let len = reader.uvarint("length of a series").ok()?;
    Some(at..reader.at().saturating_add(len).saturating_add(WORD))
}
