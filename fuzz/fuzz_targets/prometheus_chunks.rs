//! Decoding any bytes as a chunk ends with samples or an error; and samples that were decoded are
//! the same after they have been encoded and decoded again.
//!
//! The first byte chooses the encoding; 255 are aggregates, each a chunk that has to hold the same.
//! Seeds: fuzz/seeds/prometheus_chunks, and chunks of golden blocks, each with its encoding in
//! front; see `formats/prometheus/tests/all/chunks.rs` for where they lie.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use manicule_format_prometheus::chunk::{
    AGGREGATES_ENCODING, Aggregate, Aggregates, Chunk, Counts, Encoding, Histogram, Layout,
    ResetHint, Sample, Value, encode, encode_aggregates,
};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, data)) = bytes.split_first() else { return };
    if *first == AGGREGATES_ENCODING {
        return aggregates(data);
    }
    let encoding = Encoding::ALL[usize::from(*first) % Encoding::ALL.len()];
    round_trip(Chunk { encoding, data, at: 0 });
});

/// What is taken apart lies in the data, and is the same when it was put together again.
fn aggregates(data: &[u8]) {
    let Ok(decoded) = Aggregates::decode(data, 0) else { return };
    let mut len = 0;
    for (_, chunk) in decoded.iter() {
        assert!(data[chunk.at as usize..].starts_with(chunk.data) && !chunk.data.is_empty());
        len += chunk.data.len();
        round_trip(chunk);
    }
    assert!(len < data.len() && decoded.data() == data);
    let _ = decoded.times();
    let parts = Aggregate::ALL.map(|aggregate| decoded.get(aggregate));
    let parts = parts.map(|part| part.map(|chunk| (chunk.encoding, chunk.data)));
    let again = encode_aggregates(parts);
    // Lengths may have been written longer than they need.
    assert!(again.len() <= data.len());
    let again = Aggregates::decode(&again, 0).expect("an encoder's aggregates");
    for aggregate in Aggregate::ALL {
        let of = |aggregates: &Aggregates<'_>| {
            aggregates.get(aggregate).map(|chunk| (chunk.encoding, chunk.data.to_vec()))
        };
        assert_eq!(of(&again), of(&decoded));
    }
}

fn round_trip(chunk: Chunk<'_>) {
    let encoding = chunk.encoding;
    let Ok(decoding) = chunk.samples() else { return };
    let (left, reset) = (decoding.left(), decoding.reset());
    let samples: Vec<Sample> = decoding.map_while(Result::ok).collect();
    assert!(samples.len() <= left);
    let mut again = Vec::new();
    for data in encode(encoding, reset, &samples) {
        let chunk = Chunk { encoding, data: &data, at: 0 };
        let decoding = chunk.samples().expect("an encoder's header");
        again.extend(decoding.map(|sample| sample.expect("an encoder's sample")));
    }
    assert_eq!(samples.len(), again.len());
    for (mut before, mut after) in samples.into_iter().zip(again) {
        plain(&mut before.value);
        plain(&mut after.value);
        assert_eq!(before, after);
    }
}

/// Clears what a chunk may encode in several ways: whether counters went on, and the sign of a zero
/// in a layout.
fn plain(value: &mut Value) {
    match value {
        Value::Float(_) => {}
        Value::Histogram(histogram) => plain_histogram(histogram),
        Value::FloatHistogram(histogram) => plain_histogram(histogram),
    }
}

fn plain_histogram<C: Counts>(histogram: &mut Histogram<C>) {
    if histogram.hint == ResetHint::NotReset {
        histogram.hint = ResetHint::Unknown;
    }
    let mut layout = Layout::clone(&histogram.layout);
    layout.zero_threshold += 0.0;
    layout.custom_bounds.iter_mut().for_each(|bound| *bound += 0.0);
    histogram.layout = Arc::new(layout);
}
