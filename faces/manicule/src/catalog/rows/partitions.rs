//! `rows.partitions`: partitions.

use serde_json::Value as Json;

use super::opened::{GC_GRACE, NOW, opened, times};
use super::tokens;
use crate::answer::{Field, Job, Kind, Question, Rows, Test};
use crate::catalog::arguments::Arguments;
use crate::catalog::bounds::Bounds;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;
use crate::rows::{PartitionPass, PartitionSize, Partitioner, Sstable};

pub(crate) static PARTITIONS: Table = Table {
    name: "rows.partitions",
    about: "A partition, united from all SSTables of a table that have it.",
    arguments: &[NOW, GC_GRACE],
    order: "token; several paths follow each other. Partitions of one path follow each other in it.",
    pushes: &[
        Push { column: "_token", tests: "=, <, <=, >, >=: indexes are read up to the last token" },
        Push { column: "_bytes", tests: ">, >=: the data of smaller ones are not read" },
    ],
    partition: "tokens from one to another.",
    question: "SELECT p._bytes, c.name FROM rows_partitions('ks/t') p\n  \
               JOIN rows('ks/customers') c ON c.id = p._key ORDER BY 1 DESC LIMIT 20",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split,
    open,
};

const KEY: usize = 0;
const TOKEN: usize = 1;
const BYTES: usize = 2;
const BLOCKS: usize = 3;
const SSTABLES: usize = 4;
const COUNTS: usize = 5;
const OLDEST: usize = 16;

static FIELDS: &[Field] = &[
    Field::new("_key", Kind::Text, "Its key as CQL writes it: `7`, `(7, 'a')` of two columns."),
    Field::new("_token", Kind::Int, "Its token; only Murmur3Partitioner has one.").or_null(),
    Field::new("_bytes", Kind::Int, "Its bytes in all SSTables, uncompressed."),
    Field::new("_blocks", Kind::Int, "Blocks of rows in the indexes; 1 where they aren't indexed."),
    Field::new("_sstables", Kind::TEXTS, "SSTables that have it."),
    Field::new("_rows", Kind::Int, "Rows; one that several SSTables have counts in each.").dear(),
    Field::new("_cells", Kind::Int, "Cells, tombstones among them.").dear(),
    Field::new("_tombstones", Kind::Int, "Tombstones of all kinds.").dear(),
    Field::new("_partition_deletions", Kind::Int, "Deletions of the partition.").dear(),
    Field::new("_row_deletions", Kind::Int, "Deletions of rows.").dear(),
    Field::new("_range_deletions", Kind::Int, "Deletions of ranges of rows.").dear(),
    Field::new("_collection_deletions", Kind::Int, "Deletions of collections.").dear(),
    Field::new("_cell_tombstones", Kind::Int, "Deleted cells.").dear(),
    Field::new("_expired_rows", Kind::Int, "Rows whose time to live is over.").dear(),
    Field::new("_expired_cells", Kind::Int, "Cells whose time to live is over.").dear(),
    Field::new("_droppable", Kind::Int, "Tombstones that a compaction may drop.").dear(),
    Field::new("_oldest_deletion_at", Kind::Micros, "When the oldest of them was made.")
        .or_null()
        .dear(),
];

/// Parts of tokens, about as far between the first and the last of all SSTables.
fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    let ends = tokens::ends(&opened(arguments)?)?;
    Ok(ends.map_or_else(|| vec![Json::Null], |ends| tokens::cut(ends, wanted)))
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let opened = opened(arguments)?;
    let (mut tokens, mut lens) = (tokens::of_part(part)?, Bounds::ALL);
    let mut have_tokens = true;
    for table in &opened {
        have_tokens &= table.sstables()?.list.iter().all(has_tokens);
    }
    if have_tokens {
        question.push(TOKEN, |test| tokens.narrow(test));
    }
    question.push(BYTES, |test| matches!(test, Test::Above(..)) && lens.narrow(test));
    let times = times(arguments)?;
    Ok(Box::new(move |rows, watch| {
        let pass = PartitionPass {
            tokens: tokens.low..=tokens.high,
            len_min: u64::try_from(lens.low).unwrap_or(0),
            has_keys: rows.wants(KEY) || rows.wants(TOKEN),
            counted: (COUNTS..=OLDEST).any(|at| rows.wants(at)).then_some(times),
        };
        let (mut count, mut is_enough) = (0, false);
        for table in &opened {
            count += table.each_partition(&pass, watch, &mut |sstables, partition| {
                push(rows, sstables, &partition);
                let flow = rows.end_row();
                is_enough = flow.is_break();
                flow
            })?;
            if is_enough {
                break;
            }
        }
        Ok(vec![("partitions", count)])
    }))
}

/// Whether its partitions have tokens, which say their order.
fn has_tokens(sstable: &Sstable) -> bool {
    sstable.partitioner() == Partitioner::Murmur3
}

fn push(rows: &mut Rows<'_>, sstables: &[Sstable], partition: &PartitionSize) {
    if rows.wants(KEY) {
        let mut key = String::new();
        sstables[0].header().key.put_literal(Some(&partition.key), &mut key);
        rows.text(KEY, &key);
    }
    if let Some(token) = partition.token {
        rows.int(TOKEN, token.0);
    }
    rows.count(BYTES, partition.len);
    rows.count(BLOCKS, partition.block_count);
    if let Some(column) = rows.column(SSTABLES) {
        let parts = partition.parts.iter();
        column.texts(parts.map(|part| sstables[part.sstable].descriptor().to_string()));
    }
    let Some(counts) = &partition.counts else { return };
    let all = [
        counts.rows,
        counts.cells,
        counts.total(),
        counts.partition_deletions,
        counts.row_deletions,
        counts.range_deletions,
        counts.collection_deletions,
        counts.cell_tombstones,
        counts.expired_rows,
        counts.expired_cells,
        counts.droppable,
    ];
    (COUNTS..).zip(all).for_each(|(at, count)| rows.count(at, count));
    if let Some(micros) = partition.oldest.and_then(|seconds| seconds.checked_mul(1_000_000)) {
        rows.int(OLDEST, micros);
    }
}
