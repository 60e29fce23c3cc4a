//! What a store's handles, transactions and threads share: the log, and the states.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use manicule_core::watch::Watch;
use manicule_store::SharedFiles;
use manicule_store::log::{AppendError, Log};
use manicule_store::publish::Lock;

use super::folder::{LOG_FOLDER, lock_merging};
use super::group::{Group, Stopped};
use super::open::{Written, log_head, version_with};
use super::options::{Merges, StoreOptions};
use super::publish::Place;
use super::record::put_commit;
use crate::base::LeafSizes;
use crate::dictionary::Piece;
use crate::error::GraphError;
use crate::overlay::Changes;
use crate::snapshot::State;

/// Bytes of a segment from which on the next commit begins a new one.
const SEGMENT_LEN: u64 = 64 << 20;

/// A store that is open for writing.
#[derive(Debug)]
pub(super) struct Shared {
    files: SharedFiles,
    folder: PathBuf,
    leaves: LeafSizes,
    merges: Merges,
    group: Group,
    log: Mutex<Written>,
    frozen: AtomicU64,
    /// Number of syncs that commits have waited for.
    sync_count: AtomicU64,
    /// Held by who merges.
    merging: Mutex<()>,
    /// The thread that merges in the background, and why the last one failed.
    worker: Mutex<Option<JoinHandle<()>>>,
    merge_error: Mutex<Option<GraphError>>,
    /// Whether nobody has the store any more.
    is_closing: AtomicBool,
    locks: Locks,
}

/// What other processes can't have meanwhile.
#[derive(Debug)]
pub(super) struct Locks {
    /// The right to merge; none of a handle that takes it for each merge.
    pub(super) merging: Option<Lock>,
    /// The right to write.
    pub(super) _lock: Lock,
}

/// The right to merge, for one merge.
#[derive(Debug)]
pub(super) struct Merging<'s> {
    _here: MutexGuard<'s, ()>,
    _lock: Option<Lock>,
}

impl Shared {
    pub(super) fn new(
        options: &StoreOptions,
        folder: PathBuf,
        state: Arc<State>,
        log: Written,
        locks: Locks,
    ) -> Self {
        let StoreOptions { files, leaves, merges, .. } = options.clone();
        let (group, log) = (Group::new(state), Mutex::new(log));
        let (merging, worker, merge_error) = (Mutex::default(), Mutex::default(), Mutex::default());
        Shared {
            files,
            merging,
            worker,
            merge_error,
            folder,
            leaves,
            merges,
            group,
            log,
            frozen: AtomicU64::new(0),
            sync_count: AtomicU64::new(0),
            is_closing: AtomicBool::new(false),
            locks,
        }
    }

    pub(super) fn files(&self) -> &SharedFiles {
        &self.files
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits for the right to merge; an error where another process has it, which may wait for this
    /// one's right to write.
    pub(super) fn merging(&self) -> Result<Merging<'_>, GraphError> {
        let here = self.merging.lock().expect("nobody panics with it");
        let lock = match self.locks.merging {
            Some(_) => None,
            None => Some(lock_merging(&self.folder, &self.files)?),
        };
        Ok(Merging { _here: here, _lock: lock })
    }

