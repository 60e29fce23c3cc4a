//! Answers of samples: a ReadResponse, in one piece.
//!
//! Bytes:   Snappy of a ReadResponse, docs/formats/prometheus-remote-read.md

use manicule::series::query::{Label, MergedRow, Work};
use manicule::series::{Float, Histogram, Integer, Layout, Moment, ResetHint, Sample, Span, Value};
use manicule::watch::{Steps, Watch};
use manicule::{ErrorClass, Failure};

use super::question::{Question, too_large};
use super::wire::{
    put_bytes, put_double, put_message, put_number, put_uvarint, uvarint_len, zigzag,
};

/// Maximum number of samples of an answer, as Prometheus has it.
const SAMPLES_MAX: u64 = 50_000_000;

/// The bytes of the answer. They are held twice, as they are and by Snappy: together at most
/// `memory`.
pub(super) fn answer(
    questions: &[Question],
    moment: &Moment,
    memory: u64,
    watch: &Watch<'_>,
) -> Result<Vec<u8>, Failure> {
    let meter = watch.silent();
    let mut writer = Writer { steps: meter.steps(), samples: 0, len_max: memory / 2 };
    let mut message = Vec::new();
    for question in questions {
        put_message(1, &mut message, |out| writer.result(question, moment, out))?;
    }
    let packed = snap::raw::Encoder::new().compress_vec(&message);
    packed.map_err(|error| Failure::new(ErrorClass::TooMuch, error))
}

struct Writer<'s, 'm> {
    steps: Steps<'s, 'm>,
    samples: u64,
    len_max: u64,
}

impl Writer<'_, '_> {
    fn result(
        &mut self,
        question: &Question,
        moment: &Moment,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let blocks = question.blocks(moment)?;
        let selectors = [question.selector.clone()];
        let mut rows = blocks.series(&selectors, &mut Work::default())?;
        while let Some(row) = rows.next()? {
            put_message(1, out, |out| self.series(&row, question, out))?;
            self.steps.add(1)?;
            self.check(out)?;
        }
        Ok(())
    }

    /// Samples that are floats first, then, in another turn over them, histograms.
    fn series(
        &mut self,
        row: &MergedRow<'_>,
        question: &Question,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        put_labels(&row.labels, out);
        if question.is_of_labels {
            return Ok(());
        }
        let mut has_histograms = false;
        let mut samples = row.samples(question.shown)?;
        while let Some(sample) = samples.next()? {
            match sample.value {
                Value::Float(value) => {
                    put_sample(sample.time, value, out);
                    self.count(out)?;
                }
                _ => has_histograms = true,
            }
        }
        if !has_histograms {
            return Ok(());
        }
        let mut samples = row.samples(question.shown)?;
        while let Some(sample) = samples.next()? {
            if !matches!(sample.value, Value::Float(_)) {
                put_message(4, out, |out| put_histogram(&sample, out));
                self.count(out)?;
            }
        }
        Ok(())
    }

    /// Counts a sample.
    #[inline]
    fn count(&mut self, out: &[u8]) -> Result<(), Failure> {
        self.samples += 1;
        if self.samples > SAMPLES_MAX {
            return Err(Failure::asked(format!("exceeded sample limit ({SAMPLES_MAX})")));
        }
        if self.samples.is_multiple_of(1 << 12) {
            self.steps.add(1)?;
            self.check(out)?;
        }
        Ok(())
    }

    fn check(&self, out: &[u8]) -> Result<(), Failure> {
        if out.len() as u64 <= self.len_max {
            return Ok(());
        }
        Err(too_large(format_args!("the samples take more than {} bytes", self.len_max)))
    }
}

