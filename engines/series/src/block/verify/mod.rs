//! Verification of blocks: each file by itself, the chunks against what the index says of them, and
//! the meta file against both.
//!
//! Beside the mapped files this holds 36 bytes a chunk and 4 a series.
//!
//! Bytes:   docs/formats/prometheus.md

mod folder;
mod meta;
mod notes;

pub use notes::BlockCounts;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use manicule_core::findings::{FINDINGS_MAX, Report, Verdict};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_prometheus::{
    ChunkCounts, FileKind, Gaps, INDEX_HEADER_NAME, INDEX_NAME, Index, META_NAME, NamedChunk,
    SPARSE_HEADER_NAME, SeriesRef, Tombstones, verify_chunks, verify_index, verify_index_header,
    verify_lone_segment, verify_segment, verify_sparse_header, verify_tombstones,
};
use manicule_store::Mapped;
use manicule_store::threads::{self, lock, unshared};
use notes::{Named, Verified, find, warn};

use crate::block::error::BlockError;
use crate::block::file::taken_for;
use crate::block::folder::unread_log;
use crate::block::marks::marks_of;
use crate::block::segments::{segment_number, segment_paths};
use crate::block::signs::{begins_as_index, has_block_parts, is_block_name, is_unfinished};

/// Takes what was found in the bytes of a file.
fn take(verdict: &mut Verdict, path: &Path, report: Report) {
    verdict.take(&path.to_string_lossy(), report);
}

/// Verifies a block, a file of one by itself, or all blocks directly in a folder, one after the
/// other.
pub fn verify(path: &Path, threads: usize, watch: &Watch<'_>) -> Result<Verified, BlockError> {
    let is_folder = fs::metadata(path).map_err(BlockError::io(path))?.is_dir();
    if is_folder && !has_block_parts(path) {
        return verify_folder(path, threads, watch);
    }
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, lens(path)?);
    let call = Call { threads, meter: &meter };
    let verified = if is_folder { call.block(path)? } else { call.file(path)? };
    meter.end();
    Ok(verified)
}

/// Verifies the blocks of a folder. Those that are removed meanwhile are left out, and those that
/// came for them verified too: the folder is listed again, once.
fn verify_folder(path: &Path, threads: usize, watch: &Watch<'_>) -> Result<Verified, BlockError> {
    let mut odd = Verdict::default();
    let listed = blocks_of(path, &mut odd)?;
    let all = listed.iter().map(|block| lens(block)).sum::<Result<u64, _>>()?;
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, all);
    let call = Call { threads, meter: &meter };
    let mut verified = Verified::default();
    let (mut blocks, mut is_any_gone) = (Vec::new(), false);
    for block in listed {
        match call.block(&block) {
            Err(error) if error.is_missing() => is_any_gone = true,
            Ok(part) if !part.verdict.is_ok() && !is_there(&block) => is_any_gone = true,
            part => {
                add(&mut verified, part?);
                blocks.push(block);
            }
        }
    }
    if is_any_gone {
        odd = Verdict::default();
        let mut left = blocks_of(path, &mut odd)?;
        left.retain(|block| !blocks.contains(block));
        for block in left {
            add(&mut verified, call.block(&block)?);
            blocks.push(block);
        }
    }
    verified.verdict.append(odd);
    if let Some(log) = unread_log(path) {
        let what = "what only this log has is in no block, and not verified";
        warn(&mut verified.verdict, &log, what.to_owned());
    }
    folder::check(&blocks, &mut verified.verdict)?;
    meter.end();
    Ok(verified)
}

/// Whether a block hasn't been removed, nor is being.
fn is_there(block: &Path) -> bool {
    block.join(META_NAME).exists()
}

fn add(verified: &mut Verified, part: Verified) {
    verified.counts.add(&part.counts);
    verified.verdict.append(part.verdict);
}

