//! Series and samples of blocks as text: OpenMetrics, JSON, and the forms of `promtool tsdb dump`.
//!
//! OpenMetrics is written so that it reads back as the same samples. promtool's `dump-openmetrics`
//! gives the same bytes where names need no quotes and values no escapes but `\"`, `\\` and `\n`;
//! elsewhere its output is no OpenMetrics. What OpenMetrics can't say is counted and left out:
//! native histograms, marks of stale series, and series without a metric's name.
//!
//! Of a downsampled block each aggregate is written as a series of its own: in text with two labels
//! more, in JSON with two fields. Those without a sample are left out.

mod bounds;
mod histogram;
mod text;

pub use histogram::HistogramNumbers;

use std::fmt;
use std::io::{self, Write};

use manicule_core::ErrorClass;
use manicule_core::go::json::put_string;
use manicule_core::watch::{Phase, Stopped, Unit, Watch};
use manicule_format_prometheus::Interval;
use manicule_format_prometheus::chunk::{Sample, Value};

use crate::ask::query::{Blocks, Downsampled, Label, MergedRow, Work};
use crate::ask::selector::Selector;
use crate::block::BlockError;
use crate::openmetrics::{put_float, put_whole};

/// Output format of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DumpFormat {
    /// OpenMetrics: a line a sample, times in seconds.
    OpenMetrics,
    /// JSON Lines: an object a series, with all samples.
    Json,
    /// promtool's `--format=prom`: a line a sample, with all labels in braces, times in
    /// milliseconds.
    Plain,
    /// promtool's `--format=seriesjson`: an object a series, labels only.
    SeriesJson,
}

/// Result of a dump: what was written, and what could not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dumped {
    /// Series.
    pub series: u64,
    /// Samples.
    pub samples: u64,
    /// Native histograms that OpenMetrics can't carry.
    pub histograms: u64,
    /// Marks of stale series that OpenMetrics can't carry.
    pub stale: u64,
    /// Series that OpenMetrics can't name, with all their samples.
    pub unnamed: u64,
}

/// Error of a dump that ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum DumpError {
    /// A block can't be read.
    Block(BlockError),
    /// The output can't be written.
    Io(io::Error),
    /// Its watch stopped it.
    Stopped,
}

impl DumpError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            DumpError::Block(error) => error.class(),
            DumpError::Io(_) => ErrorClass::Failed,
            DumpError::Stopped => ErrorClass::Stopped,
        }
    }
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DumpError::Block(error) => error.fmt(f),
            DumpError::Io(error) => error.fmt(f),
            DumpError::Stopped => Stopped.fmt(f),
        }
    }
}

impl std::error::Error for DumpError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            DumpError::Block(error) => Some(error),
            DumpError::Io(error) => Some(error),
            DumpError::Stopped => None,
        }
    }
}

impl From<BlockError> for DumpError {
    fn from(error: BlockError) -> Self {
        DumpError::Block(error)
    }
}

impl From<Stopped> for DumpError {
    fn from(_: Stopped) -> Self {
        DumpError::Stopped
    }
}

impl From<io::Error> for DumpError {
    fn from(error: io::Error) -> Self {
        DumpError::Io(error)
    }
}

/// Bytes are written when there are as many.
const BUFFER_LEN: usize = 1 << 16;

/// Writes the series that one of the selectors selects, with their samples of these times.
pub fn dump(
    blocks: &Blocks<'_>,
    selectors: &[Selector],
    times: Interval,
    format: DumpFormat,
    out: &mut dyn Write,
    watch: &Watch<'_>,
) -> Result<Dumped, DumpError> {
    let mut dumper = Dumper {
        format,
        times,
        out,
        buffer: Vec::with_capacity(BUFFER_LEN * 2),
        series: Vec::new(),
        dumped: Dumped::default(),
    };
    let mut rows = blocks.series(selectors, &mut Work::default())?;
    let writing = watch.phase(Phase::Writing, Unit::Series, rows.left_count());
    let mut steps = writing.steps();
    while let Some(row) = rows.next()? {
        dumper.row(&row)?;
        steps.add(row.parts.len() as u64)?;
    }
    drop(steps);
    if format == DumpFormat::OpenMetrics {
        dumper.buffer.extend_from_slice(b"# EOF\n");
    }
    dumper.flush()?;
    writing.end();
    Ok(dumper.dumped)
}

/// Writes a sample as JSON, `[TIME,VALUE]`: a number is a string, as the HTTP API writes it, or
/// `"stale"`; a histogram is an object.
pub fn put_sample_json(sample: &Sample, out: &mut Vec<u8>) {
    out.push(b'[');
    put_whole(sample.time, out);
    out.push(b',');
    match &sample.value {
        value if value.is_stale() => out.extend_from_slice(b"\"stale\""),
        Value::Float(value) => text::put_json_float(*value, out),
        Value::Histogram(value) => histogram::put_json(value, out),
        Value::FloatHistogram(value) => histogram::put_json(value, out),
    }
    out.push(b']');
}

/// Writes a value as the HTTP API does: a number is a string; of a histogram an object has count,
/// sum and the buckets that aren't empty, each with a number that says which bounds it holds.
pub fn put_api_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Float(value) => text::put_json_float(*value, out),
        Value::Histogram(value) => histogram::put_api(value, out),
        Value::FloatHistogram(value) => histogram::put_api(value, out),
    }
}

