//! `series.samples`: samples.

use serde_json::Value as Json;

use super::columns::{first, id, push};
use super::opened::{END, LABEL_COLUMNS, SELECTOR, START, opened, times};
use super::selected::narrow;
use super::series::{by_id, of_part, selected};
use crate::answer::{Column, Field, Held, Job, Kind, Question};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;
use crate::series::dump::{HistogramNumbers, histogram_numbers};
use crate::series::query::Work;
use manicule_series::{Interval, Value};

static BUCKET: [Field; 3] = [
    Field::new("lower", Kind::Float, ""),
    Field::new("upper", Kind::Float, ""),
    Field::new("count", Kind::Float, ""),
];

static BUCKET_ITEM: Field = Field::new("item", Kind::Struct(Held::Static(&BUCKET)), "").or_null();

static BOUND_ITEM: Field = Field::new("item", Kind::Float, "").or_null();

static HISTOGRAM: &[Field] = &[
    Field::new("count", Kind::Float, ""),
    Field::new("sum", Kind::Float, ""),
    Field::new("schema", Kind::Int, ""),
    Field::new("zero_threshold", Kind::Float, ""),
    Field::new("zero_count", Kind::Float, ""),
    Field::new("counter_reset", Kind::Text, ""),
    Field::new("custom_bounds", Kind::List(Held::Static(&BOUND_ITEM)), "").or_null(),
    Field::new("buckets", Kind::List(Held::Static(&BUCKET_ITEM)), ""),
];

pub(crate) static SAMPLES: Table = Table {
    name: "series.samples",
    about: "A sample of Prometheus blocks: blocks are merged, what tombstones delete is left out. Of downsampled blocks a point of an aggregate.",
    arguments: &[SELECTOR, START, END, LABEL_COLUMNS],
    order: "labels, resolution, aggregate, time.",
    pushes: &[
        Push {
            column: "metric",
            tests: "and columns of labels: =, <>, IN, LIKE, IS NULL, by posting lists",
        },
        Push {
            column: "timestamp",
            tests: "=, <, <=, >, >=, BETWEEN: blocks and chunks of other times are not read",
        },
    ],
    partition: "series whose id is k modulo n: each part reads the labels of all.",
    question: "SELECT d.name, avg(s.value) FROM series_samples('data', 'node_load1', labels => ['instance']) s\n\
               JOIN rows('ks/deploys') d ON s.instance = d.host\n  \
               AND s.timestamp BETWEEN d.at AND d.at + INTERVAL '10 minutes' GROUP BY 1",
    by_data: &[],
    fields,
    split: by_id,
    open,
};

fn fields(arguments: &Arguments) -> Result<Vec<Field>, Failure> {
    let (mut fields, _) = first(arguments);
    fields.extend([
        Field::new("timestamp", Kind::Millis, "Its time."),
        Field::new("value", Kind::Float, "The value of a float sample.").or_null(),
        Field::new(
            "is_stale",
            Kind::Boolean,
            "Whether it says that the series has ended: its value is not a number then.",
        ),
        Field::new(
            "histogram",
            Kind::Struct(Held::Static(HISTOGRAM)),
            "A native histogram: counts are absolute, bounds rise, empty buckets are left out.",
        )
        .or_null(),
        Field::new("start_at", Kind::Millis, "Time at which the counter began.").or_null(),
        Field::new(
            "aggregate",
            Kind::Word,
            "Of a downsampled block: count, sum, min, max or counter, of the samples up to this time.",
        )
        .or_null(),
        Field::new("resolution", Kind::Int, "Milliseconds between the points of such a block.")
            .or_null(),
        Field::new("labels", Kind::TEXT_MAP, "All labels, by name.").dear(),
    ]);
    Ok(fields)
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let (first, labels) = first(arguments);
    let selectors = selected(arguments, question, &labels)?;
    let [timestamp, value, is_stale, histogram, start_at, aggregate, resolution, all] =
        std::array::from_fn(|at| first.len() + at);
    let mut within =
        times(arguments)?.unwrap_or(Interval { min_time: i64::MIN, max_time: i64::MAX });
    question.push(timestamp, |test| narrow(&mut within, test));
    let is_none = within.max_time < within.min_time;
    let opened = opened(arguments, Some(within).filter(|_| !is_none))?;
    let is_of_part = of_part(part)?;
    Ok(Box::new(move |rows, watch| {
        let mut work = Work::default();
        if is_none {
            return Ok(work.fields());
        }
        let mut series = opened.blocks().series(&selectors, &mut work)?;
        while let Some(row) = series.next()? {
            watch.check()?;
            let id = id(&row.labels);
            if !is_of_part(id) {
                continue;
            }
            for stream in row.streams() {
                let mut samples = row.samples_of(stream, within)?;
                while let Some(sample) = samples.next()? {
                    push(rows, id, &row.labels, &labels);
                    rows.int(timestamp, sample.time);
                    rows.boolean(is_stale, sample.value.is_stale());
                    if let Value::Float(float) = &sample.value {
                        rows.float(value, *float);
                    }
                    if let Some(column) = rows.column(histogram)
                        && let Some(numbers) = histogram_numbers(&sample.value)
                    {
                        push_histogram(column, &numbers);
                    }
                    if sample.start_time != 0 {
                        rows.int(start_at, sample.start_time);
                    }
                    if let Some(stream) = stream {
                        rows.text(aggregate, stream.aggregate.name());
                        rows.int(resolution, stream.resolution);
                    }
                    if let Some(column) = rows.column(all) {
                        column.map(row.labels.iter().copied());
                    }
                    if rows.end_row().is_break() {
                        work.series_decoded += series.decoded_count();
                        return Ok(work.fields());
                    }
                }
            }
        }
        work.series_decoded += series.decoded_count();
        Ok(work.fields())
    }))
}

fn push_histogram(column: &mut Column, numbers: &HistogramNumbers) {
    column.parts(|parts| {
        let [count, sum, schema, threshold, zero, reset, bounds, buckets] = parts else {
            unreachable!("as many parts as HISTOGRAM has")
        };
        count.float(numbers.count);
        sum.float(numbers.sum);
        schema.int(numbers.schema.into());
        threshold.float(numbers.zero_threshold);
        zero.float(numbers.zero_count);
        reset.text(numbers.reset);
        match &numbers.custom_bounds[..] {
            [] => bounds.null(),
            custom => bounds.list(|items| custom.iter().for_each(|bound| items.float(*bound))),
        }
        buckets.list(|items| {
            for (lower, upper, count) in &numbers.buckets {
                items.parts(|parts| {
                    parts
                        .iter_mut()
                        .zip([lower, upper, count])
                        .for_each(|(it, own)| it.float(*own));
                });
            }
        });
    });
}
