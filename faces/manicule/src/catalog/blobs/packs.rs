//! `blobs.packs`: packs.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::columns::push_id;
use super::opened::{opened, with_opening};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::blobs::prune::{PackRow, PruneOptions, UsageError};
use crate::blobs::{Ahead, BlobKind, FileKind, Id, Index, Listed, PackKind};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::table::Table;
use crate::failure::Failure;

const MAX_UNUSED: Argument = Argument {
    name: "max_unused",
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "Unused bytes that a prune tolerates: a share such as `5%`, a number, or `unlimited`. Default: `5%`.",
};
const MAX_REPACK_SIZE: Argument = Argument {
    name: "max_repack_size",
    takes: Takes::Number,
    concerns: Concerns::Question,
    about: "Maximum bytes of packs that it repacks. Default: no maximum.",
};
const REPACK_CACHEABLE_ONLY: Argument = Argument {
    name: "repack_cacheable_only",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether it repacks packs of trees only. Default: false.",
};
const REPACK_UNCOMPRESSED: Argument = Argument {
    name: "repack_uncompressed",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether it repacks packs with blobs that are not compressed. Default: false.",
};
const REPACK_SMALLER_THAN: Argument = Argument {
    name: "repack_smaller_than",
    takes: Takes::Number,
    concerns: Concerns::Question,
    about: "Bytes below which a pack is small. Default: 80 % of the size below which 3 % of all packs are, or of 4 MiB if that is more.",
};

pub(crate) static PACKS: Table = Table {
    name: "blobs.packs",
    about: "A pack of a restic repository: those of the index, and files that no index file names.",
    arguments: with_opening![
        MAX_UNUSED,
        MAX_REPACK_SIZE,
        REPACK_CACHEABLE_ONLY,
        REPACK_UNCOMPRESSED,
        REPACK_SMALLER_THAN,
    ],
    order: "id.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT fate, count(*), sum(unused_bytes) FROM blobs_packs('repo') GROUP BY 1",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const ID: usize = 0;
const TYPE: usize = 1;
const SIZE: usize = 2;
const BLOBS: usize = 3;
/// The first of five counts of a plan.
const USED_BLOBS: usize = 4;
const FATE: usize = 9;

static FIELDS: &[Field] = &[
    Field::new("id", Kind::Text, "Its id, the SHA-256 of its file."),
    Field::new(
        "type",
        Kind::Word,
        "`data`, `tree`, or `mixed`; lacks where no index file names it.",
    )
    .or_null(),
    Field::new("size", Kind::Int, "Bytes of its file; lacks where there is none.").or_null(),
    Field::new("blobs", Kind::Int, "Blobs in it, by the index."),
    Field::new("used_blobs", Kind::Int, "Blobs that snapshots need, and that are used from here.")
        .dear(),
    Field::new("used_bytes", Kind::Int, "Stored bytes of these.").dear(),
    Field::new("unused_blobs", Kind::Int, "The other blobs.").dear(),
    Field::new(
        "unused_bytes",
        Kind::Int,
        "Stored bytes of these; of a file that no index file names, all of its bytes.",
    )
    .dear(),
    Field::new(
        "duplicate_bytes",
        Kind::Int,
        "Of the unused bytes those of blobs that are used from another pack.",
    )
    .dear(),
    Field::new(
        "fate",
        Kind::Word,
        "What `restic prune` would do with it: `keep`, `repack`, `remove`, `forget` (there is no file, and the index names it), `unreferenced` (removed, as no index file names it).",
    )
    .dear(),
];

/// What is asked of a prune, in a repository of a version.
fn options(arguments: &Arguments, version: u32) -> Result<PruneOptions, Failure> {
    let default = PruneOptions::of_restic(version);
    let unused_max = arguments.text(MAX_UNUSED.name).map(str::parse).transpose();
    let unused_max = unused_max.map_err(|why: UsageError| {
        Failure::asked(format!("argument {}: {why}", MAX_UNUSED.name))
    })?;
    Ok(PruneOptions {
        unused_max: unused_max.unwrap_or(default.unused_max),
        repack_bytes_max: arguments.count(MAX_REPACK_SIZE.name)?,
        only_trees: arguments.is_set(REPACK_CACHEABLE_ONLY.name)?,
        uncompressed: arguments.is_set(REPACK_UNCOMPRESSED.name)?,
        small_below: arguments.count(REPACK_SMALLER_THAN.name)?,
        ..default
    })
}

/// A pack that is listed.
struct Row {
    id: Id,
    size: Option<u64>,
    /// Its number in the index.
    number: Option<usize>,
}

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let repository = opened(arguments, Ahead::Index)?;
    let options = options(arguments, repository.version())?;
    Ok(Box::new(move |rows, watch| {
        let is_planned = (USED_BLOBS..=FATE).any(|at| rows.wants(at));
        // Before the index: then every blob that a snapshot needs is in it.
        let snapshots = if is_planned { Some(repository.snapshots(watch)?) } else { None };
        let index = repository.index(watch)?;
        let plan = |snapshots| repository.plan_prune(snapshots, &index, &options, watch);
        let plan = snapshots.as_ref().map(plan).transpose()?;
        let kinds = if rows.wants(TYPE) { index.pack_kinds() } else { Vec::new() };
        index.check_cache().map_err(crate::blobs::Error::Repo)?;
        let mut count = 0;
        for row in &listed(&index, &repository.files(FileKind::Pack)?) {
            count += 1;
            push(rows, row, &index);
            if let Some(word) = row.number.and_then(|number| word(*kinds.get(number)?)) {
                rows.text(TYPE, word);
            }
            match (&plan, row.number) {
                (Some(plan), Some(number)) => push_plan(rows, &plan.packs[number]),
                (Some(_), None) => push_unreferenced(rows, row.size),
                (None, _) => {}
            }
            if rows.end_row().is_break() {
                break;
            }
        }
        Ok(vec![("packs", count)])
    }))
}

