//! `manicule rows holders`: which SSTables have a partition.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::json::Holder;

use super::recursive::or_one_below;
use super::shared::{key_of, name_left_out, open_table};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
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

static JOB: Declared<Options> =
    Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Path(|o| &mut o.table),
        Operand::Word(set!(|o, word| o.key = key_of(word)?)),
    ]);

static FLAGS: &[Flag<Options>] = &[shared::JSON
    .here("Print one JSON object per line: one for each SSTable, with the partition's offset in the uncompressed data, then the totals.")
    .sets(|o| &mut o.json)];

#[derive(Default)]
struct Options {
    table: PathBuf,
    key: String,
    json: bool,
}

fn answer(call: &Options, out: &mut Print) -> Result<u8> {
    let holders = open_table(&call.table).and_then(|table| table.holders(&call.key));
    let found = or_one_below(&call.table, holders)?;
    name_left_out(&found.left_out);
    for (path, offset) in &found.list {
        if call.json {
            out.report("holder", Holder { path, offset: *offset })?
        } else {
            writeln!(out, "{}", path.display())?
        }
    }
    if call.json {
        out.report("summary", &found)?;
    } else if found.list.is_empty() {
        let (table, all) = (call.table.display(), counted(found.sstable_count as u64, "SSTable"));
        say(&format_args!("{table}: none of {all} has the partition {}", call.key));
    }
    Ok(exit::if_any(!found.list.is_empty()))
}
