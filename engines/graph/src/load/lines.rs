//! N-Triples and N-Quads, line by line: the usual shapes are cut by our own code, everything else
//! by the parser of the syntax.
//!
//! A line that isn't one is reported, and none of its terms is taken.

use memchr::memchr;
use oxrdf::{GraphName, Quad};
use oxttl::{NQuadsParser, NTriplesParser, TurtleSyntaxError};

use super::fault::Fault;
use super::levels::check_line;
use super::line::usual_line;
use super::raw::Sink;
use crate::sparql::levels;
use crate::term::{TRIPLE_LEVELS_MAX, TooManyLevels};

/// Reads whole lines. Faults have line numbers from 1 within the bytes; `fault` returns whether to
/// go on.
pub fn read_lines(
    bytes: &[u8],
    has_graphs: bool,
    sink: &mut impl Sink,
    mut fault: impl FnMut(Fault) -> bool,
) {
    let (mut at, mut scratch) = (0, Vec::new());
    // Lines before `counted`: each byte is counted once, however many faults there are.
    let (mut counted, mut line) = (0, 1);
    while at < bytes.len() {
        let rest = &bytes[at..];
        if let Some((quad, len)) = usual_line(rest, has_graphs, &mut scratch)
            && sink.take(&quad)
        {
            at += len;
            continue;
        }
        let len = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        if let Err(error) = read_line(&rest[..len], has_graphs, sink) {
            line += line_count(&bytes[counted..at]);
            counted = at;
            if !fault(Fault { line: line + error.line, ..error }) {
                return;
            }
        }
        at += len;
    }
}

/// Number of line ends as the parsers count them: of LF, of CR and of CR LF.
pub(super) fn line_count(bytes: &[u8]) -> u64 {
    let line_feeds = memchr::memchr_iter(b'\n', bytes).count();
    let others = memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n'));
    (line_feeds + others.count()) as u64
}

/// One line by the parser of the syntax. The line of a fault is counted from 0.
fn read_line(line: &[u8], has_graphs: bool, sink: &mut impl Sink) -> Result<(), Fault> {
    check_line(line)?;
    let quads: Result<Vec<Quad>, TurtleSyntaxError> = if has_graphs {
        NQuadsParser::new().for_slice(line).collect()
    } else {
        let triples = NTriplesParser::new().for_slice(line);
        triples
            .map(|triple| triple.map(|triple| triple.in_graph(GraphName::DefaultGraph)))
            .collect()
    };
    let quads = quads.map_err(|error| {
        let start = error.location().start;
        Fault { line: start.line, column: start.column + 1, what: error.message().to_owned() }
    })?;
    let place = Fault { line: 0, column: 1, what: String::new() };
    quads.iter().try_for_each(|quad| {
        take_parsed(quad, sink).map_err(|what| Fault { what, ..place.clone() })
    })
}

/// Gives a quad of a parser to a sink. The error is what is wrong with it all the same: parsers
/// don't check every IRI that they put together from a prefix and a name.
pub(super) fn take_parsed(quad: &Quad, sink: &mut impl Sink) -> Result<(), String> {
    if sink.take(&quad.into()) {
        return Ok(());
    }
    if levels(&quad.object) > TRIPLE_LEVELS_MAX {
        return Err(TooManyLevels.to_string());
    }
    Err(format!("an IRI or a language tag is not valid in: {quad}"))
}
