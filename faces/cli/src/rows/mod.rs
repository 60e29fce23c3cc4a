//! `manicule rows`: SSTables of Cassandra and ScyllaDB.

mod backups;
mod bounds;
mod chosen;
mod columns;
mod dump;
mod expired;
mod export;
mod extract;
mod holders;
mod list;
mod losses;
mod mark;
mod merge;
mod partitions;
mod rebuild;
mod recursive;
mod salvage;
mod schema;
mod shared;
mod slice;
mod split;
mod stats;
mod stats_fields;
mod times;
mod tombstones;
mod verify;
mod write;
mod written;

use crate::command::{Command, Does, Help};

/// What can be done with SSTables.
pub(crate) static COMMAND: Command = Command {
    name: "rows",
    operands: "slice|schema|dump|verify|...",
    summary: "read, analyze, check, repair and write SSTables of Cassandra and ScyllaDB",
    help: Help {
        notes: "\
A table is its folder, or the Data.db of one of its SSTables: all versions from ma to me, na to pa, da and ea, and ScyllaDB's ms
and mt. Only mark writes into it. No server is needed.",
        ..Help::NONE
    },
    does: Does::Group(&[
        &slice::COMMAND,
        &schema::COMMAND,
        &dump::COMMAND,
        &partitions::COMMAND,
        &tombstones::COMMAND,
        &columns::COMMAND,
        &holders::COMMAND,
        &list::COMMAND,
        &expired::COMMAND,
        &stats::COMMAND,
        &backups::COMMAND,
        &verify::COMMAND,
        &rebuild::COMMAND,
        &salvage::COMMAND,
        &extract::COMMAND,
        &split::COMMAND,
        &merge::COMMAND,
        &mark::COMMAND,
        &write::COMMAND,
        &export::COMMAND,
    ]),
};
