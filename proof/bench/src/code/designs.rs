//! Ways to build posting lists, as plain twins on the same texts: the alternatives to ours.
//!
//! Each takes the trigrams of a shard's texts, seven bits a byte, and ends with a list of distances
//! (varints) for each. Characters beyond ASCII are not combined here: this compares the ways,
//! and `postings` measures the real one. All of them must give lists of the same size.

use std::path::Path;

use anyhow::{Result, bail};
use manicule_core::postings::Positions;
use manicule_store::zeroed;

use super::texts::{self, Shard};
use crate::findings::Findings;
use crate::measure::{Digest, Series, timed};
use crate::table::{self, Table};

const LIST_COUNT: usize = 1 << 21;
const BLOCK_LEN_FIRST: u32 = 16;
const BLOCK_LEN_MAX: u32 = 4096;
const STORE_LEN: usize = 8;
/// Bytes of arena for each byte of text, in quarters: enough for every design to never grow it.
const ARENA_QUARTERS: usize = 9;

/// Result of a design.
#[derive(Clone, Copy, Debug, Default)]
struct Made {
    /// Bytes of all lists.
    list_len: u64,
    /// Bytes of memory for them and for the state of each list.
    memory_len: u64,
}

/// A way to build the lists of a shard.
struct Design {
    name: &'static str,
    build: fn(&Shard) -> Made,
}

const OURS: &str = "arena, branchless, spread by instruction (ours)";

const DESIGNS: &[Design] = &[
    Design { name: "a growing vector a list (the peer's way)", build: growing },
    Design { name: "two passes: lengths, then places", build: two_passes },
    Design { name: "arena, branching varints", build: arena::<{ BRANCHING }> },
    Design { name: "arena, branchless varints", build: arena::<{ BRANCHLESS }> },
    Design { name: "radix by first character, windows of 256 KiB", build: radix::<{ 256 << 10 }> },
    Design { name: "radix by first character, windows of 4 MiB", build: radix::<{ 4 << 20 }> },
    Design { name: OURS, build: ours },
];

/// Every design in turns.
pub(super) fn rows(
    corpus: &str,
    tree: &Path,
    turn_count: usize,
    findings: &mut Findings,
) -> Result<()> {
    let shards = texts::of_index(tree)?;
    let mut all: Vec<(Series, Made)> = DESIGNS
        .iter()
        .map(|design| {
            let series = Series {
                name: design.name.to_owned(),
                samples: Vec::new(),
                output: Digest::default(),
                failure: None,
            };
            (series, Made::default())
        })
        .collect();
    for turn in 0..turn_count {
        for (design, (series, made)) in DESIGNS.iter().zip(&mut all) {
            let (one, sample) = timed(|| {
                shards.iter().map(design.build).fold(Made::default(), |sum, one| Made {
                    list_len: sum.list_len + one.list_len,
                    memory_len: sum.memory_len.max(one.memory_len),
                })
            });
            eprintln!("  {turn}: {}: {:.0} ms CPU", design.name, sample.cpu_ms);
            series.samples.push(sample);
            *made = one;
        }
    }
    let lens: Vec<u64> = all.iter().map(|(_, made)| made.list_len).collect();
    if lens.iter().any(|len| *len != lens[0]) {
        bail!("the designs come to lists of different lengths: {lens:?}");
    }
    let len: u64 = shards.iter().map(Shard::len).sum();
    let ours = all.iter().find(|(series, _)| series.name == OURS);
    let ours_ms = ours.and_then(|(series, _)| series.cpu_ms());
    let note = format!(
        "{} MB of text in memory, bytes cut to seven bits, one thread, memory new each time; all \
         come to {} bytes of lists. Turns: {turn_count}.",
        len / 1_000_000,
        lens[0]
    );
    let title = format!("{corpus}: designs of posting construction");
    let head = ["design", "CPU s", "wall s", "MB per CPU s", "memory MB", "CPU it / ours"];
    let mut table = Table::new(title, &note, &head);
    for (series, made) in &all {
        let cpu_ms = series.cpu_ms();
        table.row(vec![
            series.name.clone(),
            table::seconds(cpu_ms),
            table::seconds(series.wall_ms()),
            cpu_ms.map_or("-".to_owned(), |ms| format!("{:.0}", len as f64 / 1e3 / ms)),
            (made.memory_len / 1_000_000).to_string(),
            table::times(cpu_ms.zip(ours_ms).map(|(it, ours)| it / ours)),
        ]);
    }
    findings.tables.push(table);
    let series = all.into_iter().map(|(series, _)| series).collect();
    findings.raw.push((format!("{corpus}/designs"), series));
    Ok(())
}

#[inline(always)]
fn list_of(trigram: &[u8]) -> usize {
    let bits = |at: usize| usize::from(trigram[at] & 0x7f);
    bits(0) << 14 | bits(1) << 7 | bits(2)
}

