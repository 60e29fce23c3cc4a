//! The promoted index: a search through the offset map, which is never read whole unless the index
//! is small.
//!
//! Each probe reads four bytes of the map and one block. Of the chosen block's neighbours only the
//! one before is read, for the deletion that is open after it; where the wanted place lies after
//! the block's last row, the block itself says what is open and where the next begins, so that one
//! block of data less is read.
//!
//! At an address windows come before the probes: they leave some 40 KB of the blocks, which then
//! come in one round with their part of the map and the places of their rows' chunks. Where blocks
//! are so long, or of such different lengths, that windows say nothing, probes side by side divide
//! what is left.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db"

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manicule_core::blocks::{Evenness, Plan, ReadCost, Search, Side, Strategy, Verdict, plan};
use manicule_format_sstable::{Block, Deletion, Prefix, Promoted};
use manicule_store::pages::{Keep, Reading};

use super::chain::{Looking, Sides};
use super::image::image;
use super::place::{BlockPlace, Token, Toward, Wanted};
use crate::RowsError;
use crate::table::{IndexFiles, OpenFile, Sstable, WINDOW_LEN, Window, window_step, windows};

/// Kind of the samples of a promoted index in the cache, and what they take there.
const EVENNESS_KIND: u8 = 2;
const EVENNESS_BYTES: u64 = 1200;

/// How an index is searched at an address: a round is worth half a MiB of a line.
const FAR_COST: ReadCost = ReadCost { whole_bytes_max: 512 << 10, ways: 8 };

/// Blocks that a window is to have.
const BLOCKS_IN_WINDOW: u64 = 8;

/// Length in bytes of the longest window.
const WINDOW_LEN_MAX: u64 = 32 << 10;

/// Distance of a block's number from the one that its place suggests, at most: offsets grow by a
/// byte on the way, and names of other lengths stray by a root of their number.
const NUMBERS_AROUND: u64 = 2048;

/// Length in bytes of what is read of a block there: more than most have.
const BLOCK_LEN: u64 = 256;

/// The promoted index of a partition.
#[derive(Clone, Copy)]
pub(super) struct PromotedIndex<'w> {
    pub(super) promoted: &'w Promoted,
    /// Its length.
    pub(super) index_bytes: u64,
    /// The partition's first byte in its data.
    pub(super) position: u64,
}

/// A block, without what it borrows.
#[derive(Clone, Copy)]
struct Seen {
    offset: u64,
    width: u64,
    open: Option<Deletion>,
    /// Order of its first and its last name against the wanted place.
    first: Ordering,
    last: Ordering,
    image: Option<u64>,
}

/// One search.
struct Probing<'t, 'w> {
    sstable: &'t Sstable,
    promoted: &'w Promoted,
    wanted: &'w Wanted<'w>,
    /// The least offset of a block that was seen to begin after the slice's end.
    limit: Option<u64>,
    window: Window<'t, OpenFile>,
    file: &'t OpenFile,
    /// Number of blocks that were compared.
    block_count: &'w Cell<u64>,
}

/// Samples of a promoted index, for a search among them.
#[derive(Clone, Copy)]
struct Sampled<'s> {
    samples: &'s Mutex<Evenness>,
    /// Image of the wanted place.
    wanted: u64,
}

pub(super) fn find(
    sstable: &Sstable,
    of: PromotedIndex<'_>,
    cost: ReadCost,
    wanted: &Wanted<'_>,
    block_count: &Cell<u64>,
    reading: &mut Reading<'_>,
) -> Result<Option<BlockPlace>, RowsError> {
    let IndexFiles::Big { index, .. } = sstable.index() else { return Ok(None) };
    let (cost, promoted) = (if index.is_far() { FAR_COST } else { cost }, of.promoted);
    let mut probing = Probing::new(sstable, index, promoted, wanted, block_count);
    let found = probing.search(of, cost, reading)?;
    let number = found.saturating_sub(1);
    let seen = probing.see(number, reading)?;
    let next = number + 1;
    let is_passed = wanted.toward == Toward::End && seen.last == Ordering::Less;
    if is_passed && next < promoted.block_count {
        let (offset, open) = (seen.offset.saturating_add(seen.width), seen.open);
        let (limit, token) = (probing.limit, Token::Number(next));
        return Ok(Some(BlockPlace { offset, open, end: None, limit, token }));
    }
    let open = match number {
        0 => None,
        _ => probing.see(number - 1, reading)?.open,
    };
    let end = (next < promoted.block_count).then(|| seen.offset.saturating_add(seen.width));
    let (offset, limit, token) = (seen.offset, probing.limit, Token::Number(number));
    Ok(Some(BlockPlace { offset, open, end, limit, token }))
}

