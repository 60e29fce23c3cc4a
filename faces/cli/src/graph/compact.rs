//! `manicule graph compact`: a store whose commits are merged.
//!
//! Callers: graph

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::graph::compact;

use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, exit, shared};
use crate::print::{self, Print, Reader};

pub(super) static COMMAND: Command = Command {
    name: "compact",
    operands: "STORE",
    summary: "commits merged into leaves and dictionaries",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE",
            about: "\
Merges all commits of a store into its leaves and dictionaries, which is done in the background anyway when there is enough for it. Who
reads the store goes on with what it had.",
        }],
        exit: "0 when all is merged, also if there was nothing to merge, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared {
    syntax: Syntax::gnu(FLAGS, Operands::One(|o| &mut o.store)),
    new: Options::default,
    finish,
    reader: Reader::Optional,
    answer,
};

static FLAGS: &[Flag<Options>] =
    &[shared::JSON.sets(|o| &mut o.json), shared::QUIET.sets(|o| &mut o.quiet)];

#[derive(Default)]
struct Options {
    store: Option<PathBuf>,
    json: bool,
    quiet: bool,
}

#[derive(Debug)]
struct Call {
    store: PathBuf,
    json: bool,
    quiet: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { store, json, quiet } = options;
    let store = store.context("a store is wanted: manicule graph compact STORE")?;
    Ok(Call { store, json, quiet })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let was_merged = compact(&call.store)?;
    if call.json {
        let fields = serde_json::json!({ "store": print::path(&call.store), "merged": was_merged });
        out.row("summary", fields)?;
    } else if !call.quiet {
        writeln!(out, "{}", if was_merged { "merged" } else { "there was nothing to merge" })?;
    }
    Ok(exit::DONE)
}