/// Passes on each trigram's list and position.
#[inline(always)]
fn each_trigram(shard: &Shard, mut tell: impl FnMut(usize, u32)) {
    let mut start = 0;
    for text in &shard.texts {
        for (position, trigram) in (start..).zip(text.windows(3)) {
            tell(list_of(trigram), position);
        }
        start += text.len() as u32;
    }
}

/// A vector for each list.
fn growing(shard: &Shard) -> Made {
    #[derive(Clone, Default)]
    struct List {
        bytes: Vec<u8>,
        last: u32,
    }
    let mut lists = vec![List::default(); LIST_COUNT];
    each_trigram(shard, |list, position| {
        let list = &mut lists[list];
        let mut distance = position - list.last;
        list.last = position;
        while distance >= 0x80 {
            list.bytes.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        list.bytes.push(distance as u8);
    });
    let capacity: usize = lists.iter().map(|list| list.bytes.capacity()).sum();
    Made {
        list_len: lists.iter().map(|list| list.bytes.len() as u64).sum(),
        memory_len: (capacity + size_of_val(lists.as_slice())) as u64,
    }
}

/// Bytes of a varint, by the leading zeros of its number.
const VARINT_LENS: [u32; 33] = {
    let mut lens = [1; 33];
    let mut zeros = 0;
    while zeros < 32 {
        lens[zeros] = (32 - zeros as u32).div_ceil(7);
        zeros += 1;
    }
    lens
};

#[inline(always)]
fn varint_len(distance: u32) -> u32 {
    VARINT_LENS[distance.leading_zeros() as usize]
}

/// Lengths first; then each list's bytes have their place.
fn two_passes(shard: &Shard) -> Made {
    const LAST: usize = 0;
    const AT: usize = 1;
    let mut states = vec![[0u32; 2]; LIST_COUNT];
    each_trigram(shard, |list, position| {
        let state = &mut states[list];
        state[AT] += varint_len(position - state[LAST]);
        state[LAST] = position;
    });
    let mut at = 0;
    for state in &mut states {
        let len = state[AT];
        *state = [0, at];
        at += len;
    }
    let mut bytes = zeroed(at as usize);
    each_trigram(shard, |list, position| {
        let state = &mut states[list];
        let mut distance = position - state[LAST];
        state[LAST] = position;
        // Byte by byte: a store of eight would run into the next list.
        while distance >= 0x80 {
            bytes[state[AT] as usize] = distance as u8 | 0x80;
            state[AT] += 1;
            distance >>= 7;
        }
        bytes[state[AT] as usize] = distance as u8;
        state[AT] += 1;
    });
    let memory_len = bytes.len() + size_of_val(states.as_slice());
    Made { list_len: bytes.len() as u64, memory_len: memory_len as u64 }
}

/// Way to write a varint.
const BRANCHING: u8 = 0;
const BRANCHLESS: u8 = 1;

/// Lists in blocks of one arena, as `Positions` has them, without a reader.
struct Arena {
    /// Last position, where the next byte goes, up to where the block goes, bytes before it.
    states: Vec<[u32; 4]>,
    /// Start of the block's bytes; read only for a new block.
    starts: Vec<u32>,
    bytes: Vec<u8>,
    top: u32,
}

const LAST: usize = 0;
const AT: usize = 1;
const END: usize = 2;
const FULL_LEN: usize = 3;
/// Link of a block to the next, with the number of bytes used.
const HEAD_LEN: u32 = 8;

impl Arena {
    fn new(text_len: u64) -> Self {
        Arena {
            states: vec![[0; 4]; LIST_COUNT],
            starts: vec![0; LIST_COUNT],
            bytes: zeroed(text_len as usize * ARENA_QUARTERS / 4 + (16 << 20)),
            top: BLOCK_LEN_FIRST,
        }
    }

    #[inline(always)]
    fn push<const WAY: u8>(&mut self, list: usize, position: u32) {
        let state = &mut self.states[list];
        if state[AT] + STORE_LEN as u32 > state[END] {
            grow(state, &mut self.starts[list], &mut self.bytes, &mut self.top);
        }
        let mut distance = position - state[LAST];
        state[LAST] = position;
        if WAY == BRANCHLESS {
            let (word, len) = spread(distance);
            self.bytes[state[AT] as usize..][..STORE_LEN].copy_from_slice(&word.to_le_bytes());
            state[AT] += len;
        } else {
            let mut at = state[AT] as usize;
            while distance >= 0x80 {
                self.bytes[at] = distance as u8 | 0x80;
                distance >>= 7;
                at += 1;
            }
            self.bytes[at] = distance as u8;
            state[AT] = at as u32 + 1;
        }
    }

    fn made(&self) -> Made {
        let used = self.states.iter().zip(&self.starts);
        let list_len = used.map(|(state, start)| u64::from(state[FULL_LEN] + state[AT] - start));
        let states_len = size_of_val(self.states.as_slice()) + size_of_val(self.starts.as_slice());
        Made { list_len: list_len.sum(), memory_len: u64::from(self.top) + states_len as u64 }
    }
}

/// Gives a list its next block.
#[cold]
#[inline(never)]
fn grow(state: &mut [u32; 4], start: &mut u32, bytes: &mut [u8], top: &mut u32) {
    let len = match *start {
        0 => BLOCK_LEN_FIRST,
        start => ((state[END] - start) * 2).min(BLOCK_LEN_MAX),
    };
    let next = *top + HEAD_LEN;
    *top = next + len;
    if *start != 0 {
        let used = state[AT] - *start;
        let head = (*start - HEAD_LEN) as usize;
        bytes[head..head + 4].copy_from_slice(&next.to_ne_bytes());
        bytes[head + 4..head + 8].copy_from_slice(&used.to_ne_bytes());
        state[FULL_LEN] += used;
    }
    *start = next;
    state[AT] = next;
    state[END] = next + len;
}

/// The varint of a distance in a word, and its length, without a branch on it.
#[inline(always)]
fn spread(distance: u32) -> (u64, u32) {
    let len = varint_len(distance);
    let wide = u64::from(distance);
    let bits = (wide & 0x7f)
        | (wide & 0x3f80) << 1
        | (wide & 0x1f_c000) << 2
        | (wide & 0xfe0_0000) << 3
        | (wide & 0xf000_0000) << 4;
    let marks = 0x80_8080_8080 & ((1 << (8 * (len - 1))) - 1);
    (bits | marks, len)
}

fn arena<const WAY: u8>(shard: &Shard) -> Made {
    let mut arena = Arena::new(shard.len());
    each_trigram(shard, |list, position| arena.push::<WAY>(list, position));
    arena.made()
}

/// Trigrams of a window of text are distributed by their first character, so that the states of a
/// sixty-fourth of all lists or so are touched at a time.
fn radix<const WINDOW_LEN: usize>(shard: &Shard) -> Made {
    let mut arena = Arena::new(shard.len());
    let mut dealt: Vec<u64> = Vec::new();
    let (mut first, mut start, mut len) = (0, 0, 0);
    for (index, text) in shard.texts.iter().enumerate() {
        len += text.len();
        if len >= WINDOW_LEN || index + 1 == shard.texts.len() {
            deal(&shard.texts[first..=index], start, &mut dealt, &mut arena);
            (first, start, len) = (index + 1, start + len as u32, 0);
        }
    }
    let mut made = arena.made();
    made.memory_len += size_of_val(dealt.as_slice()) as u64;
    made
}

fn deal(texts: &[Vec<u8>], start: u32, dealt: &mut Vec<u64>, arena: &mut Arena) {
    let mut counts = [0usize; 128];
    for text in texts {
        for byte in &text[..text.len().saturating_sub(2)] {
            counts[usize::from(byte & 0x7f)] += 1;
        }
    }
    let mut ends = [0usize; 128];
    let mut sum = 0;
    for (end, count) in ends.iter_mut().zip(counts) {
        *end = sum;
        sum += count;
    }
    if dealt.len() < sum {
        dealt.resize(sum, 0);
    }
    let mut start = start;
    for text in texts {
        for (position, trigram) in (start..).zip(text.windows(3)) {
            let list = list_of(trigram);
            let end = &mut ends[list >> 14];
            dealt[*end] = (list as u64) << 32 | u64::from(position);
            *end += 1;
        }
        start += text.len() as u32;
    }
    for entry in &dealt[..sum] {
        arena.push::<BRANCHLESS>((entry >> 32) as usize, *entry as u32);
    }
}

/// The real one.
fn ours(shard: &Shard) -> Made {
    let arena_len = shard.len() as usize * ARENA_QUARTERS / 4 + (16 << 20);
    let mut lists = Positions::new(0, LIST_COUNT, zeroed(arena_len));
    let mut start = 0;
    for text in &shard.texts {
        lists.push_all(start, text.windows(3).map(|trigram| list_of(trigram) as u32));
        start += text.len() as u32;
    }
    let list_len = lists.lists().map(|list| u64::from(lists.len(list))).sum();
    Made { list_len, memory_len: (lists.arena_len() + LIST_COUNT * 24) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_varint_is_a_plain_one() {
        for distance in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, u32::MAX] {
            let (mut plain, mut rest) = (Vec::new(), distance);
            while rest >= 0x80 {
                plain.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            plain.push(rest as u8);
            let (word, len) = spread(distance);
            assert_eq!(word.to_le_bytes()[..len as usize], plain, "{distance}");
        }
    }

    #[test]
    fn all_designs_come_to_the_same_lists() {
        let texts = (0..40usize).map(|text| {
            let len = [0, 1, 2, 3, 700, 40_000][text % 6];
            (0..len).map(|at| b"abcab\nxyz \xc3\xa9"[(at * at / 7 + text) % 12]).collect()
        });
        let shard = Shard::new(texts.collect());
        let lens = DESIGNS.iter().map(|design| (design.build)(&shard).list_len);
        let lens: Vec<u64> = lens.collect();
        assert!(lens[0] > 0 && lens.iter().all(|len| *len == lens[0]), "{lens:?}");
    }
}
