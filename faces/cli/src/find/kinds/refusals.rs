//! What a kind without lines refuses: options that ask for lines, that choose among files, or for
//! an order that it doesn't have.

use std::path::Path;

use crate::find::call::Call;
use crate::flags::{Context, Sort, SortKey};

/// What a kind can't do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusals {
    /// What it has in place of lines, as the beginning of a sentence.
    pub(super) has: &'static str,
    /// Options that choose among files and that it can't heed.
    pub(super) files: &'static [FilesFlag],
    pub(super) order: Order,
}

/// Options that choose among files, which such an index by itself doesn't hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilesFlag {
    /// `-g`, `-t` and `-T`.
    Names,
    /// `-d`
    Depth,
    /// `--max-filesize`
    Size,
}

/// The orders in which results can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// That of the indexes' paths, either way; with what they are called.
    Path(&'static str),
    /// Their own, which is by path; the sentence says so.
    Own(&'static str),
}

impl Refusals {
    /// Reason why nothing can be searched with a call's options.
    pub(super) fn reason(&self, call: &Call) -> Option<String> {
        let by_file = || asks_for_files(call, self.files);
        if let Some(flag) = asks_for_lines(call).or_else(by_file) {
            return Some(format!("{flag}: {}, no lines or files", self.has));
        }
        let Sort { key, reverse } = call.options.sort?;
        match self.order {
            Order::Path(_) if key == SortKey::Path => None,
            Order::Path(kind) => Some(format!("{kind} can be sorted by path only")),
            Order::Own(_) if key == SortKey::Path && !reverse => None,
            Order::Own(refusal) => Some(refusal.to_owned()),
        }
    }
}

/// Options that ask for lines: the first of those that are given.
fn asks_for_lines(call: &Call) -> Option<&'static str> {
    let options = &call.options;
    let what = [
        (options.context != Context::default(), "-A, -B, -C and --passthru"),
        (options.only_matching, "-o"),
        (options.replace.is_some(), "-r"),
        (options.multiline, "-U"),
        (options.pre.is_some(), "--pre"),
    ];
    what.iter().find(|row| row.0).map(|row| row.1)
}

/// The first option of a call that chooses among files, of those that a kind can't heed.
fn asks_for_files(call: &Call, refused: &[FilesFlag]) -> Option<&'static str> {
    let flag = |flag: &FilesFlag| match flag {
        FilesFlag::Names if !call.globs.is_empty() => Some("-g"),
        FilesFlag::Names if !call.types.is_empty() => Some("-t and -T"),
        FilesFlag::Depth if call.options.max_depth.is_some() => Some("-d"),
        FilesFlag::Size if call.options.max_filesize.is_some() => Some("--max-filesize"),
        _ => None,
    };
    refused.iter().find_map(flag)
}

/// Whether a call lets an index in that lies directly in a folder of the call: one that is given
/// itself, as ripgrep lets files in, and what `-g`, `-t` and `-d` admit.
pub(super) fn lets_in(call: &Call, given: &Path, index: &Path) -> bool {
    given == index || call.lets_in(index) && call.options.max_depth != Some(0)
}
