//! Verification of an index: every checksum, order, offset and count, and that it agrees with its
//! tree.
//!
//! First the index by itself, then, where it is sound, against the tree (see compare).

use std::io;
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_core::findings::{FileFinding, Verdict};
use manicule_core::postings::DocSet;
use manicule_core::watch::Watch;
use manicule_format_tree::manifest::{Manifest, NONE};
use manicule_format_tree::segment::Segment;
use manicule_format_tree::verify_manifest;
use manicule_format_tree::{Kind, kind_of, outline};
use manicule_store::{CacheDir, Disk, Mapped};

use super::compare::Comparison;
use super::report::{InspectError, cache_dir_of_path, root_of};
use super::verified::{TreeCounts, Verified, shown_file};
use crate::tree::index::build::{lease, open_root};
use crate::tree::index::options::WhenBusy;
use crate::tree::open::{MANIFEST, cache_dir_of, cache_dirs, segment_name};

/// Notes what a decoder says of a file.
fn decode(verdict: &mut Verdict, file: &str, bytes: &[u8], error: &DecodeError) {
    // The offset stands in front already.
    let (offset, (want, got)) = (error.at(), error.want_and_got());
    let what = format!("{}: wanted {want}, got {got}", error.what());
    let (section, offset) = (section_at(bytes, offset), Some(offset));
    verdict.findings.push(FileFinding { file: file.to_owned(), section, offset, what });
}

/// The section that an offset lies in.
fn section_at(bytes: &[u8], at: u64) -> Option<String> {
    let (_, outline) = outline(bytes).ok()?;
    outline.rows.into_iter().find(|row| row.bytes.contains(&at)).map(|row| row.name)
}

/// Verifies one file of an index by itself: a manifest or a segment.
pub fn verify_file(name: &str, bytes: &[u8]) -> Verified {
    let counts =
        TreeCounts { index_files: 1, index_len: bytes.len() as u64, ..TreeCounts::default() };
    let mut verified = Verified { counts, ..Verified::default() };
    let checked = match kind_of(bytes) {
        Some(Kind::Manifest) => Manifest::open(bytes).map(|manifest| {
            check_manifest(name, &manifest, &mut verified.verdict);
        }),
        Some(Kind::Segment) => Segment::open(bytes).and_then(|segment| {
            verify_lists(&segment, &mut verified.counts)?;
            Ok(())
        }),
        None => outline(bytes).map(drop),
    };
    if let Err(error) = checked {
        decode(&mut verified.verdict, name, bytes, &error);
    }
    verified
}

/// Verifies the index of the tree at `path`, or of the tree above it, or that which lies in the
/// folder `path`. Tells which folder it lies in, for [`discard`].
pub fn verify(
    cache: Option<&Path>,
    path: &Path,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<(Verified, PathBuf), InspectError> {
    let dir = cache_dir_of_path(cache, path)?;
    let (manifest_bytes, maps) = map_all(&dir)?;
    let mut verified = Verified::default();
    verified.counts.index_files = 1 + maps.iter().flatten().count() as u64;
    verified.counts.index_len = manifest_bytes.len() as u64;
    let path = dir.path().to_owned();
    let manifest = match Manifest::open(&manifest_bytes) {
        Ok(manifest) => manifest,
        Err(error) => {
            decode(&mut verified.verdict, MANIFEST, &manifest_bytes, &error);
            return Ok((verified, path));
        }
    };
    let verdict = &mut verified.verdict;
    check_manifest(MANIFEST, &manifest, verdict);
    check_place(cache, &dir, &manifest, verdict);
    let mut segments = Vec::new();
    for (row, map) in maps.iter().enumerate() {
        verified.counts.index_len += map.as_deref().map_or(0, |bytes| bytes.len() as u64);
        segments.push(open_segment(&manifest, row, map.as_deref(), &mut verified));
    }
    check_pieces(&manifest, &segments, &mut verified.verdict);
    // Segments that can't be trusted would make a finding of each piece of every file.
    if verified.verdict.is_ok()
        && let Ok(root) = open_root(&root_of(&manifest))
    {
        let segments: Vec<Segment<'_>> = segments.into_iter().flatten().collect();
        let compared =
            Comparison { manifest: &manifest, segments: &segments, root: &root, threads, watch }
                .run(&mut verified);
        compared.map_err(|_| InspectError::Stopped(path.clone()))?;
    }
    Ok((verified, path))
}

/// Removes an index that was found wrong, so that no answer rests on it any more; not one that lies
/// elsewhere than in the cache. Waits for whoever is building it: what is wrong may have been
/// carried over. Returns whether it is gone.
pub fn discard(cache: &Path, index: &Path, verdict: &Verdict) -> io::Result<bool> {
    let is_kept = cache_dirs(cache).canonicalize().is_ok_and(|cache_dirs| {
        index.canonicalize().is_ok_and(|path| path.parent() == Some(&cache_dirs))
    });
    if verdict.is_ok() || !is_kept {
        return Ok(false);
    }
    let lease = lease(&CacheDir::at(index), &Disk::shared(), WhenBusy::Wait, &Watch::none())?;
    lease.map_or(Ok(false), |lease| lease.remove().map(|()| true))
}

/// Maps the manifest and its segments; `None` for those that aren't there.
fn map_all(dir: &CacheDir) -> Result<(Mapped, Vec<Option<Mapped>>), InspectError> {
    const TRIES: usize = 3;
    let mut tried = 1;
    loop {
        let manifest = dir.map(MANIFEST).map_err(InspectError::io(dir.path()))?;
        let numbers: Vec<u64> = match Manifest::open(&manifest) {
            Ok(manifest) => manifest.segments().map(|row| row.number).collect(),
            Err(_) => Vec::new(),
        };
        let segments: Vec<Option<Mapped>> =
            numbers.iter().map(|number| dir.map(&segment_name(*number)).ok()).collect();
        // A writer may put a new manifest and remove the segments of the old one between our calls.
        if tried == TRIES || segments.iter().all(Option::is_some) {
            return Ok((manifest, segments));
        }
        tried += 1;
    }
}

fn open_segment<'a>(
    manifest: &Manifest<'_>,
    row: usize,
    bytes: Option<&'a [u8]>,
    verified: &mut Verified,
) -> Option<Segment<'a>> {
    let stored = manifest.segments().nth(row)?;
    let name = segment_name(stored.number);
    let Some(bytes) = bytes else {
        verified.verdict.findings.push(in_segments(
            manifest,
            row,
            format!("{name} is named and can't be opened"),
        ));
        return None;
    };
    let segment = match Segment::open(bytes) {
        Ok(segment) => segment,
        Err(error) => {
            decode(&mut verified.verdict, &name, bytes, &error);
            return None;
        }
    };
    for (what, want, got) in [
        ("as its number", stored.number, segment.number()),
        ("bytes", stored.file_len, bytes.len() as u64),
        ("pieces", stored.piece_count.into(), segment.piece_count().into()),
        ("bytes a piece", manifest.meta.piece_len.into(), segment.piece_len().into()),
    ] {
        if want != got {
            let what = format!("{name} should have {want} {what}, and has {got}");
            verified.verdict.findings.push(in_segments(manifest, row, what));
        }
    }
    match verify_lists(&segment, &mut verified.counts) {
        Ok(()) => Some(segment),
        Err(error) => {
            decode(&mut verified.verdict, &name, bytes, &error);
            None
        }
    }
}

