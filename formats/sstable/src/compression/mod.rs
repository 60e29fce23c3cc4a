//! CompressionInfo.db: how Data.db is compressed, and where its chunks are.
//!
//! Bytes:   utf compressor, i32 options, (utf key, utf value)*, i32 chunk length, from `na` on i32 longest compressed chunk,
//!          i64 length, i32 chunks, i64 offset of each; then nothing or a dictionary: u8 kind, i64
//!          id, i32 length, bytes, u32 CRC-32C, docs/formats/sstable.md, CompressionInfo.db

mod dictionary;
mod write;

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use crate::Version;
use crate::error::SstableError;
use crate::shortened::shortened;
use crate::vint::ReadVint;

pub use dictionary::Dictionary;
pub use write::{CompressionHead, put_compression_head};

/// How chunks are compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compressor {
    /// u32 length, little-endian, then an LZ4 block.
    Lz4,
    /// Snappy without a frame.
    Snappy,
    /// zlib.
    Deflate,
    /// A frame of Zstandard; with the dictionary of the file, if there is one.
    Zstd,
    /// Chunks are stored as they are.
    Noop,
    /// Another class.
    Other(String),
}

impl Compressor {
    fn of_class(class: &str) -> Compressor {
        match class.rsplit('.').next().unwrap_or_default() {
            "LZ4Compressor" => Compressor::Lz4,
            "SnappyCompressor" => Compressor::Snappy,
            "DeflateCompressor" => Compressor::Deflate,
            "ZstdCompressor" | "ZstdDictionaryCompressor" => Compressor::Zstd,
            "NoopCompressor" => Compressor::Noop,
            _ => Compressor::Other(class.to_owned()),
        }
    }
}

/// A CompressionInfo.db that lies in memory. Offsets of chunks are read where they are asked for.
#[derive(Clone, Debug)]
pub struct CompressionInfo<'a> {
    /// Name of the class.
    pub class: &'a str,
    /// The compressor.
    pub compressor: Compressor,
    /// Its options. Unknown ones are no error.
    pub options: Vec<(&'a str, &'a str)>,
    /// Length of each chunk but the last before compression, in bytes; a power of two.
    pub chunk_len: u32,
    /// From this length on a chunk is stored uncompressed. `None`: never.
    pub compressed_len_max: Option<u32>,
    /// Length of Data.db before compression, in bytes.
    pub data_len: u64,
    /// The dictionary of Zstandard.
    pub dictionary: Option<Dictionary<'a>>,
    offsets: &'a [[u8; 8]],
    offsets_at: u64,
}

/// A chunk of Data.db.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its bytes in the file, without the CRC-32 of four bytes that follows them.
    pub stored: Range<u64>,
    /// Its length before compression.
    pub len: u32,
    /// Whether it is stored as it is.
    pub is_plain: bool,
}

/// Greatest length in bytes of a chunk of no data with its checksum: the frames of all compressors
/// are shorter.
const EMPTY_CHUNK_LEN_MAX: u64 = 64;

/// Length in bytes of the checksum after each chunk.
pub const CHUNK_SUM_LEN: u64 = 4;

