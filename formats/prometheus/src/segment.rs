//! A chunk segment: chunks back to back after a short header. The index holds the offset of each.
//!
//! Bytes:   | 4 magic | 1 version | 3 zero | (uvarint len, 1 encoding, len bytes, 4 CRC)* |, docs/formats/prometheus.md

use std::iter;

use manicule_core::bytes::{DecodeError, FileBytes, Reader, UVARINT_LEN_MAX};

use crate::crc;

/// Magic number of a segment.
pub const SEGMENT_MAGIC: [u8; 4] = [0x85, 0xbd, 0x40, 0xdd];
const VERSION: u8 = 1;
/// Length of the header; the first chunk begins after it.
pub const SEGMENT_HEADER_LEN: usize = 8;

/// Length of what surrounds the data of a chunk, after their length field: the encoding, and the
/// checksum.
const CHUNK_FRAME_LEN: u64 = 1 + size_of::<u32>() as u64;

/// The header of each segment.
pub const SEGMENT_HEADER: [u8; SEGMENT_HEADER_LEN] = {
    let [a, b, c, d] = SEGMENT_MAGIC;
    [a, b, c, d, VERSION, 0, 0, 0]
};

/// A segment over bytes that somebody holds: a slice, a mapped file.
#[derive(Debug)]
pub struct Segment<B> {
    bytes: B,
}

/// A chunk as it stands in a segment; its checksum holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawChunk<'a> {
    /// Offset of its length field.
    pub at: u64,
    /// Encoding of its data.
    pub encoding: u8,
    /// The data.
    pub data: &'a [u8],
    /// Offset of the next chunk.
    pub end: u64,
}

impl<B: FileBytes> Segment<B> {
    /// Opens a segment: looks at its header. Of one that is not whole that waits for the first
    /// chunk.
    pub fn open(bytes: B) -> Result<Self, DecodeError> {
        let segment = Segment { bytes };
        if segment.bytes.is_whole() {
            segment.check_header()?;
        }
        Ok(segment)
    }

    fn check_header(&self) -> Result<(), DecodeError> {
        let mut reader = Reader::new(&self.bytes, 0);
        let what = "segment magic";
        let (magic, want) = (reader.u32_be(what)?, u32::from_be_bytes(SEGMENT_MAGIC));
        if magic != want {
            return Err(DecodeError::Corrupt { what, at: 0, want: want.into(), got: magic.into() });
        }
        let (what, at) = ("segment version", reader.at());
        let version = reader.u8(what)?;
        if version != VERSION {
            let (want, got) = (VERSION.into(), version.into());
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        reader.take("segment header", SEGMENT_HEADER_LEN - SEGMENT_MAGIC.len() - 1)?;
        Ok(())
    }

    /// Who holds the file.
    pub fn file(&self) -> &B {
        &self.bytes
    }

    /// Brings chunks that are going to be read, whose length fields are at these offsets. They are
    /// as long as `len_guess`, but for a few.
    pub fn bring_chunks(&self, offsets: &[u64], len_guess: u64) -> Result<(), DecodeError> {
        if self.bytes.is_whole() || offsets.is_empty() {
            return Ok(());
        }
        let header = 0..SEGMENT_HEADER_LEN as u64;
        let guessed = offsets.iter().map(|at| *at..at.saturating_add(len_guess));
        self.bytes.bring(&iter::once(header).chain(guessed).collect::<Vec<_>>())?;
        // What is wrong with a chunk its reading says.
        let longer = offsets.iter().filter_map(|at| Some(*at..self.end_of(*at).ok()?));
        let longer = longer.filter(|chunk| chunk.end - chunk.start > len_guess);
        self.bytes.bring(&longer.collect::<Vec<_>>())
    }

    /// Asks for the length field of a chunk, and for the header of the file.
    #[cold]
    fn need_head(&self, at: u64) -> Result<(), DecodeError> {
        self.bytes.need(0..SEGMENT_HEADER_LEN as u64)?;
        self.check_header()?;
        self.bytes.need(at..at.saturating_add(UVARINT_LEN_MAX as u64))
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A reader of the bytes from an offset on.
    #[inline]
    fn reader_at(&self, at: u64) -> Result<Reader<'_>, DecodeError> {
        let have = (self.bytes.len() as u64).saturating_sub(at);
        let rest = usize::try_from(at).ok().and_then(|at| self.bytes.get(at..));
        let rest = rest.ok_or(DecodeError::Short { what: "chunk", at, need: 1, have })?;
        Ok(Reader::new(rest, at))
    }

    /// End of the chunk whose length field is at an offset, by that field alone: nothing else of it
    /// is read.
    #[inline]
    pub fn chunk_end(&self, at: u64) -> Result<u64, DecodeError> {
        if !self.bytes.is_whole() {
            self.need_head(at)?;
        }
        self.end_of(at)
    }

    #[inline]
    fn end_of(&self, at: u64) -> Result<u64, DecodeError> {
        let mut reader = self.reader_at(at)?;
        let len = reader.uvarint("length of a chunk")?;
        let (start, have) = (reader.at(), reader.rest().len() as u64);
        let need = len.saturating_add(CHUNK_FRAME_LEN);
        if need <= have {
            Ok(start + need)
        } else {
            Err(DecodeError::Short { what: "chunk", at: start, need, have })
        }
    }

    /// The chunk whose length field is at an offset; its checksum is compared.
    pub fn chunk(&self, at: u64) -> Result<RawChunk<'_>, DecodeError> {
        if !self.bytes.is_whole() {
            self.need_head(at)?;
            self.bytes.need(at..self.end_of(at).unwrap_or(at))?;
        }
        let mut reader = self.reader_at(at)?;
        let len = reader.uvarint("length of a chunk")?;
        let (what, start) = ("chunk", reader.at());
        let len = usize::try_from(len).ok().and_then(|len| len.checked_add(1));
        let covered = reader.take(what, len.unwrap_or(usize::MAX))?;
        crc::check("checksum of a chunk", covered, &mut reader)?;
        let Some((&encoding, data)) = covered.split_first() else {
            return Err(DecodeError::Short { what, at: start, need: 1, have: 0 });
        };
        Ok(RawChunk { at, encoding, data, end: reader.at() })
    }

    /// The chunks one after the other. Ends at the end of the file, or with an error at the first
    /// one that doesn't hold.
    pub fn chunks(&self) -> impl Iterator<Item = Result<RawChunk<'_>, DecodeError>> {
        let mut at = SEGMENT_HEADER_LEN as u64;
        std::iter::from_fn(move || {
            if at >= self.bytes.len() as u64 {
                return None;
            }
            let chunk = self.chunk(at);
            at = chunk.as_ref().map_or(u64::MAX, |chunk| chunk.end);
            Some(chunk)
        })
    }
}
