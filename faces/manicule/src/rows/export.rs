//! The rows of a table as a reader sees them: as CSV, as a JSON object a line, as a table of Arrow
//! or Parquet.

mod format;
mod live;
mod raw;
mod record;
mod sheet;
#[cfg_attr(not(feature = "tables"), path = "export/no_table.rs")]
mod table;

use std::ops::{Bound, RangeInclusive};
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_rows::Component;
use manicule_rows::export::{LiveOptions, columns, facts, live_rows};
use manicule_rows::scan::Taken;
use manicule_rows::schema::{Named, key_names};
use manicule_rows::table::Listed;

pub use manicule_rows::export::LiveCounts;

pub use self::format::ExportFormat;
pub(crate) use self::live::Columns;
use self::live::Live;
use self::raw::Raw;
pub(crate) use self::record::Field as RecordField;
use self::sheet::Sheet;
pub(crate) use self::sheet::text_of;
use super::dump::Ended;
use super::error::Error;
use super::slice::read_bounds;
use super::table::Table;
use super::write::chosen;

/// Arguments of an export.
#[derive(Clone, Debug)]
pub struct ExportCall {
    /// How rows are written.
    pub format: ExportFormat,
    /// Keys of the partitions that are meant, as CQL writes them or as sstabledump takes them.
    pub keys: Vec<String>,
    /// Tokens of those that are meant; keys and tokens exclude each other.
    pub tokens: Vec<RangeInclusive<i64>>,
    /// Whether these are exported or all others.
    pub taken: Taken,
    /// Columns that are text in tables of Arrow and Parquet, as CQL writes their values.
    pub as_text: Vec<String>,
    /// Where the rows of each partition start, as of a slice; of rows alone.
    pub start: Bound<String>,
    /// Where they end.
    pub end: Bound<String>,
    /// Whether fields for the time of writing and the seconds left to live of each column follow;
    /// of rows alone.
    pub has_times: bool,
    /// Whether each fact of each SSTable is written rather than rows as a reader sees them.
    pub is_raw: bool,
    /// The time in seconds since 1970 by which something has expired.
    pub now: i64,
    /// A CQL file with the names of the key's columns; `None`: a `schema.cql` beside the SSTables,
    /// if it is there.
    pub schema: Option<PathBuf>,
}

impl Table {
    /// Writes the rows that are live, its SSTables merged, or each fact of each SSTable; `take`
    /// receives them in parts.
    ///
    /// Memory: a window and a row of each SSTable, beside 64 KiB of text; of Parquet 32 MiB, of
    /// Arrow 4 MiB of rows.
    pub fn export<E: From<Error>>(
        &self,
        call: &ExportCall,
        watch: &Watch<'_>,
        mut take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(LiveCounts, Named), E> {
        let (sstables, listing) = self.opened()?;
        let header = sstables[0].header();
        let chosen = chosen(&sstables[0], &call.keys, &call.tokens, call.taken)?;
        let is_bounded = (&call.start, &call.end) != (&Bound::Unbounded, &Bound::Unbounded);
        let bounds = is_bounded.then(|| read_bounds(header, &call.start, &call.end));
        let bounds = bounds.transpose()?;
        let exported = self.reading(|reading| {
            let (listed, schema) = (&listing.listed, call.schema.as_deref());
            let named = key_names(listed, header, schema, &self.reads, reading)?;
            let merged = columns(&sstables)?;
            let times_at = call.has_times.then_some(call.now);
            let (key, clustering) = (&header.key, &header.clustering);
            let columns = Columns::new(key, clustering, &named.names, &merged, times_at);
            let all = if call.is_raw { raw::columns(&columns) } else { columns.all() };
            let sheet = Sheet::new(call.format, &all, &call.as_text);
            let mut sheet = sheet.map_err(|error| Ended::Taken(error.into()))?;
            let counts = if call.is_raw {
                let name = |listed: &Listed| listed.descriptor.file_name(&Component::Data);
                let names: Vec<String> = listed.iter().map(name).collect();
                facts(&sstables, &chosen, reading, watch, |fact| {
                    let sstable = &names[fact.sstable];
                    let raw = Raw { columns: &columns, sstable, fact };
                    sheet.add(&raw, &mut take).map_err(Ended::Taken)
                })?
            } else {
                let options =
                    LiveOptions { chosen: &chosen, bounds: bounds.as_ref(), now: call.now };
                live_rows(&sstables, &options, reading, watch, |row| {
                    let live = Live { columns: &columns, row };
                    sheet.add(&live, &mut take).map_err(Ended::Taken)
                })?
            };
            sheet.end(&mut take).map_err(Ended::Taken)?;
            Ok((counts, named))
        });
        exported.map_err(Ended::into_error)
    }
}
