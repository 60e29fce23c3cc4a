//! Packs whose header can't be read, and which the index lists: each of their blobs is read, and
//! those stay that are sound.
//!
//! restic forgets such packs, so that their blobs are lost to it though most can be read: the end
//! of a pack that was cut holds nothing but the header. Entries whose blobs are damaged go: while
//! the index has them no backup stores these again.
//!
//! Memory: 48 bytes for each entry of these packs, and a blob for each thread.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{
    Decompressor, FileKind, Id, IndexSink, ListedPack, PackedBlob, open_blob,
};
use manicule_store::threads;

use super::output::Output;
use super::packs::{Broken, Looked};
use super::report::{ChangedPack, PackChange, RepairError};
use super::rewrite::read_again;
use super::survey::{State, Survey, digest};
use crate::error::RepoError;
use crate::packs::{BLOB_LEN_MAX, HeaderError};
use crate::repository::Repository;
use crate::storage::FileName;

/// Decides which entries of the broken packs stay.
pub(super) fn salvage(
    repository: &Repository,
    survey: &mut Survey,
    looked: &mut Looked,
    thread_count: usize,
    output: &mut Output<'_, '_>,
    watch: &Watch<'_>,
) -> Result<(), RepairError> {
    let broken = std::mem::take(&mut looked.broken);
    let entries = entries(repository, survey, &broken)?;
    let meter = watch.phase(Phase::Verifying, Unit::Files, broken.len() as u64);
    let sound = |at: usize| {
        let Broken { number, len, error } = &broken[at];
        let entries = entries.get(number).map_or(&[][..], Vec::as_slice);
        // A pack that can't be reached may be sound.
        match error {
            HeaderError::Storage(_) => entries.to_vec(),
            HeaderError::Pack(_) => {
                let id = survey.packs[*number as usize].id;
                sound(repository, id, *len, entries)
            }
        }
    };
    let sound: Vec<Vec<PackedBlob>> =
        threads::in_order(thread_count, broken.len(), sound, |sound| {
            sound
                .map(|blobs| {
                    output.keep()?;
                    meter.step(1).map_err(RepoError::from)?;
                    Ok::<_, RepairError>(blobs)
                })
                .collect::<Result<_, _>>()
        })?;
    meter.end();
    for (Broken { number, error, .. }, mut blobs) in broken.iter().zip(sound) {
        let pack = &mut survey.packs[*number as usize];
        let (count, error) = (blobs.len() as u32, error.to_string());
        let change = PackChange::Unreadable { blobs: count, blobs_before: pack.blob_count, error };
        looked.changed.push(ChangedPack { id: pack.id, change });
        if pack.is_clear && digest(&mut blobs) == pack.digest {
            continue;
        }
        pack.state = State::Dropped;
        if !blobs.is_empty() {
            output.pack(&pack.id, &blobs)?;
        }
    }
    Ok(())
}

/// The entries of the broken packs, from all index files that list any, by the packs' numbers.
fn entries(
    repository: &Repository,
    survey: &Survey,
    broken: &[Broken],
) -> Result<BTreeMap<u32, Vec<PackedBlob>>, RepairError> {
    let wanted: HashMap<Id, u32> = broken
        .iter()
        .map(|broken| (survey.packs[broken.number as usize].id, broken.number))
        .collect();
    let numbers: HashSet<u32> = wanted.values().copied().collect();
    let mut entries: BTreeMap<u32, Vec<PackedBlob>> = BTreeMap::new();
    for file in &survey.files {
        if !file.packs.iter().any(|number| numbers.contains(number)) {
            continue;
        }
        let mut of_file = Wanted { wanted: &wanted, open: None, entries: Vec::new() };
        read_again(repository, &file.id, &mut of_file)?;
        for (number, blob) in of_file.entries {
            entries.entry(number).or_default().push(blob);
        }
    }
    for blobs in entries.values_mut() {
        blobs.sort_unstable();
        blobs.dedup();
    }
    Ok(entries)
}

/// Entries of some packs only.
struct Wanted<'w> {
    wanted: &'w HashMap<Id, u32>,
    open: Option<u32>,
    entries: Vec<(u32, PackedBlob)>,
}

impl IndexSink for Wanted<'_> {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.open = self.wanted.get(&pack.id).copied().filter(|_| !pack.is_marked);
    }

    fn blob(&mut self, blob: PackedBlob) {
        // Without a type it is found by nobody.
        if let (Some(number), Some(_)) = (self.open, blob.kind) {
            self.entries.push((number, blob));
        }
    }

    fn restart(&mut self) {
        (self.open, self.entries) = (None, Vec::new());
    }
}

/// Those of a pack's entries whose blobs are there, and those that could not be read for another
/// reason than damage.
fn sound(
    repository: &Repository,
    pack: Id,
    pack_len: u64,
    entries: &[PackedBlob],
) -> Vec<PackedBlob> {
    let (mut stored, mut decompressor) = (Vec::new(), Decompressor::new());
    let file = FileName::Of(FileKind::Pack, pack);
    let mut is_sound = |blob: &&PackedBlob| {
        if blob.place.end() > pack_len || blob.place.len > BLOB_LEN_MAX {
            return false;
        }
        stored.resize(blob.place.len as usize, 0);
        match repository.storage().read_at(file, blob.place.offset.into(), &mut stored) {
            Err(error) => error.source.kind() != io::ErrorKind::UnexpectedEof,
            Ok(()) => {
                let (key, limit) = (repository.key(), BLOB_LEN_MAX as usize);
                open_blob(key, &mut stored, blob, limit, &mut decompressor).is_ok()
            }
        }
    };
    entries.iter().filter(|blob| is_sound(blob)).copied().collect()
}
