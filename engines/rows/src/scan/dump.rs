//! What is in an SSTable, as sstabledump prints it: everything, some partitions, all but some, or
//! keys.

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_sstable::{Deletion, Dump, DumpForm, DumpLayout, DumpPlace, Unfiltered};
use manicule_store::pages::Reading;

use super::index::{IndexWalk, Indexed, Keys};
use super::walk::{Expected, Walk};
use crate::RowsError;
use crate::lookup::{self, Place};
use crate::slice::{Head, other_key};
use crate::table::Sstable;

/// Length in bytes from which on what was printed is handed out.
const TEXT_LEN: usize = 1 << 16;

/// Which partitions are printed, by their keys as they lie in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All.
    All,
    /// These, in the order of the file. Keys that aren't there print nothing.
    Only(Vec<Vec<u8>>),
    /// All but these.
    Without(Vec<Vec<u8>>),
}

/// Prints an SSTable; `take` receives it in parts. Of keys alone all are printed.
///
/// Cost: Data.db is read once, of a selection what is selected: partitions are found, and passed
///       over, by the index. Keys alone come from the
/// index, and those that tries don't have from a page of Data.db each. Memory: a window, and the
/// text of one row beside 64 KiB.
pub fn dump<E: From<RowsError>>(
    sstable: &Sstable,
    form: DumpForm,
    selection: &Selection,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    mut take: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let dump = Dump::new(sstable.header(), sstable.shape(), form);
    let mut printer =
        Printer { sstable, walk: Walk::new(sstable, 1), dump, out: String::new(), take: &mut take };
    match selection {
        _ if form.layout == DumpLayout::Keys => printer.keys(reading, watch)?,
        Selection::All => printer.all(&[], reading, watch)?,
        Selection::Without(keys) => {
            let skipped = extents(sstable, keys, reading)?;
            printer.all(&skipped, reading, watch)?;
        }
        Selection::Only(keys) => {
            let starts = starts(sstable, keys, reading)?;
            printer.only(&starts, reading, watch)?;
        }
    }
    let Printer { dump, mut out, .. } = printer;
    dump.end(&mut out);
    take(&out)
}

/// A dump that is being printed.
struct Printer<'t, 'f, F> {
    sstable: &'t Sstable,
    walk: Walk<'t>,
    dump: Dump<'t>,
    /// What was printed and not handed out.
    out: String,
    take: &'f mut F,
}

