//! What tools answer: ranked and in order, pages, budgets.

use std::fs;
use std::path::Path;

use manicule_testkit::golden_folder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Client, block};

fn paths(found: &Value) -> Vec<&str> {
    let files = found["files"].as_array().expect("files");
    files.iter().map(|file| file["path"].as_str().expect("a path")).collect()
}

fn sources() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("src/a.rs", "let x = lamp();\nlamp();\nlamp();\n"),
        ("src/lamp.rs", "// about lamps\n"),
        ("src/b.rs", "pub fn lamp() {}\n"),
        ("tests/lamp.rs", "fn lamp() {}\n"),
        ("src/deep/er/c.rs", "clamps\n"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn ends<'p>(paths: &[&'p str], folder: &Path) -> Vec<&'p str> {
    let folder = format!("{}/", folder.display());
    paths.iter().map(|path| path.strip_prefix(&folder).expect("below it")).collect()
}

#[test]
fn the_best_files_come_first() {
    let (folder, mut client) = (sources(), Client::plain());
    let found = client.found("find", json!({ "text": "lamp", "paths": [folder.path()] }));
    let want = ["src/b.rs", "tests/lamp.rs", "src/lamp.rs", "src/a.rs", "src/deep/er/c.rs"];
    assert_eq!(ends(&paths(&found), folder.path()), want);
    assert_eq!((&found["file_count"], &found["hit_count"]), (&json!(5), &json!(7)));
    assert_eq!((&found["complete"], &found["next"]), (&json!(true), &Value::Null));
    assert_eq!(found["files"][3]["lines"][0]["line"], 1);
}

#[test]
fn in_order_each_line_comes_on_one_page() {
    let (folder, mut client) = (sources(), Client::plain());
    let mut lines = Vec::new();
    let mut arguments = json!({
        "text": "lamp", "paths": [folder.path()], "ranked": false, "budget": 700,
    });
    let mut pages = 0;
    loop {
        let found = client.found("find", arguments.clone());
        assert!(found.to_string().len() <= 900, "{found}");
        for file in found["files"].as_array().unwrap() {
            for line in file["lines"].as_array().unwrap() {
                lines.push(format!("{}:{}", file["path"].as_str().unwrap(), line["line"]));
            }
        }
        pages += 1;
        assert_eq!(found["complete"], pages == 1 && found["next"].is_null());
        if found["next"].is_null() {
            break;
        }
        arguments["cursor"] = found["next"].clone();
    }
    assert!(pages > 1);
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert!(lines.is_sorted(), "{lines:?}");
}

#[test]
fn ranked_pages_have_each_file_once() {
    let (folder, mut client) = (sources(), Client::plain());
    let mut all = Vec::new();
    let mut arguments = json!({ "text": "lamp", "paths": [folder.path()], "budget": 512 });
    loop {
        let found = client.found("find", arguments.clone());
        all.extend(paths(&found).into_iter().map(str::to_owned));
        assert_eq!(found["complete"], false);
        if found["next"].is_null() {
            break;
        }
        arguments["cursor"] = found["next"].clone();
    }
    assert_eq!(all.len(), 5, "{all:?}");
    arguments["text"] = "other".into();
    let said = client.refused("find", arguments);
    assert!(said.contains("no cursor of this question"), "{said}");
}

#[test]
fn lines_of_any_length_are_shown_around_their_match() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}lamp{}\n", "é".repeat(5000), "x".repeat(1 << 20));
    fs::write(folder.path().join("a.txt"), long).unwrap();
    let mut client = Client::plain();
    let found = client.found("find", json!({ "text": "lamp", "paths": [folder.path()] }));
    let line = &found["files"][0]["lines"][0];
    let text = line["text"].as_str().unwrap();
    assert!(text.contains("lamp") && text.len() <= 300, "{text}");
    assert_eq!(line["cut"], true);
}

