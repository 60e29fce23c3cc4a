//! Verification of blocks: each file by itself, the chunks against what the index says of them, and the meta file
//! against both.
//!
//! Beside the mapped files this holds 36 bytes a chunk and 4 a series.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: faces/manicule

mod folder;
mod meta;

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use manicule_core::findings::{FINDINGS_MAX, FileFinding, Findings};
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_prometheus::{
    ChunkCounts, FileKind, NamedChunk, Report, SeriesRef, Tombstones, VerifiedIndex, verify_chunks,
    verify_index, verify_lone_segment, verify_segment, verify_tombstones,
};
use manicule_store::Mapped;
use manicule_store::threads::{self, lock, unshared};

use crate::block::file::taken_for;
use crate::block::open::{BlockError, segment_paths};
use crate::block::signs::{has_block_parts, is_block_name, is_unfinished};

/// Result of a verification: what was verified, and its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Blocks, or indexes by themselves; none where another file of a block is verified.
    pub block_count: u64,
    /// Bytes of their indexes and chunks.
    pub len: u64,
    /// Series.
    pub series_count: u64,
    /// Posting lists.
    pub list_count: u64,
    /// The series that they name together.
    pub posting_count: u64,
    /// Chunks that were decoded, and how many samples are in them.
    pub chunks: ChunkCounts,
    /// The findings, up to [`FINDINGS_MAX`].
    pub findings: Vec<FileFinding>,
    /// Number of findings.
    pub finding_count: u64,
    /// Warnings, odd and yet legal: every reader takes it. Up to [`FINDINGS_MAX`].
    pub warnings: Vec<FileFinding>,
    /// Number of warnings.
    pub warning_count: u64,
}

impl Verified {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        self.finding_count == 0
    }

    /// Takes what was found in the bytes of a file.
    fn take(&mut self, path: &Path, report: Report) {
        let file = path.to_string_lossy();
        let move_to = |findings: Findings, list: &mut Vec<FileFinding>, count: &mut u64| {
            *count += findings.count;
            let room = FINDINGS_MAX - list.len();
            list.extend(findings.list.into_iter().take(room).map(|f| FileFinding::of(&file, f)));
        };
        move_to(report.findings, &mut self.findings, &mut self.finding_count);
        move_to(report.warnings, &mut self.warnings, &mut self.warning_count);
    }

    /// Notes something wrong about a file as a whole.
    fn find(&mut self, path: &Path, what: String) {
        self.finding_count += 1;
        note(path, what, &mut self.findings);
    }

    /// Notes something odd about a file as a whole.
    fn warn(&mut self, path: &Path, what: String) {
        self.warning_count += 1;
        note(path, what, &mut self.warnings);
    }
}

fn note(path: &Path, what: String, list: &mut Vec<FileFinding>) {
    if list.len() < FINDINGS_MAX {
        let file = path.to_string_lossy().into_owned();
        list.push(FileFinding { file, section: None, offset: None, what });
    }
}

/// Verifies a block, a file of one by itself, or all blocks directly in a folder, one after the other.
pub fn verify(path: &Path, threads: usize, watch: &Watch<'_>) -> Result<Verified, BlockError> {
    let mut verified = Verified::default();
    let is_folder = fs::metadata(path).map_err(BlockError::io(path))?.is_dir();
    let blocks = match is_folder && !has_block_parts(path) {
        true => blocks_of(path, &mut verified)?,
        false => vec![path.to_owned()],
    };
    verified.len = blocks.iter().map(|block| lens(block)).sum::<Result<u64, _>>()?;
    let meter = watch.phase(Phase::Verifying, Unit::Bytes, verified.len);
    for block in &blocks {
        let check = Check { verified: &mut verified, threads, meter: &meter };
        match is_folder {
            true => check.block(block)?,
            false => check.file(block)?,
        }
        watch.check().map_err(BlockError::stopped(block))?;
    }
    if is_folder {
        folder::check(&blocks, &mut verified)?;
    }
    meter.end();
    Ok(verified)
}

