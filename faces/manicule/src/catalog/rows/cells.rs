//! `rows.cells`: what each SSTable has.

use std::ops::ControlFlow;

use serde_json::{Value as Json, json};

use super::opened::opened;
use super::tokens::{self, TOKENS};
use super::typed::{AS_TEXT, KEY, KEY_COLUMNS, Partitions, SCHEMA, Typed, shaped};
use crate::answer::{Cell, Field, Job, Kind, Question, Rows, Test};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{ByData, Push, Table};
use crate::failure::Failure;
use crate::rows::{CellPath, Fact, FactKind, NO_LOCAL_TIME, RecordField, Shape, text_of, word_of};

pub(crate) static CELLS: Table = Table {
    name: "rows.cells",
    about: "What an SSTable of Cassandra or ScyllaDB says, not merged with what others say: a cell, the time of a row, a deletion; also what others hide or has expired.",
    arguments: &[KEY, TOKENS, SCHEMA, AS_TEXT],
    order: "SSTable by version and generation, in it as its data has them.",
    pushes: &[
        Push { column: "_sstable", tests: "=, <>, IN, LIKE: other SSTables are not read" },
        Push {
            column: "columns of the partition key",
            tests: "= and IN on all of them: the data of others are not read",
        },
        Push {
            column: "_fact",
            tests: "and `_is_tombstone`, `_static`: values of others are not decoded",
        },
    ],
    partition: "an SSTable, and tokens from one to another.",
    question: "SELECT _column, count(*) / count(DISTINCT struct(pk, ck)) FROM rows_cells('ks/t')\n\
               WHERE _fact = 'cell' GROUP BY 1",
    by_data: &[
        ByData {
            name: "`_sstable`",
            kind: "dictionary of text",
            about: "Beginning of the names of its files: `nb-1-big`.",
        },
        KEY_COLUMNS,
        ByData {
            name: "`_fact`",
            kind: "dictionary of text",
            about: "What is said: `cell`, `cell deletion`, `row` (its time), `row deletion`, `shadowable deletion`, `collection deletion`, `range deletion from`, `range deletion to`, `partition deletion`.",
        },
        ByData { name: "`_is_tombstone`", kind: "boolean", about: "Whether it is a deletion." },
        ByData { name: "`_static`", kind: "boolean", about: "Whether it is of the static row." },
        ByData { name: "`_column`?", kind: "dictionary of text", about: "The column." },
        ByData {
            name: "`_path`?",
            kind: "text",
            about: "Which element of a collection: a list's time UUID, a set's element, a map's key; a user type's field.",
        },
        ByData { name: "`_value`?", kind: "text", about: "Its value as CQL writes it." },
        ByData {
            name: "`_inclusive`?",
            kind: "boolean",
            about: "Whether the bound of a range belongs to it.",
        },
        ByData {
            name: "`_written`",
            kind: "int64",
            about: "When it was written, in microseconds since 1970 mostly: clients say it.",
        },
        ByData { name: "`_ttl`?", kind: "int32", about: "Its time to live in seconds." },
        ByData { name: "`_expires`?", kind: "timestamp (ms, UTC)", about: "When it expires." },
        ByData { name: "`_deleted`?", kind: "timestamp (ms, UTC)", about: "When it was deleted." },
    ],
    fields: |arguments| Ok(columns(&shaped(arguments)?, arguments)?.fields),
    split,
    open,
};

static SSTABLE: Field = Field::new("_sstable", Kind::Word, "Its SSTable.");

static FIELDS: [Field; 11] = [
    Field::new("_fact", Kind::Word, "What is said."),
    Field::new("_is_tombstone", Kind::Boolean, "Whether it is a deletion."),
    Field::new("_static", Kind::Boolean, "Whether it is of the static row."),
    Field::new("_column", Kind::Word, "The column.").or_null(),
    Field::new("_path", Kind::Text, "Which element of a collection.").or_null(),
    Field::new("_value", Kind::Text, "Its value as CQL writes it.").or_null(),
    Field::new("_inclusive", Kind::Boolean, "Whether the bound of a range belongs to it.")
        .or_null(),
    Field::new("_written", Kind::Int, "When it was written."),
    Field::new("_ttl", Kind::Int32, "Its time to live in seconds.").or_null(),
    Field::new("_expires", Kind::Millis, "When it expires.").or_null(),
    Field::new("_deleted", Kind::Millis, "When it was deleted.").or_null(),
];

/// Places of our columns behind those of the key.
const FACT: usize = 0;
const IS_TOMBSTONE: usize = 1;
const STATIC: usize = 2;
const COLUMN: usize = 3;
const PATH: usize = 4;
const VALUE: usize = 5;
const INCLUSIVE: usize = 6;
const WRITTEN: usize = 7;
const TTL: usize = 8;
const EXPIRES: usize = 9;
const DELETED: usize = 10;

/// The columns of the key with ours, of which the SSTable comes last here and first in the table.
fn columns(shape: &Shape, arguments: &Arguments) -> Result<Typed, Failure> {
    let mut typed = Typed::new(&shape.columns().of_key(), arguments)?;
    typed.add(&SSTABLE);
    typed.fields.rotate_right(1);
    FIELDS.iter().for_each(|field| typed.add(field));
    Ok(typed)
}

