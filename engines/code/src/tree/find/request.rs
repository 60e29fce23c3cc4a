//! The joint between a face that searches files and the engine that knows which files there are.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manicule_core::counts;
use manicule_core::pattern::Need;

use super::select::Reach;
use crate::tree::rules::Rules;

/// A request to search a tree.
#[derive(Clone, Debug)]
pub struct Request {
    /// Paths to search, as the user wrote them; `./` when nothing was given, `-` for standard
    /// input.
    pub paths: Vec<PathBuf>,
    /// Filter of files.
    pub rules: Rules,
    /// In which order visitors see them.
    pub order: Order,
    /// Number of visitors that work in parallel; 1 keeps everything on the caller's thread.
    pub threads: usize,
    /// Use that visitors make of a file: this decides which ones they are handed.
    pub look: Look,
    /// The indexes that may be used; `None` to walk as ripgrep does.
    pub index: Option<IndexUse>,
    /// The files to list in [`Outcome::noticed`].
    pub notice: Option<Notice>,
}

/// Use that a visitor makes of a file.
#[derive(Clone, Debug)]
pub enum Look {
    /// It takes the name only.
    Names,
    /// It looks for matches, and files that can't hold one need not be handed over.
    Matches(Narrow),
    /// It has to see every file's contents.
    Contents,
}

/// Facts about a search that an index needs to leave files out.
#[derive(Clone, Debug)]
pub struct Narrow {
    /// The condition on bytes that every match satisfies.
    pub need: Need,
    /// Reach of a match.
    pub reach: Reach,
    /// Effect of a NUL in a file.
    pub nul: Nul,
}

/// Effect of a NUL in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nul {
    /// The search of the file ends there.
    EndsText,
    /// The search goes on, or has to report where it ended.
    IsRead,
}

/// Files that a call lists for those who read something else than text: those that it comes by,
/// chosen by their paths.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// Endings of such files' paths: `.zoekt`, or a whole name after a slash.
    pub endings: &'static [&'static str],
    /// Whether a path with such an ending is meant.
    pub is_meant: fn(&Path) -> bool,
}

impl Notice {
    /// Whether a path is noticed.
    pub(super) fn takes(&self, path: &[u8]) -> bool {
        self.endings.iter().any(|ending| path.ends_with(ending.as_bytes()))
            && (self.is_meant)(Path::new(OsStr::from_bytes(path)))
    }
}

/// Indexes that may be used.
#[derive(Clone, Debug)]
pub struct IndexUse {
    /// The cache folder.
    pub cache: PathBuf,
    /// Believe a check that is at most this old.
    pub max_age: Option<Duration>,
    /// The clock, in nanoseconds since 1970.
    pub clock: fn() -> u64,
}

/// The order of the files within a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The fastest order; not the same from call to call.
    Any,
    /// By path, ascending, compared name by name; wants one thread.
    Path,
}

/// Origin of a file in the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// It is standard input.
    Stdin,
    /// The user named it, so no rule can leave it out.
    Named,
    /// It was found below a folder that the user named.
    Found,
}

/// A file that may hold a match.
#[derive(Debug)]
pub struct Candidate<'a> {
    /// The path as ripgrep's walk gives it: the given folder, joined with what is below it.
    pub path: &'a Path,
    /// Its origin in the call.
    pub given: Given,
    /// The file, where the engine has opened it already; at its start.
    pub file: Option<&'a File>,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// There may be more to do.
    Continue,
    /// The answer is complete: stop on all threads.
    Quit,
}

/// Visitor of files, implemented by a face. One value works on one thread.
pub trait Visit: Send {
    /// Looks into one file, or lists it.
    fn file(&mut self, candidate: Candidate<'_>) -> Flow;

    /// Whether any line of `text`, whole lines of some file, matches. Asked before a file is handed
    /// over, and only in calls that look for matches within lines.
    fn may_match(&mut self, text: &[u8]) -> bool;

    /// Files that were proven to hold no match, and their bytes: for whoever counts what was
    /// searched.
    fn left_out(&mut self, file_count: u64, len: u64);

    /// An entry that could not be read; it fails the call's exit code, not the call.
    fn error(&mut self, error: &ignore::Error) -> Flow;

    /// A line of an ignore file that could not be used; the entry itself is visited.
    fn warning(&mut self, error: &ignore::Error);
}

/// Makes a visitor for one more thread.
pub type Visitors<'f, 'v> = dyn Fn() -> Box<dyn Visit + 'v> + Sync + 'f;

counts! {
    /// Cost of a call, and what it left out. Times are in microseconds.
    pub struct Receipt {
        /// Folders that the indexes know below the paths of the call.
        folders_known,
        /// Of those, how many have other names in them now, or heed other rules.
        folders_changed,
        /// Files that the indexes know there.
        files_known,
        /// Files whose fingerprint was compared.
        files_checked,
        /// Of those, how many have changed.
        files_changed,
        /// Files that the grams could not rule out, of those that are known.
        candidates,
        /// Entries that came from a walk rather than from an index.
        files_walked,
        /// Files that were opened to look into.
        opened,
        /// Files handed to a visitor.
        visited,
        /// The bytes of what was looked into, by the sizes of files and pieces.
        read_len,
        /// Finding and opening the indexes.
        open_us,
        /// Turning the pattern into candidates.
        lookup_us,
        /// Proving the folders and the rules.
        folders_us,
        /// Proving and searching files.
        files_us,
        /// Walking what no index covers.
        walk_us,
    }
}

/// Maintenance that a call leaves to be done by another process, after the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upkeep {
    /// The tree whose index is to be built or brought up to date.
    pub root: PathBuf,
    /// The index that is there can't be read: build it from scratch.
    pub from_scratch: bool,
}

/// Maximum number of noticed files listed.
pub const NOTICED_MAX: usize = 1000;

/// Result of [`crate::tree::visit`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cost of the call.
    pub receipt: Receipt,
    /// Maintenance to be done after it.
    pub upkeep: Vec<Upkeep>,
    /// Files that [`Request::notice`] asks for, up to [`NOTICED_MAX`]. Those that an index knows
    /// are not looked for where an earlier check is believed.
    pub noticed: Vec<PathBuf>,
}
