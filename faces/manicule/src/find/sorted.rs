//! Files in an order that the walk doesn't give: collected first, sorted, then visited.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use manicule_core::watch::Watch;
use manicule_store::threads::lock;

use super::visitor::Visitor;
use crate::code::tree::{Candidate, Flow, Given, Outcome, Request, Visit, visit};

/// The order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// By what.
    pub key: SortKey,
    /// Descending rather than ascending.
    pub reverse: bool,
}

/// What files are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// Path.
    Path,
    /// Time of the last change.
    Modified,
    /// Time of the last read.
    Accessed,
    /// Time of birth.
    Created,
}

/// The order of files of one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// By their paths, ascending: a walk and an index meet them in different orders.
    ByName,
    /// As ripgrep's walk meets them: in the order in which the file system lists them.
    AsWalked,
}

/// As the engine's `visit`, with the files sorted. Errors are reported during the walk, before the
/// first file.
pub(super) fn visit_sorted<'v>(
    request: &Request,
    sort: Sort,
    ties: Ties,
    watch: &Watch<'_>,
    make: &(dyn Fn() -> Box<dyn Visitor + 'v> + Sync),
) -> Outcome {
    let waiting = Mutex::new(Vec::new());
    let collect = || Box::new(Collector { inner: make(), key: sort.key, waiting: &waiting });
    let outcome = visit(request, watch, &|| collect());
    let mut files = std::mem::take(&mut *lock(&waiting));
    files.sort_by(|left: &Waiting, right| {
        let order = match sort.key {
            SortKey::Path => left.path.cmp(&right.path),
            _ => by_time(left.time, right.time),
        };
        let order = if sort.reverse { order.reverse() } else { order };
        match ties {
            Ties::ByName => order.then_with(|| left.path.cmp(&right.path)),
            Ties::AsWalked => order,
        }
    });
    let mut visitor = make();
    for Waiting { path, given, .. } in &files {
        if watch.is_over() {
            break;
        }
        if visitor.file(Candidate { path, given: *given, file: None }) == Flow::Quit {
            break;
        }
    }
    outcome
}

struct Waiting {
    path: PathBuf,
    given: Given,
    /// `None` if the file system doesn't know it; such files come last in ascending order.
    time: Option<SystemTime>,
}

/// Keeps the files for later; passes everything else to `inner`.
struct Collector<'w, 'v> {
    inner: Box<dyn Visitor + 'v>,
    key: SortKey,
    waiting: &'w Mutex<Vec<Waiting>>,
}

impl Visit for Collector<'_, '_> {
    fn file(&mut self, candidate: Candidate<'_>) -> Flow {
        let time = time_of(candidate.path, self.key);
        let file = Waiting { path: candidate.path.into(), given: candidate.given, time };
        lock(self.waiting).push(file);
        Flow::Continue
    }

    fn may_match(&mut self, text: &[u8]) -> bool {
        self.inner.may_match(text)
    }

    fn left_out(&mut self, file_count: u64, len: u64) {
        self.inner.left_out(file_count, len);
    }

    fn error(&mut self, error: &ignore::Error) -> Flow {
        self.inner.error(error)
    }

    fn warning(&mut self, error: &ignore::Error) {
        self.inner.warning(error);
    }
}

fn time_of(path: &Path, key: SortKey) -> Option<SystemTime> {
    let time = match key {
        SortKey::Path => return None,
        SortKey::Modified => std::fs::Metadata::modified,
        SortKey::Accessed => std::fs::Metadata::accessed,
        SortKey::Created => std::fs::Metadata::created,
    };
    path.metadata().and_then(|meta| time(&meta)).ok()
}

fn by_time(left: Option<SystemTime>, right: Option<SystemTime>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}
