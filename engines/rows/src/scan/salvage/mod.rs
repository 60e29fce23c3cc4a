//! What can be read of a damaged SSTable, for a [`Keep`] that prints or writes it, and what can't
//! be, as a list.
//!
//! Data.db is walked from its start; neither index nor data are believed alone:
//! * A row that can't be read is left out by its length. If what follows is damaged too, or doesn't
//!   point back to it, the walk goes on at the next block of the partition's index, else at the
//!   next partition.
//! * Where a partition ends elsewhere than the next begins by the index, or a row reaches beyond
//!   it, the index is asked to prove itself: the data must have the entry's key at its place. An
//!   entry that can't is dropped, so that damage of the index alone loses nothing.
//! * A key is taken from the index where the data have another one that the filter doesn't know, or
//!   that is out of order.
//!
//! Data that aren't compressed have checksums of 64 KiB each. Where one is wrong the rows are kept
//! as far as they can be read, and reported as doubtful: a flipped bit of a value leaves no other
//! trace.

mod heads;
mod keep;
mod loss;
mod partition;
mod printed;
mod starts;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_store::pages::Reading;

pub(crate) use keep::{FoundPartition, Keep};
pub use loss::{Loss, LossKind};
pub use printed::print_damaged;

use crate::RowsError;
use crate::table::{DataFile, Sstable, Window};
use starts::Starts;

/// Length in bytes of the blocks that checksums of plain data are compared of at a time.
const SUMMED_LEN: u64 = 1 << 16;

/// Hands `keep` what can be read of an SSTable that was opened by [`Sstable::open_damaged`], and
/// `lose` what is damaged, in the order in which it is met.
///
/// Cost: Data.db and the index are read once, and what is damaged a few times. Memory: a chunk of
///       the data and a window of the index.
///
/// # Errors
/// Those of `keep`, and a stop. Whatever the table has is no error.
pub(crate) fn salvage<K: Keep>(
    sstable: &Sstable,
    keep: &mut K,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    lose: &mut dyn FnMut(Loss),
) -> Result<(), K::Error> {
    if let Some(why) = sstable.mended() {
        let (kind, why) = (LossKind::Index, why.to_owned());
        lose(Loss { kind, key: None, range: 0..0, why });
    }
    let mut salvage = Salvage {
        sstable,
        // Each chunk by itself, so that a bad one takes no other with it.
        window: Window::passing(sstable.data(), 0),
        keep,
        starts: Starts::new(sstable, reading),
        last_key: None,
        summed_to: 0,
        lose,
    };
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    let mut at = 0;
    while at < sstable.data_len() {
        let next = salvage.partition(at, reading)?;
        meter.step(next - at).map_err(RowsError::from)?;
        at = next;
        salvage.compare_sums(at, reading);
        salvage.report_starts();
    }
    salvage.compare_sums(sstable.data_len().next_multiple_of(SUMMED_LEN), reading);
    salvage.starts.after(at, reading);
    salvage.report_starts();
    meter.end();
    Ok(())
}

/// A salvage.
struct Salvage<'t, 'l, K> {
    sstable: &'t Sstable,
    window: Window<'t, DataFile>,
    keep: &'l mut K,
    starts: Starts<'t>,
    /// Key of the last partition that was kept.
    last_key: Option<Vec<u8>>,
    /// Up to where checksums of plain data were compared.
    summed_to: u64,
    lose: &'l mut dyn FnMut(Loss),
}

impl<K: Keep> Salvage<'_, '_, K> {
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
