//! Flags of several commands of graph, and what they do with them.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use manicule::graph::{LostCommits, Syntax, merge_later};
use manicule::output::put_whole;

use crate::command::FlagValue;
use crate::command::spec::{Spec, spec};
use crate::messages::say;
use crate::own::own;

/// Syntaxes by their names, for `--format`.
pub(super) const SYNTAXES: [(&str, &str); 6] = [
    ("ntriples", "one triple per line"),
    ("nquads", "one quad per line"),
    ("turtle", "Turtle"),
    ("trig", "Turtle with named graphs"),
    ("rdfxml", "RDF/XML"),
    ("jsonld", "JSON-LD"),
];

/// The syntaxes in the order of [`SYNTAXES`].
pub(super) const MEANT: [Syntax; 6] = Syntax::ALL;

pub(super) const BASE: Spec =
    spec("base", "", "Resolve relative IRIs against this one.").takes("IRI");
pub(super) const FILE: Spec =
    spec("file", "f", "Read the query or request from this file; `-` is standard input.")
        .takes("FILE");
pub(super) const UNION: Spec =
    spec("union", "", "Use the union of all graphs as the default graph.");
pub(super) const AT: Spec =
    spec("at", "", "Use the store as of this named snapshot.").takes("NAME");
pub(super) const TIMEOUT: Spec =
    spec("timeout", "", "Exit with 2 after this time, such as 10s or 1m.").takes("TIME");
pub(super) const WAIT: Spec =
    spec("wait", "", "Wait this long for another writer, such as 10s. Default: 1s.").takes("TIME");
pub(super) const NO_MERGE: Spec = spec("no-merge", "", "Don't start a process that merges commits.").more(
    "Without this flag, one of lowest priority is started when there are enough commits, except for a store in the folder for temporary files.",
);
pub(super) const FORGET: Spec = spec(
    "forget-after-damage",
    "",
    "Discard the commits that a damaged log has lost.",
)
.more(
    "Their number is reported on standard error. Without this flag, nothing is written to such a store.",
);
pub(super) const PREFIX: Spec = spec("prefix", "", "Write IRIs that begin with IRI as NAME:rest.")
    .takes("NAME=IRI")
    .more("May be repeated. For turtle, trig and rdfxml.");

/// Writes a file that appears when it is whole. What went wrong with the file itself is said with
/// its name.
pub(super) fn put_named<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    put_whole(path, write).map_err(|error: anyhow::Error| {
        if error.is::<io::Error>() { error.context(path.display().to_string()) } else { error }
    })
}

/// How long a process that writes is waited for.
pub(super) fn wait(value: &FlagValue) -> Result<Duration> {
    Ok(Duration::from_millis(u64::try_from(value.duration_ms()?).unwrap_or_default()))
}

/// Has a process of its own merge what is due, which this one doesn't wait for.
pub(super) fn merge_if_due(is_due: bool, store: &Path) {
    if let (true, Some(program)) = (is_due, own()) {
        // The next commit starts another one.
        drop(merge_later(&program, store));
    }
}

/// Says which commits were given up.
pub(super) fn say_forgotten(forgotten: Option<&LostCommits>) {
    if let Some(lost) = forgotten {
        say(&format_args!("given up: {lost}"));
    }
}

/// A prefix as it is given: its name and its IRI.
pub(super) fn prefix(text: &str) -> Result<(String, String)> {
    let (name, iri) =
        text.split_once('=').with_context(|| format!("--prefix wants NAME=IRI, not {text:?}"))?;
    Ok((name.to_owned(), iri.to_owned()))
}
