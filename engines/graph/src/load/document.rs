//! Documents of the syntaxes that aren't lines, by their parsers, from whatever they are read.

use std::io::Read;

use oxrdfio::{RdfParseError, RdfParser, ReaderQuadParser};

use super::fault::Fault;
use super::format::Syntax;
use super::levels::{Leveled, on_stack, too_deep};
use super::lines::take_parsed;
use super::raw::Sink;

/// Maximum number of faults in a row without a quad between them: some parsers report the same
/// fault for ever.
const FAULTS_IN_A_ROW_MAX: u32 = 1000;

/// A document that is being parsed. It is of any syntax; those of lines are better read by
/// [`super::read_lines`].
pub struct Document<R: Read> {
    quads: ReaderQuadParser<Leveled<R>>,
    is_json: bool,
    faults_in_a_row: u32,
}

/// Whether a document has more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// There may be more.
    More,
    /// It is read to its end, or as far as it can be.
    None,
}

/// Error of a document that can't be begun or read.
#[derive(Debug)]
pub enum DocumentError {
    /// Its bytes can't be read.
    Io(std::io::Error),
    /// A statement is not one, and the taker of faults wants no more.
    Fault(Fault),
}

impl<R: Read> Document<R> {
    /// A document of which nothing is read. `base` is what relative IRIs are resolved against; the
    /// error says why it can't be one.
    pub fn new(syntax: Syntax, base: Option<&str>, bytes: R) -> Result<Self, String> {
        let mut parser = RdfParser::from_format(syntax.format());
        if let Some(base) = base {
            parser = parser.with_base_iri(base).map_err(|error| error.to_string())?;
        }
        let is_json = syntax == Syntax::JsonLd;
        let quads = parser.for_reader(Leveled::new(bytes, syntax));
        Ok(Document { quads, is_json, faults_in_a_row: 0 })
    }

    /// Reads about `count_max` quads. `fault` returns whether to go on after a bad statement.
    pub fn read(
        &mut self,
        sink: &mut impl Sink,
        count_max: usize,
        fault: impl FnMut(&Fault) -> bool,
    ) -> Result<Rest, DocumentError> {
        if !self.is_json {
            return self.read_some(sink, count_max, fault);
        }
        on_stack(|| self.read_some(sink, count_max, fault)).map_err(DocumentError::Io)?
    }

    fn read_some(
        &mut self,
        sink: &mut impl Sink,
        count_max: usize,
        mut fault: impl FnMut(&Fault) -> bool,
    ) -> Result<Rest, DocumentError> {
        for _ in 0..count_max {
            let what = match self.quads.next() {
                None => return Ok(Rest::None),
                Some(Ok(quad)) => {
                    take_parsed(&quad, sink).map_err(|what| Fault { line: 0, column: 0, what })
                }
                Some(Err(RdfParseError::Io(error))) => match too_deep(&error) {
                    // What comes after it can't be read.
                    Some(found) if fault(&found) => return Ok(Rest::None),
                    Some(found) => return Err(DocumentError::Fault(found)),
                    None => return Err(DocumentError::Io(error)),
                },
                Some(Err(RdfParseError::Syntax(error))) => {
                    let (line, column) = error
                        .location()
                        .map_or((0, 0), |place| (place.start.line + 1, place.start.column + 1));
                    Err(Fault { line, column, what: plain(&error.to_string()) })
                }
            };
            match what {
                Ok(()) => self.faults_in_a_row = 0,
                Err(found) => {
                    self.faults_in_a_row += 1;
                    if !fault(&found) {
                        return Err(DocumentError::Fault(found));
                    }
                    if self.faults_in_a_row == FAULTS_IN_A_ROW_MAX {
                        return Ok(Rest::None);
                    }
                }
            }
        }
        Ok(Rest::More)
    }
}

/// The message of a parser without its own words for the place.
fn plain(message: &str) -> String {
    let is_place = message.starts_with("Parser error ");
    let rest = message.split_once(": ").filter(|_| is_place);
    rest.map_or(message, |(_, rest)| rest).to_owned()
}

impl<R: Read> std::fmt::Debug for Document<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}
