//! `manicule graph update`: a change in SPARQL.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::graph::{DefaultGraphChoice, Merges, UpdateCall, WhenLost, Writer, Writing};
use serde_json::json;

use super::shared::{
    BASE, FILE, FORGET, NO_MERGE, TIMEOUT, UNION, WAIT, merge_if_due, say_forgotten, wait,
};
use super::text::{Late, Words, within};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Form, Print, Reader};
use crate::receipt;
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "update",
    operands: "STORE [UPDATE]",
    summary: "run a SPARQL 1.2 update, as one transaction",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE [UPDATE]",
            about: "\
Runs a SPARQL 1.2 Update request: its operations in order, each seeing the effects of those before it. The request is one
argument, or is read from -f FILE.",
        }],
        notes: "\
The request is one transaction: after an error, or a signal, nothing is changed. LOAD reads files, as in LOAD <file:///data/a.ttl>.",
        exit: "0 when everything is done and durable, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .taking(&[Operand::Path(|o| &mut o.words.store), Operand::Word(|o, word| o.words.take(word))]);

static FLAGS: &[Flag<Options>] = &[
    FILE.does(set!(|o, value| o.words.file = Some(value.path()))),
    UNION.sets(|o| &mut o.union),
    BASE.does(set!(|o, value| o.base = Some(value.string()?))),
    TIMEOUT.does(set!(|o, value| o.timeout_ms = Some(value.duration_ms()?))),
    WAIT.does(set!(|o, value| o.writing.wait = wait(&value)?)),
    NO_MERGE.does(set!(|o| o.writing.merges = Merges::Elsewhere)),
    FORGET.does(set!(|o| o.writing.lost = WhenLost::Forget)),
    shared::RECEIPT.sets(|o| &mut o.receipt),
    shared::JSON.does(set!(|o| o.form = Form::Json)),
    shared::QUIET.does(set!(|o| o.form = Form::Nothing)),
];

struct Options {
    words: Words,
    union: bool,
    base: Option<String>,
    timeout_ms: Option<i64>,
    writing: Writing,
    receipt: bool,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let (words, form, writing) = (Words::default(), Form::Text, Writing::PLAIN);
        let writing = Writing { merges: Merges::Beside, ..writing };
        Options { words, union: false, base: None, timeout_ms: None, writing, receipt: false, form }
    }
}

#[derive(Debug)]
struct Call {
    store: PathBuf,
    writing: Writing,
    call: UpdateCall,
    timeout_ms: Option<i64>,
    receipt: bool,
    form: Form,
}

fn finish(options: Options) -> Result<Call> {
    let Options { words, union, base, timeout_ms, writing, receipt, form } = options;
    let (store, text) = words.finish("update")?;
    let default_graph = if union { DefaultGraphChoice::Union } else { DefaultGraphChoice::Own };
    let call = UpdateCall { base, default_graph, ..UpdateCall::new(text) };
    Ok(Call { store, writing, call, timeout_ms, receipt, form })
}

fn answer(asked: &Call, out: &mut Print) -> Result<u8> {
    let Call { store, writing, call, timeout_ms, form, .. } = asked;
    let (writer, updated) = within(*timeout_ms, Late::Awaited, |watch| {
        let writer = Writer::open(store, *writing, watch)?;
        let updated = writer.update(call, watch)?;
        // All is done and durable: what of it isn't merged, the next one merges.
        drop(writer.wait_for_merge());
        anyhow::Ok((writer, updated))
    })?;
    say_forgotten(writer.forgotten());
    match form {
        Form::Text => {
            let [added, removed] = [updated.added, updated.removed].map(|it| counted(it, "quad"));
            writeln!(out, "added {added}, removed {removed}")?;
        }
        Form::Json => {
            let store = json!({ "store": print::path(store) });
            out.row("summary", print::json_with(&updated, store))?;
        }
        Form::Nothing => {}
    }
    if asked.receipt {
        receipt::print(&updated.work.fields(), *form, out)?;
    }
    let is_merge_due = writer.is_merge_due();
    drop(writer);
    merge_if_due(is_merge_due, store);
    Ok(exit::DONE)
}
