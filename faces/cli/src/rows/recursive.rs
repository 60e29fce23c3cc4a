//! `-r`: a command for every table below a folder, such as a node's data folder.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use manicule::ErrorClass;
use manicule::place::is_address;
use manicule::rows::{Copies, Error, tables_below};

use crate::command::spec::{Spec, spec};
use crate::messages::{in_words, say};
use crate::units::counted;

pub(super) const RECURSIVE: Spec =
    spec("recursive", "r", "Process every table below PATH, such as a node's data folder.");

pub(super) const COPIES: Spec = spec("snapshots", "", "With -r, include snapshots and backups.");

/// Which tables a command reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tables {
    pub(super) is_recursive: bool,
    pub(super) has_copies: bool,
}

impl Tables {
    /// Refuses copies where there is nothing to take them from.
    pub(super) fn check(self) -> Result<()> {
        match self {
            Tables { is_recursive: false, has_copies: true } => {
                bail!("--snapshots goes with -r: without it PATH is one table, or one snapshot")
            }
            _ => Ok(()),
        }
    }

    /// Opens each table below a folder, those at an address side by side, and does a job for one
    /// after the other: what each gave, and whether one failed, which is said.
    pub(super) fn each<O: Send, T>(
        self,
        root: &Path,
        open: impl Fn(&Path) -> Result<O> + Sync,
        mut job: impl FnMut(&Path, O) -> Result<T>,
    ) -> Result<(Vec<(PathBuf, T)>, bool)> {
        let copies = if self.has_copies { Copies::Taken } else { Copies::Passed };
        let below = tables_below(root, copies);
        below.unread.iter().for_each(|error| say(error));
        let mut has_failed = !below.unread.is_empty();
        if below.tables.is_empty() {
            bail!("{}: no table is there, nor in a folder below it", root.display());
        }
        let mut done = Vec::new();
        below.each(
            open,
            &mut |table, opened| match opened.and_then(|opened| job(&table, opened)) {
                Ok(what) => done.push((table, what)),
                Err(error) => {
                    say(&in_words(&error));
                    has_failed = true;
                }
            },
        );
        Ok((done, has_failed))
    }
}

/// The answer for one table; an error of a folder that has none itself says what to type where
/// there are some below it.
pub(super) fn or_below<T>(path: &Path, answer: Result<T, Error>) -> Result<T> {
    or_named(path, answer, ": -r reads them all")
}

/// As [`or_below`], of a command that takes one table at a time.
pub(super) fn or_one_below<T>(path: &Path, answer: Result<T, Error>) -> Result<T> {
    or_named(path, answer, ", which this command takes one by one")
}

fn or_named<T>(path: &Path, answer: Result<T, Error>, how: &str) -> Result<T> {
    answer.map_err(|error| {
        let is_missing = error.class() == ErrorClass::Missing;
        let named = is_missing.then(|| below(path)).flatten();
        named.map_or_else(|| error.into(), |named| anyhow!("{named}{how}"))
    })
}

/// The tables below a folder that is none. Of an address it would cost a request for each folder.
pub(super) fn below(path: &Path) -> Option<String> {
    if is_address(path) {
        return None;
    }
    let tables = tables_below(path, Copies::Passed).tables;
    let first = tables.first().filter(|first| *first != path)?;
    Some(format!(
        "{}: no SSTable is there, but {} below it, such as {}",
        path.display(),
        counted(tables.len() as u64, "table"),
        first.display(),
    ))
}
