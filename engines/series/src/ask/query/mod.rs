//! Selection from an index by matchers: series, label names, label values.
//!
//! A selection is made of posting lists and no series is read for it, save where that costs less: when a few series are
//! left and a matcher would have to try thousands of values, the values of those few are looked at instead.
//!
//! The road: `terms` turns a matcher into pairs of the index, `select` combines their lists, `check` reads labels of
//! series and asks the matchers again, `labels` lists names and values, `counts` their series, `blocks` asks many
//! blocks as one, `occurrences` looks for texts. Where lists are damaged and that may be passed over, `sound` asks all
//! series.
//!
//! Bytes:   docs/formats/prometheus.md, sections *Selectors* and *Label names and values*
//! Callers: faces

mod blocks;
mod check;
mod counts;
mod labels;
mod occurrences;
mod samples;
mod select;
mod sound;
mod terms;

pub use blocks::{Blocks, Label, MergedRow, MergedSeries, Part};
pub use check::Check;
pub use labels::{label_names, label_values};
pub use occurrences::{IsMatch, Occurrence, occurrences};
pub use samples::{MergedSamples, ShownValue};
pub use select::{Selection, select};
pub(crate) use sound::select_sound;

use std::ops::Deref;

use manicule_core::postings::Rising;
use manicule_format_prometheus::{Index, PostingList};

/// Cost of an answer, in counts that are the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Blocks that were asked.
    pub blocks: u64,
    /// Label pairs in them: values, each with its name.
    pub pairs: u64,
    /// Names that were tried with a pattern, one by one.
    pub names_tried: u64,
    /// Values that were tried with a matcher or a pattern, one by one.
    pub values_tried: u64,
    /// Posting lists that were read.
    pub lists_read: u64,
    /// The bytes of their references.
    pub lists_len: u64,
    /// Series that were selected, or that have what was found: block by block, and match by match.
    pub series_matched: u64,
    /// Series that were decoded, to decide whether they are selected or to show them.
    pub series_decoded: u64,
}

impl Work {
    /// The counts by their names, in the order of the work.
    pub fn fields(&self) -> [(&'static str, u64); 8] {
        [
            ("blocks", self.blocks),
            ("label_pairs", self.pairs),
            ("label_names_tried", self.names_tried),
            ("label_values_tried", self.values_tried),
            ("posting_lists", self.lists_read),
            ("posting_lists_len", self.lists_len),
            ("series_matched", self.series_matched),
            ("series_decoded", self.series_decoded),
        ]
    }

    /// Counts a block that is asked.
    fn ask<B: Deref<Target = [u8]>>(&mut self, index: &Index<B>) {
        self.blocks += 1;
        // The list of all series has a pair without a name.
        self.pairs += u64::from(index.pair_count()) - u64::from(index.all_series().is_some());
    }

    /// Counts a list that is read, and gives its references.
    fn read<'i>(&mut self, list: PostingList<'i>) -> &'i Rising {
        let refs = list.as_bytes();
        self.lists_read += 1;
        self.lists_len += size_of_val(refs) as u64;
        refs
    }
}
