//! From a folder to the shards of its documents.
//!
//! [`Root::walk`] finds the documents in the order of zoekt-index, [`Root::read`] fetches one, [`Limits::skip`] says
//! whether its content is worth storing, a [`Classify`] finds language and category, [`Cut`] decides where a shard ends
//! and [`shard_order`] in which order it holds its documents. [`Grams`] builds posting lists. [`index`] does it all, and
//! makes the shards visible together.

mod categories;
mod classify;
mod grams;
mod ignore;
mod intake;
mod large_files;
mod order;
mod publish;
mod run;
mod skip;
mod unchanged;
mod walk;
mod write;

pub use classify::{ByName, Class, Classify, Unclassified};
pub use grams::{Entry, Grams, Joined, Window};
pub use ignore::{BadGlob, Ignore, IgnoreError};
pub use large_files::{Allowance, LargeFiles};
pub use order::{Cut, Full, Standing, shard_order};
pub use run::{
    IndexError, IndexOptions, IndexReport, ShardReport, Unchanged, index, index_through,
};
pub use skip::{Limits, TrigramCounter};
pub use walk::{Found, IGNORE_DIRS, IgnoreDirs, Root, WalkError, Within};
