//! Repositories: what snapshots cost, what a check found, what was stored twice.

use manicule::blobs::check::{Finding, FindingKind};
use manicule::blobs::cost::{By, CostRow, Weighed, Weight};
use manicule::blobs::json::DuplicateSums;
use serde_json::json;

use super::json as as_json;

#[test]
fn a_row_of_costs_has_what_is_shared() {
    let weight = |blobs, bytes| Weight { blobs, bytes, ..Weight::default() };
    let weighed = Weighed { reached: weight(5, 700), exclusive: weight(2, 300) };
    let (value, snapshots) = ("host".to_owned(), Vec::new());
    let want = json!({
        "by": "host", "value": "host", "blobs": 5, "bytes": 700, "exclusive_blobs": 2,
        "exclusive_bytes": 300, "shared_bytes": 400, "exclusive_trees": 0, "freed_in_headers": 0,
        "snapshots": [],
    });
    assert_eq!(as_json(CostRow { by: By::Host, value, snapshots, weighed }), want);
}

#[test]
fn a_finding_has_what_is_known() {
    let (kind, what) = (FindingKind::IndexUnreadable, "index is short".to_owned());
    let finding = Finding { kind, id: None, blob: None, offset: Some(3), what };
    let want = json!({
        "message_type": "finding", "kind": kind.word(), "level": "error",
        "message": "index is short", "offset": 3,
    });
    assert_eq!(as_json(finding), want);
}

#[test]
fn nothing_is_stored_twice() {
    let want = json!({ "blobs": 0, "copies": 0, "wasted_bytes": 0 });
    assert_eq!(as_json(DuplicateSums::of(&[])), want);
}