impl<E, F> Printer<'_, '_, F>
where
    E: From<RowsError>,
    F: FnMut(&str) -> Result<(), E>,
{
    /// All partitions but these.
    fn all(
        &mut self,
        skipped: &[Extent],
        reading: &mut Reading<'_>,
        watch: &Watch<'_>,
    ) -> Result<(), E> {
        let meter = watch.phase(Phase::Reading, Unit::Bytes, self.sstable.data_len());
        let mut skipped = skipped.iter();
        let mut skip = skipped.next();
        loop {
            while let Some(Extent { start, end, key }) =
                skip.filter(|skip| skip.start == self.walk.at())
            {
                self.walk.pass_over(key, *end);
                meter.step(end - start).map_err(RowsError::from)?;
                skip = skipped.next();
            }
            let Some(head) = self.walk.begin(reading)? else { break };
            self.partition(&head, &meter, reading)?;
        }
        if let Some(Extent { start, key, .. }) = skip {
            return Err(other_key(self.sstable, *start, key, self.walk.key()).into());
        }
        meter.end();
        Ok(())
    }

    /// The partitions that begin at these places.
    fn only(
        &mut self,
        starts: &[Start<'_>],
        reading: &mut Reading<'_>,
        watch: &Watch<'_>,
    ) -> Result<(), E> {
        let meter = watch.endless(Phase::Reading, Unit::Bytes);
        for Start { key, place } in starts {
            let expected = Expected { position: place.position, end: None, key: Some(key) };
            let head = self.walk.begin_at(&expected, reading)?;
            self.partition(&head, &meter, reading)?;
        }
        meter.end();
        Ok(())
    }

    fn partition(
        &mut self,
        head: &Head,
        meter: &Meter<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<(), E> {
        let Printer { sstable, walk, dump, out, take } = self;
        let damaged = |error| sstable.data().damaged(error);
        let (at, rows_at) = (head.position, head.position + head.len);
        let place = DumpPlace { at, rows_at, deletion: head.deletion };
        dump.begin_partition(walk.key(), &place, out);
        if let Some(row) = head.static_row(sstable)? {
            dump.unfiltered(&Unfiltered::Row(row), out).map_err(damaged)?;
        }
        let mut last_at = at;
        while let Some(unfiltered) = walk.next(reading)? {
            dump.unfiltered(&unfiltered, out).map_err(damaged)?;
            if out.len() >= TEXT_LEN {
                take(out.as_str())?;
                out.clear();
                meter.step(walk.at() - last_at).map_err(RowsError::from)?;
                last_at = walk.at();
            }
        }
        dump.end_partition(out);
        meter.step(walk.at() - last_at).map_err(RowsError::from)?;
        Ok(())
    }

    /// Keys alone.
    fn keys(&mut self, reading: &mut Reading<'_>, watch: &Watch<'_>) -> Result<(), E> {
        let meter = watch.endless(Phase::Reading, Unit::Partitions);
        let mut steps = meter.steps();
        let mut walk = IndexWalk::new(self.sstable, Keys::All, reading)?;
        let mut entry = Indexed::default();
        while walk.next(&mut entry, reading)? {
            let (at, deletion) = (entry.position, Deletion::LIVE);
            let place = DumpPlace { at, rows_at: at, deletion };
            self.dump.begin_partition(&entry.key, &place, &mut self.out);
            self.dump.end_partition(&mut self.out);
            if self.out.len() >= TEXT_LEN {
                (self.take)(&self.out)?;
                self.out.clear();
            }
            steps.add(1).map_err(RowsError::from)?;
        }
        drop(steps);
        meter.end();
        Ok(())
    }
}

/// Where a partition begins, by its key.
struct Start<'k> {
    key: &'k [u8],
    place: Place,
}

/// Where a partition lies.
struct Extent {
    start: u64,
    end: u64,
    key: Vec<u8>,
}

/// Where the partitions with these keys begin, in the order of the file.
fn starts<'k>(
    sstable: &Sstable,
    keys: &'k [Vec<u8>],
    reading: &mut Reading<'_>,
) -> Result<Vec<Start<'k>>, RowsError> {
    let mut starts = Vec::new();
    for key in keys {
        let place = lookup::find(sstable, key, reading)?;
        starts.extend(place.map(|place| Start { key, place }));
    }
    starts.sort_unstable_by_key(|start| start.place.position);
    starts.dedup_by_key(|start| start.place.position);
    Ok(starts)
}

/// Where the partitions with these keys lie, in the order of the file: the index says where the
/// next ones begin, and they end there.
fn extents(
    sstable: &Sstable,
    keys: &[Vec<u8>],
    reading: &mut Reading<'_>,
) -> Result<Vec<Extent>, RowsError> {
    let starts = starts(sstable, keys, reading)?;
    let (mut left, mut extents) = (&starts[..], Vec::new());
    let mut walk = IndexWalk::new(sstable, Keys::AsIndexed, reading)?;
    let mut entry = Indexed::default();
    while let Some((Start { key, place }, others)) = left.split_first() {
        if !walk.next(&mut entry, reading)? {
            break;
        }
        if entry.position == place.position {
            let (start, end) = (entry.position, entry.position.saturating_add(entry.len));
            lookup::check_end(sstable, place, end, reading)?;
            extents.push(Extent { start, end, key: key.to_vec() });
            left = others;
        }
    }
    Ok(extents)
}
