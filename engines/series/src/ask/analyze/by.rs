//! The series of each value of a label, by metric: of each job, say.

use std::cmp::Reverse;
use std::collections::HashMap;

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{Index, PairIndex};
use manicule_store::store::RangedFile;

use super::chosen::{Chosen, top};

/// The series that have a value of the label, or that haven't got the label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRow {
    /// The value; none for series without the label.
    pub value: Option<Vec<u8>>,
    /// Its series.
    pub series_count: u64,
    /// The bytes of their samples, where they were asked for.
    pub len: Option<u64>,
    /// Number of metrics of these series.
    pub metric_count: u64,
    /// The metrics with most of these series.
    pub metrics: Vec<MetricOfValue>,
}

/// A metric among the series of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricOfValue {
    /// The metric.
    pub metric: Vec<u8>,
    /// Its series of this value.
    pub series_count: u64,
    /// The bytes of their samples, where they were asked for.
    pub len: Option<u64>,
}

/// The row of a series whose value isn't among those that are shown.
const OTHER: u32 = u32::MAX;

/// The series of each value of a label: `metrics` are all metrics, `lens` the bytes of each series
/// if wanted.
pub(super) fn count(
    index: &Index<RangedFile>,
    chosen: &Chosen,
    label: &[u8],
    metrics: &[(u64, u32)],
    lens: Option<&[u64]>,
    limit: usize,
) -> Result<Vec<ValueRow>, DecodeError> {
    let mut values = Vec::new();
    for pair in index.pairs_of(label) {
        let count = chosen.count(index.postings(PairIndex(pair))?).0;
        if count > 0 {
            values.push((count, pair));
        }
    }
    let pairs: Vec<u32> = values.iter().map(|row| row.1).collect();
    let values = top(values, limit);
    let rows = values.iter().zip(0u32..).map(|(value, row)| (value.1, row));
    let row_of_pair: HashMap<u32, u32> = rows.collect();
    // Those without the label are the row after the last value.
    let mut row_of = vec![values.len() as u32; chosen.refs.len()];
    for pair in pairs {
        let row = row_of_pair.get(&pair).copied().unwrap_or(OTHER);
        chosen.places_of(index.postings(PairIndex(pair))?).for_each(|place| row_of[place] = row);
    }
    let mut rows: Vec<ValueRow> =
        values.iter().map(|value| ValueRow::new(Some(index.value(PairIndex(value.1))))).collect();
    rows.push(ValueRow::new(None));
    for (place, row) in row_of.iter().enumerate() {
        if let Some(row) = rows.get_mut(*row as usize) {
            row.add(lens.map(|lens| lens[place]));
        }
    }
    for (_, metric) in metrics {
        let mut cells = vec![(0u64, lens.map(|_| 0u64)); rows.len()];
        for place in chosen.places_of(index.postings(PairIndex(*metric))?) {
            let Some(cell) = cells.get_mut(row_of[place] as usize) else { continue };
            cell.0 += 1;
            cell.1 = cell.1.zip(lens).map(|(len, lens)| len + lens[place]);
        }
        for (row, (series_count, len)) in rows.iter_mut().zip(cells).filter(|row| row.1.0 > 0) {
            let metric = index.value(PairIndex(*metric)).to_vec();
            row.metrics.push(MetricOfValue { metric, series_count, len });
        }
    }
    rows.retain(|row| row.series_count > 0);
    for row in &mut rows {
        row.metric_count = row.metrics.len() as u64;
        row.metrics.sort_by_key(|metric| Reverse(metric.series_count));
        row.metrics.truncate(limit);
    }
    rows.sort_by_key(|row| Reverse(row.series_count));
    Ok(rows)
}

impl ValueRow {
    fn new(value: Option<&[u8]>) -> Self {
        let (value, metrics) = (value.map(<[u8]>::to_vec), Vec::new());
        ValueRow { value, series_count: 0, len: None, metric_count: 0, metrics }
    }

    fn add(&mut self, len: Option<u64>) {
        self.series_count += 1;
        self.len = len.map(|len| self.len.unwrap_or(0) + len);
    }
}