/// Packs of the index, and files that are none of it, ordered by id.
fn listed(index: &Index, files: &[Listed]) -> Vec<Row> {
    let sizes: HashMap<Id, u64> = files.iter().map(|file| (file.id, file.len)).collect();
    let of_index = index.packs().iter().enumerate().map(|(number, pack)| {
        let size = sizes.get(&pack.id).copied();
        Row { id: pack.id, size, number: Some(number) }
    });
    let others = files.iter().filter(|file| index.find_pack(&file.id).is_none());
    let others = others.map(|file| Row { id: file.id, size: Some(file.len), number: None });
    let mut all: Vec<Row> = of_index.chain(others).collect();
    all.sort_unstable_by_key(|row| row.id);
    all
}

fn word(kind: PackKind) -> Option<&'static str> {
    match kind {
        PackKind::Empty => None,
        PackKind::Of(kind) => Some(BlobKind::name(kind)),
        PackKind::Mixed => Some("mixed"),
    }
}

fn push(rows: &mut Rows<'_>, row: &Row, index: &Index) {
    push_id(rows, ID, &row.id);
    if let Some(size) = row.size {
        rows.count(SIZE, size);
    }
    rows.int(BLOBS, row.number.map_or(0, |number| index.packs()[number].blob_count.into()));
}

fn push_plan(rows: &mut Rows<'_>, row: &PackRow) {
    let PackRow { used_blobs, used_bytes, unused, duplicate_bytes, fate, .. } = *row;
    let counts = [used_blobs, used_bytes, unused.blobs, unused.bytes, duplicate_bytes];
    (USED_BLOBS..).zip(counts).for_each(|(at, count)| rows.count(at, count));
    rows.text(FATE, fate.word());
}

/// Pushes what a prune finds of a file that no index file names: all of it goes.
fn push_unreferenced(rows: &mut Rows<'_>, size: Option<u64>) {
    let counts = [0, 0, 0, size.unwrap_or(0), 0];
    (USED_BLOBS..).zip(counts).for_each(|(at, count)| rows.count(at, count));
    rows.text(FATE, "unreferenced");
}
