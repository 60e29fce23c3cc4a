//! Reports about shards and indexes of trees as JSON. Matches of `code search` are ripgrep's
//! objects, a dialect of the command.

mod listed;
mod made;
mod shard;
mod tree;

use crate::json::report;

pub use listed::ListTotals;
pub use made::{Indexed, IndexedShard, OfCommits};
pub use shard::ShardFolder;
pub use tree::{KeptNow, TreeNow};

/// Median, 90th and 99th percentile and maximum.
struct Percentiles([u32; 4]);

report!(of: Percentiles { p50: of.0[0], p90: of.0[1], p99: of.0[2], max: of.0[3] });
