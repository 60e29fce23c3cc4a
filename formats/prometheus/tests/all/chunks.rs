//! Prometheus's own chunks read back, and written again byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use manicule_core::hex;
use manicule_format_prometheus::chunk::{Chunk, Encoding, Sample, encode};
use manicule_format_prometheus::{RawChunk, Segment};
use manicule_testkit::golden_folder;
use serde_json::Value;

struct Golden {
    name: String,
    encoding: Encoding,
    data: Vec<u8>,
    samples: Vec<Value>,
}

/// The chunks of `chunks.jsonl`.
fn golden_chunks() -> Vec<Golden> {
    let golden = golden_folder("series", "golden");
    let text = fs::read_to_string(golden.path().join("chunks.jsonl")).unwrap();
    let rows = text.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        Golden {
            name: row["name"].as_str().unwrap().to_owned(),
            encoding: Encoding::from_number(row["encoding"].as_u64().unwrap() as u8).unwrap(),
            data: hex::decode(row["bytes"].as_str().unwrap()).unwrap(),
            samples: row["samples"].as_array().cloned().unwrap_or_default(),
        }
    });
    rows.collect()
}

fn decode(encoding: Encoding, data: &[u8]) -> Vec<Sample> {
    let chunk = Chunk { encoding, data, at: 0 };
    let samples: Vec<Sample> = chunk.samples().unwrap().map(Result::unwrap).collect();
    assert_eq!(samples.len() as u32, chunk.sample_count().unwrap());
    samples
}

#[test]
fn every_chunk_gives_its_samples() {
    let chunks = golden_chunks();
    assert!(chunks.len() >= 130, "{}", chunks.len());
    for Golden { name, encoding, data, samples } in chunks {
        let found = decode(encoding, &data);
        assert_eq!(found.len(), samples.len(), "{name}");
        for (found, golden) in found.iter().zip(samples) {
            let found = crate::support::sample_json(found, encoding.has_start_times());
            assert_eq!(found, crate::support::normal(golden), "{name}");
        }
    }
}

#[test]
fn samples_make_the_same_chunks_again_and_begin_new_ones_at_the_same_places() {
    // Histograms: a name ends in the number of the part; the parts together are what the encoder
    // was given.
    let mut parts: BTreeMap<String, Vec<Golden>> = BTreeMap::new();
    for chunk in golden_chunks() {
        let name = if chunk.encoding.is_float() {
            &chunk.name
        } else {
            chunk.name.rsplit_once('-').unwrap().0
        };
        parts.entry(name.to_owned()).or_default().push(chunk);
    }
    for (name, parts) in parts {
        let encoding = parts[0].encoding;
        let samples: Vec<Sample> =
            parts.iter().flat_map(|part| decode(encoding, &part.data)).collect();
        let golden: Vec<&[u8]> = parts.iter().map(|part| &part.data[..]).collect();
        assert_eq!(encode(encoding, None, &samples), golden, "{name}");
    }
}

/// All chunk files below a folder.
fn segments(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            segments(&path, each);
        } else if path.parent().unwrap().ends_with("chunks") {
            each(&path);
        }
    }
}

#[test]
fn the_chunks_of_all_blocks_are_the_same_when_written_again() {
    let golden = golden_folder("series", "golden");
    let mut counts = [0; Encoding::ALL.len()];
    segments(golden.path(), &mut |path| {
        let segment = Segment::open(fs::read(path).unwrap()).unwrap();
        for raw in segment.chunks() {
            let chunk = raw.unwrap().open().unwrap();
            let samples = decode(chunk.encoding, chunk.data);
            let reset = chunk.samples().unwrap().reset();
            let again = encode(chunk.encoding, reset, &samples);
            assert!(again == [chunk.data], "{} at {}", path.display(), chunk.at);
            counts[chunk.encoding as usize - 1] += 1;
        }
    });
    assert!(counts.iter().all(|count| *count > 0), "of each encoding some: {counts:?}");
    println!("chunks by encoding: {counts:?}");
}

#[test]
fn a_chunk_cut_anywhere_gives_a_beginning_and_an_error() {
    for Golden { name, encoding, data, samples } in golden_chunks() {
        for len in 0..data.len() {
            let chunk = Chunk { encoding, data: &data[..len], at: 0 };
            let Ok(found) = chunk.samples() else { continue };
            let (whole, broken): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
            assert!(whole.len() <= samples.len() && broken.len() <= 1, "{name} cut to {len}");
            // The last byte may hold nothing but the zeros that fill it up.
            assert_eq!(broken.is_empty(), whole.len() == samples.len(), "{name} cut to {len}");
        }
    }
}

#[test]
fn an_unknown_encoding_is_told_and_that_of_aggregates_named() {
    for (encoding, want) in [
        (7, "encoding of a chunk at offset 9: wanted 6, got 7"),
        (
            255,
            "encoding of a chunk of samples (255: aggregates of downsampled ones) at offset 9: wanted 6, got 255",
        ),
    ] {
        let chunk = RawChunk { at: 8, encoding, data: &[0, 0], end: 16 };
        assert_eq!(chunk.open().unwrap_err().to_string(), want);
    }
}
