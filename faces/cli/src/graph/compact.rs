//! `manicule graph compact`: a store written from scratch, or with its commits merged.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use manicule::graph::json::CompactedStore;
use manicule::graph::{CompactCall, Compacted, Writer, Writing, merge, merge_beside};
use manicule::watch::Watch;
use serde_json::json;

use super::shared::{WAIT, wait};
use crate::command::flag::set;
use crate::command::spec::{Spec, spec};
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, grouped, human_len, plural};

pub(super) static COMMAND: Command = Command {
    name: "compact",
    operands: "STORE",
    summary: "rewrite a store from scratch, as small as a new one",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE",
            about: "\
Rewrites a store from scratch, as a load of all its quads would: commits are merged into full leaves, terms are in one sorted
dictionary, and unused terms are dropped. Blank nodes keep their numbers. Readers continue with what they opened; old files are
removed once the new ones exist, and those of named snapshots are kept.",
        }],
        notes: "\
`graph update` and `graph load` start a process that merges commits when there are enough of them; --merge does that now, while
others may write, and writes only leaves with changes.",
        exit: "0 on success, also if there was nothing to do, 2 when something failed or a signal came: then the store is unchanged.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> =
    Declared::of(FLAGS, Ok, Reader::Optional, answer).taking(&[Operand::Path(|o| &mut o.store)]);

static FLAGS: &[Flag<Options>] = &[
    spec("merge", "", "Merge commits only.")
        .more("Unchanged leaves are kept.")
        .does(set!(|o| o.is_merge = true)),
    spec("background", "", "For the process that works beside others.")
        .hidden()
        .sets(|o| &mut o.is_background),
    MEMORY.does(set!(|o, value| o.call.memory = value.memory()?)),
    WAIT.does(set!(|o, value| o.writing.wait = wait(&value)?)),
    shared::THREADS.does(set!(|o, value| o.call.threads = value.threads()?)),
    shared::JSON.does(set!(|o| o.form = Form::Json)),
    shared::QUIET.does(set!(|o| o.form = Form::Nothing)),
];

const MEMORY: Spec = shared::MEMORY
    .here("Approximate memory limit, such as 512MiB. Default: 1GiB. Minimum: 16MiB.")
    .more("The rest is spilled to a file in STORE. 4 bytes per term and 8 per number or date are extra.");

#[derive(Debug)]
struct Options {
    store: PathBuf,
    writing: Writing,
    call: CompactCall,
    is_merge: bool,
    is_background: bool,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let (store, writing, call) = (PathBuf::new(), Writing::PLAIN, CompactCall::default());
        Options { store, writing, call, is_merge: false, is_background: false, form: Form::Text }
    }
}

fn answer(asked: &Options, out: &mut Print) -> Result<u8> {
    let Options { store, writing, call, is_merge, is_background, form } = asked;
    if *is_background {
        merge_beside(store, &Watch::none())?;
        return Ok(exit::DONE);
    }
    if *is_merge {
        let was_merged =
            watched(Show::of(*form), Signals::Noted, |watch| merge(store, *writing, watch))?;
        match form {
            Form::Text if was_merged => writeln!(out, "merged")?,
            Form::Text => writeln!(out, "there was nothing to merge")?,
            Form::Json => {
                let fields = json!({ "store": print::path(store), "merged": was_merged });
                out.row("summary", fields)?;
            }
            Form::Nothing => {}
        }
        return Ok(exit::DONE);
    }
    let started = Instant::now();
    let compacted = watched(Show::of(*form), Signals::Noted, |watch| {
        Writer::open(store, *writing, watch)?.compact(call, watch)
    })?;
    match form {
        Form::Text => writeln!(out, "{}", as_text(compacted, started.elapsed()))?,
        Form::Json => print_json(store, compacted, started.elapsed(), out)?,
        Form::Nothing => {}
    }
    Ok(exit::DONE)
}

fn as_text(compacted: Option<Compacted>, took: Duration) -> String {
    let Some(Compacted { quads, terms_dropped, len_before, len }) = compacted else {
        return "there was nothing to compact".to_owned();
    };
    let [before, after] = [len_before, len].map(human_len);
    let (count, noun) = (grouped(quads), plural(quads, "quad"));
    let (dropped, seconds) = (counted(terms_dropped, "unused term"), took.as_secs_f64());
    let what = if len < len_before {
        format!("compacted {count} {noun}, {before} to {after}")
    } else {
        format!("already compact: {count} {noun}, {after}")
    };
    format!("{what}, {dropped} dropped, {seconds:.1} s")
}

fn print_json(
    store: &Path,
    compacted: Option<Compacted>,
    took: Duration,
    out: &mut Print,
) -> Result<()> {
    let call = json!({ "store": print::path(store), "took_ms": took.as_millis() as u64 });
    Ok(out.row("summary", print::json_with(CompactedStore(compacted), call))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("", "missing STORE; usage: manicule graph compact STORE"),
            ("s t", "one word too many: t; usage: manicule graph compact STORE"),
        ] {
            assert_eq!(format!("{:#}", JOB.parsed(line).unwrap_err()), want);
        }
    }

    #[test]
    fn what_was_done_is_said() {
        let took = Duration::from_millis(1250);
        let compacted = Compacted { quads: 1, terms_dropped: 2, len_before: 3000, len: 2000 };
        let text = as_text(Some(compacted), took);
        assert!(text.starts_with("compacted 1 quad, ") && text.contains(" 2 unused terms dropped"));
        let compacted = Compacted { quads: 12_345, terms_dropped: 0, len_before: 2000, len: 2048 };
        let text = as_text(Some(compacted), took);
        assert!(text.starts_with("already compact: 12,345 quads, 2.0 KB, "), "{text}");
        assert_eq!(as_text(None, took), "there was nothing to compact");
    }
}
