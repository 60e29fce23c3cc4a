//! `manicule graph backup`: a copy of a store, made while it is written to.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::graph::backup;
use serde_json::json;

use super::shared::AT;
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Form, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "backup",
    operands: "STORE FOLDER",
    summary: "copy a store while others write to it",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] STORE FOLDER",
            about: "\
Copies a store as it is now, with all commits that are durable when the command starts, into a folder that is new or empty. The
copy is an ordinary store, without named snapshots. Writers are not blocked.",
        }],
        notes: "\
The copy appears only when complete and synced: after an error, or a signal, the folder has no store. The checksum of each file is
verified as it is copied.",
        exit: "0 when the copy is complete, 2 when something failed: there is no such store or snapshot, a file is damaged, the folder isn't empty.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Optional, answer)
    .taking(&[Operand::Path(|o| &mut o.store), Operand::Path(|o| &mut o.target)]);

static FLAGS: &[Flag<Options>] = &[
    AT.does(set!(|o, value| o.at = Some(value.string()?))),
    shared::JSON.does(set!(|o| o.form = Form::Json)),
    shared::QUIET.does(set!(|o| o.form = Form::Nothing)),
];

#[derive(Debug)]
struct Options {
    store: PathBuf,
    target: PathBuf,
    at: Option<String>,
    form: Form,
}

impl Default for Options {
    fn default() -> Options {
        let (store, target) = (PathBuf::new(), PathBuf::new());
        Options { store, target, at: None, form: Form::Text }
    }
}

fn answer(call: &Options, out: &mut Print) -> Result<u8> {
    let Options { store, target, at, form } = call;
    let made = watched(Show::of(*form), Signals::Noted, |watch| {
        backup(store, at.as_deref(), target, watch)
    })?;
    match form {
        Form::Text => {
            let (files, len) = (counted(made.file_count, "file"), human_len(made.len));
            writeln!(out, "copied commit {}: {files}, {len}", made.commit)?;
        }
        Form::Json => {
            let call = json!({ "store": print::path(store), "folder": print::path(target) });
            out.row("summary", print::json_with(made, call))?;
        }
        Form::Nothing => {}
    }
    Ok(exit::DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("", "missing STORE; usage: manicule graph backup STORE FOLDER"),
            ("s", "missing FOLDER; usage: manicule graph backup STORE FOLDER"),
            ("s t u", "one word too many: u; usage: manicule graph backup STORE FOLDER"),
        ] {
            assert_eq!(format!("{:#}", JOB.parsed(line).unwrap_err()), want);
        }
    }
}
