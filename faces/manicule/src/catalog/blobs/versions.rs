//! `blobs.versions`: paths through time.

use std::collections::{BTreeMap, HashSet};

use manicule_core::go::clean;
use manicule_core::watch::Watch;
use serde_json::Value as Json;

use super::columns::{micros, push_id};
use super::opened::{opened, whole, with_opening};
use super::parts::{range, ranges};
use super::pushed::Tests;
use crate::answer::{Field, Job, Kind, Question, Receipt, Rows};
use crate::blobs::history::{Entry, VersionRow};
use crate::blobs::json::HistoryVersion;
use crate::blobs::{HistoryAsked, Repository};
use crate::catalog::arguments::{Argument, Arguments, Takes};
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;

const FILE: Argument = Argument {
    name: "file",
    takes: Takes::Texts,
    about: "Paths, from `/` on. Without it `path` is asked for by = or IN.",
};

const PATH: usize = 0;
const HOSTNAME: usize = 1;
const VERSION: usize = 2;
const STATE: usize = 3;
/// The first of two ids.
const FIRST_SNAPSHOT: usize = 4;
/// The first of two times.
const FIRST_AT: usize = 6;
const SNAPSHOTS: usize = 8;
const SIZE: usize = 9;
const BLOBS: usize = 10;
const MTIMES: usize = 11;
const NEW_BYTES: usize = 12;
const SHA256: usize = 13;

pub(in crate::catalog) static VERSIONS: Table = Table {
    name: "blobs.versions",
    about: "A version of a path in a restic repository: snapshots of a host after each other in which it has the same content, tree or target, whatever its times. Snapshots that were not made of the path, nor of a folder above it, count for nothing.",
    arguments: with_opening![FILE],
    order: "path as it was given, host, version. Partitions follow each other in it.",
    pushes: &[Push {
        column: "path",
        tests: "all: trees on the way to the other paths are not read",
    }],
    partition: "paths of `file` that follow each other.",
    question: "SELECT path FROM blobs_versions('repo', file => ['/etc/hosts', '/etc/fstab'])\n\
               GROUP BY 1 HAVING count(DISTINCT sha256) > 1",
    fields: |_| Ok(FIELDS.to_vec()),
    split,
    open,
};

static FIELDS: &[Field] = &[
    Field::new("path", Kind::Text, "The path."),
    Field::new("hostname", Kind::Word, "The host."),
    Field::new("version", Kind::Int, "Number of the version of the path on the host, from 1 on."),
    Field::new(
        "state",
        Kind::Word,
        "What it is, such as `file` or `dir`, else `absent`, or `unknown` where a tree can't be read.",
    ),
    Field::new("first_snapshot", Kind::Text, "Id of the first snapshot that has it."),
    Field::new("last_snapshot", Kind::Text, "Id of the last one."),
    Field::new("first_at", Kind::Micros, "When the first one was made."),
    Field::new("last_at", Kind::Micros, "When the last one was made."),
    Field::new("snapshots", Kind::Int, "Number of snapshots."),
    Field::new("size", Kind::Int, "Bytes of a file.").or_null(),
    Field::new("blobs", Kind::Int, "Blobs of a file.").or_null(),
    Field::new("mtimes", Kind::Int, "Number of different times of its last change.").or_null(),
    Field::new(
        "new_bytes",
        Kind::Int,
        "Stored bytes of a file's blobs that no snapshot before reaches.",
    )
    .or_null()
    .dear(),
    Field::new("sha256", Kind::Text, "SHA-256 of a file's content.").or_null().dear(),
];

/// The paths that are asked for, each once.
fn files(arguments: &Arguments, named: Option<Vec<&str>>) -> Result<Vec<String>, Failure> {
    let given: Vec<&str> = arguments.texts(FILE.name).collect();
    if let Some(wrong) = given.iter().find(|file| !file.starts_with('/')) {
        return Err(Failure::asked(format!("argument file: {wrong} doesn't begin with /")));
    }
    let all = if given.is_empty() { named } else { Some(given) };
    let all = all.ok_or_else(|| {
        Failure::asked("blobs.versions needs paths: give the argument file, or path = '...'")
    })?;
    let cleaned = all.into_iter().map(|file| {
        String::from_utf8(clean(file.as_bytes())).expect("a part of UTF-8 between slashes is some")
    });
    let mut met = HashSet::new();
    Ok(cleaned.filter(|file| met.insert(file.clone())).collect())
}

fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    if arguments.text(FILE.name).is_none() {
        return Ok(vec![Json::Null]);
    }
    Ok(ranges(files(arguments, None)?.len(), wanted))
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let tests = Tests::of(question, PATH);
    let mut files = files(arguments, tests.named())?;
    let of_part = range(part, files.len())?;
    files = files.drain(of_part).filter(|file| tests.admit_text(file)).collect();
    let repository = opened(arguments)?;
    Ok(Box::new(move |rows, watch| list(&repository, &files, rows, watch)))
}

fn list(
    repository: &Repository,
    files: &[String],
    rows: &mut Rows<'_>,
    watch: &Watch<'_>,
) -> Result<Receipt, Failure> {
    let snapshots = repository.snapshots(watch)?;
    // Any version may begin or end with one that can't be read.
    whole(&snapshots.broken)?;
    let asked =
        HistoryAsked { new_to_repository: rows.wants(NEW_BYTES), sha256: rows.wants(SHA256) };
    let histories = repository.histories(&snapshots, asked, watch)?;
    let (mut file_count, mut unread) = (0, Vec::new());
    for file in files {
        file_count += 1;
        let mut by_host: BTreeMap<String, Vec<VersionRow>> = BTreeMap::new();
        for row in histories.of(file.as_bytes(), watch)?.versions {
            by_host.entry(row.version.hostname.clone()).or_default().push(row);
        }
        for (number, row) in by_host.values().flat_map(|rows| (1..).zip(rows)) {
            unread.extend(why_unread(row).map(str::to_owned));
            rows.text(PATH, file);
            rows.int(VERSION, number);
            push(rows, &HistoryVersion { row, kept: &snapshots.kept });
            if rows.end_row().is_break() {
                return Ok(vec![("paths", file_count)]);
            }
        }
    }
    whole(&unread)?;
    Ok(vec![("paths", file_count)])
}

/// Why what was asked of a version can't be told.
fn why_unread(row: &VersionRow) -> Option<&str> {
    match (&row.version.entry, &row.sha256) {
        (Entry::Unknown { why }, _) | (_, Some(Err(why))) => Some(why),
        _ => None,
    }
}

fn push(rows: &mut Rows<'_>, of: &HistoryVersion<'_>) {
    let VersionRow { version, new_to_repository, sha256 } = of.row;
    rows.text(HOSTNAME, &version.hostname);
    rows.text(STATE, of.state());
    for (at, kept) in [of.first(), of.last()].into_iter().enumerate() {
        push_id(rows, FIRST_SNAPSHOT + at, &kept.id);
        rows.int(FIRST_AT + at, micros(kept.snapshot.time));
    }
    rows.count(SNAPSHOTS, version.snapshots.len() as u64);
    if let Entry::Is(_) = version.entry {
        rows.count(MTIMES, version.mtime_count as u64);
    }
    if let Some(file) = of.file() {
        rows.count(SIZE, file.size);
        rows.count(BLOBS, file.content.len() as u64);
        if let Some((_, bytes)) = new_to_repository {
            rows.count(NEW_BYTES, *bytes);
        }
    }
    if let Some(Ok(hash)) = sha256 {
        push_id(rows, SHA256, hash);
    }
}
