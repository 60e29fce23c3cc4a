//! Folders of tables below a folder, such as a node's data folder: `KEYSPACE/TABLE-ID`, and what
//! lies in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_store::store::{Answer, Ask, Listed, Name, Store, listings};
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
    /// What was listed of tables of a store, as far as that is not too much.
    pub listed: HashMap<PathBuf, Vec<Listed>>,
    /// Number of entries of all tables.
    listed_count: usize,
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

/// Number of folders of a folder up to which each is listed by itself.
const FEW: usize = 16;

/// Maximum number of entries that are kept of tables: some 130 bytes each.
const LISTED_MAX: usize = 200_000;

/// As [`tables_below`], of the folders at and below a store's own.
///
/// Cost: where there are few folders a listing of each, at an address a round for each level of
/// them; of many in one folder all that lies in them, some hundred folders by one listing.
pub fn tables_below_in(store: &dyn Store, copies: Copies) -> Below {
    let mut below = Below::default();
    let mut level = vec![Name::root()];
    while !level.is_empty() {
        let (mut next, mut many) = (Vec::new(), Vec::new());
        for (folder, listed) in level.iter().zip(store.list_all(&level)) {
            let entries = match listed {
                Ok(entries) => entries,
                Err(error) => {
                    below.unread.push(error.into());
                    continue;
                }
            };
            let folders = entries.iter().filter(|entry| {
                let is_passed = copies == Copies::Passed && is_copy(OsStr::new(&entry.name));
                entry.kind == EntryKind::Folder && !is_passed
            });
            let folders: BTreeSet<&str> = folders.map(|entry| &*entry.name).collect();
            if folders.len() <= FEW {
                next.extend(folders.into_iter().filter_map(|name| folder.join(name)));
            } else {
                many.extend(listings(folder, &folders, &folders));
            }
            below.add(store.show(folder), entries);
        }
        if !many.is_empty() {
            below.add_many(store, &many, copies);
        }
        level = next;
    }
    below.tables.sort();
    below
}

impl Below {
    /// Adds a folder if it is one of a table.
    fn add(&mut self, path: PathBuf, entries: Vec<Listed>) {
        if !entries.iter().any(|entry| is_main_name(entry.name.as_bytes())) {
            return;
        }
        self.listed_count += entries.len();
        if self.listed_count <= LISTED_MAX {
            self.listed.insert(path.clone(), entries);
        }
        self.tables.push(path);
    }

    /// Adds the folders in which the files lie that listings show.
    fn add_many(&mut self, store: &dyn Store, asked: &[Ask], copies: Copies) {
        let mut folders: BTreeMap<PathBuf, Vec<Listed>> = BTreeMap::new();
        for (ask, answer) in asked.iter().zip(store.ask_all(asked)) {
            let files = match answer {
                Ok(Answer::Below { files, .. }) => files,
                Ok(_) => Vec::new(),
                Err(error) => {
                    self.unread.push(error.into());
                    continue;
                }
            };
            for mut file in files {
                let full = std::mem::take(&mut file.name);
                let Some((folder, name)) = full.rsplit_once('/') else { continue };
                let is_passed = copies == Copies::Passed
                    && folder.split('/').any(|name| is_copy(OsStr::new(name)));
                if let Some(folder) = ask.name().join(folder).filter(|_| !is_passed) {
                    let file = Listed { name: name.to_owned(), ..file };
                    folders.entry(store.show(&folder)).or_default().push(file);
                }
            }
        }
        folders.into_iter().for_each(|(path, entries)| self.add(path, entries));
    }
}

fn is_copy(name: &OsStr) -> bool {
    name == "snapshots" || name == "backups"
}

#[cfg(test)]
mod tests {
    use manicule_store::store::{Failing, MemoryStore, Replace, WriteStore};

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
        // The folder, its keyspace, and what lies in its tables.
        assert_eq!((store.counts().rounds, store.counts().requests), (3, 3));
        let listed = &below.listed[&below.tables[7]];
        assert!(listed.len() == 1 && listed[0].version.is_some());
    }

    #[test]
    fn many_folders_have_the_tables_of_few() {
        for count in [3, 40] {
            let (store, mut want) = (MemoryStore::new(1), Vec::new());
            for table in 0..count {
                for folder in ["", "/.by_name", "/snapshots/old", "/backups", "/other"] {
                    let folder = format!("t-{table:02}{folder}");
                    let is_table = !folder.ends_with("other");
                    let file = if is_table { "me-1-big-Data.db" } else { "notes" };
                    let file = Name::new(&format!("{folder}/{file}")).expect("a name");
                    store.put(&file, b"", Replace::Any).expect("memory");
                    want.extend(is_table.then_some(folder));
                }
            }
            let is_copy =
                |folder: &String| folder.contains("/snapshots") || folder.contains("/backups");
            for copies in [Copies::Passed, Copies::Taken] {
                let below = tables_below_in(&store, copies);
                let is_wanted = |folder: &&String| copies == Copies::Taken || !is_copy(folder);
                let want = want.iter().filter(is_wanted);
                let mut want: Vec<PathBuf> =
                    want.map(|folder| PathBuf::from(format!("memory:{folder}"))).collect();
                want.sort();
                assert_eq!(below.tables, want, "{count} {copies:?}");
                assert_eq!(below.listed.len(), want.len());
            }
            store.fail(Some(Failing::From(1)));
            assert!(!tables_below_in(&store, Copies::Passed).unread.is_empty());
        }
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
