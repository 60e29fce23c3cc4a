//! A store read beside the process that may be writing it: as it is now, and as it was under a
//! name.

use std::path::Path;
use std::sync::Arc;

use manicule_core::sorted::HashKeys;

use super::folder::{LOG_FOLDER, look_for, missing, settled};
use super::pins::named;
use super::publish::current;
use super::replay::{Replayed, replay};
use crate::error::GraphError;
use crate::snapshot::generation::Generation;
use crate::snapshot::{Snapshot, State};

/// Opens a store for reading, beside the process that may be writing it: all commits that are in
/// its log now.
pub fn read_store(folder: &Path, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    settled(folder, || read_whole(folder, random)).map(|state| Snapshot::new(Arc::new(state)))
}

/// The current generation with the commits after it; an error where some of them are lost.
fn read_whole(folder: &Path, random: u64) -> Result<State, GraphError> {
    let (state, replayed) = read(folder, random)?;
    replayed.whole().map(|_| state)
}

/// The store as it is now, for who has read it before: files that are still the same stay mapped,
/// and of the log only commits that are new become layers.
pub fn read_store_again(folder: &Path, before: &Snapshot) -> Result<Snapshot, GraphError> {
    let before = before.state();
    let read = || {
        let manifest = current(folder)?.ok_or_else(|| missing(folder))?;
        let mut state = if manifest.generation == before.base.manifest().generation {
            State::clone(before)
        } else {
            let generation = Generation::open(folder, manifest, Some(&before.base))?;
            State::of(Arc::new(generation), before.keys)
        };
        replay(&folder.join(LOG_FOLDER), &mut state)?.whole()?;
        Ok(state)
    };
    settled(folder, read).map(|state| Snapshot::new(Arc::new(state)))
}

/// Opens a store as it was when a snapshot was named.
pub fn read_snapshot(folder: &Path, name: &str, random: u64) -> Result<Snapshot, GraphError> {
    look_for(folder)?;
    let generation = Arc::new(Generation::open(folder, named(folder, name)?, None)?);
    Ok(Snapshot::new(Arc::new(State::of(generation, HashKeys::new(random)))))
}

/// The current generation with the commits after it.
pub(super) fn read(folder: &Path, random: u64) -> Result<(State, Replayed), GraphError> {
    let manifest = current(folder)?.ok_or_else(|| missing(folder))?;
    let generation = Arc::new(Generation::open(folder, manifest, None)?);
    let mut state = State::of(generation, HashKeys::new(random));
    let replayed = replay(&folder.join(LOG_FOLDER), &mut state)?;
    Ok((state, replayed))
}
