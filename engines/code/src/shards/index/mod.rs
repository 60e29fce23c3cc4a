//! From a folder to the shards of its documents.
//!
//! [`Root::walk`] finds the documents in the order of zoekt-index, [`Root::read`] fetches one,
//! [`Limits::skip`] says whether its content is worth storing, a [`Classify`](super::Classify)
//! finds language and category, [`Cut`] decides where a shard ends and [`shard_order`] in which
//! order it holds its documents. [`Grams`] builds posting lists. [`index`] does it all, and makes
//! the shards visible together.

mod document;
mod error;
mod glob;
mod grams;
mod ignore;
mod intake;
mod joined;
mod large_files;
mod options;
mod order;
mod output;
mod publish;
mod report;
mod run;
mod sections;
mod seen;
mod skip;
mod source;
mod symbols;
mod tagger;
mod unchanged;
mod walk;
mod windows;
mod write;

pub(super) use document::{Body, Document};
pub(super) use publish::Lease;
pub(super) use report::Tally;
pub(super) use sections::WriteError;
pub(super) use write::{About, Repositories, Writer};

// Of runs over commits.
#[cfg(feature = "git")]
pub(super) use {
    run::{Place, Run, Shards, describe, replaced, set_tombstones},
    source::{Listed, ReadError, Reader, Source},
};

pub use error::IndexError;
pub use glob::BadGlob;
pub use grams::Grams;
pub use ignore::{Ignore, IgnoreError};
pub use joined::{Entry, Joined};
pub use large_files::{Allowance, LargeFiles};
pub use options::{InCompound, IndexOptions, Unchanged};
pub use order::{Cut, Full, Standing, shard_order};
pub use report::{IndexReport, ShardReport};
pub use run::{index, index_through};
pub use seen::SEEN;
pub use skip::{Limits, TrigramCounter};
pub use walk::{Found, IGNORE_DIRS, IgnoreDirs, Root, WalkError, Within};
pub use windows::Window;
