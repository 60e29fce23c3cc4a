//! `series.labels`: label pairs.

use std::ops::ControlFlow;

use serde_json::Value as Json;

use super::opened::{END, PER_BLOCK, SELECTOR, START, opened, selectors, times};
use crate::answer::{Cell, Field, Job, Kind, Question, Rows, Test};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;
use crate::series::query::{Blocks, Work};

const NAME: usize = 0;
const VALUE: usize = 1;
const SERIES: usize = 3;
const BLOCK: usize = 4;

pub(crate) static LABELS: Table = Table {
    name: "series.labels",
    about: "A label pair of the series of Prometheus blocks, read from their indexes.",
    arguments: &[SELECTOR, START, END, PER_BLOCK],
    order: "name, value; with `per_block` block by block. Partitions follow each other in it.",
    pushes: &[Push { column: "name", tests: "all: values of other names are not listed" }],
    partition: "label names that follow each other.",
    question: "SELECT name, sum(series) FROM series_labels('data') WHERE value ~ '^[0-9a-f-]{32,}$' GROUP BY 1",
    by_data: &[],
    fields,
    split,
    open,
};

fn fields(arguments: &Arguments) -> Result<Vec<Field>, Failure> {
    let mut fields = vec![
        Field::new("name", Kind::Word, "Name of the label."),
        Field::new("value", Kind::Text, "Its value; U+FFFD stands for bytes that are not UTF-8."),
        Field::new("value_bytes", Kind::Bytes, "The value, where it is not UTF-8.").or_null(),
        Field::new(
            "series",
            Kind::Int,
            "Series that have the pair: one that several blocks have is counted once.",
        )
        .dear(),
    ];
    if arguments.is_set("per_block")? {
        fields.push(Field::new("block", Kind::Word, "Name of the block."));
    }
    Ok(fields)
}

fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    let opened = opened(arguments, times(arguments)?)?;
    let names = opened.blocks().label_names(&selectors(arguments)?, &mut Work::default())?;
    let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
    if names.is_empty() {
        return Ok(vec![Json::Array(Vec::new())]);
    }
    let per_part = names.len().div_ceil(wanted);
    Ok(names
        .chunks(per_part)
        .map(|names| names.iter().map(|name| Json::from(&**name)).collect())
        .collect())
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let opened = opened(arguments, times(arguments)?)?;
    let selectors = selectors(arguments)?;
    let is_per_block = arguments.is_set("per_block")?;
    let of_part: Option<Vec<String>> = serde_json::from_value(part.clone())
        .map_err(|_| Failure::asked("the part of series.labels is no list of names"))?;
    let mut tests: Vec<Test> = Vec::new();
    question.push(NAME, |test| {
        tests.push(test.clone());
        true
    });
    Ok(Box::new(move |rows, watch| {
        let mut work = Work::default();
        let admits = |name: &str| {
            let is_of_part = of_part.as_ref().is_none_or(|names| names.iter().any(|it| it == name));
            is_of_part && tests.iter().all(|test| test.fulfils(Cell::Text(name)) == Some(true))
        };
        let all = opened.blocks();
        let groups: Vec<Blocks<'_>> = if is_per_block {
            let each = all.iter();
            each.map(|block| Blocks::new(std::slice::from_ref(block), opened.times())).collect()
        } else {
            vec![all]
        };
        for blocks in groups {
            for name in blocks.label_names(&selectors, &mut work)? {
                watch.check()?;
                if admits(&String::from_utf8_lossy(name))
                    && list(&blocks, name, &selectors, is_per_block, rows, &mut work)?.is_break()
                {
                    return Ok(work.fields());
                }
            }
        }
        Ok(work.fields())
    }))
}

/// Lists the values of a name.
fn list(
    blocks: &Blocks<'_>,
    name: &[u8],
    selectors: &[manicule_series::Selector],
    is_per_block: bool,
    rows: &mut Rows<'_>,
    work: &mut Work,
) -> Result<ControlFlow<()>, Failure> {
    let pairs: Vec<(&[u8], u64)> = if rows.wants(SERIES) {
        let mut counts = blocks.label_counts(Some(name), selectors, work)?;
        counts.sort_unstable();
        counts
    } else {
        let values = blocks.label_values(name, selectors, work)?.into_iter();
        values.map(|value| (value, 0)).collect()
    };
    let block = is_per_block.then(|| blocks.iter().next()).flatten();
    let block = block.and_then(|block| Some(block.path().file_name()?.to_string_lossy()));
    for (value, count) in pairs {
        if let Some(column) = rows.column(NAME) {
            column.lossy(name);
        }
        rows.name(VALUE, value);
        rows.count(SERIES, count);
        if let Some(block) = &block {
            rows.text(BLOCK, block);
        }
        if rows.end_row().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
