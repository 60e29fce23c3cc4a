//! Encodings 2, 3, 5 and 6: histograms of whole counts and of doubles, without and with start
//! times.
//!
//! Bytes:   | 2 count | 1 flags: 2 bits reset | layout | samples: time, count, zero count, sum, buckets |; with start
//!          times | 2 bits reset, 14 bits count | 1 start times | layout | samples |, docs/formats/prometheus.md

mod layout;
mod read;
mod spans;
mod write;

pub use read::{HistogramSamples, TimedHistogram};
pub use write::{HistogramEncoder, Push};

use super::counts::ResetHint;

/// Length of the header.
const HEADER_LEN: usize = 3;
/// Number of bits in a byte after the reset hint.
const RESET_SHIFT: u32 = 6;
/// The bits of the count where a reset hint is in front of it.
const SHORT_COUNT_MASK: u16 = 0x3fff;

/// Reset hint of the header.
fn reset_hint(byte: u8) -> ResetHint {
    match byte >> RESET_SHIFT {
        0b00 => ResetHint::Unknown,
        0b01 => ResetHint::NotReset,
        0b10 => ResetHint::Reset,
        _ => ResetHint::Gauge,
    }
}

fn reset_bits(hint: ResetHint) -> u8 {
    let bits = match hint {
        ResetHint::Unknown => 0b00,
        ResetHint::NotReset => 0b01,
        ResetHint::Reset => 0b10,
        ResetHint::Gauge => 0b11,
    };
    bits << RESET_SHIFT
}
