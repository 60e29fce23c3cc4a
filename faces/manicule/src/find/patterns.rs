//! The patterns of a search: what they mean, and what every match of them holds.

use manicule_core::pattern::{self, Case, Dialect, Limits, Need, Syntax};

use super::reading::Reading;

/// Engine of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Rust's: linear time, no look-around.
    Rust,
    /// PCRE2, in builds with the feature `pcre2`.
    Pcre2,
}

/// What must surround a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Line ends.
    Line,
    /// Word ends.
    Word,
}

/// Patterns, of which one has to match.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// The patterns.
    pub texts: Vec<String>,
    /// The engine that reads them.
    pub engine: Engine,
    /// Whether they are literal texts rather than regular expressions.
    pub fixed: bool,
    /// Equality of letters.
    pub case: Case,
    /// What must surround a match.
    pub boundary: Option<Boundary>,
    /// Whether `.`, `\w`, `(?i)` and so on speak about code points; otherwise about bytes.
    pub unicode: bool,
    /// Maximum size of a compiled pattern of Rust's engine in bytes; `None`: the engine's own.
    pub size_max: Option<usize>,
    /// Maximum size of its lazy automaton in bytes; `None`: the engine's own.
    pub dfa_size_max: Option<usize>,
}

impl Patterns {
    /// Regular expressions of Rust's engine in which case counts.
    pub fn new(texts: Vec<String>) -> Self {
        Patterns {
            texts,
            engine: Engine::Rust,
            fixed: false,
            case: Case::Sensitive,
            boundary: None,
            unicode: true,
            size_max: None,
            dfa_size_max: None,
        }
    }

    /// What each match must contain. A pattern that can't be read is reported by the matcher.
    pub(super) fn need(&self, reading: &Reading) -> Need {
        if self.engine == Engine::Pcre2 {
            return Need::Anything;
        }
        pattern::need(&self.as_strs(), &self.dialect(reading), &Limits::USUAL)
            .unwrap_or(Need::Anything)
    }

    /// The only text that matches, if there is just one.
    pub(super) fn text(&self, reading: &Reading) -> Option<Vec<u8>> {
        if self.engine == Engine::Pcre2 {
            return None;
        }
        pattern::text(&self.as_strs(), &self.dialect(reading))
    }

    /// Whether a pattern has one of these characters, so that it may mean more than a text by
    /// itself.
    pub(super) fn has_any(&self, chars: &[char]) -> bool {
        self.texts.iter().any(|pattern| pattern.contains(chars))
    }

    fn as_strs(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }

    /// Their dialect for Rust's engine.
    fn dialect(&self, reading: &Reading) -> Dialect {
        Dialect {
            syntax: if self.fixed { Syntax::Fixed } else { Syntax::Regex },
            case: self.case,
            unicode: self.unicode,
            dot_matches_new_line: reading.dot_matches_new_line,
            crlf: reading.crlf,
            ..Dialect::RIPGREP
        }
    }
}
