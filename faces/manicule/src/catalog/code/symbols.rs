//! `code.symbols`: symbols.

use std::ops::ControlFlow;
use std::sync::Mutex;

use manicule_store::threads::{lock, unshared};
use serde_json::Value as Json;

use super::columns::{FIRST, FIRST_COUNT, OF_REPOSITORY, REPOSITORY, push};
use super::opened::{OfRepository, by_shards, opened};
use crate::answer::{Cell, Field, Job, Kind, Question, Rows, Test};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::code::shards::find::{Admit, Document, Order, Request, Skipped, Visit, visit};
use crate::code::tree::{Flow, Look};
use crate::failure::Failure;

pub(crate) static SYMBOLS: Table = Table {
    name: "code.symbols",
    about: "A symbol of a document of zoekt shards, as ctags found it when they were made.",
    arguments: &[],
    order: "shard, document, place. Partitions follow each other in it.",
    pushes: &[
        OF_REPOSITORY,
        Push {
            column: "kind",
            tests: "all: of symbols of other kinds neither name nor line is read",
        },
    ],
    partition: "shards that follow each other.",
    question: "SELECT name, count(DISTINCT repository) FROM code_symbols('shards')\n\
               WHERE kind = 'function' GROUP BY 1 HAVING count(*) > 5",
    by_data: &[],
    fields,
    split: by_shards,
    open,
};

const NAME: usize = FIRST_COUNT;
const KIND: usize = 6;
const PARENT: usize = 7;
const PARENT_KIND: usize = 8;
const LINE_NUMBER: usize = 9;
const START_OFFSET: usize = 10;
const END_OFFSET: usize = 11;

fn fields(_: &Arguments) -> Result<Vec<Field>, Failure> {
    let mut fields = FIRST.to_vec();
    fields.extend([
        Field::new("name", Kind::Text, "Its name, which lies in the document's content.").dear(),
        Field::new("name_bytes", Kind::Bytes, "The name, where it is not UTF-8.").or_null().dear(),
        Field::new("kind", Kind::Word, "Its kind, as ctags names it."),
        Field::new("parent", Kind::Text, "What it is declared in.").or_null(),
        Field::new("parent_kind", Kind::Word, "Kind of that.").or_null(),
        Field::new("line_number", Kind::Int, "Number of its line, from 1.").dear(),
        Field::new("start_offset", Kind::Int, "Where it begins, in bytes of the document."),
        Field::new("end_offset", Kind::Int, "Where it ends."),
    ]);
    Ok(fields)
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let of_repository = OfRepository::of(question, REPOSITORY);
    let mut of_kind: Vec<Test> = Vec::new();
    question.push(KIND, |test| {
        of_kind.push(test.clone());
        true
    });
    let opened = opened(arguments, part)?;
    Ok(Box::new(move |rows, watch| {
        let mut shards = opened.shards()?;
        of_repository.narrow(&mut shards);
        let (look, admit) = (Look::Names, Admit::all());
        let request = Request {
            look: &look,
            admit: &admit,
            order: Order::Any,
            skipped: Skipped::LeftOut,
            // One thread visits in the order of shards and documents.
            threads: 1,
            watch,
        };
        let pushed = Mutex::new((rows, None));
        let visitor = || Box::new(Visitor { pushed: &pushed, of_kind: &of_kind }) as Box<dyn Visit>;
        let receipt = visit(&shards, &request, &visitor)?;
        match unshared(pushed).1 {
            Some(failure) => Err(failure),
            None => Ok(receipt.fields().into_iter().collect()),
        }
    }))
}

struct Visitor<'v, 'r, 's> {
    pushed: &'v Mutex<(&'r mut Rows<'s>, Option<Failure>)>,
    of_kind: &'v [Test],
}

impl Visit for Visitor<'_, '_, '_> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let (rows, failure) = &mut *lock(self.pushed);
        match push_symbols(rows, document, self.of_kind) {
            Ok(ControlFlow::Continue(())) => Flow::Continue,
            Ok(ControlFlow::Break(())) => Flow::Quit,
            Err(error) => {
                *failure = Some(error);
                Flow::Quit
            }
        }
    }
}

fn push_symbols(
    rows: &mut Rows<'_>,
    document: &Document<'_>,
    of_kind: &[Test],
) -> Result<ControlFlow<()>, Failure> {
    let (open, number) = (document.shard, document.number);
    let mut texts: Option<(&[u8], Vec<u32>)> = None;
    for (index, range) in open.symbol_ranges(number)?.into_iter().enumerate() {
        let info = open.symbol_info(number, index)?;
        let kind = String::from_utf8_lossy(info.kind);
        if !of_kind.iter().all(|test| test.fulfils(Cell::Text(&kind)) == Some(true)) {
            continue;
        }
        push(rows, document);
        if rows.wants(NAME) || rows.wants(NAME + 1) || rows.wants(LINE_NUMBER) {
            let (content, newlines) = match &mut texts {
                Some(texts) => texts,
                none => none.insert((open.content(number)?, open.newlines(number)?)),
            };
            let (start, end) = (range.start as usize, range.end as usize);
            rows.name(NAME, content.get(start..end).unwrap_or_default());
            let before = newlines.partition_point(|newline| *newline < range.start);
            rows.count(LINE_NUMBER, before as u64 + 1);
        }
        rows.text(KIND, &kind);
        for (at, word) in [(PARENT, info.parent), (PARENT_KIND, info.parent_kind)] {
            if let Some(column) = rows.column(at).filter(|_| !word.is_empty()) {
                column.lossy(word);
            }
        }
        rows.int(START_OFFSET, range.start.into());
        rows.int(END_OFFSET, range.end.into());
        if rows.end_row().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
