//! The paths of a search, by how they are searched.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use manicule_store::NamedEntry;

use super::address::Lies;
use super::kind::Kind;
use super::system::System;
use crate::failure::Failure;
use crate::place::Listing;

/// The paths of a search, by how they are searched. Each was looked at once.
#[derive(Debug, Default)]
pub struct Deal {
    /// The paths by the system whose engine searches them, in the order given. Those of trees are
    /// searched as text. A folder occurs once for each system of which it holds something.
    pub paths: BTreeMap<System, Vec<PathBuf>>,
    /// All of them, in the order given.
    pub given: Vec<PathBuf>,
    pub(super) proven: HashMap<PathBuf, Vec<Kind>>,
    /// Listings of the folders that hold indexes, reduced to the entries that some system takes.
    pub(super) listed: HashMap<PathBuf, Vec<NamedEntry>>,
    /// What lies at those that are addresses, or why that can't be said.
    pub(super) remote: HashMap<PathBuf, Result<Lies, Failure>>,
}

impl Deal {
    /// All paths as text, whatever they are.
    pub fn of_text(paths: Vec<PathBuf>) -> Self {
        let given = paths.clone();
        Deal { paths: BTreeMap::from([(System::TREE, paths)]), given, ..Deal::default() }
    }

    /// The paths that are searched as text.
    pub fn trees(&self) -> &[PathBuf] {
        self.paths.get(&System::TREE).map_or(&[], Vec::as_slice)
    }

    /// The paths by how they are searched, one after the other in the order given; neighbours that
    /// are searched in one way together. What a folder holds of several systems comes in the order
    /// of these.
    pub fn in_order(&self) -> Vec<(System, Vec<PathBuf>)> {
        let mut runs: Vec<(System, Vec<PathBuf>)> = Vec::new();
        for path in &self.given {
            let systems = self.paths.iter().filter(|(_, paths)| paths.contains(path));
            for (system, _) in systems {
                match runs.last_mut() {
                    Some((last, paths)) if last == system => paths.push(path.clone()),
                    _ => runs.push((*system, vec![path.clone()])),
                }
            }
        }
        runs
    }

    /// Whether a path is no folder: what is missing, and a pipe, are taken for files.
    pub fn is_file(&self, path: &Path) -> bool {
        match self.remote.get(path) {
            Some(lies) => !matches!(lies, Ok(Lies::Folder(_))),
            None => !path.is_dir(),
        }
    }

    /// What lies at an address, or why that can't be said.
    pub(crate) fn lies_at(&self, address: &Path) -> Option<&Result<Lies, Failure>> {
        self.remote.get(address)
    }

    /// Lends what was listed of addresses to who opens them.
    pub(crate) fn lend<R>(&self, paths: &[PathBuf], open: impl FnOnce() -> R) -> R {
        let listing = |path: &PathBuf| match self.remote.get(path)? {
            Ok(Lies::Folder(seen)) => Some(seen.listing.clone()),
            _ => None,
        };
        Listing::lend(paths.iter().filter_map(listing).collect(), open)
    }

    /// The entries that a folder of indexes was listed with: opening it needs no second listing.
    pub(crate) fn listed(&self, path: &Path) -> Option<&[NamedEntry]> {
        self.listed.get(path).map(Vec::as_slice)
    }
}
