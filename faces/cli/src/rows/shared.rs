//! Flags of several commands of rows, and what they say of SSTables that were left out.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use manicule::rows::{Ahead, Error, LeftOut, Named, OpenCall, Sstables, Table};

use crate::command::spec::{Spec, spec};
use crate::messages::say;

pub(super) const SCHEMA: Spec = spec(
    "schema",
    "",
    "CQL file with the CREATE TABLE statement; it supplies the names of the key columns.",
)
.takes("FILE");

pub(super) const TIMES: Spec =
    spec("times", "", "Print when each value was written, and when it expires.");

pub(super) const RAW: Spec =
    spec("raw", "", "Print the contents of each SSTable, rows and tombstones, not merged.");

/// A partition key as a command line has it.
pub(super) fn key_of(word: OsString) -> Result<String> {
    word.into_string().ok().context("the key is not valid UTF-8: 0x.. is its bytes")
}

/// Opens a table, of which nothing else is opened yet.
pub(super) fn open_table(path: &Path) -> Result<Table, Error> {
    Table::open(&OpenCall::new(path.to_owned()))
}

/// The same, for what its SSTables say of themselves.
pub(super) fn open_for_statistics(path: &Path) -> Result<Table, Error> {
    Table::open(&OpenCall { ahead: Ahead::Statistics, ..OpenCall::new(path.to_owned()) })
}

/// A table, and all its SSTables, open.
pub(super) struct Whole {
    pub(super) table: Table,
    pub(super) sstables: Sstables,
}

/// Opens a table and all its SSTables.
pub(super) fn open_whole(path: &Path) -> Result<Whole, Error> {
    let table = open_table(path)?;
    let sstables = table.sstables()?;
    Ok(Whole { table, sstables })
}

/// Names on standard error what was left out of a table.
pub(super) fn name_left_out(left_out: &[LeftOut]) {
    for LeftOut { path, why, .. } in left_out {
        say(&format_args!("left out {}: {why}", path.display()));
    }
}

/// The same, and why a schema beside it was not used.
pub(super) fn tell(left_out: &[LeftOut], named: &Named) {
    name_left_out(left_out);
    if let Some(error) = &named.passed_over {
        say(&format_args!("names of the key's columns are placeholders: {error}"));
    }
}
