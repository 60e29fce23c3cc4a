//! Rows as a table for people: columns as wide as the first rows need.

use std::io::Write;

use oxrdf::vocab::xsd;
use oxrdf::{Term, Variable};
use spareval::QuerySolution;

use super::super::error::SparqlError;

/// Number of rows that the widths are taken from.
const MEASURED: usize = 1000;
/// Maximum width of a column; wider cells push what follows to the right.
const WIDTH_MAX: usize = 60;

pub(super) fn write(
    variables: &[Variable],
    rows: &mut dyn Iterator<Item = Result<QuerySolution, SparqlError>>,
    out: &mut dyn Write,
) -> Result<(), SparqlError> {
    let head: Vec<String> = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
    let mut widths: Vec<usize> = head.iter().map(|name| name.chars().count()).collect();
    let mut first = Vec::new();
    while first.len() < MEASURED {
        let Some(row) = rows.next() else { break };
        let cells: Vec<String> = row?.values().iter().map(|cell| text(cell.as_ref())).collect();
        for (width, cell) in widths.iter_mut().zip(&cells) {
            *width = (*width).max(cell.chars().count().min(WIDTH_MAX));
        }
        first.push(cells);
    }
    write_line(&head, &widths, out)?;
    let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    write_line(&rules, &widths, out)?;
    for cells in &first {
        write_line(cells, &widths, out)?;
    }
    for row in rows {
        let cells: Vec<String> = row?.values().iter().map(|cell| text(cell.as_ref())).collect();
        write_line(&cells, &widths, out)?;
    }
    Ok(())
}

fn write_line(cells: &[String], widths: &[usize], out: &mut dyn Write) -> Result<(), SparqlError> {
    let mut line = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let missing = width.saturating_sub(cell.chars().count());
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', missing + 2));
    }
    Ok(writeln!(out, "{}", line.trim_end())?)
}

/// A term as a reader wants it: numbers, booleans and dates bare, strings in quotes, control
/// characters escaped.
fn text(term: Option<&Term>) -> String {
    let bare = [xsd::INTEGER, xsd::DECIMAL, xsd::DOUBLE, xsd::BOOLEAN, xsd::DATE, xsd::DATE_TIME];
    match term {
        None => String::new(),
        Some(Term::Literal(literal)) if bare.contains(&literal.datatype()) => {
            literal.value().escape_debug().to_string()
        }
        Some(term) => term.to_string().replace(|character: char| character.is_control(), " "),
    }
}