#[test]
fn files_alone_and_failures_beside_them() {
    let (folder, mut client) = (sources(), Client::plain());
    let damaged = folder.path().join("damaged.zoekt");
    fs::write(&damaged, b"1234\0\0\0\x01\0\0\0\x02").unwrap();
    let arguments = json!({
        "text": "lamp", "show": "files", "paths": [folder.path().join("src"), damaged],
    });
    let found = client.found("find", arguments);
    assert_eq!(found["file_count"], 4);
    assert!(found["files"][0]["lines"].as_array().unwrap().is_empty());
    assert_eq!(found["failures"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn documents_of_shards_are_in_zoekts_order() {
    let golden = golden_folder("code", "shards");
    let shards = golden.path().join("shards/ctags");
    let mut client = Client::plain();
    let found = client.found("find", json!({ "text": "main", "paths": [shards], "budget": 65536 }));
    let scores: Vec<i64> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["score"].as_i64().unwrap())
        .collect();
    assert!(scores.len() > 1 && scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    let mut all = manicule::code::Shards::default();
    all.add(&shards, &mut |error| panic!("{error}")).unwrap();
    let moment = all.moment();
    let opened = moment.open(&mut |error| panic!("{error}"));
    let call = manicule::code::SearchCall::new("case:yes content:\"main\"").unwrap();
    let options = manicule::code::search::RankOptions {
        scoring: manicule::code::search::Scoring::Place,
        unit: manicule::code::search::Unit::Lines,
    };
    let ranking = opened.rank(&call, &options, &manicule::watch::Watch::none()).unwrap();
    let mut want: Vec<i64> = ranking.files.iter().map(|file| file.score as i64).collect();
    want.sort_by_key(|score| std::cmp::Reverse(*score));
    assert_eq!(scores, want);
}

#[test]
fn rows_come_in_pages_within_the_budget() {
    let mut client = Client::plain();
    let mut arguments = json!({ "table": "samples", "paths": [block()], "columns": ["metric", "timestamp", "value"], "budget": 600 });
    let mut rows = Vec::new();
    loop {
        let page = client.found("series", arguments.clone());
        assert!(page.to_string().len() <= 600);
        assert_eq!(page["columns"], json!(["metric", "timestamp", "value"]));
        rows.extend(page["rows"].as_array().unwrap().clone());
        assert_eq!(page["complete"], false);
        if page["next"].is_null() {
            break;
        }
        arguments["cursor"] = page["next"].clone();
    }
    let whole = client.found("series", json!({ "table": "samples", "paths": [block()], "columns": ["metric", "timestamp", "value"] }));
    assert_eq!((&whole["rows"], &whole["complete"]), (&json!(rows), &json!(true)));
    assert!(whole["receipt"]["series_matched"].as_u64().is_some(), "{}", whole["receipt"]);
}

#[test]
fn a_limit_says_that_there_is_more() {
    let mut client = Client::plain();
    for (limit, complete) in [(0, false), (11, false), (12, true), (13, true)] {
        let page = client
            .found("series", json!({ "table": "samples", "paths": [block()], "limit": limit }));
        assert_eq!(page["complete"], complete, "{limit}");
        assert_eq!(page["rows"].as_array().unwrap().len(), limit.min(12));
    }
}

#[test]
fn a_row_that_never_fits_is_said_and_not_falsified() {
    let store = crate::support::store();
    let mut client = Client::plain();
    let query = format!("SELECT ('{}' AS ?long) {{}}", "x".repeat(2000));
    let arguments = json!({
        "table": "solutions", "paths": [store.path().join("store")], "query": query, "budget": 1000,
    });
    let page = client.found("graph", arguments);
    assert_eq!(
        (&page["rows"], &page["next"], &page["complete"]),
        (&json!([]), &Value::Null, &json!(false))
    );
    assert!(page["note"].as_str().unwrap().contains("fewer columns"));
}

#[test]
fn what_could_run_a_program_or_write_is_no_argument() {
    let mut client = Client::plain();
    let golden = golden_folder("blobs", "small");
    for name in ["password_command", "password_file", "index_cache", "index_cache_dir"] {
        let mut arguments = json!({ "table": "snapshots", "paths": [golden.path().join("repo")] });
        arguments[name] = "touch /tmp/never".into();
        let said = client.refused("blobs", arguments);
        assert!(said.starts_with(&format!("there is no argument {name}")), "{said}");
    }
    let said = client
        .refused("blobs", json!({ "table": "snapshots", "paths": [golden.path().join("repo")] }));
    assert!(said.contains("password"), "{said}");
}

#[test]
fn long_reports_are_cut_where_it_is_said() {
    let golden = golden_folder("code", "shards");
    let mut client = Client::plain();
    let arguments = json!({ "paths": [golden.path().join("shards/ctags"), golden.path().join("shards/meta")], "budget": 1000 });
    let found = client.found("inspect", arguments);
    assert!(found.to_string().len() <= 1000, "{}", found.to_string().len());
    assert_eq!(found["complete"], false);
    assert!(!found["cut"].as_array().unwrap().is_empty());
}

#[test]
fn a_damaged_index_is_not_ok() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("block");
    fs::create_dir_all(target.join("chunks")).unwrap();
    for name in ["meta.json", "index", "tombstones", "chunks/000001"] {
        fs::copy(block().join(name), target.join(name)).unwrap();
    }
    let mut bytes = fs::read(target.join("index")).unwrap();
    bytes[100] ^= 1;
    fs::write(target.join("index"), bytes).unwrap();
    let mut client = Client::plain();
    let found = client.found("verify", json!({ "paths": [target] }));
    assert_eq!(found["ok"], false);
    assert!(found["places"][0]["finding_count"].as_u64().unwrap() > 0, "{found}");
}
