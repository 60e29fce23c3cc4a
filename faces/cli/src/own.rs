//! The program's own file, which is started again for work that goes on after an answer.

use std::path::PathBuf;
use std::sync::OnceLock;

static OWN: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Fixes the file; once, at the start. `None`: there is none that could be started.
pub(crate) fn set_own(program: Option<PathBuf>) {
    let _ = OWN.set(program);
}

/// The file, if there is one: else nothing is started.
pub(crate) fn own() -> Option<PathBuf> {
    OWN.get().cloned().flatten()
}
