//! A pack read once from its start to its end, summed as it comes, of which a window is in memory.

use manicule_core::watch::{Meter, Stopped};
use manicule_format_restic::{Id, IdHasher};
use manicule_store::store::StoreError;

use crate::storage::{FileName, Storage};

/// Number of bytes that are read at once at least, but for the last: few requests, and little that
/// a thread holds.
const READ_LEN: u64 = 4 << 20;

/// Why a pack is not read to its end.
#[derive(Debug)]
pub(super) enum Ended {
    /// The watch of the call stopped it.
    Stopped(Stopped),
    /// The storage failed.
    Storage(StoreError),
}

impl From<Stopped> for Ended {
    fn from(stopped: Stopped) -> Self {
        Ended::Stopped(stopped)
    }
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Ended::Storage(error)
    }
}

/// The part of a pack that is in memory.
pub(super) struct Window<'w> {
    storage: &'w dyn Storage,
    file: FileName,
    /// Where reading ends.
    len: u64,
    /// Bytes of the pack from `held` on.
    bytes: &'w mut Vec<u8>,
    held: u64,
    /// What lies before can't be asked for any more.
    start: u64,
    hasher: IdHasher,
    meter: &'w Meter<'w>,
}

impl<'w> Window<'w> {
    /// At the start of a file's first `len` bytes. `bytes` is memory that one pack lends to the
    /// next.
    pub(super) fn new(
        storage: &'w dyn Storage,
        file: FileName,
        len: u64,
        bytes: &'w mut Vec<u8>,
        meter: &'w Meter<'w>,
    ) -> Self {
        bytes.clear();
        Window { storage, file, len, bytes, held: 0, start: 0, hasher: IdHasher::new(), meter }
    }

    /// Offset of the first byte that can still be asked for.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    fn end(&self) -> u64 {
        self.held + self.bytes.len() as u64
    }

    /// Bytes of the pack; those before them are forgotten. The caller may change them.
    ///
    /// # Panics
    /// If they begin before [`Window::start`], or end after the pack.
    pub(super) fn take(&mut self, start: u64, end: u64) -> Result<&mut [u8], Ended> {
        assert!(self.start <= start && start <= end && end <= self.len, "a range of the pack");
        self.start = start;
        while self.end() < start {
            self.forget(self.end());
            self.read(READ_LEN.min(start - self.end()))?;
        }
        if self.end() < end {
            self.forget(start);
            let wanted = (end - self.end()).max(READ_LEN).min(self.len - self.end());
            self.read(wanted)?;
        }
        let (from, to) = ((start - self.held) as usize, (end - self.held) as usize);
        Ok(&mut self.bytes[from..to])
    }

    /// What lies before can't be asked for any more.
    pub(super) fn pass(&mut self, start: u64) {
        self.start = self.start.max(start);
    }

    /// Reads what is left; the id of all bytes.
    pub(super) fn finish(mut self) -> Result<Id, Ended> {
        while self.end() < self.len {
            self.forget(self.end());
            self.read(READ_LEN.min(self.len - self.end()))?;
        }
        Ok(self.hasher.finish())
    }

    fn forget(&mut self, before: u64) {
        self.bytes.drain(..(before - self.held) as usize);
        self.held = before;
    }

    fn read(&mut self, len: u64) -> Result<(), Ended> {
        self.meter.step(len)?;
        let (at, before) = (self.end(), self.bytes.len());
        self.bytes.resize(before + len as usize, 0);
        let read = self.storage.read_at(self.file, at, &mut self.bytes[before..]);
        if read.is_err() {
            self.bytes.truncate(before);
        }
        read?;
        self.hasher.update(&self.bytes[before..]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use manicule_core::watch::Watch;
    use manicule_format_restic::FileKind;
    use manicule_store::store::{MemoryStore, Name, Replace, WriteStore};
    use manicule_testkit::Rng;

    use super::*;
    use crate::storage::RepositoryFiles;

    const ID: Id = Id([0; 32]);
    const PACK: FileName = FileName::Of(FileKind::Pack, ID);

    /// A repository of one pack.
    fn storage(bytes: &[u8]) -> RepositoryFiles {
        let store = MemoryStore::new(1);
        store.put(&Name::new(&FileKind::Pack.path(&ID)).unwrap(), bytes, Replace::Any).unwrap();
        RepositoryFiles::new(Arc::new(store))
    }

    #[test]
    fn every_range_is_that_of_the_file_and_the_sum_that_of_all_bytes() {
        let mut rng = Rng::new(5);
        for len in [0, 1, READ_LEN as usize, 5 * READ_LEN as usize + 77] {
            let file: Vec<u8> = (0..len).map(|at| (at * 7 + (at >> 11)) as u8).collect();
            let (storage, watch, mut held) = (storage(&file), Watch::none(), Vec::new());
            let meter = watch.silent();
            let mut window = Window::new(&storage, PACK, len as u64, &mut held, &meter);
            let mut at = 0;
            for _ in 0..20 {
                // Blobs back to back, with gaps as wide as a reading or none, some longer than one.
                let gap = [0, 0, 0, rng.below(READ_LEN as usize * 2)][rng.below(4)];
                let start = (at + gap).min(len);
                let end = (start + rng.below(READ_LEN as usize * 3 / 2)).min(len);
                let got = window.take(start as u64, end as u64).unwrap();
                assert!(*got == file[start..end], "{start}..{end} of {len}");
                // What was handed out is the taker's.
                got.fill(0);
                window.pass(end as u64);
                at = end;
            }
            assert_eq!(window.finish().unwrap(), Id::of(&file), "{len}");
            assert!(held.capacity() < 4 * READ_LEN as usize);
        }
    }

    #[test]
    fn a_file_that_ends_early_is_an_error() {
        let (storage, watch, mut held) = (storage(&[1; 100]), Watch::none(), Vec::new());
        let meter = watch.silent();
        let mut window = Window::new(&storage, PACK, 101, &mut held, &meter);
        assert!(matches!(window.take(0, 10), Err(Ended::Storage(_))));
        assert!(matches!(window.finish(), Err(Ended::Storage(_))));
    }
}
