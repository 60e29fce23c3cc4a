//! `manicule graph load`: documents of RDF into a store.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use manicule::graph::json::LoadFault;
use manicule::graph::{LoadCall, Loaded, Merges, OnFault, Syntax as Rdf, WhenLost, Writing, load};
use serde_json::json;

use super::shared::{
    BASE, FORGET, MEANT, NO_MERGE, SYNTAXES, WAIT, merge_if_due, say_forgotten, wait,
};
use crate::command::flag::set;
use crate::command::spec::{Spec, spec};
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{self, Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, grouped, plural};

pub(super) static COMMAND: Command = Command {
    name: "load",
    operands: "STORE FILE...",
    summary: "load RDF documents into a store, as one transaction",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE FILE...",
            about: "\
Loads documents into the store in a folder, which is created if missing. The syntax of FILE follows from its extension: .nt, .nq,
.ttl, .trig, .rdf, .xml, .owl, .jsonld, .json, each also as .gz, .zst or .bz2. `-` is standard input, whose syntax --format gives.",
        }],
        notes: "\
All documents are one transaction: after an error, or a signal, none of them is loaded. An empty store is written directly,
without the log; otherwise statements are added as by an update. Blank nodes of different documents are distinct. Relative IRIs
are resolved against the file's URL, unless --base is given.",
        exit: "0 when everything was loaded, 1 when --lenient skipped something, 2 when something failed: errors in statements have file, line and column.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Optional, answer)
    .taking(&[Operand::Path(|o| &mut o.store), Operand::Paths(|o| &mut o.call.files)]);

static FLAGS: &[Flag<Options>] = &[
    spec("format", "", "Syntax of all documents, whatever their extensions.")
        .takes("SYNTAX")
        .choices(&SYNTAXES)
        .does(set!(|o, value| o.call.syntax = Some(value.choice_or(&MEANT, Rdf::of_word)?))),
    spec("graph", "g", "Load statements without a graph into this one.")
        .takes("IRI")
        .does(set!(|o, value| o.call.graph = Some(value.string()?))),
    BASE.does(set!(|o, value| o.call.base = Some(value.string()?))),
    spec("lenient", "", "Skip and count invalid statements.")
        .more("The first of them are reported on standard error.")
        .does(set!(|o| o.call.on_fault = OnFault::LeaveOut)),
    MEMORY.does(set!(|o, value| o.call.memory = value.memory()?)),
    shared::THREADS
        .here("Number of threads of a load into an empty store; 0 chooses automatically.")
        .does(set!(|o, value| o.call.threads = value.threads()?)),
    WAIT.does(set!(|o, value| o.writing.wait = wait(&value)?)),
    NO_MERGE.does(set!(|o| o.writing.merges = Merges::Elsewhere)),
    FORGET.does(set!(|o| o.writing.lost = WhenLost::Forget)),
    shared::JSON.does(set!(|o| o.form = Form::Json)),
    shared::QUIET.does(set!(|o| o.form = Form::Nothing)),
];

const MEMORY: Spec = shared::MEMORY
    .here("Memory of a load into an empty store, such as 512MiB. Default: 1GiB. Minimum: 16MiB.")
    .more("The rest is spilled to a file in STORE. Numbers and dates, 8 bytes each, are extra.");

#[derive(Debug)]
struct Options {
    store: PathBuf,
    writing: Writing,
    call: LoadCall,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let (store, call) = (PathBuf::new(), LoadCall::new(Vec::new()));
        let writing = Writing { merges: Merges::Beside, ..Writing::PLAIN };
        Options { store, writing, call, form: Form::Text }
    }
}

fn answer(asked: &Options, out: &mut Print) -> Result<u8> {
    let Options { store, writing, call, form } = asked;
    let started = Instant::now();
    let loaded =
        watched(Show::of(*form), Signals::Noted, |watch| load(store, *writing, call, watch))?;
    say_forgotten(loaded.forgotten.as_ref());
    for (file, fault) in &loaded.faults {
        say(&format_args!("left out {}:{fault}", file.display()));
    }
    let others = loaded.fault_count - loaded.faults.len() as u64;
    if others > 0 {
        say(&format_args!("left out {} more", counted(others, "bad statement")));
    }
    match form {
        Form::Text => out.write_all(as_text(&loaded, started.elapsed()).as_bytes())?,
        Form::Json => print_json(store, &loaded, started.elapsed(), out)?,
        Form::Nothing => {}
    }
    merge_if_due(loaded.is_merge_due, store);
    Ok(if loaded.fault_count > 0 { exit::NOTHING } else { exit::DONE })
}

fn as_text(loaded: &Loaded, took: Duration) -> String {
    let (statements, noun) = (grouped(loaded.statements), plural(loaded.statements, "statement"));
    let (added, seconds) = (grouped(loaded.added), took.as_secs_f64());
    format!("loaded {statements} {noun}, {added} new, {seconds:.1} s\n")
}

fn print_json(store: &Path, loaded: &Loaded, took: Duration, out: &mut Print) -> Result<()> {
    for (path, fault) in &loaded.faults {
        out.report("fault", LoadFault { path, fault })?;
    }
    let call = json!({ "store": print::path(store), "took_ms": took.as_millis() as u64 });
    Ok(out.row("summary", print::json_with(loaded, call))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("", "missing STORE; usage: manicule graph load STORE FILE..."),
            ("s", "missing FILE; usage: manicule graph load STORE FILE..."),
            (
                "s a --format n3",
                "--format is ntriples, nquads, turtle, trig, rdfxml or jsonld, not \"n3\"",
            ),
        ] {
            assert_eq!(format!("{:#}", JOB.parsed(line).unwrap_err()), want);
        }
    }
}
