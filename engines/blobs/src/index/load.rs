//! Loading all index files: read, checked, decrypted, decompressed and scanned on all threads,
//! added in the order of their ids.
//!
//! Bytes:   docs/formats/restic.md, "Index files"

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{BlobKind, FileKind, Id, IndexForm, IndexSink, read_index};
use manicule_store::threads;

use super::{Index, IndexPart, Indexed};
use crate::error::RepoError;
use crate::repository::{INDEX_LIMITS, Repository, Unpacking, bring_whole};
use crate::storage::{FileName, Listed, batches};

/// Number of index files after which the number of entries in the others is guessed from their
/// lengths.
const FILES_BEFORE_GUESS: usize = 4;

/// Number of index files that a thread has decoded before they are asked for, beside the last:
/// 2.4 MB each.
const READY_MAX: usize = 0;

impl Index {
    /// Reads all index files. `seed` is random and secret: ids that somebody has chosen can't
    /// collide under it. One that can't be read is handed to `failed`, which ends the loading or
    /// lets it go on without that file. Where one that was listed is gone, all are listed and read
    /// again, once.
    ///
    /// Memory: 57 bytes an entry that is kept, and about 20 MiB for each thread.
    pub fn load(
        repository: &Repository,
        indexed: Indexed,
        seed: u64,
        threads: usize,
        watch: &Watch<'_>,
        failed: &mut dyn FnMut(RepoError) -> Result<(), RepoError>,
    ) -> Result<Index, RepoError> {
        let listed = repository.storage().list(FileKind::Index)?;
        Index::load_first(repository, &listed, Index::empty(seed, indexed), threads, watch, failed)
    }

    /// The same, of what was listed before.
    pub(crate) fn load_first(
        repository: &Repository,
        listed: &[Listed],
        empty: Index,
        threads: usize,
        watch: &Watch<'_>,
        failed: &mut dyn FnMut(RepoError) -> Result<(), RepoError>,
    ) -> Result<Index, RepoError> {
        let list = || repository.storage().list(FileKind::Index);
        let again = Index::empty_of(empty.seed, empty.indexed);
        let mut errors = Vec::new();
        let mut first = |error: RepoError| {
            if error.is_missing() {
                return Err(error);
            }
            errors.push(error);
            Ok(())
        };
        let loaded = Index::load_listed(repository, listed, empty, threads, watch, &mut first);
        match loaded {
            // A prune has replaced what was listed: what is there now says the same.
            Err(error) if error.is_missing() => {
                Index::load_listed(repository, &list()?, again, threads, watch, failed)
            }
            Ok(index) if index.lacks_any(&repository.take_roots()) => {
                // Index files were listed beside the snapshots, and may have been a moment before.
                let now = list()?;
                if now == listed {
                    errors.into_iter().try_for_each(failed)?;
                    return Ok(index);
                }
                Index::load_listed(repository, &now, again, threads, watch, failed)
            }
            loaded => {
                errors.into_iter().try_for_each(failed)?;
                loaded
            }
        }
    }

    /// Whether a tree is in no index file.
    pub(crate) fn lacks_any(&self, trees: &[Id]) -> bool {
        trees.iter().any(|tree| !self.has(BlobKind::Tree, tree))
    }

    /// The same, of these index files, into an empty index.
    pub(crate) fn load_listed(
        repository: &Repository,
        listed: &[Listed],
        mut index: Index,
        threads: usize,
        watch: &Watch<'_>,
        failed: &mut dyn FnMut(RepoError) -> Result<(), RepoError>,
    ) -> Result<Index, RepoError> {
        let (indexed, mut read_len) = (index.indexed, 0);
        read_listed(
            repository,
            listed,
            threads,
            watch,
            || IndexPart::new(indexed),
            |file, to_come, read| match read {
                Ok((form, part)) => {
                    index.hold_for(&part).map_err(RepoError::Memory)?;
                    index.add(file, form, part)?;
                    read_len += file.len;
                    if index.files.len() == FILES_BEFORE_GUESS {
                        index.make_room(read_len, to_come)?;
                    }
                    Ok(())
                }
                Err(error) => failed(error),
            },
        )?;
        Ok(index)
    }
}

/// Reads all index files, each into a sink of its own, and hands the sinks out in the order of the
/// files' ids.
///
/// Threads read, decrypt, decompress and scan; the caller's takes: a file, the bytes of all that
/// come after it, and its sink.
pub fn read_files<S: IndexSink + Send, E: From<RepoError>>(
    repository: &Repository,
    threads: usize,
    watch: &Watch<'_>,
    new: impl Fn() -> S + Sync,
    take: impl FnMut(&Listed, u64, Result<(IndexForm, S), RepoError>) -> Result<(), E>,
) -> Result<(), E> {
    let listed = repository.storage().list(FileKind::Index).map_err(RepoError::from)?;
    read_listed(repository, &listed, threads, watch, new, take)
}

/// The same, of these index files.
pub fn read_listed<S: IndexSink + Send, E: From<RepoError>>(
    repository: &Repository,
    listed: &[Listed],
    threads: usize,
    watch: &Watch<'_>,
    new: impl Fn() -> S + Sync,
    mut take: impl FnMut(&Listed, u64, Result<(IndexForm, S), RepoError>) -> Result<(), E>,
) -> Result<(), E> {
    let mut to_come = listed.iter().map(|file| file.len).sum();
    let meter = watch.phase(Phase::Reading, Unit::Bytes, to_come);
    for some in batches(repository.storage(), listed, |file| file.len) {
        bring_whole(repository.storage(), FileKind::Index, some);
        let read = |number: usize| read_file(repository, &some[number].id, new());
        threads::in_order_ahead(threads, some.len(), READY_MAX, read, |sinks| {
            for (file, sink) in some.iter().zip(sinks) {
                to_come -= file.len;
                take(file, to_come, sink)?;
                meter.step(file.len).map_err(RepoError::from)?;
            }
            Ok::<(), E>(())
        })?;
    }
    meter.end();
    Ok(())
}

fn read_file<S: IndexSink>(
    repository: &Repository,
    id: &Id,
    mut sink: S,
) -> Result<(IndexForm, S), RepoError> {
    let mut buffers = Unpacking::default();
    let json = repository.read_unpacked(FileKind::Index, id, INDEX_LIMITS, &mut buffers)?;
    let form = read_index(json, &mut sink).map_err(|source| {
        let file = repository.storage().name(FileName::Of(FileKind::Index, *id));
        RepoError::Json { file, source }
    })?;
    Ok((form, sink))
}
