//! The paths of a search, dealt out: what is searched as text, as shards, as blocks.
//!
//! A folder may be all three. What its shards and blocks are made of, and what their writers have left, is then left out
//! as text.
//!
//! Callers: faces

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use manicule_code::tree::LeftOut;

use super::folder::{Folder, Holds};
use super::{Kind, searched_file};

/// The paths of a search, by how they are searched. Each was looked at once.
#[derive(Debug, Default)]
pub struct Deal {
    /// Searched as text.
    pub trees: Vec<PathBuf>,
    /// Shards, and folders that hold shards.
    pub shards: Vec<PathBuf>,
    /// Prometheus blocks, indexes, and folders that hold blocks.
    pub blocks: Vec<PathBuf>,
    /// Those of systems that can't be read yet: their files are searched as text, which they are hardly.
    pub unread: Vec<(PathBuf, Kind)>,
    holds: HashMap<PathBuf, Holds>,
}

impl Deal {
    /// Nothing but text, whatever the paths are.
    pub fn of_text(paths: Vec<PathBuf>) -> Self {
        Deal { trees: paths, ..Deal::default() }
    }

    /// Deals paths out. What can't be looked at is the search's to complain about: it is among the trees. With
    /// `with_hidden`, names that begin with a dot are text that is searched.
    pub fn of(paths: Vec<PathBuf>, with_hidden: bool) -> Self {
        let mut deal = Deal::default();
        for path in paths {
            // Standard input is what it is.
            let is_folder = path != Path::new("-") && path.is_dir();
            match is_folder.then(|| Folder::read(&path)) {
                Some(Ok(folder)) => deal.folder(path, &folder, with_hidden),
                Some(Err(_)) => deal.trees.push(path),
                None => deal.file(path),
            }
        }
        deal
    }

    fn folder(&mut self, path: PathBuf, folder: &Folder, with_hidden: bool) {
        let holds = folder.holds();
        self.holds.insert(path.clone(), holds);
        if holds.shards {
            self.shards.push(path.clone());
        }
        if holds.block || holds.blocks {
            self.blocks.push(path.clone());
        }
        if let Some(kind) = folder.unread() {
            self.unread.push((path.clone(), kind));
        }
        if !holds.any() || folder.has_text(with_hidden) {
            self.trees.push(path);
        }
    }

    fn file(&mut self, path: PathBuf) {
        let list = match searched_file(&path) {
            Some(Kind::ZoektShard) => &mut self.shards,
            Some(Kind::PrometheusIndex) => &mut self.blocks,
            _ => &mut self.trees,
        };
        list.push(path);
    }

    /// Entries that the walks of the trees leave out. `None` where no folder was given.
    pub fn left_out(&self) -> Option<LeftOut> {
        if self.holds.is_empty() {
            return None;
        }
        let holds = self.holds.clone();
        let is_known = holds.values().any(|holds| holds.any());
        let owns = move |path: &Path| {
            let (folder, name) = (path.parent()?, path.file_name()?);
            Some(holds.get(folder)?.owns(folder, name))
        };
        Some(LeftOut::new(is_known, move |path| owns(path).unwrap_or(false)))
    }
}
