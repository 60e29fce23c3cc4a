//! Either engine as a matcher of ripgrep's library: its searcher and printers are compiled once,
//! not once for each.

use std::fmt::Display;

use grep_matcher::{ByteSet, Captures, LineMatchKind, LineTerminator, Match};

use super::matcher::Matcher;

/// The capture groups of a match, of either engine.
#[derive(Debug)]
pub enum Groups {
    /// Rust's.
    Rust(grep_regex::RegexCaptures),
    /// PCRE2's.
    #[cfg(feature = "pcre2")]
    Pcre2(grep_pcre2::RegexCaptures),
}

/// Does the same with the engine that there is; what it fails with becomes a text.
macro_rules! with_engine {
    ($matcher:expr, $engine:ident => $result:expr) => {
        match $matcher {
            Matcher::Rust($engine) => in_words($result),
            #[cfg(feature = "pcre2")]
            Matcher::Pcre2($engine) => in_words($result),
        }
    };
}

/// Only PCRE2 fails, which gives up on a text that takes it too long.
#[inline]
fn in_words<T>(result: Result<T, impl Display>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

impl grep_matcher::Matcher for Matcher {
    type Captures = Groups;
    type Error = String;

    #[inline]
    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, String> {
        with_engine!(self, engine => engine.find_at(text, at))
    }

    fn new_captures(&self) -> Result<Groups, String> {
        match self {
            Matcher::Rust(engine) => in_words(engine.new_captures().map(Groups::Rust)),
            #[cfg(feature = "pcre2")]
            Matcher::Pcre2(engine) => in_words(engine.new_captures().map(Groups::Pcre2)),
        }
    }

    fn captures_at(&self, text: &[u8], at: usize, groups: &mut Groups) -> Result<bool, String> {
        match (self, groups) {
            (Matcher::Rust(engine), Groups::Rust(groups)) => {
                in_words(engine.captures_at(text, at, groups))
            }
            #[cfg(feature = "pcre2")]
            (Matcher::Pcre2(engine), Groups::Pcre2(groups)) => {
                in_words(engine.captures_at(text, at, groups))
            }
            #[cfg(feature = "pcre2")]
            (Matcher::Rust(_), Groups::Pcre2(_)) | (Matcher::Pcre2(_), Groups::Rust(_)) => {
                unreachable!("groups are those that this matcher has made")
            }
        }
    }

    fn capture_count(&self) -> usize {
        match self {
            Matcher::Rust(engine) => engine.capture_count(),
            #[cfg(feature = "pcre2")]
            Matcher::Pcre2(engine) => engine.capture_count(),
        }
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        match self {
            Matcher::Rust(engine) => engine.capture_index(name),
            #[cfg(feature = "pcre2")]
            Matcher::Pcre2(engine) => engine.capture_index(name),
        }
    }

    #[inline]
    fn try_find_iter<F, E>(&self, text: &[u8], matched: F) -> Result<Result<(), E>, String>
    where
        F: FnMut(Match) -> Result<bool, E>,
    {
        with_engine!(self, engine => engine.try_find_iter(text, matched))
    }

    // Called for each cell: as a call it costs 2.5 % of a search in SSTables.
    #[inline(always)]
    fn shortest_match_at(&self, text: &[u8], at: usize) -> Result<Option<usize>, String> {
        with_engine!(self, engine => engine.shortest_match_at(text, at))
    }

    #[inline]
    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        match self {
            Matcher::Rust(engine) => engine.non_matching_bytes(),
            #[cfg(feature = "pcre2")]
            Matcher::Pcre2(engine) => engine.non_matching_bytes(),
        }
    }

    #[inline]
    fn line_terminator(&self) -> Option<LineTerminator> {
        match self {
            Matcher::Rust(engine) => engine.line_terminator(),
            #[cfg(feature = "pcre2")]
            Matcher::Pcre2(engine) => engine.line_terminator(),
        }
    }

    #[inline]
    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, String> {
        with_engine!(self, engine => engine.find_candidate_line(text))
    }
}

impl Captures for Groups {
    fn len(&self) -> usize {
        match self {
            Groups::Rust(groups) => groups.len(),
            #[cfg(feature = "pcre2")]
            Groups::Pcre2(groups) => groups.len(),
        }
    }

    #[inline]
    fn get(&self, group: usize) -> Option<Match> {
        match self {
            Groups::Rust(groups) => groups.get(group),
            #[cfg(feature = "pcre2")]
            Groups::Pcre2(groups) => groups.get(group),
        }
    }
}