/// A block by its number.
pub(super) fn block(
    sstable: &Sstable,
    promoted: &Promoted,
    number: u32,
    block_count: &Cell<u64>,
    reading: &mut Reading<'_>,
) -> Result<BlockPlace, RowsError> {
    let IndexFiles::Big { index, .. } = sstable.index() else {
        unreachable!("a promoted index was read from Index.db")
    };
    let all = (Prefix::FIRST, Prefix::LAST);
    let wanted = Wanted { place: &all.0, until: &all.1, toward: Toward::Start };
    let mut probing = Probing::new(sstable, index, promoted, &wanted, block_count);
    let open = match number {
        0 => None,
        _ => probing.see(number - 1, reading)?.open,
    };
    let seen = probing.see(number, reading)?;
    let end = (number + 1 < promoted.block_count).then(|| seen.offset.saturating_add(seen.width));
    let (offset, limit, token) = (seen.offset, None, Token::Number(number));
    Ok(BlockPlace { offset, open, end, limit, token })
}

impl<'t, 'w> Probing<'t, 'w> {
    fn new(
        sstable: &'t Sstable,
        file: &'t OpenFile,
        promoted: &'w Promoted,
        wanted: &'w Wanted<'w>,
        block_count: &'w Cell<u64>,
    ) -> Self {
        let window = Window::new(file);
        Probing { sstable, promoted, wanted, limit: None, window, file, block_count }
    }

    /// Number of blocks whose first name is not after the wanted place.
    fn search(
        &mut self,
        PromotedIndex { index_bytes, position, .. }: PromotedIndex<'_>,
        cost: ReadCost,
        reading: &mut Reading<'_>,
    ) -> Result<u32, RowsError> {
        let block_count = u64::from(self.promoted.block_count);
        let wanted = image(&self.sstable.header().clustering, self.wanted.place);
        let samples = wanted.map(|_| samples(self.file, self.promoted, reading));
        let plan = match &samples {
            Some(samples) => plan(block_count, index_bytes, cost, &lock(samples), wanted),
            None => plan(block_count, index_bytes, cost, &Evenness::default(), None),
        };
        let strategy = match plan {
            Plan::Whole => {
                self.window.at(self.promoted.blocks_at, index_bytes as usize, reading)?;
                Strategy::Bisect
            }
            Plan::Ask(strategy) => strategy,
        };
        let mut search = Search::new(block_count, strategy);
        let sampled = samples.as_deref().zip(wanted);
        let sampled = sampled.map(|(samples, wanted)| Sampled { samples, wanted });
        if let Some(Sampled { samples, wanted }) = sampled {
            lock(samples).inform(&mut search, wanted);
        }
        if self.file.is_far() && plan != Plan::Whole {
            self.narrow(&mut search, position, reading)?;
        }
        self.run(&mut search, sampled, strategy == Strategy::Bisect, reading)?;
        let found = search.found().expect("a search that asks nothing more has found");
        Ok(found as u32)
    }

