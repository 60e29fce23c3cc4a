//! Answers of chunks: a ChunkedReadResponse for each series, or for some of its chunks.
//!
//! Bytes:   frames: | uvarint length | 4 CRC-32C of the message, big-endian | message |,
//!          docs/formats/prometheus-remote-read.md

use std::io::Write;

use manicule::series::query::{MergedRow, ShownChunk, Work};
use manicule::series::{BlockError, Moment};
use manicule::watch::{Stopped, Watch};
use manicule::{ErrorClass, Failure};

use super::question::Question;
use super::samples::put_labels;
use super::wire::{put_bytes, put_message, put_number, put_uvarint};
use crate::answer::Out;

/// Length of a frame from which on the series' next chunks go into another one.
const FRAME_LEN: usize = 1 << 20;

/// Writes the frames of the answer.
pub(super) fn answer(
    questions: &[Question],
    moment: &Moment,
    out: &mut Out,
    watch: &Watch<'_>,
) -> Result<(), Failure> {
    let meter = watch.silent();
    let mut steps = meter.steps();
    for (place, question) in questions.iter().enumerate() {
        let blocks = question.blocks(moment)?;
        let selectors = [question.selector.clone()];
        let mut rows = blocks.series(&selectors, &mut Work::default())?;
        let mut frames = Frames { query: place as u64, out: &mut *out, series: Vec::new() };
        while let Some(row) = rows.next()? {
            frames.row(&row, question).map_err(|ended| ended.0)?;
            steps.add(1)?;
        }
    }
    Ok(())
}

/// An error within a series.
struct Ended(Failure);

impl From<BlockError> for Ended {
    fn from(error: BlockError) -> Self {
        Ended(error.into())
    }
}

impl From<Stopped> for Ended {
    fn from(stopped: Stopped) -> Self {
        Ended(stopped.into())
    }
}

struct Frames<'o> {
    /// Place of the query in the request.
    query: u64,
    out: &'o mut Out,
    /// The message of the series: its labels, then chunks.
    series: Vec<u8>,
}

impl Frames<'_> {
    fn row(&mut self, row: &MergedRow<'_>, question: &Question) -> Result<(), Ended> {
        self.series.clear();
        put_labels(&row.labels, &mut self.series);
        let labels_len = self.series.len();
        row.each_chunk(question.shown, &mut |chunk| {
            if self.series.len() >= FRAME_LEN {
                self.end(labels_len)?;
            }
            put_chunk(&chunk, &mut self.series);
            Ok::<(), Ended>(())
        })?;
        if self.series.len() > labels_len { self.end(labels_len) } else { Ok(()) }
    }

    /// Writes the frame, and keeps the labels for another one.
    fn end(&mut self, labels_len: usize) -> Result<(), Ended> {
        let mut message = Vec::with_capacity(self.series.len() + 16);
        put_bytes(1, &self.series, &mut message);
        put_number(2, self.query, &mut message);
        let mut head = Vec::with_capacity(14);
        put_uvarint(message.len() as u64, &mut head);
        head.extend_from_slice(&crc32c::crc32c(&message).to_be_bytes());
        self.series.truncate(labels_len);
        let written = self.out.write_all(&head).and_then(|()| self.out.write_all(&message));
        // The client has left, or takes too long.
        written.map_err(|error| Ended(Failure::new(ErrorClass::Stopped, error)))
    }
}

fn put_chunk(chunk: &ShownChunk<'_>, out: &mut Vec<u8>) {
    put_message(2, out, |out| {
        put_number(1, chunk.min_time as u64, out);
        put_number(2, chunk.max_time as u64, out);
        put_number(3, chunk.encoding.into(), out);
        put_bytes(4, chunk.data, out);
    });
}
