//! Things made visible whole, or not at all.
//!
//! | file | what |
//! |---|---|
//! | lock.rs | the right to write, held under a name |
//! | aside.rs | one file put whole |
//! | draft.rs | a folder put whole |
//! | plan.rs | several files put at once |
//! | upload.rs | files put into another store |

mod aside;
mod draft;
mod lock;
mod made;
mod plan;
mod upload;

use std::fs;
use std::io;
use std::path::Path;

pub use aside::{Aside, OWN, SHARED};
pub use draft::{Draft, DraftNames, Drafts};
pub use lock::{Attempt, Lock};
pub(crate) use lock::{FolderLock, is_locked};
pub use made::MadeFolders;
pub use plan::{Moves, Plan};
pub use upload::Upload;

use crate::files::{Files, unless_gone};

/// Removes the files of a folder that are left of something: litter, of interrupted runs among it.
pub fn sweep(files: &dyn Files, folder: &Path, is_left: impl Fn(&str) -> bool) -> io::Result<()> {
    for name in names(folder)?.iter().filter(|name| is_left(name)) {
        unless_gone(files.remove(&folder.join(name)))?;
    }
    Ok(())
}

/// The names in a folder, in order, but for those that are not valid UTF-8: none of ours is such.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}
