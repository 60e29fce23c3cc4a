//! Our slices in a process of their own: what each cost.

use std::ffi::OsString;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use manicule_core::blocks::ReadCost;
use manicule_rows::slice::{
    Bounds, Direction, Edge, Item, Seek, SliceOptions, SliceReader, open_slice,
};
use manicule_rows::table::{Access, Sstable, TableOptions, list};
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading, SystemCache};
use serde::{Deserialize, Serialize};

use crate::measure::median;
use crate::sys::thread_cpu_us;

const USAGE: &str = "usage: manicule-bench rows ask --data FILE --way cold|warm|hot|skips [OPTIONS] FIRST,COUNT...

  --scan        without the index of blocks
  --turns N     turns of each slice (default: 5)

Reads slices of partition 0 of a table that Big.java wrote, from row FIRST on COUNT rows each, and prints what one cost, one JSON
object a line. cold: past the system's cache, nothing in ours; warm: the same after five slices elsewhere; hot: mapped, repeated;
skips: as cold, the cells of every other row left alone.";

/// Bytes of the cache, of a query, and of the longest read.
const CACHE_BYTES: u64 = 64 << 20;
const MEMORY_BYTES_MAX: u64 = 8 << 20;
const READ_BYTES_MAX: u64 = 1 << 20;
/// Number of rows that the repetitions of a hot slice read within a turn, at least.
const HOT_ROW_COUNT: u64 = 20_000;

/// The way a slice is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Cold,
    Warm,
    Hot,
    Skips,
}

/// What one slice cost: medians of all turns; counts of the last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Cost {
    /// Number of its first row.
    pub first: u64,
    /// Number of its rows.
    pub count: u64,
    pub wall_us: f64,
    pub cpu_us: f64,
    pub reads: u64,
    pub read_bytes: u64,
    /// Reads that waited for others.
    pub rounds: u64,
    pub hits: u64,
    pub misses: u64,
    /// Pages and blocks that entered the cache.
    pub populations: u64,
    /// The most that the query held.
    pub peak_bytes: u64,
}

/// The command `rows ask`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    use lexopt::prelude::*;
    let (mut data, mut way, mut seek, mut turn_count) = (None, None, INDEX, 5);
    let mut slices = Vec::new();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("data") => data = Some(PathBuf::from(parser.value()?)),
            Long("way") => way = Some(parse_way(&parser.value()?.string()?)?),
            Long("scan") => seek = Seek::Scan,
            Long("turns") => turn_count = parser.value()?.parse()?,
            Long("help") | Short('h') => {
                println!("{USAGE}");
                return Ok(());
            }
            Value(value) => slices.push(parse_slice(&value.string()?)?),
            _ => return Err(word.unexpected().into()),
        }
    }
    let (data, way) = (data.context("--data is missing")?, way.context("--way is missing")?);
    let mut out = std::io::stdout().lock();
    for (first, count) in slices {
        let cost = Asking { data: &data, way, seek, first, count }.measured(turn_count)?;
        serde_json::to_writer(&mut out, &cost)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

const INDEX: Seek = Seek::Index(ReadCost { whole_bytes_max: 64 << 10, ways: 2 });

fn parse_way(word: &str) -> Result<Way> {
    Ok(match word {
        "cold" => Way::Cold,
        "warm" => Way::Warm,
        "hot" => Way::Hot,
        "skips" => Way::Skips,
        other => bail!("--way {other}: it takes cold, warm, hot, skips"),
    })
}

fn parse_slice(word: &str) -> Result<(u64, u64)> {
    let numbers = word.split_once(',').context("a slice is FIRST,COUNT")?;
    Ok((numbers.0.parse()?, numbers.1.parse()?))
}

/// A slice that is to be measured.
struct Asking<'d> {
    data: &'d Path,
    way: Way,
    seek: Seek,
    first: u64,
    count: u64,
}

/// A table that is open, with a cache of its own.
struct Opened {
    sstable: Sstable,
    cache: Arc<Cache>,
}

