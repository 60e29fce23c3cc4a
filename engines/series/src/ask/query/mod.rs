//! Selection from an index by matchers: series, label names, label values.
//!
//! A selection is made of posting lists and no series is read for it, save where that costs less:
//! when a few series are left and a matcher would have to try thousands of values, the values of
//! those few are looked at instead.
//!
//! The road: `terms` turns a matcher into pairs of the index, `select` combines their lists,
//! `check` reads labels of series and asks the matchers again, `labels` lists names and values,
//! `counts` their series, `head` the largest of a block, `blocks` asks many blocks as one, `chunks`
//! hands out chunks undecoded, `occurrences` looks for texts, `streams` tells raw samples from
//! aggregates of downsampled ones. Where lists are damaged and that may be
//! passed over, `sound` asks all series. Of a block that is elsewhere `remote` says which lists are
//! read, and `ahead` brings series before they are walked.
//!
//! Bytes:   docs/formats/prometheus.md, sections *Selectors* and *Label names and values*

mod ahead;
mod blocks;
mod check;
mod chunks;
mod counts;
mod head;
mod labels;
mod occurrences;
mod remote;
mod samples;
mod select;
mod sound;
mod streams;
mod terms;

pub use blocks::{Blocks, Label, MergedRow, MergedSeries, Part};
pub use check::Check;
pub use chunks::ShownChunk;
pub use head::{HeadStats, Largest, head_stats};
pub use labels::{label_names, label_values};
pub use occurrences::{IsMatch, Occurrence, occurrences};
pub use samples::{MergedSamples, ShownValue};
pub(crate) use select::refs_of;
pub use select::{Selection, select};
pub(crate) use sound::select_sound;
pub(crate) use streams::streams;
pub use streams::{
    AGGREGATE_LABEL, Choice, ChoiceError, Downsampled, RESOLUTION_LABEL, ShownResolution,
};

use manicule_core::bytes::FileBytes;
use manicule_core::counts;
use manicule_core::postings::Increasing;
use manicule_format_prometheus::{Index, PostingList};

counts! {
    /// Cost of an answer, in counts that are the same on every machine.
    pub struct Work {
        /// Blocks that were asked.
        blocks,
        /// Label pairs in them: values, each with its name.
        pairs = "label_pairs",
        /// Names that were tried with a pattern, one by one.
        names_tried = "label_names_tried",
        /// Values that were tried with a matcher or a pattern, one by one.
        values_tried = "label_values_tried",
        /// Posting lists that were read.
        lists_read = "posting_lists",
        /// The bytes of their references.
        lists_len = "posting_lists_len",
        /// Series that were selected, or that have what was found: block by block, and match by
        /// match.
        series_matched,
        /// Series that were decoded, to decide whether they are selected or to show them.
        series_decoded,
    }
}

impl Work {
    /// Counts a block that is asked.
    fn ask<B: FileBytes>(&mut self, index: &Index<B>) {
        self.blocks += 1;
        // The list of all series has a pair without a name.
        self.pairs += u64::from(index.pair_count()) - u64::from(index.all_series().is_some());
    }

    /// Counts a list that is read, and gives its references.
    fn read<'i>(&mut self, list: PostingList<'i>) -> &'i Increasing {
        let refs = list.as_bytes();
        self.lists_read += 1;
        self.lists_len += size_of_val(refs) as u64;
        refs
    }
}
