//! A store that Python holds: to be read, or to be written by the process that opened it.

use std::mem::{forget, take};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use manicule::graph::{Error, LoadCall, Store, Syncs, Transaction, Writer, Writing, load};
use manicule::place::is_address;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use pyo3::prelude::*;
use tempfile::TempDir;

use super::errors::raised_graph;
use super::labels::Labels;
use crate::calls::{context, run};
use crate::errors::raised;

/// A store, lent to a call.
#[derive(Clone)]
pub(super) struct Reading(Arc<Source>);

enum Source {
    Written(Writer),
    Read(Store),
}

impl Reading {
    pub(super) fn store(&self) -> &Store {
        match &*self.0 {
            Source::Written(writer) => writer.store(),
            Source::Read(store) => store,
        }
    }
}

/// A writer, lent to a call.
pub(super) struct Written(Reading);

impl Written {
    pub(super) fn writer(&self) -> &Writer {
        match &*self.0.0 {
            Source::Written(writer) => writer,
            Source::Read(_) => unreachable!("only a writer is lent as one"),
        }
    }
}

/// A store that is open. Its lock is taken only by who has Python's: a fork leaves it free.
pub(super) struct Handle {
    path: PathBuf,
    open: Mutex<Open>,
}

struct Open {
    source: Option<Reading>,
    /// The folder of a store without a path, which vanishes with it.
    folder: Option<TempDir>,
    labels: Labels,
    /// The process that has opened it.
    process: u32,
    is_written: bool,
    /// The thread that has a transaction open.
    changing: Arc<Mutex<Option<ThreadId>>>,
}

impl Handle {
    /// Opens a store to be written; makes one where there is none, without a path a temporary one.
    pub(super) fn open(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Handle> {
        let opened = run(py, None, move |watch| {
            let folder = match path {
                Some(_) => None,
                None => {
                    let folder = tempfile::Builder::new().prefix("manicule-").tempdir();
                    Some(folder.map_err(|error| {
                        let why = format!("no folder for a store without a path: {error}");
                        Failure::new(ErrorClass::Failed, why)
                    })?)
                }
            };
            let path = path.or_else(|| folder.as_ref().map(|folder| folder.path().to_owned()));
            let path = whole(path.expect("one of both"));
            let syncs = if folder.is_some() { Syncs::None } else { Syncs::All };
            let writing = Writing { syncs, ..Writing::PLAIN };
            Ok(opened(&path, writing, watch).map(|writer| (writer, folder, path)))
        })?;
        let (writer, folder, path) = opened.map_err(|error| raised_graph(py, error))?;
        Ok(Handle::of(path, Source::Written(writer), folder))
    }

    /// Opens a store to be read.
    pub(super) fn read_only(py: Python<'_>, path: PathBuf) -> PyResult<Handle> {
        let path = whole(path);
        let place = path.clone();
        let opened = run(py, None, move |_| Ok(Store::open(&place)))?;
        let store = opened.map_err(|error| raised_graph(py, error))?;
        Ok(Handle::of(path, Source::Read(store), None))
    }

    fn of(path: PathBuf, source: Source, folder: Option<TempDir>) -> Handle {
        let is_written = matches!(source, Source::Written(_));
        let (source, labels) = (Some(Reading(Arc::new(source))), Labels::default());
        let changing = Arc::default();
        let open = Open { source, folder, labels, process: process::id(), is_written, changing };
        Handle { path, open: Mutex::new(open) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        locked(&self.open)
    }

    /// Begins changes over several calls, after those of other threads.
    pub(super) fn begin(&self, py: Python<'_>) -> PyResult<Begun> {
        let (written, labels) = self.written(py)?;
        let begun = py.detach(|| context().enter(|| written.writer().begin()));
        let transaction = Some(begun.map_err(|error| raised_graph(py, error))?);
        let changing = Arc::clone(&self.lock().changing);
        *locked(&changing) = Some(thread::current().id());
        Ok(Begun { transaction, labels, changing, process: process::id(), _written: written })
    }

    /// The store to be read, and the labels of its nodes. In the child of a fork it is opened
    /// again, as it is in its folder.
    pub(super) fn reading(&self, py: Python<'_>) -> PyResult<(Reading, Labels)> {
        let mut open = self.lock();
        if open.process != process::id() {
            open.leave_to_parent();
        }
        let source = match &open.source {
            Some(source) => source.clone(),
            None => {
                let store = Store::open(&self.path).map_err(|error| raised_graph(py, error))?;
                open.source.insert(Reading(Arc::new(Source::Read(store)))).clone()
            }
        };
        Ok((source, open.labels.clone()))
    }

    /// The store to be written, and the labels of its nodes.
    pub(super) fn written(&self, py: Python<'_>) -> PyResult<(Written, Labels)> {
        let (source, labels) = self.reading(py)?;
        if *locked(&self.lock().changing) == Some(thread::current().id()) {
            let why = "this thread has a transaction open: change the store through it";
            return Err(raised(py, &Failure::asked(why)));
        }
        match &*source.0 {
            Source::Written(_) => Ok((Written(source), labels)),
            Source::Read(_) => {
                let why = if self.lock().is_written {
                    "was opened to write before a fork: only the parent writes to it"
                } else {
                    "is open to be read only"
                };
                Err(raised(py, &Failure::asked(format!("{}: {why}", self.path.display()))))
            }
        }
    }

    /// Makes changes as one commit, beside other threads of Python.
    pub(super) fn change<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Transaction, &Labels) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (written, labels) = self.written(py)?;
        let change = || {
            let mut transaction = written.writer().begin()?;
            let done = job(&mut transaction, &labels)?;
            labels.keep(&transaction);
            transaction.commit()?;
            Ok(done)
        };
        let changed = py.detach(|| context().enter(|| Failure::caught(|| Ok(change()))));
        changed.map_err(|failure| raised(py, &failure))?.map_err(|error| raised_graph(py, error))
    }

