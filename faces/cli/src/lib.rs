//! The command line as a library of one function: for the program, `main.rs`, and for the one in
//! the wheel.

mod below;
mod blobs;
mod cache;
mod code;
mod command;
mod elsewhere;
mod find;
mod flags;
mod graph;
mod inspect;
mod manual;
mod mcp;
mod messages;
mod named;
mod own;
mod panics;
mod picture;
mod print;
mod program;
mod progress;
mod receipt;
mod report;
mod rows;
mod series;
mod shown;
mod signals;
mod table;
mod units;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use messages::{InvokedAs, set_invoked_as};
use own::set_own;

/// Runs a command line, and prints what it answers. It looks at the name it was called by, the
/// first of the words, and hands the rest to ripgrep's command line or its own.
///
/// `program` is its own file, started again for work that goes on after an answer, such as an index
/// that is kept; without one such work is left.
pub fn main(program: Option<PathBuf>, mut words: impl Iterator<Item = OsString>) -> ExitCode {
    panics::say_as_errors();
    set_own(program);
    let called = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    if Path::new(&called).file_stem() == Some(OsStr::new("rg")) {
        set_invoked_as(InvokedAs::Ripgrep);
        return program::run_as_ripgrep(&words);
    }
    set_invoked_as(InvokedAs::Manicule);
    program::run(&words)
}
