//! Mimir's sparse header: read back field by field, and each place looked up in the index that it
//! is of.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;
use manicule_core::bytes::Reader;
use manicule_core::watch::Watch;
use manicule_format_prometheus::{Index, PairIndex, SymbolIndex};
use manicule_series::write::{Joined, Outputs, SortedSets, write_index_with};
use manicule_testkit::golden_folder;

use super::inputs::{PLAIN, chunk_rule, label_sets};

/// A field of a protobuf message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn fields(message: &[u8]) -> Vec<(u64, Field<'_>)> {
    let (mut reader, mut fields) = (Reader::new(message, 0), Vec::new());
    while !reader.rest().is_empty() {
        let key = reader.uvarint("key").unwrap();
        let value = reader.uvarint("value").unwrap();
        let value = match key & 7 {
            0 => Field::Number(value),
            2 => Field::Bytes(reader.take("bytes", value as usize).unwrap()),
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

fn messages(message: &[u8], number: u64) -> Vec<&[u8]> {
    let of_number = |(field, value)| match value {
        Field::Bytes(bytes) if field == number => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(of_number).collect()
}

fn bytes(message: &[u8], number: u64) -> &[u8] {
    messages(message, number).first().copied().unwrap_or_default()
}

fn number(message: &[u8], number: u64) -> u64 {
    let of_number = |(field, value)| match value {
        Field::Number(value) if field == number => Some(value),
        _ => None,
    };
    fields(message).into_iter().find_map(of_number).unwrap_or(0)
}

fn written(sets: &SortedSets) -> (Index<Vec<u8>>, Vec<u8>) {
    let (mut file, mut packed, mut sparse) = (Vec::new(), Vec::new(), Vec::new());
    let source = Joined { labels: sets.series(), chunks: chunk_rule() };
    let outputs =
        Outputs { index: &mut file, index_header: None, sparse_header: Some(&mut packed) };
    write_index_with(sets, sets.pairs(), source, PLAIN, outputs, 1, &Watch::none().silent())
        .unwrap();
    GzDecoder::new(&packed[..]).read_to_end(&mut sparse).unwrap();
    (Index::open(file).unwrap(), sparse)
}

#[test]
fn every_place_leads_to_what_is_said_of_it() {
    let golden = golden_folder("series", "golden");
    let sets = label_sets(&fs::read(golden.path().join("index/1000/series.tsv")).unwrap());
    let (index, sparse) = written(&sets);
    let symbols = bytes(&sparse, 1);
    assert_eq!(number(symbols, 2), u64::from(index.symbol_count()));
    let mut places = Reader::new(bytes(symbols, 1), 0);
    for symbol in (0..index.symbol_count()).step_by(32) {
        let place = places.uvarint("place").unwrap();
        let mut there = Reader::new(&index.bytes()[(index.toc().symbols + place) as usize..], 0);
        let len = there.uvarint("length").unwrap();
        let want = index.symbol(SymbolIndex(symbol)).unwrap();
        assert_eq!(there.take("symbol", len as usize).unwrap(), want);
    }
    assert!(places.rest().is_empty());

    let postings = bytes(&sparse, 2);
    assert_eq!(number(postings, 2), 32);
    let names: BTreeMap<&[u8], &[u8]> =
        messages(postings, 1).into_iter().map(|entry| (bytes(entry, 1), bytes(entry, 2))).collect();
    let mut want: Vec<(&[u8], std::ops::Range<u32>)> = index.names().collect();
    want.push((b"", 0..1));
    assert_eq!(names.len(), want.len());
    for (name, pairs) in want {
        let values = messages(names[name], 1);
        let is_kept = |pair: &u32| (pair - pairs.start).is_multiple_of(32) || pair + 1 == pairs.end;
        let kept: Vec<u32> = pairs.clone().filter(is_kept).collect();
        assert_eq!(values.len(), kept.len());
        for (value, pair) in values.into_iter().zip(kept) {
            let pair = index.pair(PairIndex(pair)).unwrap();
            assert_eq!(bytes(value, 1), pair.value);
            let at = index.toc().postings_table + number(value, 2);
            let mut there = Reader::new(&index.bytes()[at as usize..], 0);
            assert_eq!(there.u8("strings"), Ok(2));
            for want in [name, pair.value] {
                let len = there.uvarint("length").unwrap();
                assert_eq!(there.take("string", len as usize).unwrap(), want);
            }
            assert_eq!(there.uvarint("offset"), Ok(pair.list_at));
        }
        let next = index.pair(PairIndex(pairs.end)).map(|pair| pair.list_at);
        assert_eq!(number(names[name], 2), next.unwrap_or(index.toc().postings_table) - 4);
    }
}
