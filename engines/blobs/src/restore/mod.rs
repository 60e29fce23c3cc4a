//! A snapshot's files and folders, put into a local folder.
//!
//! A file is written beside its place, blob after blob, each compared with its id, and gets its name when it is whole: one that lacks a blob is named,
//! and not put. Nothing leaves the target folder, whatever names a tree has, and no link in it is followed.
//!
//! Callers: faces/manicule

mod file;
mod meta;
mod walk;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{Id, OwnedNode};

use crate::content::ContentReader;
use crate::error::RepoError;
use crate::find::{Patterns, State};
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;
use crate::storage::{InsideFolder, InsideNode};
use meta::meta_of;
use walk::Level;

/// When a file that is there already is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Whatever it is.
    Always,
    /// If its size or the time of its last change differs.
    IfChanged,
    /// If the snapshot's was changed later.
    IfNewer,
    /// It stays.
    Never,
}

/// What is restored of a tree.
#[derive(Clone, Debug)]
pub enum Selection {
    /// All.
    All,
    /// What matches.
    Only(Patterns),
    /// What doesn't match.
    Without(Patterns),
}

/// How a tree is restored.
#[derive(Clone, Debug)]
pub struct RestoreOptions {
    /// What of it.
    pub selection: Selection,
    /// What happens to files that are there already.
    pub overwrite: Overwrite,
    /// Whether blobs of zeros become holes.
    pub is_sparse: bool,
    /// Whether it is only counted what would be restored.
    pub is_dry: bool,
}

manicule_core::counts! {
    /// What was restored.
    pub struct RestoreSums {
        /// Files, folders and others that were chosen.
        nodes,
        /// Those that were restored.
        restored,
        /// Files that stay as they were.
        skipped,
        /// Bytes of all files, hard links once.
        bytes,
        /// Those that were written.
        bytes_written,
        /// Bytes of files that stay as they were.
        bytes_skipped,
        /// Files, folders and others that could not be restored, or not as they were.
        failures,
    }
}

/// Why a restoration ends early.
#[derive(Debug)]
pub enum RestoreError {
    /// The repository, or the watch of the call.
    Repo(RepoError),
    /// The target folder can't be made or opened.
    Target {
        /// Its path.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
}

impl<E: Into<RepoError>> From<E> for RestoreError {
    fn from(error: E) -> Self {
        RestoreError::Repo(error.into())
    }
}

/// Restores what a tree holds into a folder, which is made where it is missing. `failed` receives each path that could not be restored as it was, and
/// why.
pub fn restore_tree(
    repository: &Repository,
    index: &Index,
    tree: Id,
    target: &Path,
    options: &RestoreOptions,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(&[u8], &str),
) -> Result<RestoreSums, RestoreError> {
    let mut restore = Restore::new(repository, index, target, options, watch, failed)?;
    let start = restore.start();
    restore.enter(tree, None, Vec::new(), start);
    restore.run(watch)?;
    Ok(restore.sums)
}

/// Restores one node into a folder, under its own name.
pub fn restore_node(
    repository: &Repository,
    index: &Index,
    node: OwnedNode,
    target: &Path,
    options: &RestoreOptions,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(&[u8], &str),
) -> Result<RestoreSums, RestoreError> {
    let mut restore = Restore::new(repository, index, target, options, watch, failed)?;
    let start = restore.start();
    restore.levels.push(Level::of(vec![node], None, Vec::new(), start));
    restore.run(watch)?;
    Ok(restore.sums)
}

/// A file that was put, for its further names: the names of its folder below the target, and its own.
type Put = (Vec<Vec<u8>>, Vec<u8>);

struct Restore<'r> {
    trees: BlobReader<'r>,
    contents: ContentReader<'r>,
    options: &'r RestoreOptions,
    /// `None` where nothing is written.
    target: Option<InsideFolder>,
    levels: Vec<Level>,
    /// By inode and device.
    put: HashMap<(u64, u64), Put>,
    /// Those that were met, put or not.
    links_met: HashSet<(u64, u64)>,
    file_count: u64,
    sums: RestoreSums,
    failed: &'r mut dyn FnMut(&[u8], &str),
}

