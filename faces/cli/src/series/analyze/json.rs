//! An analysis for programs.

use manicule::series::Block;
use manicule::series::analyze::{
    Analysis, Count, Distribution, LabelCost, MetricOfValue, MetricRow, ValueRow,
};
use serde_json::{Value as Json, json};

use super::super::input::text;
use crate::print::{self, typed};

pub(super) fn analysis(block: &Block, analysis: &Analysis) -> Json {
    let row = |row: &Count| match &row.value {
        None => json!({ "name": text(&row.name), "count": row.count }),
        Some(value) => {
            json!({ "name": text(&row.name), "value": text(value), "count": row.count })
        }
    };
    let rows = |rows: &[Count]| rows.iter().map(row).collect::<Vec<_>>();
    let cost = |cost: &LabelCost| {
        json!({
            "name": text(&cost.name), "values": cost.value_count, "series": cost.series_count,
            "len": cost.len(), "lists_len": cost.list_len, "table_len": cost.table_len,
            "values_len": cost.value_len,
        })
    };
    let metric = |row: &MetricRow| {
        let labels = row.labels.iter().map(|label| {
            let (values, series) = (label.value_count, label.series_count);
            json!({ "name": text(&label.name), "values": values, "series": series })
        });
        let labels = labels.collect::<Vec<_>>();
        json!({
            "metric": text(&row.metric), "series": row.series_count,
            "label_names": row.label_count, "labels": labels,
        })
    };
    let bytes = analysis.bytes.as_ref().map(|bytes| {
        let (metrics, pairs) = (rows(&bytes.metrics), rows(&bytes.pairs));
        json!({ "total": bytes.total, "metrics": metrics, "pairs": pairs })
    });
    let by = analysis.by.as_ref().map(|rows| rows.iter().map(value_row).collect::<Vec<_>>());
    let distribution = |distribution: &Option<Distribution>| {
        distribution.as_ref().map(
            |own| json!({ "min": own.min, "mean": own.mean, "max": own.max, "steps": own.steps }),
        )
    };
    let chunks = analysis.chunks.as_ref().map(|chunks| {
        json!({
            "chunks": chunks.chunk_count,
            "float_samples": distribution(&chunks.float_samples),
            "float_lens": distribution(&chunks.float_lens),
            "histogram_samples": distribution(&chunks.histogram_samples),
            "histogram_lens": distribution(&chunks.histogram_lens),
            "histogram_buckets": distribution(&chunks.histogram_buckets),
        })
    });
    let fields = json!({
        "path": print::path(block.path()),
        "ulid": block.meta().map(|meta| &meta.ulid),
        "min_time": analysis.times.0,
        "max_time": analysis.times.1,
        "series": analysis.series_count,
        "series_matched": analysis.matched_count,
        "names": analysis.name_count,
        "pairs": analysis.pair_count,
        "labels": analysis.label_count,
        "churning_pairs": rows(&analysis.churning_pairs),
        "churning_names": rows(&analysis.churning_names),
        "common_pairs": rows(&analysis.common_pairs),
        "value_lens": rows(&analysis.value_lens),
        "value_counts": rows(&analysis.value_counts),
        "metrics": rows(&analysis.metrics),
        "costs": analysis.costs.iter().map(cost).collect::<Vec<_>>(),
        "sample_bytes": bytes,
        "by": by,
        "matrix": analysis.matrix.as_ref().map(|rows| rows.iter().map(metric).collect::<Vec<_>>()),
        "chunks": chunks,
    });
    typed("analysis", fields)
}

/// A value of the label of `--by`; null for series without the label.
fn value_row(row: &ValueRow) -> Json {
    let metric = |own: &MetricOfValue| json!({ "metric": text(&own.metric), "series": own.series_count, "bytes": own.len });
    json!({
        "value": row.value.as_ref().map(|value| text(value)),
        "series": row.series_count,
        "bytes": row.len,
        "metric_names": row.metric_count,
        "metrics": row.metrics.iter().map(metric).collect::<Vec<_>>(),
    })
}
