//! Commands: what each is called and says of itself, the table of its flags, and how a command line
//! is handed to it.
//!
//! A command is declared once, as a [`Command`] with a [`Declared`] job; parsing, `--help`, man
//! page and completions are made of that (docs/design/0010-one-way-to-declare-options.md).

pub(crate) mod addresses;
pub(crate) mod exit;
pub(crate) mod flag;
pub(crate) mod group;
pub(crate) mod help;
pub(crate) mod hints;
mod job;
pub(crate) mod near;
pub(crate) mod operand;
pub(crate) mod order;
pub(crate) mod parse;
pub(crate) mod shared;
pub(crate) mod spec;
#[cfg(test)]
mod tests;
pub(crate) mod value;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use flag::Flag;
pub(crate) use job::{Declared, Job};
pub(crate) use operand::Operand;
pub(crate) use parse::{Spelling, Syntax, Table};
pub(crate) use value::{FlagValue, cores};

/// What the program can do, or a group of its commands.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// The main words after the name: `-o DIR BLOCK...`. Overviews show them, and errors of a
    /// wrong number of operands.
    pub(crate) operands: &'static str,
    /// What it does, in a line of an overview.
    pub(crate) summary: &'static str,
    pub(crate) help: Help,
    pub(crate) does: Does,
}

/// What a command's help says beside its flags. Texts are filled; lines that begin with two blanks
/// stand as they are, and paragraphs stand between empty lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Help {
    /// How it is called, each without the name of program and command.
    pub(crate) calls: &'static [Usage],
    /// What stands after the flags.
    pub(crate) notes: &'static str,
    /// What its exit codes mean.
    pub(crate) exit: &'static str,
}

/// A way to call a command, and what it does then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) words: &'static str,
    /// May be empty where another call says it.
    pub(crate) about: &'static str,
}

/// What a command's words lead to.
pub(crate) enum Does {
    Job(&'static dyn Job),
    Group(&'static [&'static Command]),
}

impl Help {
    /// Of a group or of a command with a help of its own.
    pub(crate) const NONE: Help = Help { calls: &[], notes: "", exit: "" };
}

impl Command {
    /// Answers the words after the command's name; `path` is that name, after that of its group.
    pub(crate) fn run(&'static self, path: &str, words: &[OsString]) -> ExitCode {
        match self.does {
            Does::Job(job) => job.run(self, path, words),
            Does::Group(commands) => group::run(self, commands, words),
        }
    }
}

/// The program's name and version, as `--version` prints them.
pub(crate) fn version() -> String {
    format!("manicule {}\n", env!("CARGO_PKG_VERSION"))
}

/// The words for a path below another: `series select`.
pub(crate) fn path_of(group: &str, name: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{group} {name}") }
}
