//! `code.documents`: documents.

use std::ops::ControlFlow;

use serde_json::Value as Json;

use super::columns::{
    BRANCHES, FIRST, FIRST_COUNT, OF_REPOSITORY, REPOSITORY, push, push_branches,
};
use super::opened::{OfRepository, opened};
use super::searched::{ANY_QUERY, each_answer, searched, split};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::code::search::Answer;
use crate::failure::Failure;

pub(crate) static DOCUMENTS: Table = Table {
    name: "code.documents",
    about: "A document of zoekt shards; those with a tombstone are left out.",
    arguments: &[ANY_QUERY],
    order: "shard, document. Partitions follow each other in it.",
    pushes: &[OF_REPOSITORY],
    partition: "shards that follow each other; all of it where the query has `type:repo`.",
    question: "SELECT checksum, array_agg(repository) FROM code_documents('shards')\n\
               GROUP BY 1 HAVING count(DISTINCT repository) > 1",
    by_data: &[],
    fields,
    split,
    open,
};

const BRANCHES_AT: usize = FIRST_COUNT;
const VERSION: usize = 5;
const SIZE: usize = 6;
const CHECKSUM: usize = 7;
const SKIP_REASON: usize = 8;
const SYMBOLS: usize = 9;
const SHARD: usize = 10;
const CONTENT: usize = 11;

fn fields(_: &Arguments) -> Result<Vec<Field>, Failure> {
    let mut fields = FIRST.to_vec();
    fields.extend([
        BRANCHES,
        Field::new("version", Kind::Word, "Commit of the first of its branches.").or_null(),
        Field::new("size", Kind::Int, "Bytes of its content, if that was indexed.").or_null(),
        Field::new(
            "checksum",
            Kind::Text,
            "CRC-64 (ISO) of its content, if that was indexed, in 16 hexadecimal digits.",
        )
        .or_null(),
        Field::new("skip_reason", Kind::Word, "Why its content was not indexed.").or_null(),
        Field::new("symbols", Kind::Int, "Number of its symbols."),
        Field::new("shard", Kind::Word, "Name of the shard's file."),
        Field::new(
            "content",
            Kind::Text,
            "Its content, if that was indexed; U+FFFD stands for bytes that are not UTF-8.",
        )
        .or_null()
        .dear(),
        Field::new("content_bytes", Kind::Bytes, "The content, where it is not UTF-8.")
            .or_null()
            .dear(),
    ]);
    Ok(fields)
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let call = searched(arguments)?;
    let of_repository = OfRepository::of(question, REPOSITORY);
    let opened = opened(arguments, part)?;
    Ok(Box::new(move |rows, watch| {
        let mut shards = opened.shards()?;
        of_repository.narrow(&mut shards);
        each_answer(shards, &call, rows, watch, &push_document)
    }))
}

fn push_document(rows: &mut Rows<'_>, answer: &Answer<'_>) -> Result<ControlFlow<()>, Failure> {
    let document = answer.document;
    let (open, number) = (document.shard, document.number);
    push(rows, document);
    push_branches(rows, BRANCHES_AT, document);
    if rows.wants(VERSION) {
        let version = open.version(number)?;
        if !version.is_empty() {
            rows.text(VERSION, version);
        }
    }
    match document.skip_reason() {
        Some(reason) => rows.text(SKIP_REASON, reason),
        None => {
            rows.count(SIZE, document.content.len() as u64);
            if rows.wants(CHECKSUM) {
                rows.text(CHECKSUM, &format!("{:016x}", open.checksum(number)?));
            }
            if rows.wants(CONTENT) || rows.wants(CONTENT + 1) {
                document.check()?;
            }
            rows.name(CONTENT, document.content);
        }
    }
    if rows.wants(SYMBOLS) {
        rows.count(SYMBOLS, open.symbol_ranges(number)?.len() as u64);
    }
    rows.text(SHARD, &open.path().file_name().unwrap_or_default().to_string_lossy());
    Ok(rows.end_row())
}
