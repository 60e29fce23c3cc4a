//! `files`: files that a search looks into as text.

use std::fs::{self, Metadata};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use serde_json::Value as Json;

use super::arguments::{GLOBS, HIDDEN, NO_IGNORE, TYPES, listed};
use super::types::FileTypes;
use crate::answer::{Field, Job, Kind, Question, Rows};
use crate::cache::Cache;
use crate::catalog::arguments::Arguments;
use crate::catalog::table::Table;
use crate::failure::Failure;
use crate::find::{ListedFile, files};

pub(crate) static FILES: Table = Table {
    name: "files",
    about: "A file that a search looks into as text, unless an index rules it out.",
    arguments: &[HIDDEN, NO_IGNORE, TYPES, GLOBS],
    order: "path, as they are given and in folders by name.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT f.path FROM files('/srv') f LEFT ANTI JOIN blobs_files('repo', snapshots => 'latest') b\n  \
               ON b.path = f.path AND b.size = f.size AND b.mtime = f.mtime",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: |_, _| Ok(vec![Json::Null]),
    open,
};

const PATH: usize = 0;
const NAME: usize = 2;
const EXTENSION: usize = 3;
const SIZE: usize = 4;
const MTIME: usize = 5;
const MODE: usize = 6;
const FILE_TYPES: usize = 7;
const IS_INDEXED: usize = 8;

static FIELDS: &[Field] = &[
    Field::new(
        "path",
        Kind::Text,
        "Path, below the given one; U+FFFD stands for bytes that are not UTF-8.",
    ),
    Field::new("path_bytes", Kind::Bytes, "The path, where it is not UTF-8.").or_null(),
    Field::new("name", Kind::Text, "Its last part."),
    Field::new(
        "extension",
        Kind::Word,
        "What follows the last dot of the name, if that isn't its first character.",
    )
    .or_null(),
    Field::new("size", Kind::Int, "Length in bytes."),
    Field::new("mtime", Kind::Micros, "Time of the last change."),
    Field::new("mode", Kind::Int, "Permissions, and the kind of file: `st_mode`."),
    Field::new("types", Kind::TEXTS, "File types of ripgrep's, by its name."),
    Field::new(
        "is_indexed",
        Kind::Boolean,
        "Whether the path that was given lies in a tree with a kept index.",
    ),
];

fn open(arguments: &Arguments, _: &Json, _: &mut Question) -> Result<Job, Failure> {
    let call = listed(arguments)?;
    Ok(Box::new(move |rows, watch| {
        let types = rows.wants(FILE_TYPES).then(FileTypes::new).transpose()?;
        let indexed = if rows.wants(IS_INDEXED) { indexed(&call.paths) } else { Vec::new() };
        let (mut failed, mut count) = (None, 0);
        files(&call, watch, &mut |listed| {
            let path = match listed {
                ListedFile::File(path) => path,
                ListedFile::Failure(failure) => {
                    failed = Some(failure);
                    return ControlFlow::Break(());
                }
            };
            count += 1;
            push(rows, path, types.as_ref(), &indexed).unwrap_or_else(|failure| {
                failed = Some(failure);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(vec![("files", count)]), Err)
    }))
}

/// The given paths that lie in trees with a kept index.
fn indexed(paths: &[PathBuf]) -> Vec<PathBuf> {
    let cache = Cache::of_user();
    let folder = cache.as_ref().map(|cache| &*cache.folder);
    let has_index = |path: &&PathBuf| manicule_code::tree::is_indexed(folder, path);
    paths.iter().filter(has_index).cloned().collect()
}

fn push(
    rows: &mut Rows<'_>,
    path: &Path,
    types: Option<&FileTypes>,
    indexed: &[PathBuf],
) -> Result<ControlFlow<()>, Failure> {
    if [SIZE, MTIME, MODE].into_iter().any(|at| rows.wants(at)) {
        match fs::metadata(path) {
            Ok(meta) => push_meta(rows, &meta),
            // It went after its folder was read: as if it had gone before.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ControlFlow::Continue(()));
            }
            Err(error) => {
                let text = format!("{}: {error}", path.display());
                return Err(Failure::new(ErrorClass::of_io(&error), text));
            }
        }
    }
    rows.name(PATH, path.as_os_str().as_bytes());
    for (at, part) in [(NAME, path.file_name()), (EXTENSION, path.extension())] {
        if let (Some(column), Some(part)) = (rows.column(at), part) {
            column.lossy(part.as_bytes());
        }
    }
    if let (Some(column), Some(types)) = (rows.column(FILE_TYPES), types) {
        column.texts(types.of(path));
    }
    rows.boolean(IS_INDEXED, indexed.iter().any(|given| path.starts_with(given)));
    Ok(rows.end_row())
}

fn push_meta(rows: &mut Rows<'_>, meta: &Metadata) {
    rows.count(SIZE, meta.size());
    rows.int(
        MTIME,
        meta.mtime().saturating_mul(1_000_000).saturating_add(meta.mtime_nsec() / 1000),
    );
    rows.int(MODE, i64::from(meta.mode()));
}
