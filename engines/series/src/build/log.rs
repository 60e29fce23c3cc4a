//! Samples as they come, kept by block until all have come; in a file without a name when they are too many.
//!
//! Callers: build

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::Draft;

/// | 4 series | 8 time | 8 value | little-endian
pub(super) const RECORD_LEN: usize = 20;

/// Records are kept and read in pages of at most so many bytes, whole ones.
const PAGE_LEN: usize = RECORD_LEN << 15;

/// A sample of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Record {
    pub(super) series: u32,
    pub(super) time: i64,
    pub(super) value: f64,
}

impl Record {
    #[inline]
    fn encode(self) -> [u8; RECORD_LEN] {
        let mut bytes = [0; RECORD_LEN];
        bytes[..4].copy_from_slice(&self.series.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.time.to_le_bytes());
        bytes[12..].copy_from_slice(&self.value.to_bits().to_le_bytes());
        bytes
    }

    #[inline]
    fn decode(bytes: &[u8; RECORD_LEN]) -> Self {
        let [a, b, c, d, rest @ ..] = *bytes;
        let (time, value) = rest.split_at(8);
        let eight = |bytes: &[u8]| <[u8; 8]>::try_from(bytes).expect("half of sixteen");
        Record {
            series: u32::from_le_bytes([a, b, c, d]),
            time: i64::from_le_bytes(eight(time)),
            value: f64::from_bits(u64::from_le_bytes(eight(value))),
        }
    }
}

/// Samples of one block, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// What is in the spill file: offsets and lengths.
    spilled: Vec<(u64, u64)>,
    pages: Vec<Vec<u8>>,
    count: u64,
}

impl Log {
    /// Adds a sample. Returns how many bytes of memory that took.
    #[inline]
    pub(super) fn push(&mut self, record: Record) -> usize {
        self.count += 1;
        let bytes = record.encode();
        if let Some(page) = self.pages.last_mut()
            && page.len() < PAGE_LEN
        {
            let before = page.capacity();
            page.extend_from_slice(&bytes);
            return page.capacity() - before;
        }
        let mut page = Vec::with_capacity(RECORD_LEN * 16);
        page.extend_from_slice(&bytes);
        let taken = page.capacity();
        self.pages.push(page);
        taken
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Brings all samples in memory to the file.
    pub(super) fn spill(&mut self, spill: &mut Spill) -> io::Result<()> {
        for page in self.pages.drain(..) {
            self.spilled.push((spill.len, page.len() as u64));
            spill.file.write_all(&page)?;
            spill.len += page.len() as u64;
        }
        Ok(())
    }

    /// Goes through the samples in the order in which they came.
    pub(super) fn each(
        &self,
        spill: Option<&mut Spill>,
        mut each: impl FnMut(Record),
    ) -> io::Result<()> {
        let mut page = Vec::new();
        if let Some(spill) = spill {
            for (at, len) in &self.spilled {
                page.resize(*len as usize, 0);
                spill.file.seek(SeekFrom::Start(*at))?;
                spill.file.read_exact(&mut page)?;
                records(&page).for_each(&mut each);
            }
        }
        self.pages.iter().flat_map(|page| records(page)).for_each(each);
        Ok(())
    }
}

fn records(page: &[u8]) -> impl Iterator<Item = Record> {
    page.as_chunks::<RECORD_LEN>().0.iter().map(Record::decode)
}

/// A file without a name for samples that memory is too small for.
#[derive(Debug)]
pub(super) struct Spill {
    file: File,
    len: u64,
    /// Its folder is where the file had its name for a moment: what a killed run leaves is swept with it.
    _draft: Draft,
}

impl Spill {
    pub(super) fn create(draft: Draft) -> io::Result<Self> {
        let path = draft.path().join("samples");
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(Spill { file, len: 0, _draft: draft })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_back_in_order_from_file_and_memory() {
        let folder = tempfile::tempdir().unwrap();
        let target = crate::Target::open(folder.path()).unwrap();
        let draft = target.draft(manicule_format_prometheus::Ulid::new(1, [0; 10])).unwrap();
        let mut spill = Spill::create(draft).unwrap();
        let mut logs = [Log::default(), Log::default()];
        let record = |number: u32| Record {
            series: number,
            time: -i64::from(number),
            value: f64::from(number) / 7.0,
        };
        let mut want = [Vec::new(), Vec::new()];
        for number in 0..100_000 {
            let which = (number % 3 / 2) as usize;
            logs[which].push(record(number));
            want[which].push(record(number));
            if number % 40_000 == 39_999 {
                logs.iter_mut().for_each(|log| log.spill(&mut spill).unwrap());
            }
        }
        for (log, want) in logs.iter().zip(want) {
            let mut got = Vec::new();
            log.each(Some(&mut spill), |record| got.push(record)).unwrap();
            assert!(got == want);
            assert_eq!(log.count(), want.len() as u64);
        }
        drop(spill);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
