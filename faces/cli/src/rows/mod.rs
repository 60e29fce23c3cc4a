//! `manicule rows`: SSTables of Cassandra and ScyllaDB.
//!
//! Callers: program

mod dump;

use crate::command::{Command, Does, Help};

/// What can be done with SSTables.
pub(crate) static COMMAND: Command = Command {
    name: "rows",
    operands: "dump",
    summary: "SSTables of Cassandra and ScyllaDB: dumped",
    help: Help {
        notes: "\
A table is its folder, or the Data.db of one of its SSTables: all versions from mc to me, na to pa, da and ea, and ScyllaDB's ms and
mt by their description. Nothing is written beside it, and no server is needed.",
        ..Help::NONE
    },
    does: Does::Group(&[&dump::COMMAND]),
};
