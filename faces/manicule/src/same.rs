//! Whether the file of a name is still the one that was opened.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What tells a file from one that takes its name, and from itself with other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    len: u64,
    /// Seconds and nanoseconds of its last change.
    changed: (i64, i64),
}

impl Stamp {
    /// Of the file that has a name. It is taken before the file is opened: one that is replaced
    /// between is then another, not the same.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let seen = fs::metadata(path)?;
        Ok(Stamp {
            device: seen.dev(),
            inode: seen.ino(),
            len: seen.len(),
            changed: (seen.ctime(), seen.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_replaced_or_grows_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["one", "other"].map(|name| folder.path().join(name));
        fs::write(&path, "one").unwrap();
        let before = Stamp::of(&path).unwrap();
        assert_eq!(Stamp::of(&path).unwrap(), before);
        fs::write(&other, "two").unwrap();
        fs::rename(&other, &path).unwrap();
        let replaced = Stamp::of(&path).unwrap();
        assert_ne!(replaced, before);
        fs::write(&path, "longer").unwrap();
        assert_ne!(Stamp::of(&path).unwrap(), replaced);
        assert!(Stamp::of(&other).is_err());
    }
}
