//! The frames of a log, from first to last; and whether what follows them was never finished, or
//! was damaged later.
//!
//! A writer that is killed leaves a frame that is cut, or of which some pages never came to the
//! disk, and so may those after it be that were not synced either. That is a torn end, and what was
//! acknowledged lies before it. A bad frame is damage if a later frame says that these bytes were
//! synced, or was made by a writer that didn't know how much was.
//!
//! Bytes:   docs/formats/leaf.md, section *log*

use manicule_core::bytes::DecodeError;

use super::frame::{FRAME_HEAD_LEN, Frame, FrameHead, MAGIC, SUM_LEN, SYNCED_UNKNOWN, read_head};
use crate::head::{self, FileKind, HEAD_LEN, LOG_VERSION_TRIPLES, VERSION, check};

/// How a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    /// With its last frame.
    Whole,
    /// With a frame that was never finished: the whole ones end before.
    Torn {
        /// Length of the file without it.
        len: u64,
    },
}

/// Reads the frames of a log.
#[derive(Clone, Debug)]
pub struct LogReader<'a> {
    bytes: &'a [u8],
    /// Offset of the bytes in the log.
    from: u64,
    at: usize,
    last: Option<u64>,
    end: Option<LogEnd>,
    has_failed: bool,
    /// The greatest number of a commit after a bad frame.
    later: Option<u64>,
}

impl<'a> LogReader<'a> {
    /// Binds to the bytes of a log. One that has not even a whole head, and nothing else than the
    /// beginning of one, has a torn end at 0.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let is_begun = |version| {
            let mut whole = Vec::new();
            super::put_log_head(version, &mut whole);
            whole.starts_with(bytes)
        };
        if bytes.len() < HEAD_LEN && [VERSION, LOG_VERSION_TRIPLES].into_iter().any(is_begun) {
            return Ok(LogReader {
                bytes,
                from: 0,
                at: 0,
                last: None,
                end: Some(LogEnd::Torn { len: 0 }),
                has_failed: false,
                later: None,
            });
        }
        let detail = head::read_head(bytes, FileKind::Log)?;
        check("zeros in the head", 12, 0, u32::from_le_bytes(detail).into())?;
        Ok(LogReader { at: HEAD_LEN, ..Self::resume(bytes, 0) })
    }

    /// Binds to the bytes of a log from an offset on, at which a frame has ended.
    pub fn resume(bytes: &'a [u8], from: u64) -> Self {
        let (last, end, has_failed, later) = (None, None, false, None);
        LogReader { bytes, from, at: 0, last, end, has_failed, later }
    }

    /// Offset after the last frame read.
    pub fn at(&self) -> u64 {
        self.from + self.at as u64
    }

    /// How the log ends; `None` while there may be more frames, and after an error.
    pub fn end(&self) -> Option<LogEnd> {
        self.end
    }

    /// The greatest number of a commit that comes after a frame that isn't whole.
    pub fn later(&self) -> Option<u64> {
        self.later
    }

    fn read(&mut self) -> Result<Option<Frame>, DecodeError> {
        let (rest, at) = (&self.bytes[self.at..], self.at());
        if rest.is_empty() {
            self.end = Some(LogEnd::Whole);
            return Ok(None);
        }
        let Some(head) = read_head(rest) else { return self.bad("head of a frame") };
        let after = &rest[FRAME_HEAD_LEN..];
        let sum = head.len.checked_add(SUM_LEN).and_then(|end| after.get(head.len..end));
        let Some(sum) = sum else { return self.bad("payload of a frame") };
        let payload = &after[..head.len];
        if crc32fast::hash(payload).to_le_bytes() != *sum {
            return self.bad("checksum of a frame");
        }
        if let Some(last) = self.last.filter(|last| *last >= head.number) {
            let (what, want, got) = ("number of a commit, above", last, head.number);
            return Err(DecodeError::Corrupt { what, at: at + 8, want, got });
        }
        let frame = Frame::read(head.number, payload, at + FRAME_HEAD_LEN as u64)?;
        self.last = Some(head.number);
        self.at += FRAME_HEAD_LEN + head.len + SUM_LEN;
        Ok(Some(frame))
    }

    /// Ends the log at a frame that is not whole, unless a later one says that it was, or may have
    /// been.
    fn bad(&mut self, what: &'static str) -> Result<Option<Frame>, DecodeError> {
        let (rest, at) = (&self.bytes[self.at..], self.at());
        let starts = (1..rest.len().saturating_sub(FRAME_HEAD_LEN - 1))
            .filter(|start| rest[*start] == MAGIC[0]);
        let heads = starts.filter_map(|start| read_head(&rest[start..]));
        let is_after = |head: &FrameHead| self.last.is_none_or(|last| last < head.number);
        let later: Vec<FrameHead> = heads.filter(is_after).collect();
        self.later = later.iter().map(|head| head.number).max();
        let refutes = |head: &&FrameHead| head.synced > at || head.synced == SYNCED_UNKNOWN;
        if let Some(head) = later.iter().find(refutes) {
            return Err(DecodeError::Corrupt { what, at, want: head.synced.max(at + 1), got: at });
        }
        self.end = Some(LogEnd::Torn { len: at });
        Ok(None)
    }
}

impl Iterator for LogReader<'_> {
    type Item = Result<Frame, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.end.is_some() || self.has_failed {
            return None;
        }
        let read = self.read().transpose();
        self.has_failed = matches!(read, Some(Err(_)));
        read
    }
}
