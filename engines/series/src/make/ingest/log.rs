//! Samples as they come, kept by block until all have come; in a file without a name when they are
//! too many.

use std::io;

use manicule_store::Spill;

/// | 4 series | 8 time | 8 value | little-endian
pub(super) const RECORD_LEN: usize = 20;

/// Maximum length of a page, in which whole records are kept and read.
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
    /// Contents of the spill file: offsets and lengths.
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
    pub(super) fn spill(&mut self, spill: &Spill) -> io::Result<()> {
        for page in self.pages.drain(..) {
            self.spilled.push((spill.append(&page)?, page.len() as u64));
        }
        Ok(())
    }

    /// Goes through the samples in the order in which they came.
    pub(super) fn each(
        &self,
        spill: Option<&Spill>,
        mut each: impl FnMut(Record),
    ) -> io::Result<()> {
        let mut page = Vec::new();
        if let Some(spill) = spill {
            for (at, len) in &self.spilled {
                page.resize(*len as usize, 0);
                spill.read_at(&mut page, *at)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_store::Disk;

    #[test]
    fn samples_come_back_in_order_from_file_and_memory() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::create(&Disk::shared(), &folder.path().join("samples")).unwrap();
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
                logs.iter_mut().for_each(|log| log.spill(&spill).unwrap());
            }
        }
        for (log, want) in logs.iter().zip(want) {
            let mut got = Vec::new();
            log.each(Some(&spill), |record| got.push(record)).unwrap();
            assert!(got == want);
            assert_eq!(log.count(), want.len() as u64);
        }
    }
}
