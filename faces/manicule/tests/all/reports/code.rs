//! Shards: what was indexed, listed, inspected.

use std::fs;

use manicule::code::json::{Indexed, IndexedShard, ListTotals};
use manicule::code::{IndexCall, Symbols, index};
use manicule::inspect::Inspected;
use manicule::json::TextOrBytes;
use manicule::kinds::{Call, places};
use manicule::watch::Watch;
use serde_json::json;

use super::json as as_json;

#[test]
fn an_index_and_its_shard_have_the_same_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("source"), folder.path().join("shards"));
    fs::create_dir(&source).unwrap();
    fs::write(source.join("a.rs"), "fn main() {}\n").unwrap();
    fs::write(source.join("b"), "a\0b").unwrap();
    let call = IndexCall { symbols: Symbols::Off, ..IndexCall::new(source, output) };
    let indexed = index(&call, &Watch::none()).unwrap();
    let (repository, report) = (&*indexed.repository, &indexed.report);
    let all = as_json(Indexed { repository, call: &call, report });
    assert_eq!((&all["documents"], &all["shards"]), (&json!(2), &json!(1)));
    assert_eq!((&all["unchanged"], &all["replaces"]), (&json!(false), &json!(null)));
    assert_eq!(all["skipped"], json!({ "binary": 1 }));
    let shard = as_json(IndexedShard { repository, shard: &report.shards[0] });
    assert_eq!((&shard["repository"], &shard["documents"]), (&json!(repository), &json!(2)));

    let call =
        Call { cache: None, threads: 1, watch: &Watch::none(), key: None, password: || Ok(None) };
    let place = &places(&report.shards[0].path, None).unwrap()[0];
    let Inspected::Shard(shard) = place.inspect(&call).unwrap() else { panic!("{place:?}") };
    let all = as_json(&*shard);
    assert_eq!((&all["documents"], &all["len"]), (&json!(2), &json!(shard.len)));
    assert_eq!(all["repositories"][0]["documents"], 2);
    let shares = all["sections"].as_array().unwrap().iter().map(|own| own["share"].as_f64());
    assert!(shares.map(Option::unwrap).sum::<f64>() <= 1.0);
}

#[test]
fn names_are_text_or_bytes() {
    assert_eq!(as_json(TextOrBytes(b"a")), json!({ "text": "a" }));
    assert_eq!(as_json(TextOrBytes(b"\xff")), json!({ "bytes": "/w==" }));
    let want = json!({ "repositories": 0, "documents": 0, "content_bytes": 0, "index_bytes": 0 });
    assert_eq!(as_json(ListTotals::of(&[])), want);
}
