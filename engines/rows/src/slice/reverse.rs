//! A slice from its end: blocks from the last to the first, each read forward into memory.
//!
//! Memory: one block. Its bytes between the bounds are kept, with the place of each row and marker.

use manicule_format_sstable::{Deletion, Frame, FrameKind};
use manicule_store::context::Held;
use manicule_store::pages::Reading;

use super::block::{BLOCK_LEN, Steps};
use super::bounds::Bounds;
use crate::RowsError;
use crate::cursor::{BlockPlace, Cursor};

/// What comes next from the end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Back {
    /// A row or marker, whose bytes begin there in the block.
    Frame(Frame, usize),
    /// A deletion is open at the slice's end: reading backward, it opens there.
    End(Deletion),
    /// A deletion is open at the slice's start, where it closes.
    Start(Deletion),
}

/// A walk from the end to the start.
#[derive(Debug)]
pub(super) struct Reverse<'t> {
    pub(super) steps: Steps<'t>,
    cursor: Cursor<'t>,
    first_offset: u64,
    read_bytes_max: u64,
    /// The block that is read next.
    block: Option<BlockPlace>,
    pub(super) bytes: Vec<u8>,
    held: Option<Held>,
    kept: Vec<Back>,
    is_started: bool,
}

impl<'t> Reverse<'t> {
    /// Begins at a block; without an index that is all of the partition after its head.
    pub(super) fn new(
        steps: Steps<'t>,
        cursor: Cursor<'t>,
        first_offset: u64,
        read_bytes_max: u64,
        block: BlockPlace,
    ) -> Self {
        let (bytes, kept) = (Vec::new(), Vec::new());
        let block = Some(block);
        let (held, is_started) = (None, false);
        Reverse {
            steps,
            cursor,
            first_offset,
            read_bytes_max,
            block,
            bytes,
            held,
            kept,
            is_started,
        }
    }

    /// Number of blocks of the index that were compared or found so far.
    pub(super) fn block_count(&self) -> u64 {
        self.cursor.block_count()
    }

    pub(super) fn next(
        &mut self,
        bounds: &Bounds,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Back>, RowsError> {
        loop {
            if let Some(kept) = self.kept.pop() {
                return Ok(Some(kept));
            }
            let Some(block) = self.block.take() else { return Ok(None) };
            let begins_before = self.read(&block, bounds, reading)?;
            if !begins_before {
                self.block = self.cursor.before(&block, reading)?;
                if let Some(before) = &mut self.block {
                    before.end = Some(block.offset);
                }
            }
        }
    }

    /// Keeps what a block has between the bounds. Returns whether the slice starts in it.
    fn read(
        &mut self,
        block: &BlockPlace,
        bounds: &Bounds,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        let position = self.cursor.position();
        let start = position + block.offset.max(self.first_offset);
        let end = block.end.map(|end| position.saturating_add(end));
        (self.steps.at, self.steps.open) = (start, block.open);
        let block_len = end.map_or(BLOCK_LEN, |end| end.saturating_sub(start));
        self.steps.window.set_ahead(block_len.min(self.read_bytes_max));
        self.bytes.clear();
        self.held = None;
        let mut begins_before = block.offset <= self.first_offset;
        let mut is_within = false;
        let is_last = !std::mem::replace(&mut self.is_started, true);
        loop {
            if end.is_some_and(|end| self.steps.at >= end) {
                break;
            }
            let frame = self.steps.peek(reading)?;
            if frame.kind != FrameKind::End
                && !is_within
                && self.steps.compare(&frame, &bounds.start(), reading)?.is_le()
            {
                begins_before = true;
                self.steps.pass(&frame, reading)?;
                continue;
            }
            if !is_within {
                is_within = true;
                self.keep_start(begins_before);
            }
            let is_end = frame.kind == FrameKind::End;
            if is_end || self.steps.compare(&frame, &bounds.end(), reading)?.is_ge() {
                break;
            }
            self.keep(&frame, reading)?;
            self.steps.pass(&frame, reading)?;
        }
        if !is_within {
            self.keep_start(begins_before);
        }
        if is_last {
            self.kept.extend(self.steps.open.map(Back::End));
        }
        Ok(begins_before)
    }

    /// What is open at the slice's start comes last.
    fn keep_start(&mut self, begins_before: bool) {
        if begins_before {
            self.kept.extend(self.steps.open.map(Back::Start));
        }
    }

    fn keep(&mut self, frame: &Frame, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let (at, capacity) = (self.bytes.len(), self.bytes.capacity());
        let bytes = self.steps.window.at(frame.at, frame.len, reading)?;
        self.bytes.extend_from_slice(&bytes[..frame.len]);
        self.kept.push(Back::Frame(*frame, at));
        if self.held.is_none() || self.bytes.capacity() != capacity {
            self.held = None;
            let held = reading.budget.take(self.bytes.capacity() as u64);
            self.held = Some(held.map_err(RowsError::OverBudget)?);
        }
        Ok(())
    }
}
