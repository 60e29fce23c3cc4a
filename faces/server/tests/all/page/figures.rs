//! Figures: of series, samples, packs.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Golden, numbers, quoted};
use crate::support::serve;

#[test]
fn metrics_of_a_block_are_counted_and_cut() {
    let golden = Golden::serve();
    let all = golden.get("/ui/series/analysis?place=k5k");
    let metrics = all["matrix"].as_array().unwrap();
    let sum: u64 = metrics.iter().map(|own| own["series"].as_u64().unwrap()).sum();
    let listed = golden.get(&format!(
        "/ui/table/series.labels?place=k5k&where={}&limit=5000",
        quoted("name = '__name__'")
    ));
    assert_eq!(all["metric_count"], listed["rows"].as_array().unwrap().len());
    assert_eq!(all["series_matched"], numbers(&listed, "series").iter().sum::<i64>());
    assert!(sum <= all["series"].as_u64().unwrap());
    assert!(all["path"].is_null(), "no path of this machine");
    let cut = golden.get("/ui/series/analysis?place=k5k&limit=1");
    for list in ["matrix", "costs", "value_counts", "churning_pairs"] {
        assert!(cut[list].as_array().unwrap().len() <= 1, "{list}");
    }
    let metric = metrics[0]["metric"].as_str().unwrap();
    let one = golden.get(&format!("/ui/series/analysis?place=k5k&metric={}", quoted(metric)));
    assert_eq!(one["series_matched"], metrics[0]["series"]);
}

#[test]
fn growth_is_between_two_blocks_of_a_place() {
    let golden = Golden::serve();
    let blocks = golden.get("/ui/table/series.blocks?place=gaps");
    let names: Vec<&str> = blocks["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["block"].as_str().unwrap())
        .collect();
    let [old, new] = names[..] else { panic!("{names:?}") };
    let growth = golden.get(&format!("/ui/series/growth?place=gaps&block={new}&against={old}"));
    let series = numbers(&blocks, "series");
    assert_eq!(
        (&growth["series"]["before"], &growth["series"]["now"]),
        (&series[0].into(), &series[1].into())
    );
    assert_eq!(growth["block"]["ulid"], new);
    let (status, class, _) = golden.refused("/ui/series/growth?place=gaps&block=x&against=y");
    assert_eq!((status, class.as_str()), (404, "missing"));
    assert_eq!(golden.refused("/ui/series/growth?place=wide&block=x&against=y").0, 400);
}

#[test]
fn samples_are_those_of_the_table_where_they_are_few() {
    let golden = Golden::serve();
    let metric =
        "/ui/table/series.labels?place=gaps&top=series&limit=1&columns=value&columns=series";
    let metric = golden.get(&format!("{metric}&where={}", quoted("name = '__name__'")));
    let selector = quoted(metric["rows"][0]["value"].as_str().unwrap());
    let listed = golden
        .get(&format!("/ui/table/series.samples?place=gaps&a.selector={selector}&limit=5000"));
    let plotted = golden.get(&format!("/ui/series/samples?place=gaps&selector={selector}"));
    let series = plotted["series"].as_array().unwrap();
    let samples: u64 = series.iter().map(|own| own["samples"].as_u64().unwrap()).sum();
    let floats = listed["rows"].as_array().unwrap().iter();
    let floats = floats.filter(|row| row["is_stale"] == false).count() as u64;
    let shown: BTreeSet<i64> = numbers(&listed, "series_id").into_iter().collect();
    assert_eq!(
        series.len() as u64 + plotted["others"]["series"].as_u64().unwrap(),
        shown.len() as u64
    );
    if plotted["others"]["series"] == 0 {
        assert_eq!(samples, floats);
    }
    let one =
        golden.get(&format!("/ui/series/samples?place=gaps&selector={selector}&series=1&points=8"));
    let points = one["series"][0]["points"].as_array().unwrap();
    assert!(points.len() <= 3 * 8, "{}", points.len());
    assert_eq!(one["series"][0]["max"], series[0]["max"]);
}

#[test]
fn times_and_selectors_that_are_none_are_refused() {
    let golden = Golden::serve();
    for (target, text) in [
        ("selector=up&start=soon", "argument start: soon is no time"),
        ("selector=up&start=2&end=1", "end is before start"),
        ("start=2", "the request has no selector"),
    ] {
        let (status, class, error) =
            golden.refused(&format!("/ui/series/samples?place=gaps&{target}"));
        assert_eq!((status, class.as_str()), (400, "asked"), "{target}");
        assert!(error.starts_with(text), "{error}");
    }
    assert_eq!(golden.refused("/ui/series/samples?place=gaps&selector=%7b").0, 400);
}

#[test]
fn a_pack_names_what_needs_it() {
    let golden = Golden::serve();
    let packs = golden.get("/ui/table/blobs.packs?place=fleet&columns=id&columns=blobs");
    let mut files = 0;
    for row in packs["rows"].as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        let pack = golden.get(&format!("/ui/blobs/pack?place=fleet&pack={id}"));
        let listed = pack["files"].as_array().unwrap();
        files += listed.len();
        assert_eq!(pack["file_count"], listed.len());
        assert!(listed.iter().all(|file| file["path"].as_str().unwrap().starts_with('/')));
    }
    assert!(files > 0);
    // Larger packs are left out of the golden repository, so that it is broken.
    let check = golden.get("/ui/blobs/check?place=fleet");
    let broken = check["broken"].as_array().unwrap();
    assert_eq!(check["error_count"].as_u64().unwrap() > 0, !broken.is_empty());
    assert_eq!(golden.refused("/ui/blobs/pack?place=fleet&pack=0123").0, 400);
    assert_eq!(golden.refused("/ui/blobs/check?place=gaps").0, 400);
}

#[test]
fn without_a_password_a_repository_is_denied() {
    let folder = manicule_testkit::golden::golden_repository("drafts");
    let server = serve(&[("drafts", &folder.path().join("repo"))]);
    for target in [
        "/ui/table/blobs.costs?place=drafts",
        "/ui/blobs/check?place=drafts",
        "/ui/blobs/pack?place=drafts&pack=00",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, 403, "{target}");
        let json: Value = serde_json::from_slice(&answer.body).unwrap();
        let why = "the server has no password for restic repositories";
        assert_eq!(json, json!({ "class": "denied", "error": why }));
    }
}
