//! `blobs.snapshots`: snapshots.

use serde_json::Value as Json;

use super::columns::{micros, push_id, push_text};
use super::opened::{opened, whole, with_opening};
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::blobs::{Ahead, Kept, Summary};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::failure::Failure;

pub(crate) static SNAPSHOTS: Table = Table {
    name: "blobs.snapshots",
    about: "A snapshot of a restic repository, with what its backup has counted.",
    arguments: with_opening![],
    order: "time, id.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT hostname, date_trunc('month', time), sum(data_added_packed)\n\
               FROM blobs_snapshots('repo') GROUP BY 1, 2",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const ID: usize = 0;
const TIME: usize = 1;
/// The first of three ids of others.
const PARENT: usize = 2;
/// The first of three lists.
const PATHS: usize = 5;
const HOSTNAME: usize = 8;
const USERNAME: usize = 9;
const UID: usize = 10;
const GID: usize = 11;
const PROGRAM_VERSION: usize = 12;
/// The first of two times.
const BACKUP_START: usize = 13;
/// The first of twelve counts.
const FILES_NEW: usize = 15;

static FIELDS: &[Field] = &[
    Field::new("id", Kind::Text, "Its id, the SHA-256 of its file."),
    Field::new("time", Kind::Micros, "When it was made."),
    Field::new("parent", Kind::Text, "The snapshot that its unchanged files were taken from.")
        .or_null(),
    Field::new("tree", Kind::Text, "Its root.").or_null(),
    Field::new("original", Kind::Text, "The snapshot that this one was changed from.").or_null(),
    Field::new("paths", Kind::TEXTS, "What was backed up, as absolute paths."),
    Field::new("tags", Kind::TEXTS, "Its tags."),
    Field::new("excludes", Kind::TEXTS, "Patterns of paths that were left out."),
    Field::new("hostname", Kind::Word, "Where it was made."),
    Field::new("username", Kind::Word, "By whom.").or_null(),
    Field::new("uid", Kind::Int, "Number of that user."),
    Field::new("gid", Kind::Int, "Number of that user's group."),
    Field::new("program_version", Kind::Word, "The program that wrote it.").or_null(),
    Field::new("backup_start", Kind::Micros, "When the backup began.").or_null(),
    Field::new("backup_end", Kind::Micros, "When it ended.").or_null(),
    Field::new("files_new", Kind::Int, "Files that the parent doesn't have.").or_null(),
    Field::new("files_changed", Kind::Int, "Files that differ from the parent's.").or_null(),
    Field::new("files_unmodified", Kind::Int, "Files that are as in the parent.").or_null(),
    Field::new("dirs_new", Kind::Int, "Folders that the parent doesn't have.").or_null(),
    Field::new("dirs_changed", Kind::Int, "Folders that differ from the parent's.").or_null(),
    Field::new("dirs_unmodified", Kind::Int, "Folders that are as in the parent.").or_null(),
    Field::new("data_blobs", Kind::Int, "Data blobs that were added.").or_null(),
    Field::new("tree_blobs", Kind::Int, "Trees that were added.").or_null(),
    Field::new("data_added", Kind::Int, "Bytes that were added, before compression.").or_null(),
    Field::new("data_added_packed", Kind::Int, "Bytes that were added, as they are stored.")
        .or_null(),
    Field::new("total_files_processed", Kind::Int, "Files in all.").or_null(),
    Field::new("total_bytes_processed", Kind::Int, "Bytes of these files.").or_null(),
];

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let repository = opened(arguments, Ahead::Snapshots)?;
    Ok(Box::new(move |rows, watch| {
        let snapshots = repository.snapshots(watch)?;
        let receipt = vec![("snapshots", snapshots.kept.len() as u64)];
        for kept in &snapshots.kept {
            push(rows, kept);
            if rows.end_row().is_break() {
                break;
            }
        }
        whole(&snapshots.broken)?;
        Ok(receipt)
    }))
}

fn push(rows: &mut Rows<'_>, kept: &Kept) {
    let snapshot = &kept.snapshot;
    push_id(rows, ID, &kept.id);
    rows.int(TIME, micros(snapshot.time));
    for (at, id) in (PARENT..).zip([snapshot.parent, snapshot.tree, snapshot.original]) {
        if let Some(id) = id {
            push_id(rows, at, &id);
        }
    }
    for (at, texts) in (PATHS..).zip([snapshot.paths(), &snapshot.tags, &snapshot.excludes]) {
        if let Some(column) = rows.column(at) {
            column.texts(texts);
        }
    }
    rows.text(HOSTNAME, &snapshot.hostname);
    push_text(rows, USERNAME, &snapshot.username);
    rows.int(UID, snapshot.uid.into());
    rows.int(GID, snapshot.gid.into());
    push_text(rows, PROGRAM_VERSION, &snapshot.program_version);
    if let Some(summary) = &snapshot.summary {
        push_summary(rows, summary);
    }
}

fn push_summary(rows: &mut Rows<'_>, summary: &Summary) {
    let times = [summary.backup_start, summary.backup_end];
    (BACKUP_START..).zip(times).for_each(|(at, time)| rows.int(at, micros(time)));
    let counts = [
        summary.files_new,
        summary.files_changed,
        summary.files_unmodified,
        summary.dirs_new,
        summary.dirs_changed,
        summary.dirs_unmodified,
        // Negative in no sound snapshot.
        summary.data_blobs.cast_unsigned(),
        summary.tree_blobs.cast_unsigned(),
        summary.data_added,
        summary.data_added_packed,
        summary.total_files_processed,
        summary.total_bytes_processed,
    ];
    (FILES_NEW..).zip(counts).for_each(|(at, count)| rows.count(at, count));
}
