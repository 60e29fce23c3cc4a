//! Some partitions of an SSTable as one of their own: those with certain keys, or tokens; or all
//! but these.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_sstable::{
    Component, FilterBits, INDEX_INTERVAL, RowHead, RowPart, StatisticsFile, Unfiltered,
};
use manicule_store::pages::Reading;

use super::beside::Described;
use super::data::Compress;
use super::draft::Target;
use super::origin::{Origin, check_version};
use super::table::SstableWriter;
use super::written::Written;
use crate::RowsError;
use crate::emptied::emptied;
use crate::scan::{Chosen, Expected, IndexWalk, Indexed, Keys, Walk};
use crate::slice::Head;
use crate::table::{Listed, Sstable, TableOptions, read_component};

/// How an extract is made.
#[derive(Clone, Debug)]
pub struct ExtractOptions {
    /// Which partitions are written.
    pub chosen: Chosen,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// Writes some partitions of an SSTable as one of their own, in its version, with everything that
/// they have: tombstones and what they hide too. `None` if it has none of them: then nothing is
/// written.
///
/// The index is read once, of the data what is taken. Memory: some MiB and one row.
pub fn extract(
    listed: &Listed,
    target: &Target,
    options: &ExtractOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Option<Written>, RowsError> {
    check_version(listed)?;
    let sstable = Sstable::open(listed, table, reading)?;
    options.chosen.check(&sstable)?;
    let described = describe(&sstable, listed, options.block_len, table, reading)?;
    let mut writer = SstableWriter::create(target, described, options.compress)?;
    let (mut walk, mut rows) =
        (IndexWalk::new(&sstable, Keys::All, reading)?, Walk::new(&sstable, 1));
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    let mut partition = Indexed::default();
    while walk.next(&mut partition, reading)? {
        if options.chosen.takes(&partition.key) {
            let head = rows.begin_at(&Expected::from(&partition), reading)?;
            copy(&head, &mut rows, &sstable, &mut writer, &meter, reading)?;
        } else {
            meter.step(partition.len)?;
        }
    }
    meter.end();
    writer.finish()
}

/// What the new SSTable is written with: what the old one was.
pub(super) fn describe(
    sstable: &Sstable,
    listed: &Listed,
    block_len: u64,
    table: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Described, RowsError> {
    let bytes = read_component(listed, &Component::Statistics, table, reading)?;
    let path = listed.path(&Component::Statistics);
    let file = StatisticsFile::open(&bytes, sstable.version());
    let file = file.map_err(|error| RowsError::damaged(&path, error))?;
    let mut validation = file.validation().map_err(|error| RowsError::damaged(&path, error))?;
    let statistics = file.statistics().map_err(|error| RowsError::damaged(&path, error))?;
    validation.filter_chance = validation.filter_chance.clamp(FilterBits::CHANCE_MIN, 1.0);
    let (header, origin) = (sstable.header().clone(), Origin::of(&statistics));
    Ok(Described { header, validation, block_len, index_interval: INDEX_INTERVAL, origin })
}

/// Writes a partition whose head was read.
pub(super) fn copy(
    head: &Head,
    rows: &mut Walk<'_>,
    sstable: &Sstable,
    writer: &mut SstableWriter,
    meter: &Meter<'_>,
    reading: &mut Reading<'_>,
) -> Result<(), RowsError> {
    let (shape, damaged) = (sstable.shape(), |error| sstable.data().damaged(error));
    writer.begin(rows.key(), head.deletion)?;
    let mut parts: Vec<RowPart<'_>> = Vec::new();
    if let Some(row) = head.static_row(sstable)? {
        let parts: Result<Vec<_>, DecodeError> = row.cells(shape).collect();
        writer.statics(&RowHead::of(&row), parts.map_err(damaged)?.into_iter())?;
    }
    let mut before = rows.at();
    meter.step(before - head.position)?;
    loop {
        match rows.next(reading)? {
            None | Some(Unfiltered::End) => break,
            Some(Unfiltered::Row(row)) => {
                let mut own = emptied(parts);
                for part in row.cells(shape) {
                    own.push(part.map_err(damaged)?);
                }
                writer.row(&RowHead::of(&row), own.iter().copied())?;
                parts = emptied(own);
            }
            Some(Unfiltered::Marker(marker)) => {
                writer.marker(&marker.prefix, [marker.ends, marker.begins])?;
            }
        }
        meter.step(rows.at() - before)?;
        before = rows.at();
    }
    writer.end()
}
