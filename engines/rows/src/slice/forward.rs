//! A slice in the file's order: memory is the window.

use std::cmp::Ordering;

use manicule_format_sstable::{Deletion, Frame, FrameKind};
use manicule_store::pages::Reading;

use super::block::Steps;
use super::bounds::Bounds;
use crate::RowsError;

/// What comes next in a slice.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The row or marker of a frame. Of a marker the deletions that it ends and begins are its own.
    Frame(Frame),
    /// A deletion is open at the slice's start.
    Start(Deletion),
    /// A deletion is open at the slice's end.
    End(Deletion),
}

/// A walk over the rows and markers between bounds.
#[derive(Debug)]
pub(super) struct Forward<'t> {
    pub(super) steps: Steps<'t>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// What comes may lie before the start.
    Before,
    /// The start is passed.
    Within,
    /// An open deletion is to be closed at the end.
    Closing(Deletion),
    Over,
}

impl<'t> Forward<'t> {
    pub(super) fn new(steps: Steps<'t>) -> Self {
        Forward { steps, state: State::Before }
    }

    pub(super) fn next(
        &mut self,
        bounds: &Bounds,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Next>, RowsError> {
        loop {
            match self.state {
                State::Over => return Ok(None),
                State::Closing(open) => {
                    self.state = State::Over;
                    return Ok(Some(Next::End(open)));
                }
                State::Before => {
                    self.skip_to_start(bounds, reading)?;
                    self.state = State::Within;
                    if let Some(open) = self.steps.open {
                        return Ok(Some(Next::Start(open)));
                    }
                }
                State::Within => {
                    let frame = self.steps.peek(reading)?;
                    let is_end = frame.kind == FrameKind::End;
                    if is_end || self.steps.compare(&frame, &bounds.end(), reading)?.is_ge() {
                        self.state = self.steps.open.map_or(State::Over, State::Closing);
                        continue;
                    }
                    self.steps.pass(&frame, reading)?;
                    return Ok(Some(Next::Frame(frame)));
                }
            }
        }
    }

    /// Passes over what lies before the start; a marker at the start itself only changes what is
    /// open there.
    fn skip_to_start(
        &mut self,
        bounds: &Bounds,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        loop {
            let frame = self.steps.peek(reading)?;
            let is_before = frame.kind != FrameKind::End
                && self.steps.compare(&frame, &bounds.start(), reading)? != Ordering::Greater;
            if !is_before {
                return Ok(());
            }
            self.steps.pass(&frame, reading)?;
        }
    }
}
