//! `manicule rows holders`: which SSTables have a partition.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule::rows::{OpenCall, holders};
use serde_json::json;

use super::recursive::or_one_below;
use super::shared::name_left_out;
use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, exit, shared};
use crate::messages::say;
use crate::print::{self, Print, Reader};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "holders",
    operands: "TABLE KEY",
    summary: "list the SSTables that have a partition, as nodetool getsstables does, without a node",
    help: Help {
        calls: &[Usage {
            words: "[--json] TABLE KEY",
            about: "\
Lists the paths of the SSTables that have the partition KEY, one per line. Bloom filters are checked first, then the index if the
filter admits the key: each SSTable listed really has the key. TABLE is a table's folder, or the Data.db of one SSTable.",
        }],
        notes: "\
KEY is in CQL syntax, 'text', 5, (4, 'text'), in sstabledump's, text, 5, 4:text, or its bytes, 0x00ff, as with nodetool
getsstables -hf.",
        exit: "0 when an SSTable has it, 1 when none has, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared {
    syntax: Syntax::gnu(FLAGS, Operands::Call(operand)),
    new: Options::default,
    finish,
    reader: Reader::Needed,
    answer,
};

static FLAGS: &[Flag<Options>] = &[shared::JSON
    .here("Print one JSON object per line: one for each SSTable, with the partition's offset in the uncompressed data, then the totals.")
    .sets(|o| &mut o.json)];

#[derive(Default)]
struct Options {
    table: Option<PathBuf>,
    key: Option<String>,
    json: bool,
}

struct Call {
    table: PathBuf,
    key: String,
    json: bool,
}

fn operand(options: &mut Options, word: OsString) -> Result<()> {
    if options.table.is_none() {
        options.table = Some(word.into());
        return Ok(());
    }
    let word = word.into_string().ok().context("the key is not valid UTF-8: 0x.. is its bytes")?;
    match &options.key {
        None => options.key = Some(word),
        Some(key) => bail!("expected one key, in one word: {key:?} is followed by {word:?}"),
    }
    Ok(())
}

fn finish(options: Options) -> Result<Call> {
    let table = options.table.context("missing TABLE; usage: manicule rows holders TABLE KEY")?;
    let key = options.key.context("missing KEY; usage: manicule rows holders TABLE KEY")?;
    Ok(Call { table, key, json: options.json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let found = or_one_below(&call.table, holders(&OpenCall::new(call.table.clone()), &call.key))?;
    name_left_out(&found.left_out);
    for (path, offset) in &found.list {
        if call.json {
            out.row("holder", json!({ "path": print::path(path), "offset": offset }))?
        } else {
            writeln!(out, "{}", path.display())?
        }
    }
    if call.json {
        let sums = json!({
            "sstables": found.sstable_count, "admitted": found.admitted_count,
            "holding": found.list.len(),
        });
        out.row("summary", sums)?;
    } else if found.list.is_empty() {
        let (table, all) = (call.table.display(), counted(found.sstable_count as u64, "SSTable"));
        say(&format_args!("{table}: none of {all} has the partition {}", call.key));
    }
    Ok(exit::if_any(!found.list.is_empty()))
}
