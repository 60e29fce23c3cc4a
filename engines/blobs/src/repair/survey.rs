//! What index files list, pack by pack, without the blobs: enough to decide which packs to look at,
//! and which files change.
//!
//! Memory: 88 bytes a pack and 4 for each file that names it, and the blobs of one file for each
//! thread.

use std::collections::{HashMap, HashSet};

use manicule_core::watch::Watch;
use manicule_format_restic::{Id, IndexSink, ListedPack, PackedBlob, pack_len, sealed_header_len};

use super::report::{RemovedIndex, RepairError};
use crate::error::RepoError;
use crate::index::read_files;
use crate::repository::Repository;

/// What index files list.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Packs, numbered as they come.
    pub(super) packs: Vec<Pack>,
    by_id: HashMap<Id, u32>,
    /// Files that could be read, by id.
    pub(super) files: Vec<File>,
    /// Files that could not.
    pub(super) damaged: Vec<RemovedIndex>,
    /// Packs that rustic has marked for deletion.
    pub(super) marked: HashSet<Id>,
}

/// A pack that index files list.
#[derive(Debug)]
pub(super) struct Pack {
    pub(super) id: Id,
    /// Digest of its entries.
    pub(super) digest: Id,
    /// Length of its file, as its entries make it.
    pub(super) len: u64,
    /// Number of its entries.
    pub(super) blob_count: u32,
    /// Length of its sealed header, as its entries make it.
    pub(super) header_len: u64,
    /// Whether all files list the same entries of it, and each entry has a type.
    pub(super) is_clear: bool,
    pub(super) state: State,
}

/// What becomes of a pack's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// They stay.
    Kept,
    /// They go, or others have been written in their place.
    Dropped,
}

/// An index file that could be read.
#[derive(Debug)]
pub(super) struct File {
    pub(super) id: Id,
    /// Numbers of its packs, in its order.
    pub(super) packs: Vec<u32>,
    pub(super) blob_count: u64,
}

impl Survey {
    /// Reads all index files. One that can't be read from its storage is an error, as it may be
    /// sound.
    pub(super) fn read(
        repository: &Repository,
        threads: usize,
        watch: &Watch<'_>,
        mut keep: impl FnMut() -> Result<(), RepairError>,
    ) -> Result<Survey, RepairError> {
        let mut survey = Survey::default();
        read_files(repository, threads, watch, Summary::default, |file, _, read| {
            match read {
                Ok((_, summary)) => survey.add(file.id, summary),
                Err(error) if is_damage(&error) => {
                    let error = Some(error.to_string());
                    survey.damaged.push(RemovedIndex { id: file.id, error });
                }
                // Gone since it was listed.
                Err(RepoError::Storage(error)) if error.is_missing() => {}
                Err(error) => return Err(error.into()),
            }
            keep()
        })?;
        Ok(survey)
    }

    /// The number of a pack.
    pub(super) fn number(&self, id: &Id) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    fn add(&mut self, file: Id, mut summary: Summary) {
        summary.close();
        let packs = summary.packs.into_iter().map(|pack| self.add_pack(pack)).collect();
        self.files.push(File { id: file, packs, blob_count: summary.blob_count });
        self.marked.extend(summary.marked);
    }

    fn add_pack(&mut self, pack: Pack) -> u32 {
        let next = self.packs.len() as u32;
        let number = *self.by_id.entry(pack.id).or_insert(next);
        match self.packs.get_mut(number as usize) {
            None => self.packs.push(pack),
            Some(known) if known.digest == pack.digest => {}
            Some(known) => {
                known.is_clear = false;
                known.blob_count = known.blob_count.max(pack.blob_count);
            }
        }
        number
    }
}

/// Whether an error says that a file's bytes are wrong, and not that they could not be read.
fn is_damage(error: &RepoError) -> bool {
    matches!(
        error,
        RepoError::Damaged { .. }
            | RepoError::Sealed { .. }
            | RepoError::Packed { .. }
            | RepoError::Json { .. }
    )
}

/// What one index file lists.
#[derive(Default)]
struct Summary {
    packs: Vec<Pack>,
    marked: Vec<Id>,
    blob_count: u64,
    /// The pack that is not whole yet, with its entries.
    open: Option<Id>,
    blobs: Vec<PackedBlob>,
}

impl Summary {
    /// Ends the pack that entries come for.
    fn close(&mut self) {
        let Some(id) = self.open.take() else { return self.blobs.clear() };
        let blobs = &mut self.blobs;
        let places = || blobs.iter().map(|blob| &blob.place);
        let (len, header_len) = (pack_len(places()), sealed_header_len(places()));
        let is_clear = blobs.iter().all(|blob| blob.kind.is_some());
        let blob_count = blobs.len() as u32;
        self.blob_count += u64::from(blob_count);
        let digest = digest(blobs);
        let state = State::Kept;
        self.packs.push(Pack { id, digest, len, blob_count, header_len, is_clear, state });
        self.blobs.clear();
    }
}

impl IndexSink for Summary {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.close();
        if pack.is_marked { self.marked.push(pack.id) } else { self.open = Some(pack.id) }
    }

    fn blob(&mut self, blob: PackedBlob) {
        self.blobs.push(blob);
    }

    fn restart(&mut self) {
        *self = Summary::default();
    }
}

/// A hash of a pack's entries that doesn't depend on their order; they are sorted by offset.
pub(super) fn digest(blobs: &mut [PackedBlob]) -> Id {
    blobs.sort_unstable_by_key(|blob| (blob.place, blob.id, blob.kind));
    let mut bytes = Vec::with_capacity(blobs.len() * 48);
    for PackedBlob { kind, id, place } in blobs {
        bytes.push(kind.map_or(0, |kind| kind as u8 + 1));
        bytes.extend_from_slice(&id.0);
        for number in [place.offset, place.len, place.raw_len] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    Id::of(&bytes)
}