impl<'r> Restore<'r> {
    fn new(
        repository: &'r Repository,
        index: &'r Index,
        target: &Path,
        options: &'r RestoreOptions,
        watch: &'r Watch<'r>,
        failed: &'r mut dyn FnMut(&[u8], &str),
    ) -> Result<Self, RestoreError> {
        let wrong = |source| RestoreError::Target { path: target.to_owned(), source };
        let opened = (!options.is_dry).then(|| InsideFolder::create(target, 0o700));
        Ok(Restore {
            trees: BlobReader::new(repository, index),
            contents: ContentReader::new(repository, index, watch),
            options,
            target: opened.transpose().map_err(wrong)?,
            levels: Vec::new(),
            put: HashMap::new(),
            links_met: HashSet::new(),
            file_count: 0,
            sums: RestoreSums::default(),
            failed,
        })
    }

    fn start(&self) -> State {
        match &self.options.selection {
            Selection::All => State(0),
            Selection::Only(patterns) | Selection::Without(patterns) => patterns.start(),
        }
    }

    fn run(&mut self, watch: &Watch<'_>) -> Result<(), RestoreError> {
        let meter = watch.endless(Phase::Writing, Unit::Files);
        while let Some(level) = self.levels.last_mut() {
            meter.step(1)?;
            match level.nodes.next() {
                Some(node) => self.node(node)?,
                None => self.leave(),
            }
        }
        meter.end();
        Ok(())
    }

    fn fail(&mut self, path: &[u8], why: &str) {
        self.sums.failures += 1;
        (self.failed)(path, why);
    }

    /// Puts what is no folder.
    fn leaf(&mut self, node: &OwnedNode, path: &[u8]) -> Result<(), RestoreError> {
        self.sums.nodes += 1;
        let key = (node.inode, node.device_id);
        let is_link = node.kind == "file" && node.links > 1;
        let is_further_link = is_link && !self.links_met.insert(key);
        if node.kind == "file" && !is_further_link {
            self.sums.bytes += node.size;
        }
        if self.options.is_dry {
            self.sums.restored += 1;
            self.sums.bytes_written += if is_further_link { 0 } else { node.size };
            return Ok(());
        }
        let done = match self.open_folders() {
            Err(error) => Err(error.to_string()),
            Ok(()) => match node.kind.as_str() {
                "file" if is_further_link => self.further_link(node, key),
                "file" => self.file(node, is_link.then_some(key))?,
                _ => self.other(node),
            },
        };
        match done {
            Ok(()) => self.sums.restored += 1,
            Err(why) => self.fail(path, &why),
        }
        Ok(())
    }

    fn further_link(&mut self, node: &OwnedNode, key: (u64, u64)) -> Result<(), String> {
        let Some((names, name)) = self.put.get(&key) else {
            return Err("the file that it is another name of could not be restored".to_owned());
        };
        let (Some(target), Some(folder)) = (&self.target, self.folder()) else { return Ok(()) };
        let linked = target.below(names).and_then(|of| folder.link(&node.name, &of, name));
        linked.map_err(|error| error.to_string())
    }

    fn other(&mut self, node: &OwnedNode) -> Result<(), String> {
        let (meta, device) = (meta_of(node), node.device);
        let Some(folder) = self.folder() else { return Ok(()) };
        let put = match node.kind.as_str() {
            "symlink" => folder.symlink(&node.name, &node.link_target, &meta),
            "fifo" => folder.node(&node.name, InsideNode::Fifo, &meta),
            "dev" => folder.node(&node.name, InsideNode::Blocks(device), &meta),
            "chardev" => folder.node(&node.name, InsideNode::Characters(device), &meta),
            kind => return Err(format!("a {kind:?} can't be restored")),
        };
        put.map_err(|error| error.to_string())
    }
}
