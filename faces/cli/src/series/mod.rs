//! `manicule series`: Prometheus blocks.
//!
//! Callers: main

mod analyze;
mod ask;
mod build;
mod diff;
mod dump;
mod index;
mod labels;
mod made;
mod merge;
mod rewrite;
mod select;
mod split;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::{Command, group, inspect};

/// What can be done with series.
const COMMANDS: &[Command] = &[
    Command {
        name: "select",
        help: "SELECTOR [PATH...]   the series that a selector selects, and their samples",
        run: select::run,
    },
    Command {
        name: "labels",
        help: "[NAME] [PATH...]     the names of labels, or the values of one",
        run: labels::run,
    },
    Command {
        name: "analyze",
        help: "BLOCK|FOLDER|INDEX   who takes the room: cardinality, churn, bytes of each label",
        run: analyze::run,
    },
    Command {
        name: "verify",
        help: "BLOCK|FOLDER|INDEX   whether blocks are right: every checksum, order, reference and chunk",
        run: inspect::run_verify_series,
    },
    Command {
        name: "build",
        help: "-o DIR [FILE...]     blocks from samples in OpenMetrics or Prometheus text",
        run: build::run,
    },
    Command {
        name: "merge",
        help: "-o DIR BLOCK...       one block of several, as Prometheus's compactor makes it",
        run: merge::run,
    },
    Command {
        name: "dump",
        help: "[PATH...]            samples as OpenMetrics, JSON, or as promtool writes them",
        run: dump::run,
    },
    Command {
        name: "index",
        help: "-o DIR BLOCK|INDEX    its index written anew, with Thanos's and Mimir's side files",
        run: index::run,
    },
    Command {
        name: "rewrite",
        help: "-o DIR BLOCK         a block with other series, labels or samples",
        run: rewrite::run,
    },
    Command {
        name: "split",
        help: "-o DIR BLOCK         a block cut into several, by its series or by time",
        run: split::run,
    },
    Command {
        name: "diff",
        help: "A B                  in which series two blocks differ",
        run: diff::run,
    },
];

/// Answers a command line: 0 when something was found or done, 1 when nothing was, 2 when something failed.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    group::run("series", COMMANDS, words)
}
