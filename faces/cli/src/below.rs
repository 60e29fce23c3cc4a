//! Shards and blocks below a given folder that are not read with it: said, with what to type.
//!
//! Callers: find, code/search, inspect

use std::path::{Path, PathBuf};

use manicule::kinds::{deeper, passed};

use crate::units::counted;

/// Maximum number of folders named.
const NAMED_MAX: usize = 3;

/// What there is below a folder for a command, and what to type; `None` where there is nothing.
pub(crate) fn below(path: &Path, command: &str) -> Option<String> {
    let deeper = deeper(path);
    let named: Vec<String> = deeper
        .folders
        .iter()
        .take(NAMED_MAX)
        .map(|place| format!("{} is {}", place.path.display(), place.kind))
        .collect();
    let first = deeper.folders.first()?;
    let more = match deeper.folders.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    let meant = if command.ends_with("-r") { path } else { &first.path };
    Some(format!("further down {named}{more}: `manicule {command} {}`", meant.display()))
}

/// What a search has passed among the files that it noticed, and what to type; `None` where there is nothing.
pub(crate) fn passed_by(noticed: &[PathBuf]) -> Option<String> {
    let passed = passed(noticed);
    let counts = passed.counts.iter();
    let counts: Vec<String> =
        counts.map(|(kind, count)| counted(*count as u64, kind.noun())).collect();
    let named = passed.folders.iter().take(NAMED_MAX).map(|path| path.display().to_string());
    let named = named.collect::<Vec<_>>().join(" ");
    let more = match passed.folders.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let what = counts.join(" and ");
    (!what.is_empty()).then(|| {
        format!(
            "{what} further down searched as plain files only, give their folders: `manicule find \
             PATTERN {named}`{more}"
        )
    })
}
