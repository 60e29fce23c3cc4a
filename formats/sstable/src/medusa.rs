//! manifest.json of a backup by Medusa: the objects of each table of one node.
//!
//! Bytes:   JSON, docs/formats/sstable.md, Backups

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// One table of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MedusaTable {
    /// Keyspace.
    pub keyspace: String,
    /// Folder of the table: its name, then its id.
    #[serde(rename = "columnfamily")]
    pub folder: String,
    /// Files, those of secondary indexes among them.
    pub objects: Vec<MedusaObject>,
}

/// One file of a table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MedusaObject {
    /// Key in the bucket, its prefix included. Of a differential backup it lies in a folder that
    /// all backups of the node share.
    pub path: String,
    /// MD5 of its bytes, hexadecimal or in base64; backups of some stores have none.
    #[serde(rename = "MD5")]
    pub md5: Option<String>,
    /// Length in bytes.
    pub size: u64,
}

/// A manifest that can't be read: what is wrong, with line and column.
#[derive(Debug)]
pub struct ManifestError(pub(crate) serde_json::Error);

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no manifest of a backup: {}", self.0)
    }
}

impl std::error::Error for ManifestError {}

/// Reads a manifest. Fields that it doesn't know are passed over.
pub fn read_medusa_manifest(bytes: &[u8]) -> Result<Vec<MedusaTable>, ManifestError> {
    serde_json::from_slice(bytes).map_err(ManifestError)
}

/// The names of the nodes of a cluster, which a token map has as its keys.
pub fn read_medusa_hosts(bytes: &[u8]) -> Result<Vec<String>, ManifestError> {
    let hosts: BTreeMap<String, IgnoredAny> =
        serde_json::from_slice(bytes).map_err(ManifestError)?;
    Ok(hosts.into_keys().collect())
}

impl MedusaTable {
    /// Whether a word means this table: its folder, or its name alone.
    pub fn is_called(&self, word: &str) -> bool {
        let name = self.folder.rsplit_once('-').map_or(self.folder.as_str(), |(name, _)| name);
        word == self.folder || word == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_their_objects() {
        let text = br#"[{"keyspace": "ks", "columnfamily": "t-0a", "more": 1, "objects": [
            {"path": "p/n/data/ks/t-0a/me-1-big-Data.db", "MD5": null, "size": 7},
            {"path": "p/n/data/ks/t-0a/.i/me-2-big-Data.db", "MD5": "ee", "size": 0}]}]"#;
        let tables = read_medusa_manifest(text).expect("a manifest");
        assert_eq!((tables[0].keyspace.as_str(), tables[0].objects.len()), ("ks", 2));
        assert_eq!((tables[0].objects[0].size, &tables[0].objects[0].md5), (7, &None));
        assert!(tables[0].is_called("t") && tables[0].is_called("t-0a"));
        assert!(!tables[0].is_called("t-") && !tables[0].is_called("0a"));
    }

    #[test]
    fn hosts_are_the_keys_of_a_token_map() {
        let text = br#"{"b": {"tokens": [1, -2], "is_up": true}, "a": {}}"#;
        assert_eq!(read_medusa_hosts(text).expect("a token map"), ["a", "b"]);
        assert!(read_medusa_hosts(b"[1]").is_err());
    }

    #[test]
    fn what_is_no_manifest_is_an_error_with_its_place() {
        let error =
            read_medusa_manifest(b"[{\"keyspace\": \"ks\",\n \"objects\": 3}]").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("no manifest of a backup: invalid type: integer `3`"), "{text}");
        assert!(text.ends_with("at line 2 column 13"), "{text}");
        assert!(read_medusa_manifest(b"[{\"keyspace\"").is_err());
        assert!(read_medusa_manifest(b"{}").is_err());
    }
}
