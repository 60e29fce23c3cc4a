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
    summary: "a store of RDF in a folder: loaded, asked and changed in SPARQL 1.1, exported, copied",
    help: Help {
        notes: "\
A store is a folder, which `manicule graph load` makes. One process at a time writes to it; any number read beside it, each one
moment of it. Loads and updates are transactions: durable when the command ends with 0, and not there at all otherwise. `manicule find`,
`manicule inspect` and `manicule verify` know stores too.",
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
