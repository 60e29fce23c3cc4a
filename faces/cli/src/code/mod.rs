//! `manicule code`: source code in zoekt shards.

mod compound;
mod index;
mod json;
mod list;
mod opened;
mod search;
mod show;

use crate::command::{Command, Does, Help};

/// What can be done with code.
pub(crate) static COMMAND: Command = Command {
    name: "code",
    operands: "index|git-index|list|search|merge|explode",
    summary: "index source code into zoekt shards, list them, and search them in zoekt's query language",
    help: Help::NONE,
    does: Does::Group(&[
        &index::COMMAND,
        &index::GIT_COMMAND,
        &list::COMMAND,
        &search::COMMAND,
        &compound::MERGE,
        &compound::EXPLODE,
    ]),
};
