//! Walks the syntax tree of a pattern and collects its facts.
//!
//! regex-syntax walks without recursion, and neighbours join as soon as both are known. So neither
//! depth nor the number of patterns costs more than the tree itself.

use regex_syntax::hir::{self, Class, ClassBytes, ClassUnicode, Hir, HirKind, Repetition};

use super::ByteSet;
use super::facts::{Facts, Run};
use super::need::Limits;

/// Whether characters whose encodings have several lengths may be spelled out.
pub(super) struct Spelling {
    /// They may: `(?i)s` is `[Ss]` or `"ſ"`, two texts, and four of them in a word are sixteen.
    pub(super) allowed: bool,
    /// One was.
    pub(super) used: bool,
}

/// The facts of a whole pattern.
pub(super) fn facts(hir: &Hir, limits: &Limits, spelling: &mut Spelling) -> Facts {
    match hir::visit(hir, Reader { limits, spelling, parts: Vec::new() }) {
        Ok(facts) => facts,
        Err(never) => match never {},
    }
}

struct Reader<'a> {
    limits: &'a Limits,
    spelling: &'a mut Spelling,
    /// Finished parts, and for each open alternation those that it has so far. An open
    /// concatenation has two: what it has so far, and its last part, which may still grow.
    parts: Vec<Facts>,
}

impl Reader<'_> {
    fn pop(&mut self) -> Facts {
        self.parts.pop().expect("each node leaves its facts on the stack")
    }

    fn join(&mut self, how: fn(Facts, Facts, &Limits) -> Facts) {
        let next = self.pop();
        let so_far = self.pop();
        self.parts.push(how(so_far, next, self.limits));
    }

    /// Consecutive characters of one class join first: `-\d\d` is a dash and a `\d{2}`.
    fn concat(&mut self) {
        let next = self.pop();
        let last = self.pop();
        if last.is_alike(&next) {
            self.parts.push(last.then(next, self.limits));
        } else {
            self.parts.push(last);
            self.join(Facts::then);
            self.parts.push(next);
        }
    }

    fn repeat(&mut self, repetition: &Repetition) {
        let one = self.pop();
        self.parts.push(one.repeat(repetition.min, repetition.max, self.limits));
    }

    fn class(&mut self, class: &Class) {
        let facts = match class {
            Class::Bytes(class) => byte_class(class, self.limits),
            Class::Unicode(class) => character_class(class, self.limits, self.spelling),
        };
        self.parts.push(facts);
    }
}

impl hir::Visitor for Reader<'_> {
    type Output = Facts;
    type Err = std::convert::Infallible;

    fn finish(mut self) -> Result<Facts, Self::Err> {
        Ok(self.pop())
    }

    fn visit_pre(&mut self, hir: &Hir) -> Result<(), Self::Err> {
        match hir.kind() {
            HirKind::Concat(_) => self.parts.extend([Facts::empty(), Facts::empty()]),
            HirKind::Alternation(_) => self.parts.push(Facts::never()),
            _ => {}
        }
        Ok(())
    }

    fn visit_concat_in(&mut self) -> Result<(), Self::Err> {
        self.concat();
        Ok(())
    }

    fn visit_alternation_in(&mut self) -> Result<(), Self::Err> {
        self.join(Facts::or);
        Ok(())
    }

    fn visit_post(&mut self, hir: &Hir) -> Result<(), Self::Err> {
        match hir.kind() {
            // What looks around takes no byte. It could only make the need stronger.
            HirKind::Empty | HirKind::Look(_) => self.parts.push(Facts::empty()),
            HirKind::Literal(literal) => self.parts.push(Facts::literal(&literal.0, self.limits)),
            HirKind::Class(class) => self.class(class),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Capture(_) => {}
            HirKind::Concat(_) => {
                self.concat();
                self.join(Facts::then);
            }
            HirKind::Alternation(_) => self.join(Facts::or),
        }
        Ok(())
    }
}

