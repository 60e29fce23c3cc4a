//! The index files that a repair writes: each as soon as it is full, put before anything is
//! removed.

use manicule_format_restic::{FileKind, Id, IndexWriter, ListedPack, PackedBlob};

use super::report::RepairError;
use crate::error::RepoError;
use crate::lock::Exclusive;
use crate::storage::FileName;

/// New index files. Memory: one of them, some 7.5 MB.
#[derive(Debug)]
pub(super) struct Output<'o, 'w> {
    /// `None` for a dry run.
    lock: Option<&'o mut Exclusive<'w>>,
    open: IndexWriter,
    /// Number of files.
    pub(super) count: u64,
    pub(super) entry_count: u64,
    /// The files that were put.
    pub(super) written: Vec<Id>,
}

impl<'o, 'w> Output<'o, 'w> {
    pub(super) fn new(lock: Option<&'o mut Exclusive<'w>>) -> Self {
        let (open, written) = (IndexWriter::new(), Vec::new());
        Output { lock, open, count: 0, entry_count: 0, written }
    }

    /// Refreshes the lock where it is time to.
    pub(super) fn keep(&mut self) -> Result<(), RepairError> {
        Ok(self.lock.as_mut().map_or(Ok(()), |lock| lock.keep())?)
    }

    /// Adds a pack with its blobs.
    pub(super) fn pack(&mut self, id: &Id, blobs: &[PackedBlob]) -> Result<(), RepairError> {
        self.open.pack(id);
        self.blobs(blobs)
    }

    /// Adds a pack that is marked for deletion. These come last.
    pub(super) fn marked(
        &mut self,
        pack: &ListedPack<'_>,
        blobs: &[PackedBlob],
    ) -> Result<(), RepairError> {
        self.open.marked(pack);
        self.blobs(blobs)
    }

    fn blobs(&mut self, blobs: &[PackedBlob]) -> Result<(), RepairError> {
        blobs.iter().for_each(|blob| self.open.blob(blob));
        if self.open.is_full() { self.put() } else { Ok(()) }
    }

    /// Puts the file that is open, if it has a pack.
    pub(super) fn put(&mut self) -> Result<(), RepairError> {
        let full = std::mem::take(&mut self.open);
        if full.pack_count() == 0 {
            return Ok(());
        }
        self.count += 1;
        self.entry_count += full.blob_count();
        if let Some(lock) = &mut self.lock {
            self.written.push(lock.put(FileKind::Index, &full.finish())?);
        }
        Ok(())
    }

    /// Removes index files, whose entries are elsewhere by now. Before the first one, all new files
    /// must be in the listing.
    pub(super) fn remove(&mut self, old: &[Id]) -> Result<(), RepairError> {
        let Some(lock) = &mut self.lock else { return Ok(()) };
        if !self.written.is_empty() {
            let storage = lock.repository().storage();
            let listed = storage.list(FileKind::Index).map_err(RepoError::from)?;
            let is_listed =
                |id: &&Id| listed.iter().any(|listed| listed.id == **id && listed.len > 0);
            if let Some(id) = self.written.iter().find(|id| !is_listed(id)) {
                let file = storage.name(FileName::Of(FileKind::Index, *id));
                return Err(RepairError::NotListed { file });
            }
        }
        // One of the same bytes, which only an IV that came twice makes.
        for id in old.iter().filter(|id| !self.written.contains(id)) {
            lock.remove(FileKind::Index, id)?;
        }
        lock.sweep(FileKind::Index)?;
        Ok(())
    }

    /// Removes the files that were put, after an error: everything is as it was then. What can't be
    /// removed does no harm.
    pub(super) fn undo(&mut self) {
        let Some(lock) = &mut self.lock else { return };
        for id in self.written.drain(..) {
            let _ = lock.remove(FileKind::Index, &id);
        }
    }
}
