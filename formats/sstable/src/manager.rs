//! manifest.json.gz of a backup by ScyllaDB Manager: the files of each table of one node.
//!
//! Bytes:   gzip of JSON, docs/formats/sstable.md, Backups

use std::io::Read;

use flate2::read::GzDecoder;
use serde::{Deserialize, Deserializer};

use crate::medusa::ManifestError;

/// One table of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ManagerTable {
    /// Keyspace.
    pub keyspace: String,
    /// Name.
    pub table: String,
    /// Its id, without hyphens.
    pub version: String,
    /// Names of its files, which lie in a folder that all backups of the node share.
    #[serde(default, deserialize_with = "or_none")]
    pub files: Vec<String>,
    /// Their length in bytes, all together.
    #[serde(default)]
    pub size: u64,
}

#[derive(Deserialize)]
struct Manifest {
    #[serde(deserialize_with = "or_none")]
    index: Vec<ManagerTable>,
}

/// A list; none for null, which stands for an empty one.
fn or_none<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Reads the tables of a manifest, whose JSON has at most `len_max` bytes. Fields that it doesn't
/// know are passed over.
pub fn read_manager_manifest(
    bytes: &[u8],
    len_max: u64,
) -> Result<Vec<ManagerTable>, ManifestError> {
    let mut json = Vec::new();
    let read = GzDecoder::new(bytes).take(len_max).read_to_end(&mut json);
    read.map_err(|error| ManifestError(serde_json::Error::io(error)))?;
    let manifest: Manifest = serde_json::from_slice(&json).map_err(ManifestError)?;
    Ok(manifest.index)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn read(json: &str, len_max: u64) -> Result<Vec<ManagerTable>, String> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(json.as_bytes()).expect("memory");
        let bytes = gzip.finish().expect("memory");
        read_manager_manifest(&bytes, len_max).map_err(|error| error.to_string())
    }

    #[test]
    fn tables_and_their_files() {
        let json = r#"{"version": "v2", "index": [
            {"keyspace": "ks", "table": "t", "version": "0a", "files": ["me-1-big-Data.db"],
             "size": 7, "more": {}},
            {"keyspace": "ks", "table": "u", "version": "0b", "files": null, "size": 0}]}"#;
        let tables = read(json, 1000).expect("a manifest");
        assert_eq!((tables[0].table.as_str(), tables[0].size), ("t", 7));
        assert_eq!((tables[0].files[0].as_str(), tables[1].files.len()), ("me-1-big-Data.db", 0));
        assert_eq!(read(r#"{"index": null}"#, 1000), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_manifest_or_too_long_is_an_error() {
        let error = read("[]", 1000).expect_err("a list");
        assert!(error.starts_with("no manifest of a backup: invalid"), "{error}");
        let error = read("{}", 1000).expect_err("another object");
        assert!(error.contains("missing field `index`"), "{error}");
        let error = read(r#"{"index": []}"#, 9).expect_err("cut");
        assert!(error.contains("EOF"), "{error}");
        let error = read_manager_manifest(b"{}", 9).expect_err("no gzip").to_string();
        assert!(error.starts_with("no manifest of a backup: "), "{error}");
    }
}
