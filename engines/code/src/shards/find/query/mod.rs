//! zoekt's query language: which documents are asked for, and what in them is to be shown.
//!
//! ```text
//! file:_test\.go$ case:yes content:Informer     -lang:go (foo or "bar baz")     repo:^k8s sym:List
//! ```
//!
//! Words side by side must all be there, somewhere in the document; `or`, `-` and parentheses do
//! what they say. A word without a prefix is a regex over content or name. A [`Query`] is read by
//! [`Query::parse`] and answered by [`search`], which gives each document that matches with the
//! places that its words match.
//!
//! The road: `parse` reads the query, `dialect` turns each regex from Go's words into ours,
//! `resolve` answers what is asked of repositories by their documents, `plan` finds the documents
//! that may match, `eval` looks into them.

mod answer;
mod atom;
mod eval;
mod expr;
mod kind;
mod parse;
mod plan;
mod regex;
mod resolve;
mod sequence;
mod text;
mod windows;

pub(super) use answer::Leaf;
pub use answer::{Answer, Found, Hear, Hearers};
pub(super) use expr::Texts;
pub use expr::{Query, QueryError};

use std::borrow::Cow;
use std::collections::BTreeSet;

use manicule_format_zoekt::Foreseen;

use super::super::open::ShardError;
use super::files::OpenShard;
use super::receipt::Receipt;
use super::run::Request;

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse::parse(text)
    }

    /// The query that holds for all documents.
    pub fn everything() -> Query {
        Query { expr: expr::Expr::Const(true), atoms: Vec::new() }
    }

    /// What opening shards for it foresees.
    pub fn foreseen(&self) -> Foreseen {
        if resolve::needs_content(&self.expr) { Foreseen::Texts } else { Foreseen::Documents }
    }

    /// Whether it asks something of repositories that their documents answer: shards answer it
    /// together only.
    pub fn asks_repositories(&self) -> bool {
        resolve::asks_repositories(&self.expr)
    }
}

/// The query without what only a search of its own answers (`type:repo`): those searches are made
/// here.
pub fn resolve<'q>(
    shards: &[OpenShard<'_>],
    query: &'q Query,
    request: &Request<'_>,
    receipt: &mut Receipt,
) -> Result<Cow<'q, Query>, ShardError> {
    resolve::resolved(shards, query, request, receipt)
}

/// Number of documents of the shards that the repositories and languages that a query asks for
/// don't rule out, dead ones included: no document is looked at. The query was resolved.
pub fn considered(shards: &[OpenShard<'_>], query: &Query) -> u64 {
    let may_hold = |open: &&OpenShard<'_>| resolve::of_shard(&query.expr, open) != Some(false);
    shards.iter().filter(may_hold).map(|open| open.shard().document_count() as u64).sum()
}

/// The names of the repositories for which a query holds, or has a document for which it does.
pub(super) fn repositories(
    shards: &[OpenShard<'_>],
    query: &Query,
    request: &Request<'_>,
    receipt: &mut Receipt,
) -> Result<BTreeSet<Vec<u8>>, ShardError> {
    let query = resolve::resolved(shards, query, request, receipt)?;
    resolve::repositories(shards, &query, request, receipt)
}

/// Answers a query from shards. The request's `look` is the query's to choose.
pub fn search(
    shards: &[OpenShard<'_>],
    query: &Query,
    request: &Request<'_>,
    hearers: &Hearers<'_, '_>,
) -> Result<Receipt, ShardError> {
    let mut receipt = Receipt::default();
    let query = resolve::resolved(shards, query, request, &mut receipt)?;
    resolve::answer(shards, &query, request, hearers, &mut receipt)?;
    Ok(receipt)
}
