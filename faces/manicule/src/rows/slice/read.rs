//! A slice that is open, and handed out part after part.

use std::sync::Arc;

use manicule_core::blocks::ReadCost;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_rows::merge::{
    MergedColumns, MergedItem, MergedMarker, MergedRow, foresee, open_live, open_own,
};
use manicule_rows::schema::{Named, key_names};
use manicule_rows::slice::{Bounds, Seek, SliceOptions};
use manicule_rows::table::{LeftOut, Sstable};
use manicule_rows::{Component, Deletion, Elements, Header, Type};
use manicule_store::context::{Budget, Context};
use manicule_store::pages::{Cache, ReadCounts, Reading};

use super::call::{Search, SliceCall, View};
use super::literals::{read_bounds, read_key};
use crate::rows::error::Error;
use crate::rows::table::Table;

/// Bytes of a cache that is enough for a slice, of who opens a table for nothing else: the upper
/// levels of an index, some chunks that rows next to each other lie in.
pub const SLICE_CACHE_BYTES: u64 = 4 << 20;
/// Longest read of data in bytes.
pub(in crate::rows) const READ_BYTES_MAX: u64 = 256 << 10;
/// Reads of local files: an index up to this length is fetched whole, and two probes side by side
/// cost more than one after the other.
pub(in crate::rows) const READ_COST: ReadCost = ReadCost { whole_bytes_max: 64 << 10, ways: 2 };

manicule_core::counts! {
    /// Cost of a slice.
    pub struct SliceWork {
        /// SSTables of the table.
        sstables,
        /// Those whose filter admitted the key, so that they were opened.
        sstables_opened,
        /// Those that have the partition.
        sstables_holding,
        /// Blocks of the partition's indexes that were compared or found.
        blocks,
        /// Rows that were handed out.
        rows,
        /// Pages and parsed values that left the cache for others, of whoever used it meanwhile.
        cache_evictions,
        /// The most bytes that were held at a time beside the cache.
        memory_peak_bytes,
    } with {
        /// What was read.
        reading: ReadCounts,
    }
}

