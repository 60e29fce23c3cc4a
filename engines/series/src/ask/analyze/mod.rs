//! What a block's space is spent on: the lists of `promtool tsdb analyze`, and for each label what
//! it costs and for each metric which labels it has.
//!
//! Counts come from the lengths of posting lists. Only how long series last needs the series
//! themselves: one pass reads of each its first and last time, and a label pair's share is the sum
//! over its list. Where all series last equally long, as in a block without churn, it is the length
//! of its list times that.

mod by;
mod bytes;
mod chosen;
mod chunks;
mod matrix;

pub use chosen::Count;
use chosen::{Chosen, top};
use manicule_core::bytes::DecodeError;
use manicule_core::watch::Watch;
use manicule_format_prometheus::{
    Index, LIST_FRAME_LEN, Pair, PairIndex, list_place_len, string_len,
};
use manicule_store::store::RangedFile;

use crate::ask::matcher::METRIC_NAME;
use crate::ask::matcher::Matcher;
use crate::block::{Block, BlockError};

pub use by::{MetricOfValue, ValueRow};
pub use bytes::SampleBytes;
pub(crate) use bytes::of_chunks;
pub use chunks::{ChunkAnalysis, Distribution};
pub use matrix::{LabelOfMetric, MetricRow};

/// Options of an analysis: what is looked at, and how much of it is listed.
pub struct AnalyzeOptions<'a> {
    /// Only series that satisfy all of these; all series where there is none.
    pub matchers: &'a [Matcher],
    /// Maximum number of rows of each list.
    pub limit: usize,
    /// Whether the labels of each metric are counted.
    pub matrix: Matrix,
    /// Whether chunks are looked at.
    pub chunks: Chunks,
    /// Whether the bytes of samples are added up.
    pub bytes: Bytes,
    /// The label by whose values series are counted.
    pub by: Option<&'a [u8]>,
}

/// Whether the bytes of samples are added up, which looks at the first bytes of each chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// They are.
    Sum,
    /// They are not.
    LeaveOut,
}

/// Whether the labels of each metric are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// They are.
    Count,
    /// They are not.
    LeaveOut,
}

/// Whether chunks are looked at, which reads each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunks {
    /// They are.
    Read,
    /// They are not.
    LeaveOut,
}

/// Cost of a label name in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelCost {
    /// The label.
    pub name: Vec<u8>,
    /// Its values.
    pub value_count: u64,
    /// The series that have it.
    pub series_count: u64,
    /// Bytes of its values in the symbol table; other labels may have some of them too.
    pub value_len: u64,
    /// Bytes of its posting lists.
    pub list_len: u64,
    /// Bytes of its entries in the postings offset table.
    pub table_len: u64,
}

impl LabelCost {
    /// All bytes that it takes.
    pub fn len(&self) -> u64 {
        self.value_len + self.list_len + self.table_len
    }

    /// Whether it takes none; no label does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Result of an analysis. Lists are sorted by count, most first, then by name and value.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The block's times: the first, and the exclusive end.
    pub times: (i64, i64),
    /// Series of the block.
    pub series_count: u64,
    /// Series that satisfy the matchers.
    pub matched_count: u64,
    /// Label names of these.
    pub name_count: u64,
    /// Label pairs of these.
    pub pair_count: u64,
    /// Labels of these, each as often as a series has it.
    pub label_count: u64,
    /// Label pairs by the part of the block's time that their series don't last, in whole series.
    pub churning_pairs: Vec<Count>,
    /// Label names likewise.
    pub churning_names: Vec<Count>,
    /// Label pairs by series.
    pub common_pairs: Vec<Count>,
    /// Label names by the bytes of all their values.
    pub value_lens: Vec<Count>,
    /// Label names by how many values they have.
    pub value_counts: Vec<Count>,
    /// Metrics by series.
    pub metrics: Vec<Count>,
    /// Label names by what they take in the index; of the whole block, whatever the matchers.
    pub costs: Vec<LabelCost>,
    /// The labels of the metrics with most series.
    pub matrix: Option<Vec<MetricRow>>,
    /// Contents of the chunks.
    pub chunks: Option<ChunkAnalysis>,
    /// Bytes taken by samples.
    pub bytes: Option<SampleBytes>,
    /// The series of each value of a label, those with most first.
    pub by: Option<Vec<ValueRow>>,
}

/// Analyses a block, or an index by itself.
pub fn analyze(
    block: &Block,
    options: &AnalyzeOptions<'_>,
    watch: &Watch<'_>,
) -> Result<Analysis, BlockError> {
    if options.chunks == Chunks::Read {
        block.need_samples()?;
    }
    let chosen = Chosen::read(block, options.matchers, watch)?;
    let lens = match options.bytes {
        Bytes::Sum => Some(bytes::of_series(block, &chosen.refs, watch)?),
        Bytes::LeaveOut => None,
    };
    let chunks = match options.chunks {
        Chunks::Read => Some(chunks::read(block, &chosen.refs, watch)?),
        Chunks::LeaveOut => None,
    };
    let lists = lists(block, options, &chosen, lens.as_deref()).map_err(block.in_index())?;
    Ok(Analysis { chunks, ..lists })
}