/// The folders of blocks. What was left half written or half removed is odd, and cleaned up by the
/// next start.
fn blocks_of(path: &Path, verdict: &mut Verdict) -> Result<Vec<PathBuf>, BlockError> {
    let mut blocks = Vec::new();
    for entry in fs::read_dir(path).map_err(BlockError::io(path))? {
        let entry = entry.map_err(BlockError::io(path))?;
        if is_block_name(entry.file_name().as_bytes()) {
            blocks.push(entry.path());
        } else if is_unfinished(entry.file_name().as_bytes()) {
            let what = "left over from a writer that was stopped";
            warn(verdict, &entry.path(), what.to_owned());
        }
    }
    if blocks.is_empty() {
        return Err(BlockError::no_block(path));
    }
    blocks.sort();
    Ok(blocks)
}

/// Number of bytes of a block that will be read.
fn lens(path: &Path) -> Result<u64, BlockError> {
    let len = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    if !path.is_dir() {
        return Ok(len(path));
    }
    let folder = path.join("chunks");
    let segments = segment_paths(&folder).map_err(BlockError::io(&folder))?;
    Ok(len(&path.join("index")) + segments.iter().map(|path| len(path)).sum::<u64>())
}

/// Context of a verification.
struct Call<'a> {
    threads: usize,
    /// Counts the bytes of all blocks.
    meter: &'a Meter<'a>,
}

impl<'a> Call<'a> {
    fn run(
        &self,
        path: &Path,
        check: impl FnOnce(&mut Check<'_>) -> Result<(), BlockError>,
    ) -> Result<Verified, BlockError> {
        let mut verified = Verified::default();
        verified.counts.len = lens(path)?;
        check(&mut Check { verified: &mut verified, call: self })?;
        self.meter.watch().check().map_err(BlockError::stopped(path))?;
        Ok(verified)
    }

    fn block(&self, path: &Path) -> Result<Verified, BlockError> {
        self.run(path, |check| check.block(path))
    }

    fn file(&self, path: &Path) -> Result<Verified, BlockError> {
        self.run(path, |check| check.file(path))
    }
}

/// The verification of a block under way.
struct Check<'a> {
    verified: &'a mut Verified,
    call: &'a Call<'a>,
}

/// Number of chunks in a task of one thread.
const PART_LEN: usize = 512;

