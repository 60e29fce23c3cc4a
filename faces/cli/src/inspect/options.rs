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

/// How what was verified is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown {
    pub(crate) is_json: bool,
    /// Whether each line has its path, as there are several.
    pub(crate) is_named: bool,
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

impl Default for Options {
    fn default() -> Options {
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

impl Options {
    /// Whether there may be several things, each shown with its path.
    pub(super) fn has_several(&self) -> bool {
        self.recursive || self.paths.len() > 1
    }

    pub(super) fn shown(&self) -> Shown {
        Shown { is_json: self.json, is_named: self.has_several() }
    }
}
