//! Lines of a file, collected while it is searched and handed out many at a time.

use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use grep_matcher::LineTerminator;
use grep_searcher::{Searcher, Sink, SinkMatch};

use super::hit::{Hit, Item, Line};
use super::matcher::Matcher;
use crate::failure::Failure;
use crate::kinds::System;

/// Bytes of lines from which on they are handed out before the end of their file.
const PART_LEN: usize = 64 << 10;

/// Where the hits of all workers go.
pub(super) trait Deliver: Sync {
    /// Hands hits out, with nothing between them. Whether more are wanted.
    fn hits(&self, hits: &mut dyn Iterator<Item = Hit<'_>>) -> ControlFlow<()>;

    /// A file can't be searched.
    fn failed(&self, failure: Failure);

    /// Whether nothing more is wanted.
    fn is_enough(&self) -> bool;
}

/// Lines that were found and not yet handed out.
#[derive(Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

struct Row {
    number: u64,
    offset: u64,
    text: Range<usize>,
}

/// The lines of a file while it is searched.
pub(super) struct Collected<'w> {
    to: &'w dyn Deliver,
    matcher: &'w Matcher,
    end: LineTerminator,
    system: System,
    path: &'w Path,
    /// The text that is searched, where it is in memory.
    document: Option<&'w [u8]>,
    batch: &'w mut Batch,
    /// Number of lines that were handed out.
    handed_count: u64,
    /// Number of lines that are not taken, since they were handed out before the file was begun
    /// again.
    skipped_count: u64,
}

impl<'w> Collected<'w> {
    pub(super) fn new(
        to: &'w dyn Deliver,
        matcher: &'w Matcher,
        end: LineTerminator,
        system: System,
        path: &'w Path,
        batch: &'w mut Batch,
    ) -> Self {
        let (document, handed_count, skipped_count) = (None, 0, 0);
        Collected { to, matcher, end, system, path, document, batch, handed_count, skipped_count }
    }

    /// Lines of a text in memory, which hits carry along.
    pub(super) fn of_document(self, text: &'w [u8]) -> Self {
        Collected { document: Some(text), ..self }
    }

    pub(super) fn line(&mut self, number: u64, offset: u64, bytes: &[u8]) -> ControlFlow<()> {
        if let Some(left) = self.skipped_count.checked_sub(1) {
            self.skipped_count = left;
            return ControlFlow::Continue(());
        }
        let text = without_end(bytes, self.end);
        let start = self.batch.bytes.len();
        self.batch.bytes.extend_from_slice(text);
        self.batch.rows.push(Row { number, offset, text: start..start + text.len() });
        if self.batch.bytes.len() < PART_LEN { ControlFlow::Continue(()) } else { self.hand_out() }
    }

    /// The file is not text, and matches.
    fn document(&mut self, nul_offset: u64) {
        if self.hand_out().is_continue() {
            let hit = self.hit(Item::Document { nul_offset });
            // Whether more are wanted is asked after the file.
            let _ = self.to.hits(&mut std::iter::once(hit));
        }
    }

    /// The file is searched again from its start in another way, which finds the same lines.
    pub(super) fn begin_again(&mut self) {
        self.batch.clear();
        self.skipped_count = self.handed_count;
    }

    /// Hands the rest out.
    pub(super) fn end(mut self) {
        // Whether more are wanted is asked after the file.
        let _ = self.hand_out();
    }

    fn hand_out(&mut self) -> ControlFlow<()> {
        if self.batch.rows.is_empty() {
            return ControlFlow::Continue(());
        }
        self.handed_count += self.batch.rows.len() as u64;
        let Batch { bytes, rows } = &*self.batch;
        let line = |Row { number, offset, text }: &Row| {
            let line = Line { number: *number, offset: *offset, text: &bytes[text.clone()] };
            self.hit(Item::Line(line))
        };
        let flow = self.to.hits(&mut rows.iter().map(line));
        self.batch.clear();
        flow
    }

    fn hit<'h>(&'h self, item: Item<'h>) -> Hit<'h> {
        let Collected { system, path, document, matcher, .. } = *self;
        Hit { system, path, item, document, matcher }
    }
}

impl Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
    }
}

fn without_end(line: &[u8], end: LineTerminator) -> &[u8] {
    let Some(text) = line.strip_suffix(&[end.as_byte()]) else { return line };
    if end.is_crlf() { text.strip_suffix(b"\r").unwrap_or(text) } else { text }
}

/// Collects what ripgrep's searcher finds.
pub(super) struct LineSink<'w> {
    lines: Collected<'w>,
    /// Offset of the first NUL, once it was met.
    nul_offset: Option<u64>,
}

impl<'w> LineSink<'w> {
    pub(super) fn new(lines: Collected<'w>) -> Self {
        LineSink { lines, nul_offset: None }
    }

    /// Hands the rest out.
    pub(super) fn end(self) {
        self.lines.end();
    }
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        // As ripgrep's printers: after a NUL that is searched through, a file is no text.
        if let (Some(offset), Some(_)) =
            (self.nul_offset, searcher.binary_detection().convert_byte())
        {
            self.lines.document(offset);
            return Ok(false);
        }
        let number = found.line_number().unwrap_or_default();
        let flow = self.lines.line(number, found.absolute_byte_offset(), found.bytes());
        Ok(flow.is_continue())
    }

    fn binary_data(&mut self, _: &Searcher, offset: u64) -> io::Result<bool> {
        self.nul_offset.get_or_insert(offset);
        Ok(true)
    }
}
