//! Listing of named snapshots, with what each one costs.

use std::collections::HashMap;
use std::path::Path;

use manicule_format_leaf::manifest::Manifest;
use manicule_store::store::{LocalStore, Name, Store};

use super::folder::missing;
use super::pins::{pin_names, pinned};
use super::publish::current;
use crate::error::GraphError;
use crate::snapshot::generation::files_of;

/// A generation that is kept under a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSnapshot {
    /// The name.
    pub name: String,
    /// The last commit that it shows.
    pub commit: u64,
    /// Number of its quads.
    pub quad_count: u64,
    /// Bytes of the files that it names.
    pub len: u64,
    /// Bytes of those that neither the current generation nor another snapshot names: they go with
    /// it.
    pub own_len: u64,
}

/// The named snapshots of a local store, by their names.
pub fn named_snapshots(folder: &Path) -> Result<Vec<NamedSnapshot>, GraphError> {
    named_snapshots_in(&LocalStore::at(folder))
}

/// As [`named_snapshots`], wherever the files are.
pub fn named_snapshots_in(store: &dyn Store) -> Result<Vec<NamedSnapshot>, GraphError> {
    let folder = &*store.show(&Name::root());
    let manifest = current(store)?.ok_or_else(|| missing(folder))?;
    let mut users: HashMap<u64, usize> = HashMap::new();
    let mut count_files = |manifest: &Manifest| {
        files_of(folder, manifest).for_each(|(row, _)| *users.entry(row.number).or_default() += 1);
    };
    count_files(&manifest);
    let mut named = Vec::new();
    for name in pin_names(store)? {
        // One that was dropped meanwhile is none.
        if let Some(manifest) = pinned(store, &name)? {
            count_files(&manifest);
            named.push((name, manifest));
        }
    }
    let snapshot = |(name, manifest): (String, Manifest)| {
        let rows = || files_of(folder, &manifest).map(|(row, _)| row);
        let own = rows().filter(|row| users.get(&row.number) == Some(&1));
        NamedSnapshot {
            name,
            commit: manifest.commit,
            quad_count: manifest.default_count + manifest.named_count,
            len: rows().map(|row| row.len).sum(),
            own_len: own.map(|row| row.len).sum(),
        }
    };
    Ok(named.into_iter().map(snapshot).collect())
}
