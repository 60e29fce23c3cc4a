//! Packs whose entries in the index may be wrong: their headers are read and compared with it.

use std::collections::HashSet;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{FileKind, Id, PACK_END_LEN};
use manicule_store::threads;

use super::options::{ReadPacks, RepairOptions};
use super::output::Output;
use super::report::{ChangedPack, PackChange, RepairError};
use super::survey::{State, Survey, digest};
use crate::error::RepoError;
use crate::packs::{HeaderError, end_of, read_header};
use crate::repository::Repository;
use crate::storage::{Listed, batches};

/// Packs in storage, and what was found out about those that were looked at.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Number of packs in storage.
    pub(super) count: u64,
    /// Number of packs whose headers were read.
    pub(super) headers_read: u64,
    pub(super) changed: Vec<ChangedPack>,
    /// Packs of the index whose header can't be read.
    pub(super) broken: Vec<Broken>,
    /// All packs in storage that are marked for deletion.
    pub(super) marked: HashSet<Id>,
}

/// A pack of the index whose header can't be read.
#[derive(Debug)]
pub(super) struct Broken {
    /// Its number in the survey.
    pub(super) number: u32,
    /// Length of its file.
    pub(super) len: u64,
    pub(super) error: HeaderError,
}

/// A pack whose header is to be read, and its number in the survey.
#[derive(Clone, Copy, Debug)]
struct Doubtful {
    pack: Listed,
    number: Option<u32>,
}

/// Compares the packs in storage with the index. Entries of packs that the index lacks or has
/// otherwise go to the output.
pub(super) fn look(
    repository: &Repository,
    survey: &mut Survey,
    options: &RepairOptions,
    output: &mut Output<'_, '_>,
    watch: &Watch<'_>,
) -> Result<Looked, RepairError> {
    let mut looked = Looked::default();
    let doubtful = doubtful(repository, survey, options.read, &mut looked)?;
    output.keep()?;
    let guess = |pack: &Doubtful| {
        let known = pack.number.map(|number| survey.packs[number as usize].header_len);
        known.map_or(0, |len| len + PACK_END_LEN as u64)
    };
    let doubtful: Vec<(Doubtful, u64)> =
        doubtful.into_iter().map(|pack| (pack, guess(&pack))).collect();
    let meter = watch.phase(Phase::Verifying, Unit::Files, doubtful.len() as u64);
    let storage = repository.storage();
    for some in batches(storage, &doubtful, |(_, guess)| *guess) {
        if storage.is_far() {
            let ends = some.iter().map(|(doubtful, guess)| end_of(&doubtful.pack, *guess));
            storage.bring(&ends.collect::<Vec<_>>());
        }
        let read = |at: usize| read_header(repository, &some[at].0.pack, some[at].1);
        threads::in_order(options.threads, some.len(), read, |headers| {
            for ((doubtful, _), header) in some.iter().zip(headers) {
                looked.headers_read += 1;
                match header {
                    Ok(mut header) => {
                        looked.compare(doubtful, &mut header.blobs, survey, output)?
                    }
                    Err(error) => looked.note_broken(doubtful, error),
                }
                output.keep()?;
                meter.step(1).map_err(RepoError::from)?;
            }
            Ok::<(), RepairError>(())
        })?;
    }
    meter.end();
    Ok(looked)
}

/// The packs whose headers are to be read. Those of the index that are not in storage are dropped
/// from it.
fn doubtful(
    repository: &Repository,
    survey: &mut Survey,
    read: ReadPacks,
    looked: &mut Looked,
) -> Result<Vec<Doubtful>, RepairError> {
    let listed = repository.storage().list(FileKind::Pack).map_err(RepoError::from)?;
    if listed.is_empty() && !survey.packs.is_empty() {
        let (place, packs) = (repository.storage().place(), survey.packs.len());
        return Err(RepairError::NoPacks { place, packs });
    }
    let mut is_there = vec![false; survey.packs.len()];
    let mut doubtful = Vec::new();
    // One in two folders of storage is one pack.
    for same in listed.chunk_by(|one, other| one.id == other.id) {
        looked.count += 1;
        let number = survey.number(&same[0].id);
        let Some(pack) = number.map(|number| &survey.packs[number as usize]) else {
            if survey.marked.contains(&same[0].id) {
                looked.marked.insert(same[0].id);
            } else {
                doubtful.push(Doubtful { pack: same[0], number });
            }
            continue;
        };
        is_there[number.map_or(0, |number| number as usize)] = true;
        if survey.marked.contains(&pack.id) {
            looked.marked.insert(pack.id);
        }
        let is_as_long = same.iter().any(|listed| listed.len == pack.len);
        if !is_as_long || !pack.is_clear || read == ReadPacks::All {
            doubtful.push(Doubtful { pack: same[0], number });
        }
    }
    for (pack, _) in survey.packs.iter_mut().zip(is_there).filter(|(_, is_there)| !is_there) {
        pack.state = State::Dropped;
        let change = PackChange::Missing { blobs_before: pack.blob_count };
        looked.changed.push(ChangedPack { id: pack.id, change });
    }
    Ok(doubtful)
}

impl Looked {
    /// Compares a header with the index. What differs is written.
    fn compare(
        &mut self,
        doubtful: &Doubtful,
        blobs: &mut [manicule_format_restic::PackedBlob],
        survey: &mut Survey,
        output: &mut Output<'_, '_>,
    ) -> Result<(), RepairError> {
        let id = doubtful.pack.id;
        let known = doubtful.number.map(|number| &mut survey.packs[number as usize]);
        let count = blobs.len() as u32;
        let change = match known {
            None => PackChange::Added { blobs: count },
            Some(pack) if pack.is_clear && digest(blobs) == pack.digest => return Ok(()),
            Some(pack) => {
                pack.state = State::Dropped;
                PackChange::Replaced { blobs: count, blobs_before: pack.blob_count }
            }
        };
        self.changed.push(ChangedPack { id, change });
        output.pack(&id, blobs)
    }

    fn note_broken(&mut self, doubtful: &Doubtful, error: HeaderError) {
        let Listed { id, len } = doubtful.pack;
        match doubtful.number {
            Some(number) => self.broken.push(Broken { number, len, error }),
            None => {
                let error = error.to_string();
                let change = PackChange::Unreadable { blobs: 0, blobs_before: 0, error };
                self.changed.push(ChangedPack { id, change });
            }
        }
    }
}
