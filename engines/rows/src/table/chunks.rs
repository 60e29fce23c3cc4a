//! Chunks of a compressed Data.db: read, compared with their checksum, decompressed, kept in the
//! cache of the process.
//!
//! Bytes:   docs/formats/sstable.md, "CompressionInfo.db"

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use manicule_core::bytes::DecodeError;
use manicule_core::compress::{BlockDecompressor, Codec, DecompressError};
use manicule_format_sstable::{CHUNK_SUM_LEN, Chunk, CompressionInfo, Compressor};
use manicule_store::pages::{Bytes, Keep, Reading};

use super::file::OpenFile;
use super::places::Places;
use crate::RowsError;

/// Bytes of LZ4's length in front of a chunk.
const LZ4_LEN: usize = 4;

/// How the chunks of a Data.db are decompressed.
#[derive(Debug)]
pub(crate) struct Chunks {
    places: Places,
    /// `None`: they are stored as they are.
    pub(super) codec: Option<Codec>,
    pub(crate) chunk_len: u64,
    pub(crate) data_len: u64,
    /// Decompressors that nobody uses at the moment.
    idle: Mutex<Idle>,
}

/// Chunks as they are stored, read at once.
#[derive(Debug, Default)]
pub(super) struct Run<'d> {
    start: u64,
    bytes: Option<Bytes<'d>>,
}

impl Run<'_> {
    fn get(&self, range: Range<u64>) -> Option<&[u8]> {
        let [from, to] = [range.start, range.end].map(|at| at.checked_sub(self.start));
        self.bytes.as_ref()?.get(from? as usize..to? as usize)
    }
}

#[derive(Default)]
struct Idle(Vec<BlockDecompressor>);

impl std::fmt::Debug for Idle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} decompressors", self.0.len())
    }
}

impl Chunks {
    /// Reads what CompressionInfo.db says of all chunks.
    pub(crate) fn open(places: Places, chunk_bytes_max: u32) -> Result<Self, RowsError> {
        let read = places.info()?;
        let codec = codec_of(&read, places.path(), chunk_bytes_max)?;
        let (chunk_len, data_len) = (read.chunk_len.into(), read.data_len);
        Ok(Chunks { places, codec, chunk_len, data_len, idle: Mutex::default() })
    }

    /// CompressionInfo.db.
    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// Whether the first chunk begins the file and the last one lies in it. Of the data nothing is
    /// read.
    pub(super) fn check_ends(
        &self,
        data: &OpenFile,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        self.places.check_ends(data.len(), reading)
    }

    /// A chunk's bytes, decompressed.
    pub(crate) fn read(
        &self,
        index: usize,
        data: &OpenFile,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<u8>, RowsError> {
        let info = self.places.info()?;
        let chunk = self.places.chunk(&info, index, data.len(), reading)?;
        let (start, end) = (chunk.stored.start, chunk.stored.end);
        let stored = data.get(start..end + CHUNK_SUM_LEN, Keep::Passing, reading)?;
        self.proven(&chunk, &stored, &info, data)
    }

    /// The same, with those up to `last` in the same read, if the run doesn't have it yet: for data
    /// of which a round is dear.
    pub(super) fn read_in_run<'d>(
        &self,
        [index, last]: [usize; 2],
        data: &'d OpenFile,
        run: &mut Run<'d>,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<u8>, RowsError> {
        let info = self.places.info()?;
        let chunk = self.places.chunk(&info, index, data.len(), reading)?;
        let (start, end) = (chunk.stored.start, chunk.stored.end + CHUNK_SUM_LEN);
        if run.get(start..end).is_none() {
            let last = self.places.chunk(&info, last, data.len(), reading)?;
            let end = end.max(last.stored.end + CHUNK_SUM_LEN);
            *run = Run { start, bytes: Some(data.get(start..end, Keep::Passing, reading)?) };
        }
        let stored = run.get(start..end).expect("it was just read");
        self.proven(&chunk, stored, &info, data)
    }

