//! `manicule rows schema`: a table as CQL.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use super::recursive::or_one_below;
use super::shared::{SCHEMA, open_table, tell};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::print::{Print, Reader};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "schema",
    operands: "PATH",
    summary: "print a table's schema as CQL, from the metadata of its SSTables",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Prints CREATE TYPE for each user type and CREATE TABLE, as cqlsh accepts them. PATH is a table's folder, whose SSTables are all
read, or a file of one SSTable. Columns are those of all SSTables, with their newest types; differences are noted in a comment.",
        }],
        notes: "\
SSTables don't record the names of the key columns, only types and order: without --schema the names are those of a schema.cql in
the folder, as in snapshots, or of Scylla.db, else key and column1; a comment names the source. Compression, compaction and other
options are not shown.",
        exit: "0 when it was printed, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|options| &mut options.path)]);

static FLAGS: &[Flag<Options>] = &[SCHEMA.does(set!(|o, value| o.schema = Some(value.path())))];

#[derive(Default)]
struct Options {
    path: PathBuf,
    schema: Option<PathBuf>,
}

fn answer(call: &Options, out: &mut Print) -> Result<u8> {
    let names = call.schema.as_deref();
    let schema = open_table(&call.path).and_then(|table| table.schema(names));
    let found = or_one_below(&call.path, schema)?;
    tell(&found.left_out, &found.named);
    writeln!(out, "-- Of {}.", counted(found.sstable_count as u64, "SSTable"))?;
    match &found.named.file {
        Some(file) => writeln!(out, "-- Names of the key: {}.", file.display())?,
        None => writeln!(
            out,
            "-- Names of the key are placeholders, as no SSTable has them: --schema FILE.cql gives them."
        )?,
    }
    for difference in &found.differences {
        writeln!(out, "-- Not the same in all: {difference}.")?;
    }
    write!(out, "{}", found.cql)?;
    Ok(exit::DONE)
}
