//! Label sets by the hundred thousand, the same on every machine: inputs of indexes of series in
//! tests and in the bench.
//!
//! Strings are held once and named by numbers in byte order, so that sets sort by comparing
//! numbers.

mod kubernetes;
mod shapes;

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

/// Shape of the label sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A cluster's metrics, as the golden files have them: five families of metrics, about nine
    /// labels a series.
    Kubernetes,
    /// Three labels beside the name, whose values no two series share.
    HugeCardinality,
    /// Names and values beyond ASCII.
    Utf8,
    /// About ten labels each, of nine hundred names.
    ManyNames,
    /// Nine values for each label, and all combinations of them.
    Dense,
    /// A value of kilobytes in each.
    LongValues,
}

impl Shape {
    /// Those that nothing was tuned on.
    pub const HELD_OUT: [Shape; 5] =
        [Shape::HugeCardinality, Shape::Utf8, Shape::ManyNames, Shape::Dense, Shape::LongValues];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Kubernetes => "kubernetes",
            Shape::HugeCardinality => "huge-cardinality",
            Shape::Utf8 => "utf-8",
            Shape::ManyNames => "many-names",
            Shape::Dense => "dense",
            Shape::LongValues => "long-values",
        }
    }
}

/// A string of a table, by number.
type Word = u32;

/// Label sets in the order of an index, their labels by name; no two are equal.
///
/// A set is a run of words, name and value by turns; a word is the rank of its string.
#[derive(Clone, Debug)]
pub struct LabelSets {
    strings: Vec<String>,
    words: Vec<Word>,
    /// Range of each set in `words`.
    sets: Vec<Range<usize>>,
}

impl LabelSets {
    /// `count` sets of a shape.
    pub fn new(shape: Shape, count: usize) -> LabelSets {
        let mut draft = Draft::default();
        match shape {
            Shape::Kubernetes => kubernetes::fill(&mut draft, count),
            Shape::HugeCardinality => shapes::huge_cardinality(&mut draft, count),
            Shape::Utf8 => shapes::utf8(&mut draft, count),
            Shape::ManyNames => shapes::many_names(&mut draft, count),
            Shape::Dense => shapes::dense(&mut draft, count),
            Shape::LongValues => shapes::long_values(&mut draft, count),
        }
        draft.finish(count)
    }

    /// Number of sets.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// Number of labels of all sets.
    pub fn label_count(&self) -> usize {
        self.sets.iter().map(|set| set.len() / 2).sum()
    }

    /// All names and values, each once, in byte order.
    pub fn strings(&self) -> &[String] {
        &self.strings
    }

    /// Every set: its labels as name and value.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = (&str, &str)> + Clone> {
        let string = |word: Word| self.strings[word as usize].as_str();
        self.sets.iter().map(move |set| {
            let words = &self.words[set.clone()];
            (0..words.len() / 2).map(move |at| (string(words[2 * at]), string(words[2 * at + 1])))
        })
    }

    /// One set a line: name, tab, value, tab, name ...
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_tsv(&self, mut out: impl Write) -> io::Result<()> {
        let mut piece = Vec::with_capacity(PIECE_LEN + (1 << 16));
        for set in &self.sets {
            for &word in &self.words[set.clone()] {
                piece.extend_from_slice(self.strings[word as usize].as_bytes());
                piece.push(b'\t');
            }
            if let Some(last) = piece.last_mut() {
                *last = b'\n';
            }
            if piece.len() >= PIECE_LEN {
                out.write_all(&piece)?;
                piece.clear();
            }
        }
        out.write_all(&piece)?;
        out.flush()
    }
}

/// Text is written in pieces of about this many bytes.
const PIECE_LEN: usize = 1 << 18;

/// Label sets as they come: unsorted, maybe twice.
#[derive(Default)]
struct Draft {
    known: HashMap<String, Word>,
    strings: Vec<String>,
    words: Vec<Word>,
    sets: Vec<Range<usize>>,
}

impl Draft {
    /// The word of a string.
    fn word(&mut self, string: &str) -> Word {
        if let Some(&word) = self.known.get(string) {
            return word;
        }
        let word = self.strings.len() as Word;
        self.strings.push(string.to_owned());
        self.known.insert(string.to_owned(), word);
        word
    }

    /// The words of labels.
    fn labels<const N: usize>(&mut self, labels: [(&str, &str); N]) -> [(Word, Word); N] {
        labels.map(|(name, value)| (self.word(name), self.word(value)))
    }

    /// Adds a set: labels whose words are known, and further ones.
    fn add(&mut self, base: &[(Word, Word)], more: &[(&str, &str)]) {
        let start = self.words.len();
        self.words.extend(base.iter().flat_map(|&(name, value)| [name, value]));
        for (name, value) in more {
            let label = [self.word(name), self.word(value)];
            self.words.extend(label);
        }
        self.sets.push(start..self.words.len());
    }

