//! Folders that are made for something to be published in: where nothing is, those that are empty
//! go again.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders on the way to a place that were missing. Unless they are kept, those that are empty are
/// removed when this is dropped.
#[derive(Debug, Default)]
pub struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Those that are missing now on the way to a folder, and the folder itself.
    pub fn missing(folder: &Path) -> Self {
        let ancestors = folder.ancestors().filter(|it| !it.as_os_str().is_empty());
        MadeFolders(ancestors.take_while(|it| !it.exists()).map(Path::to_owned).collect())
    }

    /// Keeps them.
    pub fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // The innermost first; one that has something by now stays.
        let _ = self.0.iter().try_for_each(fs::remove_dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_stay_that_are_kept_or_have_something() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("a/b/c");
        let make = || {
            let made = MadeFolders::missing(&folder);
            fs::create_dir_all(&folder).unwrap();
            made
        };
        drop(make());
        assert!(!scratch.path().join("a").exists() && scratch.path().exists());
        let made = make();
        fs::write(scratch.path().join("a/b/file"), "").unwrap();
        drop(made);
        assert!(scratch.path().join("a/b").exists() && !folder.exists());
        make().keep();
        assert!(folder.exists());
    }
}
