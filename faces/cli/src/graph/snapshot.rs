//! `manicule graph snapshot`: a store kept as it is under a name.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::graph::{NamedSnapshot, Writer, Writing, list_snapshots};
use manicule::watch::Watch;
use serde_json::json;

use super::shared::{WAIT, wait};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{self, Form, Print, Reader};
use crate::units::{grouped, human_len};

pub(super) static COMMAND: Command = Command {
    name: "snapshot",
    operands: "STORE [NAME]",
    summary: "keep a named snapshot of a store, to query later with --at NAME",
    help: Help {
        calls: &[
            Usage {
                words: "[OPTIONS] STORE NAME",
                about: "\
Keeps the store as it is now under NAME, replacing any older snapshot of that name. Commits are merged first; nothing is copied.",
            },
            Usage {
                words: "[OPTIONS] STORE [--list]",
                about: "Lists the snapshots: name, last commit, quads, bytes that only the snapshot keeps.",
            },
            Usage {
                words: "[OPTIONS] STORE --drop NAME",
                about: "Drops a snapshot, and removes the files that only it kept.",
            },
        ],
        notes: "\
A snapshot keeps its files until it is dropped: a merge rewrites what changes, and the replaced files stay on disk for the
snapshots that use them. A store without snapshots keeps no old files, however often it is written to; readers are not affected by
their removal. A name is up to 100 letters, digits, -, _ and dots, and doesn't start with a dot. `query`, `export`, `stats` and
`backup` take --at NAME.",
        exit: "0 on success, 1 when there is no snapshot to drop, 2 when something failed, such as when another process is writing.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Optional, answer).at_addresses().taking(&[
        Operand::Path(|o| &mut o.store),
        Operand::Word(set!(|o, word| o.name = Some(word.to_string_lossy().into_owned()))),
    ]);

static FLAGS: &[Flag<Options>] = &[
    spec("list", "", "List the snapshots.")
        .more("This is the default without a name.")
        .sets(|o| &mut o.list),
    spec("drop", "", "Drop the snapshot of this name.")
        .takes("NAME")
        .does(set!(|o, value| o.drop = Some(value.string()?))),
    WAIT.does(set!(|o, value| o.writing.wait = wait(&value)?)),
    shared::JSON
        .here("Print one JSON object; for a list, one per line for each snapshot.")
        .does(set!(|o| o.form = Form::Json)),
    shared::QUIET.does(set!(|o| o.form = Form::Nothing)),
];

struct Options {
    store: PathBuf,
    name: Option<String>,
    list: bool,
    drop: Option<String>,
    writing: Writing,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let (store, writing, form) = (PathBuf::new(), Writing::PLAIN, Form::Text);
        Options { store, name: None, list: false, drop: None, writing, form }
    }
}

#[derive(Debug)]
struct Call {
    store: PathBuf,
    verb: Verb,
    writing: Writing,
    form: Form,
}

#[derive(Debug, PartialEq, Eq)]
enum Verb {
    Keep(String),
    Drop(String),
    List,
}

fn finish(options: Options) -> Result<Call> {
    let Options { store, name, list, drop, writing, form } = options;
    let verb = match (name, drop, list) {
        (Some(name), None, false) => Verb::Keep(name),
        (None, Some(name), false) => Verb::Drop(name),
        (None, None, _) => Verb::List,
        _ => bail!("a name, --drop NAME and --list are three calls"),
    };
    Ok(Call { store, verb, writing, form })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let Call { store, verb, writing, form } = call;
    let writer = || Writer::open(store, *writing, &Watch::none());
    let (word, name) = match verb {
        Verb::List => {
            let snapshots = list_snapshots(store)?;
            return list(&snapshots, *form, out);
        }
        Verb::Keep(name) => {
            writer()?.name_snapshot(name)?;
            ("kept", name)
        }
        Verb::Drop(name) => {
            if !writer()?.drop_snapshot(name)? {
                say(&format_args!("{}: there is no snapshot {name:?}", store.display()));
                return Ok(exit::NOTHING);
            }
            ("dropped", name)
        }
    };
    match form {
        Form::Text => writeln!(out, "{word} {name}")?,
        Form::Json => {
            out.row("summary", json!({ "store": print::path(store), word: name }))?;
        }
        Form::Nothing => {}
    }
    Ok(exit::DONE)
}

fn list(snapshots: &[NamedSnapshot], form: Form, out: &mut Print) -> Result<u8> {
    for snapshot in snapshots {
        let NamedSnapshot { name, commit, quad_count, len, own_len } = snapshot;
        match form {
            Form::Text => {
                let (commit, quads) = (grouped(*commit), grouped(*quad_count));
                let (len, own) = (human_len(*len), human_len(*own_len));
                writeln!(out, "{name}  commit {commit}, {quads} quads, {len}, {own} of it alone")?;
            }
            Form::Json => out.report("snapshot", snapshot)?,
            Form::Nothing => {}
        }
    }
    Ok(exit::DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_calls() {
        let verb = |line: &str| JOB.parsed(line).unwrap().verb;
        assert_eq!(verb("s"), Verb::List);
        assert_eq!(verb("s --list"), Verb::List);
        assert_eq!(verb("s may"), Verb::Keep("may".to_owned()));
        assert_eq!(verb("s --drop may"), Verb::Drop("may".to_owned()));
        for line in ["s may --list", "s may --drop may", "s --list --drop may"] {
            let error = format!("{:#}", JOB.parsed(line).unwrap_err());
            assert_eq!(error, "a name, --drop NAME and --list are three calls", "{line}");
        }
    }
}
