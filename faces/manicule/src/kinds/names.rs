//! The names of a folder, by which it is recognised.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_store::{NamedEntry, list_names};

/// The names of a folder: those that some system takes, and the number of others.
#[derive(Clone, Debug, Default)]
pub struct Names {
    folder: PathBuf,
    pub(super) taken: Vec<NamedEntry>,
    /// Number of names that no system takes; those that begin with a dot are counted by themselves.
    pub(super) own: usize,
    pub(super) hidden: usize,
}

impl Names {
    /// Lists a folder. `is_taken` says of a name whether some system takes it.
    pub(super) fn read(folder: &Path, is_taken: impl Fn(&[u8]) -> bool) -> io::Result<Self> {
        let mut names = Names { folder: folder.to_owned(), ..Names::default() };
        for entry in list_names(folder)? {
            let bytes = entry.name.as_bytes();
            if is_taken(bytes) {
                names.taken.push(entry);
            } else if bytes.starts_with(b".") {
                names.hidden += 1;
            } else {
                names.own += 1;
            }
        }
        Ok(names)
    }

    /// Whether a name that a system takes exists.
    pub fn has(&self, name: &str) -> bool {
        self.taken.iter().any(|taken| taken.name == name)
    }

    /// Paths of the names of a sort.
    pub fn paths(&self, is_of_sort: fn(&[u8]) -> bool) -> impl Iterator<Item = PathBuf> {
        let names = self.taken.iter().map(|entry| &entry.name);
        let names = names.filter(move |name| is_of_sort(name.as_bytes()));
        names.map(|name| self.folder.join(name))
    }

    /// Whether any path of a sort passes a test.
    pub fn any(&self, is_of_sort: fn(&[u8]) -> bool, test: fn(&Path) -> bool) -> bool {
        self.paths(is_of_sort).any(|path| test(&path))
    }
}
