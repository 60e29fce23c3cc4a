//! A set of documents as one bit each: what stored lists are decoded into, and combined as.

use std::ops::Range;

/// Set of documents within a universe, a bit each. All operations cost one pass over
/// `universe / 64` words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocSet {
    words: Vec<u64>,
    universe: u32,
}

impl DocSet {
    /// No document of the universe.
    pub fn empty(universe: u32) -> Self {
        DocSet { words: vec![0; universe.div_ceil(64) as usize], universe }
    }

    /// Every document of the universe.
    pub fn full(universe: u32) -> Self {
        let mut set = DocSet { words: vec![!0; universe.div_ceil(64) as usize], universe };
        if let (Some(last), used @ 1..) = (set.words.last_mut(), universe % 64) {
            *last = (1 << used) - 1;
        }
        set
    }

    /// Number of documents in all.
    pub fn universe(&self) -> u32 {
        self.universe
    }

    /// Puts a document in.
    ///
    /// # Panics
    /// If it is not of the universe.
    #[inline]
    pub fn insert(&mut self, doc: u32) {
        assert!(doc < self.universe, "document {doc} of {}", self.universe);
        self.words[doc as usize / 64] |= 1 << (doc % 64);
    }

    /// Puts in the documents whose bits are set in `bitmap`, eight to a byte, lowest bit first.
    ///
    /// # Panics
    /// If the bitmap is longer than the universe.
    pub fn insert_bitmap(&mut self, bitmap: &[u8]) {
        let mut chunks = bitmap.chunks_exact(8);
        let mut words = self.words.iter_mut();
        // Chunks first: when they end, `zip` has not taken a word yet.
        for (chunk, word) in chunks.by_ref().zip(words.by_ref()) {
            *word |= u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            let word = words.next().expect("the bitmap is no longer than the universe");
            *word |= u64::from_le_bytes(last);
        }
    }

    /// Whether a document is in.
    pub fn contains(&self, doc: u32) -> bool {
        let word = self.words.get(doc as usize / 64);
        word.is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    /// Whether any document of the range is in. Costs the words that the range covers.
    #[inline]
    pub fn any_in(&self, range: Range<u32>) -> bool {
        self.spans(range).any(|(word, mask)| self.words[word] & mask != 0)
    }

    /// Puts in every document of the range.
    pub fn insert_range(&mut self, range: Range<u32>) {
        for (word, mask) in self.spans(range) {
            self.words[word] |= mask;
        }
    }

    /// Keeps only what is also in `other`.
    pub fn intersect(&mut self, other: &DocSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// Adds what is in `other`.
    pub fn unite(&mut self, other: &DocSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Number of documents in the set.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The documents that are in, increasing.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let rest = std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            });
            rest.map(move |rest| index as u32 * 64 + rest.trailing_zeros())
        })
    }

    /// The words that a range covers, each with the bits it covers there.
    #[inline]
    fn spans(&self, range: Range<u32>) -> impl Iterator<Item = (usize, u64)> + use<> {
        let end = range.end.min(self.universe);
        let start = range.start.min(end);
        let words = start / 64..end.div_ceil(64).max(start / 64);
        words.map(move |word| {
            let low = start.saturating_sub(word * 64);
            let high = (end - word * 64).min(64);
            let mask = if low >= high { 0 } else { (!0 >> (64 - (high - low))) << low };
            (word as usize, mask)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::DocSet;

    fn set(universe: u32, docs: &[u32]) -> DocSet {
        let mut set = DocSet::empty(universe);
        docs.iter().for_each(|&doc| set.insert(doc));
        set
    }

    #[test]
    fn ranges_agree_with_the_plain_way() {
        for universe in [1, 63, 64, 65, 130] {
            let docs: Vec<u32> =
                (0..universe).filter(|doc| doc % 7 == 3 || doc % 64 == 0).collect();
            let set = set(universe, &docs);
            for start in 0..universe + 2 {
                for end in start..universe + 70 {
                    let plain = docs.iter().any(|doc| (start..end).contains(doc));
                    assert_eq!(set.any_in(start..end), plain, "{universe}: {start}..{end}");
                    let mut filled = DocSet::empty(universe);
                    filled.insert_range(start..end);
                    let want: Vec<u32> = (start..end.min(universe)).collect();
                    assert_eq!(filled.iter().collect::<Vec<_>>(), want, "{start}..{end}");
                }
            }
        }
    }

    #[test]
    fn full_holds_the_universe_and_no_more() {
        for universe in [0, 1, 64, 100] {
            assert_eq!(DocSet::full(universe).count(), universe);
        }
    }

    #[test]
    fn bitmaps_are_read_lowest_bit_first() {
        let mut set = DocSet::empty(75);
        set.insert_bitmap(&[1, 0, 0, 0, 0, 0, 0, 0x80, 0b100]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 66]);
    }

    #[test]
    fn set_algebra() {
        let mut left = set(200, &[1, 70, 199]);
        let right = set(200, &[70, 100]);
        left.unite(&right);
        assert_eq!(left.iter().collect::<Vec<_>>(), [1, 70, 100, 199]);
        left.intersect(&right);
        assert_eq!(left.count(), 2);
        assert!(left.contains(100) && !left.contains(1) && !left.contains(900));
    }
}
