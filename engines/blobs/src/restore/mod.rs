//! A snapshot's files and folders, put into a local folder.
//!
//! A file is written beside its place, blob after blob, each compared with its id, and gets its
//! name when it is whole: one that lacks a blob is named, and not put. Nothing leaves the target
//! folder, whatever names a tree has, and no link in it is followed.

mod compare;
mod delete;
mod failure;
mod file;
mod job;
mod leaf;
mod level;
mod meta;
mod options;
mod walk;

use std::path::Path;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{Id, OwnedNode};

use crate::index::Index;
use crate::repository::Repository;
use job::Restore;
use level::Level;

pub use failure::Fault;
pub use options::{Overwrite, RestoreError, RestoreEvent, RestoreOptions, RestoreSums, Selection};

/// Restores what a tree holds into a folder, which is made where it is missing. `report` receives
/// each path that could not be restored as it was, and why, and each that is removed.
pub fn restore_tree(
    repository: &Repository,
    index: &Index,
    tree: Id,
    target: &Path,
    options: &RestoreOptions,
    watch: &Watch<'_>,
    report: &mut dyn FnMut(RestoreEvent<'_>),
) -> Result<RestoreSums, RestoreError> {
    let mut restore = Restore::new(repository, index, target, options, watch, report)?;
    let start = restore.start();
    restore.enter(tree, None, Vec::new(), start);
    run(&mut restore, watch)?;
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
    report: &mut dyn FnMut(RestoreEvent<'_>),
) -> Result<RestoreSums, RestoreError> {
    let mut restore = Restore::new(repository, index, target, options, watch, report)?;
    let start = restore.start();
    // What else is in the target was beside the node, or not: its folder isn't read.
    restore.levels.push(Level::of(vec![node], None, Vec::new(), start, false));
    run(&mut restore, watch)?;
    Ok(restore.sums)
}

fn run(restore: &mut Restore<'_>, watch: &Watch<'_>) -> Result<(), RestoreError> {
    let meter = watch.endless(Phase::Writing, Unit::Files);
    while let Some(level) = restore.levels.last_mut() {
        meter.step(1)?;
        match level.nodes.next() {
            Some(node) => restore.node(node)?,
            None => restore.leave(),
        }
    }
    meter.end();
    Ok(())
}
