//! What a block's space is spent on.

use manicule_series::{
    Analysis, Block, ChunkAnalysis, Count, Distribution, LabelCost, LabelOfMetric, MetricOfValue,
    MetricRow, SampleBytes, ValueRow,
};

use crate::json::{Entry, list, part, report, text};

/// An analysis with the block that it is of.
#[derive(Clone, Copy, Debug)]
pub struct Analysed<'a> {
    /// The block.
    pub block: &'a Block,
    /// Its analysis.
    pub analysis: &'a Analysis,
}

report!(of: Analysed<'_> {
    path: of.block.path().to_string_lossy(), ulid: of.block.meta().map(|meta| &meta.ulid);
    of.analysis,
});

report!(of: Analysis {
    min_time: of.times.0, max_time: of.times.1, series = series_count,
    series_matched = matched_count, names = name_count, pairs = pair_count, labels = label_count,
    churning_pairs: list(&of.churning_pairs), churning_names: list(&of.churning_names),
    common_pairs: list(&of.common_pairs), value_lens: list(&of.value_lens),
    value_counts: list(&of.value_counts), metrics: list(&of.metrics), costs: list(&of.costs),
    sample_bytes: part(&of.bytes), by: of.by.as_ref().map(list), matrix: of.matrix.as_ref().map(list),
    chunks: part(&of.chunks),
});

report!(of: Count {
    name: text(&of.name), count; Entry("value", of.value.as_ref().map(|value| text(value))),
});

report!(of: LabelCost {
    name: text(&of.name), values = value_count, series = series_count, len: of.len(),
    lists_len = list_len, table_len, values_len = value_len,
});

report!(of: SampleBytes { total, metrics: list(&of.metrics), pairs: list(&of.pairs) });

// `value` is null for series without the label.
report!(of: ValueRow {
    value: of.value.as_ref().map(|value| text(value)), series = series_count, bytes = len,
    metric_names = metric_count, metrics: list(&of.metrics),
});

report!(of: MetricOfValue { metric: text(&of.metric), series = series_count, bytes = len });

report!(of: MetricRow {
    metric: text(&of.metric), series = series_count, label_names = label_count,
    labels: list(&of.labels),
});

report!(of: LabelOfMetric { name: text(&of.name), values = value_count, series = series_count });

report!(of: ChunkAnalysis {
    chunks = chunk_count, float_samples: part(&of.float_samples),
    float_lens: part(&of.float_lens), histogram_samples: part(&of.histogram_samples),
    histogram_lens: part(&of.histogram_lens), histogram_buckets: part(&of.histogram_buckets);
    Entry("aggregate_windows", part(&of.aggregate_windows)),
    Entry("aggregate_lens", part(&of.aggregate_lens)),
});

report!(of: Distribution { min, mean, max, steps });
