//! What an SSTable's small files say of all of it: times, counts, histograms, types. Nothing of its
//! data is read.
//!
//! Bytes:   docs/formats/sstable.md, "Statistics.db"

use manicule_format_sstable::{
    Component, Descriptor, Header, Statistics, StatisticsFile, Summary, Validation,
};
use manicule_store::pages::Reading;

use super::ahead::{Foreseen, together};
use super::bring::bring;
use super::ends::FirstLast;
use super::file::{OpenFile, TableOptions};
use super::footer::trie_ends;
use super::listed::Listed;
use super::places::Places;
use super::resident::Resident;
use crate::RowsError;

/// Statistics of an SSTable.
#[derive(Clone, Debug)]
pub struct SstableStats {
    /// What the names of its files share.
    pub descriptor: Descriptor,
    /// What it was written with.
    pub validation: Validation,
    /// Times, counts and histograms.
    pub statistics: Statistics,
    /// Estimate of the number of distinct keys, if there is one.
    pub cardinality: Option<u64>,
    /// Types and columns.
    pub header: Header,
    /// First and last partition key: of the summary, of the statistics, or of the trie; `None`
    /// where none of them has them.
    pub keys: Option<FirstLast>,
    /// Compression of the data, if they are compressed.
    pub compression: Option<Compression>,
}

/// Compression of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Name of the compressor's class, as it is stored: without its package.
    pub class: String,
    /// Options of the compressor.
    pub options: Vec<(String, String)>,
    /// Length in bytes of a chunk before compression.
    pub chunk_len: u32,
}

/// Reads the statistics of listed SSTables of one folder, side by side where they are at an
/// address: each as [`stats`] does.
pub fn all_stats(
    listed: &[Listed],
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Vec<Result<SstableStats, RowsError>> {
    let mut all = Vec::with_capacity(listed.len());
    for listed in listed.chunks(AT_ONCE) {
        bring(listed, Foreseen::Statistics);
        all.extend(together(&*listed[0].store, listed.len(), reading, |number, reading| {
            stats(&listed[number], options, reading)
        }));
    }
    all
}

/// SSTables whose statistics are brought at once: some ten MB.
const AT_ONCE: usize = 256;

/// Reads the statistics of a listed SSTable.
///
/// Cost: Statistics.db and the compressor are read, and for the keys Summary.db or the end of
///       Partitions.db.
pub fn stats(
    listed: &Listed,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<SstableStats, RowsError> {
    let version = listed.descriptor.version;
    let file = Resident::open(listed, &Component::Statistics, options, reading)?;
    let read = StatisticsFile::open(file.bytes(), version).map_err(|error| file.damaged(error))?;
    let statistics = read.statistics().map_err(|error| file.damaged(error))?;
    let cardinality = read.cardinality().map_err(|error| file.damaged(error))?;
    let keys = match &statistics.keys {
        Some(keys) => Some(keys.clone()),
        None => keys(listed, options, reading)?,
    };
    Ok(SstableStats {
        descriptor: listed.descriptor.clone(),
        validation: read.validation().map_err(|error| file.damaged(error))?,
        cardinality: cardinality.map(|cardinality| cardinality.estimate()),
        header: read.header().map_err(|error| file.damaged(error))?,
        keys,
        compression: compression(listed, options, reading)?,
        statistics,
    })
}

fn compression(
    listed: &Listed,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Option<Compression>, RowsError> {
    if !listed.components.contains(&Component::CompressionInfo) {
        return Ok(None);
    }
    let places = Places::open(listed, options, reading)?;
    let info = places.info()?;
    let options = info.options.iter().map(|(key, value)| (key.to_string(), value.to_string()));
    Ok(Some(Compression {
        class: info.class.to_owned(),
        options: options.collect(),
        chunk_len: info.chunk_len,
    }))
}

/// First and last key where the statistics don't have them.
fn keys(
    listed: &Listed,
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Option<FirstLast>, RowsError> {
    if listed.components.contains(&Component::Summary) {
        let file = Resident::open(listed, &Component::Summary, options, reading)?;
        let summary = Summary::open(file.bytes()).map_err(|error| file.damaged(error))?;
        return Ok(Some((summary.first_key.to_vec(), summary.last_key.to_vec())));
    }
    if !listed.components.contains(&Component::Partitions) {
        return Ok(None);
    }
    let file = OpenFile::open(listed, &Component::Partitions, options)?;
    trie_ends(&file, reading).map(|(_, keys)| Some(keys))
}
