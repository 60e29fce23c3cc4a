//! A stretch of numbers as one bit each, beginning where the smallest is: what many lists are
//! united in.

use super::increasing::{Increasing, number};

/// Set of numbers within a stretch, a bit each.
#[derive(Clone, Debug)]
pub struct Bits {
    /// Number of the first bit: a multiple of 64, so that words of two stretches lie on each other.
    base: u32,
    words: Vec<u64>,
}

impl Bits {
    /// An empty set, with space for the numbers from `first` to `last`, both included.
    pub fn empty(first: u32, last: u32) -> Self {
        let base = first & !63;
        Bits { base, words: vec![0; (last - base) as usize / 64 + 1] }
    }

    /// The word and the bit of a number.
    #[inline(always)]
    fn place(&self, number: u32) -> (usize, u64) {
        let place = number.wrapping_sub(self.base);
        ((place / 64) as usize, 1 << (place % 64))
    }

    /// Puts in all numbers of a list.
    ///
    /// # Panics
    /// If one lies outside of the set's range.
    #[inline]
    pub fn insert_all(&mut self, list: &Increasing) {
        for &at in list {
            let (word, bit) = self.place(number(at));
            self.words[word] |= bit;
        }
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        let (word, bit) = self.place(number);
        if let Some(word) = self.words.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Whether a number is in.
    #[inline(always)]
    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = self.place(number);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Keeps what is also in `other`.
    pub fn intersect(&mut self, other: &Bits) {
        for (word, other) in other.beside(self.base, &mut self.words) {
            *word &= other;
        }
    }

    /// Takes out what is in `other`.
    pub fn subtract(&mut self, other: &Bits) {
        for (word, other) in other.beside(self.base, &mut self.words) {
            *word &= !other;
        }
    }

    /// The words of another stretch, each with what is in here of its numbers.
    fn beside<'w>(
        &'w self,
        base: u32,
        words: &'w mut [u64],
    ) -> impl Iterator<Item = (&'w mut u64, u64)> {
        let shift = i64::from(base) / 64 - i64::from(self.base) / 64;
        words.iter_mut().enumerate().map(move |(place, word)| {
            let own = usize::try_from(place as i64 + shift).ok();
            (word, own.and_then(|own| self.words.get(own)).copied().unwrap_or(0))
        })
    }

    /// Number of members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The smallest and the largest number that is in.
    pub fn ends(&self) -> Option<(u32, u32)> {
        let first = self.words.iter().position(|word| *word != 0)?;
        let last = self.words.iter().rposition(|word| *word != 0)?;
        let low = first as u32 * 64 + self.words[first].trailing_zeros();
        let high = last as u32 * 64 + 63 - self.words[last].leading_zeros();
        Some((self.base + low, self.base + high))
    }

    /// The numbers that are in, increasing.
    #[inline]
    pub fn iter(&self) -> BitsIter<'_> {
        let mut words = self.words.iter();
        let word = words.next().copied().unwrap_or(0);
        BitsIter { words, word, base: self.base }
    }
}

/// The numbers of a stretch, increasing.
#[derive(Clone, Debug)]
pub struct BitsIter<'a> {
    words: std::slice::Iter<'a, u64>,
    /// Bits left of the word that is being read.
    word: u64,
    /// The number that its first bit stands for.
    base: u32,
}

impl Iterator for BitsIter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        while self.word == 0 {
            self.word = *self.words.next()?;
            self.base += 64;
        }
        let number = self.base + self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(numbers: &[u32]) -> Bits {
        let (first, last) = (numbers[0], *numbers.last().unwrap());
        let mut bits = Bits::empty(first, last);
        let list: Vec<[u8; 4]> = numbers.iter().map(|n| n.to_be_bytes()).collect();
        bits.insert_all(&list);
        bits
    }

    #[track_caller]
    fn check(left: &[u32], right: &[u32]) {
        let (l, r) = (bits(left), bits(right));
        assert_eq!(l.iter().collect::<Vec<_>>(), left);
        assert_eq!((l.count(), l.ends()), (left.len(), Some((left[0], *left.last().unwrap()))));
        let (mut both, mut less, mut removed) = (l.clone(), l.clone(), l.clone());
        both.intersect(&r);
        less.subtract(&r);
        right.iter().for_each(|n| removed.remove(*n));
        let (inside, outside): (Vec<u32>, Vec<u32>) = left.iter().partition(|n| r.contains(**n));
        assert_eq!(inside, left.iter().copied().filter(|n| right.contains(n)).collect::<Vec<_>>());
        assert_eq!(both.iter().collect::<Vec<_>>(), inside);
        assert_eq!(less.iter().collect::<Vec<_>>(), outside);
        assert_eq!(removed.iter().collect::<Vec<_>>(), outside);
    }

    #[test]
    fn stretches_anywhere() {
        check(&[0], &[0]);
        check(&[5, 70, 4000], &[70, 71]);
        check(&[70, 71], &[5, 70, 4000]);
        check(&[64, 127, 128], &[1000, 1001]);
        check(&[1000, 1001], &[64, 127, 128]);
        check(&[u32::MAX - 64, u32::MAX], &[u32::MAX]);
    }
}
