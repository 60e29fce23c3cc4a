//! A window over a stream of bytes that moves forward as it is asked.
//!
//! Callers: lookup, cursor, slice

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::Parsed;
use manicule_store::pages::{Held, Keep, Reading};

use super::data::DataFile;
use super::file::OpenFile;
use crate::RowsError;

/// Bytes that parsers take from: those of a file, or the uncompressed ones of Data.db.
pub(crate) trait Stream {
    /// Their number.
    fn len(&self) -> u64;

    /// All of them, where they can be read in place.
    fn mapped(&self) -> Option<&[u8]>;

    /// The end of a read that has to reach from the first place to the second: so far costs no read more.
    fn read_end(&self, range: Range<u64>) -> u64;

    /// Appends the bytes of a range that lies in the stream.
    fn append(
        &self,
        range: Range<u64>,
        keep: Keep,
        out: &mut Vec<u8>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError>;

    /// An error of its bytes.
    fn damaged(&self, error: DecodeError) -> RowsError;
}

impl Stream for OpenFile {
    fn len(&self) -> u64 {
        OpenFile::len(self)
    }

    fn mapped(&self) -> Option<&[u8]> {
        self.paged().mapped()
    }

    fn read_end(&self, range: Range<u64>) -> u64 {
        range.end.next_multiple_of(self.paged().page_len()).min(OpenFile::len(self))
    }

    fn append(
        &self,
        range: Range<u64>,
        keep: Keep,
        out: &mut Vec<u8>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        match keep {
            Keep::Shared => out.extend_from_slice(&self.get(range, keep, reading)?),
            Keep::Passing => self.append_passing(range, out, reading)?,
        }
        Ok(())
    }

    fn damaged(&self, error: DecodeError) -> RowsError {
        OpenFile::damaged(self, error)
    }
}

impl Stream for DataFile {
    fn len(&self) -> u64 {
        DataFile::len(self)
    }

    fn mapped(&self) -> Option<&[u8]> {
        DataFile::mapped(self)
    }

    fn read_end(&self, range: Range<u64>) -> u64 {
        DataFile::read_end(self, range)
    }

    fn append(
        &self,
        range: Range<u64>,
        keep: Keep,
        out: &mut Vec<u8>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        DataFile::append(self, range, keep, out, reading)
    }

    fn damaged(&self, error: DecodeError) -> RowsError {
        DataFile::damaged(self, error)
    }
}

/// A window. Bytes that are mapped are lent in place; others lie in a buffer, which holds what a parser wants at once and
/// what a read brought with it.
#[derive(Debug)]
pub(crate) struct Window<'t, S> {
    stream: &'t S,
    buffer: Vec<u8>,
    start: u64,
    held: Option<Held>,
    /// How far a read reaches from the place that is wanted, in bytes.
    ahead: u64,
    keep: Keep,
}

impl<'t, S: Stream> Window<'t, S> {
    /// A window that reads no more than it is asked for and what comes with it.
    pub(crate) fn new(stream: &'t S) -> Self {
        let keep = Keep::Shared;
        Window { stream, buffer: Vec::new(), start: 0, held: None, ahead: 0, keep }
    }

    /// A window that goes over a stream once, `ahead` bytes at a time: nothing of it stays in the cache.
    pub(crate) fn passing(stream: &'t S, ahead: u64) -> Self {
        Window { ahead, keep: Keep::Passing, ..Window::new(stream) }
    }

    pub(crate) fn stream(&self) -> &'t S {
        self.stream
    }

    /// From now on a read reaches `bytes` from the place that is wanted.
    #[inline]
    pub(crate) fn set_ahead(&mut self, bytes: u64) {
        self.ahead = bytes;
    }

    /// The bytes from `at` on, at least `len` of them unless the stream ends before.
    pub(crate) fn at(
        &mut self,
        at: u64,
        len: usize,
        reading: &mut Reading<'_>,
    ) -> Result<&[u8], RowsError> {
        if let Some(mapped) = self.stream.mapped() {
            return Ok(mapped.get(at as usize..).unwrap_or_default());
        }
        let end = at.saturating_add(len as u64).min(self.stream.len());
        let have = self.start..self.start + self.buffer.len() as u64;
        if !(have.start <= at && end <= have.end) {
            self.fill(at, end, reading)?;
        }
        let from = at.saturating_sub(self.start).min(self.buffer.len() as u64);
        Ok(&self.buffer[from as usize..])
    }

    #[cold]
    fn fill(&mut self, at: u64, end: u64, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if at >= self.stream.len() {
            self.buffer.clear();
            self.start = at;
            return Ok(());
        }
        let have_end = self.start + self.buffer.len() as u64;
        if (self.start..have_end).contains(&at) {
            self.buffer.drain(..(at - self.start) as usize);
        } else {
            self.buffer.clear();
        }
        self.start = at;
        let from = at + self.buffer.len() as u64;
        let wanted = end.max(at.saturating_add(self.ahead).min(self.stream.len())).max(from);
        let to = self.stream.read_end(from..wanted);
        self.held = None;
        self.held = Some(reading.budget.take(to - at).map_err(RowsError::OverBudget)?);
        let have_len = self.buffer.len();
        let appended = self.stream.append(from..to, self.keep, &mut self.buffer, reading);
        if appended.is_err() {
            // Nothing of what was not read whole counts as bytes of the stream.
            self.buffer.truncate(have_len);
        }
        appended
    }

    /// What a parser reads at `at`: it is given more bytes for as long as it asks and there are more.
    pub(crate) fn parse<T>(
        &mut self,
        what: &'static str,
        at: u64,
        reading: &mut Reading<'_>,
        mut parse: impl FnMut(&[u8]) -> Result<Parsed<T>, DecodeError>,
    ) -> Result<T, RowsError> {
        let mut want = 1;
        loop {
            let stream = self.stream;
            let left = stream.len().saturating_sub(at);
            let window = self.at(at, want, reading)?;
            match parse(window).map_err(|error| stream.damaged(error))? {
                Parsed::Done(done) => return Ok(done),
                Parsed::More { len } if len as u64 <= left && len > window.len() => want = len,
                more @ Parsed::More { .. } => {
                    return more.last(what, at, window).map_err(|error| stream.damaged(error));
                }
            }
        }
    }
}
