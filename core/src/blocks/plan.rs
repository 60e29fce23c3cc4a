//! How an index of blocks is searched: by its size, what a read costs and what its keys look like.

use super::evenness::{Evenness, Verdict};
use super::search::Strategy;

/// What reading costs where the file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCost {
    /// An index up to this length is fetched whole, in one read: what a search by pages would read,
    /// and no less.
    pub whole_bytes_max: u64,
    /// Number of parts of a round: 2 where a round costs little, 8 where it is dear and probes side
    /// by side are not.
    pub ways: u32,
}

/// The way of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Fetch the index whole and search in memory.
    Whole,
    /// Ask.
    Ask(Strategy),
}

/// The plan for an index of `block_count` blocks in `index_bytes` bytes. Interpolation is chosen
/// for a key that has an image, in a file whose sampled keys are even; where a round is dear, only
/// if two guesses are fewer rounds.
pub fn plan(
    block_count: u64,
    index_bytes: u64,
    cost: ReadCost,
    evenness: &Evenness,
    wanted: Option<u64>,
) -> Plan {
    if index_bytes <= cost.whole_bytes_max {
        return Plan::Whole;
    }
    let ways = cost.ways.max(2);
    if let (Some(wanted), Verdict::Even { error }) = (wanted, evenness.verdict(block_count))
        && u64::from(ways).pow(2) < block_count
    {
        return Plan::Ask(Strategy::Interpolate { wanted, error });
    }
    Plan::Ask(if ways == 2 { Strategy::Bisect } else { Strategy::Ways(ways) })
}
