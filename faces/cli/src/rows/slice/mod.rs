//! `manicule rows slice`: rows of one partition between two bounds.

mod form;
mod json;
mod text;

use std::fmt::Display;
use std::io::Write;
use std::ops::Bound;
use std::path::PathBuf;

use anyhow::Result;
use manicule::context::{Context, ContextOptions};
use manicule::rows::{
    Direction, OpenCall, SLICE_CACHE_BYTES, Search, Slice, SliceCall, SliceWork, Table, View,
};

use self::form::{Rows, Shown};
use self::json::JsonRows;
use self::text::TextRows;
use super::bounds::{AFTER, BEFORE, FROM, Side, TO};
use super::recursive::or_one_below;
use super::shared::{RAW, SCHEMA, TIMES, key_of, tell};
use super::times::{NOW, system_now};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Form, Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "slice",
    operands: "TABLE KEY",
    summary: "print the rows of one partition between two bounds",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] TABLE KEY",
            about: "\
Prints the live rows of the partition KEY: all SSTables of the folder TABLE merged by timestamp, without deleted and expired data.
TABLE may also be the Data.db of one SSTable. KEY is in CQL syntax, 'text', 5, (4, 'text'), in sstabledump's, text, 5, 4:text, or
its bytes, 0x00ff. Bounds are in CQL syntax; a single value needs no parentheses. A bound covers all rows that begin with its
values: the clustering columns after them may be omitted.

  manicule rows slice ks/t 7                                  the whole partition
  manicule rows slice ks/t \"'user 7'\" --from 10 --to 20       10 and 20 included
  manicule rows slice ks/t \"(7, 'x')\" --after \"('2024-01-31', 5)\" --limit 10
  manicule rows slice ks/t 7 --reverse --limit 1 --json       the last row
  manicule rows slice ks/t -- -7                              a key that begins with a sign",
        }],
        notes: "\
Bounds are in the order of the table: if a clustering column is descending, --from has the greater value. --reverse doesn't swap
them. Text, blob and other values are in CQL syntax: 'it''s', 0x00ff, '2024-01-31 12:00:00+0000', [1, 2], {'a': 1}; '' is also the
empty value of any other type. With --json a row is an object as in SELECT JSON, without columns that have no value; static
columns are in each row. Otherwise a row is a line, its clustering first, in the syntax of bounds; static columns are on the first
line, and values longer than 100 characters are truncated. SSTables don't record the names of the key columns: without --schema
they are those of a schema.cql in the folder, as in snapshots, else key and column1.",
        exit: "0 when a row was printed, 1 when no SSTable has the partition or the slice is empty, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Path(|o| &mut o.table),
        Operand::Word(set!(|o, word| o.key = key_of(word)?)),
    ]);

static FLAGS: &[Flag<Options>] = &[
    FROM.does(|o, value| o.start.take(&value, Bound::Included)),
    AFTER.does(|o, value| o.start.take(&value, Bound::Excluded)),
    TO.does(|o, value| o.end.take(&value, Bound::Included)),
    BEFORE.does(|o, value| o.end.take(&value, Bound::Excluded)),
    spec("reverse", "r", "Print the last row first.").sets(|o| &mut o.is_reverse),
    shared::LIMIT
        .here("Print at most NUM rows; with --raw, of each SSTable.")
        .does(set!(|o, value| o.limit = Some(value.number()?))),
    RAW.here("Print the contents of each SSTable in turn, rows and tombstones, not merged.")
        .sets(|o| &mut o.is_raw),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    TIMES
        .more(
            "With --json as writetime(NAME), in microseconds, and ttl(NAME), in remaining seconds; an array has an item per element.",
        )
        .sets(|o| &mut o.shown.has_times),
    spec("sources", "", "Print which SSTable each value is from.")
        .more("With --json as source(NAME).")
        .sets(|o| &mut o.shown.has_sources),
    SCHEMA.does(set!(|o, value| o.schema = Some(value.path()))),
    spec("no-search", "", "Read the partition from its start, without its index.")
        .more("For comparison.")
        .sets(|o| &mut o.is_scan),
    shared::JSON.sets(|o| &mut o.json),
    shared::RECEIPT.sets(|o| &mut o.receipt),
];

#[derive(Default)]
struct Options {
    table: PathBuf,
    key: String,
    start: Side,
    end: Side,
    is_reverse: bool,
    limit: Option<u64>,
    is_raw: bool,
    now: Option<i64>,
    shown: Shown,
    schema: Option<PathBuf>,
    is_scan: bool,
    json: bool,
    receipt: bool,
}

struct Call {
    table: PathBuf,
    slice: SliceCall,
    shown: Shown,
    form: Form,
    receipt: bool,
}

fn finish(options: Options) -> Result<Call> {
    let now = options.now.unwrap_or_else(system_now);
    let slice = SliceCall {
        start: options.start.bound(),
        end: options.end.bound(),
        direction: if options.is_reverse { Direction::Reverse } else { Direction::Forward },
        row_count_max: options.limit,
        view: if options.is_raw { View::Own } else { View::Live { now } },
        search: if options.is_scan { Search::Scan } else { Search::Index },
        schema: options.schema,
        ..SliceCall::new(options.key, now)
    };
    let form = if options.json { Form::Json } else { Form::Text };
    let is_whole = (&slice.start, &slice.end) == (&Bound::Unbounded, &Bound::Unbounded);
    let shown = Shown { now, is_own: options.is_raw, is_whole, ..options.shown };
    Ok(Call { table: options.table, slice, shown, form, receipt: options.receipt })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let options = ContextOptions { cache_bytes: SLICE_CACHE_BYTES, ..ContextOptions::NONE };
    Context::new(options).enter(|| answer_within(call, out))
}

fn answer_within(call: &Call, out: &mut Print) -> Result<u8> {
    let table = Table::open(&OpenCall::new(call.table.clone()));
    let opened = or_one_below(&call.table, table.and_then(|table| table.slice(&call.slice)))?;
    tell(&opened.left_out, &opened.named);
    out.in_pages();
    let (work, count) = match call.form {
        Form::Json => print(&opened, JsonRows::new(call.shown), out)?,
        _ => print(&opened, TextRows::new(call.shown), out)?,
    };
    if count == 0 {
        say(&nothing(call, &work));
    }
    if call.receipt {
        crate::receipt::print(&work.fields(), call.form, out)?;
    }
    Ok(exit::if_any(count > 0))
}

/// Why nothing was printed.
fn nothing(call: &Call, work: &SliceWork) -> impl Display {
    let (path, key) = (call.table.display(), &call.slice.key);
    match (work.sstables_holding, call.slice.view) {
        (0, _) => format!("{path}: no SSTable has the partition {key}"),
        (_, View::Live { .. }) => {
            format!("{path}: no live row of the partition {key} is in the slice")
        }
        _ => format!("{path}: nothing of the partition {key} is in the slice"),
    }
}

/// Prints a slice; returns what it has cost, and how much was printed.
fn print(slice: &Slice, mut rows: impl Rows, out: &mut Print) -> Result<(SliceWork, u64)> {
    let mut text = String::new();
    let work = watched(Show::Progress, Signals::Noted, |watch| {
        slice.each(watch, |slice, item| {
            text.clear();
            rows.part(slice, item, &mut text);
            Ok::<_, anyhow::Error>(out.write_all(text.as_bytes())?)
        })
    })?;
    text.clear();
    rows.end(slice, &mut text);
    out.write_all(text.as_bytes())?;
    Ok((work, rows.count()))
}
