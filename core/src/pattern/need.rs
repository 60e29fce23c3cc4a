//! Needs: conditions on bytes, and the bounds of their analysis.

use super::byteset::ByteSet;

/// Bytes that every match must hold, as a condition that an index can ask.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Need {
    /// Nothing is known: each text may match.
    Anything,
    /// All of them, in whatever order and place.
    All(Vec<Need>),
    /// At least one of them. Of none, if there is none: then nothing can match.
    Any(Vec<Need>),
    /// Somewhere in the match, bytes of these sets follow each other directly.
    Seq(Vec<ByteSet>),
}

/// Bounds of work, of memory, and of what is worth asking of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Texts that stand side by side in one part of a pattern, such as the four of `(a|b)(c|d)`,
    /// before they are blurred into one.
    pub alternatives_max: usize,
    /// Sets in all these texts together.
    pub alternative_sets_max: usize,
    /// ASCII bytes in a set that is worth keeping. Bytes from 0x80 on aren't counted: indexes of
    /// text keep them in one class or few.
    pub ascii_max: usize,
    /// Sequences in a need whose letters have cases of several lengths (`(?i)s` is s, S and U+17F)
    /// before each of these letters is blurred, if that leaves enough.
    pub spelled_seqs_max: usize,
    /// Sets in a need.
    pub need_sets_max: usize,
}

impl Limits {
    /// Large enough for what people write and for word lists of a thousand lines; a need of this
    /// size takes half a megabyte, and typical ones a hundredth of a millisecond.
    pub const USUAL: Limits = Limits {
        alternatives_max: 64,
        alternative_sets_max: 1024,
        ascii_max: 64,
        spelled_seqs_max: 4,
        need_sets_max: 16384,
    };
}

/// Bytes together that make two grams of three, or one of four.
pub(super) const REACH_ENOUGH: usize = 4;

impl Need {
    pub(super) fn seq_count(&self) -> usize {
        match self {
            Need::Anything => 0,
            Need::All(parts) | Need::Any(parts) => parts.iter().map(Need::seq_count).sum(),
            Need::Seq(_) => 1,
        }
    }

    /// Minimum number of bytes that stand together in one place of each match.
    pub(crate) fn reach(&self) -> usize {
        match self {
            Need::Anything => 0,
            Need::All(parts) => parts.iter().map(Need::reach).max().unwrap_or(0),
            Need::Any(parts) => parts.iter().map(Need::reach).min().unwrap_or(usize::MAX),
            Need::Seq(sets) => sets.len(),
        }
    }
}
