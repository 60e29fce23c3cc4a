//! A merge beside the processes that write: each of them makes a commit and ends, and would throw a
//! merge of its own away.
//!
//! The right to write is taken twice, for a moment: to begin a new segment of the log, before which
//! everything is merged, and to name the new generation. In between others commit. Who merges, or
//! removes files that no manifest names, has the right to merge.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use manicule_core::watch::Watch;
use manicule_store::log::remove_segments_before;
use manicule_store::publish::Lock;
use manicule_store::store::{Fetched, LocalStore};

use super::folder::{LOG_FOLDER, lock, lock_merging, look_for, settled};
use super::merge::{is_due_beside, write};
use super::open::{WhenLost, log_head, open_log};
use super::options::StoreOptions;
use super::publish::{NewGeneration, Place, current, is_current, sweep_others};
use super::read::read;
use super::replay::replay;
use crate::error::GraphError;
use crate::snapshot::State;

/// When commits are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergedWhen {
    /// There is one.
    Any,
    /// They are enough to make opening the store slow; and again, if they are so afterwards.
    Due,
}

/// How a merge beside writers goes.
pub struct Beside<'m> {
    /// When commits are merged.
    pub when: MergedWhen,
    /// Whether to retry a lock that another process holds, given the error and the number of tries.
    /// It may sleep.
    pub again: &'m dyn Fn(&GraphError, u32) -> bool,
    /// Called first in the thread that makes the files, which keeps nobody waiting and may stand
    /// back.
    pub stand_back: &'m (dyn Fn() + Sync),
}

/// Merges what has been committed. Returns the number of merges.
///
/// # Errors
/// [`GraphError::Merging`] where somebody else merges, and [`GraphError::Busy`] where somebody
/// writes for longer than was waited.
pub fn merge_beside(
    folder: &Path,
    options: &StoreOptions,
    how: &Beside<'_>,
    watch: &Watch<'_>,
) -> Result<u64, GraphError> {
    look_for(folder)?;
    let at = At { folder, options, how, watch };
    let mut count = 0;
    loop {
        let merging = at.taken(|| lock_merging(folder, &options.files))?;
        while let Some(state) = at.wanted(count)? {
            at.merge(state)?;
            count += 1;
        }
        if count == 0 {
            // One that was killed when it had published may have left what it was to remove.
            at.sweep()?;
        }
        // Who commits now and finds somebody at it starts nobody: it is looked at once more by who
        // doesn't have the right any more.
        drop(merging);
        if at.wanted(count)?.is_none() {
            return Ok(count);
        }
    }
}

/// A merge, and where.
struct At<'m> {
    folder: &'m Path,
    options: &'m StoreOptions,
    how: &'m Beside<'m>,
    watch: &'m Watch<'m>,
}

impl At<'_> {
    /// The store as it is, if there is something to merge after some merges.
    fn wanted(&self, count: u64) -> Result<Option<State>, GraphError> {
        if self.how.when == MergedWhen::Any && count > 0 {
            return Ok(None);
        }
        let (state, replayed) = {
            let files = Fetched::local(self.folder);
            settled(&files, |current| read(&files, current, self.options.random))?
        };
        replayed.whole()?;
        let is_wanted = match self.how.when {
            MergedWhen::Any => !state.layers.is_empty(),
            MergedWhen::Due => is_due_beside(&state),
        };
        Ok(is_wanted.then_some(state))
    }

    /// Takes what others may have.
    fn taken(&self, take: impl Fn() -> Result<Lock, GraphError>) -> Result<Lock, GraphError> {
        let mut tries = 0;
        loop {
            tries += 1;
            self.watch.check()?;
            match take() {
                Err(ref error @ (GraphError::Busy { .. } | GraphError::Merging { .. }))
                    if (self.how.again)(error, tries) => {}
                taken => return taken,
            }
        }
    }

    /// Takes the right to write.
    fn locked(&self) -> Result<Lock, GraphError> {
        self.taken(|| lock(self.folder, &self.options.files))
    }

    /// Merges all commits, by who has the right to merge.
    fn merge(&self, state: State) -> Result<(), GraphError> {
        let head = self.frozen(state)?;
        let published = self.written(&head).and_then(|new| self.publish(new, &head));
        match published {
            Ok(()) => self.sweep(),
            Err(error) => {
                // Where CURRENT names the new one already, and may after a power cut name the old
                // one, the next to open the store looks.
                let before = head.base.manifest();
                if is_current(self.folder, before.generation) {
                    // The error before it is the one that matters.
                    drop(sweep_others(&self.options.files, self.folder, before));
                }
                Err(error)
            }
        }
    }

    /// The state with all commits, after which the log has a new segment.
    fn frozen(&self, mut state: State) -> Result<Arc<State>, GraphError> {
        let logs = self.folder.join(LOG_FOLDER);
        let _lock = self.locked()?;
        let replayed = replay(&Fetched::local(self.folder), &mut state)?;
        let files = &self.options.files;
        let (mut written, _) = open_log(files, self.folder, &state, replayed, WhenLost::Refuse)?;
        let next = state.commit + 1;
        // After a merge that failed it has been done.
        if written.log.segment().number < next {
            let rolled = written.log.roll(next, &log_head(written.version));
            rolled.map_err(|source| GraphError::Io { file: logs, source })?;
        }
        Ok(Arc::new(state))
    }

    /// The files of a new generation, and its manifest.
    fn written(&self, head: &State) -> Result<NewGeneration, GraphError> {
        let StoreOptions { files, leaves, .. } = self.options;
        let place = Place { files, folder: self.folder, leaves: *leaves };
        let (stand_back, watch) = (self.how.stand_back, self.watch);
        let write = || {
            stand_back();
            let mut new = write(place, head, watch)?;
            new.put_manifest()?;
            Ok(new)
        };
        thread::scope(|scope| scope.spawn(write).join()).expect("it doesn't panic")
    }

    /// Makes a generation, whose manifest is put, the current one.
    fn publish(&self, new: NewGeneration, head: &State) -> Result<(), GraphError> {
        let _lock = self.locked()?;
        let now = current(&LocalStore::at(self.folder))?.map(|manifest| manifest.generation);
        // Nobody else publishes meanwhile; but somebody may have put another store here.
        if now != Some(head.base.manifest().generation) {
            return Err(GraphError::Busy { store: self.folder.to_owned() });
        }
        new.make_current()
    }

    /// Removes what the current generation doesn't need.
    fn sweep(&self) -> Result<(), GraphError> {
        let (folder, files) = (self.folder, &self.options.files);
        // Where nothing is published yet, somebody may be filling the store, with files that no
        // manifest names.
        let Some(manifest) =
            current(&LocalStore::at(folder))?.filter(|manifest| manifest.commit > 0)
        else {
            return Ok(());
        };
        let logs = folder.join(LOG_FOLDER);
        remove_segments_before(files, &logs, manifest.log)
            .map_err(|source| GraphError::Io { file: logs, source })?;
        sweep_others(files, folder, &manifest)
    }
}
