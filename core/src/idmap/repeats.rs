//! Entries whose id came before: lists of numbers, each hung on the number of the first entry of
//! its id.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::GrowError;
use crate::bytes::mix;

const NONE: u32 = u32::MAX;

/// A repeated entry.
#[derive(Clone, Copy, Debug)]
struct Link {
    number: u32,
    /// The link of the next entry with the same id.
    next: u32,
}

/// The links of an id.
#[derive(Clone, Copy, Debug)]
struct Chain {
    /// Number of the first entry of the id, which has no link.
    first: u32,
    head: u32,
    tail: u32,
}

/// Repeated entries: 8 to 16 bytes each, and 15 to 30 for each id that is repeated.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// In the order of their numbers.
    links: Vec<Link>,
    /// Found by the number of the first entry. Who chooses which entries are repeated can make some
    /// ten thousand of five million numbers collide, no more: the hash needs no seed.
    chains: HashTable<Chain>,
}

fn hash(first: u32) -> u64 {
    mix(0, first.into())
}

impl Repeats {
    /// Adds an entry that has the id of entry `first`. Numbers must increase.
    #[cold]
    pub(super) fn add(&mut self, first: u32, number: u32) -> Result<(), GrowError> {
        assert!(self.links.last().is_none_or(|last| last.number < number), "numbers increase");
        let bytes = ((self.links.len() + 1) * size_of::<Link>()) as u64;
        self.links.try_reserve(1).map_err(|_| GrowError::Memory { bytes })?;
        let hash_of = |chain: &Chain| hash(chain.first);
        self.chains.try_reserve(1, hash_of).map_err(|_| GrowError::Memory { bytes })?;
        let link = self.links.len() as u32;
        match self.chains.entry(hash(first), |chain| chain.first == first, hash_of) {
            Entry::Occupied(mut found) => {
                let chain = found.get_mut();
                self.links[chain.tail as usize].next = link;
                chain.tail = link;
            }
            Entry::Vacant(place) => {
                place.insert(Chain { first, head: link, tail: link });
            }
        }
        self.links.push(Link { number, next: NONE });
        Ok(())
    }

    /// The numbers of the entries whose id came before, from a number on.
    pub(super) fn from(&self, number: u32) -> impl Iterator<Item = u32> + use<'_> {
        let start = self.links.partition_point(|link| link.number < number);
        self.links[start..].iter().map(|link| link.number)
    }

    /// The numbers of the entries that have the id of entry `first`, which isn't among them.
    #[inline]
    pub(super) fn of(&self, first: u32) -> impl Iterator<Item = u32> + use<'_> {
        let head = if self.links.is_empty() {
            None
        } else {
            self.chains.find(hash(first), |chain| chain.first == first).map(|chain| chain.head)
        };
        let link = |link: u32| self.links.get(link as usize);
        std::iter::successors(head.and_then(link), move |before| link(before.next))
            .map(|link| link.number)
    }

    /// Numbers of all repeated entries, in their order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.links.iter().map(|link| link.number)
    }

    /// Memory held, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.chains.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_first_entry_has_its_own_repeats_in_order() {
        let mut repeats = Repeats::default();
        assert_eq!((repeats.of(0).count(), repeats.memory()), (0, 0));
        let firsts = |number: u32| number * 7 % 13;
        for number in 13..2000 {
            repeats.add(firsts(number), number).unwrap();
        }
        for first in 0..20 {
            assert!(repeats.of(first).eq((13..2000).filter(|&number| firsts(number) == first)));
        }
        assert!(repeats.numbers().eq(13..2000));
    }
}
