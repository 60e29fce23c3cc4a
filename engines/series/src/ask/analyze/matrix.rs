//! Labels of the metrics with most series: how many of their series, with how many values.

use std::cmp::Reverse;

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::{Index, PairIndex};
use manicule_store::store::RangedFile;

use super::chosen::Chosen;
use crate::ask::matcher::METRIC_NAME;

/// A metric, and its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricRow {
    /// The metric.
    pub metric: Vec<u8>,
    /// Its series.
    pub series_count: u64,
    /// Number of labels of its series.
    pub label_count: u64,
    /// Its labels by how many values they have, most first.
    pub labels: Vec<LabelOfMetric>,
}

/// A label of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelOfMetric {
    /// The label.
    pub name: Vec<u8>,
    /// Series of the metric that have it.
    pub series_count: u64,
    /// Values that it has there.
    pub value_count: u64,
}

/// Counts of one label and one metric.
#[derive(Clone, Copy, Default)]
struct Cell {
    series_count: u64,
    value_count: u64,
    /// The last value that was seen here, plus one.
    last: u32,
}

/// No metric, or none of those that are listed.
const NONE: u32 = u32::MAX;

/// Counts the labels of the first metrics of `metrics`: series and pair of each.
pub(super) fn count(
    index: &Index<RangedFile>,
    chosen: &Chosen,
    metrics: &[(u64, u32)],
    limit: usize,
) -> Result<Vec<MetricRow>, DecodeError> {
    let mut rows = Vec::new();
    let mut metric_of = vec![NONE; chosen.refs.len()];
    for (row, (series_count, pair)) in (0u32..).zip(metrics.iter().take(limit)) {
        let metric = index.value(PairIndex(*pair)).to_vec();
        let (series_count, label_count, labels) = (*series_count, 0, Vec::new());
        rows.push(MetricRow { metric, series_count, label_count, labels });
        chosen
            .places_of(index.postings(PairIndex(*pair))?)
            .for_each(|place| metric_of[place] = row);
    }
    for (name, range) in index.names().filter(|(name, _)| *name != METRIC_NAME.as_bytes()) {
        let mut cells = vec![Cell::default(); rows.len()];
        for pair in range {
            for place in chosen.places_of(index.postings(PairIndex(pair))?) {
                let Some(cell) = cells.get_mut(metric_of[place] as usize) else { continue };
                cell.series_count += 1;
                cell.value_count += u64::from(cell.last != pair + 1);
                cell.last = pair + 1;
            }
        }
        for (row, cell) in rows.iter_mut().zip(cells).filter(|(_, cell)| cell.series_count > 0) {
            let Cell { series_count, value_count, .. } = cell;
            row.labels.push(LabelOfMetric { name: name.to_vec(), series_count, value_count });
        }
    }
    for row in &mut rows {
        row.labels.sort_by_key(|label| Reverse(label.value_count));
        row.label_count = row.labels.len() as u64;
        row.labels.truncate(limit);
    }
    Ok(rows)
}
