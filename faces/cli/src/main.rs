//! The program. It looks at the name it was called by, and hands the words to ripgrep's command line or its own.

mod below;
mod blobs;
mod cache;
mod code;
mod command;
mod documents;
mod find;
mod flags;
mod graph;
mod inspect;
mod manual;
mod messages;
mod named;
mod picture;
mod print;
mod program;
mod progress;
mod receipt;
mod rows;
mod series;
mod shown;
mod signals;
mod units;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use messages::{InvokedAs, set_invoked_as};

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    if Path::new(&called).file_stem() == Some(OsStr::new("rg")) {
        set_invoked_as(InvokedAs::Ripgrep);
        return program::run_as_ripgrep(&words);
    }
    set_invoked_as(InvokedAs::Manicule);
    program::run(&words)
}
