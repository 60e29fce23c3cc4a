//! Series by their labels: selected, counted, compared.

use manicule_series::diff::{DiffSums, Difference, LabelList};
use serde::Serialize;
use serde::ser::SerializeMap;

use crate::json::{Keyed, Report, report, text};

/// A series by its labels.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'l>(pub &'l LabelList<'l>);

report!(of: Labelled<'_> { labels: labels(of.0) });

fn labels<'l>(labels: &'l LabelList<'l>) -> impl Serialize + 'l {
    Keyed(labels.iter().map(|(name, value)| (text(name), text(value))))
}

/// A name of labels, or a value of one, with its number of series.
#[derive(Clone, Copy, Debug)]
pub struct LabelCount<'l> {
    /// Whether it is a value, not a name.
    pub is_value: bool,
    /// The name or value.
    pub bytes: &'l [u8],
    /// Its number of series.
    pub series: u64,
}

impl Report for LabelCount<'_> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        to.serialize_entry(if self.is_value { "value" } else { "name" }, &text(self.bytes))?;
        to.serialize_entry("series", &self.series)
    }
}

/// A series in which blocks differ; its type says how.
#[derive(Clone, Copy, Debug)]
pub struct Differing<'d> {
    /// The labels of the series.
    pub labels: &'d LabelList<'d>,
    /// The difference.
    pub difference: Difference,
}

impl Report for Differing<'_> {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        Labelled(self.labels).entries(to)?;
        let kind = match self.difference {
            Difference::OnlyLeft => "only_a",
            Difference::OnlyRight => "only_b",
            Difference::Chunks => "chunks",
            Difference::Samples(samples) => {
                to.serialize_entry("only_a", &samples.only_left)?;
                to.serialize_entry("only_b", &samples.only_right)?;
                to.serialize_entry("other", &samples.changed)?;
                to.serialize_entry("first_time", &samples.first)?;
                "samples"
            }
        };
        to.serialize_entry("type", kind)
    }
}

report!(of: DiffSums { same, only_a = only_left, only_b = only_right, samples, chunks });
