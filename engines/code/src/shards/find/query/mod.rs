//! zoekt's query language: which documents are asked for, and what in them is to be shown.
//!
//! ```text
//! file:_test\.go$ case:yes content:Informer     -lang:go (foo or "bar baz")     repo:^k8s lister
//! ```
//!
//! Words side by side must all be there, somewhere in the document; `or`, `-` and parentheses do
//! what they say. A word without a prefix is a regex over content or name. A [`Query`] is read by
//! [`Query::parse`] and answered by [`search`], which gives each document that matches with the
//! places that its words match.
//!
//! The road: `parse` reads the query, `dialect` turns each regex from Go's
//! words into ours, `plan` finds
//! the documents that may match, `eval` looks into them.

mod answer;
mod atom;
mod eval;
mod expr;
mod kind;
mod parse;
mod plan;

pub use answer::{Answer, Hear, Hearers};
pub use expr::{Query, QueryError};

use super::super::open::ShardError;
use super::files::OpenShard;
use super::receipt::Receipt;
use super::run::{self, Request};

impl Query {
    /// Reads a query.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        parse::parse(text)
    }
}

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
