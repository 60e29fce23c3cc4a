//! Answers of the suites, in all the formats that they are written in.

use std::collections::{BTreeSet, HashMap};

use manicule_graph::sparql::Rows;
use manicule_graphs::{Archive, Compare};
use oxrdf::Term;
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

use crate::w3c::manifest::nodes_with;

const RS: &str = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";

/// A row by the names of its variables.
pub(crate) type Row = HashMap<String, Term>;

/// An expected answer.
pub(crate) enum Expected {
    Boolean(bool),
    Rows { rows: Vec<Row>, order: Compare },
}

/// Reads an expected answer.
pub(crate) fn expected_rows(archive: &Archive, path: &str) -> Result<Expected, String> {
    let format = match path.rsplit('.').next() {
        Some("srx") => QueryResultsFormat::Xml,
        Some("srj") => QueryResultsFormat::Json,
        Some("tsv") => QueryResultsFormat::Tsv,
        _ => return result_set(archive, path),
    };
    let bytes = archive.get(path).ok_or_else(|| format!("{path}: not in the archive"))?;
    let parsed = QueryResultsParser::from_format(format).for_slice(bytes);
    Ok(match parsed.map_err(|error| error.to_string())? {
        SliceQueryResultsParserOutput::Boolean(answer) => Expected::Boolean(answer),
        SliceQueryResultsParserOutput::Solutions(solutions) => {
            let rows: Result<Vec<Row>, _> = solutions
                .map(|row| {
                    row.map(|row| {
                        let cells = row.iter();
                        cells.map(|(name, term)| (name.as_str().to_owned(), term.clone())).collect()
                    })
                })
                .collect();
            Expected::Rows { rows: rows.map_err(|error| error.to_string())?, order: Compare::Bag }
        }
    })
}

/// Results that are written as RDF.
fn result_set(archive: &Archive, path: &str) -> Result<Expected, String> {
    if let Some(node) = nodes_with(archive, path, &format!("{RS}boolean"))?.first() {
        let answer = node.one(&format!("{RS}boolean")).ok_or("no boolean")?;
        return Ok(Expected::Boolean(answer.text() == "true"));
    }
    let (mut rows, mut order) = (Vec::new(), Compare::Bag);
    let mut tops = nodes_with(archive, path, &format!("{RS}solution"))?;
    tops.dedup_by(|left, right| left.term == right.term);
    if let Some(top) = tops.first() {
        for solution in top.all(&format!("{RS}solution")) {
            let mut row = Row::new();
            for binding in solution.all(&format!("{RS}binding")) {
                let name = binding.one(&format!("{RS}variable")).ok_or("no variable")?;
                let value = binding.one(&format!("{RS}value")).ok_or("no value")?;
                row.insert(name.text().to_owned(), value.term);
            }
            let index = solution.one(&format!("{RS}index"));
            let index = index.and_then(|index| index.text().parse::<u64>().ok());
            if index.is_some() {
                order = Compare::Exact;
            }
            rows.push((index, row));
        }
    }
    rows.sort_by_key(|(index, _)| *index);
    Ok(Expected::Rows { rows: rows.into_iter().map(|(_, row)| row).collect(), order })
}

/// All rows of an answer, and the names of its variables.
pub(crate) fn rows_of(rows: Rows<'_>) -> Result<(Vec<Row>, Vec<String>), String> {
    let names: Vec<String> =
        rows.variables().iter().map(|variable| variable.as_str().to_owned()).collect();
    let mut all = Vec::new();
    for row in rows {
        let row = row.map_err(|error| error.to_string())?;
        let cells = row.iter();
        all.push(cells.map(|(name, term)| (name.as_str().to_owned(), term.clone())).collect());
    }
    Ok((all, names))
}

/// Rows without copies.
pub(crate) fn once(rows: Vec<Row>) -> Vec<Row> {
    let mut seen = BTreeSet::new();
    let key = |row: &Row| {
        let mut cells: Vec<String> =
            row.iter().map(|(name, term)| format!("{name} {term}")).collect();
        cells.sort_unstable();
        cells
    };
    rows.into_iter().filter(|row| seen.insert(key(row))).collect()
}

/// Rows of CSV: cells with the names of their columns, blank nodes without their labels; sorted.
pub(crate) fn csv_rows(text: &str) -> Vec<Vec<(String, String)>> {
    let mut lines = split_csv(text).into_iter();
    let head = lines.next().unwrap_or_default();
    let mut rows: Vec<Vec<(String, String)>> = lines
        .map(|cells| {
            let cell = |cell: String| if cell.starts_with("_:") { "_:b".to_owned() } else { cell };
            let mut row: Vec<(String, String)> =
                head.iter().cloned().zip(cells.into_iter().map(cell)).collect();
            row.sort_unstable();
            row
        })
        .collect();
    rows.sort_unstable();
    rows
}

fn split_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !quoted => {}
            other => cell.push(other),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}
