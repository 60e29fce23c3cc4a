//! One rune after the other, each of a few: a text, or a text with its letters folded. Nothing is
//! compiled: the rarest of its bytes is looked for, and what is around a hit is compared.
//!
//! For a folded word in some hundred lines a regex costs more to compile than to run, and more to
//! begin than to run through a line.

use std::ops::Range;

use memchr::{memchr2, memmem};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Runes that a step may be one of: `s` is three, with the long one.
const RUNES_MAX: u64 = 4;

/// Steps beyond which what is around a hit may cost too much to be compared again and again.
const STEPS_MAX: usize = 64;

/// Bytes in the order of their number in code, the most frequent first; those that aren't here are
/// rarer.
const FREQUENT: &[u8] = b" etaoinrslcdupmfhg.,()_by;v:w=\"k/*'-x{}0[]1j<>2q3z&!#";

/// A sequence of steps, each a rune of a few.
#[derive(Clone)]
pub(super) enum Sequence {
    /// Each step is one rune.
    Text(Box<memmem::Finder<'static>>),
    Steps(Steps),
}

/// Steps, of which number `anchor` is the one whose bytes are looked for.
#[derive(Clone)]
pub(super) struct Steps {
    before: Vec<Step>,
    anchor: (u8, u8),
    after: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    /// One of two bytes, which may be the same.
    Byte(u8, u8),
    /// One of some runes, none of which ends or begins with another.
    Rune(Vec<Vec<u8>>),
}

impl Sequence {
    /// `None` where a regex isn't such a sequence, or one that is too long, or has nothing to look
    /// for.
    pub(super) fn of(hir: &Hir) -> Option<Sequence> {
        let mut steps = Vec::new();
        add(hir, &mut steps)?;
        let text: Option<Vec<u8>> = steps.iter().map(Step::one).collect();
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let finder = memmem::Finder::new(&text).into_owned();
            return Some(Sequence::Text(Box::new(finder)));
        }
        if steps.len() > STEPS_MAX {
            return None;
        }
        let rareness =
            steps.iter().enumerate().filter_map(|(at, step)| Some((step.rareness()?, at)));
        let (_, at) = rareness.max()?;
        let after = steps.split_off(at + 1);
        let Some(Step::Byte(low, high)) = steps.pop() else { return None };
        Some(Sequence::Steps(Steps { before: steps, anchor: (low, high), after }))
    }

    /// The first match that begins at `from` or after it.
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        match self {
            Sequence::Text(finder) => {
                let start = from + finder.find(bytes.get(from..)?)?;
                Some(start..start + finder.needle().len())
            }
            Sequence::Steps(steps) => steps.find(bytes, from),
        }
    }
}

impl Steps {
    fn find(&self, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        let (low, high) = self.anchor;
        let mut at = from;
        loop {
            at += memchr2(low, high, bytes.get(at..)?)?;
            if let Some(start) = self.start(&bytes[from..at])
                && let Some(len) = self.len_after(&bytes[at + 1..])
            {
                return Some(from + start..at + 1 + len);
            }
            at += 1;
        }
    }

    /// Where a match begins whose anchor follows `front`.
    fn start(&self, front: &[u8]) -> Option<usize> {
        let mut rest = front;
        for step in self.before.iter().rev() {
            rest = match step {
                Step::Byte(low, high) => {
                    let (last, rest) = rest.split_last()?;
                    (last == low || last == high).then_some(rest)?
                }
                Step::Rune(runes) => runes.iter().find_map(|rune| rest.strip_suffix(&rune[..]))?,
            };
        }
        Some(rest.len())
    }

    /// Number of bytes of a match after its anchor, after which comes `back`.
    fn len_after(&self, back: &[u8]) -> Option<usize> {
        let mut rest = back;
        for step in &self.after {
            rest = match step {
                Step::Byte(low, high) => {
                    let (first, rest) = rest.split_first()?;
                    (first == low || first == high).then_some(rest)?
                }
                Step::Rune(runes) => runes.iter().find_map(|rune| rest.strip_prefix(&rune[..]))?,
            };
        }
        Some(back.len() - rest.len())
    }
}

impl Step {
    fn one(&self) -> Option<u8> {
        match self {
            Step::Byte(low, high) if low == high => Some(*low),
            _ => None,
        }
    }