    /// Has a job done that can take long, and that Ctrl-C ends.
    pub(super) fn write_long<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Writer, &Watch<'_>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let (written, _) = self.written(py)?;
        let done = run(py, None, move |watch| Ok(job(written.writer(), watch)))?;
        done.map_err(|error| raised_graph(py, error))
    }
}

/// Changes over several calls. Dropped, they are forgotten.
pub(super) struct Begun {
    transaction: Option<Transaction>,
    labels: Labels,
    changing: Arc<Mutex<Option<ThreadId>>>,
    process: u32,
    /// The writer stays open as long.
    _written: Written,
}

impl Begun {
    pub(super) fn change<T>(
        &mut self,
        job: impl FnOnce(&mut Transaction, &Labels) -> Result<T, Error>,
    ) -> Result<T, Error> {
        job(self.transaction.as_mut().expect("it has not ended"), &self.labels)
    }

    pub(super) fn commit(mut self) -> Result<(), Error> {
        let transaction = self.transaction.take().expect("it has not ended");
        self.labels.keep(&transaction);
        // Others may begin while this waits for the disk.
        *locked(&self.changing) = None;
        transaction.commit().map(drop)
    }

    /// Whether it was begun in this process, and not before a fork.
    pub(super) fn is_own(&self) -> bool {
        self.process == process::id()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.is_own() {
            // It is the parent's.
            forget(take(&mut self.transaction));
        } else if let Some(transaction) = take(&mut self.transaction) {
            // Before the next one begins.
            *locked(&self.changing) = None;
            drop(transaction);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Open {
    /// In the child of a fork: what the parent has open stays its own, with its locks, its threads
    /// and its folder.
    fn leave_to_parent(&mut self) {
        forget(take(&mut self.source));
        forget(take(&mut self.folder));
        let labels = self.labels.after_fork();
        forget(std::mem::replace(&mut self.labels, labels));
        forget(take(&mut self.changing));
        self.process = process::id();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.process != process::id() {
            self.leave_to_parent();
        }
    }
}

/// A path that holds in any folder in which the process comes to be.
fn whole(path: PathBuf) -> PathBuf {
    if is_address(&path) { path } else { std::path::absolute(&path).unwrap_or(path) }
}

/// The store of a folder, which is made where there is none.
fn opened(folder: &Path, writing: Writing, watch: &Watch<'_>) -> Result<Writer, Error> {
    match Writer::open(folder, writing, watch) {
        Err(error) if error.class() == ErrorClass::Missing => {
            load(folder, writing, &LoadCall::new(Vec::new()), watch)?;
            Writer::open(folder, writing, watch)
        }
        opened => opened,
    }
}
