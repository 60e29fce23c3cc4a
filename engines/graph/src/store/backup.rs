//! A copy of a store in another folder, made beside the process that may be writing it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_leaf::manifest::file_sum;
use manicule_format_leaf::synced::Synced;
use manicule_store::log::{Log, Segment};
use manicule_store::publish::SHARED;
use manicule_store::store::Fetched;
use manicule_store::{OutFile, SharedFiles, list_names};

use super::folder::{LOG_FOLDER, look_for, remove_logs, settled, take_empty};
use super::open::{log_head, version_with};
use super::pins::named;
use super::publish::{CURRENT, NewGeneration};
use super::read::manifest;
use super::replay::{LogPlace, read_log};
use super::synced::{SyncedFile, read_synced};
use crate::error::GraphError;
use crate::snapshot::generation::{Generation, files_of};

/// Bytes that are copied at once.
const CHUNK_LEN: usize = 1 << 20;

/// A copy that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackedUp {
    /// The last commit that it holds.
    pub commit: u64,
    /// Number of files that were copied.
    pub file_count: u64,
    /// Number of bytes that were copied.
    pub len: u64,
}

/// What is to be copied: files that stay readable, whatever becomes of their names.
struct Source {
    generation: Generation,
    /// Segments of the log after it, and the length of their whole frames.
    log: Vec<(Segment, File, u64)>,
    commit: u64,
}

/// Copies a store, or one of its named snapshots, into a folder that isn't there or is empty. The
/// copy is a store: the generation that is the current one when the call begins, with all commits
/// in the log by then, and without named snapshots. It is seen when it is whole; of one that failed
/// nothing is left. Sums of files are checked as they are copied.
///
/// Commits and merges go on meanwhile, in this process or another one.
pub fn back_up(
    store: &Path,
    snapshot: Option<&str>,
    target: &Path,
    files: &SharedFiles,
    watch: &Watch<'_>,
) -> Result<BackedUp, GraphError> {
    look_for(store)?;
    let local = Fetched::local(store);
    let source = match snapshot {
        Some(name) => {
            let manifest = named(local.store(), name)?;
            let (commit, generation) = (manifest.commit, Generation::open(&local, manifest, None)?);
            Source { generation, log: Vec::new(), commit }
        }
        None => settled(&local, |current| source(&local, current))?,
    };
    let was_there = target.exists();
    let _lock = take_empty(target, files)?;
    let copied = copy(store, &source, target, files, watch);
    if copied.is_err() && !target.join(CURRENT).exists() {
        // The error is the one that matters; what is left the next copy takes over.
        drop(remove_copy(target, was_there, files));
    }
    let (file_count, len) = copied?;
    Ok(BackedUp { commit: source.commit, file_count, len })
}

/// Copies a generation and the log after it into a folder that holds no store. Returns the number
/// of files and of their bytes.
fn copy(
    store: &Path,
    source: &Source,
    target: &Path,
    files: &SharedFiles,
    watch: &Watch<'_>,
) -> Result<(u64, u64), GraphError> {
    let Source { generation, log, .. } = source;
    remove_logs(target, files)?;
    let manifest = generation.manifest();
    let log_len: u64 = log.iter().map(|(_, _, len)| len).sum();
    let file_len: u64 = files_of(target, manifest).map(|(row, _)| row.len).sum();
    let (mut file_count, len) = (log.len() as u64, log_len + file_len);
    let meter = watch.phase(Phase::Writing, Unit::Bytes, len);
    let from = files_of(store, manifest).map(|(_, path)| path);
    for (((row, path), from), bytes) in files_of(target, manifest).zip(from).zip(generation.bytes())
    {
        put(files, &path, &bytes, &meter)?;
        let (stored, computed) = (row.sum, file_sum(&bytes));
        if stored != computed {
            let (what, at) = ("file", 0);
            let source = DecodeError::Checksum { what, at, stored, computed };
            return Err(GraphError::Damaged { file: from, source });
        }
        file_count += 1;
    }
    for (segment, file, len) in log {
        put_log(files, target, segment, file, *len, &meter)?;
    }
    let mut copy = NewGeneration::copy(files, target, manifest);
    copy.manifest().log = end_log(source, target, files)?;
    copy.put_manifest()?;
    copy.make_current()?;
    meter.end();
    Ok((file_count, len))
}

