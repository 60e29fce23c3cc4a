//! `manicule series`: Prometheus blocks.

mod analyze;
mod block_row;
mod build;
mod diff;
mod dump;
mod external;
mod index;
mod input;
mod labels;
mod memory;
mod merge;
mod rewrite;
mod salvage;
mod select;
mod split;

use crate::command::{Command, Does, Help};
use crate::inspect;

/// What can be done with series.
pub(crate) static COMMAND: Command = Command {
    name: "series",
    operands: "select|labels|analyze|...",
    summary: "query, analyze, build, merge and rewrite Prometheus blocks",
    help: Help::NONE,
    does: Does::Group(&[
        &select::COMMAND,
        &labels::COMMAND,
        &analyze::COMMAND,
        &inspect::INSPECT_SERIES,
        &inspect::VERIFY_SERIES,
        &build::COMMAND,
        &merge::COMMAND,
        &dump::COMMAND,
        &index::COMMAND,
        &rewrite::COMMAND,
        &split::COMMAND,
        &diff::COMMAND,
    ]),
};
