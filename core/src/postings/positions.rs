//! Many lists of positions built side by side, positions increasing, sizes unknown: one arena and
//! 16 bytes of state a list.
//!
//! A list's bytes are the distances between its positions as LEB128 varints (lowest seven bits
//! first), the first from 0. They stand in blocks of 16, 32, ... 4096 bytes:
//! ```text
//! | 4 arena offset of the next block | 4 bytes used | data |
//! ```
//! What this was chosen over, with numbers: docs/design/0003-posting-construction.md.

const HEAD_LEN: usize = 2 * size_of::<u32>();
const BLOCK_LEN_FIRST: u32 = 16;
const BLOCK_LEN_MAX: u32 = 4096;
/// A distance is stored as eight bytes, of which at most five count.
const STORE_LEN: usize = size_of::<u64>();
/// No block begins at 0: it means that a list has none.
const ARENA_START: usize = 16;

/// State that each append touches. Arrays of numbers rather than named fields: a vector of them is
/// asked for zeroed, and costs nothing where it isn't touched.
type State = [u32; 4];
/// The last position.
const LAST: usize = 0;
/// Arena offset of the next byte.
const AT: usize = 1;
/// Up to where the current block goes.
const END: usize = 2;
/// The first block.
const FIRST: usize = 3;

/// State touched by each new block.
type Blocks = [u32; 2];
/// Offset of the data of the current block.
const CURRENT: usize = 0;
/// Number of bytes in the blocks before it.
const FULL_LEN: usize = 1;

/// The lists `low..low + list_count`. Memory: 24 bytes a list, and about 1.2 times what the
/// distances take.
pub struct Positions {
    low: u32,
    states: Vec<State>,
    blocks: Vec<Blocks>,
    arena: Vec<u8>,
    top: usize,
    /// The processor has the instructions that spread a distance over bytes at once.
    spreads: bool,
}

impl Positions {
    /// `list_count` empty lists, the first of them called `low`, that use `arena` and what it grows
    /// by.
    pub fn new(low: u32, list_count: usize, arena: Vec<u8>) -> Self {
        Positions {
            low,
            states: vec![[0; 4]; list_count],
            blocks: vec![[0; 2]; list_count],
            arena,
            top: ARENA_START,
            spreads: spread::is_there(),
        }
    }

    /// One list more; its number.
    pub fn add_list(&mut self) -> u32 {
        self.states.push([0; 4]);
        self.blocks.push([0; 2]);
        self.low + self.states.len() as u32 - 1
    }

    /// Appends a position to a list. Lists that are not ours are passed over.
    ///
    /// # Panics
    /// In debug builds if the position lies before the list's last one.
    #[inline]
    pub fn push(&mut self, list: u32, position: u32) {
        self.push_each::<false>(position, std::iter::once(list));
    }

    /// Appends `first`, `first + 1`, ... to the lists that `lists` names in turn.
    #[inline]
    pub fn push_all(&mut self, first: u32, lists: impl Iterator<Item = u32>) {
        if self.spreads {
            spread::push_all(self, first, lists);
        } else {
            self.push_each::<false>(first, lists);
        }
    }

    #[inline(always)]
    fn push_each<const SPREAD: bool>(&mut self, first: u32, lists: impl Iterator<Item = u32>) {
        let low = self.low;
        let (states, mut arena) = (self.states.as_mut_slice(), self.arena.as_mut_slice());
        let mut position = first;
        for list in lists {
            let index = list.wrapping_sub(low) as usize;
            if let Some(state) = states.get_mut(index) {
                debug_assert!(position >= state[LAST], "positions rise");
                if state[AT] + STORE_LEN as u32 > state[END] {
                    grow(state, &mut self.blocks[index], &mut self.arena, &mut self.top);
                    arena = self.arena.as_mut_slice();
                }
                let distance = position.wrapping_sub(state[LAST]);
                let (bytes, len) = if SPREAD { spread::varint(distance) } else { varint(distance) };
                arena[state[AT] as usize..][..STORE_LEN].copy_from_slice(&bytes.to_le_bytes());
                state[LAST] = position;
                state[AT] += len;
            }
            position = position.wrapping_add(1);
        }
    }

