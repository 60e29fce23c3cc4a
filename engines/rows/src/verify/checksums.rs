//! Checksums of Data.db: of all of it, of its 64 KiB or of its compressed chunks.
//!
//! Bytes:   docs/formats/sstable.md, "Checksums", "CompressionInfo.db"
//! Callers: verify

use manicule_core::bytes::DecodeError;
use manicule_core::watch::Meter;
use manicule_format_sstable::{ChunkSums, Component, CompressionInfo, SstableError, read_digest};
use manicule_store::pages::Reading;

use super::checked::{Checked, bytes_of};
use super::notes::Spot;
use crate::RowsError;
use crate::table::OpenFile;

/// Bytes that are summed at a time where no chunks say how many.
const STEP_LEN: usize = 1 << 20;

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
        let info = self.open_if_there(&Component::CompressionInfo)?;
        if let Some(info) = &info {
            self.chunks(info, &data)?;
        }
        let sums = self.open_if_there(&Component::Crc)?.filter(|_| info.is_none());
        let computed = self.sums(sums.as_ref(), &data, meter)?;
        self.digest(computed, reading)?;
        let is_new = self.notes.verdict.findings.count > before;
        Ok(if is_new { Damaged::Yes } else { Damaged::No })
    }

    /// Sums of CRC.db, and that of the whole file.
    fn sums(
        &mut self,
        sums: Option<&OpenFile>,
        data: &OpenFile,
        meter: &Meter<'_>,
    ) -> Result<u32, RowsError> {
        let read = sums.map(|sums| ChunkSums::open(bytes_of(sums))).transpose();
        let sums = read.unwrap_or_else(|error| {
            self.notes.error(&Component::Crc, CHUNKS, &error, "");
            None
        });
        let step = sums.map_or(STEP_LEN, |sums| sums.chunk_len() as usize);
        if !step.is_power_of_two() {
            // Cassandra's is 65,536, and ScyllaDB has written 4,096.
            let what = format!("chunk length: writers use powers of two, got {step}");
            self.notes.odd(Spot::at(&Component::Crc, CHUNKS, 0), what);
        }
        let mut whole = crc32fast::Hasher::new();
        for (index, chunk) in bytes_of(data).chunks(step).enumerate() {
            whole.update(chunk);
            if let Some(sums) = sums.filter(|sums| index < sums.count()) {
                self.counts.checksums += 1;
                if let Err(error) = sums.check(index, chunk) {
                    self.notes.error(&Component::Data, CHUNKS, &error, " by CRC.db");
                }
            }
            meter.step(chunk.len() as u64)?;
        }
        if let Some(sums) = sums {
            let (want, got) = (data.len().div_ceil(sums.chunk_len().into()), sums.count() as u64);
            if want != got {
                let spot = Spot::at(&Component::Crc, CHUNKS, 4);
                self.notes.differs(spot, "number of checksums", want, got);
            }
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

    /// The sum that follows each compressed chunk.
    fn chunks(&mut self, info: &OpenFile, data: &OpenFile) -> Result<(), RowsError> {
        let version = self.listed.descriptor.version;
        let info = match CompressionInfo::open(bytes_of(info), version) {
            Ok(info) => info,
            Err(error) => {
                self.notes.text_error(&Component::CompressionInfo, CHUNKS, &error);
                return Ok(());
            }
        };
        let bytes = bytes_of(data);
        if info.chunk_count() == 0 && data.len() > 0 {
            let spot = Spot::whole(&Component::Data, CHUNKS);
            self.notes.differs(spot, "length of no chunks", 0, data.len());
        }
        for index in 0..info.chunk_count() {
            let chunk = match info.chunk(index, data.len()) {
                Ok(chunk) => chunk,
                Err(error) => {
                    self.notes.error(&Component::CompressionInfo, CHUNKS, &error, "");
                    continue;
                }
            };
            let (start, stored_end) = (chunk.stored.start as usize, chunk.stored.end as usize);
            if index == 0 && start != 0 {
                let spot = Spot::whole(&Component::CompressionInfo, CHUNKS);
                self.notes.differs(spot, "offset of the first chunk", 0, start);
            }
            self.counts.checksums += 1;
            let sum =
                bytes[stored_end..].first_chunk::<4>().expect("it was checked with the chunk");
            let (stored, computed) =
                (u32::from_be_bytes(*sum), crc32fast::hash(&bytes[start..stored_end]));
            if stored != computed {
                let (what, at) = ("chunk", chunk.stored.start);
                let error = DecodeError::Checksum { what, at, stored, computed };
                let of = format!(" {index} by its own checksum");
                self.notes.error(&Component::Data, CHUNKS, &error, of);
            }
        }
        Ok(())
    }
}

/// Whether an error of the rows is one of a checksum: those are compared, and noted, before.
pub(super) fn is_of_checksum(error: &RowsError) -> bool {
    let RowsError::Damaged { source: SstableError::Decode(source), .. } = error else {
        return false;
    };
    matches!(source, DecodeError::Checksum { .. })
}
