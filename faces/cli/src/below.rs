//! Shards and blocks below a given folder that are not read with it: said, with what to type.

use std::path::{Path, PathBuf};

use manicule::kinds::{deeper, passed};

use crate::units::{counted, joined};

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

/// Indexes that a search has passed and read as plain files.
pub(crate) struct PassedBy {
    /// Kinds of indexes, counted.
    what: String,
    /// Folders that hold them, the first few.
    folders: String,
    /// Number of folders that aren't named.
    unnamed: String,
    /// Number of folders that hold them.
    pub(crate) folder_count: u64,
}

impl PassedBy {
    /// Of the files that a search noticed; `None` where none is an index.
    pub(crate) fn of(noticed: &[PathBuf]) -> Option<PassedBy> {
        let passed = passed(noticed);
        let counts = passed.counts.iter();
        let counts: Vec<String> =
            counts.map(|(kind, count)| counted(*count as u64, kind.noun())).collect();
        let folders = passed.folders.iter().take(NAMED_MAX);
        let folders: Vec<String> =
            folders.map(|path| shell_word(&path.display().to_string())).collect();
        let unnamed = match passed.folders.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let folder_count = passed.folders.len() as u64;
        let (what, folders) = (joined(&counts, "and"), folders.join(" "));
        (folder_count > 0).then_some(PassedBy { what, folders, unnamed, folder_count })
    }

    /// The sentence that names them, and the call that searches them for `text`.
    pub(crate) fn sentence(&self, text: &str) -> String {
        let PassedBy { what, folders, unnamed, .. } = self;
        format!(
            "{what} further down searched as plain files only; to search what they hold, give their folders: \
             `manicule find {} {folders}`{unnamed}",
            shell_word(text)
        )
    }
}

/// A word as a shell takes it.
fn shell_word(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-./:=@%+,".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, want) in [
            ("needle", "needle"),
            ("fn main", "'fn main'"),
            ("", "''"),
            ("it's", r"'it'\''s'"),
            ("a/b-c.d", "a/b-c.d"),
        ] {
            assert_eq!(shell_word(word), want);
        }
    }
}
