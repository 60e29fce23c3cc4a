//! zoekt shards: made from a folder, merged, inspected, verified, searched where they lie.
//!
//! [`index()`] makes the shards of a folder, [`merge`] one of those of several repositories. Of
//! shards that are there, [`inspect`] reports what they hold, [`verify`] whether that is right, and
//! [`find`] searches them.

mod classify;
mod compound;
mod decoded;
mod dialect;
mod entries;
mod exchange;
mod family;
pub mod find;
mod git;
mod index;
mod inspect;
mod last_run;
mod listing;
mod mix;
mod open;
mod opening;
pub mod signs;
mod stored;
mod symbols;
mod tombstones;
mod verify;

pub use classify::{Class, Classify, Linguist, Unclassified};
pub use compound::{CompoundError, CompoundOptions, NewShard, ShardsReport, explode, merge};
pub use family::ENDING as SHARD_ENDING;
pub use git::{
    Delta, GitError, GitOptions, GitReport, MissingBranches, Submodules, is_bare_repository,
};
#[cfg(feature = "git")]
pub use git::{index_git, index_git_through};
pub use index::{
    Allowance, BadGlob, Cut, Entry, Found, Full, Grams, IGNORE_DIRS, Ignore, IgnoreDirs,
    IgnoreError, InCompound, IndexError, IndexOptions, IndexReport, Joined, LargeFiles, Limits,
    Root, SEEN, ShardReport, Standing, TrigramCounter, Unchanged, WalkError, Window, Within, index,
    index_through, shard_order,
};
pub use inspect::{
    Count, DenseList, Lists, RepositoryInspection, SectionInspection, ShardDocuments,
    ShardInspection, ShardSummary, inspect, inspect_in, summarise, summarise_in,
};
pub use listing::{Listing, shards_of};
pub use open::{FoundShard, ShardError, Sidecar, list, map, map_shards};
pub use symbols::{Ctags, CtagsError, SymbolSource};
pub use verify::{ShardCounts, verify, verify_in};

// The parts of a shard, for faces that show them.
pub use manicule_format_zoekt::outline;
// What callers fill in, and what they read of a shard.
pub use manicule_format_zoekt::{Branch, Repository, Shard, Skip, Text};
