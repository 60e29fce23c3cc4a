//! An archive in memory: golden files that lie compressed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use manicule_testkit::{contents, golden_file};

/// Files by their paths.
#[derive(Clone, Debug)]
pub struct Archive {
    files: BTreeMap<String, Vec<u8>>,
}

impl Archive {
    /// The files of `proof/golden/graph/NAME.tar.zst`; those of later archives take the place of
    /// earlier ones.
    ///
    /// # Panics
    /// If one can't be read: they are part of the repository.
    pub fn golden(names: &[&str]) -> Archive {
        let mut files = BTreeMap::new();
        for name in names {
            let bytes = golden_file("graph", &format!("{name}.tar"));
            let mut archive = tar::Archive::new(bytes.as_slice());
            for entry in archive.entries().expect("an archive") {
                let mut entry = entry.expect("an entry");
                if !entry.header().entry_type().is_file() {
                    continue;
                }
                let path = entry.path().expect("a path").to_string_lossy().into_owned();
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).expect("whole");
                files.insert(path.trim_start_matches("./").to_owned(), bytes);
            }
        }
        Archive { files }
    }

    /// The files of a folder and of those in it, by their paths below it.
    ///
    /// # Panics
    /// If one can't be read.
    pub fn folder(root: &Path) -> Archive {
        Archive { files: contents(root) }
    }

    /// A file, if there is one.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// A file of text.
    ///
    /// # Panics
    /// If there is none.
    pub fn text(&self, path: &str) -> &str {
        let bytes = self.get(path).unwrap_or_else(|| panic!("{path}: not in the archive"));
        str::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}
