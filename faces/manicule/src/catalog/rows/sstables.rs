//! `rows.sstables`: SSTables.

use serde_json::Value as Json;

use super::opened::{GC_GRACE, NOW, opened, overviewed, times};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::failure::Failure;
use crate::rows::{NO_LOCAL_TIME, Overview, SstableStats, Times, Type};

pub(crate) static SSTABLES: Table = Table {
    name: "rows.sstables",
    about: "An SSTable of Cassandra or ScyllaDB, by its Statistics.db and other small files.",
    arguments: &[NOW, GC_GRACE],
    order: "version, generation.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT a.sstable, count(*) FROM rows_sstables('ks/t') a JOIN rows_sstables('ks/t') b\n  \
               ON b.min_written < a.max_written AND b.sstable <> a.sstable WHERE a.droppable > 0.5 GROUP BY 1",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const KEYSPACE: usize = 3;
const FILE_BYTES: usize = 5;
const DATA_BYTES: usize = 6;
const PARTITIONS: usize = 7;
const MIN_WRITTEN: usize = 10;
const MIN_DELETED_AT: usize = 14;
const FIRST_KEY: usize = 16;
const FIRST_TOKEN: usize = 18;
const COMPRESSION: usize = 20;
const COMPRESSION_RATIO: usize = 21;
const LEVEL: usize = 22;
const REPAIRED_AT: usize = 23;
const DROPPABLE: usize = 24;
const HOST: usize = 25;

static FIELDS: &[Field] = &[
    Field::new("sstable", Kind::Text, "Beginning of the names of its files: `nb-1-big`."),
    Field::new("version", Kind::Word, "Version of its format."),
    Field::new("generation", Kind::Text, "A number, or 28 characters for a UUID."),
    Field::new("keyspace_name", Kind::Word, "Keyspace, by the folder or a schema in it.").or_null(),
    Field::new("table_name", Kind::Word, "Table, by the folder or a schema in it.").or_null(),
    Field::new("file_bytes", Kind::Int, "Length of all its files."),
    Field::new("data_bytes", Kind::Int, "Length of its Data.db, compressed where it is."),
    Field::new("partitions", Kind::Int, "Estimate of its partitions.").or_null(),
    Field::new("rows", Kind::Int, "Rows, static ones that aren't empty among them."),
    Field::new("cells", Kind::Int, "Columns that rows have a value or tombstone of."),
    Field::new("min_written", Kind::Int, "Least write time, in microseconds since 1970 mostly."),
    Field::new("max_written", Kind::Int, "Greatest write time."),
    Field::new("min_ttl", Kind::Int, "Least time to live in seconds; none counts as 0."),
    Field::new("max_ttl", Kind::Int, "Greatest time to live."),
    Field::new("min_deleted_at", Kind::Micros, "First time of a deletion or of an end of life.")
        .or_null(),
    Field::new(
        "max_deleted_at",
        Kind::Micros,
        "Last such time; lacks where something is neither deleted nor will expire.",
    )
    .or_null(),
    Field::new("first_key", Kind::Text, "Its first key as CQL writes it.").or_null(),
    Field::new("last_key", Kind::Text, "Its last key.").or_null(),
    Field::new("first_token", Kind::Int, "Token of its first key.").or_null(),
    Field::new("last_token", Kind::Int, "Token of its last key.").or_null(),
    Field::new("compression", Kind::Word, "Class of the compressor.").or_null(),
    Field::new("compression_ratio", Kind::Float, "Compressed by uncompressed bytes.").or_null(),
    Field::new("level", Kind::Int, "Level of leveled compaction."),
    Field::new("repaired_at", Kind::Millis, "When it was repaired.").or_null(),
    Field::new("droppable", Kind::Float, "Estimate of its share of droppable tombstones."),
    Field::new("host", Kind::Text, "Id of the host that wrote it, a UUID.").or_null(),
];

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let times = times(arguments)?;
    let mut all = Vec::new();
    for table in opened(arguments)? {
        let list = overviewed(&table)?;
        all.push((table, list));
    }
    Ok(Box::new(move |rows, watch| {
        let mut count = 0;
        for (table, list) in all {
            let wants_names = rows.wants(KEYSPACE) || rows.wants(KEYSPACE + 1);
            let names = if wants_names { names(&table)? } else { [const { None }; 2] };
            for one in &list {
                watch.check()?;
                count += 1;
                for (at, name) in (KEYSPACE..).zip(&names) {
                    if let Some(name) = name {
                        rows.text(at, name);
                    }
                }
                push(rows, one, times)?;
                if rows.end_row().is_break() {
                    return Ok(vec![("sstables", count)]);
                }
            }
        }
        Ok(vec![("sstables", count)])
    }))
}

/// Names of keyspace and table, where something says them.
fn names(table: &crate::rows::Table) -> Result<[Option<String>; 2], Failure> {
    let names = table.schema(None)?.named.names;
    Ok([names.keyspace, names.table].map(|name| Some(name).filter(|name| name != "unknown")))
}

fn push(rows: &mut Rows<'_>, one: &Overview, times: Times) -> Result<(), Failure> {
    let SstableStats { descriptor, statistics, .. } = &one.stats;
    rows.text(0, &descriptor.to_string());
    rows.text(1, &descriptor.version.to_string());
    rows.text(2, &descriptor.generation);
    rows.count(FILE_BYTES, one.len);
    rows.count(DATA_BYTES, one.data_len);
    if let Some(count) = one.stats.cardinality {
        rows.count(PARTITIONS, count);
    }
    rows.count(PARTITIONS + 1, statistics.row_count);
    rows.count(PARTITIONS + 2, statistics.column_count);
    let numbers = [
        statistics.min_timestamp,
        statistics.max_timestamp,
        statistics.min_ttl.into(),
        statistics.max_ttl.into(),
    ];
    (MIN_WRITTEN..).zip(numbers).for_each(|(at, number)| rows.int(at, number));
    for (at, seconds) in
        (MIN_DELETED_AT..).zip([statistics.min_local_time, statistics.max_local_time])
    {
        let micros = seconds.checked_mul(1_000_000).filter(|_| seconds != NO_LOCAL_TIME);
        if let Some(micros) = micros {
            rows.int(at, micros);
        }
    }
    push_keys(rows, one);
    if let Some(compression) = &one.stats.compression {
        rows.text(COMPRESSION, &compression.class);
        rows.float(COMPRESSION_RATIO, statistics.compression_ratio);
    }
    rows.int(LEVEL, statistics.level.into());
    if statistics.repaired_at != 0 {
        rows.int(REPAIRED_AT, statistics.repaired_at);
    }
    let gc_before = times.now.saturating_sub(times.gc_grace_s);
    rows.float(DROPPABLE, statistics.droppable_ratio(gc_before));
    if let Some(host) = &statistics.host {
        rows.text(HOST, &literal(&Type::Uuid, host));
    }
    Ok(())
}

fn push_keys(rows: &mut Rows<'_>, one: &Overview) {
    if let Some((first, last)) = &one.stats.keys {
        for (at, key) in (FIRST_KEY..).zip([first, last]) {
            rows.text(at, &literal(&one.stats.header.key, key));
        }
    }
    if let Some((first, last)) = one.tokens {
        rows.int(FIRST_TOKEN, first.0);
        rows.int(FIRST_TOKEN + 1, last.0);
    }
}

/// A value as CQL writes it.
fn literal(kind: &Type, value: &[u8]) -> String {
    let mut text = String::new();
    kind.put_literal(Some(value), &mut text);
    text
}
