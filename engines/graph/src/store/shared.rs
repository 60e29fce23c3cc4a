//! What a store's handles, transactions and threads share: the log, and the states.
//!
//! Callers: store, store/transaction

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use manicule_core::watch::Watch;
use manicule_format_leaf::log::put_log_head;
use manicule_store::SharedFiles;
use manicule_store::log::{AppendError, Log};
use manicule_store::publish::Lock;

use super::group::{Group, Stopped};
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
    group: Group,
    log: Mutex<Log>,
    frozen: AtomicU64,
    /// Bytes of the newest segment that are on the disk for certain.
    synced: AtomicU64,
    /// Held by who merges.
    merging: Mutex<()>,
    /// The thread that merges in the background, and why the last one failed.
    worker: Mutex<Option<JoinHandle<()>>>,
    merge_error: Mutex<Option<GraphError>>,
    /// Whether nobody has the store any more.
    is_closing: AtomicBool,
    _lock: Lock,
}

impl Shared {
    pub(super) fn new(
        files: SharedFiles,
        folder: PathBuf,
        leaves: LeafSizes,
        state: Arc<State>,
        log: Log,
        lock: Lock,
    ) -> Self {
        // Nobody knows of what another process has written.
        let synced = AtomicU64::new(0);
        let (group, log) = (Group::new(state), Mutex::new(log));
        let (merging, worker, merge_error) = (Mutex::default(), Mutex::default(), Mutex::default());
        Shared {
            files,
            merging,
            worker,
            merge_error,
            folder,
            leaves,
            group,
            log,
            frozen: AtomicU64::new(0),
            synced,
            is_closing: AtomicBool::new(false),
            _lock: lock,
        }
    }

    pub(super) fn files(&self) -> &SharedFiles {
        &self.files
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sizes of the leaves that merges make.
    pub(super) fn leaves(&self) -> LeafSizes {
        self.leaves
    }

    pub(super) fn merging(&self) -> &Mutex<()> {
        &self.merging
    }

    pub(super) fn group(&self) -> &Group {
        &self.group
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
        let mut log = self.log.lock().expect("nobody panics with it");
        // After a merge that failed it has been done.
        if commit <= log.segment().number {
            return Ok(());
        }
        let file = log.segment().path;
        log.roll(commit).map_err(|source| {
            self.group.stop(source.to_string());
            GraphError::Io { file, source }
        })
    }

    /// Removes segments of the log whose commits a generation holds.
    pub(super) fn remove_log_before(&self, commit: u64) -> Result<(), GraphError> {
        let log = self.log.lock().expect("nobody panics with it");
        log.remove_before(commit)
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
        let mut log = self.log.lock().expect("nobody panics with it");
        let file = log.segment().path;
        if log.len() >= SEGMENT_LEN
            && let Err(source) = log.roll(commit)
        {
            // The sync of the old segment may be what failed.
            self.group.stop(source.to_string());
            return Err(GraphError::Io { file, source });
        }
        let mut bytes = Vec::new();
        if log.is_empty() {
            put_log_head(&mut bytes);
            self.synced.store(0, SeqCst);
        }
        let synced = self.synced.load(SeqCst);
        put_commit(commit, next_blank, terms, changes, synced, &mut bytes);
        log.append(&bytes).map_err(|AppendError { source, is_clean }| {
            if !is_clean {
                self.group.stop(source.to_string());
            }
            GraphError::Io { file, source }
        })
    }

    /// Waits until a commit that was appended is durable.
    pub(super) fn wait_until_durable(&self, commit: u64) -> Result<(), GraphError> {
        let sync = || {
            // Its file is asked for now: what was appended to one before has been synced.
            let (file, number, len) = {
                let log = self.log.lock().expect("nobody panics with it");
                (log.file(), log.segment().number, log.len())
            };
            file.sync().map_err(|error| error.to_string())?;
            let log = self.log.lock().expect("nobody panics with it");
            if log.segment().number == number {
                self.synced.store(len, SeqCst);
            }
            Ok(())
        };
        self.group.wait_until_durable(commit, sync).map_err(|stopped| self.stopped(stopped))
    }
}
