//! Stores of RDF: explanations, counts, compactions.

use manicule::graph::json::CompactedStore;
use manicule::graph::{Compacted, Done, Explained, Operator, QueryTimes, QueryWork};
use serde_json::json;

use super::json as as_json;

fn operator(name: &str, time_ns: u64, inside: Vec<Operator>) -> Operator {
    let done = Done { rows: 1500, quads: None, bytes: Some(12_000), time_ns, threads: 2 };
    let (name, detail) = (name.to_owned(), "?a".to_owned());
    let way = Some("1. scan".to_owned());
    Operator { name, detail, estimate: Some(9), way, done: Some(done), inside }
}

#[test]
fn an_explanation_is_one_object() {
    let scan = operator("scan", 6_000_000, Vec::new());
    let explained = Explained {
        plan: operator("join", 8_000_000, vec![scan]),
        work: QueryWork { quads: 4000, ..QueryWork::default() },
        times: Some(QueryTimes { planning_ns: 2_000_000, total_ns: 10_000_000 }),
    };
    let all = as_json(explained);
    assert_eq!((&all["total_ns"], &all["work"]["quads"]), (&json!(10_000_000), &json!(4000)));
    let scan = json!({
        "name": "scan", "detail": "?a", "estimate": 9, "way": "1. scan", "rows": 1500, "quads": null,
        "bytes": 12_000, "threads": 2, "time_ns": 6_000_000, "own_ns": 6_000_000, "inside": [],
    });
    assert_eq!(all["plan"]["inside"], json!([scan]));
    assert_eq!(all["plan"]["own_ns"], 2_000_000);
}

#[test]
fn a_compaction_says_whether_there_was_one() {
    assert_eq!(as_json(CompactedStore(None)), json!({ "compacted": false }));
    let compacted = Compacted { quads: 1, terms_dropped: 2, len_before: 4, len: 3 };
    let want =
        json!({ "compacted": true, "quads": 1, "terms_dropped": 2, "len_before": 4, "len": 3 });
    assert_eq!(as_json(CompactedStore(Some(compacted))), want);
}
