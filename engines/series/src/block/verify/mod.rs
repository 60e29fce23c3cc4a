//! Verification of blocks: each file by itself, the chunks against what the index says of them, and
//! the meta file against both.
//!
//! Beside the mapped files this holds 36 bytes a chunk and 4 a series.
//!
//! Bytes:   docs/formats/prometheus.md

mod folder;
mod meta;
mod notes;
mod segments;

pub use notes::BlockCounts;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use manicule_core::findings::{FINDINGS_MAX, Report, Verdict};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_prometheus::{
    BLOCK_PARTS, ChunkCounts, FileKind, Gaps, INDEX_HEADER_NAME, INDEX_MAGIC, INDEX_NAME, Index,
    META_NAME, NamedChunk, SPARSE_HEADER_NAME, SeriesRef, Tombstones, verify_chunks, verify_index,
    verify_index_header, verify_lone_segment, verify_segment, verify_sparse_header,
    verify_tombstones,
};
use manicule_store::store::{Fetched, Name};
use manicule_store::threads::{self, lock, unshared};
use notes::{Named, Verified, find, warn};
use segments::segments_of;

use crate::block::error::BlockError;
use crate::block::file::taken_for;
use crate::block::folder::unread_log;
use crate::block::marks::marks_of;
use crate::block::open::TOMBSTONES;
use crate::block::parts::{Folder, Part};
use crate::block::segments::segment_number;
use crate::block::signs::{is_block_name, is_unfinished};

/// Takes what was found in the bytes of a file.
fn take(verdict: &mut Verdict, path: &Path, report: Report) {
    verdict.take(&path.to_string_lossy(), report);
}

/// Verifies a block, a file of one by itself, or all blocks directly in a folder, one after the
/// other.
pub fn verify(path: &Path, threads: usize, watch: &Watch<'_>) -> Result<Verified, BlockError> {
    if fs::metadata(path).map_err(BlockError::io(path))?.is_dir() {
        return verify_whole(&Folder::local(path), threads, watch);
    }
    let folder = Folder::local(path.parent().unwrap_or(Path::new("")));
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
        let what = "names of the files of blocks are valid UTF-8";
        BlockError::io(path)(io::Error::new(io::ErrorKind::InvalidFilename, what))
    })?;
    verify_file(folder.part(name), threads, watch)
}

/// As [`verify`], in a store: its own folder, or the `only` file of it.
pub fn verify_in(
    files: &Fetched,
    only: Option<&str>,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Verified, BlockError> {
    let folder = Folder::open(files, &Name::root())?;
    match only {
        Some(name) => verify_file(folder.part(name), threads, watch),
        None => verify_whole(&folder, threads, watch),
    }
}

fn verify_file(file: Part<'_>, threads: usize, watch: &Watch<'_>) -> Result<Verified, BlockError> {
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, file.len());
    let call = Call { threads, meter: &meter };
    let verified = call.run(&file.path(), file.len(), |check| check.file(file))?;
    meter.end();
    Ok(verified)
}

fn verify_whole(
    folder: &Folder,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Verified, BlockError> {
    if !BLOCK_PARTS.iter().any(|name| folder.part(name).exists()) {
        return verify_folder(folder, threads, watch);
    }
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, lens(folder)?);
    let verified = Call { threads, meter: &meter }.block(folder)?;
    meter.end();
    Ok(verified)
}

