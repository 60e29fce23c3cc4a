//! The paths of a search, dealt out to the systems whose engines search them.
//!
//! A folder may have several kinds. The files of its indexes, and those left by their writers, are
//! then left out as text.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_code::tree::LeftOut;
use manicule_store::{NamedEntry, threads};

use super::address::Lies;
use super::deal::Deal;
use super::folder::{Folder, owns};
use super::kind::Kind;
use super::recognised::lies_at;
use super::system::System;
use super::systems::{searched_file, systems};
use crate::failure::Failure;
use crate::place::is_address;

/// Addresses that are looked at side by side.
const SIDE_BY_SIDE: usize = 16;

impl Deal {
    /// Deals paths out. Paths that can't be looked at are among the trees, for the search to
    /// report. With `with_hidden`, names that begin with a dot are text that is searched.
    pub fn of(paths: Vec<PathBuf>, with_hidden: bool) -> Self {
        let mut deal = Deal { given: paths.clone(), ..Deal::default() };
        deal.look_at_addresses();
        for path in paths {
            if deal.remote.contains_key(&path) {
                deal.address(path, with_hidden);
                continue;
            }
            // Standard input has no kind.
            let is_folder = path != Path::new("-") && path.is_dir();
            match is_folder.then(|| Folder::read(&path)) {
                Some(Ok(folder)) => deal.folder(path, &folder, with_hidden),
                Some(Err(_)) => deal.add(System::TREE, path),
                None => deal.file(path),
            }
        }
        deal
    }

    /// Looks at those that are addresses, side by side.
    fn look_at_addresses(&mut self) {
        let addresses: Vec<&PathBuf> = self.given.iter().filter(|path| is_address(path)).collect();
        if addresses.is_empty() {
            return;
        }
        let lies = threads::map(addresses.len().min(SIDE_BY_SIDE), addresses.len(), |at| {
            lies_at(addresses[at]).map_err(|error| Failure::new(error.class(), error))
        });
        self.remote = addresses.into_iter().cloned().zip(lies).collect();
    }

    fn address(&mut self, path: PathBuf, with_hidden: bool) {
        let (systems, has_text) = match &self.remote[&path] {
            Ok(Lies::Folder(seen)) => {
                let is_shown = |name: &str| with_hidden || !name.starts_with('.');
                let systems: BTreeSet<System> = seen.searched().map(Kind::system).collect();
                let has_text = seen.others().any(|entry| is_shown(&entry.name));
                (systems, has_text)
            }
            Ok(Lies::File(kind)) => {
                let name = path.file_name().unwrap_or_default().as_bytes();
                let by_name = systems().iter().any(|row| {
                    let searched = row.signs.searched_file(&path, name);
                    row.system == kind.system() && searched.is_some()
                });
                let is_searched = !kind.system().is_text() && by_name;
                (is_searched.then_some(kind.system()).into_iter().collect(), false)
            }
            Err(_) => (BTreeSet::new(), true),
        };
        if systems.is_empty() || has_text {
            self.add(System::TREE, path.clone());
        }
        systems.into_iter().for_each(|system| self.add(system, path.clone()));
    }

    fn add(&mut self, system: System, path: PathBuf) {
        self.paths.entry(system).or_default().push(path);
    }

    fn folder(&mut self, path: PathBuf, folder: &Folder, with_hidden: bool) {
        // A block may hold blocks: a path comes once to a system.
        let systems: BTreeSet<System> = folder.proven.iter().map(|kind| kind.system()).collect();
        let indexes = systems.iter().copied().filter(|system| !system.is_text());
        for system in indexes.clone() {
            self.add(system, path.clone());
            self.listed.entry(path.clone()).or_insert_with(|| folder.taken().to_vec());
        }
        self.proven.insert(path.clone(), folder.proven.clone());
        if indexes.count() == 0 || folder.has_text(with_hidden) {
            self.add(System::TREE, path);
        }
    }

    fn file(&mut self, path: PathBuf) {
        let system = searched_file(&path).map(Kind::system).filter(|system| !system.is_text());
        self.add(system.unwrap_or(System::TREE), path);
    }

    /// Entries that the walks of the trees leave out. `None` where no folder was given.
    pub fn left_out(&self) -> Option<LeftOut> {
        if self.proven.is_empty() {
            return None;
        }
        let proven = self.proven.clone();
        let is_known = proven.values().flatten().any(|kind| !kind.system().is_text());
        let is_owned = move |path: &Path| {
            let (folder, name) = (path.parent()?, path.file_name()?);
            Some(owns(folder, &NamedEntry::of(name.to_owned()), proven.get(folder)?))
        };
        Some(LeftOut::new(is_known, move |path| is_owned(path).unwrap_or(false)))
    }
}
