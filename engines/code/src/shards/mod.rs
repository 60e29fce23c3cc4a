//! zoekt shards: from a folder to the documents that its shards hold.
//!
//! [`Root::walk`] finds the documents in the order of zoekt-index, [`Root::read`] fetches one, [`Limits::skip`] says
//! whether its content is worth storing, a [`Classify`] tells language and category, [`Cut`] says where a shard ends
//! and [`shard_order`] in which order it holds its documents. All of them are plain values, so that threads may share
//! the work in between.
//!
//! Of shards that are there, [`inspect`] tells what they hold, [`verify`] whether that is right, and [`find`] searches
//! them.

mod categories;
mod classify;
pub mod find;
mod grams;
mod ignore;
mod index;
mod inspect;
mod intake;
mod large_files;
mod open;
mod order;
mod publish;
mod skip;
mod unchanged;
mod verify;
mod walk;
mod write;

pub use classify::{ByName, Class, Classify, Unclassified};
pub use grams::{Entry, Grams, Joined, Window};
pub use ignore::{BadGlob, Ignore, IgnoreError};
pub use index::{IndexError, IndexOptions, IndexReport, Progress, ShardReport, Unchanged, index};
pub use inspect::{
    Count, DenseList, Lists, RepositoryInspection, SectionInspection, ShardDocuments,
    ShardInspection, ShardSummary, inspect, summarise,
};
pub use large_files::{Allowance, LargeFiles};
pub use open::{ShardError, is_shard, list, map};
pub use order::{Cut, Full, Standing, shard_order};
pub use publish::{map_shards, shards_of};
pub use skip::{Limits, TrigramCounter};
pub use verify::{Verified, verify};
pub use walk::{Found, IGNORE_DIRS, IgnoreDirs, Root, WalkError, Within};

// The parts of a shard, for faces that show them.
pub use manicule_format_zoekt::outline;
// What callers fill in, and what they read of a shard.
pub use manicule_format_zoekt::{Branch, Repository, Shard, Skip, Text};