/// Verifies the blocks of a folder. Those that are removed meanwhile are left out, and those that
/// came for them verified too: the folder is listed again, once.
fn verify_folder(
    folder: &Folder,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Verified, BlockError> {
    let mut odd = Verdict::default();
    let listed = blocks_of(folder, &mut odd)?;
    let all = listed.iter().map(lens).sum::<Result<u64, _>>()?;
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
    if is_any_gone && folder.is_local() {
        odd = Verdict::default();
        let mut left = blocks_of(folder, &mut odd)?;
        left.retain(|block| !blocks.iter().any(|done| done.path() == block.path()));
        for block in left {
            add(&mut verified, call.block(&block)?);
            blocks.push(block);
        }
    }
    verified.verdict.append(odd);
    if folder.is_local()
        && let Some(log) = unread_log(&folder.path())
    {
        let what = "what only this log has is in no block, and not verified";
        warn(&mut verified.verdict, &log, what.to_owned());
    }
    folder::check(&blocks, &mut verified.verdict)?;
    meter.end();
    Ok(verified)
}

/// Whether a block hasn't been removed, nor is being. Of a store its listing says so.
fn is_there(block: &Folder) -> bool {
    !block.is_local() || block.part(META_NAME).exists()
}

fn add(verified: &mut Verified, part: Verified) {
    verified.counts.add(&part.counts);
    verified.verdict.append(part.verdict);
}

/// The folders of blocks. What was left half written or half removed is odd, and cleaned up by the
/// next start.
fn blocks_of(folder: &Folder, verdict: &mut Verdict) -> Result<Vec<Folder>, BlockError> {
    let mut names = folder.names()?;
    for name in names.iter().filter(|name| is_unfinished(name.as_bytes())) {
        let what = "left over from a writer that was stopped";
        warn(verdict, &folder.part(name).path(), what.to_owned());
    }
    names.retain(|name| is_block_name(name.as_bytes()));
    if names.is_empty() {
        let path = folder.path();
        return Err(if folder.is_local() {
            BlockError::no_block(&path)
        } else {
            BlockError::Missing { path }
        });
    }
    names.sort();
    names.iter().map(|name| Ok(folder.folder(name)?)).collect()
}

/// Number of bytes of a block that will be read.
fn lens(block: &Folder) -> Result<u64, BlockError> {
    let chunks = block.chunks()?;
    let segments = segments_of(&chunks)?;
    let segments = segments.iter().map(|name| chunks.part(name).len());
    Ok(block.part(INDEX_NAME).len() + segments.sum::<u64>())
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
        len: u64,
        check: impl FnOnce(&mut Check<'_>) -> Result<(), BlockError>,
    ) -> Result<Verified, BlockError> {
        let mut verified = Verified::default();
        verified.counts.len = len;
        check(&mut Check { verified: &mut verified, call: self })?;
        self.meter.watch().check().map_err(BlockError::stopped(path))?;
        Ok(verified)
    }

    fn block(&self, block: &Folder) -> Result<Verified, BlockError> {
        self.run(&block.path(), lens(block)?, |check| check.block(block))
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
    fn file(&mut self, file: Part<'_>) -> Result<(), BlockError> {
        let path = &*file.path();
        let bytes = file.map().map_err(BlockError::io(path))?;
        match taken_for(path, &bytes) {
            FileKind::Index => {
                self.verified.counts.blocks += 1;
                self.index(file).map(drop)
            }
            FileKind::Tombstones => self.tombstones(file, None).map(drop),
            FileKind::Meta => {
                let here = Folder::local(Path::new("."));
                let is_here = file.folder().path().as_os_str().is_empty();
                let block = if is_here { &here } else { file.folder() };
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
                let index = file.folder().part(INDEX_NAME).map().ok();
                let index = index.filter(|index| index.starts_with(&INDEX_MAGIC));
                self.header(file, kind, index.as_deref());
                self.call.meter.add(bytes.len() as u64);
                Ok(())
            }
        }
    }

    fn block(&mut self, block: &Folder) -> Result<(), BlockError> {
        self.verified.counts.blocks += 1;
        let index = block.part(INDEX_NAME);
        let named = if index.exists() {
            Some(self.index(index)?)
        } else {
            find(&mut self.verified.verdict, &index.path(), "is missing".to_owned());
            None
        };
        let deleted = self.tombstones(block.part(TOMBSTONES), named.as_ref())?;
        let chunks = block.chunks()?;
        let counts = self.chunks(&chunks, named.as_ref())?;
        // Counts of what can't be read in whole would be reported as wrong, and are only
        // consequences.
        let is_whole = self.verified.verdict.is_ok();
        let content =
            named.as_ref().filter(|_| is_whole).map(|named| meta::Content::of(named, counts));
        meta::check(block, content, Some(deleted), &mut self.verified.verdict)?;
        self.beside(block, named.is_some_and(|named| named.is_whole))
    }

    /// Verifies what other systems keep in a block's folder.
    fn beside(&mut self, block: &Folder, is_index_whole: bool) -> Result<(), BlockError> {
        let index = block.part(INDEX_NAME);
        let kinds = [FileKind::IndexHeader, FileKind::SparseHeader];
        for (name, kind) in [INDEX_HEADER_NAME, SPARSE_HEADER_NAME].into_iter().zip(kinds) {
            let header = block.part(name);
            if header.exists() {
                let index = is_index_whole.then(|| index.map()).transpose();
                let index = index.map_err(BlockError::io(&header.path()))?;
                self.header(header, kind, index.as_deref());
            }
        }
        self.marks(block);
        Ok(())
    }

    /// Verifies a header of an index, against the index if it can be opened.
    fn header(&mut self, file: Part<'_>, kind: FileKind, index: Option<&[u8]>) {
        let path = &*file.path();
        let index = index.filter(|bytes| Index::open(*bytes).is_ok());
        let mut report = Report::new(FINDINGS_MAX);
        match file.map() {
            Ok(bytes) if kind == FileKind::IndexHeader => {
                verify_index_header(&bytes, index, &mut report);
            }
            Ok(bytes) => verify_sparse_header(&bytes, index, &mut report),
            Err(error) => find(&mut self.verified.verdict, path, error.to_string()),
        }
        take(&mut self.verified.verdict, path, report);
    }

    /// A marked block is as right as any other; that it is marked is worth a word.
    fn marks(&mut self, folder: &Folder) {
        let block = &*folder.path();
        let name = block.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for mark in marks_of(folder) {
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
    fn index(&mut self, file: Part<'_>) -> Result<Named, BlockError> {
        let path = &*file.path();
        let bytes = file.map().map_err(BlockError::io(path))?;
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
    fn tombstones(&mut self, file: Part<'_>, named: Option<&Named>) -> Result<u64, BlockError> {
        let path = &*file.path();
        let bytes = match file.read() {
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
    fn chunks(
        &mut self,
        chunks: &Folder,
        named: Option<&Named>,
    ) -> Result<ChunkCounts, BlockError> {
        let (files, folder) = (chunks, &*chunks.path());
        let names = segments_of(files)?;
        let mut counts = ChunkCounts::default();
        let is_whole = named.is_some_and(|named| named.is_whole);
        let mut chunks = named.map_or(&[][..], |named| &named.chunks);
        for name in &names {
            let (file, number) = (files.part(name), segment_number(name).unwrap_or_default());
            let path = &*file.path();
            let upto = |end: u64| {
                move |chunk: &NamedChunk| u64::from(chunk.meta.reference.segment()) < end
            };
            let (missing, rest) = chunks.split_at(chunks.partition_point(upto(number)));
            self.missing(folder, missing);
            let (own, rest) = rest.split_at(rest.partition_point(upto(number + 1)));
            chunks = rest;
            let bytes = file.map().map_err(BlockError::io(path))?;
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
        if !is_whole && !names.is_empty() {
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
