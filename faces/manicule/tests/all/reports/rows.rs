//! SSTables: partitions, tombstones, holders.

use std::path::Path;

use manicule::rows::json::{Holder, LargePartition};
use manicule::rows::{Holders, PartitionSize, TombstoneCounts};
use serde_json::json;

use super::json as as_json;

#[test]
fn a_partition_has_counts_where_they_were_counted() {
    let counts = TombstoneCounts { rows: 3, cells: 4, ..TombstoneCounts::default() };
    let size = PartitionSize {
        key: Vec::new(),
        token: None,
        len: 10,
        block_count: 1,
        parts: Vec::new(),
        oldest: None,
        counts: None,
    };
    let mut want =
        json!({ "key": "1", "token": null, "bytes": 10, "blocks": 1, "sstables": 0, "table": "t" });
    let table = Some(Path::new("t"));
    assert_eq!(as_json(LargePartition { key: "1", size: &size, table }), want);
    let size = PartitionSize { counts: Some(counts), ..size };
    want["rows"] = json!(3);
    want["cells"] = json!(4);
    want["tombstones"] = json!(0);
    assert_eq!(as_json(LargePartition { key: "1", size: &size, table }), want);
    let counts = as_json(counts);
    assert_eq!((&counts["tombstones"], &counts["cells"]), (&json!(0), &json!(4)));
}

#[test]
fn holders_are_counted_beside_those_that_were_asked() {
    let path = Path::new("nb-1-big-Data.db");
    let offset = 7;
    let want = json!({ "path": "nb-1-big-Data.db", "offset": 7 });
    assert_eq!(as_json(Holder { path, offset }), want);
    let list = vec![(path.to_owned(), offset)];
    let holders = Holders { list, sstable_count: 3, admitted_count: 2, left_out: Vec::new() };
    assert_eq!(as_json(holders), json!({ "sstables": 3, "admitted": 2, "holding": 1 }));
}
