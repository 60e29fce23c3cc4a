//! Start times of counters: a field after each sample of the encodings that have it.
//!
//! Bytes:   sample 0: varint time − start, if the header says so; from the sample on that the header names: varbit
//!          of (previous time − start), later its change, docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

use super::bits::{BitReader, BitWriter};

/// The bit of the header's byte that says that sample 0 has a start time.
const FIRST_IS_KNOWN: u8 = 0x80;
/// The last sample that can be the first to have the field: seven bits of the header.
const FIRST_CHANGE_MAX: u32 = 0x7f;

/// Start times, read or written one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartTimes {
    /// Of the last sample; 0 is unknown.
    pub(super) start: i64,
    /// The time before the last sample's, less its start.
    gap: i64,
    /// From which sample on the field is there; 0 is never.
    first_change: u32,
    first_is_known: bool,
}

impl StartTimes {
    /// From the byte of the header.
    pub(super) fn open(header: u8) -> Self {
        StartTimes {
            first_change: (header & !FIRST_IS_KNOWN).into(),
            first_is_known: header & FIRST_IS_KNOWN != 0,
            ..StartTimes::default()
        }
    }

    /// The byte of the header.
    pub(super) fn header(&self) -> u8 {
        self.first_change as u8 | if self.first_is_known { FIRST_IS_KNOWN } else { 0 }
    }

    /// Reads the field of a sample.
    #[inline]
    pub(super) fn read(
        &mut self,
        reader: &mut BitReader<'_>,
        sample: u32,
        time: i64,
        time_before: i64,
    ) -> Result<(), DecodeError> {
        if sample == 0 {
            if self.first_is_known {
                self.start = time.wrapping_sub(reader.varint("start time of a sample")?);
            }
            return Ok(());
        }
        if self.first_change == 0 || sample < self.first_change {
            return Ok(());
        }
        let step = reader.varbit_int();
        self.gap = if sample == self.first_change { step } else { self.gap.wrapping_add(step) };
        self.start = time_before.wrapping_sub(self.gap);
        Ok(())
    }

    /// Writes the field of a sample.
    #[inline]
    pub(super) fn write(
        &mut self,
        writer: &mut BitWriter,
        sample: u32,
        time: i64,
        time_before: i64,
        start: i64,
    ) {
        let gap = time_before.wrapping_sub(start);
        if sample == 0 {
            if start != 0 {
                writer.varint(time.wrapping_sub(start));
                self.first_is_known = true;
            }
        } else if self.first_change > 0 {
            writer.varbit_int(gap.wrapping_sub(self.gap));
            self.gap = gap;
        } else if start != self.start || sample == FIRST_CHANGE_MAX {
            writer.varbit_int(gap);
            self.gap = gap;
            self.first_change = sample;
        }
        self.start = start;
    }
}
