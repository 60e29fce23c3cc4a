//! Source trees: the files that a question needs, always of the tree as it is now.
//!
//! A face describes what it wants in a [`Request`] and lends a [`Visit`] per thread; [`visit`] hands it each file
//! that may hold a match, and counts what that took in a [`Receipt`]. [`build`] makes and renews the index.

mod believe;
mod build;
mod check;
mod compare;
mod find;
mod gather;
mod hand;
mod index;
mod inspect;
mod request;
mod rules;
mod segments;
mod select;
mod survey;
mod sweep;
mod trust;
mod verify;
mod walk;

pub use build::{BuildError, BuildOptions, BuildReport, Reuse, WhenBusy, build, build_through};
pub use find::{INDEXED_FILES_MIN, visit};
pub use index::{Kept, KeptState, clear, clear_shelf, list};
pub use inspect::{
    InspectError, Inspection, SegmentInspection, Staleness, has_index, inspect, is_index_folder,
    is_indexed,
};
pub use request::{
    Candidate, Flow, Given, IndexUse, Look, NOTICED_MAX, Narrow, Notice, Nul, Order, Outcome,
    Receipt, Request, Upkeep, Visit, Visitors,
};
pub use rules::{LeftOut, Rules};
pub use select::Reach;
pub use verify::{Verified, discard, verify, verify_file};

// The kinds of an index's files and their parts, for faces that show them.
pub use manicule_format_tree::{Kind as IndexFileKind, kind_of, outline};
