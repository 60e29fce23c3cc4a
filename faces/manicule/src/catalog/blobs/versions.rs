//! `blobs.versions`: paths through time.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

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
use crate::blobs::paths::{PathsCall, PathsCounts};
use crate::blobs::{Ahead, HistoryAsked, Repository, Snapshots};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::table::{Push, Table};
use crate::failure::Failure;

const FILE: Argument = Argument {
    name: "file",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Paths, from `/` on. Default: those that `path` is asked for by = or IN, or all paths of all snapshots, which takes reading all trees.",
};

const PATH: usize = 0;
const HOSTNAME: usize = 2;
const VERSION: usize = 3;
const STATE: usize = 4;
/// The first of two ids.
const FIRST_SNAPSHOT: usize = 5;
/// The first of two times.
const FIRST_AT: usize = 7;
const SNAPSHOTS: usize = 9;
const SIZE: usize = 10;
const BLOBS: usize = 11;
const MTIMES: usize = 12;
const NEW_BYTES: usize = 13;
const SHA256: usize = 14;

pub(crate) static VERSIONS: Table = Table {
    name: "blobs.versions",
    about: "A version of a path in a restic repository: snapshots of a host after each other in which it has the same content, tree or target, whatever its times. Snapshots that were not made of the path, nor of a folder above it, count for nothing.",
    arguments: with_opening![FILE],
    order: "path, as it was given or a folder before what it holds; host, version. Partitions follow each other in it.",
    pushes: &[Push { column: "path", tests: "all: other paths are not looked up" }],
    partition: "paths of `file` that follow each other; all of it where there are none.",
    question: "SELECT path FROM blobs_versions('repo') WHERE path LIKE '/etc/%.conf'\n\
               GROUP BY 1 HAVING count(DISTINCT sha256) > 1",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split,
    open,
};

static FIELDS: &[Field] = &[
    Field::new("path", Kind::Text, "The path; U+FFFD stands for bytes that are not UTF-8."),
    Field::new("path_bytes", Kind::Bytes, "The path, where it is not UTF-8.").or_null(),
    Field::new("hostname", Kind::Word, "The host."),
    Field::new("version", Kind::Int, "Number of the version of the path on the host, from 1 on."),
    Field::new(
        "state",
        Kind::Word,
        "What it is, such as `file` or `dir`; `absent` where a snapshot has no such path.",
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

/// The paths of the argument, cleaned, each once; nothing where there is none.
fn given(arguments: &Arguments) -> Result<Option<Vec<Vec<u8>>>, Failure> {
    let mut files = arguments.texts(FILE.name).peekable();
    if files.peek().is_none() {
        return Ok(None);
    }
    let (mut met, mut all) = (HashSet::new(), Vec::new());
    for file in files {
        if !file.starts_with('/') {
            return Err(Failure::asked(format!("argument file: {file} doesn't begin with /")));
        }
        let file = clean(file.as_bytes());
        if met.insert(file.clone()) {
            all.push(file);
        }
    }
    Ok(Some(all))
}

fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    Ok(match given(arguments)? {
        Some(files) => ranges(files.len(), wanted),
        None => vec![Json::Null],
    })
}

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let tests = Tests::of(question, PATH);
    let given = match given(arguments)? {
        Some(mut files) => Some(files.drain(range(part, files.len())?).collect()),
        None => None,
    };
    let asked = AskedPaths { given, tests };
    let repository = opened(arguments, Ahead::Index)?;
    Ok(Box::new(move |rows, watch| list(&repository, &asked, rows, watch)))
}

/// Which paths are asked for.
struct AskedPaths {
    given: Option<Vec<Vec<u8>>>,
    tests: Tests,
}

impl AskedPaths {
    fn admits(&self, path: &[u8]) -> bool {
        !self.tests.is_any() || self.tests.admit_text(&String::from_utf8_lossy(path))
    }

    fn list(
        &self,
        repository: &Repository,
        snapshots: &Snapshots,
        watch: &Watch<'_>,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let mut files = match (&self.given, self.tests.named()) {
            (Some(given), _) => given.clone(),
            (None, Some(named)) => in_order(&named),
            (None, None) => return self.search(repository, snapshots, watch),
        };
        files.retain(|path| path.starts_with(b"/") && self.admits(path));
        Ok(files)
    }

    /// The paths of all snapshots.
    fn search(
        &self,
        repository: &Repository,
        snapshots: &Snapshots,
        watch: &Watch<'_>,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let call = PathsCall { is_match: &|_| true, with_paths: false, is_inverted: false };
        let (mut files, mut counts) = (Vec::new(), PathsCounts::default());
        let gaps = repository.paths(snapshots, &call, &mut counts, watch, |row| {
            if self.admits(row.path) {
                files.push(row.path.to_vec());
            }
            ControlFlow::Continue(())
        })?;
        whole(&gaps)?;
        Ok(files)
    }
}

/// Paths, each once, a folder before what it holds.
fn in_order(named: &[&str]) -> Vec<Vec<u8>> {
    let mut paths: Vec<&str> = named.to_vec();
    paths.sort_unstable_by(|one, other| one.split('/').cmp(other.split('/')));
    paths.dedup();
    paths.into_iter().map(|path| path.as_bytes().to_vec()).collect()
}

fn list(
    repository: &Repository,
    asked: &AskedPaths,
    rows: &mut Rows<'_>,
    watch: &Watch<'_>,
) -> Result<Receipt, Failure> {
    let snapshots = repository.snapshots(watch)?;
    // Any version may begin or end with one that can't be read.
    whole(&snapshots.broken)?;
    let dear =
        HistoryAsked { new_to_repository: rows.wants(NEW_BYTES), sha256: rows.wants(SHA256) };
    let histories = repository.histories(&snapshots, dear, watch)?;
    let (mut path_count, mut unread) = (0, Vec::new());
    'paths: for path in asked.list(repository, &snapshots, watch)? {
        path_count += 1;
        let versions = histories.of(&path, watch)?.versions;
        let is_nowhere = versions.iter().all(|row| row.version.entry == Entry::Absent);
        if is_nowhere && asked.given.is_none() {
            // It is none of the paths of all snapshots.
            continue;
        }
        let unknown = unread.len();
        unread.extend(versions.iter().filter_map(why_unknown));
        if unread.len() > unknown {
            // Any version may begin or end with what is unknown.
            continue;
        }
        for (number, row) in numbered(&versions) {
            if let Some(Err(why)) = &row.sha256 {
                unread.push(why.clone());
                continue;
            }
            rows.name(PATH, &path);
            rows.int(VERSION, number);
            push(rows, &HistoryVersion { row, kept: &snapshots.kept });
            if rows.end_row().is_break() {
                break 'paths;
            }
        }
    }
    whole(&unread)?;
    Ok(vec![("paths", path_count)])
}

/// Versions by their hosts, those of each numbered from 1 on.
fn numbered(versions: &[VersionRow]) -> impl Iterator<Item = (i64, &VersionRow)> {
    let mut by_host: BTreeMap<&str, Vec<&VersionRow>> = BTreeMap::new();
    for row in versions {
        by_host.entry(&row.version.hostname).or_default().push(row);
    }
    by_host.into_values().flat_map(|rows| (1..).zip(rows))
}

/// Why nobody knows what a path is in some snapshots.
fn why_unknown(row: &VersionRow) -> Option<String> {
    match &row.version.entry {
        Entry::Unknown { why } => Some(why.clone()),
        Entry::Absent | Entry::Is(_) => None,
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
