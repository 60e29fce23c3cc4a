//! What is known about the matches of one part of a pattern, and how it joins.
//!
//! Each part has *facts*: either the exact texts it matches, or how its matches begin, how they
//! end, and what else they hold. Facts of neighbours meet at the seam: the tails of the left times
//! the heads of the right stand in each match of both. This is how Google's code search reads a
//! regex, with sets of bytes instead of bytes.
//!
//! Every step may forget, none may invent. Each is bounded by `Limits`, so that a pattern costs
//! what its syntax tree has nodes, times a constant.

use super::ByteSet;
use super::need::{Limits, Need};

/// Bytes that follow each other directly, each one of a set.
pub(super) type Run = Vec<ByteSet>;

/// Facts about all matches of one part of a pattern.
#[derive(Clone)]
pub(super) enum Facts {
    /// Each match is spelled by one of these runs. Of no run: there is no match.
    Exact(Vec<Run>),
    /// There is no such short list.
    Loose(Loose),
}

/// Facts about a part that has no short list of matches.
#[derive(Clone)]
pub(super) struct Loose {
    /// Each match begins with one of these; an empty run means any beginning.
    heads: Vec<Run>,
    /// Each match ends with one of these.
    tails: Vec<Run>,
    /// Each match holds this, too.
    part: Part,
    /// Whether `part` says already what heads and tails say.
    closed: bool,
    /// Minimum length of a match in bytes, and the set that all its bytes are from.
    stuff: Option<(ByteSet, usize)>,
}

/// A need and its size.
#[derive(Clone)]
struct Part {
    need: Need,
    sets: usize,
}

/// Length up to which a blurred run and a run of one stuff are followed: more than any index's
/// gram.
const EDGE_LEN_MAX: usize = 16;

impl Facts {
    /// The empty text and nothing else.
    pub(super) fn empty() -> Facts {
        Facts::Exact(vec![vec![]])
    }

    /// No match at all.
    pub(super) fn never() -> Facts {
        Facts::Exact(vec![])
    }

    /// Any text.
    pub(super) fn unknown() -> Facts {
        Facts::Loose(Loose {
            heads: vec![vec![]],
            tails: vec![vec![]],
            part: Part::anything(),
            closed: true,
            stuff: None,
        })
    }

    /// One literal text. What is too long to be carried along is cut in the middle.
    pub(super) fn literal(bytes: &[u8], limits: &Limits) -> Facts {
        let run = |bytes: &[u8]| vec![bytes.iter().map(|&byte| ByteSet::one(byte)).collect()];
        let len_max = limits.alternative_sets_max;
        if bytes.len() <= len_max {
            return Facts::Exact(run(bytes));
        }
        Facts::edges(run(&bytes[..len_max]), run(&bytes[bytes.len() - len_max..]))
    }

    /// One character whose encodings have several lengths: their first bytes, their last bytes, and
    /// all their bytes.
    pub(super) fn character(first: ByteSet, last: ByteSet, all: ByteSet) -> Facts {
        Facts::Loose(Loose {
            heads: vec![vec![first]],
            tails: vec![vec![last]],
            part: Part::anything(),
            closed: false,
            stuff: Some((all, 1)),
        })
    }

    fn edges(heads: Vec<Run>, tails: Vec<Run>) -> Facts {
        Facts::Loose(Loose { heads, tails, part: Part::anything(), closed: false, stuff: None })
    }

    /// One after the other.
    pub(super) fn then(self, next: Facts, limits: &Limits) -> Facts {
        match (self, next) {
            (Facts::Exact(left), Facts::Exact(right)) => {
                if fits(&left, &right, limits) {
                    return Facts::Exact(product(left, right));
                }
                let part = seam(&left, &right, limits);
                let (heads, tails, stuff) = (left, right, None);
                Facts::Loose(Loose { heads, tails, part, closed: false, stuff })
            }
            (Facts::Exact(left), Facts::Loose(right)) => Facts::Loose(right.after(left, limits)),
            (Facts::Loose(left), Facts::Exact(right)) => Facts::Loose(left.before(right, limits)),
            (Facts::Loose(left), Facts::Loose(right)) => Facts::Loose(left.then(right, limits)),
        }
    }

    /// Whether both are characters of one class, which are better joined before others are.
    pub(super) fn is_alike(&self, next: &Facts) -> bool {
        match (self, next) {
            (Facts::Loose(left), Facts::Loose(right)) => left.same_stuff(right).is_some(),
            _ => false,
        }
    }

    /// One or the other.
    pub(super) fn or(self, other: Facts, limits: &Limits) -> Facts {
        match (self, other) {
            (Facts::Exact(left), other) if left.is_empty() => other,
            (left, Facts::Exact(right)) if right.is_empty() => left,
            (Facts::Exact(mut left), Facts::Exact(right))
                if left.len() + right.len() <= limits.alternatives_max
                    && sets(&left) + sets(&right) <= limits.alternative_sets_max =>
            {
                left.extend(right);
                Facts::Exact(left)
            }
            (left, right) => {
                let (left, right) = (left.close(limits), right.close(limits));
                Facts::Loose(Loose {
                    heads: gather(left.heads, right.heads, limits, blur_front),
                    tails: gather(left.tails, right.tails, limits, blur_back),
                    part: left.part.or(right.part, limits),
                    closed: true,
                    stuff: None,
                })
            }
        }
    }

