//! Rows from elsewhere as an SSTable: sorted within a memory that is given, or streamed if they
//! come in order.
//!
//! Rows that don't fit into that memory are written as sorted runs, which are SSTables themselves
//! in a folder of their own, and merged at the end as a compaction merges them.

mod bases;
mod buffer;
mod cells;
mod row;
mod runs;

use std::cmp::Ordering;

use manicule_core::watch::Watch;
use manicule_format_sstable::{Header, Validation};
use manicule_store::pages::Reading;

pub(super) use self::bases::Bases;
use self::buffer::Buffer;
pub use self::row::{NewRow, NewValue, Stamp};
pub(super) use self::row::{check_clustering, check_value};
use self::runs::Runs;
use super::beside::Described;
use super::data::Compress;
use super::draft::Target;
use super::origin::Origin;
use super::rebuild::PARTITIONER;
use super::table::SstableWriter;
use super::written::Written;
use crate::RowsError;
use crate::table::TableOptions;

/// How rows are written.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Version, types and columns. Its bases of times are those of the rows.
    pub header: Header,
    /// Chance of a false answer of the filter, 1 for no filter.
    pub filter_chance: f64,
    /// Number of partitions from one sample of the index to the next.
    pub index_interval: u32,
    /// How the data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
    /// The host that writes; of versions from `me` on.
    pub host: Option<[u8; 16]>,
    /// Whether rows come in the order of the table: each is written as it comes.
    pub is_sorted: bool,
    /// Number of bytes of rows that are held to be sorted.
    pub memory: u64,
}

/// Rows that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Number of rows that were given.
    pub given_count: u64,
    /// Number of sorted runs; 0 if all rows fitted into memory or came in order.
    pub run_count: u64,
    /// The SSTable; `None` if no row was given: then nothing is written, and of a dry one that
    /// takes several runs, which only their merge would count.
    pub written: Option<Written>,
}

/// Number of bytes of sorted rows that are written at once.
pub(super) const STREAMED_LEN: usize = 1 << 20;

/// Takes the rows.
pub type TakeRow<'t> = &'t mut dyn FnMut(&NewRow<'_>) -> Result<(), RowsError>;

/// Writes the rows that `give` hands on. Rows of one primary key are one row at the end, of each
/// cell the newest: of equal timestamps the one that Cassandra keeps.
///
/// The same rows and options give the same bytes, however much memory there is; sorted rows that
/// are streamed have as bases of times those of the first MiB.
///
/// Memory: `memory`, some MiB, and the longest row. Disk: beyond that memory room for the
/// data twice.
///
/// # Errors
/// A row that has no place in the table, or out of order where they are sorted: the error of
/// `take`, after which no other is taken.
pub fn load<E: From<RowsError>>(
    target: &Target,
    options: LoadOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    give: impl FnOnce(TakeRow<'_>) -> Result<(), E>,
) -> Result<Loaded, E> {
    let mut loading = Loading {
        target,
        buffer: Buffer::new(&options.header),
        bases: Bases::new(&options.header),
        streamed: None,
        runs: Runs::new(target, table, watch),
        given_count: 0,
        options,
        reading,
    };
    give(&mut |row| loading.row(row))?;
    Ok(loading.finish()?)
}

/// A load.
struct Loading<'l, 'r, 'w> {
    target: &'l Target,
    options: LoadOptions,
    /// Rows that wait: to be sorted, or for others of the same primary key.
    buffer: Buffer,
    bases: Bases,
    /// Where sorted rows go.
    streamed: Option<Box<SstableWriter>>,
    runs: Runs<'l, 'w>,
    given_count: u64,
    reading: &'l mut Reading<'r>,
}

impl Loading<'_, '_, '_> {
    fn row(&mut self, row: &NewRow<'_>) -> Result<(), RowsError> {
        row.check(&self.options.header)?;
        self.given_count += 1;
        self.bases.note(row);
        for is_static in [true, false] {
            if self.buffer.add(row, is_static, &mut self.bases)? && self.options.is_sorted {
                self.stream()?;
            }
        }
        if !self.options.is_sorted && self.buffer.len() as u64 >= self.options.memory {
            self.spill()?;
        }
        Ok(())
    }

    /// Writes the rows before the one that was added last, if that is another one.
    fn stream(&mut self) -> Result<(), RowsError> {
        match self.buffer.last_order(&self.options.header.clustering) {
            None | Some(Ordering::Equal) => Ok(()),
            Some(Ordering::Less) if self.buffer.len() < STREAMED_LEN => Ok(()),
            Some(Ordering::Less) => {
                let mut writer = match self.streamed.take() {
                    Some(writer) => writer,
                    None => self.writer(self.target)?,
                };
                self.buffer.put_but_last(&mut writer)?;
                self.streamed = Some(writer);
                Ok(())
            }
            Some(Ordering::Greater) => {
                let mut key = String::new();
                self.options.header.key.put_literal(Some(self.buffer.last_key()), &mut key);
                let why = format!(
                    "rows are not sorted: one of the partition {key} comes after one that it belongs before"
                );
                Err(RowsError::Unwritable { why })
            }
        }
    }

    /// Writes what waits as a sorted run.
    fn spill(&mut self) -> Result<(), RowsError> {
        if self.target.is_dry {
            // What one run of several is says nothing of the SSTable.
            self.runs.pass();
            self.buffer.clear();
            return Ok(());
        }
        let target = self.runs.next()?;
        self.put_buffer(&target)?;
        let described = self.options.described(&self.bases);
        self.runs.settle(&described, self.reading)
    }

    fn put_buffer(&mut self, target: &Target) -> Result<Option<Written>, RowsError> {
        let mut writer = self.writer(target)?;
        self.buffer.sort(&self.options.header.clustering);
        self.buffer.put(&mut writer)?;
        writer.finish()
    }

    fn finish(mut self) -> Result<Loaded, RowsError> {
        let given_count = self.given_count;
        let written = if given_count == 0 {
            None
        } else if let Some(mut writer) = self.streamed.take() {
            self.buffer.put(&mut writer)?;
            writer.finish()?
        } else if self.runs.count() == 0 {
            self.put_buffer(self.target)?
        } else if self.target.is_dry {
            None
        } else {
            if !self.buffer.is_empty() {
                self.spill()?;
            }
            let described = self.options.described(&self.bases);
            let compress = self.options.compress;
            self.runs.merge(described, compress, self.reading)?
        };
        Ok(Loaded { given_count, run_count: self.runs.count(), written })
    }

    fn writer(&self, target: &Target) -> Result<Box<SstableWriter>, RowsError> {
        // Runs are read once, and soon.
        let is_run = !std::ptr::eq(target, self.target);
        let compress = if is_run { None } else { self.options.compress };
        SstableWriter::create(target, self.options.described(&self.bases), compress).map(Box::new)
    }
}

impl LoadOptions {
    /// An SSTable of rows with these times.
    pub(super) fn described(&self, bases: &Bases) -> Described {
        let LoadOptions { header, filter_chance, index_interval, block_len, host, .. } = self;
        let (partitioner, filter_chance) = (PARTITIONER.to_owned(), *filter_chance);
        Described {
            header: bases.of_rows(header),
            validation: Validation { partitioner, filter_chance },
            block_len: *block_len,
            index_interval: *index_interval,
            origin: Origin { host: *host, ..Origin::NONE },
        }
    }
}
