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
mod salvage;
mod select;
mod split;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::manual::Manual;
use crate::{Command, group, inspect};

/// What can be done with series.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "select",
        help: "SELECTOR [PATH...]   the series that a selector selects, and their samples",
        run: select::run,
        manual: Manual::Text(select::HELP),
    },
    Command {
        name: "labels",
        help: "[NAME] [PATH...]     the names of labels, or the values of one",
        run: labels::run,
        manual: Manual::Text(labels::HELP),
    },
    Command {
        name: "analyze",
        help: "BLOCK|FOLDER|INDEX   who takes the room: cardinality, churn, bytes of each label",
        run: analyze::run,
        manual: Manual::Text(analyze::HELP),
    },
    Command {
        name: "inspect",
        help: "BLOCK|FOLDER|FILE    what a block holds, or one of its files: index, chunks, tombstones",
        run: inspect::run_inspect_series,
        manual: Manual::Text(inspect::SERIES_INSPECT_HELP),
    },
    Command {
        name: "verify",
        help: "BLOCK|FOLDER|INDEX   whether blocks are right: every checksum, order, reference and chunk",
        run: inspect::run_verify_series,
        manual: Manual::Text(inspect::SERIES_VERIFY_HELP),
    },
    Command {
        name: "build",
        help: "-o DIR [FILE...]     blocks from samples in OpenMetrics or Prometheus text",
        run: build::run,
        manual: Manual::Text(build::HELP),
    },
    Command {
        name: "merge",
        help: "-o DIR BLOCK...       one block of several, as Prometheus's compactor makes it",
        run: merge::run,
        manual: Manual::Text(merge::HELP),
    },
    Command {
        name: "dump",
        help: "[PATH...]            samples as OpenMetrics, JSON, or as promtool writes them",
        run: dump::run,
        manual: Manual::Text(dump::HELP),
    },
    Command {
        name: "index",
        help: "-o DIR BLOCK|INDEX    its index written anew, with Thanos's and Mimir's side files",
        run: index::run,
        manual: Manual::Text(index::HELP),
    },
    Command {
        name: "rewrite",
        help: "-o DIR BLOCK         a block with other series, labels or samples",
        run: rewrite::run,
        manual: Manual::Text(rewrite::HELP),
    },
    Command {
        name: "split",
        help: "-o DIR BLOCK         a block cut into several, by its series or by time",
        run: split::run,
        manual: Manual::Text(split::HELP),
    },
    Command {
        name: "diff",
        help: "A B                  in which series two blocks or data folders differ",
        run: diff::run,
        manual: Manual::Text(diff::HELP),
    },
];

/// Answers a command line: 0 when something was found or done, 1 when nothing was, 2 when something failed.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    group::run("series", COMMANDS, words)
}
