//! `rows.rows`: rows as a reader sees them.

use serde_json::Value as Json;

use super::asked;
use super::opened::{NOW, opened, times};
use super::tokens::{self, TOKENS};
use super::typed::{
    AS_TEXT, CQL_TYPE, DECIMALS, KEY, KEY_COLUMNS, Partitions, SCHEMA, Typed, shaped,
};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::table::{ByData, Push, Table};
use crate::failure::Failure;
use crate::rows::{LiveRow, MergedRow, RowPass, RowsError, Shape, Token};

const EXTRA: Argument = Argument {
    name: "extra",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Columns that follow those of the table: `_token`, `_written_at`, `_expires_at`, `_sstables`.",
};

pub(crate) static ROWS: Table = Table {
    name: "rows.rows",
    about: "A row of a table of Cassandra or ScyllaDB as a reader sees it: its SSTables are merged, what is deleted or has expired is left out.",
    arguments: &[KEY, TOKENS, NOW, SCHEMA, DECIMALS, AS_TEXT, EXTRA],
    order: "token, clustering. Partitions follow each other in it.",
    pushes: &[
        Push {
            column: "columns of the partition key",
            tests: "= and IN on all of them, by the index of partitions",
        },
        Push {
            column: "clustering columns",
            tests: "with these, = on the first and <, <=, >, >= on the next, by the index of rows",
        },
        Push { column: "_token", tests: "=, <, <=, >, >=: indexes are read up to the last token" },
    ],
    partition: "tokens from one to another.",
    question: "SELECT o.id FROM rows('ks/orders') o\n\
               LEFT ANTI JOIN rows('ks/customers') c ON c.id = o.customer",
    by_data: &[
        KEY_COLUMNS,
        ByData {
            name: "static and other columns",
            kind: CQL_TYPE,
            about: "By their names, static ones first, as `SELECT *` has them.",
        },
        ByData { name: "`_token`", kind: "int64", about: "By `extra`: token of its partition." },
        ByData {
            name: "`_written_at`",
            kind: "timestamp (us, UTC)",
            about: "By `extra`: the newest write of the row.",
        },
        ByData {
            name: "`_expires_at`",
            kind: "timestamp (us, UTC)",
            about: "By `extra`: when the last of it expires; lacks where something never does.",
        },
        ByData {
            name: "`_sstables`",
            kind: "list of text",
            about: "By `extra`: SSTables that its values are from.",
        },
    ],
    fields: |arguments| Ok(columns(&shaped(arguments)?, arguments)?.0.fields),
    split,
    open,
};

/// A column of `extra`.
#[derive(Clone, Copy, Debug)]
enum Extra {
    Token,
    WrittenAt,
    ExpiresAt,
    Sstables,
}

static EXTRAS: [(Extra, Field); 4] = [
    (Extra::Token, Field::new("_token", Kind::Int, "Token of its partition.").or_null()),
    (
        Extra::WrittenAt,
        Field::new("_written_at", Kind::Micros, "The newest write of the row.").or_null(),
    ),
    (
        Extra::ExpiresAt,
        Field::new("_expires_at", Kind::Micros, "When the last of it expires.").or_null(),
    ),
    (
        Extra::Sstables,
        Field::new("_sstables", Kind::TEXTS, "SSTables that its values are from.").or_null(),
    ),
];

/// The columns, and which of them are extra, behind those of the table.
fn columns(shape: &Shape, arguments: &Arguments) -> Result<(Typed, Vec<Extra>), Failure> {
    let mut typed = Typed::new(&shape.columns().all(), arguments)?;
    let mut extras = Vec::new();
    for name in arguments.texts(EXTRA.name) {
        let Some((extra, field)) = EXTRAS.iter().find(|(_, field)| field.name == name) else {
            let all: Vec<&str> = EXTRAS.iter().map(|(_, field)| &*field.name).collect();
            return Err(Failure::asked(format!(
                "argument extra: there is no {name}: there are {}",
                all.join(", ")
            )));
        };
        typed.add(field);
        extras.push(*extra);
    }
    Ok((typed, extras))
}

fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    let ends = tokens::ends(&opened(arguments)?)?;
    Ok(ends.map_or_else(|| vec![Json::Null], |ends| tokens::cut(ends, wanted)))
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let shape = shaped(arguments)?;
    let (typed, extras) = columns(&shape, arguments)?;
    question.bind(typed.fields.clone())?;
    let own_count = typed.fields.len() - extras.len();
    let mut partitions = Partitions::new(&shape, arguments, part, question, 0)?;
    let key_count = shape.header().key.key_parts().len();
    let bounds = match &partitions.keys {
        Some(_) => asked::bounds(&shape, question, key_count),
        None => Ok(None),
    };
    let bounds = match bounds {
        Ok(bounds) => bounds,
        Err(RowsError::EmptySlice) => {
            partitions.keys = Some(Vec::new());
            None
        }
        Err(error) => return Err(crate::rows::Error::from(error).into()),
    };
    for (at, extra) in (own_count..).zip(&extras) {
        if matches!(extra, Extra::Token) && shape.has_tokens() {
            question.push(at, |test| partitions.tokens.narrow(test));
        }
    }
    let Partitions { keys, tokens } = partitions;
    let now = times(arguments)?.now;
    let pass = RowPass { keys, tokens: tokens.low..=tokens.high, bounds, now };
    Ok(Box::new(move |rows, watch| {
        let all = shape.columns();
        let wanted: Vec<bool> = (0..own_count).map(|at| rows.wants(at)).collect();
        let count = shape.each_row(&pass, watch, &mut |row| {
            let mut failed = None;
            all.each_of_row(row, &|at| wanted[at], &mut |at, (_, kind, value)| {
                if let (None, Some(column)) = (&failed, rows.column(at)) {
                    failed = typed.push(at, column, kind, value.as_deref()).err();
                }
            });
            if let Some(failed) = failed {
                return Err(failed);
            }
            for (at, extra) in (own_count..).zip(&extras) {
                push_extra(rows, at, *extra, &shape, row);
            }
            Ok(rows.end_row())
        })?;
        Ok(vec![("rows", count)])
    }))
}

fn push_extra(rows: &mut Rows<'_>, at: usize, extra: Extra, shape: &Shape, row: &LiveRow<'_>) {
    let Some(column) = rows.column(at) else { return };
    let own = row.row.or(row.statics);
    match extra {
        Extra::Token if shape.has_tokens() => column.int(Token::of(row.key).0),
        Extra::Token => {}
        Extra::WrittenAt => {
            if let Some(written) = own.and_then(written_at) {
                column.int(written);
            }
        }
        Extra::ExpiresAt => {
            let expires = own.and_then(expires_at);
            if let Some(micros) = expires.and_then(|seconds| seconds.checked_mul(1_000_000)) {
                column.int(micros);
            }
        }
        Extra::Sstables => {
            let parts = row.statics.into_iter().chain(row.row);
            let cells = parts.flat_map(|part| &part.columns).flat_map(|own| &own.cells);
            let mut sources: Vec<usize> = cells.map(|cell| cell.source).collect();
            sources.sort_unstable();
            sources.dedup();
            let name = |source: usize| shape.sstables[source].descriptor().to_string();
            column.texts(sources.into_iter().map(name));
        }
    }
}

/// The newest write of what is live of a row, in microseconds since 1970.
fn written_at(row: &MergedRow) -> Option<i64> {
    let cells = row.columns.iter().flat_map(|own| &own.cells).map(|cell| cell.timestamp);
    cells.chain(row.liveness.map(|liveness| liveness.timestamp)).max()
}

/// When the last of what is live of a row expires, in seconds since 1970; `None` where something
/// never does.
fn expires_at(row: &MergedRow) -> Option<i64> {
    let cells = row.columns.iter().flat_map(|own| &own.cells);
    let ends = cells.map(|cell| (cell.ttl, cell.local_time));
    let ends = ends.chain(row.liveness.map(|liveness| (liveness.ttl, liveness.expires)));
    let ends = ends.map(|(ttl, end)| (ttl != 0).then_some(end)).collect::<Option<Vec<_>>>();
    ends?.into_iter().max()
}
