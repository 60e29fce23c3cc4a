//! What matchers select of an index: series, label names, label values.
//!
//! A selection is made of posting lists and no series is read for it, save where that costs less: when a few series are
//! left and a matcher would have to try thousands of values, the values of those few are looked at instead.
//!
//! The road: `terms` turns a matcher into pairs of the index, `select` combines their lists, `check` reads labels of
//! series and asks the matchers again, `labels` lists names and values, `blocks` asks many blocks as one,
//! `occurrences` looks for texts.
//!
//! Bytes:   docs/formats/prometheus.md, sections *Selectors* and *Label names and values*
//! Callers: faces

mod blocks;
mod check;
mod labels;
mod occurrences;
mod samples;
mod select;
mod terms;

pub use blocks::{Blocks, Label, MergedRow, MergedSeries, Part};
pub use check::Check;
pub use labels::{label_names, label_values};
pub use occurrences::{Occurrence, occurrences};
pub use samples::{MergedSamples, ShownValue};
pub use select::{Selection, select};

/// What answering has cost, in counts that are the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Posting lists that were read.
    pub lists_read: u64,
    /// Values that were tried with a matcher, one by one.
    pub values_tried: u64,
    /// Series that were decoded to decide whether they are selected.
    pub series_decoded: u64,
}
