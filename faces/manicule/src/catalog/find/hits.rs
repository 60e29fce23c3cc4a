//! `find`: hits of a search through everything.

use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;

use serde_json::Value as Json;

use super::arguments::{
    FIXED, GLOBS, HIDDEN, IGNORE_CASE, NO_IGNORE, PASSWORD_FILE, TEXT, TYPES, WORD, searched,
};
use crate::answer::{Cell, Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::Arguments;
use crate::catalog::matches;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;
use crate::find::{Event, Hit, Item, find};
use crate::kinds::{System, systems};

pub(crate) static FIND: Table = Table {
    name: "find",
    about: "A hit of a search through files, shards, blocks, SSTables, graph stores and restic repositories. \
            A place that can't be searched is the answer's error.",
    arguments: &[TEXT, FIXED, IGNORE_CASE, WORD, HIDDEN, NO_IGNORE, TYPES, GLOBS, PASSWORD_FILE],
    by_data: &[],
    order: "path, as they are given and in folders by name; place in the file or index.",
    pushes: &[Push { column: "kind", tests: "all: what is of other kinds is not searched" }],
    partition: "all of it is one.",
    question: "SELECT m FROM (SELECT regexp_match(text, '(\\w+)\\{')[1] AS m FROM find('expr:', 'rules')) a\n  \
               LEFT ANTI JOIN series_labels('data') l ON l.name = '__name__' AND l.value = a.m",
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const KIND: usize = 0;
const ITEM: usize = 1;
const PATH: usize = 2;
const PLACE: usize = 4;
const LINE_NUMBER: usize = 5;
const BYTE_OFFSET: usize = 6;
const TEXT_AT: usize = 7;
const MATCHES: usize = 9;

static FIELDS: &[Field] = &[
    Field::new("kind", Kind::Word, "What was searched: text, code, series, rows, graph, blobs."),
    Field::new("item", Kind::Word, "What matches: line, document, label, cell, path, term."),
    Field::new(
        "path",
        Kind::Text,
        "Path of the file or index, or of a document in its shard; U+FFFD stands for bytes that are not UTF-8.",
    ),
    Field::new("path_bytes", Kind::Bytes, "The path, where it is not UTF-8.").or_null(),
    Field::new(
        "place",
        Kind::Text,
        "Where in an index: the label's name; key, clustering and column; the last snapshot.",
    )
    .or_null(),
    Field::new("line_number", Kind::Int, "Number of the line, from 1.").or_null(),
    Field::new(
        "byte_offset",
        Kind::Int,
        "Where the line begins; in a file that is not text, where its first NUL is.",
    )
    .or_null(),
    Field::new(
        "text",
        Kind::Text,
        "What matches, as `manicule find` prints it; U+FFFD stands for bytes that are not UTF-8.",
    ),
    Field::new("text_bytes", Kind::Bytes, "The text, where it is not UTF-8.").or_null(),
    Field::new("matches", matches::MATCHES, "Where the text matches, in bytes."),
];

fn open(arguments: &Arguments, _: &Json, question: &mut Question) -> Result<Job, Failure> {
    let mut call = searched(arguments)?;
    question.push(KIND, |test| {
        let all = || systems().iter().map(|row| row.system).collect();
        let fulfils = |system: &System| test.fulfils(Cell::Text(system.word())) == Some(true);
        call.systems.get_or_insert_with(all).retain(fulfils);
        true
    });
    Ok(Box::new(move |rows, watch| {
        let mut failed = None;
        let found = find(&call, watch, &mut |event| match event {
            Event::Hit(hit) => push(rows, &hit).unwrap_or_else(|failure| {
                failed = Some(failure);
                ControlFlow::Break(())
            }),
            Event::Failure(failure) => {
                failed = Some(failure);
                ControlFlow::Break(())
            }
            Event::Note(_) => ControlFlow::Continue(()),
        })?;
        failed.map_or(Ok(found.receipt), Err)
    }))
}

fn push(rows: &mut Rows<'_>, hit: &Hit<'_>) -> Result<ControlFlow<()>, Failure> {
    rows.text(KIND, hit.system.word());
    rows.text(ITEM, item_word(&hit.item));
    rows.name(PATH, hit.path.as_os_str().as_bytes());
    if let Some(place) = hit.place()
        && let Some(column) = rows.column(PLACE)
    {
        column.lossy(place.as_bytes());
    }
    match hit.item {
        Item::Line(line) => {
            rows.count(LINE_NUMBER, line.number);
            rows.count(BYTE_OFFSET, line.offset);
        }
        Item::Document { nul_offset } => rows.count(BYTE_OFFSET, nul_offset),
        _ => {}
    }
    if [TEXT_AT, TEXT_AT + 1, MATCHES].into_iter().any(|at| rows.wants(at)) {
        let text = hit.text();
        rows.name(TEXT_AT, &text);
        if let Some(column) = rows.column(MATCHES) {
            let matches = hit.matches_in(&text)?;
            column.list(|items| {
                for Range { start, end } in matches {
                    items.parts(|parts| {
                        let numbers = [start, end - start];
                        parts.iter_mut().zip(numbers).for_each(|(part, own)| part.int(own as i64));
                    });
                }
            });
        }
    }
    Ok(rows.end_row())
}

fn item_word(item: &Item<'_>) -> &'static str {
    match item {
        Item::Line(_) => "line",
        Item::Document { .. } => "document",
        Item::Label(_) => "label",
        Item::Cell(_) => "cell",
        Item::Path(_) => "path",
        Item::Term(_) => "term",
        Item::Entry(entry) => entry.word,
    }
}
