//! The rows of restic's index of all index files: built of many, asked for one blob, gone through.
//!
//! Ours is built as loading builds it: what an index file holds is decoded into a list, and added
//! to the one index. restic makes an index of each file and merges them.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use manicule_format_restic::{BlobKind, Id};
use manicule_repositories::GoRandom;
use manicule_testkit::Rng;

use super::index::{Row, Work, in_parallel, random_id};
use super::locked::{Locked, draw};
use crate::figures::{Figures, repeated};

/// The benchmarks of restic's `MasterIndex`, in its order. That of a garbage collection has no
/// counterpart.
pub(super) const ROWS: [Row; 9] = [
    Row { name: "MasterIndexAlloc", run: alloc },
    Row { name: "MasterIndexMerge", run: merge },
    Row { name: "MasterIndexLookupSingleIndex", run: lookup_single },
    Row { name: "MasterIndexLookupMultipleIndex", run: lookup_multiple },
    Row { name: "MasterIndexLookupSingleIndexUnknown", run: unknown_single },
    Row { name: "MasterIndexLookupMultipleIndexUnknown", run: unknown_multiple },
    Row { name: "MasterIndexLookupParallel", run: lookup_parallel },
    Row { name: "MasterIndexLookupBlobSize", run: blob_size },
    Row { name: "MasterIndexEach", run: each },
];

/// Look-ups of an operation of [`lookup_parallel`]: starting threads costs more than one.
const PARALLEL_COUNT: u32 = 1_000_000;

/// Index files, and packs of each.
#[derive(Clone, Copy)]
struct Shape {
    file_count: u32,
    pack_count: u32,
}

const SINGLE: Shape = Shape { file_count: 1, pack_count: 200_000 };
const MULTIPLE: Shape = Shape { file_count: 100, pack_count: 10_000 };
const FIVE: Shape = Shape { file_count: 5, pack_count: 200_000 };

impl Shape {
    /// The shape, smaller where the work is.
    fn of(self, work: &Work) -> Shape {
        let share = |count: u32| (u64::from(count) * u64::from(work.pack_count) / 200_000) as u32;
        Shape { pack_count: share(self.pack_count).max(1), ..self }
    }
}

/// restic's random index of all files, and the blob that is asked for: one of the last file.
fn random_master(random: &mut GoRandom, shape: Shape) -> Result<(Locked, Id)> {
    let index = Locked::new();
    let mut asked = None;
    for _ in 0..shape.file_count {
        let (part, one) = draw(random, shape.pack_count);
        index.insert(part)?;
        asked = one;
    }
    Ok((index, asked.context("an index of no packs")?))
}

fn master(work: &Work, shape: Shape) -> Result<(Locked, Id)> {
    random_master(&mut GoRandom::new(0), shape.of(work))
}

fn built(row: &str, work: &Work, shape: Shape) -> Result<Vec<Figures>> {
    let mut random = GoRandom::new(0);
    let row = repeated(row, work.turn_count, || {
        black_box(random_master(&mut random, shape)?);
        Ok(())
    })?;
    Ok(vec![row])
}

fn alloc(work: &Work) -> Result<Vec<Figures>> {
    let file_count = work.pack_count / 20;
    built("MasterIndexAlloc", work, Shape { file_count: file_count.max(1), pack_count: 5 })
}

fn merge(work: &Work) -> Result<Vec<Figures>> {
    let shape = Shape { file_count: 1000, pack_count: work.pack_count.div_ceil(200) };
    built("MasterIndexMerge", work, shape)
}

fn lookup(row: &str, work: &Work, shape: Shape) -> Result<Vec<Figures>> {
    let (index, id) = master(work, shape)?;
    let row = repeated(row, work.turn_count, || {
        let places = index.lookup(BlobKind::Data, black_box(&id));
        ensure!(matches!(places[..], [at] if at.blob.id == id), "it has one place");
        Ok(())
    })?;
    Ok(vec![row])
}

fn lookup_single(work: &Work) -> Result<Vec<Figures>> {
    lookup("MasterIndexLookupSingleIndex", work, SINGLE)
}

fn lookup_multiple(work: &Work) -> Result<Vec<Figures>> {
    lookup("MasterIndexLookupMultipleIndex", work, MULTIPLE)
}

fn unknown(row: &str, work: &Work, shape: Shape) -> Result<Vec<Figures>> {
    let (index, _) = master(work, shape)?;
    let id = Id(random_id(&mut Rng::new(1)));
    let row = repeated(row, work.turn_count, || {
        ensure!(index.lookup(BlobKind::Data, black_box(&id)).is_empty(), "nobody knows it");
        Ok(())
    })?;
    Ok(vec![row])
}

fn unknown_single(work: &Work) -> Result<Vec<Figures>> {
    unknown("MasterIndexLookupSingleIndexUnknown", work, SINGLE)
}

fn unknown_multiple(work: &Work) -> Result<Vec<Figures>> {
    unknown("MasterIndexLookupMultipleIndexUnknown", work, MULTIPLE)
}

fn lookup_parallel(work: &Work) -> Result<Vec<Figures>> {
    let mut rows = Vec::new();
    for file_count in [25, 50, 100] {
        let (index, known) = master(work, Shape { file_count, pack_count: 10_000 })?;
        let unknown = Id(random_id(&mut Rng::new(1)));
        for (word, id) in [("known", known), ("unknown", unknown)] {
            let name = format!("MasterIndexLookupParallel/{word},indices={file_count}");
            let mut row = in_parallel(&name, work.turn_count, || {
                for _ in 0..PARALLEL_COUNT {
                    black_box(index.lookup(BlobKind::Data, black_box(&id)));
                }
                Ok(())
            })?;
            let each = |all: &mut f64| *all /= f64::from(PARALLEL_COUNT);
            row.wall_us.iter_mut().chain(&mut row.cpu_us).for_each(each);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn blob_size(work: &Work) -> Result<Vec<Figures>> {
    let (index, id) = master(work, FIVE)?;
    let row = repeated("MasterIndexLookupBlobSize", work.turn_count, || {
        let len = index.plain_len(BlobKind::Data, black_box(&id));
        black_box(len.context("it is there")?);
        Ok(())
    })?;
    Ok(vec![row])
}

fn each(work: &Work) -> Result<Vec<Figures>> {
    let (index, _) = master(work, FIVE)?;
    let want = index.count();
    let row = repeated("MasterIndexEach", work.turn_count, || {
        let mut count = 0;
        index.each(|at| {
            black_box((at.pack, at.blob));
            count += 1;
        });
        ensure!(count == want, "{count} entries came, wanted {want}");
        Ok(())
    })?;
    Ok(vec![row])
}
