//! The joint between a face that searches files and the engine that knows which files there are.
//!
//! Callers: faces/manicule

use std::fs::File;
use std::path::{Path, PathBuf};

use super::Rules;

/// What a call wants from the tree.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where to look, as the user wrote it; `./` when nothing was given, `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// Which files count.
    pub rules: Rules,
    /// In which order visitors see them.
    pub order: Order,
    /// How many visitors work side by side; 1 keeps everything on the caller's thread.
    pub threads: usize,
}

/// The order of the files within a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Whatever is fastest; not the same from call to call.
    Any,
    /// By path, rising, compared name by name; wants one thread.
    Path,
}

/// How a file came into the call.
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
    /// How it came into the call.
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

/// What a face does with the files. One value works on one thread.
pub trait Visit: Send {
    /// Looks into one file, or lists it.
    fn file(&mut self, candidate: Candidate<'_>) -> Flow;

    /// An entry that could not be read; it fails the call's exit code, not the call.
    fn error(&mut self, error: &ignore::Error) -> Flow;

    /// A line of an ignore file that could not be used; the entry itself is visited.
    fn warning(&mut self, error: &ignore::Error);
}

/// What a call has cost and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Files handed to a visitor.
    pub opened: u64,
}
