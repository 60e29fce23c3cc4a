//! Lists whose lengths are known, filled in one pass: each item goes straight to its final place.
//!
//! every list receives its items in order; nothing is sorted and nothing moves.

use std::ops::Range;

/// A slot: what an item is in the file, so that the slots are the file's bytes.
pub type Slot = [u8; 4];

/// No list begins this far after the window, and no list is so long that it would reach the end of
/// 32 bits from here.
const OUTSIDE: u32 = 1 << 31;

/// Maximum number of items of a list, and of slots of a window.
pub const LIST_LEN_MAX: u32 = 1 << 30;

/// Lists of known lengths, back to back, of which a window is in memory.
///
/// A pass gives every item of every list, in the order within each list; those in the window are
/// kept. Lists that exceed the window take another pass for each window, and the same bytes come
/// out.
#[derive(Debug, Default)]
pub struct Scatter {
    slots: Vec<Slot>,
    /// Of each list, the slot of its next item, from the window's start. Items in front of the
    /// window have slots just below 2^32, those of lists that don't touch it have slots from
    /// `OUTSIDE` on: neither is a slot of the window.
    next: Vec<u32>,
    window: Range<u64>,
}

impl Scatter {
    /// Lists in some memory, which has a slot for each item of the longest window.
    pub fn new(slots: Vec<Slot>) -> Scatter {
        Scatter { slots, next: Vec::new(), window: 0..0 }
    }

    /// Begins a pass for the items from `window.start` to `window.end`, counted through all lists.
    ///
    /// # Panics
    /// If a list or the window is longer than [`LIST_LEN_MAX`], or the window longer than the one
    /// before or than the memory: who counted the items bounds them.
    pub fn begin(&mut self, lens: &[u32], window: Range<u64>) {
        let len = window.end.saturating_sub(window.start);
        assert!(len <= LIST_LEN_MAX.into(), "a window has at most 2^30 slots");
        assert!(len <= self.slots.len() as u64, "windows have memory and don't grow");
        self.slots.truncate(len as usize);
        self.next.clear();
        self.window = window;
        let window = &self.window;
        let mut start = 0;
        self.next.extend(lens.iter().map(|&len| {
            assert!(len <= LIST_LEN_MAX, "a list has at most 2^30 items");
            let list = start..start + u64::from(len);
            start = list.end;
            first_slot(&list, window)
        }));
    }

    /// The next item of a list. Keeps it if it falls into the window.
    ///
    /// # Panics
    /// If there is no such list.
    #[inline(always)]
    pub fn put(&mut self, list: u32, item: Slot) {
        let next = &mut self.next[list as usize];
        if let Some(slot) = self.slots.get_mut(*next as usize) {
            *slot = item;
        }
        *next = next.wrapping_add(1);
    }

    /// The items of the window, after a pass; `None` if some list got more or fewer items than its
    /// length says.
    pub fn finish(&self, lens: &[u32]) -> Option<&[Slot]> {
        let mut start = 0;
        for (&len, &next) in lens.iter().zip(&self.next) {
            let list = start..start + u64::from(len);
            start = list.end;
            if next != first_slot(&list, &self.window).wrapping_add(len) {
                return None;
            }
        }
        Some(&self.slots)
    }

    /// The memory of the window, before the first item comes.
    pub fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    /// The items of the window.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }
}

/// Slot of a list's first item, from the window's start.
#[inline]
fn first_slot(list: &Range<u64>, window: &Range<u64>) -> u32 {
    if list.end <= window.start || list.start >= window.end {
        return OUTSIDE;
    }
    list.start.wrapping_sub(window.start) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items of lists with these lengths, in an order that mixes the lists.
    fn items(lens: &[u32]) -> Vec<(u32, Slot)> {
        let rounds = lens.iter().max().copied().unwrap_or(0);
        let round = |round: u32| {
            let lists = (0..lens.len() as u32).filter(move |&list| round < lens[list as usize]);
            lists.map(move |list| (list, (round + 1000 * list).to_be_bytes()))
        };
        (0..rounds).flat_map(round).collect()
    }

    #[test]
    fn every_window_gives_the_same_items() {
        let lens = [7, 0, 1, 300, 2, 0];
        let total: u64 = lens.iter().map(|&len| u64::from(len)).sum();
        let plain = |(list, &len): (usize, &u32)| {
            (0..len).map(move |at| (at + 1000 * list as u32).to_be_bytes())
        };
        let plain: Vec<Slot> = lens.iter().enumerate().flat_map(plain).collect();
        for window_len in [1, 2, 3, 7, 100, total, total + 5] {
            let (mut scatter, mut got) =
                (Scatter::new(vec![[0; 4]; total.min(window_len) as usize]), Vec::new());
            let mut start = 0;
            while start < total {
                let window = start..total.min(start + window_len);
                scatter.begin(&lens, window);
                items(&lens).into_iter().for_each(|(list, item)| scatter.put(list, item));
                got.extend_from_slice(scatter.finish(&lens).unwrap());
                start += window_len;
            }
            assert_eq!(got, plain, "windows of {window_len}");
        }
    }

    #[test]
    fn a_pass_with_other_counts_is_noticed() {
        let lens = [2, 3];
        for (drop, add) in [(Some(0), None), (Some(4), None), (None, Some(0)), (None, Some(1))] {
            for window in [0..5, 0..1, 3..5] {
                let mut given = items(&lens);
                drop.map(|at| given.remove(at));
                given.extend(add.map(|list| (list, [9; 4])));
                let mut scatter = Scatter::new(vec![[0; 4]; 5]);
                scatter.begin(&lens, window);
                given.into_iter().for_each(|(list, item)| scatter.put(list, item));
                assert_eq!(scatter.finish(&lens), None);
            }
        }
    }
}
