//! Folders of tables below a folder, such as a node's data folder: `KEYSPACE/TABLE-ID`, and what
//! lies in it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_store::store::{Name, Store};
use manicule_store::{EntryKind, list_names};

use crate::RowsError;
use crate::signs::is_main_name;

/// Whether copies are tables too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Folders named `snapshots` and `backups` are passed.
    Passed,
    /// They are looked into.
    Taken,
}

/// Folders of tables.
#[derive(Debug, Default)]
pub struct Below {
    /// Those with files of SSTables, in the order of their paths.
    pub tables: Vec<PathBuf>,
    /// Why others can't be looked into.
    pub unread: Vec<RowsError>,
}

/// The folders of tables at and below a folder; links in it are not followed.
pub fn tables_below(root: &Path, copies: Copies) -> Below {
    let mut below = Below::default();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = match list_names(&folder) {
            Ok(entries) => entries,
            // A node drops tables and clears snapshots meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder != root => continue,
            Err(source) => {
                below.unread.push(RowsError::Io { file: folder, source });
                continue;
            }
        };
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        for entry in &entries {
            let is_passed = copies == Copies::Passed && is_copy(&entry.name);
            let path = folder.join(&entry.name);
            if !is_passed && entry.is_folder(&folder) && !is_link(&path) {
                waiting.push(path);
            }
        }
        if entries.iter().any(|entry| is_main_name(entry.name.as_bytes())) {
            below.tables.push(folder);
        }
    }
    below.tables.sort();
    below
}

/// As [`tables_below`], of the folders at and below a store's own.
///
/// Cost: a listing of each folder; at an address a round for each level of them.
pub fn tables_below_in(store: &dyn Store, copies: Copies) -> Below {
    let mut below = Below::default();
    let mut level = vec![Name::root()];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (folder, listed) in level.iter().zip(store.list_all(&level)) {
            let entries = match listed {
                Ok(entries) => entries,
                Err(error) => {
                    below.unread.push(error.into());
                    continue;
                }
            };
            for entry in &entries {
                let is_passed = copies == Copies::Passed && is_copy(OsStr::new(&entry.name));
                if entry.kind == EntryKind::Folder && !is_passed {
                    next.extend(folder.join(&entry.name));
                }
            }
            if entries.iter().any(|entry| is_main_name(entry.name.as_bytes())) {
                below.tables.push(store.show(folder));
            }
        }
        level = next;
    }
    below.tables.sort();
    below
}

fn is_copy(name: &OsStr) -> bool {
    name == "snapshots" || name == "backups"
}

#[cfg(test)]
mod tests {
    use manicule_store::store::{MemoryStore, Replace, WriteStore};

    use super::*;

    #[test]
    fn tables_of_a_store_take_a_round_for_each_level() {
        let store = MemoryStore::new(1);
        for table in 0..100 {
            let file = format!("ks/t-{table}/me-1-big-Data.db");
            let file = Name::new(&file).expect("a name");
            store.put(&file, b"", Replace::Any).expect("memory");
        }
        store.fail(None);
        let below = tables_below_in(&store, Copies::Passed);
        assert_eq!((below.tables.len(), below.unread.len()), (100, 0));
        assert_eq!((store.counts().rounds, store.counts().requests), (3, 102));
    }

    #[test]
    fn copies_are_tables_when_they_are_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for path in
            ["ks/a-1", "ks/a-1/snapshots/old", "ks/a-1/backups", "ks/a-1/.by_name", "ks/b-2"]
        {
            fs::create_dir_all(root.join(path)).expect("a folder");
            fs::write(root.join(path).join("me-1-big-Data.db"), "").expect("a file");
        }
        fs::create_dir_all(root.join("commitlog")).expect("a folder");
        fs::write(root.join("commitlog/CommitLog-7-1.log"), "").expect("a file");
        std::os::unix::fs::symlink(root.join("ks"), root.join("link")).expect("a link");
        let check = |from: &str, copies: Copies, want: &[&str]| {
            let below = tables_below(&root.join(from), copies);
            let want: Vec<PathBuf> = want.iter().map(|path| root.join(path)).collect();
            assert_eq!(below.tables, want);
            assert!(below.unread.is_empty());
        };
        check("ks", Copies::Passed, &["ks/a-1", "ks/a-1/.by_name", "ks/b-2"]);
        let all = ["ks/a-1", "ks/a-1/.by_name", "ks/a-1/backups", "ks/a-1/snapshots/old", "ks/b-2"];
        check("ks", Copies::Taken, &all);
        check("ks/a-1/snapshots", Copies::Passed, &["ks/a-1/snapshots/old"]);
        check("commitlog", Copies::Taken, &[]);
        assert_eq!(tables_below(&root.join("nowhere"), Copies::Passed).unread.len(), 1);
    }
}
