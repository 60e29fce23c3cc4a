//! A query as it was read: words and filters, combined.

use std::fmt;

use manicule_core::pattern::Need;
use manicule_format_zoekt::Repository;
use memchr::memmem;

use super::regex::Regex;

/// A query that was read.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) expr: Expr,
    pub(super) atoms: Vec<Atom>,
}

/// Query expression on a document.
#[derive(Clone, Debug)]
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
    /// The atom of this number matches within a symbol.
    Symbol(usize),
    /// A property of its repository.
    Repository(OfRepository),
    /// Its language.
    Language(Language),
    /// It is on a branch whose name holds this text; `HEAD` is the first branch.
    Branch(String),
    /// It matches; none of its matches is shown.
    Unshown(Box<Expr>),
    /// A document of its repository matches. Answered by a search of its own.
    InRepository(Box<Expr>),
}

/// Property of a repository.
#[derive(Clone, Debug)]
pub(super) enum OfRepository {
    /// Its name matches.
    Name(Regex),
    /// Its name is one of these, which increase.
    Named(Vec<Vec<u8>>),
    /// Its id is one of these.
    Id(Vec<u32>),
    /// This key of its configuration is `1`, or isn't.
    Flag { key: &'static str, is_set: bool },
    /// A field of its metadata matches.
    Field { name: String, regex: Regex },
}

/// Language asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// One that linguist knows.
    Known(&'static str),
    /// Another name, in lower case and with `_` for blanks: of a language in a shard of another
    /// linguist.
    Other(String),
}

/// A regex over content, name or symbols.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) regex: Regex,
    pub(super) texts: Texts,
    pub(super) need: Need,
    /// No match holds a line end, or looks beyond its line.
    pub(super) by_line: bool,
    /// Each match holds this, and it is rare enough to look for first; only where `by_line`.
    pub(super) rare: Option<memmem::Finder<'static>>,
    /// It matches bytes as they are, whether they are valid text or not.
    pub(super) is_plain: bool,
}

/// Texts that a regex stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Texts {
    /// One text, here in lower case.
    One(String),
    /// One of several texts: each that occurs counts.
    Several,
    /// More than can be listed.
    Pattern,
}

impl OfRepository {
    /// Whether it holds for a repository.
    pub(super) fn holds(&self, repository: &Repository) -> bool {
        match self {
            OfRepository::Name(regex) => regex.is_match(&repository.name.0),
            OfRepository::Named(names) => names.binary_search(&repository.name.0).is_ok(),
            OfRepository::Id(ids) => ids.contains(&repository.derived_id()),
            OfRepository::Flag { key, is_set } => (repository.config(key) == Some("1")) == *is_set,
            OfRepository::Field { name, regex } => {
                let metadata = repository.metadata.as_ref();
                let value = metadata.and_then(|metadata| metadata.get(name));
                value.is_some_and(|value| regex.is_match(value.as_bytes()))
            }
        }
    }
}

impl Language {
    /// Whether a language of a shard is it.
    pub(super) fn is(&self, own: &str) -> bool {
        match self {
            Language::Known(name) => own == *name,
            Language::Other(name) => alias_key(own) == *name,
        }
    }
}

/// A name of a language in lower case, with `_` for blanks.
pub(super) fn alias_key(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

/// The branches of a repository whose names hold a text: bit `i` stands for branch `i`.
pub(super) fn branch_mask(repository: &Repository, text: &str) -> u64 {
    let branches = repository.branches.as_deref().unwrap_or_default().iter().take(64).enumerate();
    branches
        .filter(|(bit, branch)| match text {
            "HEAD" => *bit == 0,
            text => branch.name.contains(text),
        })
        .fold(0, |mask, (bit, _)| mask | 1 << bit)
}

impl Query {
    /// Texts that an atom stands for.
    pub(in super::super) fn texts(&self, atom: usize) -> &Texts {
        &self.atoms[atom].texts
    }

    /// The query, asked of repositories with one of these ids only.
    pub fn of_repositories(self, ids: &[u32]) -> Query {
        let only = Expr::Repository(OfRepository::Id(ids.to_vec()));
        let expr = tidy(Expr::All(vec![only, self.expr]), &vec![false; self.atoms.len()]);
        Query { expr, atoms: self.atoms }
    }
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
        Expr::Unshown(inner) => match tidy(*inner, is_true) {
            constant @ Expr::Const(_) => constant,
            inner => Expr::Unshown(Box::new(inner)),
        },
        Expr::InRepository(inner) => match tidy(*inner, is_true) {
            constant @ Expr::Const(_) => constant,
            inner => Expr::InRepository(Box::new(inner)),
        },
        Expr::Content(number) | Expr::Name(number) if is_true[number] => Expr::Const(true),
        Expr::Branch(text) if text.is_empty() => Expr::Const(true),
        other => other,
    }
}
