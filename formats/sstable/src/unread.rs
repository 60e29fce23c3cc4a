//! Versions whose files are known by their names and not read: those before Cassandra 3.0, and of
//! others.
//!
//! Bytes:   `<version>-<generation>-<layout>-<component>`, before 2.2 `<keyspace>-<table>-<version>-<generation>-<component>`,
//!          docs/formats/sstable.md, Files

use std::fmt;

use crate::Version;

/// A version that isn't read, and who writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadVersion {
    /// Its two letters.
    pub letters: String,
    writer: &'static str,
}

/// Endings of components' names: without them two words with hyphens may be anything.
const ENDINGS: [&str; 5] = [".db", "TOC.txt", ".crc32", ".adler32", ".sha1"];

impl UnreadVersion {
    /// The version in a file's name. `None` for a file that isn't an SSTable's, or of a version
    /// that is read.
    pub fn of_name(file_name: &str) -> Option<UnreadVersion> {
        if !ENDINGS.iter().any(|ending| file_name.ends_with(ending)) {
            return None;
        }
        let words: Vec<&str> = file_name.split('-').collect();
        let (version, generation, layout) = match words[..] {
            [version, generation, layout @ ("big" | "bti"), _] => (version, generation, layout),
            [keyspace, table, version, generation, _] => {
                let has_number = generation.bytes().all(|byte| byte.is_ascii_digit());
                let is_one = !keyspace.is_empty() && !table.is_empty() && has_number;
                (Some(version).filter(|_| is_one)?, generation, "big")
            }
            _ => return None,
        };
        let is_version =
            version.len() == 2 && version.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_unread = is_version && !generation.is_empty() && Version::parse(version).is_none();
        let letters = version.to_owned();
        is_unread.then(|| UnreadVersion { writer: writer(&letters, layout), letters })
    }
}

/// Who writes a version.
fn writer(letters: &str, layout: &str) -> &'static str {
    match (letters, layout) {
        // Cassandra's own tries begin with `da`: it leaves the letters before to these.
        (_, "bti") if letters < "da" => "a release of DataStax",
        ("pq", _) => "ScyllaDB's experiment with Parquet",
        (_, "bti") => "a release later than Cassandra 6.0",
        ("ia" | "ib" | "ic", _) => "Cassandra 1.2",
        ("ja" | "jb", _) => "Cassandra 2.0",
        ("ka", _) => "Cassandra 2.1",
        ("la" | "lb", _) => "Cassandra 2.2",
        _ if letters < "ia" => "Cassandra before 1.2",
        _ => "a release that is not known",
    }
}

impl fmt::Display for UnreadVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnreadVersion { letters, writer } = self;
        write!(
            f,
            "an SSTable of version {letters}, of {writer}, which is not read: ma to pa, da, ea, ms and mt are"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_foreign_versions_are_named() {
        for (name, want) in [
            ("keyspace-table-ic-3-Data.db", "ic, of Cassandra 1.2,"),
            ("keyspace-table-jb-5-Data.db", "jb, of Cassandra 2.0,"),
            ("keyspace-table-ka-1-Data.db", "ka, of Cassandra 2.1,"),
            ("la-1-big-Digest.adler32", "la, of Cassandra 2.2,"),
            ("lb-12-big-TOC.txt", "lb, of Cassandra 2.2,"),
            ("hf-1-big-Data.db", "hf, of Cassandra before 1.2,"),
            ("aa-7-bti-Partitions.db", "aa, of a release of DataStax,"),
            ("bb-7-bti-Data.db", "bb, of a release of DataStax,"),
            ("pq-3fw2_0tj4_46w3k2cpidnirvjy7k-big-Data.db", "pq, of ScyllaDB's experiment"),
            ("zz-1-big-Data.db", "zz, of a release that is not known,"),
        ] {
            let shown = UnreadVersion::of_name(name).expect(name).to_string();
            assert!(shown.starts_with(&format!("an SSTable of version {want}")), "{shown}");
        }
    }

    #[test]
    fn other_names_are_none() {
        for name in [
            "me-1-big-Data.db",
            "da-1-bti-Data.db",
            "ka-1-big-notes.md",
            "a-b-c.db",
            "keyspace-table-ka-one-Data.db",
            "Ka-1-big-Data.db",
            "ka--big-Data.db",
        ] {
            assert_eq!(UnreadVersion::of_name(name), None, "{name}");
        }
    }
}
