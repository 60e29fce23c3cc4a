//! The files of a store by what they are.

use std::collections::BTreeSet;

use manicule_format_leaf::manifest::Manifest;
use manicule_store::EntryKind;
use manicule_store::store::{Fetched, Name, Store};

use crate::error::GraphError;
use crate::snapshot::generation::{FILE_FOLDERS, files_of};
use crate::store::{LOG_FOLDER, NamedSnapshot, read_snapshot_in};

/// Files of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTotal {
    /// What one of them is.
    pub noun: &'static str,
    /// Which of those they are, if there are others.
    pub which: &'static str,
    /// Number of them.
    pub count: u64,
    /// Their bytes.
    pub len: u64,
}

/// The files of the folder now.
pub(super) fn file_totals(
    files: &Fetched,
    current: &Manifest,
    snapshots: &[NamedSnapshot],
    random: u64,
) -> Result<Vec<FileTotal>, GraphError> {
    let (store, folder) = (files.store(), files.store().show(&Name::root()));
    let numbers = |manifest: &Manifest| -> BTreeSet<u64> {
        files_of(&folder, manifest).map(|(row, _)| row.number).collect()
    };
    let (own, mut kept) = (numbers(current), BTreeSet::new());
    for snapshot in snapshots {
        match read_snapshot_in(files, &snapshot.name, random) {
            // It was dropped meanwhile.
            Err(GraphError::Missing { .. }) => {}
            snapshot => kept.extend(numbers(snapshot?.state().base.manifest())),
        }
    }
    let none = |noun, which| FileTotal { noun, which, count: 0, len: 0 };
    let mut totals = [
        none("file", "of the generation"),
        none("file", "of snapshots alone"),
        none("file", "that no manifest names"),
        none("segment", "of the log"),
        none("manifest", ""),
    ];
    for part in FILE_FOLDERS {
        each_file(store, part, &mut |name, len| {
            let number = name.split('.').next().and_then(|digits| digits.parse().ok());
            let of = |numbers: &BTreeSet<u64>| number.is_some_and(|one| numbers.contains(&one));
            let place = if of(&own) {
                0
            } else if of(&kept) {
                1
            } else {
                2
            };
            add(&mut totals[place], len);
        })?;
    }
    each_file(store, LOG_FOLDER, &mut |name, len| {
        if name.ends_with(".log") {
            add(&mut totals[3], len);
        }
    })?;
    for part in ["", "snapshots"] {
        each_file(store, part, &mut |name, len| {
            if !part.is_empty() || name.starts_with("manifest-") {
                add(&mut totals[4], len);
            }
        })?;
    }
    Ok(totals.into_iter().filter(|total| total.count > 0).collect())
}

fn add(total: &mut FileTotal, len: u64) {
    total.count += 1;
    total.len += len;
}

/// Calls `take` with the name and the length of each file of a folder. Those that go meanwhile are
/// left out.
fn each_file(
    store: &dyn Store,
    folder: &str,
    take: &mut dyn FnMut(&str, u64),
) -> Result<(), GraphError> {
    let folder = Name::new(folder).unwrap_or_default();
    for entry in store.list(&folder)?.iter().filter(|entry| entry.kind == EntryKind::File) {
        let len = entry.len.or_else(|| Some(store.look(&entry.file_in(&folder)).ok()?.len));
        if let Some(len) = len {
            take(&entry.name, len);
        }
    }
    Ok(())
}
