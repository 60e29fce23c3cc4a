//! `series.series`: label sets.

use serde_json::{Value as Json, json};

use super::columns::{LABEL, METRIC, first, id, push};
use super::opened::{END, LABEL_COLUMNS, PER_BLOCK, SELECTOR, START, opened, selectors, times};
use super::selected::matchers;
use crate::answer::{Field, Job, Kind, Question};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;
use crate::series::query::{Blocks, Work};
use manicule_series::{BlockError, Interval, METRIC_NAME, Matcher, Selector};

pub(crate) static SERIES: Table = Table {
    name: "series.series",
    about: "A series of Prometheus blocks: a set of labels. One that several blocks have is one row.",
    arguments: &[SELECTOR, START, END, LABEL_COLUMNS, PER_BLOCK],
    order: "labels, name by name; with `per_block` block by block.",
    pushes: &[Push {
        column: "metric",
        tests: "and columns of labels: =, <>, IN, LIKE, IS NULL, by posting lists",
    }],
    partition: "series whose id is k modulo n: each part reads the labels of all.",
    question: "SELECT labels['pod'], count(*) FROM series('data') WHERE first_at > now() - INTERVAL '1 hour' GROUP BY 1",
    by_data: &[],
    fields,
    split: by_id,
    open,
};

fn fields(arguments: &Arguments) -> Result<Vec<Field>, Failure> {
    let (mut fields, _) = first(arguments);
    fields.extend([
        Field::new("labels", Kind::TEXT_MAP, "All labels, by name."),
        Field::new("first_at", Kind::Millis, "Time of the first sample, as the index has it."),
        Field::new("last_at", Kind::Millis, "Time of the last sample, as the index has it."),
        Field::new("chunks", Kind::Int, "Chunks in the index that overlap the times asked for."),
        Field::new("samples", Kind::Int, "Samples as `series.samples` lists them.").dear(),
        Field::new("sample_bytes", Kind::Int, "Bytes of the chunks.").dear(),
    ]);
    if arguments.is_set("per_block")? {
        fields.push(Field::new("block", Kind::Word, "Name of the block."));
    }
    Ok(fields)
}

/// Parts by the series' ids.
pub(super) fn by_id(_: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    Ok((0..wanted).map(|at| json!({ "modulo": wanted, "is": at })).collect())
}

/// Whether a series is of a part.
pub(super) fn of_part(part: &Json) -> Result<impl Fn(i64) -> bool + Send + 'static, Failure> {
    let modulo = part["modulo"].as_u64().unwrap_or(1);
    let is = part["is"].as_u64().unwrap_or(0);
    if modulo == 0 || is >= modulo {
        return Err(Failure::asked(format!("no part of series: {part}")));
    }
    Ok(move |id: i64| id.cast_unsigned() % modulo == is)
}

/// The selectors of a call, each with the matchers of conditions on labels.
pub(super) fn selected(
    arguments: &Arguments,
    question: &mut Question,
    labels: &[String],
) -> Result<Vec<Selector>, Failure> {
    let mut pushed: Vec<Matcher> = Vec::new();
    let names = std::iter::once((METRIC, METRIC_NAME));
    let names = names.chain(labels.iter().enumerate().map(|(at, name)| (LABEL + at, &**name)));
    for (at, name) in names {
        question.push(at, |test| match matchers(name, test) {
            Some(matchers) => {
                pushed.extend(matchers);
                true
            }
            None => false,
        });
    }
    let mut selectors = selectors(arguments)?;
    if selectors.is_empty() {
        selectors.push(Selector::everything());
    }
    let with = |selector: Selector| Selector::new([selector.matchers(), &pushed].concat());
    Ok(selectors.into_iter().map(with).collect())
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let (first, labels) = first(arguments);
    let selectors = selected(arguments, question, &labels)?;
    let opened = opened(arguments, times(arguments)?)?;
    let (is_per_block, is_of_part) = (arguments.is_set("per_block")?, of_part(part)?);
    let [all, first_at, last_at, chunks, samples, sample_bytes, block_at] =
        std::array::from_fn(|at| first.len() + at);
    Ok(Box::new(move |rows, watch| {
        let mut work = Work::default();
        let blocks = opened.blocks();
        let groups: Vec<Blocks<'_>> = if is_per_block {
            let each = blocks.iter();
            each.map(|block| Blocks::new(std::slice::from_ref(block), opened.times())).collect()
        } else {
            vec![blocks]
        };
        let times = opened.times().unwrap_or(Interval { min_time: i64::MIN, max_time: i64::MAX });
        for blocks in groups {
            let mut series = blocks.series(&selectors, &mut work)?;
            while let Some(row) = series.next()? {
                watch.check()?;
                let id = id(&row.labels);
                if !is_of_part(id) {
                    continue;
                }
                push(rows, id, &row.labels, &labels);
                if let Some(column) = rows.column(all) {
                    column.map(row.labels.iter().copied());
                }
                let metas = || row.parts.iter().flat_map(|part| &part.chunks);
                if let Some(first) = metas().map(|chunk| chunk.min_time).min() {
                    rows.int(first_at, first);
                }
                if let Some(last) = metas().map(|chunk| chunk.max_time).max() {
                    rows.int(last_at, last);
                }
                rows.count(chunks, metas().count() as u64);
                if rows.wants(samples) {
                    let mut count = 0;
                    for stream in row.streams() {
                        let mut merged = row.samples_of(stream, times)?;
                        while merged.next()?.is_some() {
                            count += 1;
                        }
                    }
                    rows.int(samples, count);
                }
                if rows.wants(sample_bytes) {
                    let mut len = 0;
                    for part in &row.parts {
                        part.block.need_samples()?;
                        for chunk in &part.chunks {
                            let own = part.block.chunk_len(chunk.reference);
                            let path = || part.block.path().to_owned();
                            len +=
                                own.map_err(|source| BlockError::Damaged { path: path(), source })?;
                        }
                    }
                    rows.count(sample_bytes, len);
                }
                if is_per_block && let Some(part) = row.parts.first() {
                    let name = part.block.path().file_name().unwrap_or_default();
                    rows.text(block_at, &name.to_string_lossy());
                }
                if rows.end_row().is_break() {
                    work.series_decoded += series.decoded_count();
                    return Ok(work.fields());
                }
            }
            work.series_decoded += series.decoded_count();
        }
        Ok(work.fields())
    }))
}
