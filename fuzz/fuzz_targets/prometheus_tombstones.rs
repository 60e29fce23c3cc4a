//! Reading, verifying and showing any bytes as tombstones and segments give a value or an error;
//! those in which verifying finds nothing wrong can be read, and tombstones that were read are the
//! same when written and read again.
//!
//! Seeds:
//! `mkdir -p corpus/prometheus_tombstones && cp ../proof/golden/series/tiny/{tombstones,chunks/000001} corpus/prometheus_tombstones`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_core::findings::Report;
use manicule_format_prometheus::{
    ChunkMeta, ChunkRef, NamedChunk, SEGMENT_HEADER, Segment, SeriesRef, TOMBSTONES_MAGIC,
    Gaps, Tombstones, crc32c, outline, verify_chunks, verify_segment, verify_tombstones,
};

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Bytes(&'a [u8]),
    /// Entries under a correct checksum.
    Tombstones(&'a [u8]),
    /// Chunks under correct checksums: encoding and data.
    Chunks(Vec<(u8, &'a [u8])>),
}

fuzz_target!(|bytes: &[u8]| {
    tombstones(bytes);
    segment(bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    match input {
        Input::Bytes(bytes) => {
            tombstones(bytes);
            segment(bytes);
        }
        Input::Tombstones(entries) => {
            let sum = crc32c(entries).to_be_bytes();
            tombstones(&[&TOMBSTONES_MAGIC[..], &[1], entries, &sum].concat());
        }
        Input::Chunks(chunks) => {
            let mut bytes = SEGMENT_HEADER.to_vec();
            for (encoding, data) in chunks {
                manicule_core::bytes::put_uvarint(data.len() as u64, &mut bytes);
                let covered = [&[encoding % 8], data].concat();
                bytes.extend_from_slice(&covered);
                bytes.extend_from_slice(&crc32c(&covered).to_be_bytes());
            }
            segment(&bytes);
        }
    }
});

fn tombstones(bytes: &[u8]) {
    let mut report = Report::new(5);
    verify_tombstones(bytes, &|series| series.0 % 2 == 0, &mut report);
    assert!(report.findings.list.len() <= 5);
    let read = Tombstones::decode(bytes);
    assert!(report.findings.count > 0 || read.is_ok());
    if let Ok(read) = read {
        assert_eq!(Tombstones::decode(&read.encode()).as_ref(), Ok(&read));
    }
    let _ = outline(bytes);
}

fn segment(bytes: &[u8]) {
    let mut report = Report::new(5);
    let Some(segment) = verify_segment(bytes, &mut report) else {
        assert!(Segment::open(bytes).is_err());
        return;
    };
    if let Ok(outline) = outline(bytes) {
        assert!(outline.rows.iter().all(|row| row.bytes.end <= bytes.len() as u64));
    }
    // Each chunk with the times that it has; and all of them named.
    let mut named = Vec::new();
    let mut is_sound = true;
    for chunk in segment.chunks().map_while(Result::ok) {
        let samples = chunk.open().and_then(|chunk| chunk.samples()?.collect::<Result<Vec<_>, _>>());
        let samples = samples.unwrap_or_default();
        is_sound &= !samples.is_empty() && samples.is_sorted_by(|a, b| a.time < b.time);
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else { continue };
        let reference = ChunkRef::new(0, chunk.at as u32);
        let meta = ChunkMeta { min_time: first.time, max_time: last.time, reference };
        named.push(NamedChunk { meta, series: SeriesRef(1) });
    }
    let counts = verify_chunks(&segment, &named, 0..named.len(), Gaps::Odd, &mut report);
    assert!(counts.chunk_count <= named.len() as u64);
    assert!(!is_sound || report.findings.count == 0, "{:?}", report.findings.list);
}
