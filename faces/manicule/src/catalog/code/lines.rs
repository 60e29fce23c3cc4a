//! `code.lines`: lines that answer a query.

use std::ops::{ControlFlow, Range};

use serde_json::Value as Json;

use super::columns::{
    BRANCHES, FIRST, FIRST_COUNT, OF_REPOSITORY, REPOSITORY, push, push_branches,
};
use super::opened::{OfRepository, opened};
use super::searched::{NEEDED_QUERY, each_answer, searched_for, split};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::Arguments;
use crate::catalog::matches;
use crate::catalog::table::Table;
use crate::code::search::{Answer, matched_lines};
use crate::failure::Failure;

pub(crate) static LINES: Table = Table {
    name: "code.lines",
    about: "A line of zoekt shards that answers a query, or a document that does so by its name or by what it is.",
    arguments: &[NEEDED_QUERY],
    order: "shard, document, line. Partitions follow each other in it.",
    pushes: &[OF_REPOSITORY],
    partition: "shards that follow each other; all of it where the query has `type:repo`.",
    question: "SELECT language, count(*) FROM code_lines('shards', 'TODO') GROUP BY 1",
    by_data: &[],
    fields,
    split,
    open,
};

const BRANCHES_AT: usize = FIRST_COUNT;
const IS_NAME_MATCH: usize = 5;
const LINE_NUMBER: usize = 6;
const BYTE_OFFSET: usize = 7;
const TEXT: usize = 8;
const MATCHES: usize = 10;

fn fields(_: &Arguments) -> Result<Vec<Field>, Failure> {
    let mut fields = FIRST.to_vec();
    fields.extend([
        BRANCHES,
        Field::new(
            "is_name_match",
            Kind::Boolean,
            "Whether no line of the document matches: it answers by its name, or by what it is.",
        ),
        Field::new("line_number", Kind::Int, "Number of the line, from 1.").or_null(),
        Field::new("byte_offset", Kind::Int, "Where the line begins in the document.").or_null(),
        Field::new(
            "text",
            Kind::Text,
            "The line without its end; U+FFFD stands for bytes that are not UTF-8.",
        )
        .or_null(),
        Field::new("text_bytes", Kind::Bytes, "The line, where it is not UTF-8.").or_null(),
        Field::new(
            "matches",
            matches::MATCHES,
            "What matches, in bytes of the line; where `is_name_match` of the path.",
        ),
    ]);
    Ok(fields)
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let call = searched_for(arguments)?;
    let of_repository = OfRepository::of(question, REPOSITORY);
    let opened = opened(arguments, part)?;
    Ok(Box::new(move |rows, watch| {
        let mut shards = opened.shards()?;
        of_repository.narrow(&mut shards);
        each_answer(shards, &call, rows, watch, &push_lines)
    }))
}

fn push_lines(rows: &mut Rows<'_>, answer: &Answer<'_>) -> Result<ControlFlow<()>, Failure> {
    let (document, mut is_any) = (answer.document, false);
    for line in matched_lines(document.content, answer.matches.iter().cloned()) {
        is_any = true;
        let start = line.range.start;
        push_first(rows, answer, false);
        rows.count(LINE_NUMBER, line.number);
        rows.count(BYTE_OFFSET, start as u64);
        let text = &document.content[line.range];
        rows.name(TEXT, text.strip_suffix(b"\n").unwrap_or(text));
        let parts = line.parts.into_iter().map(|part| part.range);
        push_matches(rows, parts.map(|part| part.start - start..part.end - start));
        if rows.end_row().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    if is_any {
        return Ok(ControlFlow::Continue(()));
    }
    push_first(rows, answer, true);
    push_matches(rows, answer.name_matches.iter().cloned());
    Ok(rows.end_row())
}

fn push_first(rows: &mut Rows<'_>, answer: &Answer<'_>, is_name_match: bool) {
    push(rows, answer.document);
    push_branches(rows, BRANCHES_AT, answer.document);
    rows.boolean(IS_NAME_MATCH, is_name_match);
}

fn push_matches(rows: &mut Rows<'_>, matches: impl Iterator<Item = Range<usize>>) {
    let Some(column) = rows.column(MATCHES) else { return };
    column.list(|items| {
        for Range { start, end } in matches {
            items.parts(|parts| {
                let numbers = [start, end - start];
                parts.iter_mut().zip(numbers).for_each(|(part, own)| part.int(own as i64));
            });
        }
    });
}