/// All that posting lists show.
fn lists(
    block: &Block,
    options: &AnalyzeOptions<'_>,
    chosen: &Chosen,
    lens: Option<&[u64]>,
) -> Result<Analysis, DecodeError> {
    let index = block.index();
    let Counts { pairs, names, costs } = Counts::of(index, chosen)?;
    let of_pair = |(count, pair): (u64, u32)| Count::of_pair(index, count, pair);
    let of_name = |(count, place): (u64, u32)| {
        let name = names[place as usize].name.to_vec();
        Count { count, name, value: None }
    };
    let limit = options.limit;
    let share = |lasts: u64, count: u64| chosen.share(lasts, count);
    let by_name = |measure: &dyn Fn(&NameCounts<'_>) -> u64| {
        let rows = (0u32..).zip(&names).filter(|(_, name)| name.value_count > 0);
        top(rows.map(|(place, name)| (measure(name), place)).collect(), limit)
            .into_iter()
            .map(of_name)
            .collect()
    };
    let churning = pairs.iter().map(|row| (share(row.lasts, row.count), row.pair)).collect();
    let metrics: Vec<(u64, u32)> = {
        let range = index.pairs_of(METRIC_NAME.as_bytes());
        let own = pairs.iter().filter(|row| range.contains(&row.pair));
        top(own.map(|row| (row.count, row.pair)).collect(), usize::MAX)
    };
    let matrix = match options.matrix {
        Matrix::Count => Some(matrix::count(index, chosen, &metrics, limit)?),
        Matrix::LeaveOut => None,
    };
    let by = options.by.map(|label| by::count(index, chosen, label, &metrics, lens, limit));
    let bytes = lens.map(|lens| bytes::sum(index, chosen, lens, limit));
    Ok(Analysis {
        times: chosen.times,
        series_count: match block.meta() {
            Some(meta) => meta.stats.num_series,
            None => index.all_postings()?.len() as u64,
        },
        matched_count: chosen.refs.len() as u64,
        name_count: names.iter().filter(|name| name.value_count > 0).count() as u64,
        pair_count: pairs.len() as u64,
        label_count: pairs.iter().map(|row| row.count).sum(),
        churning_pairs: top(churning, limit).into_iter().map(of_pair).collect(),
        churning_names: by_name(&|name| share(name.lasts, name.series_count)),
        common_pairs: top(pairs.iter().map(|row| (row.count, row.pair)).collect(), limit)
            .into_iter()
            .map(of_pair)
            .collect(),
        value_lens: by_name(&|name| name.value_len),
        value_counts: by_name(&|name| name.value_count),
        metrics: metrics.into_iter().take(limit).map(of_pair).collect(),
        costs,
        matrix,
        chunks: None,
        bytes: bytes.transpose()?,
        by: by.transpose()?,
    })
}

/// A pair that some of the series have.
struct PairCounts {
    pair: u32,
    count: u64,
    lasts: u64,
}

/// A name, over all its pairs.
struct NameCounts<'i> {
    name: &'i [u8],
    value_count: u64,
    value_len: u64,
    series_count: u64,
    lasts: u64,
}

struct Counts<'i> {
    pairs: Vec<PairCounts>,
    names: Vec<NameCounts<'i>>,
    costs: Vec<LabelCost>,
}

impl<'i> Counts<'i> {
    fn of(index: &'i Index<RangedFile>, chosen: &Chosen) -> Result<Self, DecodeError> {
        let mut counts = Counts { pairs: Vec::new(), names: Vec::new(), costs: Vec::new() };
        for (name, range) in index.names() {
            let (value_count, value_len, series_count, lasts) = (0, 0, 0, 0);
            let mut own = NameCounts { name, value_count, value_len, series_count, lasts };
            let mut cost = LabelCost {
                name: name.to_vec(),
                value_count: range.len() as u64,
                series_count: 0,
                value_len: 0,
                list_len: 0,
                table_len: 0,
            };
            for pair in range {
                let Pair { value, list_at, .. } =
                    index.pair(PairIndex(pair)).expect("a pair of the table");
                let list = index.postings(PairIndex(pair))?;
                cost.series_count += list.len() as u64;
                cost.value_len += string_len(value);
                cost.list_len += LIST_FRAME_LEN + 4 * list.len() as u64;
                cost.table_len += list_place_len(name, value, list_at);
                let (count, lasts) = chosen.count(list);
                if count > 0 {
                    own.value_count += 1;
                    own.value_len += value.len() as u64;
                    own.series_count += count;
                    own.lasts = own.lasts.wrapping_add(lasts);
                    counts.pairs.push(PairCounts { pair, count, lasts });
                }
            }
            counts.names.push(own);
            counts.costs.push(cost);
        }
        counts.costs.sort_by_key(|cost| std::cmp::Reverse(cost.len()));
        Ok(counts)
    }
}