/// The folders of blocks. What was left half written or half removed is odd, and cleaned up by the next start.
fn blocks_of(path: &Path, verified: &mut Verified) -> Result<Vec<PathBuf>, BlockError> {
    let mut blocks = Vec::new();
    for entry in fs::read_dir(path).map_err(BlockError::io(path))? {
        let entry = entry.map_err(BlockError::io(path))?;
        if is_block_name(entry.file_name().as_bytes()) {
            blocks.push(entry.path());
        } else if is_unfinished(entry.file_name().as_bytes()) {
            verified.warn(&entry.path(), "left over from a writer that was stopped".to_owned());
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

/// What an index says that other files must agree with.
struct Named {
    index: VerifiedIndex,
    series: Vec<u32>,
    chunks: Vec<NamedChunk>,
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
    /// Verifies a file of a block by itself.
    fn file(mut self, path: &Path) -> Result<(), BlockError> {
        let bytes = Mapped::open(path).map_err(BlockError::io(path))?;
        match taken_for(path, &bytes) {
            FileKind::Index => {
                self.verified.block_count += 1;
                self.index(path).map(drop)
            }
            FileKind::Tombstones => self.tombstones(path, None).map(drop),
            FileKind::Meta => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let block = parent.unwrap_or(Path::new("."));
                meta::check(block, None, None, self.verified)
            }
            FileKind::Segment => {
                let mut report = Report::new(FINDINGS_MAX);
                if let Some(segment) = verify_segment(&bytes, &mut report) {
                    self.verified.chunks.add(verify_lone_segment(&segment, &mut report));
                }
                self.verified.take(path, report);
                self.meter.add(bytes.len() as u64);
                Ok(())
            }
        }
    }

    fn block(mut self, path: &Path) -> Result<(), BlockError> {
        self.verified.block_count += 1;
        let before = self.verified.finding_count;
        let named = match path.join("index") {
            index if index.exists() => Some(self.index(&index)?),
            index => {
                self.verified.find(&index, "is missing".to_owned());
                None
            }
        };
        let deleted = self.tombstones(&path.join("tombstones"), named.as_ref())?;
        let counts = match &named {
            Some(named) => self.chunks(&path.join("chunks"), named)?,
            None => ChunkCounts::default(),
        };
        // Counts of what can't be read in whole would be reported as wrong, and are only consequences.
        let is_whole = self.verified.finding_count == before;
        let content = named.filter(|_| is_whole).map(|named| meta::Content::of(&named, counts));
        meta::check(path, content, Some(deleted), self.verified)
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
        self.verified.series_count += index.series_count;
        self.verified.list_count += index.list_count;
        self.verified.posting_count += index.posting_count;
        self.verified.take(path, std::mem::take(&mut index.report));
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
        self.verified.take(path, report);
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
                self.verified.warn(path, what);
            }
            let of_segment = |chunk: &NamedChunk| chunk.meta.reference.segment() as usize <= number;
            let (own, rest) = chunks.split_at(chunks.partition_point(of_segment));
            chunks = rest;
            let bytes = Mapped::open(path).map_err(BlockError::io(path))?;
            let mut report = Report::new(FINDINGS_MAX);
            if let Some(segment) = verify_segment(&bytes, &mut report) {
                counts.add(self.segment(&segment, own, &mut report));
            }
            self.verified.take(path, report);
        }
        if let Some(first) = chunks.first() {
            let what = format!(
                "{} files of chunks, and the index names segment {} (series {}, {} chunks)",
                paths.len(),
                first.meta.reference.segment(),
                first.series.0,
                chunks.len()
            );
            self.verified.find(folder, what);
        }
        self.verified.chunks.add(counts);
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
            whole.0.add(counts);
            whole.1.merge(own);
            let upto = |part: usize| segment_len * part / part_count;
            self.meter.add((upto(part + 1) - upto(part)) as u64);
        });
        let (counts, parts) = unshared(whole);
        report.merge(parts);
        counts
    }
}
