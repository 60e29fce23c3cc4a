//! IRIs and literals of a store whose text matches.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_graph::Snapshot;
pub use manicule_graph::find::{FindCall, FindCounts, Found, Uses};

use super::error::Error;
use super::open::open_to_read;

/// A store that is open to be searched: as it was when it was opened.
#[derive(Debug)]
pub struct Open {
    path: PathBuf,
    snapshot: Snapshot,
}

impl Open {
    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens a store to be searched, beside whoever writes it.
pub fn open(path: &Path) -> Result<Open, Error> {
    Ok(Open { path: path.to_owned(), snapshot: open_to_read(path, None)? })
}

/// Calls `found` for every IRI and literal that matches and that a quad names, until it breaks.
///
/// Each term is looked at once, however many quads name it. Memory: one term.
pub fn find(
    open: &Open,
    call: &FindCall<'_>,
    counts: &mut FindCounts,
    watch: &Watch<'_>,
    found: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
) -> Result<(), Error> {
    Ok(manicule_graph::find::find(&open.snapshot, call, counts, watch, found)?)
}