impl Check<'_> {
    fn add(&mut self, chunks: ChunkCounts) {
        self.verified.counts.chunks += chunks.chunk_count;
        self.verified.counts.samples += meta::sample_count(&chunks);
    }

    /// Verifies a file of a block by itself.
    fn file(&mut self, path: &Path) -> Result<(), BlockError> {
        let bytes = Mapped::open(path).map_err(BlockError::io(path))?;
        match taken_for(path, &bytes) {
            FileKind::Index => {
                self.verified.counts.blocks += 1;
                self.index(path).map(drop)
            }
            FileKind::Tombstones => self.tombstones(path, None).map(drop),
            FileKind::Meta => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let block = parent.unwrap_or(Path::new("."));
                meta::check(block, None, None, &mut self.verified.verdict)
            }
            FileKind::Segment => {
                let mut report = Report::new(FINDINGS_MAX);
                if let Some(segment) = verify_segment(&bytes, &mut report) {
                    self.add(verify_lone_segment(&segment, &mut report));
                }
                take(&mut self.verified.verdict, path, report);
                self.call.meter.add(bytes.len() as u64);
                Ok(())
            }
            kind @ (FileKind::IndexHeader | FileKind::SparseHeader) => {
                let index = path.with_file_name(INDEX_NAME);
                let index = begins_as_index(&index).then(|| Mapped::open(&index).ok()).flatten();
                self.header(path, kind, index.as_deref());
                self.call.meter.add(bytes.len() as u64);
                Ok(())
            }
        }
    }

    fn block(&mut self, path: &Path) -> Result<(), BlockError> {
        self.verified.counts.blocks += 1;
        let index = path.join(INDEX_NAME);
        let named = if index.exists() {
            Some(self.index(&index)?)
        } else {
            find(&mut self.verified.verdict, &index, "is missing".to_owned());
            None
        };
        let deleted = self.tombstones(&path.join("tombstones"), named.as_ref())?;
        let counts = self.chunks(&path.join("chunks"), named.as_ref())?;
        // Counts of what can't be read in whole would be reported as wrong, and are only
        // consequences.
        let is_whole = self.verified.verdict.is_ok();
        let content =
            named.as_ref().filter(|_| is_whole).map(|named| meta::Content::of(named, counts));
        meta::check(path, content, Some(deleted), &mut self.verified.verdict)?;
        self.beside(path, named.is_some_and(|named| named.is_whole))
    }

    /// Verifies what other systems keep in a block's folder.
    fn beside(&mut self, block: &Path, is_index_whole: bool) -> Result<(), BlockError> {
        let index = block.join(INDEX_NAME);
        let kinds = [FileKind::IndexHeader, FileKind::SparseHeader];
        for (name, kind) in [INDEX_HEADER_NAME, SPARSE_HEADER_NAME].into_iter().zip(kinds) {
            let path = block.join(name);
            if path.exists() {
                let index = is_index_whole.then(|| Mapped::open(&index)).transpose();
                let index = index.map_err(BlockError::io(&path))?;
                self.header(&path, kind, index.as_deref());
            }
        }
        self.marks(block);
        Ok(())
    }

    /// Verifies a header of an index, against the index if it can be opened.
    fn header(&mut self, path: &Path, kind: FileKind, index: Option<&[u8]>) {
        let index = index.filter(|bytes| Index::open(*bytes).is_ok());
        let mut report = Report::new(FINDINGS_MAX);
        match Mapped::open(path) {
            Ok(bytes) if kind == FileKind::IndexHeader => {
                verify_index_header(&bytes, index, &mut report);
            }
            Ok(bytes) => verify_sparse_header(&bytes, index, &mut report),
            Err(error) => find(&mut self.verified.verdict, path, error.to_string()),
        }
        take(&mut self.verified.verdict, path, report);
    }

    /// A marked block is as right as any other; that it is marked is worth a word.
    fn marks(&mut self, block: &Path) {
        let name = block.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for mark in marks_of(block) {
            match mark {
                Err((path, error)) => find(&mut self.verified.verdict, &path, error),
                Ok(mark) if is_block_name(name.as_bytes()) && mark.id != name => {
                    let what =
                        format!("id: wanted {name}, as the folder is called, got {}", mark.id);
                    find(&mut self.verified.verdict, &block.join(mark.kind.file_name()), what);
                }
                Ok(mark) => {
                    let words: Vec<&str> = [&*mark.reason, &*mark.details]
                        .into_iter()
                        .filter(|words| !words.is_empty())
                        .collect();
                    let why = if words.is_empty() {
                        "nobody said why".to_owned()
                    } else {
                        words.join(", ")
                    };
                    warn(&mut self.verified.verdict, block, format!("{}: {why}", mark.kind));
                }
            }
        }
    }

    /// Verifies an index, and keeps what it says of chunks.
    fn index(&mut self, path: &Path) -> Result<Named, BlockError> {
        let bytes = Mapped::open(path).map_err(BlockError::io(path))?;
        let (mut series, mut chunks) = (Vec::new(), Vec::new());
        let mut index = verify_index(&bytes, FINDINGS_MAX, &mut |found| {
            series.push(found.reference.0);
            let named = |meta| NamedChunk { meta, series: found.reference };
            chunks.extend(found.chunks.iter().copied().map(named));
        });
        chunks.sort_by_key(|chunk| chunk.meta.reference);
        self.verified.counts.series += index.series_count;
        self.verified.counts.lists += index.list_count;
        self.verified.counts.postings += index.posting_count;
        let is_whole = index.report.is_ok();
        take(&mut self.verified.verdict, path, std::mem::take(&mut index.report));
        self.call.meter.add(bytes.len() as u64);
        Ok(Named { index, series, chunks, is_whole })
    }

    /// Verifies the tombstones, and returns the number of their intervals. Without the file there
    /// are none.
    fn tombstones(&mut self, path: &Path, named: Option<&Named>) -> Result<u64, BlockError> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            bytes => bytes.map_err(BlockError::io(path))?,
        };
        let mut report = Report::new(FINDINGS_MAX);
        let is_series = |series: SeriesRef| {
            named.is_none_or(|named| named.series.binary_search(&series.0).is_ok())
        };
        verify_tombstones(&bytes, &is_series, &mut report);
        take(&mut self.verified.verdict, path, report);
        Ok(Tombstones::decode(&bytes).map_or(0, |tombstones| tombstones.interval_count()))
    }

    /// Verifies the segments, and in them each chunk that a series names. Of an index that is
    /// damaged or missing nobody knows all chunks: those that are named are compared, and the files
    /// that have none of these are read by themselves.
    fn chunks(&mut self, folder: &Path, named: Option<&Named>) -> Result<ChunkCounts, BlockError> {
        let paths = segment_paths(folder).map_err(BlockError::io(folder))?;
        let mut counts = ChunkCounts::default();
        let is_whole = named.is_some_and(|named| named.is_whole);
        let mut chunks = named.map_or(&[][..], |named| &named.chunks);
        for path in &paths {
            let number = segment_number(path).unwrap_or_default();
            let upto = |end: u64| {
                move |chunk: &NamedChunk| u64::from(chunk.meta.reference.segment()) < end
            };
            let (missing, rest) = chunks.split_at(chunks.partition_point(upto(number)));
            self.missing(folder, missing);
            let (own, rest) = rest.split_at(rest.partition_point(upto(number + 1)));
            chunks = rest;
            let bytes = Mapped::open(path).map_err(BlockError::io(path))?;
            let mut report = Report::new(FINDINGS_MAX);
            if let Some(segment) = verify_segment(&bytes, &mut report) {
                counts.add(&match (own.is_empty(), is_whole) {
                    (true, false) => verify_lone_segment(&segment, &mut report),
                    (_, true) => self.segment(&segment, own, Gaps::Odd, &mut report),
                    (_, false) => self.segment(&segment, own, Gaps::Unknown, &mut report),
                });
            }
            take(&mut self.verified.verdict, path, report);
        }
        self.missing(folder, chunks);
        if !is_whole && !paths.is_empty() {
            let what = "not all compared with the index, which is damaged or missing";
            warn(&mut self.verified.verdict, folder, what.to_owned());
        }
        self.add(counts);
        Ok(counts)
    }

    /// Notes files that are missing, by chunks that would lie in them.
    fn missing(&mut self, folder: &Path, chunks: &[NamedChunk]) {
        let segment = |chunk: &NamedChunk| chunk.meta.reference.segment();
        for own in chunks.chunk_by(|left, right| segment(left) == segment(right)) {
            let (number, series) = (u64::from(segment(&own[0])) + 1, own[0].series.0);
            let what = format!(
                "{number:06} is missing: the index names {} chunks in it, the first of series {series}",
                own.len()
            );
            find(&mut self.verified.verdict, folder, what);
        }
    }

    /// Verifies the chunks of a segment on several threads.
    fn segment(
        &self,
        segment: &manicule_format_prometheus::Segment<&[u8]>,
        named: &[NamedChunk],
        gaps: Gaps,
        report: &mut Report,
    ) -> ChunkCounts {
        let whole = Mutex::new((ChunkCounts::default(), report.part()));
        let part_count = named.len().div_ceil(PART_LEN).max(1);
        let segment_len = segment.bytes().len();
        threads::each(self.call.threads, part_count, |part| {
            // What is found from here on is thrown away.
            if self.call.meter.watch().is_over() {
                return;
            }
            let range = part * PART_LEN..named.len().min((part + 1) * PART_LEN);
            let mut own = Report::new(FINDINGS_MAX);
            let counts = verify_chunks(segment, named, range, gaps, &mut own);
            let mut whole = lock(&whole);
            whole.0.add(&counts);
            whole.1.merge(own);
            let upto = |part: usize| segment_len * part / part_count;
            self.call.meter.add((upto(part + 1) - upto(part)) as u64);
        });
        let (counts, parts) = unshared(whole);
        report.merge(parts);
        counts
    }
}
