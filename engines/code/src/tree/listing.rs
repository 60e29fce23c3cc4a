//! Names that decide about a folder: those of rules, and the kinds that its listing sums up.

use std::ffi::CStr;

use manicule_format_tree::ListedKind;
use manicule_store::EntryKind;

/// The names that change which files count below the folder they lie in.
pub(crate) const RULE_NAMES: [&CStr; 5] =
    [c".gitignore", c".ignore", c".rgignore", c".git", c".jj"];

/// Kind of an entry as a listing has it.
pub(crate) fn listed_kind(kind: EntryKind) -> ListedKind {
    match kind {
        EntryKind::File => ListedKind::File,
        EntryKind::Folder => ListedKind::Folder,
        EntryKind::Rest => ListedKind::Rest,
    }
}

/// The fingerprint of a name whose presence and kind decide.
pub(crate) fn presence_fingerprint(kind: EntryKind) -> u64 {
    match kind {
        EntryKind::File => 2,
        EntryKind::Folder => 3,
        EntryKind::Rest => 4,
    }
}
