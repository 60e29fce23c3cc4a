//! CRC.db: checksums of a Data.db that isn't compressed.
//!
//! Bytes:   | i32 chunk length | u32 CRC-32 of each chunk |, docs/formats/sstable.md, Checksums

use manicule_core::bytes::{DecodeError, Reader};

/// Largest chunk that is believed. Writers use 65,536 bytes.
const CHUNK_LEN_MAX: u32 = 1 << 30;

/// A CRC.db that lies in memory.
#[derive(Clone, Copy, Debug)]
pub struct ChunkSums<'a> {
    chunk_len: u32,
    sums: &'a [u8],
}

impl<'a> ChunkSums<'a> {
    /// Reads a file.
    pub fn open(bytes: &'a [u8]) -> Result<ChunkSums<'a>, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let what = "chunk length";
        let chunk_len = reader.u32_be(what)?;
        if !(1..=CHUNK_LEN_MAX).contains(&chunk_len) {
            let (want, got) = (1 << 16, chunk_len.into());
            return Err(DecodeError::Corrupt { what, at: 0, want, got });
        }
        let sums = reader.rest();
        let extra = sums.len() % 4;
        if extra > 0 {
            let (what, at) = ("checksum of a chunk", (bytes.len() - extra) as u64);
            return Err(DecodeError::Short { what, at, need: 4, have: extra as u64 });
        }
        Ok(ChunkSums { chunk_len, sums })
    }

    /// Length in bytes of each chunk but the last.
    pub fn chunk_len(&self) -> u32 {
        self.chunk_len
    }

    /// Number of chunks.
    pub fn count(&self) -> usize {
        self.sums.len() / 4
    }

    /// Compares the number of checksums with that of a Data.db of `data_len` bytes. Nodes of 3.11
    /// have written one more, the 0 of an empty last chunk, where the last one was full or flushed.
    pub fn fit(&self, data_len: u64) -> Result<(), DecodeError> {
        let want = data_len.div_ceil(self.chunk_len.into());
        let got = self.count() as u64;
        let is_empty_last = got == want + 1 && self.sums.ends_with(&[0; 4]);
        if got == want || is_empty_last {
            Ok(())
        } else {
            Err(DecodeError::Corrupt { what: "number of checksums", at: 4, want, got })
        }
    }

    /// Compares the checksum of a chunk with that of its bytes in Data.db.
    pub fn check(&self, index: usize, chunk: &[u8]) -> Result<(), DecodeError> {
        let (what, at) = ("chunk of Data.db", index as u64 * u64::from(self.chunk_len));
        let Some(stored) = self.sums.as_chunks::<4>().0.get(index) else {
            let (need, have) = (index as u64 * 4 + 4, self.sums.len() as u64);
            return Err(DecodeError::Short { what: "checksum of a chunk", at: 4, need, have });
        };
        let (stored, computed) = (u32::from_be_bytes(*stored), crc32fast::hash(chunk));
        if stored == computed {
            return Ok(());
        }
        Err(DecodeError::Checksum { what, at, stored, computed })
    }
}

/// Length in bytes of a chunk, as the writers have it.
const CHUNK_LEN: u32 = 1 << 16;

/// A CRC.db that is being made, of the bytes of Data.db as they come.
///
/// Memory: four bytes for 64 KiB.
#[derive(Clone, Debug, Default)]
pub struct SumsOfChunks {
    sums: Vec<u8>,
    sum: crc32fast::Hasher,
    /// Number of bytes in the present chunk.
    len: usize,
}

impl SumsOfChunks {
    /// Of no bytes yet.
    pub fn new() -> SumsOfChunks {
        SumsOfChunks::default()
    }

    /// Adds bytes.
    pub fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK_LEN as usize - self.len));
            self.sum.update(now);
            self.len += now.len();
            bytes = later;
            if self.len == CHUNK_LEN as usize {
                self.end_chunk();
            }
        }
    }

    /// Appends the file.
    pub fn put(mut self, out: &mut Vec<u8>) {
        if self.len > 0 {
            self.end_chunk();
        }
        out.extend_from_slice(&CHUNK_LEN.to_be_bytes());
        out.extend_from_slice(&self.sums);
    }

    fn end_chunk(&mut self) {
        let sum = std::mem::take(&mut self.sum).finalize();
        self.sums.extend_from_slice(&sum.to_be_bytes());
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_their_sums_however_the_bytes_come() {
        let data: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
        for (len, piece_len) in [(0, 1), (65_536, 1_000), (65_537, 65_537), (200_000, 70_001)] {
            let mut sums = SumsOfChunks::new();
            data[..len].chunks(piece_len).for_each(|piece| sums.add(piece));
            let mut bytes = Vec::new();
            sums.put(&mut bytes);
            let sums = ChunkSums::open(&bytes).expect("checksums");
            assert_eq!((sums.chunk_len(), sums.count()), (65_536, len.div_ceil(65_536)));
            for (index, chunk) in data[..len].chunks(65_536).enumerate() {
                assert_eq!(sums.check(index, chunk), Ok(()));
            }
        }
    }

    #[test]
    fn as_many_sums_as_chunks_fit_and_the_zero_of_an_empty_last_one() {
        for (sums, data_len, want) in [
            (&[7, 8][..], 8, true),
            (&[7, 8], 5, true),
            (&[7, 8, 0], 8, true),
            (&[7, 8, 0], 5, true),
            (&[0], 0, true),
            (&[], 0, true),
            (&[7, 8, 9], 8, false),
            (&[7, 8], 4, false),
            (&[7, 8], 9, false),
            (&[7, 8, 0, 0], 8, false),
        ] {
            let mut bytes = 4_u32.to_be_bytes().to_vec();
            sums.iter().for_each(|sum: &u32| bytes.extend_from_slice(&sum.to_be_bytes()));
            let sums = ChunkSums::open(&bytes).expect("checksums");
            assert_eq!(sums.fit(data_len).is_ok(), want, "{sums:?} of {data_len}");
        }
    }

    #[test]
    fn a_chunk_that_was_changed_is_named() {
        let sum = crc32fast::hash(b"abc").to_be_bytes();
        let bytes = [&[0, 0, 0, 4], &sum[..], &sum[..]].concat();
        let sums = ChunkSums::open(&bytes).expect("checksums");
        assert_eq!((sums.chunk_len(), sums.count()), (4, 2));
        assert_eq!(sums.check(1, b"abc"), Ok(()));
        let error = sums.check(1, b"abd").expect_err("changed");
        assert!(matches!(error, DecodeError::Checksum { at: 4, .. }), "{error}");
        assert!(matches!(sums.check(2, b"abc"), Err(DecodeError::Short { need: 12, have: 8, .. })));
        assert!(ChunkSums::open(&bytes[..11]).is_err());
        assert!(ChunkSums::open(&[0; 8]).is_err());
    }
}
