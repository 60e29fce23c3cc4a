//! Commands that are programs of their own, as what they are built of takes longer to build than
//! all else: `manicule sql` has DataFusion, `manicule serve` a server.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};

use anyhow::{Error, anyhow};

use crate::command::addresses::Places;
use crate::command::{Command, Does, Help, Job, Operand, Spelling, Syntax, Table, Usage, help};
use crate::own::own;
use crate::print::{self, Reader};

pub(crate) static SQL: Command = Command {
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
    does: Does::Job(&Elsewhere {
        what: "SQL",
        program: "manicule-sql",
        install: "--path faces/sql",
        syntax: &QUERY,
    }),
};

pub(crate) static SERVE: Command = Command {
    name: "serve",
    operands: "[NAME=]PLACE...",
    summary: "serve files to their systems' own clients over HTTP, and a page to browsers",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [NAME=]PLACE...",
            about: "Serves each PLACE until it is asked to end; without one those of manicule.toml.",
        }],
        notes: "\
SPARQL clients, Prometheus (by remote read) and Grafana, zoekt's clients and restic find what they ask for at one port, 6264 of
loopback, and a browser finds a page. The options are those of the program manicule-server, which lies beside manicule or where
the shell looks for programs: `manicule-server --help` lists them. `cargo install --profile lasting --path
faces/server --features buckets` installs it.",
        exit: "0 when it was asked to end, 2 when something failed.",
    },
    does: Does::Job(&Elsewhere {
        what: "the server",
        program: "manicule-server",
        install: "--profile lasting --path faces/server",
        syntax: &PLACES,
    }),
};

/// The job of a program: all words are handed on.
struct Elsewhere {
    /// What the program is, in a sentence.
    what: &'static str,
    /// The program, which lies beside this one, or where the shell looks for programs.
    program: &'static str,
    /// What cargo is told to install it.
    install: &'static str,
    /// What the words are: those of the program, which knows its options.
    syntax: &'static Syntax<()>,
}

static QUERY: Syntax<()> = syntax(&[Operand::Word(|(), _| Ok(()))]);
static PLACES: Syntax<()> = syntax(&[Operand::Words(|(), _| Ok(()))]);

const fn syntax(operands: &'static [Operand<()>]) -> Syntax<()> {
    Syntax { spelling: Spelling::Gnu, flags: &[], operands, places: Places::Local }
}

impl Job for Elsewhere {
    fn table(&self) -> &dyn Table {
        self.syntax
    }

    #[cfg(test)]
    fn reads(&self, _: &[OsString]) -> anyhow::Result<()> {
        Ok(())
    }

    fn run(&self, command: &'static Command, path: &str, words: &[OsString]) -> ExitCode {
        let beside = own().map(|own| own.with_file_name(self.program));
        if words.iter().any(|word| word == "-h" || word == "--help") {
            return print::text(&help::of(command, self, path));
        }
        print::command(Reader::Needed, |_| Err(self.become_program(beside, words)))
    }
}

impl Elsewhere {
    /// Becomes the program: that beside this one, else the one that the shell would find. It
    /// returns what kept it from that.
    fn become_program(&self, beside: Option<PathBuf>, words: &[OsString]) -> Error {
        let beside = beside.filter(|program| program.exists());
        let program = beside.as_deref().unwrap_or(Path::new(self.program));
        let error = process::Command::new(program).args(words).exec();
        if error.kind() != ErrorKind::NotFound {
            return anyhow!("{}: {error}", program.display());
        }
        let Elsewhere { what, program, install, .. } = self;
        anyhow!(
            "{what} is a program of its own, {program}, which is not here: \
             `cargo install {install} --features buckets` installs it"
        )
    }
}
