//! Numbers found by hashes: lines of 64 bytes, each with the numbers of twelve things and a byte of
//! each one's hash.
//!
//! Whether a thing is there is mostly known from one line of the cache, and where it lies as well:
//! a table in which bytes of hashes and numbers lie apart needs two. A full line passes numbers on
//! to the next, and marks one bit of 32, by their hashes, so that a search goes on only where it
//! may find something. Nothing is ever taken out.
//!
//! | 12 tags | 4 marks of what was passed on | 12 x 4 numbers |

use super::GrowError;
use super::prefetch::prefetch;
use super::tags;

const SLOTS: usize = 12;
/// Mean of numbers in a line up to which none is added to the lines: 6.4 bytes a number then.
const FILL_MAX: usize = 10;
/// From this number of lines on they grow by half rather than by all.
const SMALL: usize = 1024;
/// Number of lines of a table that grows, to begin with.
const LINES_MIN: usize = 4;

/// A bit for each slot.
const ALL_SLOTS: u32 = (1 << SLOTS) - 1;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line {
    /// Tags in the order of their slots, 0 where a slot is empty; then marks.
    head: [u8; 16],
    numbers: [u32; SLOTS],
}
const _: () = assert!(size_of::<Line>() == 64);

const EMPTY: Line = Line { head: [0; 16], numbers: [0; SLOTS] };

/// The byte of a hash that is kept beside a number; 0 is an empty slot's.
#[inline(always)]
fn tag_of(hash: u64) -> u8 {
    (hash as u8).max(1)
}

impl Line {
    /// The slots that have a tag, a bit for each.
    #[inline(always)]
    fn slots_of(&self, tag: u8) -> u32 {
        tags::equal(&self.head, tag) & ALL_SLOTS
    }

    /// Whether a number with this hash was passed on, as far as a bit of 32 says.
    #[inline(always)]
    fn passed_on(&self, hash: u64) -> bool {
        self.marks() >> (hash >> 8 & 31) & 1 == 1
    }

    #[inline(always)]
    fn marks(&self) -> u32 {
        u32::from_le_bytes([12, 13, 14, 15].map(|at| self.head[at]))
    }

    #[inline(always)]
    fn find(&self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut slots = self.slots_of(tag_of(hash));
        while slots != 0 {
            let number = self.numbers[slots.trailing_zeros() as usize];
            if is(number) {
                return Some(number);
            }
            slots &= slots - 1;
        }
        None
    }

    /// Fills the first empty slot, or marks the line.
    #[inline(always)]
    fn add(&mut self, hash: u64, number: u32) -> bool {
        let empty = self.slots_of(0);
        if empty == 0 {
            let marks = self.marks() | 1 << (hash >> 8 & 31);
            self.head[SLOTS..].copy_from_slice(&marks.to_le_bytes());
            return false;
        }
        let slot = empty.trailing_zeros() as usize;
        self.head[slot] = tag_of(hash);
        self.numbers[slot] = number;
        true
    }
}

/// What the first line says about a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glance {
    /// No number has this hash.
    Absent,
    /// If it is not this one, others may have it too.
    Perhaps(u32),
    /// The next line has to be asked.
    Elsewhere,
}

/// Numbers found by hashes.
#[derive(Debug, Default)]
pub(super) struct Table {
    lines: Vec<Line>,
    count: usize,
}

impl Table {
    /// An empty table with room for a number of numbers.
    pub(super) fn with_room_for(count: usize) -> Result<Table, GrowError> {
        let line_count = count.div_ceil(FILL_MAX);
        let mut lines = Vec::new();
        let bytes = line_count.saturating_mul(size_of::<Line>()) as u64;
        lines.try_reserve_exact(line_count).map_err(|_| GrowError::Memory { bytes })?;
        lines.resize(line_count, EMPTY);
        Ok(Table { lines, count: 0 })
    }

