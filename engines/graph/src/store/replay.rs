//! The log, read: its commits become a layer again; or where it is damaged, and what of it is lost.

use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::log::{Frame, LogEnd, LogReader};
use manicule_format_leaf::synced::Synced;
use manicule_store::log::{Segment, segments_in};
use manicule_store::store::{Fetched, Store};

use super::folder::logs;
use super::record::read_commit;
use super::synced::read_synced;
use crate::dictionary::Piece;
use crate::error::{GraphError, LostCommits};
use crate::overlay::{Gathered, Keep, push};
use crate::snapshot::State;

/// Where a log ends.
#[derive(Debug)]
pub(super) struct Replayed {
    /// The last segment that has whole frames, and how many of its bytes they are.
    pub(super) last: Option<(Segment, u64)>,
    /// How far it was once synced.
    pub(super) synced: Option<Synced>,
    /// What is lost after that.
    pub(super) lost: Option<LostCommits>,
}

impl Replayed {
    /// An error if something is lost.
    pub(super) fn whole(self) -> Result<Self, GraphError> {
        match self.lost {
            Some(lost) => Err(GraphError::Log(lost)),
            None => Ok(self),
        }
    }
}

/// Adds the commits of a log that come after a state's.
pub(super) fn replay(files: &Fetched, state: &mut State) -> Result<Replayed, GraphError> {
    let store = files.store();
    let synced = read_synced(store)?;
    let manifest = state.base.manifest();
    let from = match state.log_place {
        Some((number, offset)) => LogPlace { number, offset, is_there: true },
        None => LogPlace { number: manifest.log, offset: 0, is_there: manifest.has_log },
    };
    let mut commits = Commits::default();
    let read = read_log(store, from, |frame, at| commits.add(frame, at, state))?;
    commits.become_a_layer(state);
    let lost = read.lost(store, synced, state.commit);
    let last = read.segments.into_iter().last();
    state.log_place = last.as_ref().map(|(segment, len)| (segment.number, *len));
    Ok(Replayed { last, synced, lost })
}

/// Where reading a log begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogPlace {
    /// Number of the segment.
    pub(super) number: u64,
    /// Offset in it at which a frame has ended, or 0.
    pub(super) offset: u64,
    /// Whether it is there for certain.
    pub(super) is_there: bool,
}

/// What was read of a log.
#[derive(Debug)]
pub(super) struct ReadLog {
    /// The segments, each with the length of its whole frames.
    pub(super) segments: Vec<(Segment, u64)>,
    /// What ended it before its end.
    fault: Option<Fault>,
}

/// Why a log isn't read any further.
#[derive(Debug)]
struct Fault {
    segment: Segment,
    what: String,
    at: Option<u64>,
    /// A commit that follows.
    later: Option<u64>,
}

impl ReadLog {
    /// What is lost of the log, whose last commit that was read is `commit`.
    pub(super) fn lost(
        &self,
        store: &dyn Store,
        synced: Option<Synced>,
        commit: u64,
    ) -> Option<LostCommits> {
        let later = synced.map(|synced| synced.commit).filter(|later| *later > commit);
        if let Some(fault) = &self.fault {
            let (file, what, at) = (fault.segment.path.clone(), fault.what.clone(), fault.at);
            let last = later.max(fault.later).filter(|last| *last > commit);
            return Some(LostCommits { file, what, at, kept: commit, last });
        }
        let (synced, last) = (synced?, later?);
        let is_of = |(segment, _): &&(Segment, u64)| segment.number >= synced.log;
        let (file, what, at) = match self.segments.last().filter(is_of) {
            Some((segment, len)) => {
                let what = format!("it ends at offset {len}, before commit {last}, which it had");
                (segment.path.clone(), what, Some(*len))
            }
            None => (Segment::in_store(store, &logs(), synced.log).path, MISSING.to_owned(), None),
        };
        Some(LostCommits { file, what, at, kept: commit, last: Some(last) })
    }
}

const MISSING: &str = "it is missing";

