//! Files of which a plan says that they are there, as a reader finds them: under their names, or
//! still aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file that a plan gives its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// Its name before.
    pub aside: PathBuf,
    /// Its name.
    pub path: PathBuf,
}

impl Rename {
    /// Current path of the file.
    pub fn now(self) -> PathBuf {
        if is_written(&self.aside) { self.aside } else { self.path }
    }
}

/// Whether a file aside is one of a plan: an empty one is but the lock of somebody who looks for
/// work.
pub fn is_written(aside: &Path) -> bool {
    fs::metadata(aside).is_ok_and(|metadata| metadata.len() > 0)
}

/// The text of the plan at `path`; `None` where none is to be carried out.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    }
}
