//! Samples read from text: OpenMetrics, and the older format of Prometheus.
//!
//! What is taken and what is refused is what `promtool tsdb create-blocks-from openmetrics` does
//! with OpenMetrics, and Prometheus's parser with its own format. Both give floats only: a classic
//! histogram or summary is plain series, and neither can carry a native histogram. Exemplars, help
//! texts and units are checked and left out. The differences:
//!
//! - A time in seconds after the year 9999 is refused: it is one in milliseconds. So is a time
//!   beyond 64 bits of milliseconds, and a NUL byte outside of values and help texts.
//! - Blanks before a metric's name are no part of it in Prometheus's format.
//! - A bound (`le`) or quantile written with underscores or in hex digits keeps its form.
//! - An entry has a length, and a number of lines, that it may not pass.

mod entry;
mod labels;
mod number;
mod parser;
mod scan;

pub use labels::{LabelError, LabelSet};
pub(crate) use number::{put_api_float, put_float, put_whole};
pub use parser::{Parser, Sample, SyntaxError, TextError};

/// Dialect of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Times in seconds with fractions; ends with `# EOF`.
    OpenMetrics,
    /// Times in milliseconds; blanks anywhere.
    Prometheus,
}

/// The type of a metric, as far as it changes its labels: bounds of histograms and quantiles of
/// summaries are numbers of one form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// With `le`.
    Histogram,
    /// With `quantile`.
    Summary,
    /// Any other, or none.
    Other,
}
