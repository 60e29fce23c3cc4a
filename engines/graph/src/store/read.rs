//! A store read beside the process that may be writing it: as it is now, and as it was under a
//! name.

use std::path::Path;
use std::sync::Arc;

use manicule_core::sorted::HashKeys;
use manicule_format_leaf::manifest::Manifest;
use manicule_store::store::{Fetched, Name};

use super::folder::{look_for, missing, settled};
use super::pins::named;
use super::publish::manifest_of;
use super::replay::{Replayed, replay};
use crate::error::GraphError;
use crate::snapshot::generation::Generation;
use crate::snapshot::{Snapshot, State};

/// Opens a local store for reading, beside the process that may be writing it: all commits that are
/// in its log now.
pub fn read_store(folder: &Path, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    read_store_in(&Fetched::local(folder), random)
}

/// As [`read_store`], wherever its files are.
pub fn read_store_in(files: &Fetched, random: u64) -> Result<Snapshot, GraphError> {
    let read = |current: Option<&str>| {
        let (state, replayed) = read(files, current, random)?;
        replayed.whole().map(|_| state)
    };
    settled(files, read).map(|state| Snapshot::new(Arc::new(state)))
}

/// The local store as it is now, for who has read it before: files that are still the same stay
/// mapped, and of the log only commits that are new become layers.
pub fn read_store_again(folder: &Path, before: &Snapshot) -> Result<Snapshot, GraphError> {
    read_store_again_in(&Fetched::local(folder), before)
}

/// As [`read_store_again`], wherever its files are.
pub fn read_store_again_in(files: &Fetched, before: &Snapshot) -> Result<Snapshot, GraphError> {
    let before = before.state();
    let read = |current: Option<&str>| {
        let manifest = manifest(files, current)?;
        let mut state = if manifest.generation == before.base.manifest().generation {
            State::clone(before)
        } else {
            let generation = Generation::open(files, manifest, Some(&before.base))?;
            State::of(Arc::new(generation), before.keys)
        };
        replay(files, &mut state)?.whole()?;
        Ok(state)
    };
    settled(files, read).map(|state| Snapshot::new(Arc::new(state)))
}

/// Opens a local store as it was when a snapshot was named.
pub fn read_snapshot(folder: &Path, name: &str, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    read_snapshot_in(&Fetched::local(folder), name, random)
}

/// As [`read_snapshot`], wherever its files are.
pub fn read_snapshot_in(files: &Fetched, name: &str, random: u64) -> Result<Snapshot, GraphError> {
    let generation = Arc::new(Generation::open(files, named(files.store(), name)?, None)?);
    Ok(Snapshot::new(Arc::new(State::of(generation, HashKeys::new(random)))))
}

/// The generation that CURRENT names with the commits after it.
pub(super) fn read(
    files: &Fetched,
    current: Option<&str>,
    random: u64,
) -> Result<(State, Replayed), GraphError> {
    let generation = Arc::new(Generation::open(files, manifest(files, current)?, None)?);
    let mut state = State::of(generation, HashKeys::new(random));
    let replayed = replay(files, &mut state)?;
    Ok((state, replayed))
}

/// The manifest that CURRENT names.
pub(super) fn manifest(files: &Fetched, current: Option<&str>) -> Result<Manifest, GraphError> {
    match current {
        Some(current) => manifest_of(files.store(), current),
        None => Err(missing(&files.store().show(&Name::root()))),
    }
}
