//! Builds the index of a tree, brings it up to date, and merges its segments.
//!
//! All three are one thing: survey the tree, keep what is known of files that have not changed,
//! read the others into new segments, merge segments where `segments.rs` says so, put the manifest.

use std::collections::HashMap;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, UNIX_EPOCH};

use manicule_core::bytes::mix;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_tree::grams::GRAM_COUNT;
use manicule_format_tree::manifest::{Draft, File, NONE, UNSURE};
use manicule_store::context::Context;
use manicule_store::threads;
use manicule_store::{CacheDir, Disk, Handle, Lease, SharedFiles, look, look_at, open_folder};

use super::gather::{Gathered, Share, gather};
use super::options::{BuildError, BuildOptions, BuildReport, Building, Reuse, WhenBusy};
use super::segments::{merge, put_segment};
use super::survey::{Inputs, survey};
use crate::tree::open::{
    CHECKED, Index, IndexFiles, MANIFEST, REFUSED, cache_dir_of, segment_name, trim,
};
use crate::trust::Stores;

/// Pieces of 16 KiB, or of 32 KiB in trees above this size: there the lists are a sixth smaller,
/// and twice as much is read for a hit that the grams alone could not rule out.
const PIECE_LEN: u32 = 16 << 10;
const PIECE_LEN_LARGE: u32 = 32 << 10;
const LARGE_TREE_LEN: u64 = 500 << 20;

/// Memory of every thread beside its lists: the states of [`manicule_core::postings::Append`] and
/// the table of marks.
const THREAD_LEN: u64 = GRAM_COUNT as u64 * (36 + 2);

/// Builds the index of the tree at `root`, or brings it up to date. After an error the old index is
/// still there; a build that its watch stopped leaves nothing else.
pub fn build(
    root: &Path,
    options: &BuildOptions<'_>,
    watch: &Watch<'_>,
) -> Result<BuildReport, BuildError> {
    build_through(&Disk::shared(), root, options, watch)
}

/// As [`build`], with every file of the index written through `files`.
pub fn build_through(
    files: &SharedFiles,
    root: &Path,
    options: &BuildOptions<'_>,
    watch: &Watch<'_>,
) -> Result<BuildReport, BuildError> {
    let _held = Context::current().hold(options.memory).map_err(BuildError::Memory)?;
    let root = root.canonicalize()?;
    let handle = open_root(&root)?;
    let dir = cache_dir_of(options.cache, &root);
    let Some(lease) = lease(&dir, files, options.when_busy, watch)? else {
        watch.check()?;
        return Err(BuildError::Busy);
    };
    let built = build_under(files, &lease, &root, &handle, options, watch);
    if matches!(built, Err(BuildError::Stopped)) {
        tidy(lease)?;
    }
    built
}

/// Leaves a cache directory as it was before a build that was stopped.
fn tidy(lease: Lease) -> io::Result<()> {
    let files = IndexFiles::map(lease.dir()).ok();
    let index = files.as_ref().and_then(|files| files.index().ok());
    match index {
        None => lease.remove(),
        Some(index) => lease.sweep(|name| {
            let mut segments = index.manifest.segments();
            let is_segment = segments.any(|row| segment_name(row.number) == name);
            is_segment || name == MANIFEST || name == CHECKED
        }),
    }
}

fn build_under(
    files: &SharedFiles,
    lease: &Lease,
    root: &Path,
    handle: &Handle,
    options: &BuildOptions<'_>,
    watch: &Watch<'_>,
) -> Result<BuildReport, BuildError> {
    let dir = lease.dir();
    // Calls that find no index here see that somebody is at it, or has just failed to write one.
    // A disk that is full fails later, and for a better reason.
    let _ = lease.note(root.as_os_str().as_bytes());
    dir.mark_used(UNIX_EPOCH + Duration::from_nanos((options.clock)()))?;
    let old_files = IndexFiles::map(dir).ok().filter(|_| options.reuse == Reuse::Unchanged);
    // An index that can't be read, of another version or of another tree, is built from scratch.
    let old = old_files.as_ref().and_then(|files| files.index().ok());
    let old = old.filter(|index| index.root() == root);

    let now_ns = (options.clock)();
    let key = old.as_ref().map_or(mix(now_ns, 0), |old| old.manifest.meta.key);
    let mut stores = Stores::of(handle);
    let threads = options.threads;
    let inputs = Inputs { root, handle, now_ns, key, threads, stores, watch };
    let mut draft = survey(&inputs)?;
    if let Some(folder) = unsuitable(handle, &draft, &mut stores)? {
        lease.put(REFUSED, |_| Ok(()))?;
        lease.sweep(|name| name == REFUSED)?;
        let folder = root.components().chain(folder.components()).collect();
        return Err(BuildError::UnsuitableFileSystem(folder));
    }
    match &old {
        Some(old) => carry_over(handle, old, &mut draft),
        // Numbers are never given twice: a reader, or a manifest that a killed build left behind,
        // may still name those of an index that is built from scratch.
        None => draft.meta.next_segment = now_ns,
    }
    let mut report = BuildReport::default();
    let at = Building { lease, handle, options, stores, watch };
    read_rest(&at, &mut draft, &mut report)?;
    settle(&mut draft, &mut report);
    merge(&at, &mut draft, &mut report)?;
    watch.check()?;
    let manifest_len = lease.put(MANIFEST, |out| draft.write(out))?;
    lease.sweep(|name| {
        let mut segments = draft.segments.iter();
        name == MANIFEST || name == CHECKED || segments.any(|row| segment_name(row.number) == name)
    })?;
    dir.mark_used(UNIX_EPOCH + Duration::from_nanos(now_ns))?;
    report.segment_count = draft.segments.len() as u64;
    report.index_len = manifest_len + draft.segments.iter().map(|row| row.file_len).sum::<u64>();
    trim(files, options.cache, options.cache_len_max, dir)?;
    Ok(report)
}