fn byte_class(class: &ClassBytes, limits: &Limits) -> Facts {
    let ranges = class.ranges().iter().map(|range| ByteSet::range(range.start(), range.end()));
    let set = ranges.fold(ByteSet::EMPTY, ByteSet::union);
    match set.ascii_count() {
        _ if set.is_empty() => Facts::never(),
        count if count > limits.ascii_max => Facts::unknown(),
        _ => Facts::Exact(vec![vec![set]]),
    }
}

/// One character of a class, in UTF-8.
///
/// Where all members are encoded in the same number of bytes, each of these bytes has its set.
/// Where they aren't, a few members are spelled out. The rest is blurred, which is sound: the
/// character is one byte, which is both its first and its last; or it's several, then its first
/// byte is the first of an encoding, and its last the last of one. So what stands before the
/// character, followed by one of the first bytes, is in each match, and so is one of the last
/// bytes, followed by what follows it.
fn character_class(class: &ClassUnicode, limits: &Limits, spelling: &mut Spelling) -> Facts {
    let mut by_len = encodings(class);
    by_len.retain(|run| !run.is_empty());
    if by_len.iter().any(|run| run[0].ascii_count() > limits.ascii_max) {
        return Facts::unknown();
    }
    let spelled = by_len.len() > 1 && members_within(class, SPELLED_MEMBERS_MAX);
    if by_len.len() < 2 || spelled && spelling.allowed {
        spelling.used |= spelled;
        return Facts::Exact(by_len);
    }
    let over =
        |bytes: fn(&Run) -> ByteSet| by_len.iter().map(bytes).fold(ByteSet::EMPTY, ByteSet::union);
    let first = widen(over(|run| run[0]), 0xC2, 0xF4);
    let last = widen(over(|run| run[run.len() - 1]), 0x80, 0xBF);
    let all = over(|run| run.iter().copied().fold(ByteSet::EMPTY, ByteSet::union));
    Facts::character(first, last, widen(all, 0x80, 0xF4))
}

/// The sets of `\d` and its like, which are full of holes, as plain as people want to read them.
/// No index of text distinguishes that many bytes.
fn widen(set: ByteSet, low: u8, high: u8) -> ByteSet {
    if set.high_count() > 4 { set.union(ByteSet::range(low, high)) } else { set }
}

/// A letter and its cases are at most four.
const SPELLED_MEMBERS_MAX: u32 = 4;

fn members_within(class: &ClassUnicode, count_max: u32) -> bool {
    let mut left = count_max;
    class.ranges().iter().all(|range| {
        let count = range.end() as u32 - range.start() as u32 + 1;
        let within = count <= left;
        left = left.saturating_sub(count);
        within
    })
}

/// The characters whose encodings have one, two, three and four bytes.
const BY_LEN: [(char, char); 4] =
    [('\0', '\x7F'), ('\u{80}', '\u{7FF}'), ('\u{800}', '\u{FFFF}'), ('\u{10000}', char::MAX)];

/// For each number of bytes the sets of the members with encodings of that length, or nothing.
fn encodings(class: &ClassUnicode) -> Vec<Run> {
    let mut by_len: Vec<Run> = vec![Run::new(); BY_LEN.len()];
    for range in class.ranges() {
        for (run, (low, high)) in by_len.iter_mut().zip(BY_LEN) {
            let (first, last) = (range.start().max(low), range.end().min(high));
            if first <= last {
                lay_over(run, first, last);
            }
        }
    }
    by_len
}

/// UTF-8 keeps the order. So what two encodings of one length begin with, all between them begin
/// with, and their next byte is between the next bytes of the two.
fn lay_over(run: &mut Run, first: char, last: char) {
    let (mut first_bytes, mut last_bytes) = ([0; 4], [0; 4]);
    let first = first.encode_utf8(&mut first_bytes).as_bytes();
    let last = last.encode_utf8(&mut last_bytes).as_bytes();
    run.resize(first.len(), ByteSet::EMPTY);
    let mut same = true;
    for ((set, &low), &high) in run.iter_mut().zip(first).zip(last) {
        let (low, high) = if same { (low, high) } else { (0x80, 0xBF) };
        *set = set.union(ByteSet::range(low, high));
        same &= low == high;
    }
}