impl<'a> CompressionInfo<'a> {
    /// Reads a file.
    pub fn open(bytes: &'a [u8], version: Version) -> Result<CompressionInfo<'a>, SstableError> {
        let mut reader = Reader::new(bytes, 0);
        let mut info = Self::head(&mut reader, version)?;
        let count = offset_count(&mut reader, info.data_len, info.chunk_len)?;
        info.offsets = reader.take("offsets of chunks", count as usize * 8)?.as_chunks().0;
        if !reader.rest().is_empty() {
            info.dictionary = Some(Dictionary::read(&mut reader)?);
        }
        Ok(info)
    }

    /// Where the offsets of chunks are in a file of `file_len` bytes that begins with `head`.
    pub fn offsets_in(
        head: &'a [u8],
        file_len: u64,
        version: Version,
    ) -> Result<Range<u64>, SstableError> {
        let mut reader = Reader::new(head, 0);
        let info = Self::head(&mut reader, version)?;
        let count = offset_count(&mut reader, info.data_len, info.chunk_len)?;
        let (at, what) = (reader.at(), "offsets of chunks");
        let (need, have) = (count * 8, file_len.saturating_sub(at));
        if need <= have {
            Ok(at..at + need)
        } else {
            Err(DecodeError::Short { what, at, need, have }.into())
        }
    }

    /// Reads a file without its offsets: `head` is what lies before them, `tail` what lies after
    /// them.
    pub fn open_parts(
        head: &'a [u8],
        tail: &'a [u8],
        offsets: &Range<u64>,
        version: Version,
    ) -> Result<CompressionInfo<'a>, SstableError> {
        let mut info = Self::head(&mut Reader::new(head, 0), version)?;
        if !tail.is_empty() {
            info.dictionary = Some(Dictionary::read(&mut Reader::new(tail, offsets.end))?);
        }
        Ok(info)
    }

    /// Reads a file whose end is damaged or missing: how chunks are compressed, as many offsets of
    /// chunks as are there, whatever they are, and no dictionary.
    pub fn open_cut(
        bytes: &'a [u8],
        version: Version,
    ) -> Result<CompressionInfo<'a>, SstableError> {
        let mut reader = Reader::new(bytes, 0);
        let mut info = Self::head(&mut reader, version)?;
        let offsets = reader.rest().get(4..).unwrap_or_default().as_chunks().0;
        info.offsets = &offsets[..offsets.len().min(info.chunk_count())];
        Ok(info)
    }

    /// What lies before the number of chunks.
    fn head(
        reader: &mut Reader<'a>,
        version: Version,
    ) -> Result<CompressionInfo<'a>, SstableError> {
        let class = text(reader, "compressor")?;
        let option_count = reader.u32_be("number of compressor options")?;
        let mut options = Vec::new();
        for _ in 0..option_count {
            let key = text(reader, "option of the compressor")?;
            options.push((key, text(reader, "value of an option")?));
        }
        let chunk_len = chunk_len(reader)?;
        let compressed_len_max = if version.has_compressed_len_max() {
            let len = reader.u32_be("longest compressed chunk")?;
            Some(len).filter(|len| *len < i32::MAX as u32)
        } else {
            None
        };
        let data_len = reader.u64_be("length of the data")?;
        Ok(CompressionInfo {
            class,
            compressor: Compressor::of_class(class),
            options,
            chunk_len,
            compressed_len_max,
            data_len,
            dictionary: None,
            offsets: &[],
            offsets_at: reader.at() + 4,
        })
    }

    /// Offset of the chunks' offsets in the file.
    pub fn offsets_at(&self) -> u64 {
        self.offsets_at
    }

    /// Number of offsets: of the chunks, and perhaps of an empty one after them.
    pub fn offset_count(&self) -> usize {
        self.offsets.len()
    }

    /// Number of chunks that have data.
    pub fn chunk_count(&self) -> usize {
        self.data_len.div_ceil(self.chunk_len.into()) as usize
    }

    /// Number of the chunk that has a place of the uncompressed data.
    pub fn chunk_at(&self, position: u64) -> usize {
        (position / u64::from(self.chunk_len)) as usize
    }

    /// A chunk of a Data.db of `file_len` bytes.
    ///
    /// # Errors
    /// Offsets that aren't increasing or lead past the end of the file; a number of no chunk.
    pub fn chunk(&self, index: usize, file_len: u64) -> Result<Chunk, DecodeError> {
        self.chunk_between(index, [index, index + 1].map(|it| self.offset(it)), file_len)
    }

    /// As [`CompressionInfo::chunk`], of offsets that were read elsewhere: that of the chunk, and
    /// of the next one, if there is one.
    pub fn chunk_between(
        &self,
        index: usize,
        [start, next]: [Option<u64>; 2],
        file_len: u64,
    ) -> Result<Chunk, DecodeError> {
        let (what, at) = ("offset of a chunk", self.offsets_at + index as u64 * 8);
        let Some(start) = start.filter(|_| index < self.chunk_count()) else {
            let (want, got) = (self.chunk_count() as u64, index as u64);
            return Err(DecodeError::Corrupt { what: "number of a chunk", at, want, got });
        };
        let end = next.unwrap_or(file_len);
        let stored_end = end.checked_sub(CHUNK_SUM_LEN).filter(|stored_end| start <= *stored_end);
        let Some(stored_end) = stored_end.filter(|_| end <= file_len) else {
            let want = end.min(file_len).saturating_sub(CHUNK_SUM_LEN);
            return Err(DecodeError::Corrupt { what, at, want, got: start });
        };
        let before = index as u64 * u64::from(self.chunk_len);
        let len = u64::from(self.chunk_len).min(self.data_len - before) as u32;
        let is_plain = self.compressor == Compressor::Noop
            || self.compressed_len_max.is_some_and(|max| stored_end - start >= u64::from(max));
        Ok(Chunk { stored: start..stored_end, len, is_plain })
    }

    /// Whether the chunks can be those of a Data.db of `file_len` bytes: the first one begins it,
    /// the last one lies in it, and an empty one after it is one.
    pub fn check_ends(&self, file_len: u64) -> Result<(), DecodeError> {
        self.check_ends_by(file_len, |index| self.offset(index))
    }

    /// As [`CompressionInfo::check_ends`], of offsets that are read elsewhere.
    pub fn check_ends_by(
        &self,
        file_len: u64,
        offset: impl Fn(usize) -> Option<u64>,
    ) -> Result<(), DecodeError> {
        let Some(last) = self.chunk_count().checked_sub(1) else { return Ok(()) };
        if let Some(got) = offset(0).filter(|offset| *offset != 0) {
            let (what, at) = ("offset of the first chunk", self.offsets_at);
            return Err(DecodeError::Corrupt { what, at, want: 0, got });
        }
        let next = offset(last + 1);
        self.chunk_between(last, [offset(last), next], file_len)?;
        let (what, at) =
            ("length of the empty chunk at the end", self.offsets_at + 8 * last as u64 + 8);
        let empty_len = next.map_or(0, |offset| file_len.saturating_sub(offset));
        if empty_len <= EMPTY_CHUNK_LEN_MAX {
            Ok(())
        } else {
            let (want, got) = (EMPTY_CHUNK_LEN_MAX, empty_len);
            Err(DecodeError::Corrupt { what, at, want, got })
        }
    }

    /// Offset of a chunk in Data.db, as it is stored.
    pub fn offset(&self, index: usize) -> Option<u64> {
        self.offsets.get(index).map(|offset| u64::from_be_bytes(*offset))
    }
}

