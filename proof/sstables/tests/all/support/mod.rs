//! What tests of SSTables that we write have in common.

use std::path::{Path, PathBuf};

use manicule::rows::{self, ExportCall, ExportFormat, OpenCall, Place, RowTimes, Taken, WriteCall};
use manicule_core::watch::Watch;
use manicule_format_sstable::Version;
use manicule_rows::RowsError;
use manicule_rows::table::{Access, TableOptions};
use manicule_rows::write::{Codec, Compress, LoadOptions, Target, write_facts};
use manicule_sstables::RandomFacts;
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading};
use manicule_testkit::Rng;

/// Memory that a reader or writer may hold.
const MEMORY_BYTES: u64 = 64 << 20;

pub(crate) fn reading<T>(job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

pub(crate) fn options() -> TableOptions {
    let cache = Cache::new(CacheOptions { limit_bytes: 1 << 20, shard_count: 1, seed: 1 });
    let (chunk_bytes_max, component_bytes_max) = (16 << 20, 64 << 20);
    TableOptions { access: Access::Mapped, cache, chunk_bytes_max, component_bytes_max }
}

pub(crate) fn target(folder: &Path, generation: Option<u64>) -> Target {
    Target { files: Disk::shared(), folder: folder.to_owned(), generation, is_dry: false }
}

/// With what a table is written, each time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) compress: Option<Compress>,
    pub(crate) block_len: u64,
}

impl Wanted {
    pub(crate) fn draw(rng: &mut Rng, version: Version) -> Wanted {
        let codec = match rng.pick(&[Codec::Lz4, Codec::Snappy, Codec::Deflate, Codec::Zstd]) {
            Codec::Zstd if !matches!(version, Version::Na | Version::Nb) => Codec::Lz4,
            codec => codec,
        };
        let compress = Compress { codec, chunk_len: 4096, level: Compress::LEVEL };
        let compress = rng.one_in(2).then_some(compress);
        Wanted { compress, block_len: rng.pick(&[200, 4096, 65_536]) }
    }
}

/// Writes the facts, which come in any order; the Data.db.
pub(crate) fn write_drawn(drawn: &RandomFacts, folder: &Path, wanted: Wanted) -> PathBuf {
    let options = LoadOptions {
        header: drawn.header.clone(),
        filter_chance: 0.01,
        index_interval: 128,
        compress: wanted.compress,
        block_len: wanted.block_len,
        host: None,
        is_sorted: false,
        memory: 64 << 20,
    };
    let target = target(folder, Some(1));
    let loaded = write_facts::<RowsError>(&target, options, |take| {
        drawn.facts.iter().try_for_each(|fact| fact.give(&mut *take))
    });
    loaded.expect("they are written").written.expect("there are some").path
}

/// All that SSTables say, as facts or as the rows that a reader sees at a time.
///
/// # Errors
/// Of the export.
pub(crate) fn exported(
    path: &Path,
    schema: &Path,
    format: ExportFormat,
    (is_raw, now): (bool, i64),
) -> Result<Vec<u8>, rows::Error> {
    let table = rows::Table::open(&OpenCall::new(path.to_owned()))?;
    let call = ExportCall {
        start: std::ops::Bound::Unbounded,
        end: std::ops::Bound::Unbounded,
        has_times: false,
        format,
        keys: Vec::new(),
        tokens: Vec::new(),
        taken: Taken::Others,
        as_text: Vec::new(),
        is_raw,
        now,
        schema: Some(schema.to_owned()),
    };
    let mut bytes = Vec::new();
    table.export(&call, &Watch::none(), |part| {
        bytes.extend_from_slice(part);
        Ok::<(), rows::Error>(())
    })?;
    Ok(bytes)
}

/// Rows of a file, all written at a time in seconds, in any order.
pub(crate) fn write_call(schema: &Path, input: PathBuf, into: PathBuf, now: i64) -> WriteCall {
    let times = RowTimes {
        timestamp: now * 1_000_000,
        timestamp_field: None,
        ttl: None,
        ttl_field: None,
        now,
    };
    WriteCall {
        schema: schema.to_owned(),
        table: None,
        inputs: vec![input],
        format: None,
        names: None,
        delimiter: b',',
        ignores_others: false,
        times,
        is_update: false,
        deletes_nulls: false,
        is_raw: false,
        is_sorted: false,
        memory: 10_000,
        host: None,
        version: Version::Me,
        compress: None,
        block_len: 64 << 10,
        filter_chance: None,
        place: Place { folder: into, generation: None, is_dry: false },
    }
}
