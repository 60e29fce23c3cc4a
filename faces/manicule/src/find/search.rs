//! A search, resolved: what matches, where, and how it is read. A face with flags of its own makes
//! one; programs have [`Call`](super::Call).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::matcher::Matcher;
use super::patterns::Patterns;
use super::reading::Reading;
use super::sorted::{Sort, Ties};
use crate::blobs::IndexCache;
use crate::code::tree::{IndexUse, Notice, Rules, Upkeep};
use crate::failure::Failure;
use crate::kinds::Deal;

/// What a face makes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It takes the name only: files and indexes are listed.
    Names,
    /// It takes the hits, and files that can't hold one need not be looked into.
    Hits,
    /// It says something of each file, also of one without a hit.
    EachFile,
}

/// Names by which a face knows what an index may have to refuse, for its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    /// Globs.
    pub globs: &'static str,
    /// File types.
    pub types: &'static str,
    /// Maximum depth in folders.
    pub max_depth: &'static str,
    /// Maximum size of a file.
    pub max_filesize: &'static str,
}

type PasswordOf = dyn Fn(&Path) -> Result<Vec<u8>, Failure> + Send + Sync;

/// Finds the password of the restic repository at a path, when one is searched.
#[derive(Clone)]
pub struct Passwords(Arc<PasswordOf>);

impl Passwords {
    /// By a function, which is called for each repository.
    pub fn new(of: impl Fn(&Path) -> Result<Vec<u8>, Failure> + Send + Sync + 'static) -> Self {
        Passwords(Arc::new(of))
    }

    pub(super) fn of(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        (self.0)(path)
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passwords")
    }
}

/// A search.
#[derive(Debug)]
pub struct Search {
    /// The patterns.
    pub patterns: Patterns,
    /// Their matcher; `None` where files and indexes are listed.
    pub matcher: Option<Matcher>,
    /// How files are read as text.
    pub reading: Reading,
    /// Selection of the files.
    pub rules: Rules,
    /// The paths, by how they are searched; each was recognised once.
    pub deal: Deal,
    /// The order of files and indexes; `None`: the fastest, not the same from call to call.
    pub sort: Option<Sort>,
    /// The order of files of one time.
    pub ties: Ties,
    /// Number of threads.
    pub threads: usize,
    /// Kept indexes of source trees; `None` to walk.
    pub index: Option<IndexUse>,
    /// Files of other kinds to list in [`Done::noticed`] when the walk meets them.
    pub notice: Option<Notice>,
    /// What the face makes of a file.
    pub wanted: Wanted,
    /// Whether the bytes that are searched are counted, with those of files that are left out since
    /// they can't match.
    pub is_counted: bool,
    /// Whether documents of shards that are not indexed are counted for the receipt.
    pub has_census: bool,
    /// What the face asks of lines only, by its name there: indexes without lines refuse it.
    pub of_lines: Option<&'static str>,
    /// What the face does to each file, as the reason why it can't be done to documents of shards.
    pub of_files: Option<&'static str>,
    /// Names of what else is refused.
    pub names: Names,
    /// Passwords of restic repositories.
    pub passwords: Passwords,
    /// Kept indexes of restic repositories.
    pub index_cache: Option<IndexCache>,
}

impl Search {
    /// The only text that matches, if there is just one.
    pub(super) fn text(&self) -> Option<Vec<u8>> {
        self.patterns.text(&self.reading)
    }

    /// Whether globs and types let a file in.
    pub fn lets_in(&self, path: &Path) -> bool {
        let by_glob = self.rules.overrides.matched(path, false);
        by_glob.is_whitelist()
            || (by_glob.is_none() && !self.rules.types.matched(path, false).is_ignore())
    }

    /// Whether they let an index in that lies directly in a folder of the call: one that is given
    /// itself, as ripgrep lets files in, and what globs, types and depth admit.
    pub(super) fn lets_index_in(&self, given: &Path, index: &Path) -> bool {
        given == index || self.lets_in(index) && self.rules.max_depth != Some(0)
    }

    /// Whether any pattern can match anything.
    pub fn match_possible(&self) -> bool {
        let some_pattern = !self.patterns.texts.is_empty() || self.reading.invert;
        some_pattern && self.reading.matches_max != Some(0)
    }
}

/// Results of a search beside its hits.
#[derive(Debug, Default)]
pub struct Done {
    /// Counts of its work, kind by kind.
    pub receipt: Vec<(&'static str, u64)>,
    /// Indexes of trees that need maintenance.
    pub upkeep: Vec<Upkeep>,
    /// Files that may be of another kind, passed by the walk.
    pub noticed: Vec<PathBuf>,
}

impl Done {
    /// Adds what another part of the search has done; counts of one name are summed.
    pub(super) fn add(&mut self, other: Done) {
        for (name, count) in other.receipt {
            match self.receipt.iter_mut().find(|own| own.0 == name) {
                Some(own) => own.1 += count,
                None => self.receipt.push((name, count)),
            }
        }
        self.upkeep.extend(other.upkeep);
        self.noticed.extend(other.noticed);
    }
}
