//! Data.db with its checksums: as it comes, or compressed by chunks.
//!
//! Bytes:   docs/formats/sstable.md, "CompressionInfo.db", "Checksums"

use std::io;

use manicule_core::compress::{BlockCompressor, Codec};
use manicule_format_sstable::{
    Component, CompressionHead, SumsOfChunks, Version, put_compression_head, put_digest,
};

use super::draft::{Aside, TableDraft};
use super::out::{Out, Waiting};

/// How the data of an SSTable is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compress {
    /// The codec.
    pub codec: Codec,
    /// Length of a chunk in bytes, a power of two.
    pub chunk_len: u32,
    /// Level of Zstandard.
    pub level: i32,
}

impl Compress {
    /// Length in bytes of a chunk of which nothing is said, as Cassandra has it since 4.0.
    pub const CHUNK_LEN: u32 = 16 << 10;
    /// Level of Zstandard of which nothing is said, as Cassandra has it.
    pub const LEVEL: i32 = 3;

    /// Whether chunks can be so many bytes long: a power of two from 1 KiB to 16 MiB.
    pub fn is_chunk_len(len: u64) -> bool {
        len.is_power_of_two() && (1 << 10..=16 << 20).contains(&len)
    }

    /// The class that readers find the codec by.
    fn class(&self) -> &'static str {
        match self.codec {
            Codec::Lz4 => "LZ4Compressor",
            Codec::Snappy => "SnappyCompressor",
            Codec::Deflate => "DeflateCompressor",
            Codec::Zstd => "ZstdCompressor",
        }
    }
}

/// Number of bytes of chunks' offsets that are held.
const OFFSETS_LEN: usize = 1 << 20;

/// Data.db that is being written.
pub(super) struct DataOut {
    out: Out,
    digest: crc32fast::Hasher,
    /// Number of bytes before compression.
    len: u64,
    form: Form,
}

enum Form {
    Plain(SumsOfChunks),
    Compressed(Box<Chunks>),
}

/// Chunks that are being compressed.
struct Chunks {
    compress: Compress,
    compressor: BlockCompressor,
    /// The bytes of the present one.
    chunk: Vec<u8>,
    stored: Vec<u8>,
    /// Number of bytes of all compressed chunks without their checksums.
    stored_len: u64,
    offsets: Waiting,
}

/// What is known of Data.db when it is written.
pub(super) struct DataWritten {
    /// Number of bytes before compression.
    pub(super) len: u64,
    /// Compressed by uncompressed length; -1 if it isn't compressed.
    pub(super) ratio: f64,
}

impl DataOut {
    pub(super) fn create(draft: &TableDraft, compress: Option<Compress>) -> io::Result<Self> {
        let out = Out::create(draft.aside(), &draft.name(&Component::Data))?;
        let form = match compress {
            None => Form::Plain(SumsOfChunks::new()),
            Some(compress) => Form::Compressed(Box::new(Chunks {
                compress,
                compressor: BlockCompressor::new(compress.codec, compress.level),
                chunk: Vec::new(),
                stored: Vec::new(),
                stored_len: 0,
                offsets: Waiting::new("offsets", OFFSETS_LEN),
            })),
        };
        Ok(DataOut { out, digest: crc32fast::Hasher::new(), len: 0, form })
    }

    /// Number of uncompressed bytes that were put.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Number of bytes that are stored: of compressed data, of the chunks that are whole.
    pub(super) fn stored_len(&self) -> u64 {
        match &self.form {
            Form::Plain(_) => self.len,
            Form::Compressed(chunks) => chunks.stored_len,
        }
    }

    pub(super) fn put(&mut self, mut bytes: &[u8], aside: &Aside) -> io::Result<()> {
        self.len += bytes.len() as u64;
        let DataOut { out, digest, form, .. } = self;
        match form {
            Form::Plain(sums) => {
                sums.add(bytes);
                digest.update(bytes);
                out.put(bytes)
            }
            Form::Compressed(chunks) => {
                let chunk_len = chunks.compress.chunk_len as usize;
                while !bytes.is_empty() {
                    let room = chunk_len - chunks.chunk.len();
                    let (now, later) = bytes.split_at(bytes.len().min(room));
                    chunks.chunk.extend_from_slice(now);
                    bytes = later;
                    if chunks.chunk.len() == chunk_len {
                        chunks.put(out, digest, aside)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Writes what is left, and the components that go with it.
    pub(super) fn finish(self, draft: &mut TableDraft) -> io::Result<DataWritten> {
        let DataOut { mut out, mut digest, len, form } = self;
        let ratio = match form {
            Form::Plain(sums) => {
                let mut bytes = Vec::new();
                sums.put(&mut bytes);
                draft.write(Component::Crc, &bytes)?;
                -1.0
            }
            Form::Compressed(mut chunks) => {
                if !chunks.chunk.is_empty() {
                    chunks.put(&mut out, &mut digest, draft.aside())?;
                }
                chunks.put_info(len, draft)?;
                if len == 0 { 0.0 } else { chunks.stored_len as f64 / len as f64 }
            }
        };
        out.flush()?;
        draft.add(Component::Data);
        write_digest(digest.finalize(), draft)?;
        Ok(DataWritten { len, ratio })
    }
}

/// Writes Digest.crc32.
pub(super) fn write_digest(sum: u32, draft: &mut TableDraft) -> io::Result<()> {
    let mut bytes = Vec::new();
    put_digest(sum, &mut bytes);
    draft.write(Component::Digest, &bytes)
}

impl Chunks {
    /// The present chunk, compressed.
    fn put(
        &mut self,
        out: &mut Out,
        digest: &mut crc32fast::Hasher,
        aside: &Aside,
    ) -> io::Result<()> {
        let Chunks { compress, compressor, chunk, stored, .. } = self;
        stored.clear();
        if compress.codec == Codec::Lz4 {
            stored.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
        }
        compressor.compress(chunk, stored);
        self.stored_len += stored.len() as u64;
        let sum = crc32fast::hash(stored);
        stored.extend_from_slice(&sum.to_be_bytes());
        digest.update(stored);
        let at = out.len();
        self.offsets.add(aside, |held| held.extend_from_slice(&at.to_be_bytes()))?;
        out.put(stored)?;
        chunk.clear();
        Ok(())
    }

    fn put_info(&mut self, data_len: u64, draft: &mut TableDraft) -> io::Result<()> {
        let mut out = Out::create(draft.aside(), &draft.name(&Component::CompressionInfo))?;
        let (version, compress): (Version, _) = (draft.version(), &self.compress);
        let head = CompressionHead {
            class: compress.class(),
            options: &[],
            chunk_len: compress.chunk_len,
            compressed_len_max: None,
            data_len,
            chunk_count: u32::try_from(self.offsets.len() / 8).map_err(|_| too_many_chunks())?,
        };
        let mut bytes = Vec::new();
        put_compression_head(version, &head, &mut bytes);
        out.put(&bytes)?;
        self.offsets.take(|offsets| out.put(offsets))?;
        out.flush()?;
        draft.add(Component::CompressionInfo);
        Ok(())
    }
}

fn too_many_chunks() -> io::Error {
    io::Error::other("more chunks than CompressionInfo.db counts: longer ones are needed")
}
