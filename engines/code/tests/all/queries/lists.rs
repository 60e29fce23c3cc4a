//! Lists of repositories.

use manicule_code::shards::find::list;
use manicule_code::shards::find::query::Query;
use manicule_core::watch::Watch;
use serde_json::{Value, json};

use super::compare::difference;
use super::{rows, with_shards};

/// What is compared of a repository in a list. Bytes of an index are memory of zoekt's own.
fn repository(entry: &Value) -> Value {
    let (own, stats) = (&entry["Repository"], &entry["Stats"]);
    json!({
        "name": own["Name"],
        "branches": own["Branches"],
        "id": own["ID"],
        "rank": own["Rank"],
        "has_symbols": own["HasSymbols"],
        "index_time": entry["IndexMetadata"]["IndexTime"],
        "shards": stats["Shards"],
        "documents": stats["Documents"],
        "content_len": stats["ContentBytes"],
        "lines": stats["NewLinesCount"],
        "first_branch_lines": stats["DefaultBranchNewLinesCount"],
        "other_branches_lines": stats["OtherBranchesNewLinesCount"],
    })
}

#[test]
fn lists_hold_what_zoekts_hold() {
    let mut count = 0;
    for row in rows("list") {
        // Field 2 has the same repositories under their ids.
        if !row["request"]["Opts"]["Field"].is_null() {
            continue;
        }
        let folders: &[&str] = match row["index"].as_str().expect("a folder") {
            "multi" => &["compound", "git-ctags"],
            "delta" => &["delta"],
            _ => &["tomb"],
        };
        with_shards(folders, |shards| {
            let text = row["request"]["Q"].as_str().expect("a query");
            let query = (!text.is_empty()).then(|| Query::parse(text).expect("a query"));
            let entries = list(shards, query.as_ref(), 1, &Watch::none()).expect("sound shards");
            let got: Vec<Value> = entries
                .iter()
                .map(|entry| {
                    let own = &entry.repository;
                    let branches = own.branches.iter().flatten();
                    let branches = branches
                        .map(|branch| json!({ "Name": branch.name, "Version": branch.version }));
                    json!({
                        "name": own.name.to_string(),
                        "branches": branches.collect::<Vec<_>>(),
                        "id": own.derived_id(),
                        "rank": own.derived_rank(),
                        "has_symbols": own.has_symbols,
                        "index_time": entry.metadata.index_time,
                        "shards": entry.shards,
                        "documents": entry.documents,
                        "content_len": entry.content_len,
                        "lines": entry.lines.all,
                        "first_branch_lines": entry.lines.first,
                        "other_branches_lines": entry.lines.others,
                    })
                })
                .collect();
            let repositories = row["result"]["List"]["Repos"].as_array().expect("repositories");
            let want: Vec<Value> = repositories.iter().map(repository).collect();
            let differs = difference(&got.into(), &want.into());
            assert_eq!(differs, None, "{}", row["request"]);
            count += 1;
        });
    }
    assert_eq!(count, 15);
}