    /// Where generations are written.
    pub(super) fn place(&self) -> Place<'_> {
        Place { files: &self.files, folder: &self.folder, leaves: self.leaves }
    }

    /// Who merges.
    pub(super) fn merges(&self) -> Merges {
        self.merges
    }

    pub(super) fn group(&self) -> &Group {
        &self.group
    }

    /// Number of syncs that commits have waited for.
    pub(super) fn sync_count(&self) -> u64 {
        self.sync_count.load(SeqCst)
    }

    /// The last commit whose layers are to stay as they are.
    pub(super) fn frozen(&self) -> u64 {
        self.frozen.load(SeqCst)
    }

    /// Layers up to a commit are to stay as they are; 0: all may change.
    pub(super) fn set_frozen(&self, commit: u64) {
        self.frozen.store(commit, SeqCst);
    }

    /// Waits for the right to append, which [`Group::end_writing`] gives back.
    pub(super) fn begin_writing(&self) -> Result<Arc<State>, GraphError> {
        self.group.begin_writing().map_err(|stopped| self.stopped(stopped))
    }

    /// Has the next commit begin a new segment of the log, by who has the right to append.
    pub(super) fn roll_log(&self, commit: u64) -> Result<(), GraphError> {
        let mut written = self.written();
        // After a merge that failed it has been done.
        if commit <= written.log.segment().number {
            return Ok(());
        }
        let version = written.version;
        self.roll(&mut written, commit, version)
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.log.lock().expect("nobody panics with it")
    }

    /// Begins a segment of a version; in place of the present one, where that has no commit.
    fn roll(&self, written: &mut Written, commit: u64, version: u32) -> Result<(), GraphError> {
        let (file, head) = (written.log.segment().path, log_head(version));
        let rolled = if written.log.segment().number < commit {
            written.log.roll(commit, &head)
        } else {
            let logs = self.folder.join(LOG_FOLDER);
            Log::begin(&self.files, &logs, commit, &head).map(|log| written.log = log)
        };
        let rolled = rolled.map_err(|source| {
            // The sync of the old segment may be what failed.
            self.group.stop(source.to_string());
            GraphError::Io { file, source }
        });
        (written.synced, written.version) = (written.log.len(), version);
        rolled
    }

    /// Removes segments of the log whose commits a generation holds.
    pub(super) fn remove_log_before(&self, commit: u64) -> Result<(), GraphError> {
        self.written()
            .log
            .remove_before(commit)
            .map_err(|source| GraphError::Io { file: self.folder.clone(), source })
    }

    /// Does some work in a thread of its own, if no other work is being done so.
    pub(super) fn work(
        self: &Arc<Self>,
        work: impl FnOnce(&Shared, &Watch<'_>) -> Result<(), GraphError> + Send + 'static,
    ) {
        let mut worker = self.worker.lock().expect("nobody panics with it");
        if worker.as_ref().is_some_and(|worker| !worker.is_finished()) {
            return;
        }
        let shared = self.clone();
        *worker = Some(std::thread::spawn(move || {
            let (report, stop) = (|_| {}, || shared.is_closing.load(SeqCst));
            let error = work(&shared, &Watch::new(&report, &stop)).err();
            *shared.merge_error.lock().expect("nobody panics with it") = error;
        }));
    }

    /// Has a merge in the background end at once: what it was to merge is in the log.
    pub(super) fn close(&self) {
        self.is_closing.store(true, SeqCst);
        self.join_worker();
    }

    /// Waits for the end of a merge in the background.
    pub(super) fn join_worker(&self) {
        let worker = self.worker.lock().expect("nobody panics with it").take();
        // What it panicked of it has said.
        worker.map(JoinHandle::join);
    }

    /// Why the last merge in the background failed.
    pub(super) fn take_merge_error(&self) -> Option<GraphError> {
        self.merge_error.lock().expect("nobody panics with it").take()
    }

    pub(super) fn stopped(&self, Stopped(why): Stopped) -> GraphError {
        GraphError::WriterStopped { store: self.folder.clone(), why }
    }

    /// Appends a commit to the log. Its writer has the right to.
    pub(super) fn append(
        &self,
        commit: u64,
        next_blank: u64,
        terms: &Piece,
        changes: &Changes,
    ) -> Result<(), GraphError> {
        let mut written = self.written();
        let version = version_with(&terms.next());
        if written.log.len() >= SEGMENT_LEN || version > written.version {
            self.roll(&mut written, commit, version)?;
        }
        let mut bytes = Vec::new();
        put_commit(commit, next_blank, terms, changes, written.synced, &mut bytes);
        let file = written.log.segment().path;
        written.log.append(&bytes).map_err(|AppendError { source, is_clean }| {
            if !is_clean {
                self.group.stop(source.to_string());
            }
            GraphError::Io { file, source }
        })?;
        written.commit = commit;
        Ok(())
    }

    /// Waits until a commit that was appended is durable.
    pub(super) fn wait_until_durable(&self, commit: u64) -> Result<(), GraphError> {
        let sync = || {
            // Its file is asked for now: what was appended to one before has been synced.
            let (file, synced) = {
                let written = self.written();
                (written.log.file(), written.state())
            };
            self.sync_count.fetch_add(1, SeqCst);
            file.sync().map_err(|error| error.to_string())?;
            let mut written = self.written();
            if written.log.segment().number == synced.log {
                written.synced = synced.len;
            }
            // What is durable is so without it: an older one refutes less, and one that is half
            // written nothing.
            drop(written.synced_file.put(&synced));
            Ok(())
        };
        self.group.wait_until_durable(commit, sync).map_err(|stopped| self.stopped(stopped))
    }
}
