//! Options of `manicule inspect` and `manicule verify`, and of those of `manicule series`.

use std::path::PathBuf;

use crate::command::cores;

/// The command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Inspect,
    /// Inspects all paths as blocks, whatever their signs.
    InspectSeries,
    Verify,
    /// Verifies all paths as blocks, whatever their signs.
    VerifySeries,
}

/// What is shown, of which paths.
pub(super) struct Options {
    pub(super) paths: Vec<PathBuf>,
    pub(super) json: bool,
    /// Whether what lies further down is taken, too.
    pub(super) recursive: bool,
    pub(super) hex: Option<String>,
    pub(super) all: bool,
    pub(super) key: Option<String>,
    pub(super) threads: usize,
}

impl Options {
    pub(super) fn new() -> Options {
        Options {
            paths: Vec::new(),
            json: false,
            recursive: false,
            hex: None,
            all: false,
            key: None,
            threads: cores(),
        }
    }
}