    /// The numbers of the lists.
    pub fn lists(&self) -> std::ops::Range<u32> {
        self.low..self.low + self.states.len() as u32
    }

    /// The last position of a list, 0 if it is empty.
    pub fn last(&self, list: u32) -> u32 {
        self.states[(list - self.low) as usize][LAST]
    }

    /// Length of a list in bytes; 0 of an empty one.
    #[inline]
    pub fn len(&self, list: u32) -> u32 {
        let index = (list - self.low) as usize;
        // Most lists are empty, and one look is enough for those.
        let state = &self.states[index];
        if state[FIRST] == 0 {
            return 0;
        }
        let [current, full_len] = self.blocks[index];
        full_len + (state[AT] - current)
    }

    /// Whether no list holds anything.
    pub fn is_empty(&self) -> bool {
        self.top == ARENA_START
    }

    /// Length of the lists in bytes, beside the states.
    pub fn arena_len(&self) -> usize {
        self.top
    }

    /// The first position of a list.
    ///
    /// # Panics
    /// If the list is empty.
    pub fn first(&self, list: u32) -> u32 {
        let first = self.states[(list - self.low) as usize][FIRST] as usize;
        assert!(first > 0, "the list holds something");
        let bytes = self.arena[first..].iter().enumerate();
        let mut position = 0;
        for (index, byte) in bytes {
            position |= u32::from(byte & 0x7f) << (7 * index);
            if *byte < 0x80 {
                break;
            }
        }
        position
    }

    /// Appends the bytes of a list to `out`, without the first `cut`, which lie in one distance.
    pub fn gather(&self, list: u32, cut: usize, out: &mut Vec<u8>) {
        let index = (list - self.low) as usize;
        let [_, at, _, first] = self.states[index];
        if first == 0 {
            return;
        }
        let current = self.blocks[index][CURRENT] as usize;
        let (mut block, mut data) = (first as usize, first as usize + cut);
        while block != current {
            let used = self.word(block - HEAD_LEN / 2) as usize;
            out.extend_from_slice(&self.arena[data..block + used]);
            block = self.word(block - HEAD_LEN) as usize;
            data = block;
        }
        out.extend_from_slice(&self.arena[data..at as usize]);
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = self.arena[at..at + 4].try_into().expect("four bytes");
        u32::from_ne_bytes(bytes)
    }

    /// Empties the lists for the next `list_count` from `low` on, and keeps the arena.
    pub fn reset(&mut self, low: u32, list_count: usize) {
        let arena = std::mem::take(&mut self.arena);
        // The states go back first, so that old and new ones are never there together.
        (self.states, self.blocks) = (Vec::new(), Vec::new());
        *self = Positions::new(low, list_count, arena);
    }
}

/// Gives a list its next block.
#[cold]
#[inline(never)]
fn grow(state: &mut State, blocks: &mut Blocks, arena: &mut Vec<u8>, top: &mut usize) {
    let len = match state[FIRST] {
        0 => BLOCK_LEN_FIRST,
        _ => ((state[END] - blocks[CURRENT]) * 2).min(BLOCK_LEN_MAX),
    };
    let start = *top + HEAD_LEN;
    let end = start + len as usize;
    if end > arena.len() {
        arena.resize(end.max(arena.len() + arena.len() / 4), 0);
    }
    *top = end;
    let end = u32::try_from(end).expect("an arena is below 4 GiB: its owner bounds it");
    let start = start as u32;
    if state[FIRST] == 0 {
        state[FIRST] = start;
        blocks[FULL_LEN] = 0;
    } else {
        let head = blocks[CURRENT] as usize - HEAD_LEN;
        let used = state[AT] - blocks[CURRENT];
        arena[head..head + 4].copy_from_slice(&start.to_ne_bytes());
        arena[head + 4..head + 8].copy_from_slice(&used.to_ne_bytes());
        blocks[FULL_LEN] += used;
    }
    blocks[CURRENT] = start;
    state[AT] = start;
    state[END] = end;
}

