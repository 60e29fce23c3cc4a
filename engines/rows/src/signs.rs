//! Signs of SSTables, Cassandra's and ScyllaDB's, whether their version is read or not: a folder
//! holds several files of each.

use std::fs;
use std::path::Path;

use manicule_format_sstable::{Component, Descriptor, UnreadVersion};

/// Maximum number of a folder's SSTables looked at: one that is whole is enough, damaged ones are
/// few.
pub const TABLES_MAX: usize = 16;

/// Ending of the names of SSTables' data.
pub const DATA_ENDING: &str = "-Data.db";

/// Components without which nothing is read or finished: one of them proves that another file is a
/// component too.
const MAIN: [Component; 3] = [Component::Toc, Component::Data, Component::Statistics];

/// Whether a name may be that of an SSTable's component: `me-7-big-Data.db`, or
/// `keyspace-table-ka-1-Data.db` as they were called before Cassandra 2.2.
pub fn is_component_name(name: &[u8]) -> bool {
    let is_one = |name: &str| {
        let is_known = |(_, component): (Descriptor, Component)| match component {
            Component::Other(name) => name.ends_with(".db"),
            _ => true,
        };
        Descriptor::parse(name).is_some_and(is_known) || UnreadVersion::of_name(name).is_some()
    };
    std::str::from_utf8(name).is_ok_and(is_one)
}

/// Whether a name may be that of an SSTable's data.
pub fn is_data_name(name: &[u8]) -> bool {
    name.ends_with(DATA_ENDING.as_bytes()) && is_component_name(name)
}

/// Whether a name may be that of a component that every SSTable has.
pub fn is_main_name(name: &[u8]) -> bool {
    let ends = |component: &Component| name.ends_with(component.name().as_bytes());
    MAIN.iter().any(ends) && is_component_name(name)
}

/// Whether a file is a component of an SSTable: its table of contents, which lies beside it, names
/// it and the data.
pub fn is_component(path: &Path) -> bool {
    let named = || {
        let name = path.file_name()?.to_str().filter(|name| is_component_name(name.as_bytes()))?;
        let (start, component) = name.rsplit_once('-')?;
        let beside = |component: &Component| path.with_file_name(format!("{start}-{component}"));
        let contents = fs::read_to_string(beside(&Component::Toc)).ok()?;
        let lists = |component: &str| contents.lines().any(|line| line == component);
        let is_there =
            |component: &Component| lists(component.name()) && beside(component).is_file();
        let is_whole = is_there(&Component::Data) && is_there(&Component::Statistics);
        Some(is_whole && (lists(component) || component == Component::Toc.name()))
    };
    named().unwrap_or(false)
}

/// Whether a file that was given is to be taken for a component: of an SSTable that lacks others,
/// too.
pub fn is_given_component(path: &Path) -> bool {
    let named = || {
        let name = path.file_name()?.to_str()?;
        Some(is_given_among(name, &|beside| path.with_file_name(beside).is_file()))
    };
    named().unwrap_or(false)
}

/// The same by its name, and whether a file of another name lies beside it.
pub fn is_given_among(name: &str, is_beside: &dyn Fn(&str) -> bool) -> bool {
    let named = || {
        let (start, own) = name.rsplit_once('-').filter(|_| is_component_name(name.as_bytes()))?;
        let is_there = |component: &Component| {
            component.name() != own && is_beside(&format!("{start}-{component}"))
        };
        Some(MAIN.iter().any(is_there))
    };
    named().unwrap_or(false)
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
            ("mc-1-big-SI_by-name.db", true),
            ("keyspace-table-ka-1-Data.db", true),
            ("pq-1-big-Data.db", true),
            ("me-1-big-notes.md", false),
            ("a-b-c.db", false),
        ] {
            assert_eq!(is_component_name(name.as_bytes()), want, "{name}");
        }
        assert!(is_data_name(b"me-1-big-Data.db") && !is_data_name(b"me-1-big-Index.db"));
        assert!(is_main_name(b"me-1-big-TOC.txt") && !is_main_name(b"me-1-big-Index.db"));
    }

    #[test]
    fn a_file_alone_is_no_component_and_with_another_it_is_if_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let signs = |name: &str| {
            let path = folder.path().join(name);
            (is_component(&path), is_given_component(&path))
        };
        put("me-1-big-Data.db", "");
        assert_eq!(signs("me-1-big-Data.db"), (false, false));
        put("me-1-big-Statistics.db", "");
        assert_eq!(signs("me-1-big-Data.db"), (false, true));
        put("me-1-big-TOC.txt", "Data.db\nStatistics.db\n");
        assert_eq!(signs("me-1-big-Data.db"), (true, true));
        assert_eq!(signs("me-1-big-TOC.txt"), (true, true));
        // TOC.txt doesn't name it.
        put("me-1-big-Index.db", "");
        assert_eq!(signs("me-1-big-Index.db"), (false, true));
    }
}