    /// Tells a search of the nearest blocks around the wanted place that windows show, and has at
    /// hand what lies between them: the blocks, their part of the offset map, and the places of the
    /// chunks of their rows.
    fn narrow(
        &self,
        search: &mut Search,
        position: u64,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Promoted { block_count, blocks_at, map_at, .. } = *self.promoted;
        let len = map_at - blocks_at;
        let window_len = len / u64::from(block_count) * BLOCKS_IN_WINDOW;
        let window_len = window_len.next_multiple_of(WINDOW_LEN).clamp(WINDOW_LEN, WINDOW_LEN_MAX);
        // Windows into the whole file have come when it was opened.
        let file_len = self.file.len();
        let mut of_file = (len > file_len / 2).then(|| window_step(file_len, WINDOW_LEN));
        let mut sides = Sides::default();
        loop {
            let range = sides.range(self.promoted);
            let left = range.end - range.start;
            if left <= 2 * window_step(0, window_len) {
                break;
            }
            let (step, is_own) = match of_file.take() {
                Some(step) => (step, false),
                None => (window_step(left, window_len), true),
            };
            let shown = self.look(&windows(&range, step, window_len), reading)?;
            if is_own && shown == Sides::default() {
                return Ok(());
            }
            sides = shown.or(sides);
        }
        let range = sides.range(self.promoted);
        let blocks = range.start.saturating_sub(window_len).max(blocks_at)
            ..range.end.saturating_add(BLOCK_LEN).min(map_at);
        let [first, last] = [range.start, range.end].map(|at| self.numbers_near(at));
        let map = self.promoted.map_place(first.start)..self.promoted.map_place(last.end);
        // A search beside others ends once it has said that it lacks both, which then come at once.
        let places = self.foresee_places(&sides, position, reading);
        self.file.foresee(&[map, blocks], reading)?;
        places?;
        for (shown, side) in [(sides.low, Side::NotAfter), (sides.high, Side::After)] {
            let Some(shown) = shown else { continue };
            if let Some(number) = self.number_of(shown.at, reading)? {
                search.learn(number.into(), side, None);
            }
        }
        Ok(())
    }

    /// What windows of the index show of the wanted place.
    fn look(&self, windows: &[Range<u64>], reading: &mut Reading<'_>) -> Result<Sides, RowsError> {
        self.file.foresee(windows, reading)?;
        let get = |window: &Range<u64>| {
            let bytes = self.file.get(window.clone(), Keep::Shared, reading)?;
            Ok::<_, RowsError>((window.start, bytes))
        };
        let windows = windows.iter().map(get).collect::<Result<Vec<_>, _>>()?;
        let (shape, types) = (self.sstable.shape(), &self.sstable.header().clustering);
        Ok(Looking { shape, types, place: self.wanted.place }.look(&windows))
    }

    /// Has at hand where the rows between two blocks lie, of data in chunks.
    fn foresee_places(
        &self,
        sides: &Sides,
        position: u64,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let range = sides.range(self.promoted);
        let start = sides.low.map_or(0, |low| low.offset);
        let end = match (sides.high, sides.low) {
            (Some(high), _) => high.offset,
            // As much for each byte of the index as before it.
            (None, Some(low)) => {
                let before = (low.at - self.promoted.blocks_at).max(1);
                start.saturating_add((start / before).saturating_mul(range.end - range.start))
            }
            (None, None) => return Ok(()),
        };
        let [start, end] = [start, end].map(|offset| position.saturating_add(offset));
        let end = end.min(self.sstable.data_len());
        self.sstable.data().foresee_places(start..end.max(start), reading)
    }

    /// The numbers that a block in a place may have, if blocks are of about the same length.
    fn numbers_near(&self, at: u64) -> Range<u32> {
        let Promoted { block_count, blocks_at, map_at, .. } = *self.promoted;
        let share = u128::from(at - blocks_at) * u128::from(block_count);
        let number = (share / u128::from(map_at - blocks_at)) as u64;
        let around = [number.saturating_sub(NUMBERS_AROUND), number + NUMBERS_AROUND];
        let [first, end] = around.map(|number| number.min(block_count.into()) as u32);
        first..end
    }

    /// The number of a block in a place, if the offset map has it about where it may be.
    fn number_of(&self, at: u64, reading: &mut Reading<'_>) -> Result<Option<u32>, RowsError> {
        let Range { start: mut low, end: mut high } = self.numbers_near(at);
        while low < high {
            let number = low + (high - low) / 2;
            match self.block_at(number, reading)?.cmp(&at) {
                Ordering::Less => low = number + 1,
                Ordering::Equal => return Ok(Some(number)),
                Ordering::Greater => high = number,
            }
        }
        Ok(None)
    }

