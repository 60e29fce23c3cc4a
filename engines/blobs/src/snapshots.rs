//! Snapshots of a repository, all read: they are small, and every question needs most of them.
//!
//! Bytes:   docs/formats/restic.md, "Snapshots"

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{BlobKind, FileKind, Id, Snapshot};
use manicule_store::threads;

use crate::error::RepoError;
use crate::index::Index;
use crate::repository::{Repository, SNAPSHOT_LIMITS, Unpacking, bring_whole};
use crate::storage::{FileName, Listed, batches};
use crate::trees::TreeNo;

/// A snapshot with its id.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its id: the SHA-256 of its file.
    pub id: Id,
    /// What it says.
    pub snapshot: Snapshot,
}

impl Kept {
    /// The number of its root tree; otherwise what is wrong with it, as a sentence.
    pub(crate) fn root(&self, index: &Index) -> Result<TreeNo, String> {
        let Some(tree) = self.snapshot.tree else {
            return Err(format!("snapshot {}: it has no tree", self.id));
        };
        let number = index.of(BlobKind::Tree).number(&tree);
        let missing = || format!("snapshot {}: its tree {tree} is not in the index", self.id);
        number.map(TreeNo).ok_or_else(missing)
    }
}

/// Snapshots, ordered by time and id.
#[derive(Debug)]
pub struct Snapshots {
    /// Those that can be read.
    pub kept: Vec<Kept>,
    /// Those that can't.
    pub broken: Vec<RepoError>,
}

impl Snapshots {
    /// Reads all snapshots. To be called before the index is loaded: then every blob that a
    /// snapshot needs is in it.
    pub fn load(
        repository: &Repository,
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<Snapshots, RepoError> {
        let snapshots = Snapshots::load_once(repository, threads, watch)?;
        // One that was listed and forgotten meanwhile is none.
        if snapshots.broken.iter().any(RepoError::is_missing) {
            Snapshots::load_once(repository, threads, watch)
        } else {
            Ok(snapshots)
        }
    }

    fn load_once(
        repository: &Repository,
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<Snapshots, RepoError> {
        let listed = repository.storage().list(FileKind::Snapshot)?;
        let meter = watch.phase(Phase::Reading, Unit::Files, listed.len() as u64);
        let mut snapshots = Snapshots { kept: Vec::new(), broken: Vec::new() };
        for some in batches(repository.storage(), &listed, |file| file.len) {
            bring_whole(repository.storage(), FileKind::Snapshot, some);
            let read = threads::map(threads, some.len(), |number| {
                meter.step(1)?;
                read(repository, &some[number])
            });
            for read in read {
                match read {
                    Ok(kept) => snapshots.kept.push(kept),
                    Err(RepoError::Stopped(stopped)) => return Err(stopped.into()),
                    Err(error) => snapshots.broken.push(error),
                }
            }
        }
        if repository.storage().is_far() {
            let roots = snapshots.kept.iter().filter_map(|kept| kept.snapshot.tree);
            repository.note_roots(roots.collect());
        }
        snapshots.kept.sort_by_key(|kept| (kept.snapshot.time.moment, kept.id));
        meter.end();
        Ok(snapshots)
    }
}

fn read(repository: &Repository, file: &Listed) -> Result<Kept, RepoError> {
    let mut buffers = Unpacking::default();
    let kind = FileKind::Snapshot;
    let json = repository.read_unpacked(kind, &file.id, SNAPSHOT_LIMITS, &mut buffers)?;
    let snapshot = Snapshot::parse(json).map_err(|source| {
        let file = repository.storage().name(FileName::Of(kind, file.id));
        RepoError::Json { file, source }
    })?;
    Ok(Kept { id: file.id, snapshot })
}