/// A part of a slice.
#[derive(Clone, Copy, Debug)]
pub enum SliceItem<'s> {
    /// The partition begins: once of [`View::Live`], of [`View::Own`] for each SSTable that has it.
    Partition {
        /// Of [`View::Own`] the number of the SSTable.
        source: Option<usize>,
        /// Its deletion; live if there is none.
        deletion: Deletion,
        /// The columns by which cells are numbered.
        columns: &'s MergedColumns,
    },
    /// Its static row.
    Static(&'s MergedRow),
    /// A row.
    Row(&'s MergedRow),
    /// A range deletion opens or closes. Only of [`View::Own`].
    Marker(&'s MergedMarker),
}

/// A slice that is open.
#[derive(Debug)]
pub struct Slice {
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
    /// Names of the table and its key.
    pub named: Named,
    sstables: Vec<Sstable>,
    header: Header,
    key: Vec<u8>,
    bounds: Bounds,
    options: SliceOptions,
    view: View,
    cache: Arc<Cache>,
    evictions_before: u64,
    budget: Arc<Budget>,
    work: SliceWork,
}

impl Table {
    /// Opens a slice: key and bounds are read, and the SSTables opened whose filters admit the key.
    pub fn slice(&self, call: &SliceCall) -> Result<Slice, Error> {
        let evictions_before = self.reads.cache.counts().evictions;
        let mut work = SliceWork::default();
        let budget = Context::current().memory().share(self.memory());
        let mut reading = Reading { counts: &mut work.reading, budget: &budget };
        let ((header, key, named, sstables), listing) = self.with_listing(|listing| {
            let header = listing.header_for_lookup(&self.reads, &mut reading)?;
            let key = read_key(&header, &call.key)?;
            let (listed, schema) = (&listing.listed, call.schema.as_deref());
            let named = key_names(listed, &header, schema, &self.reads, &mut reading)?;
            let opened = listing.sstables_that_may_have(&key, &self.reads, &mut reading)?;
            Ok((header, key, named, opened.into_iter().flatten().collect::<Vec<Sstable>>()))
        })?;
        let bounds = read_bounds(&header, &call.start, &call.end)?;
        work.sstables = listing.listed.len() as u64;
        work.sstables_opened = sstables.len() as u64;
        let seek = match call.search {
            Search::Index => Seek::Index(READ_COST),
            Search::Scan => Seek::Scan,
        };
        let (direction, row_count_max) = (call.direction, call.row_count_max);
        let read_bytes_max = READ_BYTES_MAX;
        let slice_options = SliceOptions { direction, row_count_max, seek, read_bytes_max };
        Ok(Slice {
            left_out: listing.left_out.clone(),
            named,
            sstables,
            header,
            key,
            bounds,
            options: slice_options,
            view: call.view,
            cache: Arc::clone(&self.reads.cache),
            evictions_before,
            budget,
            work,
        })
    }
}

impl Slice {
    /// Types of the partition key's columns and their values.
    pub fn key(&self) -> Vec<(&Type, &[u8])> {
        match &self.header.key {
            Type::Composite(parts) => {
                let values = Elements::of_composite(&self.key).map(Option::unwrap_or_default);
                parts.iter().zip(values).collect()
            }
            single => vec![(single, &self.key)],
        }
    }

    /// Types of the clustering columns.
    pub fn clustering(&self) -> &[Type] {
        &self.header.clustering
    }

    /// Name of the Data.db of an SSTable by its number, which cells have as their source.
    pub fn file_name(&self, source: usize) -> String {
        let sstable = self.sstables.get(source);
        sstable.map_or_else(String::new, |it| it.descriptor().file_name(&Component::Data))
    }

    /// Hands out the slice; `take` receives part after part. Returns what it has cost; that no
    /// SSTable has the partition is one of its counts.
    ///
    /// Memory: of each SSTable a window of the data and one row, in reverse one block.
    pub fn each<E: From<Error>>(
        &self,
        watch: &Watch<'_>,
        mut take: impl FnMut(&Slice, SliceItem<'_>) -> Result<(), E>,
    ) -> Result<SliceWork, E> {
        let mut work = self.work;
        let meter = watch.endless(Phase::Reading, Unit::Rows);
        match self.view {
            View::Live { now } => self.live(now, &meter, &mut work, &mut take)?,
            View::Own => self.own(&meter, &mut work, &mut take)?,
        }
        meter.end();
        work.cache_evictions = self.cache.counts().evictions - self.evictions_before;
        work.memory_peak_bytes = self.budget.peak_bytes();
        Ok(work)
    }

    fn live<E: From<Error>>(
        &self,
        now: i64,
        meter: &Meter<'_>,
        work: &mut SliceWork,
        take: &mut impl FnMut(&Slice, SliceItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let SliceWork { reading: counts, rows, .. } = work;
        let mut reading = Reading { counts, budget: &self.budget };
        let sstables: Vec<&Sstable> = self.sstables.iter().collect();
        let (bounds, options) = (&self.bounds, &self.options);
        let opened = open_live(&sstables, &self.key, bounds, options, now, &mut reading);
        let Some(mut slice) = opened.map_err(Error::Rows)? else { return Ok(()) };
        let columns = slice.columns().clone();
        let deletion = slice.deletion();
        take(self, SliceItem::Partition { source: None, deletion, columns: &columns })?;
        if let Some(row) = slice.static_row() {
            take(self, SliceItem::Static(row))?;
        }
        let mut steps = meter.steps();
        while let Some(row) = slice.next(&mut reading).map_err(Error::Rows)? {
            *rows += 1;
            take(self, SliceItem::Row(&row))?;
            steps.add(1).map_err(Error::from)?;
        }
        drop(steps);
        work.sstables_holding = slice.source_count() as u64;
        work.blocks = slice.block_count();
        Ok(())
    }

    fn own<E: From<Error>>(
        &self,
        meter: &Meter<'_>,
        work: &mut SliceWork,
        take: &mut impl FnMut(&Slice, SliceItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut steps = meter.steps();
        let sstables: Vec<&Sstable> = self.sstables.iter().collect();
        let mut reading = Reading { counts: &mut work.reading, budget: &self.budget };
        foresee(&sstables, &self.key, &self.bounds, &self.options, &mut reading);
        for (source, sstable) in self.sstables.iter().enumerate() {
            let mut reading = Reading { counts: &mut work.reading, budget: &self.budget };
            let (key, bounds, options) = (&self.key, &self.bounds, &self.options);
            let opened = open_own(sstable, source, key, bounds, options, &mut reading);
            let Some(mut slice) = opened.map_err(Error::Rows)? else { continue };
            work.sstables_holding += 1;
            let (columns, deletion) = (slice.columns().clone(), slice.deletion());
            let source = Some(source);
            take(self, SliceItem::Partition { source, deletion, columns: &columns })?;
            if let Some(row) = slice.static_row() {
                take(self, SliceItem::Static(row))?;
            }
            while let Some(item) = slice.next(&mut reading).map_err(Error::Rows)? {
                match &item {
                    MergedItem::Row(row) => {
                        work.rows += 1;
                        take(self, SliceItem::Row(row))?;
                    }
                    MergedItem::Marker(marker) => take(self, SliceItem::Marker(marker))?,
                }
                steps.add(1).map_err(Error::from)?;
            }
            work.blocks += slice.block_count();
        }
        Ok(())
    }
}
