//! What a damaged SSTable has lost, on standard error.

use manicule::rows::{Loss, LossKind};

use crate::messages::say;
use crate::units::counted;

/// Counts of what was told.
#[derive(Debug, Default)]
pub(super) struct Losses {
    places: u64,
    lost_bytes: u64,
    others: u64,
}

impl Losses {
    /// Tells of a loss, with the partition's key if it is known.
    pub(super) fn tell(&mut self, loss: &Loss, key: Option<&str>) {
        if loss.kind.is_printed() {
            self.others += 1
        } else {
            self.places += 1;
            self.lost_bytes += loss.range.end - loss.range.start;
        }
        say(&in_words(loss, key));
    }

    /// Tells the sums; whether there was nothing to tell.
    pub(super) fn sum_up(&self) -> bool {
        let is_whole = self.places + self.others == 0;
        if !is_whole {
            let (bytes, places) = (counted(self.lost_bytes, "byte"), counted(self.places, "place"));
            let others = counted(self.others, "further finding");
            say(&format_args!("{bytes} lost in {places}, {others}"));
        }
        is_whole
    }
}

/// A loss as a sentence.
fn in_words(loss: &Loss, key: Option<&str>) -> String {
    let Loss { kind, range, why, .. } = loss;
    let (len, at) = (counted(range.end - range.start, "byte"), range.start);
    let place = format!("{len} at offset {at} of the uncompressed data");
    let partition = match key {
        Some(key) => format!("partition {key}"),
        None => "a partition whose key is not known".to_owned(),
    };
    match kind {
        LossKind::Row => format!("lost a row of {partition}, {place}: {why}"),
        LossKind::Rows => format!("lost rows of {partition}, {place}: {why}"),
        LossKind::Partition => format!("lost {partition}, {place}: {why}"),
        LossKind::Key => format!("{partition}, {place}: {why}"),
        LossKind::Doubtful => format!("doubtful is what was read of {place}: {why}"),
        LossKind::Index => match key {
            Some(key) => format!("{why} (partition {key})"),
            None => why.clone(),
        },
    }
}