/// Calls `each` with the frames of a log and their offsets, from a place on, up to the first that
/// isn't whole.
///
/// Frames that are torn are left out where they end the last segment: their commits weren't
/// acknowledged.
pub(super) fn read_log(
    store: &dyn Store,
    from: LogPlace,
    mut each: impl FnMut(&Frame, u64) -> Result<(), DecodeError>,
) -> Result<ReadLog, GraphError> {
    let folder = logs();
    let mut segments = segments_in(store, &folder)?;
    // Those before hold what the generation has, and may be removed at any moment.
    segments.retain(|segment| segment.number >= from.number);
    let mut read = ReadLog { segments: Vec::with_capacity(segments.len()), fault: None };
    if from.is_there && segments.first().is_none_or(|first| first.number > from.number) {
        let (segment, what) = (Segment::in_store(store, &folder, from.number), MISSING.to_owned());
        read.fault = Some(Fault { segment, what, at: None, later: None });
        return Ok(read);
    }
    let last = segments.len().saturating_sub(1);
    for (at, segment) in segments.into_iter().enumerate() {
        let offset = if segment.number == from.number { from.offset } else { 0 };
        let bytes = segment.read_in(store, &folder, offset)?;
        let mut end = read_segment(&bytes, offset, &mut each);
        if end.is_torn && at < last && !bytes.is_empty() {
            let (what, want) = ("end of the log before the last", offset + bytes.len() as u64);
            let (at, got) = (end.whole, end.whole);
            end.fault = Some(DecodeError::Corrupt { what, at, want, got });
        }
        if let Some(source) = end.fault {
            let (what, at) = (source.to_string(), Some(source.at()));
            let fault = Fault { segment: segment.clone(), what, at, later: end.later };
            read.fault = Some(fault);
        }
        read.segments.push((segment, end.whole));
        if read.fault.is_some() {
            break;
        }
    }
    Ok(read)
}

/// Where the whole frames of a segment end, and why.
struct End {
    whole: u64,
    is_torn: bool,
    fault: Option<DecodeError>,
    later: Option<u64>,
}

/// Reads a segment.
fn read_segment(
    bytes: &[u8],
    from: u64,
    mut each: impl FnMut(&Frame, u64) -> Result<(), DecodeError>,
) -> End {
    let opened = match from {
        0 => LogReader::open(bytes),
        _ => Ok(LogReader::resume(bytes, from)),
    };
    let mut reader = match opened {
        Ok(reader) => reader,
        Err(fault) => return End { whole: 0, is_torn: false, fault: Some(fault), later: None },
    };
    loop {
        let whole = reader.at();
        let fault = match reader.next() {
            Some(Ok(frame)) => each(&frame, whole).err(),
            Some(Err(fault)) => Some(fault),
            None => {
                let torn = match reader.end() {
                    Some(LogEnd::Torn { len }) => Some(len),
                    _ => None,
                };
                let (whole, is_torn) = (torn.unwrap_or(whole), torn.is_some());
                return End { whole, is_torn, fault: None, later: reader.later() };
            }
        };
        if fault.is_some() {
            return End { whole, is_torn: false, fault, later: reader.later() };
        }
    }
}

/// Commits of a log that become one layer, where a layer for each would be merged with others again
/// and again, as those are that come one by one.
#[derive(Default)]
struct Commits {
    gathered: Gathered,
    /// Number of the first, and the terms of all.
    terms: Option<(u64, Piece)>,
}

impl Commits {
    /// Adds a commit, unless the state has it.
    fn add(&mut self, frame: &Frame, at: u64, state: &mut State) -> Result<(), DecodeError> {
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
        self.gathered.add(&record.changes);
        match &mut self.terms {
            Some((_, terms)) => terms.append(&record.terms),
            None => self.terms = Some((number, record.terms)),
        }
        Ok(())
    }

    /// Adds them to the state's layers.
    fn become_a_layer(self, state: &mut State) {
        let Some((first, terms)) = self.terms else { return };
        let layer = self.gathered.into_layer(first..=state.commit, terms);
        push(&mut state.layers, Arc::new(layer), Keep::Net, 0);
    }
}
