//! `manicule series`: Prometheus blocks.
//!
//! Callers: main

use std::ffi::OsString;
use std::process::ExitCode;

use crate::{Command, group};

/// What can be done with series.
const COMMANDS: &[Command] = &[];

/// Answers a command line: 0 when something was found or done, 1 when nothing was, 2 when something failed.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    group::run("series", COMMANDS, words)
}
