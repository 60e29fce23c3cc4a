//! Our own reader, as tests call it.

use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_sstable::DumpForm;
use manicule_rows::RowsError;
use manicule_rows::scan::{self, PartitionOptions, RankedBy, Selection};
use manicule_rows::table::{Access, Sstable, TableOptions, list};
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading};

/// Memory that one job may hold.
const MEMORY_BYTES_MAX: u64 = 64 << 20;

/// Does a job of reading within its memory.
pub(crate) fn read_with<T>(job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

/// Opens the SSTables of a folder, or the one of a `Data.db`, with a cache that is too small for
/// them.
///
/// # Errors
/// Of the first that can't be opened.
pub fn open(path: &Path, access: Access) -> Result<Vec<Sstable>, RowsError> {
    let (listed, _) = list(path)?;
    let cache = CacheOptions { limit_bytes: 100_000, shard_count: 1, seed: 1 };
    let options = TableOptions {
        access,
        cache: Cache::new(cache),
        chunk_bytes_max: 16 << 20,
        component_bytes_max: 64 << 20,
    };
    read_with(|reading| {
        listed.iter().map(|listed| Sstable::open(listed, &options, reading)).collect()
    })
}

/// An SSTable as the sstabledump of the release prints it that writes its version.
///
/// # Errors
/// Of the first byte that can't be read.
pub fn dump(sstable: &Sstable, now: i64) -> Result<String, RowsError> {
    let form = DumpForm::of(sstable.version(), now);
    let mut text = String::new();
    read_with(|reading| {
        scan::dump(sstable, form, &Selection::All, reading, &Watch::none(), |part| {
            text.push_str(part);
            Ok::<(), RowsError>(())
        })
    })?;
    Ok(text)
}

/// Keys of all partitions, in the order of the file.
///
/// # Errors
/// Of the index.
pub fn keys(sstable: &Sstable) -> Result<Vec<Vec<u8>>, RowsError> {
    let all = PartitionOptions {
        listed_count_max: usize::MAX,
        by: RankedBy::Size,
        min: 0,
        counted: None,
    };
    let sstables = std::slice::from_ref(sstable);
    let listed = read_with(|reading| scan::partitions(sstables, &all, reading, &Watch::none()))?;
    let mut partitions = listed.largest;
    partitions.sort_by_key(|partition| partition.parts[0].position);
    Ok(partitions.into_iter().map(|partition| partition.key).collect())
}

/// The first line that differs between two texts, with its number.
pub fn first_difference(got: &str, want: &str) -> String {
    let lines = (1..).zip(got.lines().zip(want.lines()));
    let differs = lines.into_iter().find(|(_, (got, want))| got != want);
    let (got_count, want_count) = (got.lines().count(), want.lines().count());
    differs.map_or(format!("{got_count} lines, wanted {want_count}"), |(line, (got, want))| {
        format!("line {line}:\n  got  {got}\n  want {want}")
    })
}