    /// Runs a search to its end. What it sees is sampled; a bisection goes on by interpolation once
    /// the samples are even.
    fn run(
        &mut self,
        search: &mut Search,
        sampled: Option<Sampled<'_>>,
        mut may_guess: bool,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let block_count = u64::from(self.promoted.block_count);
        // The first blocks lie beside the head of the index, which was just read.
        let mut probes = vec![0];
        while !probes.is_empty() {
            self.fetch_together(&probes, reading)?;
            for &at in &probes {
                let block = self.see(at as u32, reading)?;
                learn(search, at, &block);
                if let (Some(sampled), Some(image)) = (sampled, block.image) {
                    lock(sampled.samples).add(at, image);
                }
            }
            if let Some(Sampled { samples, wanted }) = sampled.filter(|_| may_guess) {
                let samples = lock(samples);
                if let Verdict::Even { error } = samples.verdict(block_count) {
                    may_guess = false;
                    *search = Search::new(block_count, Strategy::Interpolate { wanted, error });
                    samples.inform(search, wanted);
                }
            }
            search.ask(&mut probes);
        }
        if let Some(Sampled { samples, .. }) = sampled {
            lock(samples).note(search);
        }
        Ok(())
    }

    /// Reads the places of several probes in the offset map in one round; at an address the blocks
    /// there in a second one.
    fn fetch_together(&self, probes: &[u64], reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if probes.len() < 2 {
            return Ok(());
        }
        let places = probes.iter().map(|at| self.promoted.map_place(*at as u32));
        let places: Vec<_> = places.map(|place| place..place + 4).collect();
        self.file.foresee(&places, reading)?;
        if !self.file.is_far() {
            return Ok(());
        }
        let mut blocks = Vec::with_capacity(probes.len());
        for &probe in probes {
            let at = self.block_at(probe as u32, reading)?;
            blocks.push(at..at.saturating_add(BLOCK_LEN));
        }
        self.file.foresee(&blocks, reading)
    }

    /// Offset of a block in the file.
    fn block_at(&self, number: u32, reading: &mut Reading<'_>) -> Result<u64, RowsError> {
        if number == 0 {
            return Ok(self.promoted.blocks_at);
        }
        let place = self.promoted.map_place(number);
        let bytes = self.file.get(place..place + 4, Keep::Shared, reading)?;
        let bytes = *bytes.first_chunk().expect("four bytes were read");
        let at = self.promoted.block_at(number, bytes);
        at.map_err(|error| self.file.damaged(error))
    }

    fn see(&mut self, number: u32, reading: &mut Reading<'_>) -> Result<Seen, RowsError> {
        self.block_count.update(|count| count + 1);
        let at = self.block_at(number, reading)?;
        let (shape, types) = (self.sstable.shape(), &self.sstable.header().clustering);
        let Wanted { place, until, toward } = *self.wanted;
        let (seen, is_past) =
            self.window.parse("block of a promoted index", at, reading, |window| {
                let parsed = Block::read(window, at, shape)?;
                Ok(parsed.map(|block| {
                    let seen = Seen {
                        offset: block.offset,
                        width: block.width,
                        open: block.open,
                        first: Prefix::compare(types, &block.first, place),
                        last: Prefix::compare(types, &block.last, place),
                        image: image(types, &block.first),
                    };
                    (seen, Prefix::compare(types, &block.first, until) == Ordering::Greater)
                }))
            })?;
        if is_past && toward == Toward::End {
            self.limit = Some(self.limit.map_or(seen.offset, |limit| limit.min(seen.offset)));
        }
        Ok(seen)
    }
}

/// Tells a search of a block, and, where the wanted place isn't after its last name, of the next
/// one.
fn learn(search: &mut Search, at: u64, block: &Seen) {
    let is_after = block.first == Ordering::Greater;
    search.learn(at, if is_after { Side::After } else { Side::NotAfter }, block.image);
    if !is_after && block.last != Ordering::Less {
        search.learn(at + 1, Side::After, None);
    }
}

/// The samples of a promoted index, which all of its searches share.
fn samples(
    file: &OpenFile,
    promoted: &Promoted,
    reading: &mut Reading<'_>,
) -> Arc<Mutex<Evenness>> {
    let made = |_: &mut Reading<'_>| {
        Ok::<_, std::convert::Infallible>((Mutex::new(Evenness::default()), EVENNESS_BYTES))
    };
    let Ok(samples) = file.paged().parsed(EVENNESS_KIND, promoted.blocks_at, reading, made);
    samples
}

fn lock(samples: &Mutex<Evenness>) -> MutexGuard<'_, Evenness> {
    samples.lock().unwrap_or_else(PoisonError::into_inner)
}
