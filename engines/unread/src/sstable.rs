//! Signs of SSTables, Cassandra's and ScyllaDB's: a folder holds several files of each.
//!
//! Callers: faces/manicule

use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of a folder's SSTables looked at: one that is whole is enough, damaged ones are few.
pub const TABLES_MAX: usize = 16;

/// Whether a name may be that of an SSTable's data.
pub fn is_data_name(name: &[u8]) -> bool {
    name.ends_with(b"-Data.db")
}

/// Whether a file is a component of an SSTable: its table of contents, which lies beside it, names it and the data.
pub fn is_component(path: &Path) -> bool {
    let named = || {
        let name = path.file_name()?.to_str().filter(|name| is_component_name(name))?;
        let (start, component) = name.rsplit_once('-')?;
        let beside =
            |component: &str| -> PathBuf { path.with_file_name(format!("{start}-{component}")) };
        let contents = fs::read_to_string(beside("TOC.txt")).ok()?;
        let lists = |component: &str| contents.lines().any(|line| line == component);
        let is_whole = lists("Data.db") && lists("Statistics.db");
        let are_there = || ["Data.db", "Statistics.db"].iter().all(|name| beside(name).is_file());
        Some(is_whole && are_there() && (lists(component) || component == "TOC.txt"))
    };
    named().unwrap_or(false)
}

/// Whether a name is that of an SSTable's component: `me-7-big-Data.db`, or `keyspace-table-ka-1-Data.db` as they were
/// called before Cassandra 2.2.
fn is_component_name(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    let is_version =
        |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_generation = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_component = |part: &str| {
        [".db", "TOC.txt", ".crc32", ".adler32", ".sha1"]
            .iter()
            .any(|ending| part.ends_with(ending))
    };
    match parts[..] {
        [version, generation, "big" | "bti", component] => {
            is_version(version) && is_generation(generation) && is_component(component)
        }
        [keyspace, table, version, generation, component] => {
            !keyspace.is_empty()
                && !table.is_empty()
                && is_version(version)
                && generation.bytes().all(|byte| byte.is_ascii_digit())
                && is_component(component)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_components() {
        for (name, want) in [
            ("me-3fw2_0tj4_46w3k2cpidnirvjy7k-big-Data.db", true),
            ("da-5-bti-Partitions.db", true),
            ("mc-12-big-TOC.txt", true),
            ("keyspace-table-ka-1-Data.db", true),
            ("me-1-big-notes.md", false),
            ("a-b-c.db", false),
        ] {
            assert_eq!(is_component_name(name), want, "{name}");
        }
    }
}
