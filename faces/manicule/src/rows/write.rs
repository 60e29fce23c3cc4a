//! SSTables written: rebuilt from their data, salvaged of damaged ones, extracted from others,
//! split, merged of several. A `schema.cql` of their folder goes with them.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_rows::scan::{Chosen, Meant};
use manicule_rows::schema::carry_schema;
use manicule_rows::table::{Ahead, LeftOut, Listed, Sstable, list_some_at};
use manicule_rows::write;
use manicule_rows::{FILTER_CHANCE_MIN, RowsError};

pub use manicule_rows::Version;
pub use manicule_rows::scan::Taken;
pub use manicule_rows::write::{Codec, Compress, Purge, Written};

use super::dump::{Loss, key_of};
use super::error::Error;
use super::keys::read_key;
use super::open::{only_with_data, place_of, reading_within, reads};
use super::place::{Destination, Place};
use super::table::Table;

/// Length in bytes from which on a block of rows ends in the index, unless Cassandra is configured
/// otherwise.
pub const INDEX_BLOCK_LEN: u64 = 64 << 10;

/// Bytes that a writer may hold beside what it writes: reads, and the longest row.
pub(super) const MEMORY_BYTES: u64 = 1 << 30;

/// Arguments of a rebuild.
#[derive(Clone, Debug)]
pub struct RebuildCall {
    /// A file of the SSTable, or a folder that has no other.
    pub path: PathBuf,
    /// Where the new one is written.
    pub place: Place,
    /// Chance of a false answer of the filter, 1 for no filter; `None`: that of the old statistics,
    /// or 0.01.
    pub filter_chance: Option<f64>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// Makes an SSTable with the data of another and new components beside them: index, filter,
/// summary, statistics, checksums. Of the other only Data.db is needed, the header in its
/// Statistics.db, and CompressionInfo.db of compressed data. TOC.txt isn't asked.
pub fn rebuild(call: &RebuildCall, watch: &Watch<'_>) -> Result<Written, Error> {
    check_chance(call.filter_chance)?;
    let to = Destination::open(&call.place)?;
    let listed = only_with_data(&call.path)?;
    let options = reads()?;
    let RebuildCall { filter_chance, block_len, .. } = *call;
    let wanted = write::RebuildOptions { filter_chance, block_len, index_interval: None };
    let written = reading_within(MEMORY_BYTES, |reading| {
        write::rebuild(&listed, to.target(), &wanted, &options, reading, watch)
    })?;
    carry_schema(&listed, to.target())?;
    to.publish(written, watch)
}

/// Refuses a chance of a false answer that no filter has.
pub(super) fn check_chance(chance: Option<f64>) -> Result<(), Error> {
    match chance.filter(|it| !(FILTER_CHANCE_MIN..=1.0).contains(it)) {
        Some(chance) => Err(Error::FilterChance { chance, least: FILTER_CHANCE_MIN }),
        None => Ok(()),
    }
}

/// Arguments of a salvage.
#[derive(Clone, Debug)]
pub struct SalvageCall {
    /// A file of the SSTable, or a folder that has no other.
    pub path: PathBuf,
    /// Where the new one is written.
    pub place: Place,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// Writes what can be read of a damaged SSTable as a sound one; `lose` receives what is damaged,
/// with the partition's key as CQL writes it.
/// `None` if nothing is left: then nothing is written. TOC.txt isn't asked.
pub fn salvage(
    call: &SalvageCall,
    watch: &Watch<'_>,
    mut lose: impl FnMut(&Loss, Option<&str>),
) -> Result<Option<Written>, Error> {
    let to = Destination::open(&call.place)?;
    let listed = only_with_data(&call.path)?;
    let options = reads()?;
    let SalvageCall { compress, block_len, .. } = *call;
    let wanted = write::SalvageOptions { compress, block_len };
    let lost = &mut |loss: Loss, sstable: &Sstable| {
        let key = key_of(&loss, sstable);
        lose(&loss, key.as_deref());
    };
    let written = reading_within(MEMORY_BYTES, |reading| {
        write::salvage(&listed, to.target(), &wanted, &options, reading, watch, lost)
    })?;
    if written.is_some() {
        carry_schema(&listed, to.target())?;
    }
    written.map(|written| to.publish(written, watch)).transpose()
}

/// Arguments of an extract.
#[derive(Clone, Debug)]
pub struct ExtractCall {
    /// Where the new one is written.
    pub place: Place,
    /// Keys of the partitions that are meant, as CQL writes them or as sstabledump takes them.
    pub keys: Vec<String>,
    /// Tokens of those that are meant; keys and tokens exclude each other.
    pub tokens: Vec<RangeInclusive<i64>>,
    /// Whether these are written or all others.
    pub taken: Taken,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

impl Table {
    /// Writes some partitions of the only SSTable as one of their own, with all that they have:
    /// tombstones, and what these hide. `None` if it has none of them: then nothing is written.
    pub fn extract(&self, call: &ExtractCall, watch: &Watch<'_>) -> Result<Option<Written>, Error> {
        let (sstable, listed) = self.only()?;
        let chosen = chosen(&sstable, &call.keys, &call.tokens, call.taken)?;
        let ExtractCall { compress, block_len, .. } = *call;
        let wanted = write::ExtractOptions { chosen, compress, block_len };
        let to = Destination::open(&call.place)?;
        let written = reading_within(MEMORY_BYTES, |reading| {
            write::extract(&listed, to.target(), &wanted, &self.reads, reading, watch)
        })?;
        if written.is_some() {
            carry_schema(&listed, to.target())?;
        }
        written.map(|written| to.publish(written, watch)).transpose()
    }
}

/// Arguments of a split.
#[derive(Clone, Debug)]
pub struct SplitCall {
    /// Where the new ones are written; its generation is that of the first.
    pub place: Place,
    /// Length in bytes of stored data above which a part ends with its partition.
    pub len_max: u64,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

impl Table {
    /// Writes the only SSTable as several, each about as long as wanted, with all that it has; they
    /// get their names when all are written, at an address one by one.
    pub fn split(&self, call: &SplitCall, watch: &Watch<'_>) -> Result<Vec<Written>, Error> {
        let (_, listed) = self.only()?;
        let SplitCall { len_max, compress, block_len, .. } = *call;
        let wanted = write::SplitOptions { len_max, compress, block_len };
        let to = Destination::open(&call.place)?;
        let written = reading_within(MEMORY_BYTES, |reading| {
            write::split(&listed, to.target(), &wanted, &self.reads, reading, watch)
        })?;
        if !written.is_empty() {
            carry_schema(&listed, to.target())?;
        }
        written.into_iter().map(|written| to.publish(written, watch)).collect()
    }
}

/// Partitions by their keys, or by their tokens if there are any.
pub(super) fn chosen(
    sstable: &Sstable,
    keys: &[String],
    tokens: &[RangeInclusive<i64>],
    taken: Taken,
) -> Result<Chosen, Error> {
    let keys: Result<Vec<_>, _> = keys.iter().map(|key| read_key(sstable, key)).collect();
    let meant = match tokens {
        [] => Meant::Keys(keys?),
        tokens => Meant::Tokens(tokens.to_vec()),
    };
    Ok(Chosen { meant, taken })
}

/// Arguments of a merge.
#[derive(Clone, Debug)]
pub struct MergeCall {
    /// Folders of SSTables, all of one table, and files of single ones.
    pub paths: Vec<PathBuf>,
    /// Where the new one is written.
    pub place: Place,
    /// By which times tombstones are dropped.
    pub purge: Purge,
    /// Version of the new one; `None`: the newest of those that are merged.
    pub version: Option<Version>,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// An SSTable made of several.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Number of those that were merged.
    pub sstable_count: usize,
    /// Length in bytes of their data before compression.
    pub data_len: u64,
    /// The new one; `None` if nothing is left of them.
    pub written: Option<Written>,
    /// Those that don't count by the log of a transaction.
    pub left_out: Vec<LeftOut>,
}

/// Merges the SSTables of a table into one, as a compaction does. Tombstones are dropped for their
/// age alone: only who merges all SSTables of a table may have any dropped.
pub fn merge(call: &MergeCall, watch: &Watch<'_>) -> Result<Merged, Error> {
    match merge_listed(call, watch) {
        // A server has merged them meanwhile.
        Err(Error::Rows(error)) if error.is_vanished() => merge_listed(call, watch),
        merged => merged,
    }
}

/// The SSTables of all paths, each once, and those that have been replaced.
fn listed_of(paths: &[PathBuf]) -> Result<(Vec<Listed>, Vec<LeftOut>), Error> {
    let (mut all, mut replaced): (Vec<Listed>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    for path in paths {
        let (listed, left_out) = list_some_at(&place_of(path)?, Ahead::Everything)?;
        // Of a part of a table nobody wants to know it as the whole.
        if let Some(LeftOut { path, why, .. }) = left_out.iter().find(|out| !out.is_replaced) {
            return Err(RowsError::Missing { place: path.clone(), why: why.clone() }.into());
        }
        replaced.extend(left_out);
        for listed in listed {
            let is_new = |other: &Listed| {
                (&other.folder, &other.descriptor) != (&listed.folder, &listed.descriptor)
            };
            if all.iter().all(is_new) {
                all.push(listed);
            }
        }
    }
    Ok((all, replaced))
}

fn merge_listed(call: &MergeCall, watch: &Watch<'_>) -> Result<Merged, Error> {
    let to = Destination::open(&call.place)?;
    let (all, left_out) = listed_of(&call.paths)?;
    let options = reads()?;
    let MergeCall { purge, version, compress, block_len, .. } = *call;
    let wanted = write::MergeOptions { purge, version, compress, block_len };
    let merged = reading_within(MEMORY_BYTES, |reading| {
        write::merge(&all, to.target(), &wanted, &options, reading, watch)
    })?;
    if merged.written.is_some() {
        // All are of one table: the first schema stays.
        all.iter().try_for_each(|listed| carry_schema(listed, to.target()))?;
    }
    let written = merged.written.map(|written| to.publish(written, watch)).transpose()?;
    let data_len = merged.data_len;
    Ok(Merged { sstable_count: all.len(), data_len, written, left_out })
}