    /// How rare its bytes are; of a rune of several bytes nothing is known.
    fn rareness(&self) -> Option<usize> {
        let Step::Byte(low, high) = self else { return None };
        let place = |byte: &u8| {
            let lower = byte.to_ascii_lowercase();
            FREQUENT.iter().position(|frequent| *frequent == lower).unwrap_or(FREQUENT.len())
        };
        Some(place(low).min(place(high)))
    }
}

/// Adds the steps of a regex, if it has nothing else.
fn add(hir: &Hir, steps: &mut Vec<Step>) -> Option<()> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            steps.extend(literal.0.iter().map(|byte| Step::Byte(*byte, *byte)));
            Some(())
        }
        HirKind::Class(Class::Unicode(class)) => {
            let count: u64 = class.iter().map(|range| range.len() as u64).sum();
            if count == 0 || count > RUNES_MAX {
                return None;
            }
            let runes = class.iter().flat_map(|range| range.start()..=range.end());
            let runes: Vec<Vec<u8>> = runes.map(|rune| rune.to_string().into_bytes()).collect();
            steps.push(match runes.as_slice() {
                [one, other] if one.len() == 1 && other.len() == 1 => Step::Byte(one[0], other[0]),
                _ => Step::Rune(runes),
            });
            Some(())
        }
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| add(part, steps)),
        HirKind::Capture(capture) => add(&capture.sub, steps),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::ParserBuilder;

    use super::*;

    fn sequence(source: &str, folds: bool) -> Option<Sequence> {
        let mut parser = ParserBuilder::new().case_insensitive(folds).build();
        Sequence::of(&parser.parse(source).expect("a regex"))
    }

    #[test]
    fn texts_and_folded_texts_are_sequences() {
        for (source, folds, want) in [
            ("abc", false, true),
            ("abc", true, true),
            ("(ab)[cd]", false, true),
            ("größe", true, true),
            ("sks", true, false),
            ("ss", false, true),
            ("ab*", true, false),
            ("^ab", true, false),
            ("a|bc", true, false),
            ("[a-z]x", false, false),
            ("", false, false),
        ] {
            assert_eq!(sequence(source, folds).is_some(), want, "{source} {folds}");
        }
        let long = "ab".repeat(STEPS_MAX / 2);
        assert!(sequence(&long, true).is_some());
        assert!(sequence(&format!("{long}a"), true).is_none());
        assert!(sequence(&format!("{long}a"), false).is_some());
    }

    #[test]
    fn what_is_looked_for_is_the_rarest_byte() {
        let anchor = |source: &str| match sequence(source, true) {
            Some(Sequence::Steps(steps)) => steps.anchor,
            _ => panic!("steps"),
        };
        assert_eq!(anchor("tombstone"), (b'B', b'b'));
        assert_eq!(anchor("posting list"), (b'G', b'g'));
        assert_eq!(anchor("a~b"), (b'~', b'~'));
    }

    /// Texts of few runes, in which sequences of them begin, break off and overlap.
    #[test]
    fn a_sequence_matches_where_the_regex_does() {
        const RUNES: [&str; 10] = ["a", "A", "s", "S", "\u{17f}", "k", "\u{212a}", "ü", "Ü", "\n"];
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        let mut matched = 0;
        for _ in 0..4000 {
            let source: String = (0..1 + next(4)).map(|_| RUNES[next(9)]).collect();
            let mut text = Vec::new();
            for _ in 0..next(40) {
                match next(12) {
                    0 => text.push([0xc5, 0xff, 0xbf][next(3)]),
                    _ => text.extend_from_slice(RUNES[next(10)].as_bytes()),
                }
            }
            let folds = next(2) == 0;
            let Some(sequence) = sequence(&source, folds) else { continue };
            let regex = regex_automata::meta::Builder::new()
                .syntax(regex_automata::util::syntax::Config::new().case_insensitive(folds))
                .build(&source)
                .expect("a regex");
            let want: Vec<Range<usize>> =
                regex.find_iter(&text).map(|found| found.range()).collect();
            let (mut got, mut at) = (Vec::new(), 0);
            while let Some(range) = sequence.find(&text, at) {
                at = range.end;
                got.push(range);
            }
            assert_eq!(got, want, "{source:?} in {text:?}, folds: {folds}");
            matched += usize::from(!want.is_empty());
        }
        assert!(matched > 400, "{matched}");
    }
}
