//! Columns that tables of documents have first.

use crate::answer::{Field, Kind, Rows};
use crate::catalog::table::Push;
use crate::code::shards::find::Document;

pub(super) const REPOSITORY: usize = 0;
const PATH: usize = 1;
const LANGUAGE: usize = 3;

/// Number of the columns that all tables of documents have.
pub(super) const FIRST_COUNT: usize = 4;

/// Fields of these columns.
pub(super) const FIRST: [Field; FIRST_COUNT] = [
    Field::new("repository", Kind::Word, "Name of the repository."),
    Field::new("path", Kind::Text, "Path in it; U+FFFD stands for bytes that are not UTF-8."),
    Field::new("path_bytes", Kind::Bytes, "The path, where it is not UTF-8.").or_null(),
    Field::new("language", Kind::Word, "Language, as zoekt has it.").or_null(),
];

pub(super) const BRANCHES: Field =
    Field::new("branches", Kind::TEXTS, "Names of the branches that have it.");

/// What is pushed for all tables of documents.
pub(super) const OF_REPOSITORY: Push =
    Push { column: "repository", tests: "all: shards without such a repository are not searched" };

/// Pushes the columns of a document.
pub(super) fn push(rows: &mut Rows<'_>, document: &Document<'_>) {
    if let (Some(column), Some(repository)) = (rows.column(REPOSITORY), document.repository()) {
        column.lossy(&repository.name.0);
    }
    rows.name(PATH, document.name);
    if !document.language().is_empty() {
        rows.text(LANGUAGE, document.language());
    }
}

/// Pushes the names of its branches.
pub(super) fn push_branches(rows: &mut Rows<'_>, at: usize, document: &Document<'_>) {
    if let Some(column) = rows.column(at) {
        column.texts(document.branches());
    }
}
