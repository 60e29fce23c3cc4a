//! `manicule code`: source code in zoekt shards.

mod index;
mod json;
mod lines;
mod search;
mod show;

use crate::command::{Command, Does, Help};

/// What can be done with code.
pub(crate) static COMMAND: Command = Command {
    name: "code",
    operands: "index|search",
    summary: "zoekt's shards of source code, and its query language over them",
    help: Help::NONE,
    does: Does::Group(&[&index::COMMAND, &search::COMMAND]),
};
