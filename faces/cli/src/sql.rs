//! `manicule sql`: a program of its own, as DataFusion takes longer to build than all else.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};

use anyhow::{Error, anyhow};

use crate::command::addresses::Places;
use crate::command::flag::set;
use crate::command::{Command, Does, Help, Job, Operand, Spelling, Syntax, Table, Usage, help};
use crate::own::own;
use crate::print::{self, Reader};

/// The program, which lies beside this one, or where the shell looks for programs.
const PROGRAM: &str = "manicule-sql";

pub(crate) static COMMAND: Command = Command {
    name: "sql",
    operands: "[QUERY]",
    summary: "ask the tables of all kinds in SQL, joined with each other",
    help: Help {
        calls: &[
            Usage { words: "[OPTIONS] QUERY", about: "Prints what QUERY answers." },
            Usage { words: "[OPTIONS] -f FILE", about: "Asks the statements of FILE." },
            Usage {
                words: "[OPTIONS]",
                about: "Asks what standard input has; at a terminal it has a prompt.",
            },
        ],
        notes: "\
Every table of `manicule table` is a function: rows_partitions('ks/t'), series_samples('data', 'up'). The options are those of
the program manicule-sql, which lies beside manicule or where the shell looks for programs: `manicule-sql --help` lists them.
`cargo install --path faces/sql --features buckets` installs it.",
        exit: "0 when it was done, 2 when something failed.",
    },
    does: Does::Job(&Elsewhere),
};

/// The job of a program: all words are handed on.
struct Elsewhere;

/// What the words are: those of the program, which knows its options.
static SYNTAX: Syntax<Option<OsString>> = Syntax {
    spelling: Spelling::Gnu,
    flags: &[],
    operands: &[Operand::Word(set!(|query, word| *query = Some(word)))],
    places: Places::Local,
};

impl Job for Elsewhere {
    fn table(&self) -> &dyn Table {
        &SYNTAX
    }

    #[cfg(test)]
    fn reads(&self, _: &[OsString]) -> anyhow::Result<()> {
        Ok(())
    }

    fn run(&self, command: &'static Command, path: &str, words: &[OsString]) -> ExitCode {
        if words.iter().any(|word| word == "-h" || word == "--help") {
            return print::text(&help::of(command, self, path));
        }
        let beside = own().map(|own| own.with_file_name(PROGRAM));
        print::command(Reader::Needed, |_| Err(become_program(beside, words)))
    }
}

/// Becomes the program: that beside this one, else the one that the shell would find. It returns
/// what kept it from that.
fn become_program(beside: Option<PathBuf>, words: &[OsString]) -> Error {
    let beside = beside.filter(|program| program.exists());
    let program = beside.as_deref().unwrap_or(Path::new(PROGRAM));
    let error = process::Command::new(program).args(words).exec();
    if error.kind() == ErrorKind::NotFound {
        return anyhow!(
            "SQL is a program of its own, {PROGRAM}, which is not here: \
             `cargo install --path faces/sql --features buckets` installs it"
        );
    }
    anyhow!("{}: {error}", program.display())
}
