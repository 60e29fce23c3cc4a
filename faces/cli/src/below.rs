//! Shards and blocks below a given folder that are not read with it: said, with what to type.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use manicule::kinds::{Deeper, System, deeper, passed};

use crate::units::{counted, joined};

/// Maximum number of folders named in a sentence.
const NAMED_MAX: usize = 3;

/// Maximum number of folders of a call that is suggested.
const GIVEN_MAX: usize = 16;

/// What there is below a folder for a command, and what to type; `None` where there is nothing.
pub(crate) fn below(path: &Path, command: &str) -> Option<String> {
    let deeper = deeper(path);
    let first = deeper.folders.first()?;
    let meant = if command.ends_with("-r") { path } else { &first.path };
    Some(format!("{}: `manicule {command} {}`", further_down(&deeper), meant.display()))
}

/// The same for a query of shards: where there are none, `find` searches what there is.
pub(crate) fn below_of_query(path: &Path) -> Option<String> {
    let deeper = deeper(path);
    let first = deeper.folders.first()?;
    let shards = deeper.folders.iter().find(|place| place.kind.system() == System::ZOEKT);
    let (command, meant) =
        shards.map_or(("find TEXT", first), |shards| ("code search QUERY", shards));
    Some(format!("{}: `manicule {command} {}`", further_down(&deeper), meant.path.display()))
}

fn further_down(deeper: &Deeper) -> String {
    let named: Vec<String> = deeper
        .folders
        .iter()
        .take(NAMED_MAX)
        .map(|place| format!("{} is {}", place.path.display(), place.kind))
        .collect();
    let more = match deeper.folders.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("further down {}{more}", named.join(", "))
}

/// Whether a path is a folder without an entry.
pub(crate) fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Indexes that a search has passed and read as plain files.
pub(crate) struct PassedBy {
    /// Kinds of indexes, counted.
    what: String,
    /// Folders that hold them, as words of a shell.
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
        let mut folders = given(&passed.folders);
        let unnamed = match folders.len().saturating_sub(GIVEN_MAX) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        folders.truncate(GIVEN_MAX);
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

/// Folders as words of a shell; where they are many, all that is in the folders that hold them.
fn given(folders: &[PathBuf]) -> Vec<String> {
    let word = |path: &Path| shell_word(&path.display().to_string());
    if folders.len() <= GIVEN_MAX {
        return folders.iter().map(|path| word(path)).collect();
    }
    let above: BTreeSet<&Path> = folders.iter().filter_map(|path| path.parent()).collect();
    above
        .into_iter()
        .map(|path| {
            let is_current = path.as_os_str().is_empty();
            if is_current { "*".to_owned() } else { format!("{}/*", word(path)) }
        })
        .collect()
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
    fn many_folders_are_given_by_those_that_hold_them() {
        let folders = |count: usize| -> Vec<PathBuf> {
            (0..count).map(|at| PathBuf::from(format!("my ks/t{at:02}"))).collect()
        };
        assert_eq!(given(&folders(2)), ["'my ks/t00'", "'my ks/t01'"]);
        assert_eq!(given(&folders(GIVEN_MAX)).len(), GIVEN_MAX);
        assert_eq!(given(&folders(GIVEN_MAX + 1)), ["'my ks'/*"]);
        let bare: Vec<PathBuf> = (0..20).map(|at| PathBuf::from(format!("t{at}"))).collect();
        assert_eq!(given(&bare), ["*"]);
    }

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
