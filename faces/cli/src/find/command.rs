//! `manicule find` as a command: its flags are ripgrep's table, its help is laid out as ripgrep's.

use std::ffi::OsString;
use std::process::ExitCode;

use super::run;
use crate::command::{Command, Does, Help, Job, Table};
use crate::flags::{OPERANDS, SYNTAX, Scripts};
use crate::messages::InvokedAs;

/// The job of the command.
pub(crate) struct Find {
    pub(crate) scripts: Scripts,
}

/// The command.
pub(crate) const fn command(job: &'static Find) -> Command {
    Command {
        name: "find",
        operands: OPERANDS,
        summary: "find a text or regex; ripgrep's flags and output",
        help: Help::NONE,
        does: Does::Job(job),
    }
}

impl Job for Find {
    fn table(&self) -> &dyn Table {
        &SYNTAX
    }

    #[cfg(test)]
    fn reads(&self, words: &[OsString]) -> anyhow::Result<()> {
        crate::flags::parse(words.iter().cloned(), InvokedAs::Manicule).map(drop)
    }

    fn run(&self, _: &'static Command, _: &str, words: &[OsString]) -> ExitCode {
        run(words, InvokedAs::Manicule, self.scripts)
    }
}
