//! Signs of a repository: the names of its folders and files.
//!
//! Bytes:   docs/formats/restic.md

use crate::id::Id;

/// Name of the one file that every repository has.
pub const CONFIG_NAME: &str = "config";

/// Kind of a repository's files, except its config. Each has a folder of its own, and files are
/// named by the SHA-256 of their stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Key files.
    Key,
    /// Locks.
    Lock,
    /// Snapshots.
    Snapshot,
    /// Index files.
    Index,
    /// Packs, whose folder is called `data` and has folders of two digits.
    Pack,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 5] =
        [FileKind::Key, FileKind::Lock, FileKind::Snapshot, FileKind::Index, FileKind::Pack];

    /// Name of its folder.
    pub fn folder(self) -> &'static str {
        match self {
            FileKind::Key => "keys",
            FileKind::Lock => "locks",
            FileKind::Snapshot => "snapshots",
            FileKind::Index => "index",
            FileKind::Pack => "data",
        }
    }

    /// The word for one such file.
    pub fn word(self) -> &'static str {
        match self {
            FileKind::Key => "key",
            FileKind::Lock => "lock",
            FileKind::Snapshot => "snapshot",
            FileKind::Index => "index file",
            FileKind::Pack => "pack",
        }
    }

    /// Kind of the files in a folder of this name.
    pub fn of_folder(name: &[u8]) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|kind| kind.folder().as_bytes() == name)
    }

    /// Path of a file below the repository's folder: `index/<id>`, `data/ab/<id>`.
    pub fn path(self, id: &Id) -> String {
        let folder = self.folder();
        match self {
            FileKind::Pack => format!("{folder}/{:02x}/{id}", id.0[0]),
            _ => format!("{folder}/{id}"),
        }
    }
}

/// Whether a name in a repository's folder is one of its own.
pub fn is_of_repository(name: &[u8]) -> bool {
    name == CONFIG_NAME.as_bytes() || FileKind::of_folder(name).is_some()
}

/// Whether a folder with these names is a repository: it has a config, the folder of keys, and one
/// of the others that hold its contents.
pub fn is_repository<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> bool {
    let (mut has_config, mut has_keys, mut has_contents) = (false, false, false);
    for name in names {
        has_config |= name == CONFIG_NAME.as_bytes();
        match FileKind::of_folder(name) {
            Some(FileKind::Key) => has_keys = true,
            Some(FileKind::Lock) | None => {}
            Some(_) => has_contents = true,
        }
    }
    has_config && has_keys && has_contents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_in_the_folders_of_their_kinds() {
        let id = Id([0x0b; 32]);
        for (kind, want) in [
            (FileKind::Key, format!("keys/{id}")),
            (FileKind::Lock, format!("locks/{id}")),
            (FileKind::Snapshot, format!("snapshots/{id}")),
            (FileKind::Index, format!("index/{id}")),
            (FileKind::Pack, format!("data/0b/{id}")),
        ] {
            assert_eq!(kind.path(&id), want);
            assert_eq!(FileKind::of_folder(kind.folder().as_bytes()), Some(kind));
            assert!(is_of_repository(kind.folder().as_bytes()) && !kind.word().is_empty());
        }
        assert!(is_of_repository(b"config") && !is_of_repository(b"Data"));
    }

    #[test]
    fn a_repository_is_known_by_its_names() {
        let is_one = |names: &str| is_repository(names.split(' ').map(str::as_bytes));
        assert!(is_one("config data index keys locks snapshots"));
        assert!(is_one("config index keys .DS_Store"), "empty folders may be missing");
        for names in ["", "config", "config keys locks", "config data index", "data index keys"] {
            assert!(!is_one(names), "{names}");
        }
    }
}
