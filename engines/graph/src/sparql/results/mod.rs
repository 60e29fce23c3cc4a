//! Answers as documents: rows as JSON, XML, CSV, TSV or a table for people, triples in any syntax
//! of RDF. Rows are written as they come.

mod csv;
mod json;
mod table;
mod xml;

use std::io::Write;

use oxrdf::{TermRef, Variable, VariableRef};
use oxrdfio::{RdfFormat, RdfSerializer};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};
use spareval::QuerySolution;

use super::answer::{Rows, Triples};
use super::error::SparqlError;
use super::session::QueryWork;

/// Format of the answer of a SELECT or an ASK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowFormat {
    /// Columns for people.
    Table,
    /// SPARQL 1.2 Query Results JSON.
    Json,
    /// SPARQL Query Results XML.
    Xml,
    /// Values only, as RFC 4180 quotes them.
    Csv,
    /// Terms in the syntax of Turtle.
    Tsv,
}

impl RowFormat {
    /// Media type of a document.
    pub fn media_type(self) -> &'static str {
        match self {
            RowFormat::Table => "text/plain; charset=utf-8",
            RowFormat::Json => "application/sparql-results+json",
            RowFormat::Xml => "application/sparql-results+xml",
            RowFormat::Csv => "text/csv; charset=utf-8; header=present",
            RowFormat::Tsv => "text/tab-separated-values; charset=utf-8",
        }
    }
}

/// Writes rows; the cost of the query comes back.
///
/// # Errors
/// If a row can't be computed or written. What was written before is not closed, so that nobody
/// takes it for whole.
pub fn write_rows(
    mut rows: Rows<'_>,
    format: RowFormat,
    out: &mut dyn Write,
) -> Result<QueryWork, SparqlError> {
    let variables = rows.variables().to_vec();
    write_solutions(&variables, &mut rows, format, out)?;
    if matches!(format, RowFormat::Json | RowFormat::Xml) {
        writeln!(out)?;
    }
    Ok(rows.work())
}

/// Writes rows that come from elsewhere, as [`write_rows`] does those of an answer; what is no list
/// of lines ends without one.
pub fn write_solutions(
    variables: &[Variable],
    rows: &mut dyn Iterator<Item = Result<QuerySolution, SparqlError>>,
    format: RowFormat,
    out: &mut dyn Write,
) -> Result<(), SparqlError> {
    let format = match format {
        RowFormat::Table => return table::write(variables, rows, out),
        RowFormat::Csv => return csv::write(variables, rows, out),
        RowFormat::Json => return json::write(variables, rows, out),
        RowFormat::Xml => QueryResultsFormat::Xml,
        RowFormat::Tsv => QueryResultsFormat::Tsv,
    };
    let serializer = QueryResultsSerializer::from_format(format);
    let mut document = serializer.serialize_solutions_to_writer(&mut *out, variables.to_vec())?;
    for row in rows {
        let row = row?;
        if format == QueryResultsFormat::Xml && xml::has_forbidden(&row) {
            document.serialize(cells(&xml::without_forbidden(&row)))?;
        } else {
            document.serialize(cells(&row))?;
        }
    }
    document.finish()?;
    Ok(())
}

fn cells(row: &QuerySolution) -> impl Iterator<Item = (VariableRef<'_>, TermRef<'_>)> {
    row.iter().map(|(variable, term)| (variable.as_ref(), term.as_ref()))
}

/// Writes the answer of an ASK.
///
/// # Errors
/// If it can't be written.
pub fn write_boolean(
    answer: bool,
    format: RowFormat,
    out: &mut dyn Write,
) -> Result<(), SparqlError> {
    let format = match format {
        RowFormat::Table | RowFormat::Csv | RowFormat::Tsv => {
            return Ok(writeln!(out, "{answer}")?);
        }
        RowFormat::Json => QueryResultsFormat::Json,
        RowFormat::Xml => QueryResultsFormat::Xml,
    };
    let serializer = QueryResultsSerializer::from_format(format);
    serializer.serialize_boolean_to_writer(&mut *out, answer)?;
    Ok(writeln!(out)?)
}

/// Writes triples; the cost of the query comes back.
///
/// # Errors
/// If a triple can't be computed or written.
pub fn write_triples(
    mut triples: Triples<'_>,
    format: RdfFormat,
    prefixes: &[(String, String)],
    out: &mut dyn Write,
) -> Result<QueryWork, SparqlError> {
    let mut serializer = RdfSerializer::from_format(format);
    for (name, iri) in prefixes {
        let wrong = |error| SparqlError::Syntax(format!("prefix {name}: <{iri}>: {error}"));
        serializer = serializer.with_prefix(name, iri).map_err(wrong)?;
    }
    let mut document = serializer.for_writer(out);
    for triple in &mut triples {
        document.serialize_triple(&triple?)?;
    }
    document.finish()?;
    Ok(triples.work())
}