/// Writes labels as the HTTP API does: an object of strings, in the order of names.
pub fn put_api_labels(labels: &[Label<'_>], out: &mut Vec<u8>) {
    text::put_json(labels, out);
}

/// Writes a string as the HTTP API does. Bytes that are not UTF-8 become U+FFFD.
pub fn put_api_string(string: &[u8], out: &mut Vec<u8>) {
    put_string(string, out);
}

/// Writes which aggregate the samples of an object of JSON are: two fields, each with a comma
/// before it.
pub fn put_downsampled_json(downsampled: Downsampled, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"aggregate\":\"");
    out.extend_from_slice(downsampled.aggregate.name().as_bytes());
    out.extend_from_slice(b"\",\"resolution_ms\":");
    put_whole(downsampled.resolution, out);
}

/// The numbers of a native histogram; `None` of a double.
pub fn histogram_numbers(value: &Value) -> Option<HistogramNumbers> {
    match value {
        Value::Float(_) => None,
        Value::Histogram(value) => Some(histogram::numbers(value)),
        Value::FloatHistogram(value) => Some(histogram::numbers(value)),
    }
}

struct Dumper<'o> {
    format: DumpFormat,
    times: Interval,
    out: &'o mut dyn Write,
    buffer: Vec<u8>,
    /// Prefix of each line of the series.
    series: Vec<u8>,
    dumped: Dumped,
}

impl Dumper<'_> {
    fn row(&mut self, row: &MergedRow<'_>) -> Result<(), DumpError> {
        if !self.begin(&row.labels) {
            self.dumped.unnamed += 1;
            return Ok(());
        }
        self.dumped.series += 1;
        if self.format == DumpFormat::SeriesJson {
            self.buffer.extend_from_slice(&self.series);
            self.buffer.push(b'\n');
            return Ok(self.flush_if_full()?);
        }
        let streams = row.streams();
        for stream in &streams {
            match self.format {
                DumpFormat::SeriesJson => {}
                DumpFormat::Json => self.json(row, *stream, streams.len() > 1)?,
                DumpFormat::Plain | DumpFormat::OpenMetrics => self.lines(row, *stream)?,
            }
        }
        Ok(self.flush_if_full()?)
    }

    /// Writes what each line of a series begins with; `false` if the format can't say it.
    fn begin(&mut self, labels: &[Label<'_>]) -> bool {
        self.series.clear();
        match self.format {
            DumpFormat::Plain => text::put_plain(labels, &mut self.series),
            DumpFormat::Json | DumpFormat::SeriesJson => text::put_json(labels, &mut self.series),
            DumpFormat::OpenMetrics => {
                return text::put_open_metrics(labels, &mut self.series).is_some();
            }
        }
        true
    }

    fn lines(&mut self, row: &MergedRow<'_>, stream: Option<Downsampled>) -> Result<(), DumpError> {
        if row.shown(stream).is_some() {
            row.labels_of(stream, |labels| self.begin(labels));
        }
        let mut samples = row.samples_of(stream, self.times)?;
        while let Some(sample) = samples.next()? {
            self.line(&sample);
            self.flush_if_full()?;
        }
        Ok(())
    }

    /// A sample's line, unless the format can't say it.
    fn line(&mut self, sample: &Sample) {
        let is_plain = self.format == DumpFormat::Plain;
        match &sample.value {
            value if !is_plain && value.is_stale() => {
                self.dumped.stale += 1;
                return;
            }
            Value::Histogram(_) | Value::FloatHistogram(_) if !is_plain => {
                self.dumped.histograms += 1;
                return;
            }
            _ => {}
        }
        self.dumped.samples += 1;
        let out = &mut self.buffer;
        out.extend_from_slice(&self.series);
        out.push(b' ');
        match &sample.value {
            Value::Float(value) => put_float(*value, out),
            Value::Histogram(value) => histogram::put_plain(value, out),
            Value::FloatHistogram(value) => histogram::put_plain(value, out),
        }
        out.push(b' ');
        if is_plain {
            put_whole(sample.time, out)
        } else {
            text::put_seconds(sample.time, out)
        }
        out.push(b'\n');
    }

    /// One object; where it is one of several, none if it has no samples.
    fn json(
        &mut self,
        row: &MergedRow<'_>,
        stream: Option<Downsampled>,
        is_one_of_several: bool,
    ) -> Result<(), DumpError> {
        let mut samples = row.samples_of(stream, self.times)?;
        let mut next = samples.next()?;
        if next.is_none() && is_one_of_several {
            return Ok(());
        }
        self.buffer.extend_from_slice(b"{\"labels\":");
        self.buffer.extend_from_slice(&self.series);
        if let Some(downsampled) = row.shown(stream) {
            put_downsampled_json(downsampled, &mut self.buffer);
        }
        self.buffer.extend_from_slice(b",\"samples\":[");
        let mut is_first = true;
        while let Some(sample) = next {
            if !std::mem::take(&mut is_first) {
                self.buffer.push(b',');
            }
            put_sample_json(&sample, &mut self.buffer);
            self.dumped.samples += 1;
            self.flush_if_full()?;
            next = samples.next()?;
        }
        self.buffer.extend_from_slice(b"]}\n");
        Ok(())
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER_LEN { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}
