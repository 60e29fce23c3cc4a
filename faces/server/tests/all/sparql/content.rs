//! Answers as what they say: a table, yes or no, a graph.

use manicule_graphs::{Cells, Compare, compare_rows};
use oxrdf::{BlankNode, Literal, Term};
use oxrdfio::{RdfFormat, RdfParser};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

/// What an answer says.
#[derive(Debug)]
pub(super) enum Content {
    Boolean(bool),
    /// Rows, their columns in the order of the names.
    Table(Vec<String>, Vec<Cells>),
    /// Subject, predicate and object of each triple.
    Graph(Vec<Cells>),
}

/// The type and subtype of a `Content-Type`.
pub(super) fn media(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

/// Reads a body; nothing of what is neither a table nor a graph.
pub(super) fn read(content_type: &str, body: &[u8], base: &str) -> Option<Content> {
    let media = media(content_type);
    if media == "text/csv" {
        return Some(csv(body));
    }
    if let Some(format) = QueryResultsFormat::from_media_type(media) {
        return Some(results(format, body));
    }
    let format = RdfFormat::from_media_type(media)?;
    Some(Content::Graph(graph(format, body, base)))
}

/// The triples of a document.
pub(super) fn graph(format: RdfFormat, body: &[u8], base: &str) -> Vec<Cells> {
    let parser = RdfParser::from_format(format).with_base_iri(base).unwrap();
    let quads = parser.for_slice(body).map(|quad| quad.unwrap());
    let cells = quads.map(|quad| {
        let terms = [quad.subject.into(), quad.predicate.into(), quad.object];
        terms.map(Some).to_vec()
    });
    cells.collect()
}

fn results(format: QueryResultsFormat, body: &[u8]) -> Content {
    let parser = QueryResultsParser::from_format(format);
    let rows = match parser.for_slice(body).unwrap() {
        SliceQueryResultsParserOutput::Boolean(answer) => return Content::Boolean(answer),
        SliceQueryResultsParserOutput::Solutions(rows) => rows,
    };
    let names: Vec<String> = rows.variables().iter().map(|own| own.as_str().to_owned()).collect();
    let rows = rows.map(|row| row.unwrap().values().to_vec()).collect();
    by_name(names, rows)
}

/// Rows as CSV has them: texts. Jena's blank nodes have no `_:`.
fn csv(body: &[u8]) -> Content {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let mut rows = records(&text).into_iter();
    let names = rows.next().unwrap_or_default();
    let is_blank = |text: &str| {
        text.starts_with("_:")
            || text.strip_prefix('b').is_some_and(|rest| rest.parse::<u64>().is_ok())
    };
    let cell = |text: String| -> Option<Term> {
        if text.is_empty() {
            return None;
        }
        Some(if is_blank(&text) {
            BlankNode::new_unchecked(text.trim_start_matches("_:")).into()
        } else {
            Literal::from(text).into()
        })
    };
    by_name(names, rows.map(|row| row.into_iter().map(cell).collect()).collect())
}

/// The records of a text by RFC 4180.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut characters = text.chars().filter(|character| *character != '\r').peekable();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                all.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    all
}

fn by_name(names: Vec<String>, rows: Vec<Cells>) -> Content {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|at| &names[*at]);
    let rows = rows.iter().map(|row| order.iter().map(|at| row[*at].clone()).collect()).collect();
    Content::Table(order.iter().map(|at| names[*at].clone()).collect(), rows)
}

/// Whether two answers say the same, blank nodes aside.
pub(super) fn compare(want: &Content, got: &Content) -> Result<(), String> {
    match (want, got) {
        (Content::Boolean(want), Content::Boolean(got)) if want == got => Ok(()),
        (Content::Table(names, want), Content::Table(own, got)) if names == own => {
            compare_rows(want, got, Compare::Bag, &[])
        }
        (Content::Graph(want), Content::Graph(got)) => compare_rows(want, got, Compare::Bag, &[]),
        _ => Err(format!("{want:?} wanted, {got:?} got")),
    }
}
