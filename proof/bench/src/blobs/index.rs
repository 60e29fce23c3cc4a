//! Our side of restic's own benchmarks: the command that measures one of them, and prints its
//! figures.

use std::ffi::OsString;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::{Context, Result, ensure};
use manicule_format_restic::{BlobKind, Id};
use manicule_repositories::GoRandom;
use manicule_testkit::Rng;

use super::locked::{Locked, draw};
use super::{map, master};
use crate::figures::{Figures, repeated};
use crate::measure::{Sample, timed};
use crate::table::Target;

const USAGE: &str = "usage: manicule-bench blobs index --row NAME [--turns N] [--packs N]

Does the work of restic's benchmark NAME with our index, and says what an operation took, one JSON object a line.";

/// A benchmark.
pub(super) struct Row {
    /// restic's name of it, without `Benchmark`.
    pub(super) name: &'static str,
    pub(super) run: fn(&Work) -> Result<Vec<Figures>>,
}

/// Size of the work.
pub(super) struct Work {
    /// Packs of restic's benchmark index; others have a share of it.
    pub(super) pack_count: u32,
    pub(super) turn_count: usize,
}

/// The benchmarks of an index, in restic's order.
const OF_AN_INDEX: [Row; 7] = [
    Row { name: "DecodeIndex", run: decode },
    Row { name: "DecodeIndexParallel", run: decode_parallel },
    Row { name: "EncodeIndex", run: encode },
    Row { name: "IndexHasUnknown", run: has_unknown },
    Row { name: "IndexHasKnown", run: has_known },
    Row { name: "IndexAlloc", run: alloc },
    Row { name: "IndexAllocParallel", run: alloc_parallel },
];

/// All benchmarks, in restic's order.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    [&map::OF_RESTIC[..], &OF_AN_INDEX, &master::ROWS].into_iter().flatten()
}

/// Packs of restic's benchmark index.
const PACK_COUNT: u32 = 200_000;
/// Handles that IndexHas asks for.
const HANDLE_COUNT: usize = 100_000;
/// Numbers of packs of EncodeIndex.
const ENCODED: [u32; 3] = [100, 1000, 10_000];

/// The figure that a row has to reach: restic's time over ours.
pub(super) fn target(row: &str) -> Target {
    if row.starts_with("IndexHas") || row == "MasterIndexEach" {
        Target::at_least(4.0, 6.0)
    } else {
        Target::at_least(1.0, 2.0)
    }
}

/// The command `blobs index`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    use lexopt::prelude::*;
    let (mut row, mut work) = (None, Work { pack_count: PACK_COUNT, turn_count: 1 });
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("row") => row = Some(parser.value()?.string()?),
            Long("turns") => work.turn_count = parser.value()?.parse()?,
            Long("packs") => work.pack_count = parser.value()?.parse()?,
            Long("help") | Short('h') => {
                println!("{USAGE}");
                return Ok(());
            }
            _ => return Err(word.unexpected().into()),
        }
    }
    let name = row.context("--row NAME is missing")?;
    let row = rows().find(|row| row.name == name);
    let row = row.with_context(|| format!("no row is called {name}"))?;
    (row.run)(&work)?.iter().try_for_each(Figures::say)
}

/// restic's random index.
fn random_index(random: &mut GoRandom, pack_count: u32) -> Result<Locked> {
    let index = Locked::new();
    index.insert(draw(random, pack_count).0)?;
    Ok(index)
}

fn index_of(pack_count: u32) -> Result<Locked> {
    random_index(&mut GoRandom::new(0), pack_count)
}

fn decode(work: &Work) -> Result<Vec<Figures>> {
    let index = index_of(work.pack_count)?;
    let (json, count) = (index.encode()?, index.count());
    drop(index);
    let row = repeated("DecodeIndex", work.turn_count, || {
        ensure!(Locked::decode(&json)?.count() == count, "decoded another index");
        Ok(())
    })?;
    Ok(vec![row])
}

fn decode_parallel(work: &Work) -> Result<Vec<Figures>> {
    let json = index_of(work.pack_count)?.encode()?;
    let operation = || Locked::decode(&json).map(|index| drop(black_box(index)));
    Ok(vec![in_parallel("DecodeIndexParallel", work.turn_count, operation)?])
}

