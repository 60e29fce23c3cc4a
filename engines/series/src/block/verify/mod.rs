//! Verification of blocks: each file by itself, the chunks against what the index says of them, and the meta file
//! against both.
//!
//! Beside the mapped files this holds 36 bytes a chunk and 4 a series.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: faces/manicule

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
    ChunkCounts, FileKind, NamedChunk, SeriesRef, Tombstones, verify_chunks, verify_index,
    verify_lone_segment, verify_segment, verify_tombstones,
};
use manicule_store::Mapped;
use manicule_store::threads::{self, lock, unshared};
use notes::{Named, Verified, find, warn};

use crate::block::error::BlockError;
use crate::block::file::taken_for;
use crate::block::open::segment_paths;
use crate::block::signs::{has_block_parts, is_block_name, is_unfinished};

/// Takes what was found in the bytes of a file.
fn take(verdict: &mut Verdict, path: &Path, report: Report) {
    verdict.take(&path.to_string_lossy(), report);
}

/// Verifies a block, a file of one by itself, or all blocks directly in a folder, one after the other.
pub fn verify(path: &Path, threads: usize, watch: &Watch<'_>) -> Result<Verified, BlockError> {
    let mut verified = Verified::default();
    let is_folder = fs::metadata(path).map_err(BlockError::io(path))?.is_dir();
    let blocks = match is_folder && !has_block_parts(path) {
        true => blocks_of(path, &mut verified.verdict)?,
        false => vec![path.to_owned()],
    };
    verified.counts.len = blocks.iter().map(|block| lens(block)).sum::<Result<u64, _>>()?;
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, verified.counts.len);
    for block in &blocks {
        let check = Check { verified: &mut verified, threads, meter: &meter };
        match is_folder {
            true => check.block(block)?,
            false => check.file(block)?,
        }
        watch.check().map_err(BlockError::stopped(block))?;
    }
    if is_folder {
        folder::check(&blocks, &mut verified.verdict)?;
    }
    meter.end();
    Ok(verified)
}

/// The folders of blocks. What was left half written or half removed is odd, and cleaned up by the next start.
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

/// The verification of a block under way.
struct Check<'a> {
    verified: &'a mut Verified,
    threads: usize,
    /// Counts the bytes of all blocks.
    meter: &'a Meter<'a>,
}

/// Number of chunks in a task of one thread.
const PART_LEN: usize = 512;

impl Check<'_> {
    fn add(&mut self, chunks: ChunkCounts) {
        self.verified.counts.chunks += chunks.chunk_count;
        self.verified.counts.samples += chunks.float_count + chunks.histogram_count;
    }

    /// Verifies a file of a block by itself.
    fn file(mut self, path: &Path) -> Result<(), BlockError> {
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
                self.meter.add(bytes.len() as u64);
                Ok(())
            }
        }
    }

    fn block(mut self, path: &Path) -> Result<(), BlockError> {
        self.verified.counts.blocks += 1;
        let before = self.verified.verdict.findings.count;
        let named = match path.join("index") {
            index if index.exists() => Some(self.index(&index)?),
            index => {
                find(&mut self.verified.verdict, &index, "is missing".to_owned());
                None
            }
        };
        let deleted = self.tombstones(&path.join("tombstones"), named.as_ref())?;
        let counts = match &named {
            Some(named) => self.chunks(&path.join("chunks"), named)?,
            None => ChunkCounts::default(),
        };
        // Counts of what can't be read in whole would be reported as wrong, and are only consequences.
        let is_whole = self.verified.verdict.findings.count == before;
        let content = named.filter(|_| is_whole).map(|named| meta::Content::of(&named, counts));
        meta::check(path, content, Some(deleted), &mut self.verified.verdict)
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
        take(&mut self.verified.verdict, path, std::mem::take(&mut index.report));
        self.meter.add(bytes.len() as u64);
        Ok(Named { index, series, chunks })
    }

    /// Verifies the tombstones, and returns the number of their intervals. Without the file there are none.
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

    /// Verifies the segments, and in them each chunk that a series names.
    fn chunks(&mut self, folder: &Path, named: &Named) -> Result<ChunkCounts, BlockError> {
        let paths = segment_paths(folder).map_err(BlockError::io(folder))?;
        let mut counts = ChunkCounts::default();
        let mut chunks = named.chunks.as_slice();
        for (number, path) in paths.iter().enumerate() {
            let name = path.file_name().and_then(|name| name.to_str()?.parse::<u64>().ok());
            if name != Some(number as u64 + 1) {
                let what =
                    format!("is read as segment {number}, which is called {:06}", number + 1);
                warn(&mut self.verified.verdict, path, what);
            }
            let of_segment = |chunk: &NamedChunk| chunk.meta.reference.segment() as usize <= number;
            let (own, rest) = chunks.split_at(chunks.partition_point(of_segment));
            chunks = rest;
            let bytes = Mapped::open(path).map_err(BlockError::io(path))?;
            let mut report = Report::new(FINDINGS_MAX);
            if let Some(segment) = verify_segment(&bytes, &mut report) {
                counts.add(&self.segment(&segment, own, &mut report));
            }
            take(&mut self.verified.verdict, path, report);
        }
        if let Some(first) = chunks.first() {
            let what = format!(
                "{} files of chunks, and the index names segment {} (series {}, {} chunks)",
                paths.len(),
                first.meta.reference.segment(),
                first.series.0,
                chunks.len()
            );
            find(&mut self.verified.verdict, folder, what);
        }
        self.add(counts);
        Ok(counts)
    }

    /// Verifies the chunks of a segment on several threads.
    fn segment(
        &self,
        segment: &manicule_format_prometheus::Segment<&[u8]>,
        named: &[NamedChunk],
        report: &mut Report,
    ) -> ChunkCounts {
        let whole = Mutex::new((ChunkCounts::default(), report.part()));
        let part_count = named.len().div_ceil(PART_LEN).max(1);
        let segment_len = segment.bytes().len();
        threads::each(self.threads, part_count, |part| {
            // What is found from here on is thrown away.
            if self.meter.watch().is_over() {
                return;
            }
            let range = part * PART_LEN..named.len().min((part + 1) * PART_LEN);
            let mut own = Report::new(FINDINGS_MAX);
            let counts = verify_chunks(segment, named, range, &mut own);
            let mut whole = lock(&whole);
            whole.0.add(&counts);
            whole.1.merge(own);
            let upto = |part: usize| segment_len * part / part_count;
            self.meter.add((upto(part + 1) - upto(part)) as u64);
        });
        let (counts, parts) = unshared(whole);
        report.merge(parts);
        counts
    }
}
