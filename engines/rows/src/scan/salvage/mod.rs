//! What can be read of a damaged SSTable, printed as a dump, and what can't be, as a list.
//!
//! Data.db is walked from its start; neither index nor data are believed alone:
//! * A row that can't be read is left out by its length. If what follows is damaged too, or doesn't point back to it, the walk goes on at
//!   the next block of the partition's index, else at the next partition.
//! * Where a partition ends elsewhere than the next begins by the index, or a row reaches beyond it, the index is asked to prove itself: the
//!   data must have the entry's key at its place. An entry that can't is dropped, so that damage of the index alone loses nothing.
//! * A key is taken from the index where the data have another one that the filter doesn't know, or that is out of order.
//!
//! Data that aren't compressed have checksums of 64 KiB each. Where one is wrong the rows are printed as far as they can be read, and
//! reported as doubtful: a flipped bit of a value leaves no other trace.
//!
//! Callers: faces/manicule

mod heads;
mod loss;
mod partition;
mod starts;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Dump, DumpForm};
use manicule_store::pages::Reading;

pub use loss::{Loss, LossKind};

use crate::RowsError;
use crate::table::{DataFile, Sstable, Window};
use starts::Starts;

/// Length in bytes from which on what was printed is handed out.
const TEXT_LEN: usize = 1 << 16;

/// Length in bytes of the blocks that checksums of plain data are compared of at a time.
const SUMMED_LEN: u64 = 1 << 16;

/// Prints what can be read of an SSTable that was opened by [`Sstable::open_damaged`]; `take` receives it in parts, `lose` what is
/// damaged, in the order in which it is met.
///
/// Cost: Data.db and the index are read once, and what is damaged a few times. Memory: a chunk of the data, a window of the index, and the
/// text of one row beside 64 KiB.
///
/// # Errors
/// Those of `take`, and a stop. Whatever the table has is no error.
pub fn salvage<E: From<RowsError>>(
    sstable: &Sstable,
    form: DumpForm,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    take: &mut dyn FnMut(&str) -> Result<(), E>,
    lose: &mut dyn FnMut(Loss),
) -> Result<(), E> {
    let mut salvage = Salvage {
        sstable,
        // Each chunk by itself, so that a bad one takes no other with it.
        window: Window::passing(sstable.data(), 0),
        dump: Dump::new(sstable.header(), sstable.shape(), form),
        out: String::new(),
        starts: Starts::new(sstable, reading),
        last_key: None,
        summed_to: 0,
        lose,
    };
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    let mut at = 0;
    while at < sstable.data_len() {
        let next = salvage.partition(at, reading, take)?;
        meter.step(next - at).map_err(RowsError::from)?;
        at = next;
        salvage.compare_sums(at, reading);
        salvage.report_starts();
    }
    salvage.compare_sums(sstable.data_len().next_multiple_of(SUMMED_LEN), reading);
    salvage.starts.after(at, reading);
    salvage.report_starts();
    meter.end();
    let Salvage { dump, mut out, .. } = salvage;
    dump.end(&mut out);
    take(&out)
}

/// A salvage.
struct Salvage<'t, 'l> {
    sstable: &'t Sstable,
    window: Window<'t, DataFile>,
    dump: Dump<'t>,
    /// What was printed and not handed out.
    out: String,
    starts: Starts<'t>,
    /// Key of the last partition that was printed.
    last_key: Option<Vec<u8>>,
    /// Up to where checksums of plain data were compared.
    summed_to: u64,
    lose: &'l mut dyn FnMut(Loss),
}

impl Salvage<'_, '_> {
    /// Hands out what was printed, if it is much.
    fn hand_out<E>(&mut self, take: &mut dyn FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        if self.out.len() < TEXT_LEN {
            return Ok(());
        }
        take(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// Compares the checksums of plain data that were passed whole.
    fn compare_sums(&mut self, at: u64, reading: &mut Reading<'_>) {
        let data_len = self.sstable.data_len();
        while self.sstable.has_sums() && self.summed_to + SUMMED_LEN <= at {
            let range = self.summed_to..(self.summed_to + SUMMED_LEN).min(data_len);
            self.summed_to += SUMMED_LEN;
            if range.is_empty() {
                continue;
            }
            if let Err(error) = self.sstable.check_sums(range.clone(), reading) {
                let why = error.to_string();
                (self.lose)(Loss { kind: LossKind::Doubtful, key: None, range, why });
            }
        }
    }

    fn report_starts(&mut self) {
        for loss in self.starts.losses.drain(..) {
            (self.lose)(loss);
        }
    }
}
