//! Thanos's index-header, version 1: the symbols and the postings offset table of an index, for a
//! gateway that reads the rest from a bucket.
//!
//! Bytes:   | 4 magic | 1 version | 1 index version | 8 postings_table of the index |
//!          | the index's symbols, with length and CRC | the index from its postings offset table to its end |
//!          | 8 symbols here | 8 table here | 4 CRC of these 16 bytes |, docs/formats/prometheus.md

use manicule_core::bytes::{DecodeError, Reader};

use crate::index::{Toc, Version};
use crate::{crc, crc32c};

/// Magic number of an index-header.
pub const INDEX_HEADER_MAGIC: [u8; 4] = [0xba, 0xaa, 0xd7, 0x92];

const VERSION: u8 = 1;

/// | 4 magic | 1 version | 1 index version | 8 postings_table |
pub const INDEX_HEADER_START_LEN: usize = 14;

/// | 8 symbols | 8 table | 4 CRC |
pub const INDEX_HEADER_END_LEN: usize = 20;

/// The bytes before the copied ones.
pub fn index_header_start(toc: &Toc) -> [u8; INDEX_HEADER_START_LEN] {
    let mut bytes = [0; INDEX_HEADER_START_LEN];
    bytes[..4].copy_from_slice(&INDEX_HEADER_MAGIC);
    bytes[4..6].copy_from_slice(&[VERSION, Version::V2 as u8]);
    bytes[6..].copy_from_slice(&toc.postings_table.to_be_bytes());
    bytes
}

/// The bytes after them.
pub fn index_header_end(toc: &Toc) -> [u8; INDEX_HEADER_END_LEN] {
    let mut bytes = [0; INDEX_HEADER_END_LEN];
    let symbols_at = INDEX_HEADER_START_LEN as u64;
    let table_at = symbols_at + toc.series - toc.symbols;
    bytes[..8].copy_from_slice(&symbols_at.to_be_bytes());
    bytes[8..16].copy_from_slice(&table_at.to_be_bytes());
    let sum = crc32c(&bytes[..16]);
    bytes[16..].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// Places in an index-header, as its two ends say them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeaderPlaces {
    /// Version of the index.
    pub(crate) index_version: u8,
    /// Where the postings offset table begins in the index.
    pub(crate) postings_table: u64,
    /// Where the symbols begin here.
    pub(crate) symbols: u64,
    /// Where the table begins here.
    pub(crate) table: u64,
    /// Where the trailer begins.
    pub(crate) end: u64,
}

impl HeaderPlaces {
    /// Reads both ends: a whole file has a trailer whose checksum holds, and places in their order.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut start = Reader::new(bytes, 0);
        let (what, want) = ("magic of an index-header", u32::from_be_bytes(INDEX_HEADER_MAGIC));
        expect(what, 0, want.into(), start.u32_be(what)?.into())?;
        let (what, at) = ("version of an index-header", start.at());
        expect(what, at, VERSION.into(), start.u8(what)?.into())?;
        let index_version = start.u8("version of the index")?;
        let postings_table = start.u64_be("postings offset table of the index")?;
        let what = "trailer of an index-header";
        let len_min = INDEX_HEADER_START_LEN + INDEX_HEADER_END_LEN;
        let Some(end) = bytes
            .len()
            .checked_sub(INDEX_HEADER_END_LEN)
            .filter(|end| *end >= INDEX_HEADER_START_LEN)
        else {
            let (need, have) = (len_min as u64, bytes.len() as u64);
            return Err(DecodeError::Short { what, at: 0, need, have });
        };
        let mut trailer = Reader::new(&bytes[end..], end as u64);
        let covered = &bytes[end..bytes.len() - size_of::<u32>()];
        let (symbols, table) = (trailer.u64_be(what)?, trailer.u64_be(what)?);
        crc::check("checksum of the trailer of an index-header", covered, &mut trailer)?;
        let (what, at) = ("offset of the symbols in an index-header", end as u64);
        expect(what, at, INDEX_HEADER_START_LEN as u64, symbols)?;
        if !(symbols..=end as u64).contains(&table) {
            let (what, want) = ("offset of the table in an index-header", end as u64);
            return Err(DecodeError::Corrupt { what, at: at + 8, want, got: table });
        }
        Ok(HeaderPlaces { index_version, postings_table, symbols, table, end: end as u64 })
    }
}

fn expect(what: &'static str, at: u64, want: u64, got: u64) -> Result<(), DecodeError> {
    if want == got { Ok(()) } else { Err(DecodeError::Corrupt { what, at, want, got }) }
}
