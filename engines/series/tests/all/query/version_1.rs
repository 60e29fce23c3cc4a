//! Indexes of version 1: one is made here from an index of version 2, and must give the same
//! answers.

use std::collections::HashMap;

use manicule_core::bytes::{put_uvarint, put_varint};
use manicule_format_prometheus::{
    INDEX_MAGIC, Index, PairIndex, SeriesRef, SymbolIndex, Toc, crc32c,
};
use manicule_testkit::{Rng, golden_folder};

use crate::query::golden::{IndexOf, ask_all};

/// | 4 len | bytes | 4 CRC |
fn put_section(out: &mut Vec<u8>, body: &[u8]) {
    out.extend_from_slice(&(body.len() as u32).to_be_bytes());
    out.extend_from_slice(body);
    out.extend_from_slice(&crc32c(body).to_be_bytes());
}

fn put_string(out: &mut Vec<u8>, string: &[u8]) {
    put_uvarint(string.len() as u64, out);
    out.extend_from_slice(string);
}

/// The same series in version 1: symbols and series are named by their offsets, nothing is aligned,
/// and lists and table are in no order.
fn version_1(index: &IndexOf<'_>) -> Vec<u8> {
    let mut out = INDEX_MAGIC.to_vec();
    out.push(1);
    let symbols = out.len() as u64;
    let mut body = index.symbol_count().to_be_bytes().to_vec();
    let mut symbol_at = Vec::new();
    for symbol in (0..index.symbol_count()).map(SymbolIndex) {
        symbol_at.push(symbols + 4 + body.len() as u64);
        put_string(&mut body, index.symbol(symbol).unwrap());
    }
    put_section(&mut out, &body);
    let series = out.len() as u64;
    let mut new_ref = HashMap::new();
    for series in index.all_postings().unwrap().iter() {
        new_ref.insert(series, out.len() as u32);
        let payload = series_payload(index, series, &symbol_at);
        put_uvarint(payload.len() as u64, &mut out);
        out.extend_from_slice(&payload);
        out.extend_from_slice(&crc32c(&payload).to_be_bytes());
    }
    let postings = out.len() as u64;
    let mut pairs: Vec<PairIndex> = (0..index.pair_count()).map(PairIndex).collect();
    let mut rng = Rng::new(1);
    (1..pairs.len()).for_each(|place| pairs.swap(place, rng.below(place + 1)));
    let mut table = index.pair_count().to_be_bytes().to_vec();
    for pair in pairs {
        let (list, pair) = (index.postings(pair).unwrap(), index.pair(pair).unwrap());
        put_uvarint(2, &mut table);
        put_string(&mut table, pair.name);
        put_string(&mut table, pair.value);
        put_uvarint(out.len() as u64, &mut table);
        let mut body = (list.len() as u32).to_be_bytes().to_vec();
        list.iter().for_each(|series| body.extend(new_ref[&series].to_be_bytes()));
        put_section(&mut out, &body);
    }
    let postings_table = out.len() as u64;
    put_section(&mut out, &table);
    let (label_indices, label_indices_table) = (postings, postings_table);
    let toc = Toc { symbols, series, label_indices, label_indices_table, postings, postings_table };
    out.extend_from_slice(&toc.encode());
    out
}

fn series_payload(index: &IndexOf<'_>, series: SeriesRef, symbol_at: &[u64]) -> Vec<u8> {
    let entry = index.series(series).unwrap();
    let mut payload = Vec::new();
    put_uvarint(entry.label_count(), &mut payload);
    for label in entry.labels() {
        let (name, value) = label.unwrap();
        put_uvarint(symbol_at[name.0 as usize], &mut payload);
        put_uvarint(symbol_at[value.0 as usize], &mut payload);
    }
    let chunks: Vec<_> = entry.chunks().unwrap().map(Result::unwrap).collect();
    put_uvarint(chunks.len() as u64, &mut payload);
    for (place, chunk) in chunks.iter().enumerate() {
        let span = (chunk.max_time - chunk.min_time) as u64;
        match place.checked_sub(1).map(|before| chunks[before]) {
            None => put_varint(chunk.min_time, &mut payload),
            Some(before) => put_uvarint((chunk.min_time - before.max_time) as u64, &mut payload),
        }
        put_uvarint(span, &mut payload);
        match place.checked_sub(1).map(|before| chunks[before]) {
            None => put_uvarint(chunk.reference.0, &mut payload),
            Some(before) => {
                let step = chunk.reference.0.wrapping_sub(before.reference.0);
                put_varint(step as i64, &mut payload);
            }
        }
    }
    payload
}

#[test]
fn version_1_answers_as_version_2() {
    let golden = golden_folder("series", "golden");
    let bytes = std::fs::read(golden.path().join("index/1000/index")).unwrap();
    let index = Index::open(&bytes[..]).unwrap();
    let old_bytes = version_1(&index);
    let old = Index::open(&old_bytes[..]).unwrap();
    assert_eq!(old.version(), manicule_format_prometheus::Version::V1);
    let answers = std::fs::read_to_string(golden.path().join("answers/k8s-1000.jsonl")).unwrap();
    assert!(ask_all("1000 in version 1", &old, &answers) >= 100);
    let chunks = |index: &IndexOf<'_>| -> Vec<_> {
        let all = index.all_postings().unwrap();
        let chunks = all.iter().flat_map(|series| index.series(series).unwrap().chunks().unwrap());
        chunks.map(Result::unwrap).collect()
    };
    assert_eq!(chunks(&old), chunks(&index));
}
