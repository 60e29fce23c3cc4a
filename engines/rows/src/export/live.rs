//! All rows that a reader sees of a table at a time, its SSTables merged: partition after
//! partition, in the order of all.

use std::cmp::Ordering;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::Token;
use manicule_store::pages::Reading;

use crate::RowsError;
use crate::merge::{
    MergedColumns, MergedItem, MergedRow, RowMerge, WalkedPartition, WalkedSource, open_live,
};
use crate::scan::{Chosen, Expected, IndexWalk, Indexed, Keys, United, Walk};
use crate::slice::{Bounds, SliceOptions};
use crate::table::Sstable;

/// A row as a reader sees it.
#[derive(Clone, Copy, Debug)]
pub struct LiveRow<'r> {
    /// Key of its partition as it lies in the file.
    pub key: &'r [u8],
    /// The columns by which cells are numbered.
    pub columns: &'r MergedColumns,
    /// What is live of the partition's static row.
    pub statics: Option<&'r MergedRow>,
    /// What is live of the row; `None` of a partition that has a static row alone.
    pub row: Option<&'r MergedRow>,
}

manicule_core::counts! {
    /// What was exported.
    pub struct LiveCounts {
        /// Partitions with live rows.
        partitions,
        /// Rows.
        rows,
    }
}

/// Which rows are handed out.
#[derive(Clone, Copy, Debug)]
pub struct LiveOptions<'o> {
    /// Those of these partitions.
    pub chosen: &'o Chosen,
    /// Those between these bounds; `None`: all.
    pub bounds: Option<&'o Bounds>,
    /// Those that are live at this time, in seconds since 1970.
    pub now: i64,
}

/// Hands out live rows.
///
/// The indexes are read up to the last token that is chosen, of the data what is chosen. Memory: a
/// window and a row of each SSTable.
pub fn live_rows<E: From<RowsError>>(
    sstables: &[Sstable],
    options: &LiveOptions<'_>,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    mut take: impl FnMut(&LiveRow<'_>) -> Result<(), E>,
) -> Result<LiveCounts, E> {
    let chosen = options.chosen;
    let mut tables = Tables::new(sstables, chosen, reading)?;
    let data_len = sstables.iter().map(Sstable::data_len).sum();
    let meter = watch.phase(Phase::Reading, Unit::Bytes, data_len);
    let (mut counts, mut numbers) = (LiveCounts::default(), Vec::new());
    let last = sstables.first().and_then(|sstable| chosen.last_token(sstable));
    loop {
        tables.united.take(&mut numbers);
        let Some(&first) = numbers.first() else { break };
        let len: u64 = numbers.iter().map(|number| tables.next[*number].len).sum();
        let key = std::mem::take(&mut tables.next[first].key);
        if last.is_some_and(|last| Token::of(&key).0 > last) {
            break;
        }
        if chosen.takes(&key) {
            tables.partition(&key, &numbers, options, &mut counts, reading, &mut take)?;
        }
        tables.next[first].key = key;
        meter.step(len).map_err(RowsError::from)?;
        for &number in &numbers {
            tables.begin(number, reading)?;
        }
    }
    meter.end();
    Ok(counts)
}

/// Hands out live rows of a partition between bounds, found by the indexes of partitions and of
/// their rows; without bounds a static row alone is a row too.
///
/// Memory: a window and a row of each SSTable that has it.
pub fn live_rows_of<E: From<RowsError>>(
    sstables: &[Sstable],
    key: &[u8],
    bounds: Option<&Bounds>,
    options: &SliceOptions,
    now: i64,
    reading: &mut Reading<'_>,
    mut take: impl FnMut(&LiveRow<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let sstables: Vec<&Sstable> = sstables.iter().collect();
    let all = Bounds::all();
    let opened = open_live(&sstables, key, bounds.unwrap_or(&all), options, now, reading)?;
    let Some(mut slice) = opened else { return Ok(()) };
    let (columns, statics) = (slice.columns().clone(), slice.static_row().cloned());
    let columns = &columns;
    let mut has_rows = false;
    while let Some(row) = slice.next(reading)? {
        take(&LiveRow { key, columns, statics: statics.as_ref(), row: Some(&row) })?;
        has_rows = true;
    }
    match &statics {
        Some(statics) if !has_rows && bounds.is_none() => {
            take(&LiveRow { key, columns, statics: Some(statics), row: None })
        }
        _ => Ok(()),
    }
}

/// SSTables side by side.
struct Tables<'t> {
    sstables: &'t [Sstable],
    columns: MergedColumns,
    numbers: Vec<[Vec<usize>; 2]>,
    indexes: Vec<IndexWalk<'t>>,
    /// The next partition of each.
    next: Vec<Indexed>,
    walks: Vec<Walk<'t>>,
    united: United,
}

