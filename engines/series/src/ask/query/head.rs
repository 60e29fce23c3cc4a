//! What a block's series are most of: the numbers that Prometheus has of its head.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Stopped, Unit, Watch};
use manicule_format_prometheus::PairIndex;

use crate::ask::matcher::METRIC_NAME;
use crate::block::{Block, BlockError};

/// Names with a number each, the largest first; of equal ones in the order of names.
pub type Largest = Vec<(Vec<u8>, u64)>;

/// Numbers of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadStats {
    /// Number of series.
    pub series: u64,
    /// Number of pairs of a label's name and value.
    pub pairs: u64,
    /// Metrics by their series.
    pub metrics: Largest,
    /// Labels by their values.
    pub labels: Largest,
    /// Labels by the bytes that their values take, once for each series that has one.
    pub bytes: Largest,
    /// Pairs (`NAME=VALUE`) by their series.
    pub label_pairs: Largest,
}

/// The largest of those that come, up to a limit.
struct Top {
    limit: usize,
    kept: BinaryHeap<(Reverse<u64>, Vec<u8>)>,
}

impl Top {
    fn new(limit: usize) -> Top {
        Top { limit, kept: BinaryHeap::new() }
    }

    fn add(&mut self, count: u64, name: impl FnOnce() -> Vec<u8>) {
        let is_full = self.kept.len() >= self.limit;
        if is_full && self.kept.peek().is_none_or(|least| count <= least.0.0) {
            return;
        }
        self.kept.push((Reverse(count), name()));
        if is_full {
            self.kept.pop();
        }
    }

    fn sorted(self) -> Largest {
        let kept = self.kept.into_sorted_vec();
        kept.into_iter().map(|(count, name)| (name, count.0)).collect()
    }
}

/// The numbers of a block, each list with at most `limit` names. Costs a look at the length of each
/// posting list.
pub fn head_stats<E: From<BlockError> + From<Stopped>>(
    block: &Block,
    limit: usize,
    watch: &Watch<'_>,
) -> Result<HeadStats, E> {
    let index = block.index();
    let mut tops = [(); 4].map(|()| Top::new(limit));
    let reading = watch.phase(Phase::Reading, Unit::Series, index.pair_count().into());
    let mut steps = reading.steps();
    let mut pairs_seen = 0;
    for (name, pairs) in index.names() {
        let [metrics, labels, bytes, label_pairs] = &mut tops;
        pairs_seen += u64::from(pairs.end - pairs.start);
        labels.add(u64::from(pairs.end - pairs.start), || name.to_vec());
        let mut len_sum = 0;
        for pair in pairs {
            steps.add(1)?;
            let value = index.value(PairIndex(pair));
            let count = series_of(block, pair).map_err(block.in_index())?;
            len_sum += value.len() as u64 * count;
            if name == METRIC_NAME.as_bytes() {
                metrics.add(count, || value.to_vec());
            }
            label_pairs.add(count, || [name, b"=", value].concat());
        }
        bytes.add(len_sum, || name.to_vec());
    }
    drop(steps);
    reading.end();
    let [metrics, labels, bytes, label_pairs] = tops.map(Top::sorted);
    let series = index.series_count().unwrap_or_default();
    Ok(HeadStats { series, pairs: pairs_seen, metrics, labels, bytes, label_pairs })
}

fn series_of(block: &Block, pair: u32) -> Result<u64, DecodeError> {
    Ok(block.index().postings(PairIndex(pair))?.as_bytes().len() as u64)
}
