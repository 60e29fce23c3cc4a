//! Signs of a block, a data folder and their files: names, and first bytes.
//!
//! Bytes:   docs/formats/prometheus.md

use manicule_core::bytes::{DecodeError, Reader};

use crate::bucket_index::{BUCKET_INDEX_NAME, MARKERS_NAME};
use crate::crc32c;
use crate::index::INDEX_MAGIC;
use crate::index_header::INDEX_HEADER_MAGIC;
use crate::marks::{DELETION_MARK_NAME, NO_COMPACT_MARK_NAME, NO_DOWNSAMPLE_MARK_NAME};
use crate::segment::SEGMENT_MAGIC;
use crate::tombstones::TOMBSTONES_MAGIC;
use crate::ulid::Ulid;

/// Name of a block's index.
pub const INDEX_NAME: &str = "index";

/// Name of Thanos's header of an index.
pub const INDEX_HEADER_NAME: &str = "index-header";

/// Name of Mimir's.
pub const SPARSE_HEADER_NAME: &str = "sparse-index-header";

/// Name of a block's meta file.
pub const META_NAME: &str = "meta.json";

/// Names of a block's parts: with one of them a folder is a block, or what is left of one.
pub const BLOCK_PARTS: [&str; 3] = [META_NAME, INDEX_NAME, "chunks"];

/// Names in a block's folder. Thanos and Mimir put marks and headers beside the block's own.
const OF_BLOCK: [&str; 10] = [
    META_NAME,
    INDEX_NAME,
    "chunks",
    "tombstones",
    DELETION_MARK_NAME,
    NO_COMPACT_MARK_NAME,
    NO_DOWNSAMPLE_MARK_NAME,
    INDEX_HEADER_NAME,
    SPARSE_HEADER_NAME,
    "visit-mark.json",
];

/// Folder of a server's write-ahead log.
pub const LOG_NAME: &str = "wal";

/// Folder of the chunks that a server still writes to.
pub const HEAD_CHUNKS_NAME: &str = "chunks_head";

/// Names that a server keeps in its data folder beside the blocks, and Mimir in that of a tenant.
const OF_DATA: [&str; 9] = [
    LOG_NAME,
    "wbl",
    HEAD_CHUNKS_NAME,
    "lock",
    "queries.active",
    "checkpoint_snapshot",
    "thanos.shipper.json",
    BUCKET_INDEX_NAME,
    MARKERS_NAME,
];

/// Endings of a block's folder while it is being written or removed.
const UNFINISHED: [&str; 3] = ["tmp-for-creation", "tmp-for-deletion", "tmp"];

/// Whether a name in a block's folder is one of the block's own.
pub fn is_of_block(name: &[u8]) -> bool {
    OF_BLOCK.iter().any(|own| own.as_bytes() == name)
}

/// Whether a name in a data folder, that of a block aside, is one of the server's own.
pub fn is_of_data(name: &[u8]) -> bool {
    OF_DATA.iter().any(|own| own.as_bytes() == name)
        || name.starts_with(b"chunk_snapshot.")
        || is_unfinished(name)
}

/// Whether a block can be called so: by a ULID.
pub fn is_block_name(name: &[u8]) -> bool {
    name.len() == 26 && str::from_utf8(name).is_ok_and(|name| name.parse::<Ulid>().is_ok())
}

/// Whether a block can be called so while it is being written or removed.
pub fn is_unfinished(name: &[u8]) -> bool {
    let split = || str::from_utf8(name).ok()?.split_once('.');
    split().is_some_and(|(start, end)| is_block_name(start.as_bytes()) && UNFINISHED.contains(&end))
}

/// Magic number of the chunks that a server still writes to.
const HEAD_CHUNKS_MAGIC: [u8; 4] = [0x01, 0x30, 0xbc, 0x91];

/// Whether a file begins as one of the chunks that a server still writes to.
pub fn is_head_chunks(head: &[u8]) -> bool {
    head.starts_with(&HEAD_CHUNKS_MAGIC)
}

/// Whether a file begins as a segment of a write-ahead log: with a record whose checksum holds, or
/// the zeros that fill the rest of a page. `head` is a page, or the whole file.
pub fn is_log_segment(head: &[u8]) -> bool {
    let mut reader = Reader::new(head, 0);
    let mut first = || -> Result<bool, DecodeError> {
        let kind = reader.u8("kind of a record")?;
        let len = u16::from_be_bytes([reader.u8("length")?, reader.u8("length")?]);
        let sum = reader.u32_be("checksum of a record")?;
        if kind == 0 {
            return Ok((len, sum) == (0, 0));
        }
        Ok(crc32c(reader.take("record", len.into())?) == sum)
    };
    first().unwrap_or(false)
}

/// Kind of a file of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Its index.
    Index,
    /// Chunks.
    Segment,
    /// Deleted times.
    Tombstones,
    /// Thanos's header of its index.
    IndexHeader,
    /// Mimir's header of its index, which is known by its name.
    SparseHeader,
    /// Its meta file, which is known by its name.
    Meta,
}

impl FileKind {
    /// Kind of a file by its first bytes, which those known by their names don't have.
    pub fn of_head(head: &[u8]) -> Option<FileKind> {
        let magics = [
            (INDEX_HEADER_MAGIC, FileKind::IndexHeader),
            (INDEX_MAGIC, FileKind::Index),
            (SEGMENT_MAGIC, FileKind::Segment),
            (TOMBSTONES_MAGIC, FileKind::Tombstones),
        ];
        magics.into_iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_blocks_and_data_folders() {
        let ulid = "01M7YV9D4RCH84S6NS9PC6AJ27";
        assert!(is_block_name(ulid.as_bytes()) && !is_block_name(b"01M7YV9D4RCH84S6NS9PC6AJ2"));
        for (name, want) in [
            (format!("{ulid}.tmp-for-creation"), true),
            (format!("{ulid}.tmp-for-deletion"), true),
            (format!("{ulid}.txt"), false),
            (ulid.to_owned(), false),
            ("x.tmp".to_owned(), false),
            ("wal".to_owned(), true),
            ("chunk_snapshot.000003.0".to_owned(), true),
            ("bucket-index.json.gz".to_owned(), true),
            ("markers".to_owned(), true),
            ("note.txt".to_owned(), false),
        ] {
            assert_eq!(is_of_data(name.as_bytes()), want, "{name}");
        }
        assert!(is_of_block(b"tombstones") && !is_of_block(b"notes"));
    }

    #[test]
    fn files_by_their_first_bytes() {
        for (head, want) in [
            (&[0xba, 0xaa, 0xd7, 0x00, 2][..], Some(FileKind::Index)),
            (&[0x85, 0xbd, 0x40, 0xdd, 1], Some(FileKind::Segment)),
            (&[0x01, 0x30, 0xba, 0x30, 1], Some(FileKind::Tombstones)),
            (&[0xba, 0xaa, 0xd7, 0x92, 1], Some(FileKind::IndexHeader)),
            (&[0xba, 0xaa, 0xd7], None),
            (b"{}", None),
        ] {
            assert_eq!(FileKind::of_head(head), want, "{head:02x?}");
        }
    }
}
