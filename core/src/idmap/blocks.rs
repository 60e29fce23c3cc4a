//! Items in blocks that never move (a hashed array tree without its copies): as items are added, the length of new
//! blocks and their number double by turns.
//!
//! Blocks form tiers of 8, 16, 32 and so on items. A tier of up to 256 items is one block; after that every second tier
//! has blocks twice as long, the others twice as many. So at 5 million items a block is 1/128 of its tier, what is
//! reserved beyond the items is below 1 %, and the number of an item gives its block by arithmetic.
//!
//! Callers: idmap/growing

use std::slice;

use super::GrowError;

const FIRST_BITS: u32 = 3;
/// Tiers up to here are one block.
const SINGLE_BITS: u32 = 8;
/// Number of items that all tiers hold.
pub(super) const COUNT_MAX: u32 = u32::MAX - (1 << FIRST_BITS) + 1;

#[derive(Clone, Copy)]
struct Tier {
    first_block: u32,
    /// Base-2 logarithm of the length of its blocks, in items.
    block_bits: u32,
}

/// Tiers by the logarithm of their length, in items.
const TIERS: [Tier; 32] = {
    let mut tiers = [Tier { first_block: 0, block_bits: 0 }; 32];
    let (mut bits, mut first_block) = (FIRST_BITS, 0);
    while bits < 32 {
        let beyond = bits.saturating_sub(SINGLE_BITS);
        let block_bits = bits - beyond.div_ceil(2);
        tiers[bits as usize] = Tier { first_block, block_bits };
        first_block += 1 << (bits - block_bits);
        bits += 1;
    }
    tiers
};

/// The block of an item, and its place there.
#[inline(always)]
fn place(number: u32) -> (usize, usize) {
    let shifted = number + (1 << FIRST_BITS);
    let tier_bits = shifted.ilog2();
    let tier = TIERS[tier_bits as usize];
    let within_tier = shifted ^ (1 << tier_bits);
    let block = tier.first_block + (within_tier >> tier.block_bits);
    (block as usize, (within_tier & ((1 << tier.block_bits) - 1)) as usize)
}

/// Items with numbers from 0.
#[derive(Clone, Debug)]
pub(super) struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    count: u32,
    /// Places left in the last block.
    left: u32,
}

impl<T> Blocks<T> {
    pub(super) const fn new() -> Self {
        Blocks { blocks: Vec::new(), count: 0, left: 0 }
    }

    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Makes room for one more item, and gives the number that it will have.
    #[inline]
    pub(super) fn make_room(&mut self) -> Result<u32, GrowError> {
        if self.left == 0 {
            self.add_block()?;
        }
        Ok(self.count)
    }

    #[cold]
    fn add_block(&mut self) -> Result<(), GrowError> {
        if self.count == COUNT_MAX {
            return Err(GrowError::Full { count_max: COUNT_MAX });
        }
        let tier_bits = (self.count + (1 << FIRST_BITS)).ilog2();
        let len = 1 << TIERS[tier_bits as usize].block_bits;
        let memory = |_| GrowError::Memory { bytes: (len * size_of::<T>()) as u64 };
        let mut block = Vec::new();
        block.try_reserve_exact(len).map_err(memory)?;
        self.blocks.try_reserve(1).map_err(memory)?;
        self.blocks.push(block);
        self.left = len as u32;
        Ok(())
    }

    /// Adds an item.
    ///
    /// # Panics
    /// Without room for it ([`Blocks::make_room`]).
    #[inline]
    pub(super) fn push(&mut self, item: T) {
        assert!(self.left > 0, "room was made");
        if let Some(block) = self.blocks.last_mut() {
            block.push(item);
        }
        self.count += 1;
        self.left -= 1;
    }

    /// An item by its number.
    ///
    /// # Panics
    /// If there is none of that number.
    #[inline(always)]
    pub(super) fn get(&self, number: u32) -> &T {
        assert!(number < self.count, "an item's number");
        let (block, at) = place(number);
        &self.blocks[block][at]
    }

