//! A regex made ready for one call, and matched against bytes.

use std::fmt;
use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::{self, FindMatches};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::super::super::dialect::DEPTH_MAX;
use super::sequence::Sequence;

/// Most bytes that a regex may take.
const LEN_MAX: usize = 10 << 20;

/// Bytes that the states of an automaton may take that is built as it is needed, of each thread.
const CACHE_LEN: usize = 2 << 20;

/// A regex. A clone is the same.
#[derive(Clone)]
pub(super) struct Regex {
    source: String,
    way: Way,
}

/// How it is matched.
#[derive(Clone)]
enum Way {
    Sequence(Sequence),
    Compiled(meta::Regex),
}

/// Matches that follow each other.
enum Matches<'r, 'b> {
    Sequence { sequence: &'r Sequence, bytes: &'b [u8], at: usize },
    Compiled(FindMatches<'r, 'b>),
}

impl Regex {
    /// Makes one ready, or says why that can't be done. Few documents are asked: an automaton
    /// of all states takes longer to build than it saves, a fifth of a search for a word in 1,600
    /// documents.
    pub(super) fn new(source: &str, folds: bool) -> Result<Regex, String> {
        let parsed = parsed(source, folds).map_err(|error| error.to_string())?;
        let way = match Sequence::of(&parsed) {
            Some(sequence) => Way::Sequence(sequence),
            None => Way::Compiled(compiled(source, folds)?),
        };
        Ok(Regex { source: source.to_owned(), way })
    }

    /// Whether it is a sequence of runes, which looks for its rarest byte first.
    pub(super) fn is_sequence(&self) -> bool {
        matches!(self.way, Way::Sequence(_))
    }

    /// Whether it matches somewhere.
    pub(super) fn is_match(&self, bytes: &[u8]) -> bool {
        match &self.way {
            Way::Sequence(sequence) => sequence.find(bytes, 0).is_some(),
            Way::Compiled(compiled) => compiled.is_match(bytes),
        }
    }

    /// The first match.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<Range<usize>> {
        match &self.way {
            Way::Sequence(sequence) => sequence.find(bytes, 0),
            Way::Compiled(compiled) => compiled.find(bytes).map(|found| found.range()),
        }
    }

    /// All matches, in their order.
    pub(super) fn find_iter(&self, bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
        match &self.way {
            Way::Sequence(sequence) => Matches::Sequence { sequence, bytes, at: 0 },
            Way::Compiled(compiled) => Matches::Compiled(compiled.find_iter(Input::new(bytes))),
        }
    }

    /// What it was written as.
    #[cfg(test)]
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }
}

impl Iterator for Matches<'_, '_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        match self {
            Matches::Sequence { sequence, bytes, at } => {
                let found = sequence.find(bytes, *at)?;
                *at = found.end;
                Some(found)
            }
            Matches::Compiled(matches) => matches.next().map(|found| found.range()),
        }
    }
}

/// The regex of a source in Rust's words.
pub(super) fn parsed(source: &str, folds: bool) -> Result<Hir, Box<regex_syntax::Error>> {
    let mut builder = ParserBuilder::new();
    builder.nest_limit(DEPTH_MAX).utf8(false).multi_line(true).case_insensitive(folds);
    builder.build().parse(source).map_err(Box::new)
}

/// Compiles a regex.
fn compiled(source: &str, folds: bool) -> Result<meta::Regex, String> {
    let syntax = syntax::Config::new().utf8(false).multi_line(true).case_insensitive(folds);
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(LEN_MAX))
        .hybrid_cache_capacity(CACHE_LEN)
        .which_captures(WhichCaptures::Implicit)
        .dfa(false)
        .onepass(false);
    let compiled = meta::Builder::new().syntax(syntax).configure(config).build(source);
    compiled.map_err(|error| match error.size_limit() {
        Some(len_max) => format!("this regex takes more than {len_max} bytes of memory"),
        None => error.to_string(),
    })
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Regex").field(&self.source).finish()
    }
}
