//! The example in docs/formats/prometheus.md: the smallest golden block, as the code shows it
//! today.
//! `UPDATE=1 cargo test` rewrites it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Index, PairIndex, Segment, SymbolIndex, Tombstones, outline};
use manicule_testkit::Examples;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden(file: &str) -> Vec<u8> {
    fs::read(root().join("proof/golden/series/tiny").join(file)).expect("a golden file")
}

/// Bytes in rows of 16, from an offset on.
fn hex(bytes: &[u8], range: std::ops::Range<u64>, out: &mut String) {
    let part = &bytes[range.start as usize..range.end as usize];
    for (index, bytes) in part.chunks(16).enumerate() {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let at = range.start + index as u64 * 16;
        let _ = writeln!(out, "  {at:08x}  {:<47}  |{text}|", digits.join(" "));
    }
}

/// The sections of a file, and the bytes of each.
fn sections(name: &str, bytes: &[u8], out: &mut String) {
    let _ = writeln!(out, "{name}");
    for row in outline(bytes).expect("a sound file").rows {
        let (start, end) = (row.bytes.start, row.bytes.end);
        let _ = writeln!(out, "{start}..{end} {}: {}", row.name, row.value);
        hex(bytes, row.bytes, out);
    }
}

/// What the index says, and the first chunk.
fn contents(index: &Index<&[u8]>, segment: &Segment<&[u8]>, out: &mut String) {
    let text = |symbol: SymbolIndex| {
        String::from_utf8_lossy(index.symbol(symbol).expect("a symbol")).into_owned()
    };
    let symbols =
        (0..index.symbol_count()).map(|number| format!("{:?}", text(SymbolIndex(number))));
    let _ = writeln!(out, "\nsymbols {}", symbols.collect::<Vec<_>>().join(" "));
    for series in index.all_postings().expect("a list").iter() {
        let read = index.series(series).expect("a series");
        let labels = read.labels().map(|label| label.expect("a label"));
        let labels = labels.map(|(name, value)| format!("{}={:?}", text(name), text(value)));
        let _ = writeln!(
            out,
            "series {} at {}: {}",
            series.0,
            index.series_at(series),
            labels.collect::<Vec<_>>().join(", ")
        );
        for meta in read.chunks().expect("chunks").map(|chunk| chunk.expect("a chunk")) {
            let at = meta.reference.offset();
            let _ = writeln!(out, "  {} to {} in the chunk at {at}:", meta.min_time, meta.max_time);
            let chunk = segment.chunk(at.into()).expect("a chunk").open().expect("an encoding");
            for sample in chunk.samples().expect("samples").map(|sample| sample.expect("a sample"))
            {
                let _ = writeln!(out, "    {} {:?}", sample.time, sample.value);
            }
        }
    }
    for pair in (0..index.pair_count()).map(PairIndex) {
        let found = index.pair(pair).expect("a pair");
        let word = |bytes: &[u8]| format!("{:?}", String::from_utf8_lossy(bytes));
        let (name, value, at) = (word(found.name), word(found.value), found.list_at);
        let list = index.postings(pair).expect("a list");
        let _ = writeln!(out, "list at {at}: {name}={value}: {list:?}");
    }
}

#[test]
fn the_document_shows_what_the_code_reads() {
    let (index, chunks) = (golden("index"), golden("chunks/000001"));
    let tombstones = golden("tombstones");
    assert!(Tombstones::decode(&tombstones).expect("tombstones").is_empty());
    let mut now = String::new();
    sections("index", &index, &mut now);
    sections("\nchunks/000001", &chunks, &mut now);
    sections("\ntombstones", &tombstones, &mut now);
    let index = Index::open(index.as_slice()).expect("an index");
    contents(&index, &Segment::open(chunks.as_slice()).expect("a segment"), &mut now);

    Examples::of("docs/formats/prometheus.md").hold("tiny", &now);
}
