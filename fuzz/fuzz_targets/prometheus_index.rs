//! Opening, reading, verifying and showing any bytes as an index give a value or an error; and of
//! an index without findings, everything can be read.
//!
//! Three ways in: the bytes as they are; a real index with a few bytes changed; and the same with
//! its checksums corrected, so that the bytes under them are read.
//!
//! Seeds:
//! `mkdir -p corpus/prometheus_index && cp ../proof/golden/series/tiny/index corpus/prometheus_index`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_prometheus::{
    Index, PairIndex, SymbolIndex, TOC_LEN, Toc, crc32c, outline, verify_index,
};

const INDEX: &[u8] = include_bytes!("../../proof/golden/series/tiny/index");

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Bytes(&'a [u8]),
    /// Offsets, and the bytes put there.
    Changed(Vec<(u16, u8)>),
    /// As that, under correct checksums; and bytes inserted at an offset.
    Signed { changes: Vec<(u16, u8)>, at: u16, more: &'a [u8] },
}

fuzz_target!(|bytes: &[u8]| {
    // A seed that is an index is read as one; libFuzzer changes it from there.
    look(bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    match input {
        Input::Bytes(bytes) => look(bytes),
        Input::Changed(changes) => look(&changed(&changes)),
        Input::Signed { changes, at, more } => {
            let mut bytes = changed(&changes);
            let at = usize::from(at) % (bytes.len() - TOC_LEN);
            bytes.splice(at..at, more.iter().copied());
            sign(&mut bytes);
            look(&bytes);
        }
    }
});

fn changed(changes: &[(u16, u8)]) -> Vec<u8> {
    let mut bytes = INDEX.to_vec();
    changes.iter().for_each(|(at, byte)| bytes[usize::from(*at) % INDEX.len()] = *byte);
    bytes
}

/// Corrects the checksums of the table of contents, of all sections, and of all lists and series.
fn sign(bytes: &mut [u8]) {
    let toc_at = bytes.len() - TOC_LEN;
    let sum = crc32c(&bytes[toc_at..bytes.len() - 4]).to_be_bytes();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&sum);
    let Ok(toc) = Toc::decode(bytes) else { return };
    for at in [toc.symbols, toc.postings_table] {
        sign_section(bytes, at);
    }
    for at in (toc.postings.min(end as u64)..toc.postings_table.min(end as u64)).step_by(4) {
        sign_section(bytes, at);
    }
    let series = toc.series.min(end as u64)..toc.label_indices.min(end as u64);
    for at in series.filter(|at| at % 16 == 0) {
        let at = at as usize;
        let len = usize::from(bytes[at]);
        sign_range(bytes, at + 1, len);
    }
}

fn sign_section(bytes: &mut [u8], at: u64) {
    let Some(at) = usize::try_from(at).ok().filter(|at| *at < bytes.len()) else { return };
    let Some(len) = bytes[at..].first_chunk::<4>() else { return };
    let len = u32::from_be_bytes(*len) as usize;
    sign_range(bytes, at + 4, len);
}

fn sign_range(bytes: &mut [u8], start: usize, len: usize) {
    let end = start.saturating_add(len);
    if let Some(covered) = bytes.get(start..end) {
        let sum = crc32c(covered).to_be_bytes();
        if let Some(place) = bytes.get_mut(end..).and_then(|rest| rest.get_mut(..4)) {
            place.copy_from_slice(&sum);
        }
    }
}

/// Opens, reads everything, verifies and shows.
fn look(bytes: &[u8]) {
    let mut found = 0u64;
    let verified = verify_index(bytes, 5, &mut |series| found += series.chunks.len() as u64 + 1);
    assert!(verified.report.findings.list.len() <= 5 && verified.report.warnings.list.len() <= 5);
    assert_eq!(found, verified.series_count + verified.chunk_count);
    let is_sound = verified.report.findings.count == 0;
    if let Ok(outline) = outline(bytes) {
        assert!(outline.rows.iter().all(|row| row.bytes.end <= bytes.len() as u64));
    }
    let read = read(bytes);
    assert!(!is_sound || read == Ok(verified.series_count), "{read:?}");
}

/// Reads all lists and series, and returns the number of series. The first error is the last.
fn read(bytes: &[u8]) -> Result<u64, manicule_core::bytes::DecodeError> {
    let index = Index::open(bytes)?;
    for symbol in 0..index.symbol_count() {
        assert!(index.symbol(SymbolIndex(symbol)).is_some());
    }
    let mut first = Ok(());
    for (name, pairs) in index.names() {
        for pair in pairs.map(PairIndex) {
            let value = index.value(pair);
            assert_eq!(index.find_pair(name, value), Some(pair));
            let list = index.postings(pair);
            // The second reading trusts the first, and must give the same.
            assert_eq!(list.as_ref().ok(), index.postings(pair).as_ref().ok());
            if let Err(error) = list {
                first = first.and(Err(error));
            }
        }
    }
    let all = index.all_postings()?;
    for series in all.iter() {
        let read = index.series(series);
        let whole = read.and_then(|series| {
            series.labels().try_for_each(|label| label.map(drop))?;
            series.chunks()?.try_for_each(|chunk| chunk.map(drop))
        });
        first = first.and(whole);
    }
    first.map(|()| all.len() as u64)
}
