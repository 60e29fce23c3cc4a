//! What was read of golden tables, shown as the answers about them are.

use std::path::Path;

use manicule_core::blocks::ReadCost;
use manicule_core::watch::Watch;
use manicule_format_sstable::{Deletion, DumpForm, Liveness, Prefix, Type, Value as Part};
use manicule_rows::RowsError;
use manicule_rows::scan::{Selection, dump};
use manicule_rows::slice::{Bounds, Direction, Edge, Seek, SliceOptions};
use manicule_rows::table::{Access, Sstable, TableOptions, list};
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading};
use manicule_testkit::slices;
use serde_json::Value;

pub(crate) use manicule_testkit::slices::{
    GoldenTables as Golden, absent, check_answer, hex, live_answer_of, local_time, refused, unhex,
    value,
};

pub(crate) fn deletion(deletion: Deletion) -> Value {
    slices::deletion(deletion.marked_at, deletion.local_time)
}

pub(crate) fn clustering(types: &[Type], prefix: &Prefix<'_>) -> Value {
    slices::clustering(prefix.values(types))
}

pub(crate) fn edge<'v>(question: &Value, side: &str, parts: &'v [Part<'v>]) -> Edge<'v> {
    if question[side].is_null() {
        return Edge::Open;
    }
    if question[format!("{side}_incl")].as_bool().unwrap() {
        Edge::Inclusive(parts)
    } else {
        Edge::Exclusive(parts)
    }
}

pub(crate) fn bounds(question: &Value, types: &[Type]) -> Option<Bounds> {
    let bytes = |side: &str| -> Vec<Vec<u8>> {
        let parts = question[side].as_array().into_iter().flatten();
        parts.map(|part| unhex(part.as_str().unwrap())).collect()
    };
    let (from, to) = (bytes("from"), bytes("to"));
    let from: Vec<Part<'_>> = from.iter().map(|part| Some(&part[..])).collect();
    let to: Vec<Part<'_>> = to.iter().map(|part| Some(&part[..])).collect();
    Bounds::new(types, edge(question, "from", &from), edge(question, "to", &to)).ok()
}

pub(crate) fn options(access: Access) -> TableOptions {
    let cache = Cache::new(CacheOptions { limit_bytes: 100_000, shard_count: 1, seed: 1 });
    TableOptions { access, cache, chunk_bytes_max: 1 << 20, component_bytes_max: 1 << 20 }
}

pub(crate) fn marker(
    types: &[Type],
    prefix: &Prefix<'_>,
    closes: Option<Deletion>,
    opens: Option<Deletion>,
) -> Value {
    let (closes, opens) = (closes.map(deletion), opens.map(deletion));
    slices::marker(prefix.kind.number(), clustering(types, prefix), closes, opens)
}

/// A row; the static one has no clustering.
pub(crate) fn row_shown(
    types: &[Type],
    prefix: Option<&Prefix<'_>>,
    liveness: Option<Liveness>,
    own_deletion: Deletion,
    cells: Vec<Value>,
) -> Value {
    let clustering = prefix.map(|prefix| clustering(types, prefix));
    let liveness = liveness.map(|it| (it.timestamp, it.ttl, it.expires));
    let deleted = Some(own_deletion).filter(|deletion| !deletion.is_live()).map(deletion);
    slices::row(clustering, liveness, deleted, cells)
}

/// An answer's parts that say what was read.
pub(crate) fn answer_of(partition: Deletion, statics: Option<Value>, items: Vec<Value>) -> Value {
    let partition = Some(partition).filter(|deletion| !deletion.is_live()).map(deletion);
    slices::answer_of(partition, statics, items)
}

/// How a question is read.
pub(crate) fn slice_options(question: &Value, seek: Seek) -> SliceOptions {
    let is_reverse = question["reverse"] == true;
    SliceOptions {
        direction: if is_reverse { Direction::Reverse } else { Direction::Forward },
        row_count_max: question["limit"].as_u64().filter(|limit| *limit > 0),
        seek,
        read_bytes_max: 10_000,
    }
}

/// Memory that a dump may hold beside its text.
const DUMP_BYTES_MAX: u64 = 3 << 20;

/// The text of a dump.
pub(crate) fn dump_text(sstable: &Sstable, form: DumpForm, selection: &Selection) -> String {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(DUMP_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let mut text = String::new();
    dump(sstable, form, selection, &mut reading, &Watch::none(), |part| {
        text.push_str(part);
        Ok::<(), RowsError>(())
    })
    .expect("a sound table");
    text
}

/// The SSTables of a table.
pub(crate) fn open(folder: &Path, access: Access) -> Vec<Sstable> {
    let (listed, left_out) = list(folder).unwrap();
    assert!(!listed.is_empty() && left_out.is_empty(), "{folder:?}: {left_out:?}");
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(4 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let options = options(access);
    listed.iter().map(|listed| Sstable::open(listed, &options, &mut reading).unwrap()).collect()
}

/// Bisection, many ways, an index fetched whole, none.
pub(crate) const SEEKS: [Seek; 4] = [
    Seek::Index(ReadCost { whole_bytes_max: 0, ways: 2 }),
    Seek::Index(ReadCost { whole_bytes_max: 0, ways: 8 }),
    Seek::Index(ReadCost { whole_bytes_max: 1 << 20, ways: 2 }),
    Seek::Scan,
];