fn names(shape: &Shape) -> Vec<String> {
    shape.sstables.iter().map(|sstable| sstable.descriptor().to_string()).collect()
}

/// Parts of each SSTable, of tokens about as far between its first and its last.
fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    let tables = opened(arguments)?;
    let ends = tokens::ends(&tables)?;
    let names = names(&shaped(arguments)?);
    let each = wanted.div_ceil(names.len().max(1));
    let cut = ends.map_or_else(|| vec![json!({})], |ends| tokens::cut(ends, each));
    let of = |name: &String| {
        let name = Json::from(name.as_str());
        let own = cut.iter().cloned().map(move |mut part| {
            part["sstable"] = name.clone();
            part
        });
        own.collect::<Vec<_>>()
    };
    Ok(names.iter().flat_map(of).collect())
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let shape = shaped(arguments)?;
    let typed = columns(&shape, arguments)?;
    question.bind(typed.fields.clone())?;
    let own = typed.fields.len() - FIELDS.len();
    let Partitions { keys, tokens } = Partitions::new(&shape, arguments, part, question, 1)?;
    let names = names(&shape);
    let mut places: Vec<usize> = (0..names.len()).collect();
    if let Some(name) = part["sstable"].as_str() {
        places.retain(|place| names[*place] == name);
    }
    question.push(0, |test| {
        places.retain(|place| test.fulfils(Cell::Text(&names[*place])) == Some(true));
        true
    });
    let mut asked = [const { Vec::new() }; 3];
    for (at, tests) in [FACT, IS_TOMBSTONE, STATIC].into_iter().zip(&mut asked) {
        question.push(own + at, |test| {
            tests.push(test.clone());
            true
        });
    }
    let tokens = tokens.low..=tokens.high;
    Ok(Box::new(move |rows, watch| {
        let wants_key = (1..own).any(|at| rows.wants(at));
        let count = shape.each_fact(&places, keys.as_deref(), &tokens, watch, &mut |fact| {
            if !is_asked(&asked, fact) {
                return Ok(ControlFlow::Continue(()));
            }
            rows.text(0, &names[places[fact.sstable]]);
            if wants_key {
                push_key(rows, &typed, &shape, fact)?;
            }
            push(rows, own, fact);
            Ok(rows.end_row())
        })?;
        Ok(vec![("facts", count)])
    }))
}

/// Whether it is a deletion.
fn is_tombstone(kind: FactKind) -> bool {
    !matches!(kind, FactKind::Row | FactKind::Cell)
}

/// Whether a fact fulfils tests of what it is.
fn is_asked([facts, tombstones, statics]: &[Vec<Test>; 3], fact: &Fact<'_>) -> bool {
    let all =
        |tests: &[Test], cell: Cell<'_>| tests.iter().all(|test| test.fulfils(cell) == Some(true));
    all(facts, Cell::Text(word_of(fact.kind).0))
        && all(tombstones, Cell::Boolean(is_tombstone(fact.kind)))
        && all(statics, Cell::Boolean(fact.is_static))
}

fn push_key(
    rows: &mut Rows<'_>,
    typed: &Typed,
    shape: &Shape,
    fact: &Fact<'_>,
) -> Result<(), Failure> {
    let (mut at, mut failed) = (0, None);
    let columns = shape.columns();
    let mut put = |(_, kind, value): &RecordField<'_>| {
        if let (None, Some(column)) = (&failed, rows.column(1 + at)) {
            failed = typed.push(at, column, kind, value.as_deref()).err();
        }
        at += 1;
    };
    columns.each_of_key(fact.key, &mut put);
    match &fact.place {
        Some(place) => {
            columns.each_of_clustering(place.values(&shape.header().clustering), &mut put);
        }
        None => columns.each_of_clustering([], &mut put),
    }
    failed.map_or(Ok(()), Err)
}

fn push(rows: &mut Rows<'_>, own: usize, fact: &Fact<'_>) {
    let (word, is_inclusive) = word_of(fact.kind);
    let is_dead = is_tombstone(fact.kind);
    rows.text(own + FACT, word);
    rows.boolean(own + IS_TOMBSTONE, is_dead);
    rows.boolean(own + STATIC, fact.is_static);
    if let (Some(column), Some(named)) = (rows.column(own + COLUMN), fact.column) {
        column.lossy(&named.name);
    }
    if let Some(column) = rows.column(own + PATH) {
        match fact.path() {
            CellPath::None => {}
            CellPath::Value(kind, path) => column.text(&text_of(kind, path)),
            CellPath::Field(name) => column.lossy(name),
        }
    }
    if let Some(column) = rows.column(own + VALUE)
        && let Some((kind, value)) = fact.typed_value()
    {
        column.text(&text_of(kind, value));
    }
    if let Some(is_inclusive) = is_inclusive {
        rows.boolean(own + INCLUSIVE, is_inclusive);
    }
    rows.int(own + WRITTEN, fact.timestamp);
    if fact.ttl != 0 {
        rows.int(own + TTL, fact.ttl.into());
    }
    if fact.local_time != NO_LOCAL_TIME {
        let place = if is_dead { DELETED } else { EXPIRES };
        rows.int(own + place, fact.local_time.saturating_mul(1000));
    }
}
