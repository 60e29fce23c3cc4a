//! Something that was found.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::item::entry::{self, Entry};
use super::item::{cell, label, path, term};
use super::matcher::Matcher;
use crate::blobs::paths::PathRow;
use crate::failure::Failure;
use crate::graph::Found as Term;
use crate::kinds::System;
use crate::rows::{Found as Cell, FoundRow};
use crate::series::query::Occurrence;

/// Something that was found, and where.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'h> {
    /// System that wrote what was searched; a source tree is [`System::TREE`].
    pub system: System,
    /// Path of the file or index, or of a document in its shard.
    pub path: &'h Path,
    /// What matches.
    pub item: Item<'h>,
    /// The text that a line is of, where all of it is in memory: a document of a shard, a file of
    /// an object store. Of other files the lines around a hit are read from the file.
    pub document: Option<&'h [u8]>,
    pub(super) matcher: &'h Matcher,
}

/// What matches.
#[derive(Clone, Copy, Debug)]
pub enum Item<'h> {
    /// A line, or several where a match spans them.
    Line(Line<'h>),
    /// A file or document as a whole, since it is not text.
    Document {
        /// Byte offset of its first NUL that was met.
        nul_offset: u64,
    },
    /// A label's name, or a value of one, in a Prometheus block.
    Label(&'h Occurrence<'h>),
    /// A key, clustering or value in an SSTable.
    Cell(&'h Cell<'h>),
    /// A path in the snapshots of a restic repository.
    Path(&'h PathRow<'h>),
    /// An IRI or literal in a graph store.
    Term(&'h Term<'h>),
    /// What an index has of a system that a program has added.
    Entry(&'h Entry<'h>),
}

/// A line that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'l> {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Byte offset of its beginning.
    pub offset: u64,
    /// Its text without its end.
    pub text: &'l [u8],
}

impl<'h> Hit<'h> {
    /// What matches as text, on one line unless a match spans several.
    pub fn text(&self) -> Cow<'h, [u8]> {
        match self.item {
            Item::Line(line) => line.text.into(),
            Item::Document { .. } => (&[][..]).into(),
            Item::Label(label) => label::text(label).into(),
            Item::Cell(cell) => cell::text(cell).into(),
            Item::Path(row) => row.path.into(),
            Item::Term(term) => term::text(term).into(),
            Item::Entry(entry) => entry.text.into(),
        }
    }

    /// Where in an index it is: the name of a label; key, clustering and column of a cell; the last
    /// snapshot of a path. None of a line and of a term.
    pub fn place(&self) -> Option<Cow<'h, str>> {
        match self.item {
            Item::Label(label) => Some(String::from_utf8_lossy(label.name)),
            Item::Cell(cell) => {
                let row = match cell.row {
                    FoundRow::Row(row) => Some(row),
                    FoundRow::Static => Some("static"),
                    FoundRow::None => None,
                };
                let column = cell.cell.map(|(column, _)| column);
                let parts = [Some(cell.key), row, column].into_iter().flatten();
                Some(parts.collect::<Vec<_>>().join(" ").into())
            }
            Item::Path(row) => Some(row.last.id.to_string().into()),
            Item::Entry(entry) => Some(entry.place.into()),
            Item::Line(_) | Item::Document { .. } | Item::Term(_) => None,
        }
    }

    /// The matches in its text, which the caller has from [`text`](Self::text): ranges in bytes.
    ///
    /// None where the part that matches is not in the text as it is, where those are wanted that
    /// don't match, and where a match hangs on what is around its lines.
    pub fn matches_in(&self, text: &[u8]) -> Result<Vec<Range<usize>>, Failure> {
        match self.item {
            Item::Line(_) => self.matcher.matches(text),
            Item::Document { .. } => Ok(Vec::new()),
            Item::Label(found) => label::matches_in(found, text, self.matcher),
            Item::Cell(found) => cell::matches_in(found, text, self.matcher),
            Item::Path(_) => path::matches_in(text, self.matcher),
            Item::Term(found) => term::matches_in(found, text, self.matcher),
            Item::Entry(found) => entry::matches_in(found, text, self.matcher),
        }
    }
}
