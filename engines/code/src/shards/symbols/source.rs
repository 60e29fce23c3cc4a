//! Which program finds symbols.

use std::path::PathBuf;

/// Where the symbols of documents come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SymbolSource {
    /// No symbols are wanted (`-disable_ctags`).
    #[default]
    Off,
    /// They are wanted, and there is no program that finds any.
    Absent,
    /// universal-ctags.
    Ctags {
        /// Path of the program. Shards hold a hash of it: with another path they are others.
        program: PathBuf,
        /// A document that it fails on ends the run (`-require_ctags`).
        must_succeed: bool,
    },
}
