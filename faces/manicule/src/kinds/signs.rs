//! Signs by which what a system writes is recognised.

use std::path::{Path, PathBuf};

use manicule_store::NamedEntry;

use super::address::ListedNames;
use super::kind::Kind;
use super::names::Names;

/// Signs by which the files and folders of a system are recognised. By default there are none.
pub trait Signs: Sync {
    /// Kind of a file by its first bytes.
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        let _ = head;
        None
    }

    /// Kind of a file by its name and its neighbours, where no first bytes identify it; at an
    /// address by its name alone.
    fn of_name(&self, path: &Path) -> Option<Kind> {
        let _ = path;
        None
    }

    /// Kind of a file that a search was given, if it isn't searched as text. Most are judged by
    /// their names only: of ten thousand source files none is opened.
    fn searched_file(&self, path: &Path, name: &[u8]) -> Option<Kind> {
        let (_, _) = (path, name);
        None
    }

    /// Whether a name in a folder may have to do with it. Only such names are kept, the others are
    /// counted.
    fn takes_name(&self, name: &[u8]) -> bool {
        let _ = name;
        false
    }

    /// Kinds that a folder is by bytes that prove it: a search, which leaves them out as text, has
    /// to be sure.
    fn proven(&self, folder: &Path, names: &Names) -> Vec<Kind> {
        let (_, _) = (folder, names);
        Vec::new()
    }

    /// Kinds of a folder for a caller that wants it read: damage to the very bytes that prove a
    /// kind doesn't hide it.
    fn given(&self, folder: &Path, names: &Names, proven: &[Kind]) -> Vec<Kind> {
        let (_, _) = (folder, names);
        proven.to_vec()
    }

    /// Kinds of a folder at an address, by the names that one listing of it has shown.
    fn listed(&self, names: ListedNames<'_>) -> Vec<Kind> {
        let _ = names;
        Vec::new()
    }

    /// Whether an entry of a folder belongs to a kind proven to be in it.
    fn owns(&self, folder: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
        let (_, _, _) = (folder, entry, proven);
        false
    }

    /// Whether a folder by this name is a part of a kind proven in the folder above, and not listed
    /// by itself.
    fn is_part(&self, name: &[u8], proven: &[Kind]) -> bool {
        let (_, _) = (name, proven);
        false
    }

    /// Endings of paths by which a search that passes its files notices them.
    fn noticed_endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a path with such an ending may be one of its files.
    fn may_be_noticed(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// Kind of a noticed file by its bytes, and the folder to give for it.
    fn passed(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        let _ = path;
        None
    }
}
