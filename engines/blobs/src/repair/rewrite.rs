//! Index files that change: what holds of them goes to the output.
//!
//! A file stays as it is where each of its packs stays and no other file that stays has one of
//! them. Unlike restic, which rewrites every file that is not full, nothing else is touched.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{
    FileKind, INDEX_BLOB_COUNT_FULL, Id, IndexSink, ListedPack, PACK_BLOB_COUNT_MAX, PackedBlob,
    read_index,
};

use super::output::Output;
use super::packs::Looked;
use super::report::RepairError;
use super::survey::{File, State, Survey};
use crate::error::RepoError;
use crate::repository::{INDEX_LIMITS, Repository, Unpacking};
use crate::storage::FileName;

/// Files with more blobs than this are split, as restic splits them.
const BLOB_COUNT_MAX: u64 = INDEX_BLOB_COUNT_FULL + PACK_BLOB_COUNT_MAX as u64;

/// Chooses the files that change, and writes what stays of their entries; their ids come back.
pub(super) fn rewrite(
    repository: &Repository,
    survey: &Survey,
    looked: &Looked,
    output: &mut Output<'_, '_>,
    watch: &Watch<'_>,
) -> Result<Vec<Id>, RepairError> {
    let mut is_listed = vec![false; survey.packs.len()];
    let changing: Vec<&File> =
        survey.files.iter().filter(|file| !stays(file, survey, &mut is_listed)).collect();
    let meter = watch.phase(Phase::Writing, Unit::Files, changing.len() as u64);
    let mut marked = Vec::new();
    for file in &changing {
        let mut contents = Contents::default();
        read_again(repository, &file.id, &mut contents)?;
        let lists =
            contents.packs.iter().zip(contents.packs.iter().skip(1).map(Some).chain([None]));
        for (pack, next) in lists {
            let end = next.map_or(contents.blobs.len(), |next| next.start);
            let blobs = &contents.blobs[pack.start..end];
            if pack.listed.is_marked {
                marked.push((pack.listed.clone(), blobs.to_vec()));
                continue;
            }
            let number = survey.number(&pack.listed.id).expect("the file is as it was") as usize;
            if survey.packs[number].state == State::Kept && !is_listed[number] {
                is_listed[number] = true;
                output.pack(&pack.listed.id, blobs)?;
            }
        }
        meter.step(1).map_err(RepoError::from)?;
    }
    // Those whose file is gone need no mark.
    marked.retain(|(pack, _)| looked.marked.contains(&pack.id));
    marked.iter().try_for_each(|(pack, blobs)| output.marked(pack, blobs))?;
    output.put()?;
    meter.end();
    Ok(changing.iter().map(|file| file.id).collect())
}

/// Whether a file stays as it is; then its packs are listed by it.
fn stays(file: &File, survey: &Survey, is_listed: &mut [bool]) -> bool {
    let mut numbers = file.packs.clone();
    numbers.sort_unstable();
    let is_once = numbers.windows(2).all(|two| two[0] != two[1]);
    let stays = |&number: &u32| {
        let number = number as usize;
        survey.packs[number].state == State::Kept && !is_listed[number]
    };
    let file_stays = is_once && file.blob_count <= BLOB_COUNT_MAX && numbers.iter().all(stays);
    if file_stays {
        numbers.iter().for_each(|&number| is_listed[number as usize] = true);
    }
    file_stays
}

/// Reads an index file that was read before.
pub(super) fn read_again(
    repository: &Repository,
    id: &Id,
    sink: &mut impl IndexSink,
) -> Result<(), RepairError> {
    let mut buffers = Unpacking::default();
    let json = repository.read_unpacked(FileKind::Index, id, INDEX_LIMITS, &mut buffers)?;
    read_index(json, sink).map_err(|source| {
        let file = repository.storage().name(FileName::Of(FileKind::Index, *id));
        RepoError::Json { file, source }
    })?;
    Ok(())
}

/// All that an index file lists.
#[derive(Default)]
struct Contents {
    packs: Vec<PackList>,
    blobs: Vec<PackedBlob>,
}

/// A pack, and where its blobs begin.
struct PackList {
    listed: ListedPack<'static>,
    start: usize,
}

impl IndexSink for Contents {
    fn pack(&mut self, pack: ListedPack<'_>) {
        let ListedPack { id, is_marked, time, len } = pack;
        let time = time.map(|time| time.into_owned().into());
        let listed = ListedPack { id, is_marked, time, len };
        self.packs.push(PackList { listed, start: self.blobs.len() });
    }

    fn blob(&mut self, blob: PackedBlob) {
        self.blobs.push(blob);
    }

    fn restart(&mut self) {
        *self = Contents::default();
    }
}