    /// A chunk with its sum, which is compared, decompressed.
    fn proven(
        &self,
        chunk: &Chunk,
        stored: &[u8],
        info: &CompressionInfo<'_>,
        data: &OpenFile,
    ) -> Result<Vec<u8>, RowsError> {
        let start = chunk.stored.start;
        let (bytes, sum) = stored.split_last_chunk::<4>().expect("a sum of four bytes was read");
        let (stored, computed) = (u32::from_be_bytes(*sum), crc32fast::hash(bytes));
        if stored != computed {
            let what = "chunk of the data";
            return Err(data.damaged(DecodeError::Checksum { what, at: start, stored, computed }));
        }
        self.decompress(chunk, bytes, info, data)
    }

    pub(super) fn decompress(
        &self,
        chunk: &Chunk,
        bytes: &[u8],
        info: &CompressionInfo<'_>,
        data: &OpenFile,
    ) -> Result<Vec<u8>, RowsError> {
        let failed = |source| RowsError::Chunk {
            file: data.path().to_owned(),
            at: chunk.stored.start,
            source,
        };
        let Some(codec) = self.codec.filter(|_| !chunk.is_plain) else {
            if bytes.len() != chunk.len as usize {
                let (what, at) = ("length of a chunk that is not compressed", chunk.stored.start);
                let (want, got) = (chunk.len.into(), bytes.len() as u64);
                return Err(data.damaged(DecodeError::Corrupt { what, at, want, got }));
            }
            return Ok(bytes.to_vec());
        };
        let body = match codec {
            Codec::Lz4 => lz4_body(bytes, chunk).map_err(|error| data.damaged(error))?,
            _ => bytes,
        };
        let mut decompressor = self.idle_or_new(codec, info).map_err(failed)?;
        let mut out = vec![0; chunk.len as usize];
        decompressor.decompress(body, &mut out).map_err(failed)?;
        self.lock().0.push(decompressor);
        Ok(out)
    }

    fn idle_or_new(
        &self,
        codec: Codec,
        info: &CompressionInfo<'_>,
    ) -> Result<BlockDecompressor, DecompressError> {
        let idle = self.lock().0.pop();
        let dictionary = info.dictionary.filter(|_| codec == Codec::Zstd);
        idle.map_or_else(
            || BlockDecompressor::new(codec, dictionary.map(|dictionary| dictionary.bytes)),
            Ok,
        )
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How chunks are compressed, if they can be decompressed here.
fn codec_of(
    read: &CompressionInfo<'_>,
    file: &Path,
    chunk_bytes_max: u32,
) -> Result<Option<Codec>, RowsError> {
    let unsupported = |what| RowsError::Unsupported { file: file.to_owned(), what };
    if read.chunk_len > chunk_bytes_max {
        return Err(unsupported(format!(
            "chunks have {} bytes, more than the limit of {chunk_bytes_max}",
            read.chunk_len
        )));
    }
    Ok(match &read.compressor {
        Compressor::Lz4 => Some(Codec::Lz4),
        Compressor::Snappy => Some(Codec::Snappy),
        Compressor::Deflate => Some(Codec::Deflate),
        Compressor::Zstd => Some(Codec::Zstd),
        Compressor::Noop => None,
        Compressor::Other(class) => {
            return Err(unsupported(format!(
                "chunks are compressed by {class}, which is not supported"
            )));
        }
    })
}

/// What follows the length that stands before an LZ4 block.
fn lz4_body<'b>(bytes: &'b [u8], chunk: &Chunk) -> Result<&'b [u8], DecodeError> {
    let (what, at) = ("length in front of a chunk", chunk.stored.start);
    let Some((len, body)) = bytes.split_first_chunk::<LZ4_LEN>() else {
        let have = bytes.len() as u64;
        return Err(DecodeError::Short { what, at, need: LZ4_LEN as u64, have });
    };
    let (want, got) = (chunk.len, u32::from_le_bytes(*len));
    if want == got {
        Ok(body)
    } else {
        Err(DecodeError::Corrupt { what, at, want: want.into(), got: got.into() })
    }
}
