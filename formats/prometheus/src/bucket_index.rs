//! Mimir's catalogue of a tenant's blocks: the index that its compactors write, and the names of
//! marks that it keeps in one folder.
//!
//! Bytes:   gzip of JSON { version, blocks: [{ block_id, min_time, max_time, .. }], block_deletion_marks: [{ block_id,
//!          deletion_time }], updated_at }; times of blocks in milliseconds, others in seconds,
//!          docs/formats/prometheus.md

use std::io::Read;

use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::marks::{Mark, MarkKind};

/// Name of the index in a tenant's folder.
pub const BUCKET_INDEX_NAME: &str = "bucket-index.json.gz";

/// Name of the folder of marks in a tenant's folder.
pub const MARKERS_NAME: &str = "markers";

/// Name of the mark, in the folder of marks, of a tenant that is going to be deleted.
pub const TENANT_MARK_NAME: &str = "tenant-deletion-mark.json";

/// Name of the folder of a bucket in which Mimir keeps what is no tenant's.
pub const MIMIR_CLUSTER_NAME: &str = "__mimir_cluster";

/// The versions that are read: 2 has more fields.
const VERSIONS: [i64; 2] = [1, 2];

/// The blocks of a tenant, as they were when the index was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketIndex {
    /// The blocks.
    pub blocks: Vec<IndexedBlock>,
    /// Their marks for deletion.
    pub deletion_marks: Vec<Mark>,
    /// When it was written, in seconds since 1970.
    pub updated_at: i64,
}

/// A block by the index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct IndexedBlock {
    /// Its name.
    #[serde(rename = "block_id")]
    pub id: String,
    /// The first time, in milliseconds since 1970.
    pub min_time: i64,
    /// The time after the last.
    pub max_time: i64,
}

#[derive(Deserialize)]
struct Fields {
    version: i64,
    blocks: Option<Vec<IndexedBlock>>,
    block_deletion_marks: Option<Vec<FieldsOfMark>>,
    updated_at: i64,
}

#[derive(Deserialize)]
struct FieldsOfMark {
    block_id: String,
    deletion_time: i64,
}

impl BucketIndex {
    /// Reads the file; one that is longer than `len_max` before its compression is refused. The
    /// error is a sentence.
    pub fn decode(gzip: &[u8], len_max: u64) -> Result<Self, String> {
        let mut json = Vec::new();
        let read = GzDecoder::new(gzip).take(len_max.saturating_add(1)).read_to_end(&mut json);
        read.map_err(|error| format!("no index of blocks: {error}"))?;
        if json.len() as u64 > len_max {
            return Err(format!("index of blocks: more than {len_max} bytes"));
        }
        let fields: Fields = serde_json::from_slice(&json)
            .map_err(|error| format!("no index of blocks: {error}"))?;
        if !VERSIONS.contains(&fields.version) {
            return Err(format!("version of the index: wanted 1 or 2, got {}", fields.version));
        }
        let mark = |mark: FieldsOfMark| Mark {
            kind: MarkKind::Deletion,
            id: mark.block_id,
            time: mark.deletion_time,
            reason: String::new(),
            details: String::new(),
        };
        let marks = fields.block_deletion_marks.unwrap_or_default();
        Ok(BucketIndex {
            blocks: fields.blocks.unwrap_or_default(),
            deletion_marks: marks.into_iter().map(mark).collect(),
            updated_at: fields.updated_at,
        })
    }
}

/// The block that an entry of the folder of marks is of.
pub fn marked_block(name: &str, kind: MarkKind) -> Option<&str> {
    name.strip_suffix(kind.file_name())?.strip_suffix('-')
}

/// Reads the mark of a tenant: when it was made, in seconds since 1970. The error is a sentence.
pub fn tenant_mark_time(json: &[u8]) -> Result<i64, String> {
    #[derive(Deserialize)]
    struct Fields {
        deletion_time: i64,
    }
    let fields: Result<Fields, _> = serde_json::from_slice(json);
    fields.map(|mark| mark.deletion_time).map_err(|error| format!("no mark of a tenant: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(json: &str) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(json.as_bytes()).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn an_index_says_blocks_times_and_marks() {
        let json = r#"{"version":2,"blocks":[{"block_id":"A","min_time":5,"max_time":9,"source":"x"}],
            "block_deletion_marks":[{"block_id":"A","deletion_time":7}],"updated_at":8}"#;
        let index = BucketIndex::decode(&gzip(json), 1000).unwrap();
        let block = IndexedBlock { id: "A".to_owned(), min_time: 5, max_time: 9 };
        assert_eq!((index.blocks, index.updated_at), (vec![block], 8));
        assert_eq!((&*index.deletion_marks[0].id, index.deletion_marks[0].time), ("A", 7));
        let none = r#"{"version":1,"blocks":null,"block_deletion_marks":null,"updated_at":0}"#;
        assert_eq!(BucketIndex::decode(&gzip(none), 1000).unwrap().blocks, []);
        for wrong in [&gzip(json)[..20], b"no gzip", &gzip("{}"), &gzip(r#"{"version":3}"#)] {
            assert!(BucketIndex::decode(wrong, 1000).is_err());
        }
        assert!(BucketIndex::decode(&gzip(json), 50).unwrap_err().contains("50 bytes"));
    }

    #[test]
    fn names_of_marks_say_the_block_and_the_kind() {
        let name = "01M8BP75PY1WEZBTAR7MRQZYSP-deletion-mark.json";
        assert_eq!(marked_block(name, MarkKind::Deletion), Some("01M8BP75PY1WEZBTAR7MRQZYSP"));
        assert_eq!(marked_block(name, MarkKind::NoCompact), None);
        assert_eq!(tenant_mark_time(br#"{"deletion_time":3}"#), Ok(3));
        assert!(tenant_mark_time(b"{}").is_err());
    }
}