    /// The same, with everything that is needed in its part.
    fn close(self, limits: &Limits) -> Loose {
        let (heads, tails, part) = match self {
            Facts::Loose(loose) if loose.closed => return Loose { stuff: None, ..loose },
            Facts::Loose(loose) => {
                (loose.heads.clone(), loose.tails.clone(), loose.into_part(limits))
            }
            Facts::Exact(runs) => (runs.clone(), runs.clone(), Part::any_of(runs, limits)),
        };
        Loose { heads, tails, part, closed: true, stuff: None }
    }

    /// `min` times or more often, up to `max` if there is one.
    pub(super) fn repeat(self, min: u32, max: Option<u32>, limits: &Limits) -> Facts {
        match self {
            Facts::Exact(runs) if runs.iter().all(Vec::is_empty) && !runs.is_empty() => {
                Facts::empty()
            }
            one if min == 0 && max == Some(1) => Facts::empty().or(one, limits),
            _ if max == Some(0) => Facts::empty(),
            _ if min == 0 => Facts::unknown(),
            one => one.at_least(min, max == Some(min), limits),
        }
    }

    /// A match of `x{n}` or `x{n,}` begins with a match of `x{k}` and ends with one, for each k up
    /// to n. So copies are joined while that teaches anything. What then isn't the whole has edges.
    fn at_least(self, min: u32, whole: bool, limits: &Limits) -> Facts {
        let mut copies = 1;
        let mut joined = self.clone();
        while copies < min && joined.gains_by(&self, copies, limits) {
            joined = joined.then(self.clone(), limits);
            copies += 1;
        }
        match joined {
            Facts::Exact(runs) if runs.is_empty() || whole && copies == min => Facts::Exact(runs),
            Facts::Exact(runs) => Facts::edges(runs.clone(), runs),
            loose => loose,
        }
    }

    /// Whether one more than `copies` copies of `one` says more than `copies` do.
    fn gains_by(&self, one: &Facts, copies: u32, limits: &Limits) -> bool {
        match (self, one) {
            (Facts::Exact(runs), Facts::Exact(one)) => !runs.is_empty() && fits(runs, one, limits),
            (Facts::Loose(loose), _) if loose.stuff.is_some() => copies < EDGE_LEN_MAX as u32,
            // The second copy shows what meets at the seam; the third one meets just so.
            _ => copies < 2,
        }
    }

    /// The need of each match.
    pub(super) fn into_need(self, limits: &Limits) -> Need {
        match self {
            Facts::Exact(runs) => Part::any_of(runs, limits).need,
            Facts::Loose(loose) => loose.into_part(limits).need,
        }
    }
}

impl Loose {
    fn into_part(self, limits: &Limits) -> Part {
        if self.closed {
            return self.part;
        }
        let heads = Part::any_of(self.heads, limits);
        heads.and(self.part, limits).and(Part::any_of(self.tails, limits), limits)
    }

    /// Behind the exact `left`.
    fn after(mut self, left: Vec<Run>, limits: &Limits) -> Loose {
        if fits(&left, &self.heads, limits) {
            self.heads = product(left, self.heads);
        } else {
            self.part = seam(&left, &self.heads, limits).and(self.part, limits);
            self.heads = left;
        }
        Loose { closed: false, stuff: None, ..self }
    }

    /// In front of the exact `right`.
    fn before(mut self, right: Vec<Run>, limits: &Limits) -> Loose {
        if fits(&self.tails, &right, limits) {
            self.tails = product(self.tails, right);
        } else {
            self.part = self.part.and(seam(&self.tails, &right, limits), limits);
            self.tails = right;
        }
        Loose { closed: false, stuff: None, ..self }
    }

    fn then(self, right: Loose, limits: &Limits) -> Loose {
        if let Some(both) = self.same_stuff(&right) {
            return both;
        }
        let between = seam(&self.tails, &right.heads, limits);
        Loose {
            heads: self.heads,
            tails: right.tails,
            part: self.part.and(between, limits).and(right.part, limits),
            closed: false,
            stuff: None,
        }
    }

    /// Consecutive characters of one class, as in `\d\d\d`. Each has one byte or more, all of
    /// them from the class's bytes. So of n characters the first n bytes are from them, and the
    /// last n, wherever the borders are. The very first and very last byte are known better.
    fn same_stuff(&self, right: &Loose) -> Option<Loose> {
        let ((set, left_len), (other, right_len)) = (self.stuff?, right.stuff?);
        let len = left_len + right_len;
        if set != other || len > EDGE_LEN_MAX {
            return None;
        }
        let mut heads = self.heads.clone();
        let mut tails = right.tails.clone();
        heads[0].resize(len, set);
        tails[0].splice(0..0, std::iter::repeat_n(set, left_len));
        let part = Part::anything();
        Some(Loose { heads, tails, part, closed: false, stuff: Some((set, len)) })
    }
}

