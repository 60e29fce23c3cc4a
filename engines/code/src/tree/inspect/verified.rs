//! Counts and result of a verification of a tree's index, and how its files and folders are named
//! there.

use manicule_core::counts;
use manicule_format_tree::manifest::Manifest;

counts! {
    /// Counts of what was verified of a tree's index.
    pub struct TreeCounts {
        /// Files of the index.
        index_files,
        /// Their bytes.
        index_len,
        /// Posting lists that were decoded.
        lists,
        /// The pieces that they name together.
        postings,
        /// Folders whose listing was compared.
        folders_compared,
        /// Folders that have changed since, or were unsure: nothing is said about them.
        folders_changed,
        /// Files that were read and compared.
        files_compared,
        /// Files that have changed since, or were unsure: `find` reads them.
        files_changed,
        /// Files whose grams the index does not know: `find` reads them.
        files_unknown,
        /// Pieces whose grams were computed again.
        pieces_compared,
        /// The bytes that were read for that.
        bytes_read,
    }
}

/// The verification of an index under way.
pub(super) type Verified = manicule_core::findings::Verified<TreeCounts>;

/// Adds a part that was verified beside others.
pub(super) fn append(verified: &mut Verified, part: Verified) {
    verified.counts.add(&part.counts);
    verified.verdict.append(part.verdict);
}

pub(super) fn shown_folder(path: &[u8]) -> String {
    if path.is_empty() { "the tree's root".to_owned() } else { path.escape_ascii().to_string() }
}

/// The path of a file below the root, for messages. Costs a search, so for messages only.
pub(super) fn shown_file(manifest: &Manifest<'_>, row: u32) -> String {
    let count = manifest.folder_count() as u32;
    let folder = (0..count)
        .map(|folder| manifest.folder(folder))
        .find(|folder| manifest.files_of(folder).contains(&row));
    let folder = folder.map_or(&b""[..], |folder| manifest.name(folder.path).to_bytes());
    let name = manifest.name(manifest.file(row).name).to_bytes();
    if folder.is_empty() {
        name.escape_ascii().to_string()
    } else {
        format!("{}/{}", folder.escape_ascii(), name.escape_ascii())
    }
}
