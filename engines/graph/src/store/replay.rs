//! The log, read: its commits become layers again.
//!
//! Callers: store

use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_store::log::{Segment, segments};

use super::frame::{Frame, decode};
use super::record::{self, Before};
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
///
/// Frames that are torn are left out where they end the last segment: their commits weren't acknowledged.
pub(super) fn replay(folder: &Path, state: &mut State) -> Result<Replayed, GraphError> {
    let failed = |source| GraphError::Io { file: folder.to_owned(), source };
    let segments = segments(folder).map_err(failed)?;
    let mut last = None;
    for (at, segment) in segments.iter().enumerate() {
        let bytes = segment.read_from(0);
        let bytes =
            bytes.map_err(|source| GraphError::Io { file: segment.path.clone(), source })?;
        let (len, torn) =
            replay_segment(&bytes, state).map_err(|source| damaged(segment, source))?;
        if let Some(source) = torn.filter(|_| at + 1 < segments.len()) {
            return Err(damaged(segment, source));
        }
        last = Some((segment.clone(), len));
    }
    Ok(Replayed { last })
}

fn damaged(segment: &Segment, source: DecodeError) -> GraphError {
    GraphError::Damaged { file: segment.path.clone(), source }
}

/// Adds the commits of a segment. Returns the length of its whole frames, and why what comes after them isn't one.
fn replay_segment(
    bytes: &[u8],
    state: &mut State,
) -> Result<(u64, Option<DecodeError>), DecodeError> {
    let mut at = 0;
    while at < bytes.len() {
        let frame = match decode(&bytes[at..], at as u64) {
            Ok(frame) => frame,
            Err(torn) => return Ok((at as u64, Some(torn))),
        };
        add(&frame, at as u64, state)?;
        at += frame.len;
    }
    Ok((at as u64, None))
}

/// Adds a commit, unless the state has it.
fn add(frame: &Frame<'_>, at: u64, state: &mut State) -> Result<(), DecodeError> {
    let want = state.commit + 1;
    if frame.commit < want {
        return Ok(());
    }
    if frame.commit > want {
        return Err(DecodeError::Corrupt { what: "commit", at, want, got: frame.commit });
    }
    let before = Before { blank: state.next_blank, terms: state.next_terms, keys: state.keys };
    let record = record::decode(frame.record, at + frame.record_at, &before)?;
    (state.next_blank, state.next_terms) = (record.next_blank, record.terms.next());
    state.commit = frame.commit;
    let layer = Layer::new((frame.commit, frame.commit), &record.changes, record.terms);
    push(&mut state.layers, Arc::new(layer), Keep::Net, 0);
    Ok(())
}
