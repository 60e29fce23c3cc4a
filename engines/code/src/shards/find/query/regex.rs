//! A regex compiled for one call, and matched against bytes.

use std::fmt;

use regex_automata::meta::{self, FindMatches};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, Match};

/// Most bytes that a regex may take.
const LEN_MAX: usize = 10 << 20;

/// Bytes that the states of an automaton may take that is built as it is needed, of each thread.
const CACHE_LEN: usize = 2 << 20;

/// A regex. A clone is the same.
#[derive(Clone)]
pub(super) struct Regex {
    source: String,
    compiled: meta::Regex,
}

impl Regex {
    /// Compiles one, or says why that can't be done. A query asks it of few documents: an automaton
    /// of all states takes longer to build than it saves, a fifth of a search for a word in 1,600
    /// documents.
    pub(super) fn new(source: &str, folds: bool) -> Result<Regex, String> {
        let syntax = syntax::Config::new().utf8(false).multi_line(true).case_insensitive(folds);
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(LEN_MAX))
            .hybrid_cache_capacity(CACHE_LEN)
            .which_captures(WhichCaptures::Implicit)
            .dfa(false)
            .onepass(false);
        let compiled = meta::Builder::new().syntax(syntax).configure(config).build(source);
        let compiled = compiled.map_err(|error| match error.size_limit() {
            Some(len_max) => format!("this regex takes more than {len_max} bytes of memory"),
            None => error.to_string(),
        })?;
        Ok(Regex { source: source.to_owned(), compiled })
    }

    /// Whether it matches somewhere.
    pub(super) fn is_match(&self, bytes: &[u8]) -> bool {
        self.compiled.is_match(bytes)
    }

    /// The first match.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<Match> {
        self.compiled.find(bytes)
    }

    /// All matches, in their order.
    pub(super) fn find_iter<'r, 'b>(&'r self, bytes: &'b [u8]) -> FindMatches<'r, 'b> {
        self.compiled.find_iter(Input::new(bytes))
    }

    /// What it was written as.
    #[cfg(test)]
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Regex").field(&self.source).finish()
    }
}
