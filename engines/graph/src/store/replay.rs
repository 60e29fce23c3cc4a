//! The log, read: its commits become layers again.
//!
//! Callers: store

use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::log::{Frame, LogEnd, LogReader};
use manicule_store::log::{Segment, segments};

use super::record::read_commit;
use crate::error::GraphError;
use crate::overlay::{Keep, Layer, push};
use crate::snapshot::State;

/// Where a log ends.
#[derive(Debug)]
pub(super) struct Replayed {
    /// The last segment, and how many of its bytes are whole frames.
    pub(super) last: Option<(Segment, u64)>,
}

/// Adds the commits of a log that come after a state's.
pub(super) fn replay(folder: &Path, state: &mut State) -> Result<Replayed, GraphError> {
    let from = state.log_place.unwrap_or((state.base.manifest().log, 0));
    let segments = read_log(folder, from, |frame, at| add(frame, at, state))?;
    let last = segments.into_iter().last();
    state.log_place = last.as_ref().map(|(segment, len)| (segment.number, *len));
    Ok(Replayed { last })
}

/// Calls `each` with the frames of a log and their offsets, from the segment of a number on, and in it from an offset at which a frame
/// has ended, or 0. Returns the segments, each with the length of its whole frames.
///
/// Frames that are torn are left out where they end the last segment: their commits weren't acknowledged.
pub(super) fn read_log(
    folder: &Path,
    (number, offset): (u64, u64),
    mut each: impl FnMut(&Frame, u64) -> Result<(), DecodeError>,
) -> Result<Vec<(Segment, u64)>, GraphError> {
    let failed = |source| GraphError::Io { file: folder.to_owned(), source };
    let mut segments = segments(folder).map_err(failed)?;
    // Those before hold what the generation has, and may be removed at any moment.
    segments.retain(|segment| segment.number >= number);
    let last = segments.len().saturating_sub(1);
    let mut read = Vec::with_capacity(segments.len());
    for (at, segment) in segments.into_iter().enumerate() {
        let from = if segment.number == number { offset } else { 0 };
        let bytes = segment.read_from(from);
        let bytes =
            bytes.map_err(|source| GraphError::Io { file: segment.path.clone(), source })?;
        let end =
            read_segment(&bytes, from, &mut each).map_err(|source| damaged(&segment, source))?;
        let len = match end {
            LogEnd::Whole => from + bytes.len() as u64,
            LogEnd::Torn { len } if at == last || bytes.is_empty() => len,
            LogEnd::Torn { len } => {
                let (what, want, got) = ("end of the log before the last", bytes.len() as u64, len);
                return Err(damaged(&segment, DecodeError::Corrupt { what, at: len, want, got }));
            }
        };
        read.push((segment, len));
    }
    Ok(read)
}

fn damaged(segment: &Segment, source: DecodeError) -> GraphError {
    GraphError::Damaged { file: segment.path.clone(), source }
}

/// Reads a segment. Returns where its whole frames end.
fn read_segment(
    bytes: &[u8],
    from: u64,
    mut each: impl FnMut(&Frame, u64) -> Result<(), DecodeError>,
) -> Result<LogEnd, DecodeError> {
    let mut reader = match from {
        0 => LogReader::open(bytes)?,
        _ => LogReader::resume(bytes, from),
    };
    loop {
        let at = reader.at();
        match reader.next() {
            Some(frame) => each(&frame?, at)?,
            None => return Ok(reader.end().unwrap_or(LogEnd::Whole)),
        }
    }
}

/// Adds a commit, unless the state has it.
fn add(frame: &Frame, at: u64, state: &mut State) -> Result<(), DecodeError> {
    let (want, number) = (state.commit + 1, frame.number());
    if number < want {
        return Ok(());
    }
    if number > want {
        return Err(DecodeError::Corrupt { what: "commit", at, want, got: number });
    }
    let record = read_commit(frame, at, state)?;
    (state.next_blank, state.next_terms) = (record.next_blank, record.terms.next());
    state.commit = number;
    let layer = Layer::new((number, number), &record.changes, record.terms);
    push(&mut state.layers, Arc::new(layer), Keep::Net, 0);
    Ok(())
}
