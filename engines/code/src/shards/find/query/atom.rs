//! A word of a query compiled: its regex, and what every match of it must hold.

use manicule_core::pattern::{self, ByteSet, Dialect, Limits, Need};
use memchr::memmem;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::super::super::dialect::Translated;
use super::expr::{Atom, QueryError, Texts};
use super::kind;
use super::regex::{Regex, parsed};

/// Equality of a word's letters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Yes,
    No,
    /// As the word has a capital of ASCII, or not.
    Auto,
}

/// A regex that was read, before it is known which letters are equal.
pub(super) struct Word {
    pub(super) regex: Source,
    pub(super) case: Option<Case>,
}

/// A regex in our words, and where it stands in the query.
pub(super) struct Source {
    pub(super) translated: Translated,
    /// For each byte of the regex as it was written its place in the query, and the place of its
    /// end.
    pub(super) places: Vec<usize>,
}

impl Source {
    /// Number of states that it takes, about; of what is no regex none.
    pub(super) fn states(&self) -> u64 {
        parsed(&self.translated.source, true).map_or(0, |hir| states_of(&hir))
    }

    pub(super) fn compile(&self, folds: bool) -> Result<Regex, QueryError> {
        let source = &self.translated.source;
        if let Err(error) = parsed(source, folds) {
            let fault = self.translated.fault(&error);
            return Err(QueryError { at: self.places[fault.at], what: fault.what });
        }
        build(source, folds, self.places[0])
    }
}

/// Each range of characters of Unicode takes as many states: one for each of its bytes.
const STATES_A_RANGE: u64 = 4;

fn states_of(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64 * STATES_A_RANGE,
        HirKind::Repetition(repeat) => {
            let times = u64::from(repeat.max.unwrap_or(repeat.min.saturating_add(1)));
            states_of(&repeat.sub).saturating_mul(times.max(1))
        }
        HirKind::Capture(capture) => states_of(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(states_of).fold(1, u64::saturating_add)
        }
    }
}

/// Compiles a regex that was parsed; `at` is its place in the query.
fn build(source: &str, folds: bool, at: usize) -> Result<Regex, QueryError> {
    Regex::new(source, folds).map_err(|what| QueryError { at, what })
}

impl Word {
    /// The regex, and whether it is the empty one, which asks for nothing.
    pub(super) fn atom(&self) -> Result<(Atom, bool), QueryError> {
        let source = &self.regex.translated.source;
        let folds = match self.case.unwrap_or(Case::Auto) {
            Case::Yes => false,
            Case::No => true,
            Case::Auto => !kind::has_capital(source),
        };
        let kind = kind::kind_of(source, folds);
        let regex = match kind.texts {
            Texts::Several => longest_first(&kind.alternatives, folds, &self.regex)?,
            Texts::One(_) | Texts::Pattern => self.regex.compile(folds)?,
        };
        let case = if folds { pattern::Case::Insensitive } else { pattern::Case::Sensitive };
        let dialect = Dialect { case, ..Dialect::RIPGREP };
        let need = pattern::need(&[source], &dialect, &Limits::USUAL).unwrap_or(Need::Anything);
        let need = tame(need);
        let rare = rare_literal(&need).filter(|_| kind.by_line && !regex.is_sequence());
        let rare = rare.map(|literal| memmem::Finder::new(&literal).into_owned());
        let (by_line, is_plain, texts) = (kind.by_line, kind.is_plain, kind.texts);
        let atom = Atom { regex, texts, need, by_line, rare, is_plain };
        Ok((atom, kind.is_empty))
    }
}

/// A regex of which a match at one place is the longest there: so zoekt finds several texts.
fn longest_first(texts: &[String], folds: bool, written: &Source) -> Result<Regex, QueryError> {
    let texts: Vec<String> = texts.iter().map(|text| regex_syntax::escape(text)).collect();
    build(&texts.join("|"), folds, written.places[0])
}

/// Bytes that stand in every third line of code or so: looking for one of them first saves nothing.
const FREQUENT: &[u8] = b" \t.,;:()[]{}\"'/*-=<>";

/// The longest text that each match holds. The regex's library knows of those at its matches' front
/// only, and takes 5 ns a byte of `[a-z]{3}_[a-z]{3}` where looking for `_` first takes a
/// twentieth.
fn rare_literal(need: &Need) -> Option<Vec<u8>> {
    let literal = pattern::literals(need).into_iter().next()?;
    let is_rare = match literal.as_slice() {
        [byte] => !byte.is_ascii_alphanumeric() && !FREQUENT.contains(byte),
        literal => !literal.contains(&b'\n'),
    };
    is_rare.then_some(literal)
}

/// Takes back what a need says of the three bytes of U+FFFD, which stands for any one byte that is
/// not valid UTF-8: no set that comes from it is without the bytes EF, BF or BD.
fn tame(need: Need) -> Need {
    let stands_for_bad = |set: &ByteSet| [0xef, 0xbf, 0xbd].iter().any(|byte| set.contains(*byte));
    match need {
        Need::Anything => Need::Anything,
        Need::All(parts) => Need::All(parts.into_iter().map(tame).collect()),
        Need::Any(parts) => Need::Any(parts.into_iter().map(tame).collect()),
        Need::Seq(sets) => {
            let mut parts: Vec<Need> = sets
                .split(stands_for_bad)
                .filter(|part| !part.is_empty())
                .map(|part| Need::Seq(part.to_vec()))
                .collect();
            match parts.len() {
                0 => Need::Anything,
                1 => parts.swap_remove(0),
                _ => Need::All(parts),
            }
        }
    }
}
