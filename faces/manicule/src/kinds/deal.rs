//! The paths of a search, dealt out by the systems whose engines search them.
//!
//! A folder may have several kinds. The files of its indexes, and those left by their writers, are
//! then left out as text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use manicule_code::tree::LeftOut;
use manicule_store::NamedEntry;

use super::folder::{Folder, owns};
use super::kind::Kind;
use super::system::System;
use super::table::searched_file;

/// The paths of a search, by how they are searched. Each was looked at once.
#[derive(Debug, Default)]
pub struct Deal {
    /// The paths by the system whose engine searches them, in the order given. Those of trees are
    /// searched as text. A folder occurs once for each system of which it holds something.
    pub paths: BTreeMap<System, Vec<PathBuf>>,
    /// All of them, in the order given.
    pub given: Vec<PathBuf>,
    proven: HashMap<PathBuf, Vec<Kind>>,
    /// Listings of the folders that hold indexes, reduced to the entries that some system takes.
    listed: HashMap<PathBuf, Vec<NamedEntry>>,
}

impl Deal {
    /// All paths as text, whatever they are.
    pub fn of_text(paths: Vec<PathBuf>) -> Self {
        let given = paths.clone();
        Deal { paths: BTreeMap::from([(System::Tree, paths)]), given, ..Deal::default() }
    }

    /// Deals paths out. Paths that can't be looked at are among the trees, for the search to
    /// report. With `with_hidden`, names that begin with a dot are text that is searched.
    pub fn of(paths: Vec<PathBuf>, with_hidden: bool) -> Self {
        let mut deal = Deal { given: paths.clone(), ..Deal::default() };
        for path in paths {
            // Standard input has no kind.
            let is_folder = path != Path::new("-") && path.is_dir();
            match is_folder.then(|| Folder::read(&path)) {
                Some(Ok(folder)) => deal.folder(path, &folder, with_hidden),
                Some(Err(_)) => deal.add(System::Tree, path),
                None => deal.file(path),
            }
        }
        deal
    }

    /// The paths that are searched as text.
    pub fn trees(&self) -> &[PathBuf] {
        self.paths.get(&System::Tree).map_or(&[], Vec::as_slice)
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

    /// The entries that a folder of indexes was listed with: opening it needs no second listing.
    pub(crate) fn listed(&self, path: &Path) -> Option<&[NamedEntry]> {
        self.listed.get(path).map(Vec::as_slice)
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
            self.add(System::Tree, path);
        }
    }

    fn file(&mut self, path: PathBuf) {
        self.add(searched_file(&path).map_or(System::Tree, Kind::system), path);
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
