//! The entries of index files.

use std::fmt;
use std::ops::ControlFlow;

use manicule_blobs::{Id, IndexSink, Listed, ListedPack, PackedBlob, RepoError, read_listed};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::Repository;

/// Which entries of index files are wanted; asked by all threads.
pub struct EntriesCall<'c> {
    /// Whether blobs of a pack are.
    pub of_pack: &'c (dyn Fn(&Id) -> bool + Sync),
    /// Whether a blob is.
    pub of_blob: &'c (dyn Fn(&PackedBlob) -> bool + Sync),
}

impl fmt::Debug for EntriesCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntriesCall").finish_non_exhaustive()
    }
}

/// A blob at its place in a pack, as an index file lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The pack.
    pub pack: Id,
    /// The blob.
    pub blob: PackedBlob,
}

impl Repository {
    /// Lists the entries of these index files, one file after the other: a blob of two places
    /// twice, and one of two index files twice. Packs that rustic has marked for deletion are left
    /// out. `take` receives the entries of a file that are wanted, and ends the reading with a
    /// break.
    ///
    /// Memory: about 15 MiB for each thread, and the wanted entries of a file.
    pub fn entries(
        &self,
        files: &[Listed],
        call: &EntriesCall<'_>,
        watch: &Watch<'_>,
        mut take: impl FnMut(&Listed, Vec<IndexEntry>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let new = || Entries { call, pack: None, found: Vec::new() };
        let threads = self.threads().min(files.len()).max(1);
        let read = read_listed(&self.engine, files, threads, watch, new, |file, _, read| {
            let (_, Entries { found, .. }) = read?;
            if take(file, found).is_break() { Err(Ended::Enough) } else { Ok(()) }
        });
        match read {
            Ok(()) | Err(Ended::Enough) => Ok(()),
            Err(Ended::Repo(error)) => Err(error.into()),
        }
    }
}

/// Why a reading ended early.
enum Ended {
    Enough,
    Repo(RepoError),
}

impl From<RepoError> for Ended {
    fn from(error: RepoError) -> Self {
        Ended::Repo(error)
    }
}

/// Wanted entries of an index file.
struct Entries<'c> {
    call: &'c EntriesCall<'c>,
    /// The pack that is being read, if its blobs are wanted.
    pack: Option<Id>,
    found: Vec<IndexEntry>,
}

impl IndexSink for Entries<'_> {
    fn pack(&mut self, pack: ListedPack<'_>) {
        let is_wanted = !pack.is_marked && (self.call.of_pack)(&pack.id);
        self.pack = is_wanted.then_some(pack.id);
    }

    fn blob(&mut self, blob: PackedBlob) {
        let Some(pack) = self.pack else { return };
        if (self.call.of_blob)(&blob) {
            self.found.push(IndexEntry { pack, blob });
        }
    }

    fn restart(&mut self) {
        self.pack = None;
        self.found.clear();
    }
}
