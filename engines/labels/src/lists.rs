//! Strictly increasing lists of ids that grow side by side, and are read while they grow.
//!
//! A list is the distances between its ids as varints, in blocks of one arena: 8, 16, ...
//! 1024 bytes, each followed by the place of the next. [`manicule_core::postings::Append`] takes
//! groups of 16 ids at once and a known number of lists; here an id comes alone, and lists come
//! with their label values.

const BLOCK_LEN_FIRST: u32 = 8;
const BLOCK_LEN_MAX: u32 = 1024;
const LINK_LEN: usize = size_of::<u32>();
const NO_BLOCK: u32 = u32::MAX;

/// Maximum growth by one more id: a block whose only use it is.
pub(crate) const GROWTH_LEN_MAX: usize = BLOCK_LEN_MAX as usize + LINK_LEN;

/// One list of an arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    first: u32,
    /// Offset of the next byte, and the end of the block.
    at: u32,
    end: u32,
    /// The last id plus one.
    after: u32,
    count: u32,
}

impl List {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) const EMPTY: List = List { first: NO_BLOCK, at: 0, end: 0, after: 0, count: 0 };

    /// Number of its ids.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }
}

/// The arena of many lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    arena: Vec<u8>,
}

impl Lists {
    pub(crate) fn len(&self) -> usize {
        self.arena.len()
    }

    pub(crate) fn memory_len(&self) -> usize {
        self.arena.capacity()
    }

    pub(crate) fn shrink(&mut self) {
        self.arena.shrink_to_fit();
    }

    /// Appends an id to a list. Ids are strictly increasing.
    #[inline]
    pub(crate) fn push(&mut self, list: &mut List, id: u32) {
        debug_assert!(id >= list.after, "ids rise");
        let mut distance = id - list.after;
        list.after = id + 1;
        list.count += 1;
        while distance >= 0x80 {
            self.push_byte(list, distance as u8 | 0x80);
            distance >>= 7;
        }
        self.push_byte(list, distance as u8);
    }

    #[inline]
    fn push_byte(&mut self, list: &mut List, byte: u8) {
        if list.at == list.end {
            self.grow(list);
        }
        self.arena[list.at as usize] = byte;
        list.at += 1;
    }

    #[cold]
    fn grow(&mut self, list: &mut List) {
        let block = u32::try_from(self.arena.len()).expect("the caller has asked for room");
        let len = if list.first == NO_BLOCK {
            list.first = block;
            BLOCK_LEN_FIRST
        } else {
            let link = list.end as usize;
            self.arena[link..link + LINK_LEN].copy_from_slice(&block.to_le_bytes());
            // Blocks double, so the sum of all before is about the length of the last.
            (list.count / 2).next_power_of_two().clamp(BLOCK_LEN_FIRST, BLOCK_LEN_MAX)
        };
        self.arena.push(len.ilog2() as u8);
        let (at, end) = (block + 1, block + 1 + len);
        self.arena.resize(end as usize + LINK_LEN, 0);
        (list.at, list.end) = (at, end);
    }

    /// The ids of a list, increasing.
    pub(crate) fn ids(&self, list: &List) -> ListIds<'_> {
        ListIds {
            arena: &self.arena,
            block: list.first,
            bytes: [].iter(),
            left: list.count,
            after: 0,
        }
    }
}

/// See [`Lists::ids`].
#[derive(Clone, Debug)]
pub(crate) struct ListIds<'a> {
    arena: &'a [u8],
    /// The next block, or garbage when nothing is left.
    block: u32,
    bytes: std::slice::Iter<'a, u8>,
    left: u32,
    after: u32,
}

impl ListIds<'_> {
    #[inline]
    fn byte(&mut self) -> u8 {
        loop {
            if let Some(&byte) = self.bytes.next() {
                return byte;
            }
            let start = self.block as usize + 1;
            let end = start + (1 << self.arena[start - 1]);
            self.bytes = self.arena[start..end].iter();
            let link = self.arena[end..end + LINK_LEN].try_into().expect("four bytes");
            self.block = u32::from_le_bytes(link);
        }
    }
}

impl Iterator for ListIds<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let (mut distance, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            distance |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        let id = self.after + distance;
        self.after = id + 1;
        Some(id)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::{List, Lists};

    #[test]
    fn lists_side_by_side_read_back_as_they_grow() {
        let steps = [1u32, 3, 127, 128, 129, 70_000];
        let mut lists = Lists::default();
        let mut states = [List::EMPTY; 6];
        let mut plain = vec![Vec::new(); 6];
        for round in 0..3000u32 {
            for (at, step) in steps.iter().enumerate() {
                let id = round * step;
                lists.push(&mut states[at], id);
                plain[at].push(id);
            }
            if round % 97 == 0 {
                for (state, plain) in states.iter().zip(&plain) {
                    assert!(lists.ids(state).eq(plain.iter().copied()), "round {round}");
                }
            }
        }
        assert_eq!(lists.ids(&List::EMPTY).next(), None);
        let mut last = List::EMPTY;
        lists.push(&mut last, u32::MAX - 1);
        assert!(lists.ids(&last).eq([u32::MAX - 1]));
    }
}