impl Asking<'_> {
    fn open(&self) -> Result<Opened> {
        let access = match self.way {
            Way::Hot => Access::Mapped,
            Way::Cold | Way::Warm | Way::Skips => Access::Positioned(SystemCache::Bypassed),
        };
        let cache = Cache::new(CacheOptions { limit_bytes: CACHE_BYTES, shard_count: 16, seed: 1 });
        let options = TableOptions {
            access,
            cache: Arc::clone(&cache),
            chunk_bytes_max: 1 << 20,
            component_bytes_max: 64 << 20,
        };
        let (listed, _) = list(self.data)?;
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(64 << 20));
        let mut reading = Reading { counts: &mut counts, budget: &budget };
        Ok(Opened { sstable: Sstable::open(&listed[0], &options, &mut reading)?, cache })
    }

    fn measured(&self, turn_count: usize) -> Result<Cost> {
        let (mut walls, mut cpus, mut last) = (Vec::new(), Vec::new(), Cost::default());
        let hot = (self.way == Way::Hot).then(|| self.open()).transpose()?;
        let repetitions = if hot.is_some() { (HOT_ROW_COUNT / self.count).max(1) } else { 1 };
        if let Some(opened) = &hot {
            // The first pages of a map are faulted in, and caches of the processor filled.
            (0..repetitions)
                .try_for_each(|_| self.slice(opened, self.first, self.count).map(drop))?;
        }
        for _ in 0..turn_count {
            let fresh;
            let opened = match &hot {
                Some(opened) => opened,
                None => {
                    fresh = self.open()?;
                    &fresh
                }
            };
            if self.way == Way::Warm {
                let rows = 2 * self.first;
                let mut elsewhere = [1, 3, 4, 7, 9].iter().map(|tenths| rows / 10 * tenths);
                elsewhere.try_for_each(|row| self.slice(opened, row, 1).map(drop))?;
            }
            let populated = opened.cache.counts().populations;
            let (start, cpu_us) = (Instant::now(), thread_cpu_us());
            for _ in 0..repetitions {
                last = self.slice(opened, self.first, self.count)?;
            }
            let each = |us: f64| us / repetitions as f64;
            cpus.push(each(thread_cpu_us() - cpu_us));
            walls.push(each(start.elapsed().as_secs_f64() * 1e6));
            last.populations = opened.cache.counts().populations - populated;
        }
        last.wall_us = median(walls).unwrap_or_default();
        last.cpu_us = median(cpus).unwrap_or_default();
        Ok(last)
    }

    /// Reads the slice from a row on, every cell of it; the counts of what it took.
    fn slice(&self, opened: &Opened, first: u64, count: u64) -> Result<Cost> {
        let sstable = &opened.sstable;
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
        let mut reading = Reading { counts: &mut counts, budget: &budget };
        let clustering = (first as i32 * 2 + 1).to_be_bytes();
        let start = [Some(&clustering[..])];
        let bounds =
            Bounds::new(&sstable.header().clustering, Edge::Inclusive(&start), Edge::Open)?;
        let options = SliceOptions {
            direction: Direction::Forward,
            row_count_max: Some(count),
            seek: self.seek,
            read_bytes_max: READ_BYTES_MAX,
        };
        let key = 0_i32.to_be_bytes();
        let slice = open_slice(sstable, &key, bounds, &options, &mut reading)?;
        let slice = slice.context("the partition is not there")?;
        let rows = self.rows(slice, &mut reading)?;
        ensure!(rows == count, "{rows} rows, not {count}");
        let ReadCounts { reads, read_bytes, rounds, cache_hits, cache_misses } = counts;
        Ok(Cost {
            first,
            count,
            reads,
            read_bytes,
            rounds,
            hits: cache_hits,
            misses: cache_misses,
            peak_bytes: budget.peak_bytes(),
            ..Cost::default()
        })
    }

    fn rows(&self, mut slice: SliceReader<'_>, reading: &mut Reading<'_>) -> Result<u64> {
        let (mut rows, shape) = (0, slice.sstable().shape());
        while let Some(item) = slice.next(reading)? {
            let Item::Row(row) = item else { bail!("there are no markers") };
            rows += 1;
            if self.way == Way::Skips && rows % 2 == 0 {
                continue;
            }
            for part in row.cells(shape) {
                black_box(part?);
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_two_numbers_and_a_way_a_word() {
        assert_eq!(parse_slice("500000,32").unwrap(), (500_000, 32));
        assert!(parse_slice("32").is_err() && parse_slice("a,b").is_err());
        assert!(parse_way("hot").unwrap() == Way::Hot && parse_way("tepid").is_err());
    }
}
