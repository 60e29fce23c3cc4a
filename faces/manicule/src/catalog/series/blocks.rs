//! `series.blocks`: blocks.

use serde_json::Value as Json;

use crate::answer::{Field, Job, Kind, Question};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::failure::Failure;
use crate::series::summarise;
use manicule_series::{BlockFacts, Meta};

pub(crate) static BLOCKS: Table = Table {
    name: "series.blocks",
    about: "A Prometheus block of a data folder, by its meta.json, the head of its index (not read at addresses) and the lengths of its files.",
    arguments: &[],
    order: "min_time.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT a.block, b.block FROM series_blocks('data') a JOIN series_blocks('data') b\n  \
               ON a.block < b.block AND a.min_time < b.max_time AND b.min_time < a.max_time",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

static FIELDS: &[Field] = &[
    Field::new("block", Kind::Text, "Its name, a ULID."),
    Field::new("path", Kind::Text, "Its folder."),
    Field::new("min_time", Kind::Millis, "Its first time.").or_null(),
    Field::new("max_time", Kind::Millis, "The time after its last one.").or_null(),
    Field::new("series", Kind::Int, "Series in its index; at an address by meta.json.").or_null(),
    Field::new("chunks", Kind::Int, "Chunks, by meta.json.").or_null(),
    Field::new("samples", Kind::Int, "Samples, by meta.json.").or_null(),
    Field::new("float_samples", Kind::Int, "Samples that are doubles, by meta.json.").or_null(),
    Field::new("histogram_samples", Kind::Int, "Samples that are histograms, by meta.json.")
        .or_null(),
    Field::new("tombstones", Kind::Int, "Intervals that are deleted.").or_null(),
    Field::new("level", Kind::Int, "How many times it was compacted; 1 is straight from the head.")
        .or_null(),
    Field::new("sources", Kind::TEXTS, "Names of the blocks that it is of.").or_null(),
    Field::new(
        "external_labels",
        Kind::TEXT_MAP,
        "Labels that Thanos has added to all its series.",
    )
    .or_null(),
    Field::new("index_bytes", Kind::Int, "Length of its index.").or_null(),
    Field::new("chunk_bytes", Kind::Int, "Length of its files of chunks.").or_null(),
    Field::new("error", Kind::Text, "Why it can't be read.").or_null(),
];

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let mut all = Vec::new();
    for path in &arguments.paths {
        all.extend(summarise(path)?);
    }
    Ok(Box::new(move |rows, _| {
        let count = all.len() as u64;
        for one in all {
            let name = one.path.file_name().unwrap_or_default().to_string_lossy();
            rows.text(0, &name);
            rows.text(1, &one.path.to_string_lossy());
            match &one.block {
                Ok(block) => push(rows, block),
                Err(error) => rows.text(15, &error.to_string()),
            }
            if rows.end_row().is_break() {
                break;
            }
        }
        Ok(vec![("blocks", count)])
    }))
}

fn push(rows: &mut crate::answer::Rows<'_>, block: &BlockFacts) {
    if let Some(meta) = &block.meta {
        push_meta(rows, meta);
    }
    rows.count(4, block.series_count);
    rows.count(9, block.tombstone_count);
    rows.count(13, block.index_len);
    rows.count(14, block.chunk_len);
}

fn push_meta(rows: &mut crate::answer::Rows<'_>, meta: &Meta) {
    rows.int(2, meta.min_time);
    rows.int(3, meta.max_time);
    let stats = &meta.stats;
    let counts =
        [stats.num_chunks, stats.num_samples, stats.num_float_samples, stats.num_histogram_samples];
    (5..).zip(counts).for_each(|(at, count)| rows.count(at, count));
    rows.int(10, meta.compaction.level);
    if let Some(column) = rows.column(11) {
        column.texts(&meta.compaction.sources);
    }
    let labels = meta.rest.get("thanos").and_then(|thanos| thanos["labels"].as_object());
    if let (Some(labels), Some(column)) = (labels, rows.column(12)) {
        let pairs = labels
            .iter()
            .filter_map(|(name, value)| Some((name.as_bytes(), value.as_str()?.as_bytes())));
        column.map(pairs);
    }
}