    /// Number of numbers for which a table has room.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.lines.len() * FILL_MAX
    }

    /// Number of numbers.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Number of numbers for which a table should have room when this one's is used up.
    pub(super) fn room_after(&self) -> usize {
        let line_count = self.lines.len();
        (line_count + (line_count / 2).max(line_count.min(SMALL))).max(LINES_MIN) * FILL_MAX
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (((hash >> 32) * self.lines.len() as u64) >> 32) as usize
    }

    #[inline(always)]
    fn after(&self, line: usize) -> usize {
        if line + 1 == self.lines.len() { 0 } else { line + 1 }
    }

    /// Starts to load the line of a hash.
    #[inline(always)]
    pub(super) fn prefetch(&self, hash: u64) {
        if let Some(line) = self.lines.get(self.home(hash)) {
            prefetch(line);
        }
    }

    /// The first number of a hash, as far as its first line knows it.
    #[inline(always)]
    pub(super) fn glance(&self, hash: u64) -> Glance {
        let Some(line) = self.lines.get(self.home(hash)) else { return Glance::Absent };
        match line.find(hash, |_| true) {
            Some(number) => Glance::Perhaps(number),
            None if line.passed_on(hash) => Glance::Elsewhere,
            None => Glance::Absent,
        }
    }

    /// The number with this hash that `is` takes.
    #[inline(always)]
    pub(super) fn find(&self, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        let home = self.home(hash);
        let line = self.lines.get(home)?;
        let found = line.find(hash, &mut is);
        if found.is_some() || !line.passed_on(hash) {
            return found;
        }
        self.find_after(home, hash, is)
    }

    #[cold]
    #[inline(never)]
    fn find_after(&self, home: usize, hash: u64, mut is: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = home;
        // Ends at a line with an empty slot at the latest, which has passed nothing on; one slot in
        // six is empty.
        loop {
            at = self.after(at);
            let line = &self.lines[at];
            let found = line.find(hash, &mut is);
            if found.is_some() || !line.passed_on(hash) {
                return found;
            }
        }
    }

    /// [`Table::find`]; if there is none, `number` is added, for which there must be room.
    #[inline(always)]
    pub(super) fn find_or_add(
        &mut self,
        hash: u64,
        number: u32,
        mut is: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        assert!(self.count < self.room(), "room was made");
        let mut at = self.home(hash);
        loop {
            let line = &mut self.lines[at];
            let found = line.find(hash, &mut is);
            if found.is_some() {
                return found;
            }
            if line.add(hash, number) {
                self.count += 1;
                return None;
            }
            at = self.after(at);
        }
    }

    /// Adds a number that isn't there, for which there must be room.
    #[inline(always)]
    pub(super) fn add(&mut self, hash: u64, number: u32) {
        assert!(self.count < self.room(), "room was made");
        let mut at = self.home(hash);
        while !self.lines[at].add(hash, number) {
            at = self.after(at);
        }
        self.count += 1;
    }

    /// Memory held, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::mix;

    /// Adds `hashes` with their places as numbers, and looks up each of them and others.
    fn check(hashes: &[u64]) {
        let mut table = Table::with_room_for(hashes.len() + 1).unwrap();
        for (number, &hash) in hashes.iter().enumerate() {
            let is = |other: u32| other as usize == number;
            assert_eq!(table.find(hash, is), None);
            assert_eq!(table.find_or_add(hash, number as u32, is), None);
            assert_eq!(table.find_or_add(hash, number as u32, is), Some(number as u32));
        }
        for (number, &hash) in hashes.iter().enumerate() {
            let mut asked = 0;
            let found = table.find(hash, |other| {
                asked += 1;
                other as usize == number
            });
            assert_eq!(found, Some(number as u32));
            assert_ne!(table.glance(hash), Glance::Absent);
            if let Glance::Perhaps(first) = table.glance(hash) {
                assert!(asked > 1 || first as usize == number);
            }
            assert_eq!(table.find(hash, |_| false), None);
        }
        assert_eq!((table.count(), table.memory()), (hashes.len(), table.lines.len() * 64));
    }

    #[test]
    fn numbers_are_found_by_their_hashes() {
        for count in [1, 9, 10, 11, 20, 100, 3000] {
            check(&(0..count).map(|number| mix(1, number)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lines_pass_on_what_they_have_no_slot_for() {
        // All in one line, in the last one, with tags and marks alike, with tags that are
        // neighbours.
        check(&[0; 100]);
        check(&[u64::MAX; 100]);
        check(&(0..200).map(|number| number << 8).collect::<Vec<_>>());
        check(&(0..200).collect::<Vec<_>>());
        check(&(0..200).map(|number| u64::MAX << 16 | number).collect::<Vec<_>>());
    }

    #[test]
    fn an_empty_table_has_nothing_and_costs_nothing() {
        let table = Table::default();
        assert_eq!((table.find(5, |_| true), table.glance(5)), (None, Glance::Absent));
        assert_eq!((table.memory(), table.room(), table.room_after()), (0, 0, 40));
        table.prefetch(5);
    }

    #[test]
    fn what_no_memory_holds_is_an_error() {
        let error = Table::with_room_for(usize::MAX / 2).unwrap_err();
        assert!(matches!(error, GrowError::Memory { .. }), "{error}");
    }

    #[test]
    fn most_of_what_is_not_there_is_known_from_one_line() {
        let count = 50_000;
        let mut table = Table::with_room_for(count).unwrap();
        for number in 0..count {
            table.add(mix(1, number as u64), number as u32);
        }
        let glances = (0..count as u64).map(|number| table.glance(mix(2, number)));
        let unclear = glances.filter(|glance| *glance != Glance::Absent).count();
        // 10 tags a line of 255 values: 4 %; what was passed on: some 2 %.
        assert!(unclear < count * 7 / 100, "{unclear}");
    }
}