/// Has the log of a copy be whole, and say so. Returns the number of its first segment.
fn end_log(source: &Source, target: &Path, files: &SharedFiles) -> Result<u64, GraphError> {
    let folder = target.join(LOG_FOLDER);
    let failed = |source| GraphError::Io { file: folder.clone(), source };
    let next = source.generation.manifest().commit + 1;
    let (first, log, len) = match (source.log.first(), source.log.last()) {
        (Some((first, ..)), Some((last, _, len))) => (first.number, last.number, *len),
        _ => {
            let version = version_with(&source.generation.next().1);
            let begun = Log::begin(files, &folder, next, &log_head(version)).map_err(failed)?;
            (next, next, begun.len())
        }
    };
    SyncedFile::new(files, &folder).put(&Synced { commit: source.commit, log, len })?;
    files.sync_folder(&folder).map_err(failed)?;
    Ok(first)
}

/// Removes what a copy has made: all that is in the folder, and the folder, unless it was there
/// before.
fn remove_copy(target: &Path, was_there: bool, files: &SharedFiles) -> io::Result<()> {
    if !was_there {
        return files.remove_folder(target);
    }
    for name in list_names(target)? {
        let path = target.join(name.name);
        if path.is_dir() { files.remove_folder(&path)? } else { files.remove(&path)? }
    }
    Ok(())
}

fn source(local: &Fetched, current: Option<&str>) -> Result<Source, GraphError> {
    let manifest = manifest(local, current)?;
    let mut commit = manifest.commit;
    let from = LogPlace { number: manifest.log, offset: 0, is_there: manifest.has_log };
    let generation = Generation::open(local, manifest, None)?;
    let synced = read_synced(local.store())?;
    let read = read_log(local.store(), from, |frame, at| {
        let (want, got) = (commit + 1, frame.number());
        if got > want {
            return Err(DecodeError::Corrupt { what: "commit", at, want, got });
        }
        commit = commit.max(got);
        Ok(())
    })?;
    if let Some(lost) = read.lost(local.store(), synced, commit) {
        return Err(GraphError::Log(lost));
    }
    let open = |(segment, len): (Segment, u64)| {
        let file = File::open(&segment.path);
        let file = file.map_err(|source| GraphError::Io { file: segment.path.clone(), source });
        Ok((segment, file?, len))
    };
    let log = read.segments.into_iter().map(open).collect::<Result<_, GraphError>>()?;
    Ok(Source { generation, log, commit })
}

fn put(
    files: &SharedFiles,
    path: &Path,
    bytes: &[u8],
    meter: &Meter<'_>,
) -> Result<(), GraphError> {
    let failed = |source| GraphError::Io { file: path.to_owned(), source };
    let mut out = OutFile::replace(files, path, SHARED).map_err(failed)?;
    for chunk in bytes.chunks(CHUNK_LEN) {
        out.write_all(chunk).map_err(failed)?;
        meter.step(chunk.len() as u64)?;
    }
    out.sync().map_err(failed)
}

fn put_log(
    files: &SharedFiles,
    target: &Path,
    segment: &Segment,
    file: &File,
    len: u64,
    meter: &Meter<'_>,
) -> Result<(), GraphError> {
    let failed = |path: &Path| {
        let file = path.to_owned();
        move |source| GraphError::Io { file, source }
    };
    let path = Segment::in_folder(&target.join(LOG_FOLDER), segment.number).path;
    let mut out = OutFile::replace(files, &path, SHARED).map_err(failed(&path))?;
    let mut bytes = file.take(len);
    let mut chunk = vec![0; CHUNK_LEN];
    let mut copied = 0;
    loop {
        let count = bytes.read(&mut chunk).map_err(failed(&segment.path))?;
        if count == 0 {
            break;
        }
        out.write_all(&chunk[..count]).map_err(failed(&path))?;
        copied += count as u64;
        meter.step(count as u64)?;
    }
    if copied < len {
        let source = DecodeError::Short { what: "log", at: 0, need: len, have: copied };
        return Err(GraphError::Damaged { file: segment.path.clone(), source });
    }
    out.sync().map_err(failed(&path))
}
