//! Checksums of Data.db: of all of it, of its 64 KiB or of its compressed chunks.
//!
//! Bytes:   docs/formats/sstable.md, "Checksums", "CompressionInfo.db"

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::Meter;
use manicule_format_sstable::{
    CHUNK_SUM_LEN, Chunk, ChunkSums, Component, CompressionInfo, SstableError, read_digest,
};
use manicule_store::pages::{Keep, Reading};

use super::checked::{Checked, each_piece};
use super::notes::Spot;
use crate::RowsError;
use crate::table::OpenFile;

/// Bytes that are summed at a time where no chunks say how many.
const STEP_LEN: u64 = 1 << 20;

/// Section of findings about the bytes of chunks.
const CHUNKS: &str = "chunks";

/// Whether checksums found damage in Data.db.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damaged {
    /// They did: what is wrong with the rows was found already, perhaps.
    Yes,
    /// They did not, or there are none.
    No,
}

impl Checked<'_> {
    /// Compares them all.
    pub(super) fn checksums(
        &mut self,
        reading: &mut Reading<'_>,
        meter: &Meter<'_>,
    ) -> Result<Damaged, RowsError> {
        let data = self.open(&Component::Data)?;
        let before = self.notes.verdict.findings.count;
        let info = self.whole(&Component::CompressionInfo, reading)?;
        let by_chunks = match &info {
            Some(info) => self.chunks(info, &data, reading, meter)?,
            None => None,
        };
        let computed = match by_chunks {
            Some(computed) => computed,
            None => {
                let sums = match info {
                    Some(_) => None,
                    None => self.whole(&Component::Crc, reading)?,
                };
                self.sums(sums.as_deref(), &data, reading, meter)?
            }
        };
        self.digest(computed, reading)?;
        let is_new = self.notes.verdict.findings.count > before;
        Ok(if is_new { Damaged::Yes } else { Damaged::No })
    }

    /// Sums of CRC.db, and that of the whole file.
    fn sums(
        &mut self,
        sums: Option<&[u8]>,
        data: &OpenFile,
        reading: &mut Reading<'_>,
        meter: &Meter<'_>,
    ) -> Result<u32, RowsError> {
        let read = sums.map(ChunkSums::open).transpose();
        let sums = read.unwrap_or_else(|error| {
            self.notes.error(&Component::Crc, CHUNKS, &error, "");
            None
        });
        let step = sums.map_or(STEP_LEN, |sums| sums.chunk_len().into());
        if !step.is_power_of_two() {
            // Cassandra's is 65,536, and ScyllaDB has written 4,096.
            let what = format!("chunk length: writers use powers of two, got {step}");
            self.notes.odd(Spot::at(&Component::Crc, CHUNKS, 0), what);
        }
        let mut whole = crc32fast::Hasher::new();
        each_piece(data, step, reading, |index, chunk| {
            whole.update(chunk);
            if let Some(sums) = sums.filter(|sums| index < sums.count()) {
                self.counts.checksums += 1;
                if let Err(error) = sums.check(index, chunk) {
                    self.notes.error(&Component::Data, CHUNKS, &error, " by CRC.db");
                }
            }
            meter.step(chunk.len() as u64).map_err(RowsError::from)
        })?;
        if let Some(Err(error)) = sums.map(|sums| sums.fit(data.len())) {
            self.notes.error(&Component::Crc, CHUNKS, &error, "");
        }
        Ok(whole.finalize())
    }

    fn digest(&mut self, computed: u32, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Some(file) = self.open_if_there(&Component::Digest)? else { return Ok(()) };
        let bytes = file.whole(self.options.component_bytes_max, reading)?;
        self.counts.checksums += 1;
        match read_digest(&bytes) {
            Err(error) => self.notes.text_error(&Component::Digest, "digest", &error),
            Ok(stored) if stored == computed => {}
            Ok(stored) => {
                let spot = Spot::whole(&Component::Digest, "digest");
                self.notes.differs(spot, "checksum of Data.db", stored, computed);
            }
        }
        Ok(())
    }

    /// The sum that follows each compressed chunk. Returns that of the whole file where the chunks
    /// fill it, one after the other.
    fn chunks(
        &mut self,
        info: &[u8],
        data: &OpenFile,
        reading: &mut Reading<'_>,
        meter: &Meter<'_>,
    ) -> Result<Option<u32>, RowsError> {
        let info = match CompressionInfo::open(info, self.listed.descriptor.version) {
            Ok(info) => info,
            Err(error) => {
                self.notes.text_error(&Component::CompressionInfo, CHUNKS, &error);
                return Ok(None);
            }
        };
        if info.chunk_count() == 0 && data.len() > 0 {
            let spot = Spot::whole(&Component::Data, CHUNKS);
            self.notes.differs(spot, "length of no chunks", 0, data.len());
        }
        let mut filled = Filled { sum: crc32fast::Hasher::new(), to: Some(0) };
        for index in 0..info.chunk_count() {
            let chunk = match info.chunk(index, data.len()) {
                Ok(chunk) => chunk,
                Err(error) => {
                    self.notes.error(&Component::CompressionInfo, CHUNKS, &error, "");
                    filled.to = None;
                    continue;
                }
            };
            if index == 0 && chunk.stored.start != 0 {
                let spot = Spot::whole(&Component::CompressionInfo, CHUNKS);
                let got = chunk.stored.start;
                self.notes.differs(spot, "offset of the first chunk", 0, got);
            }
            self.chunk(index, &chunk, data, &mut filled, reading)?;
            meter.step(chunk.stored.end + CHUNK_SUM_LEN - chunk.stored.start)?;
        }
        // An empty chunk may follow.
        if let Some(to) = filled.to.filter(|to| data.len() - to < STEP_LEN) {
            filled.sum.update(&data.get(to..data.len(), Keep::Passing, reading)?);
            return Ok(Some(filled.sum.finalize()));
        }
        Ok(None)
    }

    fn chunk(
        &mut self,
        index: usize,
        chunk: &Chunk,
        data: &OpenFile,
        filled: &mut Filled,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let (start, end) = (chunk.stored.start, chunk.stored.end + CHUNK_SUM_LEN);
        let stored = data.get(start..end, Keep::Passing, reading)?;
        let (bytes, sum) = stored.split_last_chunk::<4>().expect("it was checked with the chunk");
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(bytes);
        filled.add(start..end, &hasher, sum);
        self.counts.checksums += 1;
        let (stored, computed) = (u32::from_be_bytes(*sum), hasher.finalize());
        if stored != computed {
            let spot = Spot::at(&Component::Data, CHUNKS, start);
            let what = format!("checksum of chunk {index}, its own");
            let (want, got) =
                (format!("{stored:08x} (stored)"), format!("{computed:08x} (computed)"));
            self.notes.differs(spot, what, want, got);
        }
        Ok(())
    }
}

/// The checksum of a file that chunks fill.
struct Filled {
    sum: crc32fast::Hasher,
    /// Up to where they do; `None` where they don't.
    to: Option<u64>,
}

impl Filled {
    /// Adds a chunk, of whose bytes the checksum is known, and its own checksum after them.
    fn add(&mut self, range: Range<u64>, bytes: &crc32fast::Hasher, sum: &[u8]) {
        self.to = self.to.filter(|to| *to == range.start).map(|_| range.end);
        self.sum.combine(bytes);
        self.sum.update(sum);
    }
}

/// Whether an error of the rows is one of a checksum: those are compared, and noted, before.
pub(super) fn is_of_checksum(error: &RowsError) -> bool {
    let RowsError::Damaged { source: SstableError::Decode(source), .. } = error else {
        return false;
    };
    matches!(source, DecodeError::Checksum { .. })
}
