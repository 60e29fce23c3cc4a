//! A window over a stream of bytes that moves forward as it is asked.

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::Parsed;
use manicule_store::context::Held;
use manicule_store::pages::{Keep, Reading};

use super::buffer::Buffer;
use super::data::DataFile;
use super::file::OpenFile;
use super::sums::RunningDigest;
use crate::RowsError;

/// Bytes that parsers take from: those of a file, or the uncompressed ones of Data.db.
pub(crate) trait Stream {
    /// Their number.
    fn len(&self) -> u64;

    /// All of them, where they can be read in place.
    fn mapped(&self) -> Option<&[u8]>;

    /// The end of a read that has to reach from the first place to the second: so far costs no read
    /// more.
    fn read_end(&self, range: Range<u64>) -> u64;

    /// Fills `out` with the bytes from a place on, which lie in the stream.
    fn read(
        &self,
        at: u64,
        out: &mut [u8],
        keep: Keep,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError>;

    /// Length in bytes of the pieces that have checksums of their own, where who passes over all of
    /// them compares these.
    fn piece_len(&self, reading: &mut Reading<'_>) -> Result<Option<u64>, RowsError>;

    /// Compares the checksum of the piece that begins at a place.
    fn check_piece(
        &self,
        at: u64,
        piece: &[u8],
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError>;

    /// Whether pieces, or the digest, are compared by who passes over all of the stream.
    fn is_summed(&self) -> bool;

    /// The digest of all bytes, where no pieces have checksums.
    fn digest(&self) -> Option<RunningDigest>;

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

    fn read(
        &self,
        at: u64,
        out: &mut [u8],
        keep: Keep,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        match keep {
            Keep::Shared => {
                out.copy_from_slice(&self.get(at..at + out.len() as u64, keep, reading)?);
            }
            Keep::Passing => self.read_passing(at, out, reading)?,
        }
        Ok(())
    }

    fn piece_len(&self, _: &mut Reading<'_>) -> Result<Option<u64>, RowsError> {
        Ok(None)
    }

    fn check_piece(&self, _: u64, _: &[u8], _: &mut Reading<'_>) -> Result<(), RowsError> {
        Ok(())
    }

    fn is_summed(&self) -> bool {
        false
    }

    fn digest(&self) -> Option<RunningDigest> {
        None
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

    fn read(
        &self,
        at: u64,
        out: &mut [u8],
        keep: Keep,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        DataFile::read(self, at, out, keep, reading)
    }

    fn piece_len(&self, reading: &mut Reading<'_>) -> Result<Option<u64>, RowsError> {
        DataFile::piece_len(self, reading)
    }

    fn check_piece(
        &self,
        at: u64,
        piece: &[u8],
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        DataFile::check_piece(self, at, piece, reading)
    }

    fn is_summed(&self) -> bool {
        DataFile::is_summed(self)
    }

    fn digest(&self) -> Option<RunningDigest> {
        DataFile::digest(self)
    }

    fn damaged(&self, error: DecodeError) -> RowsError {
        DataFile::damaged(self, error)
    }
}

/// A window. Bytes that are mapped are lent in place; others lie in a buffer, which holds what a
/// parser wants at once and what a read brought with it.
///
/// A window that passes over a stream whose pieces have checksums lends no byte of a piece before
/// its checksum is compared: those of pieces that were read ahead and are never asked for are not.
#[derive(Debug)]
pub(crate) struct Window<'t, S> {
    stream: &'t S,
    /// All bytes, where they are read in place.
    in_place: Option<&'t [u8]>,
    buffer: Buffer,
    /// Place of the buffer's first byte: of a stream in pieces where one begins.
    start: u64,
    /// Up to where the buffer's bytes are lent.
    sound_end: u64,
    /// Length of the pieces that are compared; `None` within before the first read.
    piece_len: Option<Option<u64>>,
    digest: Option<Box<RunningDigest>>,
    held: Option<Held>,
    /// How far a read reaches from the place that is wanted, in bytes.
    ahead: u64,
    keep: Keep,
}

impl<'t, S: Stream> Window<'t, S> {
    /// A window that reads no more than it is asked for and what comes with it.
    pub(crate) fn new(stream: &'t S) -> Self {
        Window {
            stream,
            in_place: stream.mapped(),
            buffer: Buffer::default(),
            start: 0,
            sound_end: 0,
            piece_len: Some(None),
            digest: None,
            held: None,
            ahead: 0,
            keep: Keep::Shared,
        }
    }

    /// A window that goes over a stream once, `ahead` bytes at a time: nothing of it stays in the
    /// cache.
    pub(crate) fn passing(stream: &'t S, ahead: u64) -> Self {
        let (keep, mut window) = (Keep::Passing, Window::new(stream));
        if stream.is_summed() {
            window.in_place = None;
            (window.piece_len, window.digest) = (None, stream.digest().map(Box::new));
        }
        Window { ahead, keep, ..window }
    }

    pub(crate) fn stream(&self) -> &'t S {
        self.stream
    }

    /// From now on a read reaches `bytes` from the place that is wanted.
    #[inline]
    pub(crate) fn set_ahead(&mut self, bytes: u64) {
        self.ahead = bytes;
    }

    /// Whether the buffer has `len` bytes from `at` on, and these are lent.
    #[inline]
    pub(crate) fn has(&self, at: u64, len: usize) -> bool {
        self.start <= at && at.saturating_add(len as u64) <= self.sound_end
    }

    /// The bytes from `at` on, at least `len` of them unless the stream ends before.
    ///
    /// Asked several times for each row: what the buffer has costs some instructions.
    #[inline]
    pub(crate) fn at(
        &mut self,
        at: u64,
        len: usize,
        reading: &mut Reading<'_>,
    ) -> Result<&[u8], RowsError> {
        if !self.has(at, len) {
            return self.more(at, len, reading);
        }
        Ok(&self.buffer[(at - self.start) as usize..(self.sound_end - self.start) as usize])
    }

    /// The same of what the buffer doesn't have, or not so much of.
    #[inline(never)]
    fn more(&mut self, at: u64, len: usize, reading: &mut Reading<'_>) -> Result<&[u8], RowsError> {
        if let Some(mapped) = self.in_place {
            return Ok(mapped.get(at as usize..).unwrap_or_default());
        }
        let end = at.saturating_add(len as u64).min(self.stream.len());
        if !(self.start <= at && end <= self.sound_end) {
            self.fill(at, end, reading)?;
        }
        let sound = &self.buffer[..(self.sound_end - self.start) as usize];
        Ok(sound.get(at.saturating_sub(self.start) as usize..).unwrap_or_default())
    }

    #[cold]
    fn fill(&mut self, at: u64, end: u64, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        if at >= self.stream.len() {
            self.buffer.clear();
            (self.start, self.sound_end) = (at, at);
            return Ok(());
        }
        let piece_len = match self.piece_len {
            Some(known) => known,
            None => *self.piece_len.insert(self.stream.piece_len(reading)?),
        };
        let have_end = self.start + self.buffer.len() as u64;
        let first = piece_len.map_or(at, |len| at / len * len);
        if piece_len.is_some() && (self.sound_end + 1..have_end).contains(&first) {
            // What lies between was read ahead and is passed over: nobody asks for its checksums.
            self.buffer.drop_front((first - self.start) as usize);
            (self.start, self.sound_end) = (first, first);
        }
        let read = if self.start <= at && end <= have_end {
            Ok(())
        } else {
            self.read(at, end, piece_len, reading)
        };
        self.sound_end = self.sound_end.max(self.start);
        read?;
        let have_end = self.start + self.buffer.len() as u64;
        let Some(piece_len) = piece_len else {
            self.sound_end = have_end;
            return Ok(());
        };
        while self.sound_end < end {
            let piece_end = (self.sound_end + piece_len).min(have_end);
            let [from, to] = [self.sound_end, piece_end].map(|at| (at - self.start) as usize);
            self.stream.check_piece(self.sound_end, &self.buffer[from..to], reading)?;
            self.sound_end = piece_end;
        }
        Ok(())
    }

    /// Reads up to `end` and further; of a stream in pieces whole ones.
    fn read(
        &mut self,
        at: u64,
        end: u64,
        piece_len: Option<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let start = piece_len.map_or(at, |len| at / len * len);
        let have_end = self.start + self.buffer.len() as u64;
        if (self.start..have_end).contains(&start) {
            self.buffer.drop_front((start - self.start) as usize);
        } else {
            self.buffer.clear();
            self.sound_end = start;
        }
        self.start = start;
        let from = start + self.buffer.len() as u64;
        let wanted = end.max(at.saturating_add(self.ahead).min(self.stream.len())).max(from);
        let to = match piece_len {
            Some(len) => wanted.next_multiple_of(len).min(self.stream.len()),
            None => self.stream.read_end(from..wanted),
        };
        self.held = None;
        self.held = Some(reading.budget.take(to - start).map_err(RowsError::OverBudget)?);
        let have_len = self.buffer.len();
        let out = self.buffer.grow((to - from) as usize);
        let read = self.stream.read(from, out, self.keep, reading);
        if read.is_err() {
            // Nothing of what was not read whole counts as bytes of the stream.
            self.buffer.truncate(have_len);
            self.sound_end = self.sound_end.min(self.start + have_len as u64);
        } else if let Some(digest) = &mut self.digest {
            digest.add(from, &self.buffer[have_len..]);
        }
        read
    }

    /// The stream was passed from its first byte to its last: compares its digest, where no pieces
    /// were compared.
    pub(crate) fn end(&self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        match &self.digest {
            Some(digest) => digest.check(self.stream.len(), reading),
            None => Ok(()),
        }
    }

    /// What a parser reads at `at`: it is given more bytes for as long as it asks and there are
    /// more.
    pub(crate) fn parse<T>(
        &mut self,
        what: &'static str,
        at: u64,
        reading: &mut Reading<'_>,
        mut parse: impl FnMut(&[u8]) -> Result<Parsed<T>, DecodeError>,
    ) -> Result<T, RowsError> {
        let mut want = 1;
        let stream = self.stream;
        loop {
            let window = self.at(at, want, reading)?;
            match parse(window).map_err(|error| stream.damaged(error))? {
                Parsed::Done(done) => return Ok(done),
                Parsed::More { len }
                    if len > window.len() && len as u64 <= stream.len().saturating_sub(at) =>
                {
                    want = len;
                }
                more @ Parsed::More { .. } => {
                    return more.last(what, at, window).map_err(|error| stream.damaged(error));
                }
            }
        }
    }
}
