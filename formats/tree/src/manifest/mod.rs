//! The manifest: every folder and file of a tree as it was when it was indexed, and where each
//! file's grams are.
//!
//! | section | bytes |
//! |---|---|
//! | 1 meta | 44: [`Meta`] |
//! | 2 folders | 40 a folder, a parent before its children: [`Folder`] |
//! | 3 files | 32 a file, by folder: [`File`] |
//! | 4 others | 8 a name, by folder: what the rules leave out: [`Other`] |
//! | 5 watched | 20 a path: what the rules were read from: [`Watched`] |
//! | 6 segments | 24 a segment: [`SegmentRow`] |
//! | 7 names | paths and names, each ended by a zero byte |
//! | 8 rules | 4: version of the rules by which files count; missing in older manifests |
//!
//! A *fingerprint* is a hash of what `statx` says of an entry: 64 bits, [`ABSENT`] or
//! [`UNSURE`] where there is none.
//!
//! Bytes:   docs/formats/tree.md, section *manifest*

mod draft;
mod read;
mod rows;

pub use draft::Draft;
pub use read::Manifest;
pub(crate) use rows::section_name;
pub use rows::{
    ABSENT, FLAG_BINARY, FLAG_MARKED, File, Folder, Meta, NONE, OTHER_FILE, OTHER_FOLDER,
    OTHER_REST, Other, SegmentRow, UNSURE, WATCH_CONTENTS, WATCH_PRESENCE, Watched,
};
