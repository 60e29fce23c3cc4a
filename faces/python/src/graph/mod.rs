//! Stores of RDF from Python, under pyoxigraph's names.

mod answers;
mod arguments;
mod dataset;
mod errors;
mod formats;
mod handle;
mod labels;
mod parsed;
mod places;
mod quad;
mod quads;
mod question;
mod reader;
mod results;
mod store;
mod terms;
mod transaction;
mod writer;

pub(crate) use answers::{QuerySolution, QuerySolutions, QueryTriples};
pub(crate) use dataset::Dataset;
pub(crate) use formats::{QueryResultsFormat, RdfFormat};
pub(crate) use quad::Quad;
pub(crate) use quads::QuadIterator;
pub(crate) use reader::{QuadParser, parse};
pub(crate) use results::{QueryBoolean, parse_query_results};
pub(crate) use store::Store;
pub(crate) use terms::{BlankNode, DefaultGraph, Literal, NamedNode, Triple, Variable};
pub(crate) use transaction::Transaction;
pub(crate) use writer::serialize;