fn text<'a>(reader: &mut Reader<'a>, what: &'static str) -> Result<&'a str, SstableError> {
    let at = reader.at();
    let bytes = reader.short_bytes(what)?;
    let text = std::str::from_utf8(bytes).ok();
    text.ok_or_else(|| SstableError::Text { what, at, want: "UTF-8", got: shortened(bytes) })
}

fn chunk_len(reader: &mut Reader<'_>) -> Result<u32, DecodeError> {
    let (what, at) = ("chunk length", reader.at());
    let len = reader.u32_be(what)?;
    if len.is_power_of_two() && len <= 1 << 30 {
        return Ok(len);
    }
    Err(DecodeError::Corrupt { what, at, want: 1 << 16, got: len.into() })
}

/// As many as the length takes, and perhaps one more: SSTables that a tool of Cassandra 3.11 has
/// rewritten end with an empty chunk, whose offset is where the last of the data ends.
fn offset_count(
    reader: &mut Reader<'_>,
    data_len: u64,
    chunk_len: u32,
) -> Result<u64, DecodeError> {
    let (what, at) = ("number of chunks", reader.at());
    let (got, want) = (u64::from(reader.u32_be(what)?), data_len.div_ceil(chunk_len.into()));
    if got == want || Some(got) == want.checked_add(1) {
        Ok(got)
    } else {
        Err(DecodeError::Corrupt { what, at, want, got })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 10 bytes in chunks of 4.
    fn file(version: Version, offsets: [u64; 3]) -> Vec<u8> {
        let mut bytes = b"\0\x0dLZ4Compressor\0\0\0\x01\0\x01k\0\x01v\0\0\0\x04".to_vec();
        if version.has_compressed_len_max() {
            bytes.extend_from_slice(&3_u32.to_be_bytes());
        }
        bytes.extend_from_slice(&10_u64.to_be_bytes());
        bytes.extend_from_slice(&3_u32.to_be_bytes());
        offsets.iter().for_each(|offset| bytes.extend_from_slice(&offset.to_be_bytes()));
        bytes
    }

    #[test]
    fn chunks_are_where_the_offsets_say() {
        for version in [Version::Me, Version::Nb] {
            let bytes = file(version, [0, 6, 13]);
            let info = CompressionInfo::open(&bytes, version).expect("a file");
            let has_max = version.has_compressed_len_max();
            assert_eq!((info.compressor.clone(), info.chunk_count()), (Compressor::Lz4, 3));
            assert_eq!((info.options.clone(), info.class), (vec![("k", "v")], "LZ4Compressor"));
            assert_eq!((info.data_len, info.chunk_at(3), info.chunk_at(4)), (10, 0, 1));
            let chunk = |stored, len, is_plain| Ok(Chunk { stored, len, is_plain });
            assert_eq!(info.chunk(0, 20), chunk(0..2, 4, false));
            assert_eq!(info.chunk(1, 20), chunk(6..9, 4, has_max));
            assert_eq!(info.chunk(2, 20), chunk(13..16, 2, has_max));
            assert!(info.chunk(3, 20).is_err());
            let head_len = info.offsets_at() as usize - 4;
            for cut in 0..bytes.len() {
                assert!(CompressionInfo::open(&bytes[..cut], version).is_err(), "{cut}");
                let there = CompressionInfo::open_cut(&bytes[..cut], version);
                assert_eq!(there.is_ok(), cut >= head_len, "{cut}");
                let count = cut.saturating_sub(head_len + 4) / 8;
                assert!(there.is_ok_and(|there| there.offset_count() == count) || cut < head_len);
            }
        }
    }

    #[test]
    fn offsets_may_be_read_elsewhere() {
        let bytes = file(Version::Me, [0, 6, 13]);
        let len = bytes.len();
        for head_len in [41, 50] {
            let at = CompressionInfo::offsets_in(&bytes[..head_len], len as u64, Version::Me);
            assert_eq!(at, Ok(41..65));
        }
        for (head_len, file_len) in [(40, 65), (41, 64)] {
            let at = CompressionInfo::offsets_in(&bytes[..head_len], file_len, Version::Me);
            assert!(at.is_err(), "{head_len} {file_len}");
        }
        let info = CompressionInfo::open_parts(&bytes[..41], &[], &(41..65), Version::Me);
        let (info, whole) = (info.expect("a file"), CompressionInfo::open(&bytes, Version::Me));
        let (whole, offsets) = (whole.expect("a file"), [0, 6, 13]);
        let offset = |index: usize| offsets.get(index).copied();
        for index in 0..4 {
            let between = [offset(index), offset(index + 1)];
            assert_eq!(info.chunk_between(index, between, 20), whole.chunk(index, 20));
        }
        for file_len in [20, 16] {
            let ends = info.check_ends_by(file_len, offset);
            assert_eq!(ends, whole.check_ends(file_len));
        }
    }

    #[test]
    fn an_empty_chunk_at_the_end_ends_the_one_before() {
        let mut bytes = file(Version::Me, [0, 6, 13]);
        bytes[36] = 8;
        let info = CompressionInfo::open(&bytes, Version::Me).expect("a file");
        assert_eq!((info.data_len, info.chunk_count(), info.offset_count()), (8, 2, 3));
        let last = Chunk { stored: 6..9, len: 4, is_plain: false };
        assert_eq!(info.chunk(1, 22), Ok(last));
        assert!(info.chunk(2, 22).is_err());
        assert_eq!(info.check_ends(22), Ok(()));
        // A whole chunk is no empty one.
        assert!(info.check_ends(13 + 65).is_err());
    }

    #[test]
    fn chunks_fill_the_file_from_its_start() {
        for (offsets, file_len, want) in [
            ([0, 6, 13], 20, true),
            ([0, 6, 13], 17, true),
            ([0, 6, 13], 16, false),
            ([0, 6, 13], 12, false),
            ([1, 6, 13], 20, false),
        ] {
            let bytes = file(Version::Me, offsets);
            let info = CompressionInfo::open(&bytes, Version::Me).expect("a file");
            assert_eq!(info.check_ends(file_len).is_ok(), want, "{offsets:?} {file_len}");
        }
    }

    #[test]
    fn offsets_that_lead_elsewhere_are_refused() {
        let check = |offsets, index, file_len, want, got| {
            let bytes = file(Version::Me, offsets);
            let info = CompressionInfo::open(&bytes, Version::Me).expect("a file");
            let (what, at) = ("offset of a chunk", 41 + index as u64 * 8);
            let error = DecodeError::Corrupt { what, at, want, got };
            assert_eq!(info.chunk(index, file_len), Err(error));
        };
        check([0, 3, 13], 0, 20, 0, 0);
        check([9, 6, 13], 0, 20, 2, 9);
        check([0, 6, 13], 2, 16, 12, 13);
        check([0, 6, 13], 1, 12, 8, 6);
        check([0, 6, u64::MAX], 2, 20, 16, u64::MAX);
    }

    #[test]
    fn numbers_that_contradict_each_other_are_refused() {
        let mut bytes = file(Version::Me, [0, 6, 13]);
        bytes[40] = 5;
        let what = "number of chunks";
        let error = DecodeError::Corrupt { what, at: 37, want: 3, got: 5 };
        let open =
            |bytes: &[u8]| CompressionInfo::open(bytes, Version::Me).map(|info| info.data_len);
        assert_eq!(open(&bytes), Err(error.into()));
        bytes[40] = 3;
        bytes[28] = 5;
        let error = DecodeError::Corrupt { what: "chunk length", at: 25, want: 1 << 16, got: 5 };
        assert_eq!(open(&bytes), Err(error.into()));
        bytes[28] = 4;
        bytes[2] = 0xff;
        assert!(matches!(open(&bytes), Err(SstableError::Text { at: 0, .. })));
    }

    #[test]
    fn a_dictionary_has_a_checksum_of_its_own() {
        let mut bytes = file(Version::Pa, [0, 6, 13]);
        let plain_len = bytes.len();
        bytes.extend_from_slice(&[0]);
        bytes.extend_from_slice(&7_u64.to_be_bytes());
        bytes.extend_from_slice(b"\0\0\0\x02ab");
        let summed = [&[0][..], &7_u64.to_le_bytes(), b"ab"].concat();
        bytes.extend_from_slice(&crc32c::crc32c(&summed).to_be_bytes());
        let open = |bytes: &[u8]| {
            let info = CompressionInfo::open(bytes, Version::Pa)?;
            Ok::<_, SstableError>(info.dictionary.map(|found| (found.id, found.bytes.to_vec())))
        };
        assert_eq!(open(&bytes), Ok(Some((7, b"ab".to_vec()))));
        for cut in plain_len + 1..bytes.len() {
            assert!(open(&bytes[..cut]).is_err(), "{cut}");
        }
        assert_eq!(open(&bytes[..plain_len]), Ok(None));
        assert!(open(&[&bytes[..], &[0]].concat()).is_err());
        bytes[plain_len + 14] ^= 1;
        assert!(matches!(open(&bytes), Err(SstableError::Decode(DecodeError::Checksum { .. }))));
    }
}