    /// Sorts, drops duplicates, and drops evenly to reach `count`.
    fn finish(self, count: usize) -> LabelSets {
        let Draft { strings, mut words, mut sets, .. } = self;
        let (strings, ranks) = ranked(strings);
        words.iter_mut().for_each(|word| *word = ranks[*word as usize]);
        for set in &sets {
            words[set.clone()].as_chunks_mut::<2>().0.sort_unstable();
        }
        let head = |set: &Range<usize>| {
            let words = &words[set.clone()];
            (0..4).fold(0u128, |key, at| {
                key << 32 | u128::from(words.get(at).map_or(0, |&word| word + 1))
            })
        };
        sets.sort_by_cached_key(|set| (head(set), &words[set.clone()]));
        sets.dedup_by(|right, left| words[right.clone()] == words[left.clone()]);
        thin(&mut sets, count);
        LabelSets { strings: used(&strings, &sets, &mut words), words, sets }
    }
}

/// The strings in byte order, and the rank of each of those given.
fn ranked(mut strings: Vec<String>) -> (Vec<String>, Vec<Word>) {
    let mut order: Vec<Word> = (0..strings.len() as Word).collect();
    order.sort_unstable_by(|&left, &right| strings[left as usize].cmp(&strings[right as usize]));
    let mut ranks = vec![0; strings.len()];
    for (rank, &word) in order.iter().enumerate() {
        ranks[word as usize] = rank as Word;
    }
    let sorted = order.iter().map(|&word| std::mem::take(&mut strings[word as usize])).collect();
    (sorted, ranks)
}

/// Drops sets at even distances until `count` are left.
fn thin(sets: &mut Vec<Range<usize>>, count: usize) {
    let drop_count = sets.len().saturating_sub(count);
    if drop_count == 0 {
        return;
    }
    let step = sets.len() as f64 / drop_count as f64;
    let (mut next, mut dropped, mut at) = (step / 2.0, 0, 0);
    sets.retain(|_| {
        let drops = dropped < drop_count && at as f64 >= next;
        at += 1;
        if drops {
            dropped += 1;
            next += step;
        }
        !drops
    });
}

/// The strings that the sets name, to which their words are changed.
fn used(strings: &[String], sets: &[Range<usize>], words: &mut [Word]) -> Vec<String> {
    let mut is_used = vec![false; strings.len()];
    for set in sets {
        words[set.clone()].iter().for_each(|&word| is_used[word as usize] = true);
    }
    let mut kept = Vec::with_capacity(strings.len());
    let mut renamed = vec![0; strings.len()];
    for (word, string) in strings.iter().enumerate().filter(|&(word, _)| is_used[word]) {
        renamed[word] = kept.len() as Word;
        kept.push(string.clone());
    }
    words.iter_mut().for_each(|word| *word = renamed[*word as usize]);
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use manicule_core::hex;
    use sha2::{Digest, Sha256};

    use super::*;

    fn hash(sets: &LabelSets) -> String {
        let mut text = Vec::new();
        sets.write_tsv(&mut text).unwrap();
        hex::encode(Sha256::digest(&text))
    }

    /// Against the hash of the golden file of as many series.
    fn check(count: usize, want: &str) {
        let sets = LabelSets::new(Shape::Kubernetes, count);
        assert_eq!(sets.count(), count);
        assert!(hash(&sets).starts_with(want), "{count} series");
    }

    #[test]
    fn a_thousand_are_the_golden_ones() {
        check(1000, "0e5a6da7");
    }

    #[test]
    fn more_are_the_golden_ones() {
        check(33_333, "ddf7f63e7df47953a096fca5e071c5107435d191d4b8ec263b1fabe588233ef2");
        check(100_000, "500dbbe743050b81dc1b73d5c1c95935df61ca34be88eafc20b142c023810426");
    }

    #[test]
    #[ignore = "seconds, unless it is built for release"]
    fn all_are_the_golden_ones() {
        check(1_200_000, "16354eb2f228a4e87428ea5922ed6d10b1e7d25a3c0830b1bd697e22cfced80d");
    }

    #[test]
    fn shapes_have_as_many_sets_as_asked_for_in_order() {
        for shape in Shape::HELD_OUT {
            let sets = LabelSets::new(shape, 500);
            assert_eq!(sets.count(), 500, "{shape:?}");
            let all: Vec<Vec<(&str, &str)>> = sets.iter().map(Iterator::collect).collect();
            assert!(all.is_sorted_by(|left, right| left < right), "{shape:?}");
            assert!(all.iter().all(|set| set.is_sorted_by(|left, right| left.0 < right.0)));
            let strings: BTreeSet<&str> =
                all.iter().flatten().flat_map(|&(name, value)| [name, value]).collect();
            assert!(strings.iter().copied().eq(sets.strings()), "{shape:?}");
            assert!(
                !strings.iter().any(|string| string.contains(['\t', '\n']) || string.is_empty())
            );
        }
    }
}
