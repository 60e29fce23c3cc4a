//! A query as it was read: words and filters, combined.

use std::fmt;

use manicule_core::pattern::Need;
use memchr::memmem;
use regex::bytes::Regex;

/// A query that was read.
#[derive(Debug)]
pub struct Query {
    pub(super) expr: Expr,
    pub(super) atoms: Vec<Atom>,
}

/// Query expression on a document.
#[derive(Debug)]
pub(super) enum Expr {
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
pub(super) struct Atom {
    pub(super) regex: Regex,
    pub(super) need: Need,
    /// No match holds a line end, or looks beyond its line.
    pub(super) by_line: bool,
    /// Each match holds this, and it is rare enough to look for first; only where `by_line`.
    pub(super) rare: Option<memmem::Finder<'static>>,
    /// It matches bytes as they are, whether they are valid text or not.
    pub(super) is_plain: bool,
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

/// Folds what is always true or false, and lists of one.
pub(super) fn tidy(expr: Expr, is_true: &[bool]) -> Expr {
    let list = |parts: Vec<Expr>, neutral: bool| {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match (tidy(part, is_true), neutral) {
                (Expr::Const(value), _) if value == neutral => {}
                (Expr::Const(value), _) => return Err(value),
                (Expr::All(inner), true) | (Expr::Any(inner), false) => kept.extend(inner),
                (other, _) => kept.push(other),
            }
        }
        Ok(kept)
    };
    let settle = |kept: Result<Vec<Expr>, bool>, neutral: bool| match kept {
        Err(value) => Expr::Const(value),
        Ok(mut kept) => match (kept.len(), neutral) {
            (0, _) => Expr::Const(neutral),
            (1, _) => kept.swap_remove(0),
            (_, true) => Expr::All(kept),
            (_, false) => Expr::Any(kept),
        },
    };
    match expr {
        Expr::All(parts) => settle(list(parts, true), true),
        Expr::Any(parts) => settle(list(parts, false), false),
        Expr::Not(inner) => match tidy(*inner, is_true) {
            Expr::Const(value) => Expr::Const(!value),
            inner => Expr::Not(Box::new(inner)),
        },
        Expr::Content(number) | Expr::Name(number) if is_true[number] => Expr::Const(true),
        other => other,
    }
}
