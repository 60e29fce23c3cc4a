//! Source trees: the files that a question needs, always of the tree as it is now.
//!
//! A face describes what it wants in a [`Request`] and lends a [`Visit`] per thread; [`visit`]
//! hands it each file that may hold a match, and counts what that took in a [`Receipt`]. [`build`]
//! makes and renews the index.

mod find;
mod index;
mod inspect;
mod listing;
mod open;
mod rules;

pub use find::request::{
    Candidate, Flow, Given, IndexUse, Look, NOTICED_MAX, Narrow, Notice, Nul, Order, Outcome,
    Receipt, Request, Upkeep, Visit, Visitors,
};
pub use find::select::Reach;
pub use find::visit::{INDEXED_FILES_MIN, visit};
pub use index::build::{build, build_through};
pub use index::options::{BuildError, BuildOptions, BuildReport, Reuse, WhenBusy};
pub use inspect::report::{
    InspectError, Inspection, SegmentInspection, Staleness, has_index, inspect, is_index_folder,
    is_indexed,
};
pub use inspect::verified::TreeCounts;
pub use inspect::verify::{discard, verify, verify_file};
pub use open::{Kept, KeptState, MANIFEST, clear, clear_cache_dir, list};
pub use rules::{LeftOut, Rules};

// The kinds of an index's files and their parts, for faces that show them.
pub use manicule_format_tree::{Kind as IndexFileKind, kind_of, outline};
