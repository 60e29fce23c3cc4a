//! What a kind without lines refuses: options that ask for lines, that choose among files, or for
//! an order that it doesn't have.

use crate::find::search::Search;
use crate::find::sorted::{Sort, SortKey};

/// What a kind without lines can't do.
#[derive(Clone, Copy, Debug)]
pub struct Refusals {
    /// What it has in place of lines, as the beginning of a sentence.
    pub has: &'static str,
    /// Options that choose among files and that it can't heed.
    pub files: &'static [FilesOption],
    /// The orders in which its results can come.
    pub order: Order,
}

/// Options that choose among files, which such an index by itself doesn't hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesOption {
    /// Globs and types.
    Names,
    /// A depth.
    Depth,
    /// A size.
    Size,
}

/// The orders in which results can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the indexes' paths, either way; with what they are called.
    Path(&'static str),
    /// Their own, which is by path; the sentence says so.
    Own(&'static str),
}

impl Refusals {
    /// Reason why nothing can be searched with a search's options.
    pub(super) fn reason(&self, search: &Search) -> Option<String> {
        let by_file = || asks_for_files(search, self.files);
        if let Some(option) = search.of_lines.or_else(by_file) {
            return Some(format!("{option}: {}, no lines or files", self.has));
        }
        let Sort { key, reverse } = search.sort?;
        match self.order {
            Order::Path(_) if key == SortKey::Path => None,
            Order::Path(kind) => Some(format!("{kind} can be sorted by path only")),
            Order::Own(_) if key == SortKey::Path && !reverse => None,
            Order::Own(refusal) => Some(refusal.to_owned()),
        }
    }
}

/// The first option of a search that chooses among files, of those that a kind can't heed.
fn asks_for_files(search: &Search, refused: &[FilesOption]) -> Option<&'static str> {
    let (rules, names) = (&search.rules, &search.names);
    let name = |option: &FilesOption| match option {
        FilesOption::Names if !rules.overrides.is_empty() => Some(names.globs),
        FilesOption::Names if !rules.types.is_empty() => Some(names.types),
        FilesOption::Depth if rules.max_depth.is_some() => Some(names.max_depth),
        FilesOption::Size if rules.max_filesize.is_some() => Some(names.max_filesize),
        _ => None,
    };
    refused.iter().find_map(name)
}
