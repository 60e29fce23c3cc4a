//! Items in blocks of one length that never move: adding one moves none of the others.
//!
//! Only the first block, up to 393 kB of entries, grows by doubling, so that a small map is small.
//! What is reserved beyond the items is less than a block: 0.1 % of 5 million entries, whose 611
//! blocks are listed in 15 kB.
//!
//! Blocks that double in length while their number doubles (a hashed array tree without its copies)
//! keep the list short at any size, but to find an item then takes ten more instructions. Where
//! several lookups are under way at once, each instruction makes them fewer.

use std::slice;

use super::GrowError;

const BLOCK_BITS: u32 = 13;
const BLOCK_LEN: usize = 1 << BLOCK_BITS;
/// Length of the first block to begin with.
const FIRST_LEN: usize = 16;
/// Number of items in as many whole blocks as numbers of 32 bits reach.
pub(super) const COUNT_MAX: u32 = u32::MAX - BLOCK_LEN as u32 + 1;

/// Items with numbers from 0.
#[derive(Debug)]
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
            self.add_room()?;
        }
        Ok(self.count)
    }

    #[cold]
    fn add_room(&mut self) -> Result<(), GrowError> {
        if self.count == COUNT_MAX {
            return Err(GrowError::Full { count_max: COUNT_MAX });
        }
        let memory = |_| GrowError::Memory { bytes: (BLOCK_LEN * size_of::<T>()) as u64 };
        let items_len = match &mut self.blocks[..] {
            [first] if first.len() < BLOCK_LEN => {
                let len = first.len();
                first.try_reserve_exact(len).map_err(memory)?;
                len
            }
            blocks => {
                let len = if blocks.is_empty() { FIRST_LEN } else { BLOCK_LEN };
                let mut block = Vec::new();
                block.try_reserve_exact(len).map_err(memory)?;
                self.blocks.try_reserve(1).map_err(memory)?;
                self.blocks.push(block);
                len
            }
        };
        self.left = items_len as u32;
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
        &self.blocks[(number >> BLOCK_BITS) as usize][number as usize % BLOCK_LEN]
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
    fn items_are_found_and_listed_by_their_numbers() {
        let mut blocks = Blocks::new();
        for number in 0..40_000u32 {
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
        assert!((0..40_000).all(|number| *blocks.get(number) == number * 3));
        assert_eq!(blocks.slices().map(<[u32]>::len).sum::<usize>(), 40_000);
    }

    #[test]
    fn little_is_reserved_beyond_the_items() {
        let mut blocks: Blocks<[u8; 48]> = Blocks::new();
        for number in 0..400_000usize {
            blocks.make_room().unwrap();
            blocks.push([0; 48]);
            let (held, needed) = (blocks.memory(), (number + 1) * 48);
            assert!(held <= needed * 2 + 1000, "{held} for {number}");
            assert!(
                number < 100_000 || held <= needed + 48 * BLOCK_LEN + 4000,
                "{held} for {number}"
            );
        }
    }

    #[test]
    fn the_last_number_is_followed_by_an_error() {
        let mut blocks: Blocks<u8> = Blocks { blocks: Vec::new(), count: COUNT_MAX, left: 0 };
        assert_eq!(blocks.make_room(), Err(GrowError::Full { count_max: COUNT_MAX }));
    }
}
