//! The answer of a query row by row, as terms of the RDF library.

use std::io::{self, Write};
use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_graph::load::Syntax;
pub use manicule_graph::sparql::NamedDataset;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, QueryLimits, QueryOptions, RowFormat, Solution, SparqlError, query,
    write_boolean as put_boolean, write_rows, write_solutions as put_solutions, write_triples,
};
use oxrdf::{Triple, Variable};

use super::error::Error;
use super::query::Asked;
use super::store::Store;

/// Arguments of an answer.
#[derive(Clone, Debug)]
pub struct AnswerCall {
    /// The query.
    pub text: String,
    /// What relative IRIs are resolved against.
    pub base: Option<String>,
    /// The default graph, where neither the query nor the call names one.
    pub default_graph: DefaultGraphChoice,
    /// Graphs that the call names: they take the place of those that the query does.
    pub dataset: Option<NamedDataset>,
    /// What it may cost.
    pub limits: QueryLimits,
}

impl AnswerCall {
    fn options(&self) -> QueryOptions<'_> {
        QueryOptions {
            base: self.base.as_deref(),
            default_graph: self.default_graph,
            dataset: self.dataset.as_ref(),
            limits: self.limits,
        }
    }
}

/// What a query turns out to give, before any of it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    /// Rows: of a SELECT.
    Rows,
    /// Yes or no: of an ASK.
    Boolean,
    /// Triples: of a CONSTRUCT or DESCRIBE.
    Triples,
}

/// How an answer is written as a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerFormat {
    /// Rows, and yes or no.
    Rows(RowFormat),
    /// Triples.
    Triples(Syntax),
}

/// A part of an answer.
#[derive(Debug)]
pub enum Part {
    /// Rows come, of these variables: the first part of a SELECT.
    Variables(Vec<Variable>),
    /// A row of them.
    Row(Solution),
    /// Triples come: the first part of a CONSTRUCT or DESCRIBE.
    Triples,
    /// One of them.
    Triple(Triple),
    /// Yes or no: the one part of an ASK.
    Boolean(bool),
}

impl Store {
    /// Asks a query, and hands out its answer as it is computed, until `take` breaks.
    pub fn answer(
        &self,
        call: &AnswerCall,
        watch: &Watch<'_>,
        take: &mut dyn FnMut(Part) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let snapshot = self.snapshot();
        let (first, parts): (_, &mut dyn Iterator<Item = Result<Part, SparqlError>>) =
            match query(&snapshot, &call.text, &call.options(), watch)? {
                Answer::Boolean(answer, _) => (Part::Boolean(answer), &mut std::iter::empty()),
                Answer::Rows(rows) => {
                    let variables = rows.variables().to_vec();
                    (Part::Variables(variables), &mut rows.map(|row| row.map(Part::Row)))
                }
                Answer::Triples(triples) => {
                    (Part::Triples, &mut triples.map(|triple| triple.map(Part::Triple)))
                }
            };
        let mut flow = take(first);
        for part in parts {
            if flow.is_break() {
                break;
            }
            flow = take(part?);
        }
        Ok(())
    }

    /// Asks a query, and writes its answer as it is computed, in the format that `choose` has for
    /// what the query gives: it is called once, before anything is written. A format of the other
    /// kind, or none, is [`Error::Format`].
    pub fn write_answer(
        &self,
        call: &AnswerCall,
        choose: impl FnOnce(Gives) -> Option<AnswerFormat>,
        out: &mut dyn Write,
        watch: &Watch<'_>,
    ) -> Result<Asked, Error> {
        let snapshot = self.snapshot();
        let answer = query(&snapshot, &call.text, &call.options(), watch)?;
        let gives = match &answer {
            Answer::Rows(_) => Gives::Rows,
            Answer::Boolean(..) => Gives::Boolean,
            Answer::Triples(_) => Gives::Triples,
        };
        let work = match (answer, choose(gives)) {
            (Answer::Boolean(is_found, work), Some(AnswerFormat::Rows(format))) => {
                put_boolean(is_found, format, out)?;
                return Ok(Asked { is_found, work });
            }
            (Answer::Rows(rows), Some(AnswerFormat::Rows(format))) => {
                write_rows(rows, format, out)?
            }
            (Answer::Triples(triples), Some(AnswerFormat::Triples(syntax))) => {
                write_triples(triples, syntax.format(), &[], out)?
            }
            _ => return Err(Error::Format { gives_triples: gives == Gives::Triples }),
        };
        Ok(Asked { is_found: work.rows > 0, work })
    }
}

/// Writes rows of an answer as a document, which has no line end that its format doesn't ask for.
/// Where a row is an error, what was written before is not closed.
pub fn write_solutions(
    variables: &[Variable],
    rows: impl Iterator<Item = io::Result<Solution>>,
    format: RowFormat,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut rows = rows.map(|row| row.map_err(SparqlError::from));
    Ok(put_solutions(variables, &mut rows, format, out)?)
}

/// Writes yes or no as a document, of one line.
pub fn write_boolean(answer: bool, format: RowFormat, out: &mut dyn Write) -> Result<(), Error> {
    Ok(put_boolean(answer, format, out)?)
}

#[cfg(test)]
mod tests {
    use super::super::{LoadCall, UpdateCall, Writer, Writing, load};
    use super::*;

    const CALL: AnswerCall = AnswerCall {
        text: String::new(),
        base: None,
        default_graph: DefaultGraphChoice::Own,
        dataset: None,
        limits: QueryLimits::NONE,
    };

    #[test]
    fn an_answer_has_the_format_of_what_it_gives() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        load(&place, Writing::PLAIN, &LoadCall::new(Vec::new()), &Watch::none()).unwrap();
        let writer = Writer::open(&place, Writing::PLAIN, &Watch::none()).unwrap();
        let lamp = UpdateCall::new("INSERT DATA { <x:lamp> <x:is> \"lit\" }".to_owned());
        writer.update(&lamp, &Watch::none()).unwrap();
        let rows = Some(AnswerFormat::Rows(RowFormat::Csv));
        let triples = Some(AnswerFormat::Triples(Syntax::NTriples));
        for (text, gives, format, want) in [
            ("SELECT ?o { ?s ?p ?o }", Gives::Rows, rows, Some("o\r\nlit\r\n")),
            ("ASK { ?s <x:on> ?o }", Gives::Boolean, rows, Some("false\n")),
            (
                "CONSTRUCT WHERE { ?s ?p ?o }",
                Gives::Triples,
                triples,
                Some("<x:lamp> <x:is> \"lit\" .\n"),
            ),
            ("DESCRIBE <x:lamp>", Gives::Triples, rows, None),
            ("ASK {}", Gives::Boolean, triples, None),
            ("SELECT * {}", Gives::Rows, None, None),
        ] {
            let (call, mut out) = (AnswerCall { text: text.to_owned(), ..CALL }, Vec::new());
            let choose = |found| {
                assert_eq!(found, gives, "{text}");
                format
            };
            let asked = writer.store().write_answer(&call, choose, &mut out, &Watch::none());
            match want {
                Some(want) => assert_eq!((out.as_slice(), asked.is_ok()), (want.as_bytes(), true)),
                None => assert!(out.is_empty() && matches!(asked, Err(Error::Format { .. }))),
            }
        }
    }
}
