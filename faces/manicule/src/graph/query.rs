//! Questions in SPARQL, and their answers as documents.
//!
//! Callers: faces

use std::io::Write;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_graph::load::Syntax;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, Evaluation, Explain, Explained, QueryLimits, QueryOptions,
    QueryWork, RowFormat, explain as plan, query as ask, write_boolean, write_rows, write_triples,
};

use super::error::Error;
use super::open::open_to_read;
use crate::cache::now_ns;

/// Arguments of a query.
#[derive(Clone, Debug)]
pub struct QueryCall {
    /// Folder of the store.
    pub store: PathBuf,
    /// Name of the snapshot that is read; `None` is the store as it is now.
    pub at: Option<String>,
    /// The query.
    pub text: String,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
    /// The default graph, where the query names none.
    pub default_graph: DefaultGraphChoice,
    /// What it may cost.
    pub limits: QueryLimits,
    /// Format of rows and of yes or no.
    pub rows: RowFormat,
    /// Syntax of triples.
    pub triples: Syntax,
    /// Prefixes of a document of triples: names and IRIs.
    pub prefixes: Vec<(String, String)>,
}

/// What a query has come to.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Whether there is a row or a triple; of ASK, the answer.
    pub is_found: bool,
    /// The cost.
    pub work: QueryWork,
}

fn options(call: &QueryCall) -> QueryOptions<'_> {
    QueryOptions {
        base: call.base.as_deref(),
        default_graph: call.default_graph,
        dataset: None,
        limits: call.limits,
        evaluation: Evaluation::Columns,
    }
}

/// Shows the plan of a query, or runs it and shows what each operator gave in place of its answer.
pub fn explain(call: &QueryCall, how: Explain, watch: &Watch<'_>) -> Result<Explained, Error> {
    let snapshot = open_to_read(&call.store, call.at.as_deref())?;
    Ok(plan(&snapshot, &call.text, &options(call), how, watch, now_ns)?)
}

/// Asks a query, and writes its answer as it is computed.
pub fn query(call: &QueryCall, out: &mut dyn Write, watch: &Watch<'_>) -> Result<Asked, Error> {
    let snapshot = open_to_read(&call.store, call.at.as_deref())?;
    let work = match ask(&snapshot, &call.text, &options(call), watch)? {
        Answer::Boolean(is_found, work) => {
            write_boolean(is_found, call.rows, out)?;
            return Ok(Asked { is_found, work });
        }
        Answer::Rows(rows) => write_rows(rows, call.rows, out)?,
        Answer::Triples(triples) => {
            write_triples(triples, call.triples.format(), &call.prefixes, out)?
        }
    };
    Ok(Asked { is_found: work.rows > 0, work })
}
