//! The promoted index: a search through the offset map, which is never read whole unless the index
//! is small.
//!
//! Each probe reads four bytes of the map and one block. Of the chosen block's neighbours only the
//! one before is read, for the deletion that is open after it; where the wanted place lies after
//! the block's last row, the block itself says what is open and where the next begins, so that one
//! block of data less is read.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db"

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use manicule_core::blocks::{Evenness, Plan, ReadCost, Search, Side, Strategy, Verdict, plan};
use manicule_format_sstable::{Block, Deletion, Prefix, Promoted};
use manicule_store::pages::{Keep, Reading};

use super::image::image;
use super::place::{BlockPlace, Token, Toward, Wanted};
use crate::RowsError;
use crate::table::{IndexFiles, OpenFile, Sstable, Window};

/// Kind of the samples of a promoted index in the cache, and what they take there.
const EVENNESS_KIND: u8 = 2;
const EVENNESS_BYTES: u64 = 1200;

/// How an index is searched at an address: a round is worth half a MiB of a line.
const FAR_COST: ReadCost = ReadCost { whole_bytes_max: 512 << 10, ways: 8 };

/// Number of blocks that are read whole there, with their places, in place of further rounds: of
/// the usual 20 bytes and 4 they are some 100 KiB.
const REST_MAX: u64 = 5000;

/// Length in bytes of blocks that are read whole.
const REST_LEN_MAX: u64 = 512 << 10;

/// Length in bytes of what is read of a block there: more than most have.
const BLOCK_LEN: u64 = 256;

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
    promoted: &Promoted,
    index_bytes: u64,
    cost: ReadCost,
    wanted: &Wanted<'_>,
    block_count: &Cell<u64>,
    reading: &mut Reading<'_>,
) -> Result<Option<BlockPlace>, RowsError> {
    let IndexFiles::Big { index, .. } = sstable.index() else { return Ok(None) };
    let cost = if index.is_far() { FAR_COST } else { cost };
    let mut probing = Probing::new(sstable, index, promoted, wanted, block_count);
    let found = probing.search(index_bytes, cost, reading)?;
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
        index_bytes: u64,
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
        self.run(&mut search, sampled, strategy == Strategy::Bisect, reading)?;
        let found = search.found().expect("a search that asks nothing more has found");
        Ok(found as u32)
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
            if self.file.is_far() && probes.len() > 1 {
                self.fetch_rest(search, reading)?;
            }
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

    /// Reads the blocks that are left, and their places, in one round if they are few: those at
    /// both ends were probes, whose places are known.
    fn fetch_rest(&self, search: &Search, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let (low, high) = search.range();
        if high.saturating_sub(low) > REST_MAX {
            return Ok(());
        }
        let last = high.min(u64::from(self.promoted.block_count) - 1);
        let [first, last] = [low.saturating_sub(1), last].map(|number| number as u32);
        let start = self.block_at(first, reading)?;
        let end = self.block_at(last, reading)?.saturating_add(BLOCK_LEN);
        if end.saturating_sub(start) > REST_LEN_MAX {
            return Ok(());
        }
        let map = self.promoted.map_place(first)..self.promoted.map_place(last) + 4;
        self.file.foresee(&[map, start..end], reading)
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
