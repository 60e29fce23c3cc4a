//! `manicule code`: source code in zoekt shards.
//!
//! Callers: main

mod index;
mod json;
mod lines;
mod search;
mod show;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::manual::Manual;
use crate::{Command, group};

/// What can be done with code.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "index",
        help: "DIR...            zoekt's shards of a folder, as zoekt-index writes them",
        run: index::run,
        manual: Manual::Text(index::HELP),
    },
    Command {
        name: "search",
        help: "QUERY [PATH...]  zoekt's query language over shards, ours or zoekt's",
        run: search::run,
        manual: Manual::Text(search::HELP),
    },
];

/// Answers a command line: 0 when something was found or done, 1 when nothing was, 2 when something failed.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    group::run("code", COMMANDS, words)
}