    /// The items, a slice for each block.
    pub(super) fn slices(&self) -> impl Iterator<Item = &[T]> {
        self.blocks.iter().map(Vec::as_slice)
    }

    /// The items in the order of their numbers.
    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter { block: [].iter(), blocks: self.blocks.iter(), left: self.count as usize }
    }

    /// Memory held, in bytes.
    pub(super) fn memory(&self) -> usize {
        let items: usize = self.blocks.iter().map(|block| block.capacity() * size_of::<T>()).sum();
        items + self.blocks.capacity() * size_of::<Vec<T>>()
    }
}

/// See [`Blocks::iter`].
#[derive(Debug)]
pub(super) struct Iter<'a, T> {
    block: slice::Iter<'a, T>,
    blocks: slice::Iter<'a, Vec<T>>,
    left: usize,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { block: self.block.clone(), blocks: self.blocks.clone(), left: self.left }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(item) = self.block.next() {
                self.left -= 1;
                return Some(item);
            }
            self.block = self.blocks.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    /// A loop for each block: half the time of asking after each item whether its block has ended.
    fn fold<B, F: FnMut(B, &'a T) -> B>(self, state: B, mut f: F) -> B {
        let state = self.block.fold(state, &mut f);
        self.blocks.fold(state, |state, block| block.iter().fold(state, &mut f))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_one_block_after_the_other() {
        let mut next = (0, 0);
        let mut numbers: Vec<u32> = (0..300_000).collect();
        // Both sides of the seam of each tier; what comes before the seam ends a block.
        numbers.extend((19..32).flat_map(|bits| [(1u32 << bits) - 9, (1 << bits) - 8]));
        for number in numbers {
            if number >= 300_000 && number & 1 == 1 {
                next = place(number);
            }
            assert_eq!(place(number), next, "{number}");
            let tier_bits = (number + 8).ilog2();
            let block_len = 1usize << TIERS[tier_bits as usize].block_bits;
            next = if next.1 + 1 == block_len { (next.0 + 1, 0) } else { (next.0, next.1 + 1) };
        }
        assert_eq!(
            place(COUNT_MAX - 1).1,
            (1 << TIERS[31].block_bits) - 1,
            "the last of its block"
        );
    }

    #[test]
    fn items_are_found_and_listed_by_their_numbers() {
        let mut blocks = Blocks::new();
        for number in 0..20_000u32 {
            assert_eq!(blocks.make_room(), Ok(number));
            blocks.push(number * 3);
            if number.is_power_of_two() || number % 1000 == 7 {
                assert!(blocks.iter().copied().eq((0..=number).map(|number| number * 3)));
                let mut folded = Vec::new();
                let mut iter = blocks.iter();
                iter.next();
                assert_eq!(iter.len(), number as usize);
                iter.clone().for_each(|item| folded.push(*item));
                assert!(folded.iter().eq(iter), "{number}");
            }
        }
        assert!((0..20_000).all(|number| *blocks.get(number) == number * 3));
        assert_eq!(blocks.slices().map(<[u32]>::len).sum::<usize>(), 20_000);
    }

    #[test]
    fn little_is_reserved_beyond_the_items() {
        let mut blocks: Blocks<[u8; 48]> = Blocks::new();
        for number in 0..400_000usize {
            blocks.make_room().unwrap();
            blocks.push([0; 48]);
            let (held, needed) = (blocks.memory(), (number + 1) * 48);
            assert!(held <= needed * 2 + 1000, "{held} for {number}");
            assert!(number < 100_000 || held <= needed * 105 / 100, "{held} for {number}");
        }
    }

    #[test]
    fn the_last_number_is_followed_by_an_error() {
        let mut blocks: Blocks<u8> = Blocks { blocks: Vec::new(), count: COUNT_MAX, left: 0 };
        assert_eq!(blocks.make_room(), Err(GrowError::Full { count_max: COUNT_MAX }));
    }
}
