//! Several files made visible at once: all of them are written and synced aside, then a small file
//! is put beside them, the *plan*. Its rename is the moment: from then on readers take what it says
//! as done ([`crate::planned`]), and whoever writes next does what is left of it.
//!
//! What a plan says is its owner's: he makes [`Moves`] of it, the same ones however much of them
//! was done before.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::lock::wait_for_folder;
use super::{Aside, SHARED};
use crate::SharedFiles;
use crate::files::unless_gone;
use crate::planned::{Rename, is_written};

/// Moves of a plan, in this order.
#[derive(Clone, Debug)]
pub struct Moves {
    /// Files removed before anything new has its name.
    pub first_removed: Vec<PathBuf>,
    /// Files that get their names.
    pub renamed: Vec<Rename>,
    /// Old files that are removed afterwards.
    pub then_removed: Vec<PathBuf>,
}

/// A plan in its folder.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Folder of its files.
    pub folder: PathBuf,
    /// Its name.
    pub path: PathBuf,
    /// Its name while it is written.
    pub aside: PathBuf,
}

impl Plan {
    /// Puts the plan beside files that are synced: after `Ok` they are what `text` says, also after
    /// a power cut.
    pub fn put(&self, files: &SharedFiles, text: &[u8]) -> io::Result<()> {
        let mut plan = Aside::create(files, &self.aside, SHARED)?;
        plan.file().write_all(text)?;
        plan.file().sync()?;
        // The files' own names have to be there when the plan is.
        files.sync_folder(&self.folder)?;
        plan.publish_as_is(&self.path)?;
        files.sync_folder(&self.folder)
    }

    /// Does what the plan says, and removes it. One process at a time: another one that has done it
    /// meanwhile may have begun to write the next files, and `moves` finds no plan.
    pub fn carry_out(
        &self,
        files: &SharedFiles,
        moves: impl FnOnce() -> io::Result<Option<Moves>>,
    ) -> io::Result<()> {
        let folder = File::open(&self.folder)?;
        wait_for_folder(&folder);
        let Some(moves) = moves()? else { return Ok(()) };
        let remove = |path: &Path| unless_gone(files.remove(path));
        moves.first_removed.iter().try_for_each(|path| remove(path))?;
        for Rename { aside, path } in moves.renamed.iter().filter(|one| is_written(&one.aside)) {
            unless_gone(files.rename(aside, path))?;
        }
        moves.then_removed.iter().try_for_each(|path| remove(path))?;
        files.sync_folder(&self.folder)?;
        remove(&self.path)
    }
}
