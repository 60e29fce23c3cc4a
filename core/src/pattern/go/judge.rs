//! Runs an expression over values.

use std::collections::HashSet;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::{primitives::StateID, start};
use regex_automata::{Anchored, Input, meta};
use regex_syntax::hir::{Hir, Look};

use super::shape::{self, Glob};

/// Memory of the automaton that others are made from.
pub(super) const NFA_BYTES_MAX: usize = 128 << 20;
/// Memory of an automaton that is laid out at once, and of laying it out.
const DENSE_BYTES_MAX: usize = 256 << 10;

/// Values from which on a hash is faster than comparing them all.
const HASHED_FROM: usize = 8;

/// Ways to judge values: the plainest that fits.
pub(super) enum Judge {
    /// By looking them up: increasing, and if they are many by hash, too.
    Values(Vec<Vec<u8>>, Option<HashSet<Vec<u8>>>),
    /// By texts in order.
    Glob(Glob),
    /// By an automaton with all its states, from this one.
    Dense(Box<dense::DFA<Vec<u32>>>, StateID),
    /// By an automaton that gets its states as it runs.
    Lazy(Box<meta::Regex>),
}

impl Judge {
    /// Nothing if the automaton would be too large.
    pub(super) fn new(hir: Hir) -> Option<Judge> {
        if let Some(values) = shape::values(&hir) {
            return Some(Judge::values(values));
        }
        if let Some(glob) = Glob::of(&hir) {
            return Some(Judge::Glob(glob));
        }
        let whole = Hir::concat(vec![Hir::look(Look::Start), hir, Hir::look(Look::End)]);
        Judge::dense(&whole).or_else(|| Judge::lazy(&whole))
    }

    /// Values that are strictly increasing.
    pub(super) fn values(values: Vec<Vec<u8>>) -> Judge {
        let hashed = (values.len() > HASHED_FROM).then(|| values.iter().cloned().collect());
        Judge::Values(values, hashed)
    }

    pub(super) fn dense(whole: &Hir) -> Option<Judge> {
        let config = thompson::Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(DENSE_BYTES_MAX));
        let nfa: NFA = thompson::Compiler::new().configure(config).build_from_hir(whole).ok()?;
        let config = dense::Config::new()
            .accelerate(false)
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(DENSE_BYTES_MAX))
            .determinize_size_limit(Some(DENSE_BYTES_MAX));
        let dfa = dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()?;
        let start = dfa.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        Some(Judge::Dense(Box::new(dfa), start))
    }

    pub(super) fn lazy(whole: &Hir) -> Option<Judge> {
        let config = meta::Config::new()
            .utf8_empty(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(NFA_BYTES_MAX));
        let regex = meta::Builder::new().configure(config).build_from_hir(whole).ok()?;
        Some(Judge::Lazy(Box::new(regex)))
    }

    #[inline]
    pub(super) fn is_match(&self, value: &[u8]) -> bool {
        match self {
            Judge::Values(_, Some(hashed)) => hashed.contains(value),
            Judge::Values(values, None) => values.iter().any(|known| known == value),
            Judge::Glob(glob) => glob.is_match(value),
            Judge::Dense(dfa, start) => {
                run(dfa, *start, value)
                    || as_text(value).is_some_and(|text| run(dfa, *start, text.as_bytes()))
            }
            Judge::Lazy(regex) => {
                run_lazy(regex, value)
                    || as_text(value).is_some_and(|text| run_lazy(regex, text.as_bytes()))
            }
        }
    }
}

/// Whether the automaton, which is anchored at the end, too, accepts the bytes.
#[inline]
fn run(dfa: &dense::DFA<Vec<u32>>, start: StateID, bytes: &[u8]) -> bool {
    let mut state = start;
    for &byte in bytes {
        state = dfa.next_state(state, byte);
        if dfa.is_special_state(state) && dfa.is_dead_state(state) {
            return false;
        }
    }
    dfa.is_match_state(dfa.next_eoi_state(state))
}

fn run_lazy(regex: &meta::Regex, bytes: &[u8]) -> bool {
    regex.is_match(Input::new(bytes).anchored(Anchored::Yes))
}

/// A value that is not valid UTF-8, with U+FFFD for each byte that keeps it from being so, as Go
/// reads it. What an expression accepts without that it accepts with it, so it's asked only of what
/// was refused.
#[cold]
pub(super) fn as_text(value: &[u8]) -> Option<String> {
    if std::str::from_utf8(value).is_ok() {
        return None;
    }
    let mut text = String::with_capacity(value.len() + 16);
    for chunk in value.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Some(text)
}
