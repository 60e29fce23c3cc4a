//! `blobs.blobs`: entries of index files.

use manicule_core::watch::Watch;
use serde_json::Value as Json;

use super::columns::push_id;
use super::opened::{opened, whole, with_opening};
use super::parts::{range, ranges};
use super::pushed::Tests;
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::blobs::prune::UsedBlobs;
use crate::blobs::{
    Ahead, BlobKind, EntriesCall, FileKind, Id, Index, IndexEntry, PackedBlob, Repository,
};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;

const ID: usize = 0;
const TYPE: usize = 1;
const PACK: usize = 2;
const PACK_OFFSET: usize = 3;
const LENGTH: usize = 4;
const UNCOMPRESSED_LENGTH: usize = 5;
const INDEX: usize = 6;
const IS_USED: usize = 7;

pub(crate) static BLOBS: Table = Table {
    name: "blobs.blobs",
    about: "An entry of an index file of a restic repository: a blob at its place in a pack. A blob of two places is two rows, and so is one that two index files list. Packs that rustic has marked for deletion are left out.",
    arguments: with_opening![],
    order: "index files by their ids, in each as it lists them. Partitions follow each other in it.",
    pushes: &[
        Push { column: "id", tests: "all: other entries are decoded, and not kept" },
        Push { column: "type", tests: "all, as `id`" },
        Push { column: "pack", tests: "all, as `id`" },
    ],
    partition: "index files that follow each other.",
    question: "SELECT f.path FROM (SELECT path, unnest(content) AS id FROM blobs_files('repo')) f\n\
               JOIN blobs_blobs('repo') b USING (id) WHERE b.pack LIKE '34f4%' GROUP BY 1",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split,
    open,
};

static FIELDS: &[Field] = &[
    Field::new("id", Kind::Text, "Its id, the SHA-256 of its plaintext."),
    Field::new("type", Kind::Word, "`data`, `tree`, or `invalid` where the index doesn't say it."),
    Field::new("pack", Kind::Text, "Id of the pack."),
    Field::new("pack_offset", Kind::Int, "Where it begins in the pack."),
    Field::new("length", Kind::Int, "Bytes as they are stored, with what encryption adds."),
    Field::new("uncompressed_length", Kind::Int, "Bytes of the plaintext, where it is compressed.")
        .or_null(),
    Field::new("index", Kind::Word, "Id of the index file."),
    Field::new("is_used", Kind::Boolean, "Whether a snapshot needs it, by all trees.").dear(),
];

fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    Ok(ranges(opened(arguments, Ahead::Nothing)?.files(FileKind::Index)?.len(), wanted))
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let [id, kind, pack] = [ID, TYPE, PACK].map(|at| Tests::of(question, at));
    let (repository, part) = (opened(arguments, Ahead::Nothing)?, part.clone());
    Ok(Box::new(move |rows, watch| {
        let used = if rows.wants(IS_USED) { Some(used(&repository, watch)?) } else { None };
        let files = repository.files(FileKind::Index)?;
        let files = &files[range(&part, files.len())?];
        let call = EntriesCall {
            of_pack: &|own: &Id| pack.admit_id(own),
            of_blob: &|blob: &PackedBlob| kind.admit_text(word(blob)) && id.admit_id(&blob.id),
        };
        let mut file_count = 0;
        repository.entries(files, &call, watch, |file, entries| {
            file_count += 1;
            entries.iter().try_for_each(|entry| {
                push_id(rows, INDEX, &file.id);
                push(rows, entry);
                if let (Some((index, used)), Some(kind)) = (&used, entry.blob.kind) {
                    rows.boolean(IS_USED, used.has(index, kind, &entry.blob.id));
                }
                rows.end_row()
            })
        })?;
        Ok(vec![("index_files", file_count)])
    }))
}

/// The blobs that snapshots need, and the index in which they were looked up.
fn used(repository: &Repository, watch: &Watch<'_>) -> Result<(Index, UsedBlobs), Failure> {
    let snapshots = repository.snapshots(watch)?;
    whole(&snapshots.broken)?;
    let index = repository.index(watch)?;
    let used = repository.used_blobs(&snapshots, &index, watch)?;
    Ok((index, used))
}

fn word(blob: &PackedBlob) -> &'static str {
    blob.kind.map_or("invalid", BlobKind::name)
}

fn push(rows: &mut Rows<'_>, entry: &IndexEntry) {
    let IndexEntry { pack, blob } = entry;
    push_id(rows, ID, &blob.id);
    rows.text(TYPE, word(blob));
    push_id(rows, PACK, pack);
    rows.int(PACK_OFFSET, blob.place.offset.into());
    rows.int(LENGTH, blob.place.len.into());
    if blob.place.is_compressed() {
        rows.int(UNCOMPRESSED_LENGTH, blob.place.raw_len.into());
    }
}
