//! `manicule graph`: stores of RDF.
//!
//! Callers: program

mod backup;
mod compact;
mod explain;
mod export;
mod load;
mod query;
mod snapshot;
mod stats;
mod table;
mod text;
mod update;

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use manicule::graph::{LostCommits, Syntax, merge_later};
use manicule::output::put_whole;

use crate::command::spec::{Spec, spec};
use crate::command::{Command, Does, FlagValue, Help};
use crate::messages::say;

/// What can be done with stores of RDF.
pub(crate) static COMMAND: Command = Command {
    name: "graph",
    operands: "load|query|update|export|stats|snapshot|backup|compact",
    summary: "a store of RDF in a folder: loaded, asked and changed in SPARQL 1.1, exported, copied",
    help: Help {
        notes: "\
A store is a folder, which `manicule graph load` makes. One process at a time writes to it; any number read beside it, each one
moment of it. Loads and updates are transactions: durable when the command ends with 0, and not there at all otherwise. `manicule find`,
`manicule inspect` and `manicule verify` know stores too.",
        ..Help::NONE
    },
    does: Does::Group(&[
        &load::COMMAND,
        &query::COMMAND,
        &update::COMMAND,
        &export::COMMAND,
        &stats::COMMAND,
        &snapshot::COMMAND,
        &backup::COMMAND,
        &compact::COMMAND,
    ]),
};

/// Syntaxes by their names, for `--format`.
const SYNTAXES: [(&str, &str); 6] = [
    ("ntriples", "a triple a line"),
    ("nquads", "a quad a line"),
    ("turtle", "Turtle"),
    ("trig", "Turtle with named graphs"),
    ("rdfxml", "RDF/XML"),
    ("jsonld", "JSON-LD"),
];

/// The syntaxes in the order of [`SYNTAXES`].
const MEANT: [Syntax; 6] = Syntax::ALL;

const BASE: Spec = spec("base", "", "Resolve relative IRIs against this one.").takes("IRI");
const FILE: Spec =
    spec("file", "f", "Read the text from this file; `-` is standard input.").takes("FILE");
const UNION: Spec = spec("union", "", "Take the union of all graphs for the default graph.");
const AT: Spec = spec("at", "", "Take the store as this named snapshot has it.").takes("NAME");
const TIMEOUT: Spec =
    spec("timeout", "", "End with 2 after this time, such as 10s or 1m.").takes("TIME");
const WAIT: Spec =
    spec("wait", "", "Wait this long for another process that writes, such as 10s (1s).")
        .takes("TIME");
const NO_MERGE: Spec = spec("no-merge", "", "Leave commits to be merged by somebody else.").more(
    "Without it, a process of lowest priority is started for that when there are enough of them; not for a store among temporary files.",
);
const FORGET: Spec = spec(
    "forget-after-damage",
    "",
    "Give up the commits that a damaged log has lost.",
)
.more(
    "How many they are is said on standard error. Without it, nothing is written to such a store.",
);
const PREFIX: Spec = spec("prefix", "", "Write IRIs that begin with IRI as NAME:rest.")
    .takes("NAME=IRI")
    .more("May be repeated. For turtle, trig and rdfxml.");

/// Writes a file that appears when it is whole. What went wrong with the file itself is said with its name.
fn put_named<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    put_whole(path, write).map_err(|error: anyhow::Error| match error.is::<io::Error>() {
        true => error.context(path.display().to_string()),
        false => error,
    })
}

/// How long a process that writes is waited for.
fn wait(value: &FlagValue) -> Result<Duration> {
    Ok(Duration::from_millis(u64::try_from(value.duration_ms()?).unwrap_or_default()))
}

/// Has a process of its own merge what is due, which this one doesn't wait for.
fn merge_if_due(is_due: bool, store: &Path) {
    if let (true, Ok(program)) = (is_due, std::env::current_exe()) {
        // The next commit starts another one.
        drop(merge_later(&program, store));
    }
}

/// Says which commits were given up.
fn say_forgotten(forgotten: Option<&LostCommits>) {
    if let Some(lost) = forgotten {
        say(&format_args!("given up: {lost}"));
    }
}

/// A prefix as it is given: its name and its IRI.
fn prefix(text: &str) -> Result<(String, String)> {
    let (name, iri) =
        text.split_once('=').with_context(|| format!("--prefix wants NAME=IRI, not {text:?}"))?;
    Ok((name.to_owned(), iri.to_owned()))
}