fn encode(work: &Work) -> Result<Vec<Figures>> {
    let row = |&pack_count: &u32| {
        let index = index_of(pack_count)?;
        repeated(&format!("EncodeIndex/{pack_count}"), work.turn_count, || {
            black_box(index.encode()?);
            Ok(())
        })
    };
    ENCODED.iter().map(row).collect()
}

fn has_unknown(work: &Work) -> Result<Vec<Figures>> {
    let mut rng = Rng::new(1);
    let handles: Vec<Id> = (0..HANDLE_COUNT).map(|_| Id(random_id(&mut rng))).collect();
    has("IndexHasUnknown", work, |_| handles, 0)
}

/// 32 random bytes.
pub(super) fn random_id(rng: &mut Rng) -> [u8; 32] {
    let words: [[u8; 8]; 4] = std::array::from_fn(|_| rng.bits().to_le_bytes());
    words.concat().try_into().expect("four words are 32 bytes")
}

fn has_known(work: &Work) -> Result<Vec<Figures>> {
    has("IndexHasKnown", work, |index| index.first_data(HANDLE_COUNT), HANDLE_COUNT)
}

/// Asks for handles one after the other, each through the lock; `want` of them are there.
fn has(
    row: &str,
    work: &Work,
    handles: impl FnOnce(&Locked) -> Vec<Id>,
    want: usize,
) -> Result<Vec<Figures>> {
    let index = index_of(work.pack_count)?;
    let handles = handles(&index);
    let row = repeated(row, work.turn_count, || {
        let known = handles.iter().filter(|id| index.has(BlobKind::Data, id)).count();
        ensure!(known == want.min(handles.len()), "{known} handles are known, wanted {want}");
        Ok(())
    })?;
    Ok(vec![row])
}

fn alloc(work: &Work) -> Result<Vec<Figures>> {
    let mut random = GoRandom::new(0);
    let row = repeated("IndexAlloc", work.turn_count, || {
        black_box(random_index(&mut random, work.pack_count)?);
        Ok(())
    })?;
    Ok(vec![row])
}

fn alloc_parallel(work: &Work) -> Result<Vec<Figures>> {
    let operation = || index_of(work.pack_count).map(|index| drop(black_box(index)));
    Ok(vec![in_parallel("IndexAllocParallel", work.turn_count, operation)?])
}

/// Operations of one thread for each processor; what one took is the time of all divided by their
/// number.
pub(super) fn in_parallel(
    row: &str,
    turn_count: usize,
    operation: impl Fn() -> Result<()> + Sync,
) -> Result<Figures> {
    let thread_count = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut figures = Figures { row: row.to_owned(), ..Figures::default() };
    for _ in 0..turn_count {
        let (done, all) = timed(|| {
            thread::scope(|scope| {
                let threads: Vec<_> = (0..thread_count).map(|_| scope.spawn(&operation)).collect();
                threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
            })
        });
        done?;
        let share = |sum: f64| sum / thread_count as f64;
        figures.turn(&Sample { wall_ms: share(all.wall_ms), cpu_ms: share(all.cpu_ms), ..all });
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_does_its_work() {
        let work = Work { pack_count: 50, turn_count: 1 };
        for row in rows().filter(|row| row.name != "EncodeIndex") {
            let figures = (row.run)(&work).unwrap();
            assert!(figures[0].row.starts_with(row.name), "{}", figures[0].row);
            assert!(figures.iter().all(|figures| figures.wall_us[0] > 0.0), "{}", row.name);
        }
    }

    /// The hashes are those of what restic's own encoder writes for its benchmark index.
    #[test]
    fn the_benchmark_index_is_restics_byte_for_byte() {
        let rows = [
            (100, "d4bf22c59a652430a3846f461c3df87b5938fff0752a4ac5c2c1ce94f0eebec7"),
            (1000, "2ed2c01a1e52c7a4239fff5aff70080ff6f406f59691a33f850e6fbdf7c8b963"),
        ];
        for (pack_count, hash) in rows {
            let json = index_of(pack_count).unwrap().encode().unwrap();
            assert_eq!(Id::of(&json).to_string(), hash, "{pack_count} packs");
            let again = Locked::decode(&json).unwrap().encode().unwrap();
            assert!(again == json, "{pack_count} packs, decoded and encoded again");
        }
    }
}