/// The varint of a distance in the low bytes of a word, and how many of them count; what the others
/// hold is nothing. No branch depends on the length: that is random, and guessing it wrong cost up
/// to a third of all time in sketches.
#[inline(always)]
fn varint(distance: u32) -> (u64, u32) {
    let marks_len = LENGTHS[distance.leading_zeros() as usize];
    let wide = u64::from(distance);
    let spread = (wide & 0x7f)
        | (wide & 0x3f80) << 1
        | (wide & 0x1f_c000) << 2
        | (wide & 0xfe0_0000) << 3
        | (wide & 0xf000_0000) << 4;
    (spread | marks_len, (marks_len >> LEN_SHIFT) as u32)
}

/// In [`LENGTHS`], above the marks: the number of bytes.
const LEN_SHIFT: u32 = 56;

/// By the number of leading zeros: the marks of bytes that others follow, and the number of bytes.
const LENGTHS: [u64; 33] = {
    let mut table = [0; 33];
    let mut zeros = 0;
    while zeros <= 32 {
        let (marks, len) = match 32 - zeros {
            0..=7 => (0, 1),
            8..=14 => (0x80, 2),
            15..=21 => (0x8080, 3),
            22..=28 => (0x80_8080, 4),
            _ => (0x8080_8080, 5),
        };
        table[zeros] = marks | len << LEN_SHIFT;
        zeros += 1;
    }
    table
};

#[path = "spread.rs"]
mod spread;

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(positions: &[u32]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut last = 0;
        for position in positions {
            let mut distance = position - last;
            last = *position;
            while distance >= 0x80 {
                out.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            out.push(distance as u8);
        }
        out
    }

    fn check(low: u32, lists: &[Vec<u32>]) {
        let mut turns: Vec<(u32, u32)> = Vec::new();
        for (list, positions) in lists.iter().enumerate() {
            turns.extend(positions.iter().map(|position| (*position, low + list as u32)));
        }
        turns.sort();
        for spreads in [false, spread::is_there()] {
            let mut got = Positions::new(low, lists.len(), Vec::new());
            got.spreads = spreads;
            turns.iter().for_each(|(at, list)| got.push_all(*at, std::iter::once(*list)));
            for (list, positions) in (low..).zip(lists) {
                let mut bytes = Vec::new();
                got.gather(list, 0, &mut bytes);
                assert!(bytes == plain(positions), "list {list} of {} positions", positions.len());
                assert_eq!(got.len(list) as usize, bytes.len());
                assert_eq!(got.last(list), positions.last().copied().unwrap_or(0));
                if let Some(first) = positions.first() {
                    assert_eq!(got.first(list), *first);
                }
            }
        }
    }

    #[test]
    fn an_untouched_list_is_empty() {
        check(5, &[vec![], vec![7], vec![]]);
    }

    #[test]
    fn every_width_of_distance_reads_back() {
        let edges = [0, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0xfff_ffff, 0x1000_0000];
        let lists: Vec<Vec<u32>> = edges.iter().map(|edge| vec![*edge]).collect();
        check(0, &lists);
        check(0, &[vec![1, u32::MAX], vec![u32::MAX]]);
    }

    #[test]
    fn lists_read_back_whatever_their_length() {
        let rising = |count: u32, step: u32| (0..count).map(|index| index * step).collect();
        for count in [1, 8, 9, 16, 17, 100, 1000, 5000, 70_000] {
            let lists: [Vec<u32>; 4] =
                [rising(count, 1), rising(count, 200), rising(count, 20_000), rising(count / 9, 3)];
            check(3, &lists);
        }
    }

    #[test]
    fn lists_of_others_are_passed_over() {
        let mut lists = Positions::new(10, 2, Vec::new());
        lists.push_all(0, [9, 10, 11, 12, 0, u32::MAX].into_iter());
        assert_eq!((lists.len(10), lists.len(11)), (1, 1));
        assert_eq!(lists.add_list(), 12);
        lists.push(12, 300);
        assert_eq!(lists.len(12), 2);
    }

    #[test]
    fn after_a_reset_they_are_empty() {
        let mut lists = Positions::new(0, 2, vec![1; 64]);
        (0..100).for_each(|position| lists.push(1, position));
        lists.reset(1, 3);
        assert!(lists.is_empty());
        lists.push(1, 5);
        let mut bytes = Vec::new();
        lists.gather(1, 0, &mut bytes);
        assert_eq!(bytes, [5]);
    }
}
