//! The store of a folder.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use manicule_core::watch::Watch;
use manicule_graph::{
    GraphError, LeafSizes, Merges, Store, StoreOptions, Vacant, WhenLost, is_merging,
};
use manicule_store::store::Fetched;
use manicule_store::{Disk, Unsynced};

use super::error::Error;
use crate::place::{fetched, local, remote};

/// How a store is opened for writing.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// How long another process that writes is waited for.
    pub wait: Duration,
    /// What becomes of commits that a damaged log has lost.
    pub lost: WhenLost,
    /// Who merges what is committed.
    pub merges: Merges,
    /// Whether what is written outlives the machine's going off.
    pub syncs: Syncs,
}

/// Whether what is written outlives the machine's going off. It outlives its process in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syncs {
    /// It does: who commits waits for the disk.
    All,
    /// It needn't: for a store that nobody wants after the process.
    None,
}

impl Writing {
    /// A moment's wait, as another commit takes; nothing is given up, and merges are made here.
    pub const PLAIN: Writing = Writing {
        wait: Duration::from_secs(1),
        lost: WhenLost::Refuse,
        merges: Merges::Here,
        syncs: Syncs::All,
    };
}

/// How often somebody who waits for a store looks again.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// The files of a store at an address; `None` of a local one.
pub(super) fn files_of(path: &Path) -> Result<Option<Fetched>, GraphError> {
    let Some(remote) = remote(path)? else { return Ok(None) };
    Ok(Some(fetched(remote.folder())?))
}

/// The store for writing.
pub(super) fn open_to_write(
    folder: &Path,
    writing: Writing,
    watch: &Watch<'_>,
) -> Result<Store, Error> {
    local(folder).map_err(GraphError::from)?;
    let options = options(writing)?;
    let started = Instant::now();
    loop {
        match Store::open(folder, &options) {
            Err(GraphError::Busy { .. }) if started.elapsed() < wait_of(folder, writing) => {}
            // It has an end, and nobody has asked for it.
            Err(GraphError::Merging { .. }) => {}
            opened => return Ok(opened?),
        }
        watch.check()?;
        sleep(LOOK_AGAIN);
    }
}

/// How long to wait for who writes: for who merges, at least the moment for which it has the store.
fn wait_of(folder: &Path, writing: Writing) -> Duration {
    const MOMENT: Duration = Duration::from_secs(1);
    if is_merging(folder) { writing.wait.max(MOMENT) } else { writing.wait }
}

/// The store for writing; where nothing is, or an empty folder, an empty one is made, and the place
/// is returned as it was before.
pub(super) fn open_or_create<'f>(
    folder: &'f Path,
    writing: Writing,
    watch: &Watch<'_>,
) -> Result<(Store, Option<Vacant<'f>>), Error> {
    match open_to_write(folder, writing, watch) {
        Err(Error::Store(GraphError::Missing { place, .. })) => {
            if let Some(vacant) = Vacant::of(folder) {
                return Ok((Store::create(folder, &options(writing)?)?, Some(vacant)));
            }
            let why = if folder.is_dir() {
                "the folder holds other files, and no graph store; name a new or empty one"
            } else {
                "this is no folder, which a store is"
            };
            Err(GraphError::Missing { place, why: why.to_owned() }.into())
        }
        opened => Ok((opened?, None)),
    }
}

pub(super) fn options(writing: Writing) -> Result<StoreOptions, Error> {
    let Writing { lost, merges, syncs, .. } = writing;
    let files = match syncs {
        Syncs::All => Disk::shared(),
        Syncs::None => Unsynced::shared(),
    };
    let random = random()?;
    Ok(StoreOptions { files, random, leaves: LeafSizes::STANDARD, lost, merges })
}

/// A name that nobody has: 32 random digits of base 16.
pub fn new_name() -> Result<String, Error> {
    Ok(format!("{:016x}{:016x}", random()?, random()?))
}

/// A random number that nobody else knows.
pub(super) fn random() -> Result<u64, Error> {
    manicule_store::random().map(u64::from_ne_bytes).map_err(Error::Random)
}
