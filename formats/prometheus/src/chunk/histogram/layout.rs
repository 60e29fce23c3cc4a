//! Bucket layout of the histograms of a chunk, in front of its first sample.
//!
//! Bytes:   zero threshold, varbit schema, spans of positive and of negative buckets: varbit count, count × (varbit
//!          length, varbit offset); of schema −53 varbit count, count × bound,
//!          docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

use crate::chunk::bits::{BitReader, BitWriter};
use crate::chunk::sample::{CUSTOM_SCHEMA, Layout, Span};

/// Schemas that say bounds by powers of two. Above [`SCHEMA_MAX`] they are made coarser when read.
const EXPONENTIAL_SCHEMAS: std::ops::RangeInclusive<i64> = -4..=52;
/// The finest schema that is shown.
pub(super) const SCHEMA_MAX: i32 = 8;

/// A byte that says that a zero threshold follows as a double.
const THRESHOLD_DOUBLE: u64 = 255;
/// Bias of a threshold's exponent, where 0.5 has the exponent 0.
const THRESHOLD_BIAS: i32 = 243;
/// Bias of a double's exponent, where 0.5 has the exponent 0.
const DOUBLE_BIAS: i32 = 1022;
const MANTISSA_LEN: u32 = 52;

/// Bounds up to this are stored as thousandths.
const THOUSANDTHS_MAX: f64 = 33_554_430.0;

impl Layout {
    pub(super) fn read(reader: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let zero_threshold = read_threshold(reader);
        let schema = reader.varbit_int();
        reader.check("schema of a histogram")?;
        if !EXPONENTIAL_SCHEMAS.contains(&schema) && schema != i64::from(CUSTOM_SCHEMA) {
            let (what, at) = ("schema of a histogram", reader.at());
            let want = *EXPONENTIAL_SCHEMAS.end() as u64;
            return Err(DecodeError::Corrupt { what, at, want, got: schema as u64 });
        }
        let (positive, negative) = (read_spans(reader)?, read_spans(reader)?);
        let schema = schema as i32;
        let custom_bounds = if schema == CUSTOM_SCHEMA { read_bounds(reader)? } else { Vec::new() };
        Ok(Layout { schema, zero_threshold, positive, negative, custom_bounds })
    }

    pub(super) fn write(&self, writer: &mut BitWriter) {
        write_threshold(writer, self.zero_threshold);
        writer.varbit_int(self.schema.into());
        for spans in [&self.positive, &self.negative] {
            writer.varbit_uint(spans.len() as u64);
            for span in spans {
                writer.varbit_uint(span.len.into());
                writer.varbit_int(span.offset.into());
            }
        }
        if self.schema == CUSTOM_SCHEMA {
            writer.varbit_uint(self.custom_bounds.len() as u64);
            self.custom_bounds.iter().for_each(|bound| write_bound(writer, *bound));
        }
    }
}

fn read_spans(reader: &mut BitReader<'_>) -> Result<Vec<Span>, DecodeError> {
    let what = "span of a histogram";
    let count = reader.varbit_uint();
    let mut spans = Vec::new();
    // Each takes two bits at least: the reader's end bounds the list.
    for _ in 0..count {
        let (len, offset) = (reader.varbit_uint(), reader.varbit_int());
        reader.check(what)?;
        let past = |want: u64, got: u64| DecodeError::Corrupt { what, at: reader.at(), want, got };
        spans.push(Span {
            len: u32::try_from(len).map_err(|_| past(u32::MAX.into(), len))?,
            offset: i32::try_from(offset).map_err(|_| past(i32::MAX as u64, offset as u64))?,
        });
    }
    reader.check(what)?;
    Ok(spans)
}

fn read_bounds(reader: &mut BitReader<'_>) -> Result<Vec<f64>, DecodeError> {
    let count = reader.varbit_uint();
    let mut bounds = Vec::new();
    for _ in 0..count {
        bounds.push(match reader.varbit_uint() {
            0 => f64::from_bits(reader.word()),
            thousandths => (thousandths - 1) as f64 / 1000.0,
        });
        reader.check("bound of a histogram")?;
    }
    Ok(bounds)
}

fn write_bound(writer: &mut BitWriter, bound: f64) {
    let thousandths = bound * 1000.0;
    let is_whole = thousandths.round() as u64 as f64 / 1000.0 == bound;
    if (0.0..=THOUSANDTHS_MAX).contains(&thousandths) && is_whole {
        return writer.varbit_uint(thousandths.round() as u64 + 1);
    }
    writer.bits(0, 1);
    writer.bits(bound.to_bits(), 64);
}

fn read_threshold(reader: &mut BitReader<'_>) -> f64 {
    match reader.bits(8) {
        0 => 0.0,
        THRESHOLD_DOUBLE => f64::from_bits(reader.word()),
        exponent => {
            let biased = exponent as i32 - THRESHOLD_BIAS + DOUBLE_BIAS;
            f64::from_bits((biased as u64) << MANTISSA_LEN)
        }
    }
}

fn write_threshold(writer: &mut BitWriter, threshold: f64) {
    if threshold == 0.0 {
        return writer.bits(0, 8);
    }
    let bits = threshold.to_bits();
    let exponent = (bits >> MANTISSA_LEN) as i32 - DOUBLE_BIAS + THRESHOLD_BIAS;
    let is_power_of_two = bits << (64 - MANTISSA_LEN) == 0;
    if is_power_of_two && (1..THRESHOLD_DOUBLE as i32).contains(&exponent) {
        return writer.bits(exponent as u64, 8);
    }
    writer.bits(THRESHOLD_DOUBLE, 8);
    writer.bits(bits, 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_and_bounds_read_back() {
        let powers = (-1074..1023).map(|power| 2f64.powi(power));
        let others = [0.0, 1.5, -2.0, f64::NAN, f64::INFINITY, 0.001, 2.5, 33_554.43, 33_554.431];
        for value in powers.chain(others) {
            let mut writer = BitWriter::default();
            write_threshold(&mut writer, value);
            write_bound(&mut writer, value);
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes, 0);
            assert_eq!(read_threshold(&mut reader).to_bits(), value.to_bits(), "{value}");
            let bound = match reader.varbit_uint() {
                0 => f64::from_bits(reader.word()),
                thousandths => (thousandths - 1) as f64 / 1000.0,
            };
            assert_eq!(bound.to_bits(), value.to_bits(), "{value}");
        }
    }

    #[test]
    fn small_powers_of_two_take_a_byte() {
        for (power, byte) in [(-243, 1), (-128, 116), (10, 254)] {
            let mut writer = BitWriter::default();
            write_threshold(&mut writer, 2f64.powi(power));
            assert_eq!(writer.finish(), [byte], "2^{power}");
        }
    }
}
