//! Questions in SPARQL, and their answers as documents.

use std::io::Write;

use manicule_core::watch::Watch;
use manicule_graph::load::Syntax;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, Explain, Explained, QueryLimits, QueryOptions, QueryWork,
    RowFormat, explain as plan, gives_triples, query as ask, write_boolean, write_rows,
    write_triples,
};
use oxrdf::Triple;

use super::columns::{self, TableCall};
use super::error::Error;
use super::store::Store;
use crate::cache::now_ns;

/// Arguments of a query.
#[derive(Clone, Debug)]
pub struct QueryCall {
    /// The query.
    pub text: String,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
    /// The default graph, where the query names none.
    pub default_graph: DefaultGraphChoice,
    /// What it may cost.
    pub limits: QueryLimits,
    /// How rows, and yes or no, are written.
    pub rows: RowsAs,
    /// Syntax of triples, unless rows are a table: then they are one of three columns.
    pub triples: Syntax,
    /// Prefixes of a document of triples: names and IRIs.
    pub prefixes: Vec<(String, String)>,
    /// The answers that may be written so; another one is refused before it is computed.
    pub fits: Fits,
}

/// Answers that a format was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fits {
    /// All.
    Any,
    /// Rows, and yes or no.
    Rows,
    /// Triples.
    Triples,
}

/// How rows are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowsAs {
    /// As a document.
    Document(RowFormat),
    /// As a table for other programs.
    Table(TableCall),
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
    }
}

/// Refuses a format that the answer can't have.
fn check_fits(call: &QueryCall) -> Result<(), Error> {
    if call.fits == Fits::Any {
        return Ok(());
    }
    let gives_triples = gives_triples(&call.text, call.base.as_deref())?;
    if gives_triples == (call.fits == Fits::Triples) {
        Ok(())
    } else {
        Err(Error::Format { gives_triples })
    }
}

impl Store {
    /// Shows the plan of a query, or runs it and shows what each operator gave in place of its
    /// answer.
    pub fn explain(
        &self,
        call: &QueryCall,
        how: Explain,
        watch: &Watch<'_>,
    ) -> Result<Explained, Error> {
        Ok(plan(&self.snapshot(), &call.text, &options(call), how, watch, now_ns)?)
    }

    /// Asks a query, and writes its answer as it is computed.
    pub fn query(
        &self,
        call: &QueryCall,
        out: &mut dyn Write,
        watch: &Watch<'_>,
    ) -> Result<Asked, Error> {
        check_fits(call)?;
        let snapshot = self.snapshot();
        let work = match (ask(&snapshot, &call.text, &options(call), watch)?, &call.rows) {
            (Answer::Boolean(is_found, work), rows) => {
                match rows {
                    RowsAs::Document(format) => write_boolean(is_found, *format, out)?,
                    RowsAs::Table(table) => columns::write_boolean(is_found, table, out)?,
                }
                return Ok(Asked { is_found, work });
            }
            (Answer::Rows(rows), RowsAs::Document(format)) => write_rows(rows, *format, out)?,
            (Answer::Triples(triples), RowsAs::Document(_)) => {
                write_triples(triples, call.triples.format(), &call.prefixes, out)?
            }
            (Answer::Rows(mut rows), RowsAs::Table(table)) => {
                let names: Vec<String> =
                    rows.variables().iter().map(|variable| variable.as_str().to_owned()).collect();
                let all = rows.by_ref().map(|row| row.map_err(Error::from));
                columns::write_table(&names, all, |row| row.values(), table, out)?;
                rows.work()
            }
            (Answer::Triples(mut triples), RowsAs::Table(table)) => {
                let names = ["subject", "predicate", "object"].map(str::to_owned);
                let all = triples.by_ref().map(|triple| {
                    let Triple { subject, predicate, object } = triple?;
                    Ok([subject.into(), predicate.into(), object].map(Some))
                });
                columns::write_table(&names, all, |row| row, table, out)?;
                triples.work()
            }
        };
        Ok(Asked { is_found: work.rows > 0, work })
    }
}