impl Part {
    fn anything() -> Part {
        Part { need: Need::Anything, sets: 0 }
    }

    /// One of the runs.
    fn any_of(runs: Vec<Run>, limits: &Limits) -> Part {
        let sets = sets(&runs).max(1);
        if runs.iter().any(Vec::is_empty) || sets > limits.need_sets_max {
            return Part::anything();
        }
        let mut seqs: Vec<Need> = runs.into_iter().map(Need::Seq).collect();
        let need = if seqs.len() == 1 { seqs.swap_remove(0) } else { Need::Any(seqs) };
        Part { need, sets }
    }

    /// Both. Too many sets: the later ones are forgotten.
    fn and(self, other: Part, limits: &Limits) -> Part {
        match (self.need, other.need) {
            (Need::Anything, need) => Part { need, sets: other.sets },
            (need, Need::Anything) => Part { need, sets: self.sets },
            (need, _) if self.sets + other.sets > limits.need_sets_max => {
                Part { need, sets: self.sets }
            }
            (left, right) => {
                let mut parts = match left {
                    Need::All(parts) => parts,
                    left => vec![left],
                };
                match right {
                    Need::All(more) => parts.extend(more),
                    right => parts.push(right),
                }
                Part { need: Need::All(parts), sets: self.sets + other.sets }
            }
        }
    }

    /// One of them. Too many sets: anything, as no branch may be forgotten.
    fn or(self, other: Part, limits: &Limits) -> Part {
        match (self.need, other.need) {
            (Need::Anything, _) | (_, Need::Anything) => Part::anything(),
            _ if self.sets + other.sets > limits.need_sets_max => Part::anything(),
            (left, right) => {
                let mut parts = match left {
                    Need::Any(parts) => parts,
                    left => vec![left],
                };
                match right {
                    Need::Any(more) => parts.extend(more),
                    right => parts.push(right),
                }
                Part { need: Need::Any(parts), sets: self.sets + other.sets }
            }
        }
    }
}

fn sets(runs: &[Run]) -> usize {
    runs.iter().map(Vec::len).sum()
}

/// Whether each left run followed by each right run is a list of a size that is allowed.
fn fits(left: &[Run], right: &[Run], limits: &Limits) -> bool {
    let count = left.len() * right.len();
    let total = left.len() * sets(right) + right.len() * sets(left);
    count <= limits.alternatives_max && total <= limits.alternative_sets_max
}

fn product(mut left: Vec<Run>, right: Vec<Run>) -> Vec<Run> {
    if let [only] = right.as_slice() {
        left.iter_mut().for_each(|run| run.extend_from_slice(only));
        return left;
    }
    let mut runs = Vec::with_capacity(left.len() * right.len());
    for head in &left {
        runs.extend(right.iter().map(|tail| [head.as_slice(), tail].concat()));
    }
    runs
}

/// Runs where the tails of one part meet the heads of the next. Where there are too many of
/// them, each side is kept, and what meets is blurred.
fn seam(tails: &[Run], heads: &[Run], limits: &Limits) -> Part {
    if fits(tails, heads, limits) {
        return Part::any_of(product(tails.to_vec(), heads.to_vec()), limits);
    }
    let left = Part::any_of(tails.to_vec(), limits);
    let right = Part::any_of(heads.to_vec(), limits);
    let (tail, head) = (vec![blur_back(tails, limits)], vec![blur_front(heads, limits)]);
    let blurred = if fits(&tail, heads, limits) {
        product(tail, heads.to_vec())
    } else if fits(tails, &head, limits) {
        product(tails.to_vec(), head)
    } else {
        product(tail, head)
    };
    left.and(Part::any_of(blurred, limits), limits).and(right, limits)
}

/// Two lists of edges as one, blurred if it's too long.
fn gather(
    mut left: Vec<Run>,
    right: Vec<Run>,
    limits: &Limits,
    blur: fn(&[Run], &Limits) -> Run,
) -> Vec<Run> {
    left.extend(right);
    if left.len() > limits.alternatives_max || sets(&left) > limits.alternative_sets_max {
        left = vec![blur(&left, limits)];
    }
    left
}

/// The runs laid over each other from their beginning: each begins with this one, too.
fn blur_front(runs: &[Run], limits: &Limits) -> Run {
    blur(runs, limits, |run, index| run[index])
}

/// The runs laid over each other at their end.
fn blur_back(runs: &[Run], limits: &Limits) -> Run {
    let mut run = blur(runs, limits, |run, index| run[run.len() - 1 - index]);
    run.reverse();
    run
}

fn blur(runs: &[Run], limits: &Limits, at: fn(&[ByteSet], usize) -> ByteSet) -> Run {
    let len = runs.iter().map(Vec::len).min().unwrap_or(0).min(EDGE_LEN_MAX);
    let over = |index| runs.iter().fold(ByteSet::EMPTY, |set, run| set.union(at(run, index)));
    (0..len).map(over).take_while(|set| set.ascii_count() <= limits.ascii_max).collect()
}