impl<'t> Tables<'t> {
    fn new(
        sstables: &'t [Sstable],
        chosen: &Chosen,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let columns = MergedColumns::of(&sstables.iter().collect::<Vec<_>>())?;
        let mut indexes = Vec::new();
        for sstable in sstables {
            chosen.check(sstable)?;
            indexes.push(IndexWalk::new(sstable, Keys::All, reading)?);
        }
        let numbers = |sstable: &Sstable| {
            [false, true].map(|is_static| columns.numbers(sstable.header(), is_static))
        };
        let mut tables = Tables {
            sstables,
            numbers: sstables.iter().map(numbers).collect(),
            columns,
            indexes,
            next: vec![Indexed::default(); sstables.len()],
            walks: sstables.iter().map(|sstable| Walk::new(sstable, sstables.len())).collect(),
            united: United::new(sstables)?,
        };
        for number in 0..sstables.len() {
            tables.begin(number, reading)?;
        }
        Ok(tables)
    }

    /// Goes to the next partition of an SSTable.
    fn begin(&mut self, number: usize, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let next = &mut self.next[number];
        if self.indexes[number].next(next, reading)? {
            self.united.push(&next.key, number);
        }
        Ok(())
    }

    /// The rows of a partition that the SSTables `numbers` have.
    fn partition<E: From<RowsError>>(
        &mut self,
        key: &[u8],
        numbers: &[usize],
        options: &LiveOptions<'_>,
        counts: &mut LiveCounts,
        reading: &mut Reading<'_>,
        take: &mut impl FnMut(&LiveRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Tables { sstables, columns, next, walks, .. } = self;
        let mut sources = Vec::new();
        for (number, walk) in walks.iter_mut().enumerate() {
            if !numbers.contains(&number) {
                continue;
            }
            let mut expected = Expected::from(&next[number]);
            // That of the first was taken out.
            expected.key = Some(key);
            let head = walk.begin_at(&expected, reading)?;
            sources.push(WalkedSource { walk, head, numbers: &self.numbers[number], number });
        }
        let types = sstables.first().map_or(&[][..], |first| &first.header().clustering);
        let mut partition = WalkedPartition::begin(sources);
        let live = |row: &RowMerge<'_>| Ok(MergedRow::of(row).live(options.now));
        let place = |row: &MergedRow| match options.bounds {
            Some(bounds) => bounds.place(types, &row.clustering.as_prefix()),
            None => Ordering::Equal,
        };
        let statics = partition.static_row(columns, live)?.flatten();
        let mut has_rows = false;
        while let Some(item) = partition.next(types, columns, reading, live)? {
            let MergedItem::Row(Some(row)) = item else { continue };
            match place(&row) {
                Ordering::Less => {}
                Ordering::Equal => {
                    let (statics, row) = (statics.as_ref(), Some(&row));
                    take(&LiveRow { key, columns, statics, row })?;
                    counts.rows += 1;
                    has_rows = true;
                }
                Ordering::Greater => break,
            }
        }
        let statics = statics.filter(|_| !has_rows && options.bounds.is_none());
        if let Some(statics) = &statics {
            take(&LiveRow { key, columns, statics: Some(statics), row: None })?;
            counts.rows += 1;
            has_rows = true;
        }
        counts.partitions += u64::from(has_rows);
        Ok(())
    }
}
