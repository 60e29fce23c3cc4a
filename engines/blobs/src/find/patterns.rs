//! restic's patterns of paths, as automata whose states are bits.
//!
//! A pattern is a list of parts, one for a name, `**` for any number of them. One that begins with
//! a slash begins at the root, any other anywhere; and a path below a match is a match, too. So the
//! state after some names is: whether all matches from here on, or in which parts some pattern is.

use std::borrow::Cow;
use std::fmt;

use manicule_core::go::{BadGlob, Glob, clean, to_lower};

use super::look::State;

/// Everything matches from here on.
const ALL: State = State(1);

/// A part of a pattern.
#[derive(Clone, Debug)]
enum Part {
    Name(Vec<u8>),
    Glob(Glob),
    /// Any number of names.
    Names,
}

/// A pattern, and where the bits of its parts begin: bit `first_bit + n` is set while part `n` is
/// next. The first part of one that begins anywhere has no bit, as it is always next.
#[derive(Clone, Debug)]
struct Pattern {
    parts: Vec<Part>,
    is_anywhere: bool,
    first_bit: u32,
}

/// Patterns, of which a path has to match one.
#[derive(Clone, Debug)]
pub struct Patterns {
    patterns: Vec<Pattern>,
    start: State,
    ignores_case: bool,
}

/// Patterns that can't be searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternsError {
    /// A part of one is no glob.
    Bad {
        /// The pattern.
        pattern: String,
        /// The part.
        part: String,
        /// What is wrong.
        source: BadGlob,
    },
    /// They have too many parts.
    TooMany {
        /// Maximum number of parts.
        parts_max: u32,
    },
}

impl fmt::Display for PatternsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternsError::Bad { pattern, part, source } if part == pattern => {
                write!(f, "pattern {pattern:?}: {source}")
            }
            PatternsError::Bad { pattern, part, source } => {
                write!(f, "pattern {pattern:?}, part {part:?}: {source}")
            }
            PatternsError::TooMany { parts_max } => write!(
                f,
                "the patterns have more than {parts_max} names in all, not counting the first of those without a slash in front: search in two calls"
            ),
        }
    }
}

impl std::error::Error for PatternsError {}

impl Patterns {
    /// Reads patterns; case is that of Unicode, letter by letter.
    pub fn parse<'p>(
        patterns: impl IntoIterator<Item = &'p [u8]>,
        ignores_case: bool,
    ) -> Result<Patterns, PatternsError> {
        let mut all = Patterns { patterns: Vec::new(), start: State(0), ignores_case };
        let mut next_bit = 1;
        for text in patterns {
            let text = if ignores_case { to_lower(text) } else { Cow::Borrowed(text) };
            let pattern = Pattern::parse(&text, next_bit)?;
            next_bit = pattern.first_bit + pattern.parts.len() as u32;
            if next_bit > u128::BITS {
                return Err(PatternsError::TooMany { parts_max: u128::BITS - 1 });
            }
            let mut start = State(0);
            pattern.reach(0, &mut start);
            all.start = joined(all.start, start);
            all.patterns.push(pattern);
        }
        Ok(all)
    }

    /// The state at the root.
    pub fn start(&self) -> State {
        self.start
    }

    /// The state after a name in a folder of state `at`. A name with slashes counts as what it
    /// spells.
    pub fn after(&self, at: State, name: &[u8]) -> State {
        if at == ALL {
            return ALL;
        }
        let name = if self.ignores_case { to_lower(name) } else { Cow::Borrowed(name) };
        if !name.contains(&b'/') {
            return self.after_one(at, &name);
        }
        name.split(|byte| *byte == b'/').fold(at, |at, name| self.after_one(at, name))
    }

    /// Whether the path that led to a state is a match.
    pub fn is_match(at: State) -> bool {
        at == ALL
    }

    /// Whether something below the path that led to a state may be a match.
    pub fn may_match(&self, at: State) -> bool {
        at != State(0) || self.patterns.iter().any(|pattern| pattern.is_anywhere)
    }

    fn after_one(&self, at: State, name: &[u8]) -> State {
        let mut after = State(0);
        for pattern in &self.patterns {
            pattern.step(at, name, &mut after);
            if after == ALL {
                return ALL;
            }
        }
        after
    }
}

/// What both states allow.
fn joined(one: State, other: State) -> State {
    if one == ALL || other == ALL { ALL } else { State(one.0 | other.0) }
}

impl Pattern {
    /// Reads a pattern. As in restic, a `!` in front is passed over, and the empty pattern matches
    /// all.
    fn parse(text: &[u8], next_bit: u32) -> Result<Pattern, PatternsError> {
        let text = text.strip_prefix(b"!").unwrap_or(text);
        if text.is_empty() {
            return Ok(Pattern { parts: Vec::new(), is_anywhere: true, first_bit: next_bit });
        }
        let cleaned = clean(text);
        let is_anywhere = !cleaned.starts_with(b"/");
        let names = cleaned.strip_prefix(b"/").unwrap_or(&cleaned);
        let part = |name: &[u8]| {
            Part::parse(name).map_err(|source| {
                let [pattern, part] =
                    [text, name].map(|text| String::from_utf8_lossy(text).into_owned());
                PatternsError::Bad { pattern, part, source }
            })
        };
        let parts =
            names.split(|byte| *byte == b'/').map(part).collect::<Result<Vec<Part>, _>>()?;
        // The bit of a first part that has none is never used, so it may be another's.
        let first_bit = next_bit - u32::from(is_anywhere);
        Ok(Pattern { parts, is_anywhere, first_bit })
    }

    /// Makes part `next` the next one, and those after it while they may stand for no name; the end
    /// is a match.
    fn reach(&self, mut next: usize, state: &mut State) {
        loop {
            let Some(part) = self.parts.get(next) else {
                *state = ALL;
                return;
            };
            if next > 0 || !self.is_anywhere {
                state.0 |= 1 << (self.first_bit + next as u32);
            }
            if !matches!(part, Part::Names) {
                return;
            }
            next += 1;
        }
    }

    fn step(&self, at: State, name: &[u8], after: &mut State) {
        for (next, part) in self.parts.iter().enumerate() {
            let is_next =
                (next == 0 && self.is_anywhere) || at.0 >> (self.first_bit + next as u32) & 1 == 1;
            if !is_next {
                continue;
            }
            match part {
                Part::Names => self.reach(next, after),
                part if part.matches(name) => self.reach(next + 1, after),
                _ => {}
            }
            if *after == ALL {
                return;
            }
        }
    }
}

impl Part {
    /// A name of nothing is the slash of the root, which matches all that is below it.
    fn parse(name: &[u8]) -> Result<Part, BadGlob> {
        Ok(match name {
            b"" | b"**" => Part::Names,
            name if name.iter().any(|byte| br"\[]*?".contains(byte)) => {
                Part::Glob(Glob::parse(name)?)
            }
            name => Part::Name(name.to_vec()),
        })
    }

    fn matches(&self, name: &[u8]) -> bool {
        match self {
            Part::Name(own) => own == name,
            Part::Glob(glob) => glob.matches(name),
            Part::Names => true,
        }
    }
}
