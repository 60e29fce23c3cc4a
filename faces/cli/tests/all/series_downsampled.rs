//! Commands over a block that Thanos has downsampled, as a user meets them.

use std::fs;
use std::path::Path;
use std::process::Command;

use manicule_testkit::golden_folder;
use serde_json::Value as Json;

const NAME: &str = "01M8BNGKJ1BRH82BGNS0CGD8ST";

/// Exit code, output and warnings.
fn run(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let output = command.args(words).current_dir(folder).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Output of a call that succeeds and warns of nothing.
fn said(folder: &Path, words: &[&str]) -> String {
    let (code, out, warnings) = run(folder, words);
    assert_eq!((code, &*warnings), (Some(0), ""), "{words:?}: {out}");
    out
}

/// Error of a call that fails.
fn failed(folder: &Path, words: &[&str]) -> String {
    let (code, out, error) = run(folder, words);
    assert_eq!((code, &*out), (Some(2), ""), "{words:?}: {error}");
    error
}

const ONE: &str = r#"up{pod="web-01"}"#;

#[test]
fn samples_are_aggregates_by_their_names_or_a_chosen_one() {
    let golden = golden_folder("series", "downsampled");
    let at = golden.path();
    let all = said(at, &["series", "select", "--samples", ONE, "1h"]);
    let labels = r#"job="web",pod="web-01",zone="east""#;
    let line = |aggregate: &str, resolution: &str, rest: &str| {
        format!(
            "up{{__aggregate__=\"{aggregate}\",__resolution__=\"{resolution}\",{labels}}} {rest}"
        )
    };
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(lines.len(), 32);
    assert_eq!(lines[0], line("count", "1h", "120 1700009999999"));
    assert_eq!(lines[31], line("counter", "1h", "29.875 1700027970000"));
    let select = ["series", "select", "--samples", ONE, "1h"];
    let with = |more: &[&str]| said(at, &[&select[..], more].concat());
    let sum = with(&["--aggregate", "sum"]);
    assert_eq!(sum.lines().next(), Some(&*format!("up{{{labels}}} 7645.25 1700009999999")));
    assert_eq!(with(&["--aggregate", "sum", "--resolution", "1h"]), sum);
    assert_eq!(with(&["--count"]), "32\n");
    let json = with(&["--json"]);
    let rows: Vec<Json> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = rows.iter().map(|row| row["aggregate"].as_str().unwrap());
    assert_eq!(named.collect::<Vec<_>>(), ["count", "sum", "min", "max", "counter"]);
    assert_eq!(rows[0]["resolution_ms"], 3_600_000);
    assert_eq!(json, said(at, &["series", "dump", "--format", "json", "--match", ONE, "1h"]));
    let one = with(&["--json", "--aggregate", "max"]);
    assert!(one.starts_with("{\"labels\":{") && !one.contains("aggregate"), "{one}");
    for (more, want) in [
        (&["--resolution", "5m"][..], "no block has the resolution 5m; they are 1h"),
        (&["--aggregate", "sum", "--resolution", "raw"], "raw blocks have no aggregates"),
        (&["--resolution", "often"], "--resolution: \"often\" is no length of time"),
        (&["--aggregate", "avg"], "--aggregate is count, sum, min, max or counter"),
    ] {
        let error = failed(at, &[&select[..], more].concat());
        assert!(error.contains(want), "{error}");
    }
}

#[test]
fn a_dump_becomes_a_block_of_a_series_for_each_aggregate() {
    let golden = golden_folder("series", "downsampled");
    let at = golden.path();
    fs::write(at.join("all.om"), said(at, &["series", "dump", "1h"])).unwrap();
    said(at, &["series", "build", "--quiet", "-o", "built", "all.om"]);
    let count = said(at, &["series", "select", "-c", "{__aggregate__!=\"\"}", "built"]);
    assert_eq!(count, "180\n");
    let max = r#"up{pod="web-01",__aggregate__="max"}"#;
    let built = said(at, &["series", "select", "--samples", max, "built"]);
    let values = |text: &str| {
        let ends = text.lines().map(|line| line.split_once("} ").unwrap().1.to_owned());
        ends.collect::<Vec<_>>()
    };
    let own = said(at, &["series", "select", "--samples", ONE, "1h", "--aggregate", "max"]);
    assert_eq!(values(&built), values(&own));
}

#[test]
fn the_block_is_shown_verified_and_analysed() {
    let golden = golden_folder("series", "downsampled");
    let at = golden.path();
    let block = format!("1h/{NAME}");
    let text = said(at, &["inspect", &block]);
    let points = "points    every 1h, each of aggregates: count, sum, min, max, counter\n";
    assert!(text.contains(points), "{text}");
    let json: Json = serde_json::from_str(&said(at, &["inspect", "--json", &block])).unwrap();
    assert_eq!(json["resolution_ms"], 3_600_000);
    assert!(said(at, &["inspect", "1h"]).contains("level 2, a point every 1h\n"));
    let segment = said(at, &["inspect", &format!("{block}/chunks/000001")]);
    let first =
        "         8       200 aggr           6  2023-11-15T00:59:59.999Z to 2023-11-15T05:59:30Z";
    assert_eq!(segment.lines().nth(1), Some(first));
    let header = said(at, &["inspect", &format!("{block}/index-header")]);
    assert!(header.contains("postings offset table"), "{header}");
    let verified = said(at, &["verify", &block]);
    assert!(verified.ends_with("36 chunks with 216 samples decoded\n"), "{verified}");
    assert!(said(at, &["verify", &format!("{block}/chunks/000001")]).starts_with("ok: "));
    let text = said(at, &["series", "analyze", "--extended", &block]);
    let windows = "windows per chunk of aggregates (min/avg/max): 6/6/6\n";
    assert!(text.contains(windows) && text.contains("samples per float chunk: N/A"), "{text}");
    let json = said(at, &["series", "analyze", "--extended", "--json", &block]);
    assert!(json.contains(r#""aggregate_windows":{"#), "{json}");
}

#[test]
fn other_blocks_are_made_of_whole_chunks_or_not_at_all() {
    let golden = golden_folder("series", "downsampled");
    let at = golden.path();
    let block = format!("1h/{NAME}");
    said(at, &["series", "merge", "--quiet", "-o", "merged", &block]);
    said(at, &["series", "rewrite", "-o", "rewritten", "--drop", "up", &block]);
    said(at, &["series", "split", "-o", "split", "--parts", "3", &block]);
    said(at, &["series", "diff", "1h", "merged"]);
    said(at, &["series", "diff", "1h", "split"]);
    let (code, out, _) = run(at, &["series", "diff", "--summary", "1h", "rewritten"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("24 series the same, 12 only in A, 0 only in B"), "{out}");
    for (words, want) in [
        (&["split", "--by", "time", "--range", "2h"][..], "not cut"),
        (&["rewrite", "--delete", "up", "--start", "1700020000"], "not cut"),
    ] {
        let error = failed(at, &[&["series"], words, &["-o", "new", &block]].concat());
        assert!(error.contains(&format!("{block}: the block is downsampled: ")), "{error}");
        assert!(error.contains(want), "{error}");
        assert!(!at.join("new").exists() || fs::read_dir(at.join("new")).unwrap().count() == 0);
    }
}

#[test]
fn rows_of_samples_say_their_aggregate() {
    let golden = golden_folder("series", "downsampled");
    let asked =
        ["table", "series.samples", "1h", "-a", "selector=up{pod=\"web-01\"}", "--format", "csv"];
    let columns = ["--columns", "timestamp,value,aggregate,resolution"];
    let where_it = ["--where", "aggregate = 'min'", "--limit", "1"];
    let text = said(golden.path(), &[&asked[..], &columns, &where_it].concat());
    let want =
        "timestamp,value,aggregate,resolution\n2023-11-15T00:59:59.999Z,-49.25,min,3600000\n";
    assert_eq!(text, want);
}