/// The right to write to a cache directory; `None` if somebody else has it, and it is left to them
/// or the call is stopped.
pub(crate) fn lease(
    dir: &CacheDir,
    files: &SharedFiles,
    when_busy: WhenBusy,
    watch: &Watch<'_>,
) -> io::Result<Option<Lease>> {
    const PAUSE: Duration = Duration::from_millis(20);
    loop {
        match (dir.lease(files)?, when_busy) {
            (Some(lease), _) => return Ok(Some(lease)),
            (None, WhenBusy::GiveUp) => return Ok(None),
            // A lease ends with its process at the latest.
            (None, WhenBusy::Wait) if watch.is_over() => return Ok(None),
            (None, WhenBusy::Wait) => std::thread::sleep(PAUSE),
        }
    }
}

/// A folder of the tree whose file system does not say reliably when an entry has changed. `stores`
/// gets what is known of those of all folders.
fn unsuitable(root: &Handle, draft: &Draft, stores: &mut Stores) -> io::Result<Option<PathBuf>> {
    let mut seen = None;
    for folder in &draft.folders {
        let path = draft.name_c(folder.path);
        let Ok(handle) = open_folder(root.as_fd(), path) else { continue };
        let device = look_at(handle.as_fd())?.device;
        if seen == Some(device) {
            continue;
        }
        seen = Some(device);
        match stores.with(&handle)? {
            Some(with) => *stores = with,
            None => return Ok(Some(OsStr::from_bytes(path.to_bytes()).into())),
        }
    }
    Ok(None)
}

pub(crate) fn open_root(root: &Path) -> io::Result<Handle> {
    let path = CString::new(root.as_os_str().as_bytes())?;
    Ok(open_folder(rustix::fs::CWD, &path)?)
}

/// Takes over what the old index knows of files that look as they did.
fn carry_over(handle: &Handle, old: &Index<'_>, draft: &mut Draft) {
    let manifest = &old.manifest;
    draft.segments = manifest.segments().collect();
    draft.meta.next_segment = manifest.meta.next_segment;
    draft.meta.piece_len = manifest.meta.piece_len;
    let rows: HashMap<&[u8], u32> = (0..manifest.folder_count() as u32)
        .map(|row| (manifest.name(manifest.folder(row).path).to_bytes(), row))
        .collect();
    for row in 0..draft.folders.len() {
        let folder = draft.folders[row];
        let path = draft.name_c(folder.path).to_owned();
        let Some(&old_row) = rows.get(path.to_bytes()) else { continue };
        let Ok(opened) = open_folder(handle.as_fd(), &path) else { continue };
        let mut old_files = manifest.files_of(&manifest.folder(old_row)).peekable();
        for row in folder.first_file..folder.first_file + folder.file_count {
            let name = draft.name_c(draft.files[row as usize].name).to_owned();
            let name_of = |row: u32| manifest.name(manifest.file(row).name);
            while old_files.next_if(|old| name_of(*old) < name.as_c_str()).is_some() {}
            let Some(old_row) = old_files.next_if(|old| name_of(*old) == name.as_c_str()) else {
                continue;
            };
            let old_file = manifest.file(old_row);
            let entry = look(opened.as_fd(), &name);
            if entry.is_ok_and(|entry| entry.fingerprint(draft.meta.key) == old_file.fingerprint) {
                draft.files[row as usize] =
                    File { name: draft.files[row as usize].name, ..old_file };
            }
        }
    }
}

