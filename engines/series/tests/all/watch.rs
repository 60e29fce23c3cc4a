//! Long calls report from their begin to their end, and can be stopped on their way.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use manicule_core::watch::{Phase, Watch};
use manicule_series::build::{BLOCK_RANGE, BuildError, BuildOptions, Builder};
use manicule_series::dump::{DumpError, DumpFormat, dump};
use manicule_series::merge::{MergeError, MergeOptions, merge};
use manicule_series::openmetrics::Dialect;
use manicule_series::query::Blocks;
use manicule_series::rewrite::{RewriteOptions, Rules, rewrite};
use manicule_series::split::{SplitBy, split};
use manicule_series::write::SymbolChoice;
use manicule_series::{
    AnalyzeOptions, Block, BlockError, Bytes, Chunks, Interval, Matrix, ReindexOptions, Selector,
    Target, Ulid, analyze, block_paths, reindex, verify,
};
use manicule_testkit::{check_watched, names};
use tempfile::TempDir;

const MEMORY: u64 = 16 << 20;

/// Names for blocks.
fn ulids() -> impl FnMut() -> Ulid {
    let mut number = 0;
    move || {
        number += 1;
        Ulid::new(number, [7; 10])
    }
}

/// Samples of 60 series in two ranges of blocks.
fn text() -> String {
    let mut text = String::new();
    for time in (0..14_400).step_by(600) {
        for series in 0..60 {
            let _ = writeln!(text, "up{{job=\"{series}\"}} {} {time}", series * time);
        }
    }
    text + "# EOF\n"
}

fn build(folder: &Path, watch: &Watch<'_>) -> Result<(), BuildError> {
    let options = BuildOptions { range: BLOCK_RANGE, memory: 4 << 10 };
    let mut builder = Builder::new(Target::open(folder)?, options, ulids());
    builder.read(text().as_bytes(), Dialect::OpenMetrics)?;
    builder.finish(watch).map(drop)
}

/// Two blocks, open.
fn blocks() -> (TempDir, Vec<Block>) {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &Watch::none()).unwrap();
    let paths: Vec<PathBuf> = block_paths(folder.path()).unwrap();
    assert_eq!(paths.len(), 2);
    let blocks = paths.iter().map(|path| Block::open(path).unwrap()).collect();
    (folder, blocks)
}

fn nothing(folder: &Path) {
    assert!(names(folder).is_empty(), "{:?}", names(folder));
}

/// Blocks that were made before a call was stopped are whole, and nothing else is there.
fn whole_blocks(folder: &Path) {
    for name in names(folder) {
        assert!(name.parse::<Ulid>().is_ok(), "{name}");
        assert!(verify(&folder.join(name), 1, &Watch::none()).unwrap().verdict.is_ok());
    }
}

fn merge_is_stopped(error: &MergeError) -> bool {
    matches!(error, MergeError::Stopped)
}

fn read_is_stopped(error: &BlockError) -> bool {
    matches!(error, BlockError::Stopped { .. })
}

#[test]
fn a_build_is_watched() {
    let is_stopped = |error: &BuildError| matches!(error, BuildError::Stopped);
    check_watched(&[Phase::Writing], &build, &is_stopped, &whole_blocks);
}

#[test]
fn a_merge_is_watched() {
    let (_folder, blocks) = blocks();
    let options = MergeOptions { ulid: ulids()(), memory: MEMORY, skip_damaged: None };
    let call = |out: &Path, watch: &Watch<'_>| {
        merge(&blocks, Some(&Target::open(out).unwrap()), &options, watch)
    };
    check_watched(&[Phase::Merging, Phase::Writing], &call, &merge_is_stopped, &nothing);
    let dry = |_: &Path, watch: &Watch<'_>| merge(&blocks, None, &options, watch);
    check_watched(&[Phase::Merging], &dry, &merge_is_stopped, &nothing);
}

#[test]
fn a_split_is_watched() {
    let (_folder, blocks) = blocks();
    for by in [SplitBy::Hash { parts: 3 }, SplitBy::Time { range: 1_800_000 }] {
        let call = |out: &Path, watch: &Watch<'_>| {
            split(&blocks[0], &Target::open(out).unwrap(), by, MEMORY, ulids(), watch)
        };
        let phases = [Phase::Reading, Phase::Splitting];
        check_watched(&phases, &call, &merge_is_stopped, &whole_blocks);
    }
}

#[test]
fn a_rewrite_is_watched() {
    let (_folder, blocks) = blocks();
    let options = RewriteOptions { ulid: ulids()(), memory: MEMORY, skip_damaged: None };
    let call = |out: &Path, watch: &Watch<'_>| {
        let target = Target::open(out).unwrap();
        rewrite(&blocks[0], Some(&target), &Rules::default(), &options, watch)
    };
    let phases = [Phase::Reading, Phase::Merging, Phase::Writing];
    check_watched(&phases, &call, &merge_is_stopped, &nothing);
}

#[test]
fn a_reindexing_is_watched() {
    let (_folder, blocks) = blocks();
    for threads in [1, 2] {
        let options = ReindexOptions {
            memory: MEMORY,
            symbols: SymbolChoice::All,
            label_indices: false,
            index_header: true,
            sparse_header: true,
            threads,
        };
        let call = |out: &Path, watch: &Watch<'_>| reindex(&blocks[0], out, &options, watch);
        check_watched(&[Phase::Reading, Phase::Writing], &call, &merge_is_stopped, &nothing);
    }
}

#[test]
fn a_verification_is_watched() {
    let (folder, _) = blocks();
    for threads in [1, 3] {
        let call = |_: &Path, watch: &Watch<'_>| verify(folder.path(), threads, watch);
        check_watched(&[Phase::Verifying], &call, &read_is_stopped, &nothing);
    }
}

#[test]
fn an_analysis_is_watched() {
    let (_folder, blocks) = blocks();
    let (matrix, chunks, bytes) = (Matrix::Count, Chunks::Read, Bytes::Sum);
    let options = AnalyzeOptions { matchers: &[], limit: 10, matrix, chunks, bytes, by: None };
    let call = |_: &Path, watch: &Watch<'_>| analyze(&blocks[0], &options, watch);
    check_watched(&[Phase::Reading; 3], &call, &read_is_stopped, &nothing);
}

#[test]
fn a_dump_is_watched() {
    let (_folder, blocks) = blocks();
    let times = Interval { min_time: i64::MIN, max_time: i64::MAX };
    let call = |_: &Path, watch: &Watch<'_>| {
        let selectors = [Selector::everything()];
        let (asked, mut out) = (Blocks::new(&blocks, None), Vec::new());
        dump(&asked, &selectors, times, DumpFormat::OpenMetrics, &mut out, watch)
    };
    let is_stopped = |error: &DumpError| matches!(error, DumpError::Stopped);
    check_watched(&[Phase::Writing], &call, &is_stopped, &nothing);
}
