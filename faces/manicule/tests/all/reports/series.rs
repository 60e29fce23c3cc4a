//! Blocks: what was built, analysed, compared, merged, inspected and verified.

use std::fs;
use std::path::{Path, PathBuf};

use manicule::inspect::{Inspected, PathVerified};
use manicule::kinds::{Call, places};
use manicule::series::analyze::{AnalyzeOptions, Bytes, LISTS};
use manicule::series::build::Input;
use manicule::series::json::{Analysed, Compared, Differing, LabelCount};
use manicule::series::{BuildCall, Data, OpenCall, analyze, build};
use manicule::watch::Watch;
use serde_json::json;

use super::json as as_json;

/// A block of a text.
fn block(folder: &Path, name: &str, text: &str) -> PathBuf {
    let input = folder.join(format!("{name}.txt"));
    fs::write(&input, text).unwrap();
    let call = BuildCall::new(vec![Input::File(input)], folder.join(name));
    build(&call, &Watch::none()).unwrap().blocks[0].path.clone()
}

#[test]
fn an_analysis_and_growth_name_their_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let old = block(folder.path(), "old", "up{job=\"a\"} 1 0\n# EOF\n");
    let new = block(folder.path(), "new", "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n");
    let [old, new] = [old, new].map(|path| analyze::pick(&path, None).unwrap().block);
    let options = AnalyzeOptions { by: Some(b"job"), bytes: Bytes::Sum, ..LISTS };
    let analysis = analyze(&new, &options, &Watch::none()).unwrap();
    let all = as_json(Analysed { block: &new, analysis: &analysis });
    assert_eq!(all["path"], json!(new.path()));
    assert_eq!(all["series_matched"], 2);
    assert_eq!(all["value_counts"][0], json!({ "name": "job", "count": 2 }));
    let up = json!({ "name": "__name__", "value": "up", "count": 2 });
    assert_eq!(all["common_pairs"][0], up);
    assert_eq!(all["by"][0]["value"], "a");
    assert_eq!(all["matrix"], json!(null));

    let growth = analyze::growth(&old, &new, &[], 20).unwrap();
    let all = as_json(Compared { block: &new, against: &old, growth: &growth });
    let series = json!({ "before": 1, "now": 2, "growth": 1, "added": 1, "removed": 0 });
    assert_eq!(all["series"], series);
    assert_eq!(all["against"]["ulid"], json!(old.meta().unwrap().ulid));
    assert_eq!(all["metrics"]["grew"][0]["state"], "changed");
}

#[test]
fn a_difference_says_its_type_and_labels() {
    let folder = tempfile::tempdir().unwrap();
    let left = block(folder.path(), "left", "up{job=\"a\"} 1 0\n# EOF\n");
    let right = block(folder.path(), "right", "up{job=\"a\"} 2 0\nup{job=\"b\"} 1 0\n# EOF\n");
    let mut found = Vec::new();
    let mut each = |labels: &[(&[u8], &[u8])], difference| {
        found.push(as_json(Differing { labels, difference }));
        true
    };
    let open = |path| {
        let call = OpenCall { paths: vec![path], ..OpenCall::default() };
        Data::open(&call, &mut |log| panic!("{log:?}")).unwrap()
    };
    let sums = open(left).diff(&open(right), &mut each).unwrap();
    let labels = |job: &str| json!({ "__name__": "up", "job": job });
    let samples = json!({
        "type": "samples", "labels": labels("a"), "only_a": 0, "only_b": 0, "other": 1,
        "first_time": 0,
    });
    let only_b = json!({ "type": "only_b", "labels": labels("b") });
    assert_eq!(found, [samples, only_b]);
    let want = json!({ "same": 0, "only_a": 0, "only_b": 1, "samples": 1, "chunks": 0 });
    assert_eq!(as_json(sums), want);
}

#[test]
fn a_block_is_inspected_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = block(folder.path(), "data", "up{job=\"a\"} 1 0\n# EOF\n");
    let call =
        Call { cache: None, threads: 1, watch: &Watch::none(), key: None, password: || Ok(None) };
    let place = &places(&path, None).unwrap()[0];
    let Inspected::Block(block) = place.inspect(&call).unwrap() else { panic!("{place:?}") };
    let all = as_json(&*block);
    assert_eq!(all["index"]["series"], 1);
    assert_eq!(all["index"]["sections"][0]["offset"], 0);
    assert_eq!(all["meta"]["stats"]["numSamples"], 1);
    assert_eq!(all["marks"], json!([]));
    let verified = place.verify(&call, &mut |error| panic!("{error}")).unwrap();
    let all = as_json(PathVerified { path: &path, verified: &verified });
    assert_eq!((&all["ok"], &all["findings"]), (&json!(true), &json!(0)));
    assert_eq!(all["series"], 1);
}

#[test]
fn a_value_is_counted_as_a_value() {
    let count = LabelCount { is_value: true, bytes: b"a\xff", series: 3 };
    assert_eq!(as_json(count), json!({ "value": "a\\xff", "series": 3 }));
}