/// Reads every file that nothing is known of into new segments.
fn read_rest(
    at: &Building<'_>,
    draft: &mut Draft,
    report: &mut BuildReport,
) -> Result<(), BuildError> {
    let mut rest: Vec<(u32, u32)> = Vec::new();
    for (row, folder) in draft.folders.iter().enumerate() {
        let files = folder.first_file..folder.first_file + folder.file_count;
        let unknown = files.filter(|file| draft.files[*file as usize].fingerprint == UNSURE);
        rest.extend(unknown.map(|file| (file, row as u32)));
    }
    if rest.is_empty() {
        return Ok(());
    }
    let Building { handle, options, stores, watch, .. } = *at;
    let sizes = sizes(handle, draft, &rest);
    let reading = watch.phase(Phase::Reading, Unit::Bytes, sizes.iter().sum());
    if draft.meta.piece_len == 0 {
        let len: u64 = sizes.iter().sum();
        draft.meta.piece_len = if len > LARGE_TREE_LEN { PIECE_LEN_LARGE } else { PIECE_LEN };
    }
    let threads = options.threads.clamp(1, rest.len());
    let mut shares = split(&rest, &sizes, threads);
    let lists_len = options.memory.saturating_sub(threads as u64 * THREAD_LEN) / threads as u64;
    // An arena's offsets have 32 bits; and each segment has to get somewhere.
    let lists_len_max = lists_len.clamp(1 << 20, u64::from(u32::MAX) / 2) as usize;
    while shares.iter().any(|share| !share.is_empty()) {
        let full = AtomicBool::new(false);
        let parts: Vec<Gathered> = threads::one_each(&shares, |files| {
            gather(&Share {
                root: handle,
                draft,
                files,
                piece_len: draft.meta.piece_len as usize,
                lists_len_max,
                full: &full,
                now_ns: options.clock,
                stores,
                meter: &reading,
            })
        });
        watch.check()?;
        for (share, part) in shares.iter_mut().zip(&parts) {
            *share = &share[part.files.len()..];
            report.read_count += part.files.len() as u64;
            report.read_len += part.files.iter().map(|file| file.1.size).sum::<u64>();
        }
        put_segment(at, draft, parts)?;
    }
    reading.end();
    Ok(())
}

/// Sizes of the files, by their folders' word: only to give each thread about as much to read.
fn sizes(handle: &Handle, draft: &Draft, files: &[(u32, u32)]) -> Vec<u64> {
    let mut open: Option<(u32, Option<Handle>)> = None;
    files
        .iter()
        .map(|&(row, folder)| {
            if open.as_ref().is_none_or(|open| open.0 != folder) {
                let path = draft.name_c(draft.folders[folder as usize].path);
                open = Some((folder, open_folder(handle.as_fd(), path).ok()));
            }
            let handle = open.as_ref().and_then(|open| open.1.as_ref());
            let name = draft.name_c(draft.files[row as usize].name);
            handle.and_then(|handle| look(handle.as_fd(), name).ok()).map_or(0, |entry| entry.size)
        })
        .collect()
}

/// Cuts the files into runs of about equal cost: opening a file costs as much as reading a few
/// kilobytes of it.
fn split<'f>(files: &'f [(u32, u32)], sizes: &[u64], parts: usize) -> Vec<&'f [(u32, u32)]> {
    const OPEN_LEN: u64 = 3000;
    let total: u64 = sizes.iter().map(|size| size + OPEN_LEN).sum();
    let mut runs = Vec::with_capacity(parts);
    let (mut start, mut sum) = (0, 0);
    for (index, size) in sizes.iter().enumerate() {
        sum += size + OPEN_LEN;
        if runs.len() + 1 < parts && sum * parts as u64 >= total * (runs.len() as u64 + 1) {
            runs.push(&files[start..=index]);
            start = index + 1;
        }
    }
    runs.push(&files[start..]);
    runs
}

/// Counts what is alive, and what the report says of the whole.
fn settle(draft: &mut Draft, report: &mut BuildReport) {
    draft.segments.iter_mut().for_each(|row| row.live_count = 0);
    draft.meta.text_len = 0;
    for file in &draft.files {
        draft.meta.text_len += file.size;
        if file.first_piece == NONE {
            report.unknown_count += 1;
        } else {
            draft.segments[usize::from(file.segment)].live_count += file.piece_count;
        }
    }
    report.folder_count = draft.folders.len() as u64;
    report.file_count = draft.files.len() as u64;
}