fn in_segments(manifest: &Manifest<'_>, row: usize, what: String) -> FileFinding {
    FileFinding {
        file: MANIFEST.to_owned(),
        section: Some("segments".to_owned()),
        offset: Some(manifest.segment_at(row)),
        what,
    }
}

fn verify_lists(segment: &Segment<'_>, counts: &mut TreeCounts) -> Result<(), DecodeError> {
    let statistics = segment.verify()?;
    counts.lists += u64::from(statistics.list_count);
    counts.postings += statistics.posting_count;
    Ok(())
}

/// Notes where a manifest breaks what the format promises of it.
fn check_manifest(name: &str, manifest: &Manifest<'_>, verdict: &mut Verdict) {
    verify_manifest(manifest, &mut |section, offset, what| {
        let section = Some(section.to_owned());
        verdict.findings.push(FileFinding { file: name.to_owned(), section, offset, what });
    });
}

/// An index lies where its tree's path says.
fn check_place(
    cache: Option<&Path>,
    dir: &CacheDir,
    manifest: &Manifest<'_>,
    verdict: &mut Verdict,
) {
    let root = root_of(manifest);
    if cache.is_some_and(|cache| {
        dir.path().starts_with(cache) && cache_dir_of(cache, &root).path() != dir.path()
    }) {
        verdict.findings.push(FileFinding {
            file: MANIFEST.to_owned(),
            section: Some("meta".to_owned()),
            offset: None,
            what: format!("it is of {}, whose index lies elsewhere", root.display()),
        });
    }
}

/// Every piece has at most one owner, live counts are right, and pieces begin in increasing order
/// within their file.
fn check_pieces(manifest: &Manifest<'_>, segments: &[Option<Segment<'_>>], verdict: &mut Verdict) {
    let rows: Vec<_> = manifest.segments().collect();
    let mut owned: Vec<DocSet> = rows.iter().map(|row| DocSet::empty(row.piece_count)).collect();
    for row in 0..manifest.file_count() as u32 {
        let file = manifest.file(row);
        if file.first_piece == NONE {
            continue;
        }
        let at = usize::from(file.segment);
        let pieces = file.first_piece..file.first_piece + file.piece_count;
        if pieces.is_empty() {
            continue;
        }
        let mut find = |name: &str, section: &str, offset: u64, what: &str| {
            verdict.findings.push(FileFinding {
                file: name.to_owned(),
                section: Some(section.to_owned()),
                offset: Some(offset),
                what: format!("{}: {what}", shown_file(manifest, row)),
            });
        };
        if owned[at].any_in(pieces.clone()) {
            let what = "its pieces belong to another file too";
            find(MANIFEST, "files", manifest.file_at(row), what);
        }
        owned[at].insert_range(pieces.clone());
        let Some(segment) = &segments[at] else { continue };
        let mut after: Option<u32> = None;
        for piece in pieces {
            // All pages were checked with the lists.
            let Ok(start) = segment.piece_start(piece) else { break };
            let in_order = match after {
                None => start == 0,
                Some(after) => start > after,
            };
            if !in_order || u64::from(start) >= file.size.max(1) {
                let what = format!("its piece {piece} begins at {start}");
                let name = segment_name(rows[at].number);
                find(&name, "pieces", segment.piece_at(piece), &what);
            }
            after = Some(start);
        }
    }
    for (at, (row, owned)) in rows.iter().zip(&owned).enumerate() {
        if owned.count() != row.live_count {
            let (name, got) = (segment_name(row.number), owned.count());
            let what = format!("{name}: files refer to {got} pieces, not to {}", row.live_count);
            verdict.findings.push(in_segments(manifest, at, what));
        }
    }
}