/// Appends labels: field 1 of series, be it of samples or chunks.
pub(super) fn put_labels(labels: &[Label<'_>], out: &mut Vec<u8>) {
    for (name, value) in labels {
        put_message(1, out, |out| {
            put_bytes(1, name, out);
            put_bytes(2, value, out);
        });
    }
}

#[inline]
fn put_sample(time: i64, value: f64, out: &mut Vec<u8>) {
    let value_len = if value.to_bits() == 0 { 0 } else { 1 + size_of::<f64>() };
    let time_len = if time == 0 { 0 } else { 1 + uvarint_len(time as u64) };
    // Shorter than 128 bytes.
    out.extend_from_slice(&[2 << 3 | 2, (value_len + time_len) as u8]);
    put_double(1, value, out);
    put_number(2, time as u64, out);
}

fn put_histogram(sample: &Sample, out: &mut Vec<u8>) {
    let hint = match &sample.value {
        Value::Float(_) => return,
        Value::Histogram(histogram) => {
            put_integers(histogram, out);
            histogram.hint
        }
        Value::FloatHistogram(histogram) => {
            put_floats(histogram, out);
            histogram.hint
        }
    };
    put_number(14, hint_number(hint), out);
    put_number(15, sample.time as u64, out);
    let custom = match &sample.value {
        Value::Float(_) => return,
        Value::Histogram(histogram) => &histogram.layout.custom_bounds,
        Value::FloatHistogram(histogram) => &histogram.layout.custom_bounds,
    };
    // Fields from 16 on have keys of two bytes.
    put_doubles(&[0x82, 0x01], custom, out);
}

fn put_integers(histogram: &Histogram<Integer>, out: &mut Vec<u8>) {
    // Alternatives are written, zero or not.
    out.push(1 << 3);
    put_uvarint(histogram.count, out);
    put_layout(histogram.sum, &histogram.layout, out);
    out.push(6 << 3);
    put_uvarint(histogram.zero_count, out);
    put_spans(8, &histogram.layout.negative, out);
    put_deltas(9, &histogram.negative, out);
    put_spans(11, &histogram.layout.positive, out);
    put_deltas(12, &histogram.positive, out);
}

fn put_floats(histogram: &Histogram<Float>, out: &mut Vec<u8>) {
    out.push(2 << 3 | 1);
    out.extend_from_slice(&histogram.count.to_le_bytes());
    put_layout(histogram.sum, &histogram.layout, out);
    out.push(7 << 3 | 1);
    out.extend_from_slice(&histogram.zero_count.to_le_bytes());
    put_spans(8, &histogram.layout.negative, out);
    put_doubles(&[10 << 3 | 2], &histogram.negative, out);
    put_spans(11, &histogram.layout.positive, out);
    put_doubles(&[13 << 3 | 2], &histogram.positive, out);
}

fn put_layout(sum: f64, layout: &Layout, out: &mut Vec<u8>) {
    put_double(3, sum, out);
    put_number(4, zigzag(layout.schema.into()), out);
    put_double(5, layout.zero_threshold, out);
}

fn put_spans(field: u8, spans: &[Span], out: &mut Vec<u8>) {
    for span in spans {
        put_message(field, out, |out| {
            put_number(1, zigzag(span.offset.into()), out);
            put_number(2, span.len.into(), out);
        });
    }
}

fn put_deltas(field: u8, deltas: &[i64], out: &mut Vec<u8>) {
    if !deltas.is_empty() {
        put_message(field, out, |out| {
            deltas.iter().for_each(|delta| put_uvarint(zigzag(*delta), out));
        });
    }
}

fn put_doubles(key: &[u8], doubles: &[f64], out: &mut Vec<u8>) {
    if !doubles.is_empty() {
        out.extend_from_slice(key);
        put_uvarint(size_of_val(doubles) as u64, out);
        doubles.iter().for_each(|double| out.extend_from_slice(&double.to_le_bytes()));
    }
}

fn hint_number(hint: ResetHint) -> u64 {
    match hint {
        ResetHint::Unknown => 0,
        ResetHint::Reset => 1,
        ResetHint::NotReset => 2,
        ResetHint::Gauge => 3,
    }
}
