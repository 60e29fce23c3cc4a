//! Samples as golden files write them: JSON, with doubles as their bits in hexadecimal.

use manicule_format_prometheus::chunk::{
    Counts, Float, Histogram, Integer, ResetHint, Sample, Span, Value as Measured,
};
use serde_json::{Value, json};

/// [time, value], and the start time when asked for.
pub(crate) fn sample_json(sample: &Sample, with_start: bool) -> Value {
    let value = match &sample.value {
        Measured::Float(value) => bits(*value),
        Measured::Histogram(histogram) => integer_json(histogram),
        Measured::FloatHistogram(histogram) => float_json(histogram),
    };
    if with_start {
        json!([sample.time, value, sample.start_time])
    } else {
        json!([sample.time, value])
    }
}

/// A golden sample in the words that [`sample_json`] uses: Go writes an empty list as `null`, and
/// bounds as numbers.
pub(crate) fn normal(mut golden: Value) -> Value {
    if let Some(histogram) = golden[1].as_object_mut() {
        histogram.values_mut().filter(|value| value.is_null()).for_each(|value| *value = json!([]));
        if let Some(bounds) = histogram["custom_values"].as_array_mut() {
            bounds.iter_mut().for_each(|bound| *bound = bits(bound.as_f64().unwrap()));
        }
    }
    golden
}

fn bits(value: f64) -> Value {
    format!("{:016x}", value.to_bits()).into()
}

fn integer_json(histogram: &Histogram<Integer>) -> Value {
    let mut json = common(histogram);
    json["count"] = histogram.count.into();
    json["zero_count"] = histogram.zero_count.into();
    json["positive_deltas"] = histogram.positive.clone().into();
    json["negative_deltas"] = histogram.negative.clone().into();
    json
}

fn float_json(histogram: &Histogram<Float>) -> Value {
    let list = |counts: &[f64]| counts.iter().map(|count| bits(*count)).collect::<Value>();
    let mut json = common(histogram);
    json["float"] = true.into();
    json["count"] = bits(histogram.count);
    json["zero_count"] = bits(histogram.zero_count);
    json["positive_counts"] = list(&histogram.positive);
    json["negative_counts"] = list(&histogram.negative);
    json
}

fn common<C: Counts>(histogram: &Histogram<C>) -> Value {
    let layout = &histogram.layout;
    let spans = |spans: &[Span]| -> Value {
        spans.iter().map(|span| json!({ "Offset": span.offset, "Length": span.len })).collect()
    };
    let hint = match histogram.hint {
        ResetHint::Unknown => 0,
        ResetHint::Reset => 1,
        ResetHint::NotReset => 2,
        ResetHint::Gauge => 3,
    };
    json!({
        "hint": hint,
        "schema": layout.schema,
        "zero_threshold": bits(layout.zero_threshold),
        "sum": bits(histogram.sum),
        "positive_spans": spans(&layout.positive),
        "negative_spans": spans(&layout.negative),
        "custom_values": layout.custom_bounds.iter().map(|bound| bits(*bound)).collect::<Value>(),
    })
}
