//! A series: its labels as numbers of symbols, and its chunks.
//!
//! Bytes:   | uvarint len | uvarint label_count, label_count × (uvarint name, uvarint value), uvarint chunk_count,
//!          first: varint min_time, uvarint max−min, uvarint ref,
//!          next: uvarint min−previous max, uvarint max−min, varint ref−previous | 4 CRC |,
//!          docs/formats/prometheus.md

use manicule_core::bytes::{DecodeError, Reader};

use super::layout::reader_at;
use super::symbols::{SymbolIndex, Symbols};
use crate::{ChunkMeta, ChunkRef, crc};

/// An entry of the series section; its checksum holds, what it says is read by [`Series::labels`].
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// Behind the label count.
    labels: Reader<'a>,
    label_count: u64,
    symbols: &'a Symbols,
    /// Offset of the payload.
    at: u64,
}

impl<'a> Series<'a> {
    // Here and below: a result of this size goes through memory unless it is inlined, written in
    // parts and read as a whole, and that waits for the stores. Of 1.2 million series with their
    // chunks it is a sixth of the time.
    #[inline(always)]
    pub(super) fn open(
        bytes: &'a [u8],
        at: u64,
        symbols: &'a Symbols,
    ) -> Result<Self, DecodeError> {
        // A reference may lead anywhere, and what stands there may pass for a series: in the
        // smallest golden index, read as version 1, the symbol table does.
        if at < symbols.end() {
            let (what, want) = ("offset of a series", symbols.end());
            return Err(DecodeError::Corrupt { what, at, want, got: at });
        }
        let mut reader = reader_at(bytes, at, "series")?;
        let len = reader.uvarint("length of a series")?;
        let start = reader.at();
        let payload = reader.take("series", usize::try_from(len).unwrap_or(usize::MAX))?;
        crc::check("checksum of a series", payload, &mut reader)?;
        let mut labels = Reader::new(payload, start);
        let label_count = labels.uvarint("label count")?;
        // A label takes two bytes at least.
        if label_count > labels.rest().len() as u64 / 2 {
            let (what, want) = ("label count", labels.rest().len() as u64 / 2);
            return Err(DecodeError::Corrupt { what, at: start, want, got: label_count });
        }
        Ok(Series { labels, label_count, symbols, at: start })
    }

    /// Number of its labels.
    pub fn label_count(&self) -> u64 {
        self.label_count
    }

    /// Offset of its contents in the file, after its length field.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Its labels, in the order of their names. The chunks can be read once these are read to the
    /// end.
    #[inline]
    pub fn labels(&self) -> LabelSymbols<'a> {
        LabelSymbols { reader: self.labels, left: self.label_count, symbols: self.symbols }
    }

    /// Its chunks; the labels are passed over unread.
    #[inline(always)]
    pub fn chunks(&self) -> Result<Chunks<'a>, DecodeError> {
        let mut labels = self.labels();
        labels.reader.skip_varints("labels of a series", 2 * labels.left)?;
        labels.left = 0;
        labels.chunks()
    }
}

/// The labels of a series as names and values of the symbol table.
#[derive(Clone, Debug)]
pub struct LabelSymbols<'a> {
    reader: Reader<'a>,
    left: u64,
    symbols: &'a Symbols,
}

impl<'a> LabelSymbols<'a> {
    /// The chunks that follow the labels.
    ///
    /// # Panics
    /// If labels are left to read.
    #[inline]
    pub fn chunks(mut self) -> Result<Chunks<'a>, DecodeError> {
        assert!(self.left == 0, "labels come before chunks");
        let at = self.reader.at();
        let count = self.reader.uvarint("chunk count")?;
        // A chunk takes three bytes at least.
        if count > self.reader.rest().len() as u64 / 3 {
            let (what, want) = ("chunk count", self.reader.rest().len() as u64 / 3);
            return Err(DecodeError::Corrupt { what, at, want, got: count });
        }
        Ok(Chunks { reader: self.reader, left: count, before: None })
    }

    #[inline]
    fn symbol(&mut self, what: &'static str) -> Result<SymbolIndex, DecodeError> {
        let at = self.reader.at();
        let number = self.reader.uvarint(what)?;
        self.symbols.named(number).ok_or_else(|| {
            let want = self.symbols.count().into();
            DecodeError::Corrupt { what, at, want, got: number }
        })
    }
}

impl Iterator for LabelSymbols<'_> {
    type Item = Result<(SymbolIndex, SymbolIndex), DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let name = match self.symbol("symbol of a label's name") {
            Ok(name) => name,
            Err(error) => return Some(Err(error)),
        };
        Some(self.symbol("symbol of a label's value").map(|value| (name, value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

/// The chunks of a series, in the order of time.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    reader: Reader<'a>,
    left: u64,
    before: Option<ChunkMeta>,
}

impl Chunks<'_> {
    #[inline(always)]
    fn read(&mut self) -> Result<ChunkMeta, DecodeError> {
        let Chunks { reader, before, .. } = self;
        let at = reader.at();
        let what = "times of a chunk";
        let past = || DecodeError::Corrupt { what, at, want: i64::MAX as u64, got: u64::MAX };
        let min_time = match before {
            None => reader.varint(what)?,
            Some(before) => {
                before.max_time.checked_add_unsigned(reader.uvarint(what)?).ok_or_else(past)?
            }
        };
        let max_time = min_time.checked_add_unsigned(reader.uvarint(what)?).ok_or_else(past)?;
        let reference = match before {
            None => reader.uvarint("reference of a chunk")?,
            Some(before) => {
                let step = reader.varint("reference of a chunk")?;
                before.reference.0.wrapping_add_signed(step)
            }
        };
        let meta = ChunkMeta { min_time, max_time, reference: ChunkRef(reference) };
        *before = Some(meta);
        Ok(meta)
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<ChunkMeta, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let meta = self.read();
        if meta.is_err() {
            self.left = 0;
        }
        Some(meta)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}
