//! Thanos's index-header, version 1: the symbols and the postings offset table of an index, for a gateway that reads
//! the rest from a bucket.
//!
//! Bytes:   | 4 magic | 1 version | 1 index version | 8 postings_table of the index |
//!          | the index's symbols, with length and CRC | the index from its postings offset table to its end |
//!          | 8 symbols here | 8 table here | 4 CRC of these 16 bytes |, docs/formats/prometheus.md
//! Callers: engines/series

use crate::{Toc, Version, crc32c};

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
