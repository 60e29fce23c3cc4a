//! Thanos's chunks of aggregates, taken apart, read, and made again byte for byte; and such as
//! nobody writes.

use std::fs;
use std::path::Path;

use manicule_core::findings::Report;
use manicule_format_prometheus::chunk::{
    AGGREGATES_ENCODING, Aggregate, Aggregates, Chunk, Contents, Encoding, Sample, Value, encode,
    encode_aggregates,
};
use manicule_format_prometheus::{
    Interval, SEGMENT_HEADER, Segment, encode_chunk, verify_lone_segment,
};
use manicule_testkit::{golden_folder, whole_golden_set};

const BLOCK: &str = "1h/01M8BNGKJ1BRH82BGNS0CGD8ST";

fn times(min_time: i64, max_time: i64) -> Option<Interval> {
    Some(Interval { min_time, max_time })
}

fn samples(chunk: &Chunk<'_>) -> Vec<Sample> {
    chunk.samples().unwrap().map(Result::unwrap).collect()
}

/// Reads a segment of aggregates, and makes each chunk again; returns their number.
fn check_segment(path: &Path) -> usize {
    let segment = Segment::open(fs::read(path).unwrap()).unwrap();
    let mut count = 0;
    for raw in segment.chunks().map(Result::unwrap) {
        let Contents::Aggregates(aggregates) = raw.contents().unwrap() else {
            panic!("{}: aggregates", path.display())
        };
        let made = Aggregate::ALL.map(|aggregate| {
            let chunk = aggregates.get(aggregate)?;
            let mut again = encode(chunk.encoding, None, &samples(&chunk));
            assert_eq!(again.len(), 1);
            Some((chunk.encoding, again.remove(0)))
        });
        let parts = made.each_ref();
        let parts = parts.map(|part| part.as_ref().map(|(encoding, data)| (*encoding, &data[..])));
        assert_eq!(encode_aggregates(parts), raw.data, "{} at {}", path.display(), raw.at);
        // The first sample of a counter, and the value of the last, are there too.
        let lens = Aggregate::ALL.map(|own| samples(&aggregates.get(own).unwrap()).len());
        let windows = raw.contents().unwrap().sample_count().unwrap() as usize;
        assert_eq!(lens, [windows, windows, windows, windows, windows + 2]);
        let counter = samples(&aggregates.get(Aggregate::Counter).unwrap());
        let [.., window, last] = &counter[..] else { panic!("three points at least") };
        assert_eq!(window.time, last.time);
        assert_eq!(aggregates.times(), Ok(times(counter[1].time, last.time)));
        count += 1;
    }
    count
}

#[test]
fn chunks_of_aggregates_are_the_same_when_written_again() {
    let golden = golden_folder("series", "downsampled");
    assert_eq!(check_segment(&golden.path().join(BLOCK).join("chunks/000001")), 36);
}

#[test]
fn all_golden_chunks_of_aggregates_are_the_same_when_written_again() {
    let Some(golden) = whole_golden_set("aggregates of five minutes") else { return };
    let block = golden.join("../buckets/thanos/bucket/01M8BNGKEVDMT1H58F5QRHMKQM");
    assert_eq!(check_segment(&block.join("chunks/000001")), 36);
}

/// A chunk of floats with these times.
fn floats(times: &[i64]) -> Vec<u8> {
    let sample = |time: &i64| Sample { time: *time, start_time: 0, value: Value::Float(1.5) };
    encode(Encoding::Xor, None, &times.iter().map(sample).collect::<Vec<_>>()).remove(0)
}

/// Chunks of floats with these times; no chunk without times.
fn made(times: [&[i64]; 5]) -> Vec<u8> {
    let chunks = times.map(floats);
    let parts: [Option<(Encoding, &[u8])>; 5] = std::array::from_fn(|at| {
        (!times[at].is_empty()).then_some((Encoding::Xor, &chunks[at][..]))
    });
    encode_aggregates(parts)
}

#[test]
fn aggregates_that_are_not_there_take_a_byte() {
    let data = made([&[10, 20], &[], &[], &[10, 20], &[]]);
    let aggregates = Aggregates::decode(&data, 100).unwrap();
    let names: Vec<&str> = aggregates.iter().map(|(aggregate, _)| aggregate.name()).collect();
    assert_eq!(names, ["count", "max"]);
    assert_eq!(aggregates.times(), Ok(times(10, 20)));
    let none = Contents::decode(AGGREGATES_ENCODING, &[0; 5], 0).unwrap();
    assert_eq!((none.sample_count(), none.chunks().count()), (Ok(0), 0));
    // A counter alone: its first point is of a sample, the others are of windows.
    let data = made([&[], &[], &[], &[], &[3, 10, 20, 20]]);
    assert_eq!(Aggregates::decode(&data, 0).unwrap().times(), Ok(times(10, 20)));
}

#[test]
fn what_nobody_writes_is_an_error_with_its_place() {
    let sound = made([&[10, 20], &[], &[], &[10, 20], &[]]);
    for len in 0..sound.len() {
        let error = Aggregates::decode(&sound[..len], 0).unwrap_err();
        assert!(error.at() <= len as u64, "cut to {len}: {error}");
    }
    let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1];
    for (data, want) in [
        (&[0, 0, 0, 0, 0, 7][..], "bytes after the last aggregate at offset 105: wanted 0, got 1"),
        // None in another.
        (
            &[1, 255, 0, 0, 0, 0, 0],
            "encoding of an aggregate's chunk at offset 101: wanted 6, got 255",
        ),
        (&huge, "chunk of an aggregate at offset 111: 18446744073709551615 bytes needed, 0 there"),
    ] {
        assert_eq!(Aggregates::decode(data, 100).unwrap_err().to_string(), want);
    }
}

/// Findings in a chunk of aggregates.
fn findings(times: [&[i64]; 5]) -> Vec<String> {
    let mut bytes = SEGMENT_HEADER.to_vec();
    encode_chunk(AGGREGATES_ENCODING, &made(times), &mut bytes);
    let mut report = Report::new(10);
    let segment = Segment::open(&bytes[..]).unwrap();
    verify_lone_segment(&segment, &mut report);
    report.findings.list.iter().map(|finding| finding.to_string()).collect()
}

#[test]
fn aggregates_have_the_times_of_their_counts_and_counters_may_repeat_one() {
    let windows = &[10, 20, 30][..];
    let none: [String; 0] = [];
    assert_eq!(findings([windows, windows, windows, windows, &[4, 10, 20, 30, 30]]), none);
    // A window of one sample.
    assert_eq!(findings([&[10], &[10], &[10], &[10], &[10, 10, 10]]), none);
    assert_eq!(findings([windows, &[], &[], &[], &[]]), none);
    for (times, want) in [
        (
            [windows, &[10, 20][..], windows, windows, &[]],
            "time of a sum of a chunk: wanted 30, as its count, got none",
        ),
        (
            [windows, windows, &[10, 21, 30], windows, &[]],
            "time of a min of a chunk: wanted 20, as its count, got 21",
        ),
        (
            [windows, windows, windows, windows, &[4, 10, 9]],
            "time of a counter of a chunk: wanted above 10, got 9",
        ),
        (
            [&[10, 10, 30], &[], &[], &[], &[]],
            "time of a count of a chunk: wanted above 10, got 10",
        ),
    ] {
        let found = findings(times);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(want), "{found:?}");
    }
}
