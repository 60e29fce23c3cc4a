//! zoekt's query language: which documents are asked for, and what in them is to be shown.
//!
//! ```text
//! file:_test\.go$ case:yes content:Informer     -lang:go (foo or "bar baz")     repo:^k8s lister
//! ```
//!
//! Words side by side must all be there, somewhere in the document; `or`, `-` and parentheses do what they say. A word
//! without a prefix is a regex over content or name. A [`Query`] is read by [`Query::parse`] and answered by
//! [`search`], which gives each document that matches with the places that its words match.
//!
//! The road: `parse` reads the query, `go` turns each regex from Go's words into ours, `plan` finds the documents that
//! may match, `eval` looks into them.
//!
//! Callers: faces

mod eval;
mod go;
mod parse;
mod plan;

use std::fmt;
use std::ops::Range;

use manicule_core::pattern::Need;
use memchr::memmem;
use regex::bytes::Regex;

use super::super::open::ShardError;
use super::files::OpenShard;
use super::run::{self, Document, Receipt, Request};
use crate::tree::Flow;

/// A query that was read.
#[derive(Debug)]
pub struct Query {
    expr: Expr,
    atoms: Vec<Atom>,
}

/// Query expression on a document.
#[derive(Debug)]
enum Expr {
    /// Everything or nothing.
    Const(bool),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Not(Box<Expr>),
    /// The atom of this number matches the content.
    Content(usize),
    /// The atom of this number matches the name.
    Name(usize),
    /// Its language has this name, in lower case.
    Language(String),
    /// The name of its repository matches.
    Repository(Regex),
}

/// A regex over content or name.
#[derive(Debug)]
struct Atom {
    regex: Regex,
    need: Need,
    /// No match holds a line end, or looks beyond its line.
    by_line: bool,
    /// Each match holds this, and it is rare enough to look for first; only where `by_line`.
    rare: Option<memmem::Finder<'static>>,
    /// It matches bytes as they are, whether they are valid text or not.
    is_plain: bool,
}

/// Error of a query, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The offset in the query, in bytes.
    pub at: usize,
    /// Description of the error.
    pub what: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "query, at byte {}: {}", self.at, self.what)
    }
}

impl std::error::Error for QueryError {}

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse::parse(text)
    }
}

/// A document that matches a query.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'d> {
    /// The document.
    pub document: &'d Document<'d>,
    /// Matches of words in its content: increasing, without overlaps.
    pub matches: &'d [Range<usize>],
    /// Matches in its name, if there is none in its content.
    pub name_matches: &'d [Range<usize>],
}

/// Receiver of answers, implemented by a face. One value works on one thread.
pub trait Hear: Send {
    /// Takes an answer.
    fn answer(&mut self, answer: &Answer<'_>) -> Flow;

    /// All answers of a range were given. Ranges are numbered from 0 in the order of shards and documents.
    fn range_end(&mut self, number: usize);
}

/// Makes a listener for one more thread.
pub type Hearers<'f, 'v> = dyn Fn() -> Box<dyn Hear + 'v> + Sync + 'f;

/// Answers a query from shards. The request's `look` is the query's to choose.
pub fn search(
    shards: &[OpenShard<'_>],
    query: &Query,
    request: &Request<'_>,
    hearers: &Hearers<'_, '_>,
) -> Result<Receipt, ShardError> {
    let mut receipt = Receipt::default();
    let mut candidates = Vec::with_capacity(shards.len());
    let mut sources = Vec::with_capacity(shards.len());
    for open in shards {
        let (found, source) = plan::candidates(open, query, &mut receipt)?;
        candidates.push(found);
        sources.push(source);
    }
    let source_of = |open: &OpenShard<'_>| {
        let same =
            |other: &OpenShard<'_>| std::ptr::eq(other.shard().bytes(), open.shard().bytes());
        shards.iter().position(same).and_then(|index| sources[index])
    };
    let visitors =
        || -> Box<dyn run::Visit + '_> { Box::new(eval::Judge::new(query, hearers(), &source_of)) };
    run::run(shards, &candidates, request, &mut receipt, &visitors)?;
    Ok(receipt)
}
