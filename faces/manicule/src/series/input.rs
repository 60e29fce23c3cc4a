//! Where a text comes from.

use std::fmt;
use std::fs;
use std::path::PathBuf;

/// Source of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("standard input"),
            Input::File(path) => path.display().fmt(f),
        }
    }
}

impl Input {
    /// Number of bytes of text, if it is a regular file.
    pub fn text_len(&self) -> Option<u64> {
        match self {
            Input::Stdin => None,
            Input::File(path) => {
                fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|meta| meta.len())
            }
        }
    }
}
