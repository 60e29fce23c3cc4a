//! `manicule graph`: stores of RDF.

mod backup;
mod compact;
mod explain;
mod export;
mod load;
mod query;
mod shared;
mod snapshot;
mod stats;
mod table;
mod text;
mod update;

use crate::command::{Command, Does, Help};

/// What can be done with stores of RDF.
pub(crate) static COMMAND: Command = Command {
    name: "graph",
    operands: "load|query|update|export|stats|snapshot|backup|compact",
    summary: "load, query, update, export and copy an RDF store (SPARQL 1.2)",
    help: Help {
        notes: "\
A store is a folder, which `manicule graph load` creates. One process at a time writes to it; any number may read meanwhile, each
a consistent view. Loads and updates are transactions: durable when the command exits with 0, and without effect otherwise.
`manicule find`, `manicule inspect` and `manicule verify` read stores too.",
        ..Help::NONE
    },
    does: Does::Group(&[
        &load::COMMAND,
        &query::COMMAND,
        &update::COMMAND,
        &export::COMMAND,
        &stats::COMMAND,
        &snapshot::COMMAND,
        &backup::COMMAND,
        &compact::COMMAND,
    ]),
};
