//! `manicule find` as a command: its flags are ripgrep's table, its help is laid out as ripgrep's.
//!
//! Callers: program, manual

use std::ffi::OsString;
use std::process::ExitCode;

use super::run;
use crate::command::flag::Spec;
use crate::command::{Command, Does, Help, Job, Spelling};
use crate::flags::FLAGS;
use crate::messages::InvokedAs;

pub(crate) static COMMAND: Command = Command {
    name: "find",
    operands: "TEXT [PATH...]",
    summary: "where a text or regex occurs; ripgrep's flags and manners",
    help: Help::NONE,
    does: Does::Job(&Find),
};

struct Find;

impl Job for Find {
    fn specs(&self) -> Vec<&'static Spec> {
        FLAGS.iter().map(|flag| &flag.spec).collect()
    }

    fn spelling(&self) -> Spelling {
        Spelling::Gnu
    }

    #[cfg(test)]
    fn reads(&self, words: &[OsString]) -> anyhow::Result<()> {
        crate::flags::parse(words.iter().cloned(), InvokedAs::Manicule).map(drop)
    }

    fn run(&self, _: &'static Command, _: &str, words: &[OsString]) -> ExitCode {
        run(words, InvokedAs::Manicule)
    }
}
