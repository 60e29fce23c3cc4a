//! Long calls report from their begin to their end, and can be stopped on their way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use manicule_code::shards::{
    self, IGNORE_DIRS, IgnoreDirs, InCompound, IndexError, IndexOptions, IndexReport, Limits,
    Linguist, ShardError, SymbolSource, Text, Unchanged,
};
use manicule_code::tree::{
    self, BuildError, BuildOptions, BuildReport, InspectError, Reuse, WhenBusy,
};
use manicule_core::watch::{Phase, Watch};
use manicule_format_zoekt::Repository;
use manicule_testkit::{check_watched, contents, names, tree_folder};
use tempfile::TempDir;

/// A tree of 70 files. What was written just now is read again by every build.
fn planted() -> (TempDir, PathBuf) {
    let folder = tree_folder();
    let tree = folder.path().canonicalize().unwrap().join("tree");
    for number in 0..70 {
        let place = tree.join(format!("folder{}", number % 7));
        fs::create_dir_all(&place).unwrap();
        let lines = (0..number * 20).map(|line| format!("line {line} of {number}\n"));
        fs::write(place.join(format!("file{number}.txt")), lines.collect::<String>() + "end\n")
            .unwrap();
    }
    (folder, tree)
}

fn now_ns() -> u64 {
    // Later than it is: what was written just now has settled.
    let later = SystemTime::now() + Duration::from_secs(60);
    later.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

fn build(tree: &Path, cache: &Path, watch: &Watch<'_>) -> Result<BuildReport, BuildError> {
    build_by(Reuse::Nothing, tree, cache, watch)
}

fn build_by(
    reuse: Reuse,
    tree: &Path,
    cache: &Path,
    watch: &Watch<'_>,
) -> Result<BuildReport, BuildError> {
    let options = BuildOptions {
        cache,
        reuse,
        when_busy: WhenBusy::GiveUp,
        threads: 2,
        memory: 64 << 20,
        cache_len_max: u64::MAX,
        clock: &now_ns,
    };
    tree::build(tree, &options, watch)
}

fn build_is_stopped(error: &BuildError) -> bool {
    matches!(error, BuildError::Stopped)
}

#[test]
fn a_trees_first_index_is_watched() {
    let (_folder, tree) = planted();
    let call = |cache: &Path, watch: &Watch<'_>| build(&tree, cache, watch);
    let left = |cache: &Path| assert!(contents(cache).is_empty(), "{:?}", contents(cache).keys());
    check_watched(&[Phase::Surveying, Phase::Reading], &call, &build_is_stopped, &left);
}

#[test]
fn a_stopped_build_leaves_the_index_that_was_there() {
    let (_folder, tree) = planted();
    let call = |cache: &Path, watch: &Watch<'_>| {
        build(&tree, cache, &Watch::none()).unwrap();
        let before = contents(cache);
        let built = build(&tree, cache, watch);
        if built.is_err() {
            assert_eq!(contents(cache), before);
        }
        built
    };
    check_watched(&[Phase::Surveying, Phase::Reading], &call, &build_is_stopped, &|_| ());
}

#[test]
fn a_merge_of_segments_is_watched() {
    let (_folder, tree) = planted();
    let call = |cache: &Path, watch: &Watch<'_>| {
        build(&tree, cache, &Watch::none()).unwrap();
        // More than a tenth of the pieces are dead then.
        for number in 30..70 {
            let path = tree.join(format!("folder{}/file{number}.txt", number % 7));
            fs::write(&path, fs::read_to_string(&path).unwrap() + "more\n").unwrap();
        }
        let before = contents(cache);
        let built = build_by(Reuse::Unchanged, &tree, cache, watch);
        if built.is_err() {
            assert_eq!(contents(cache), before);
        }
        built
    };
    let phases = [Phase::Surveying, Phase::Reading, Phase::Merging];
    check_watched(&phases, &call, &build_is_stopped, &|_| ());
}

#[test]
fn a_trees_verification_is_watched() {
    let (folder, tree) = planted();
    let cache = folder.path().join("cache");
    build(&tree, &cache, &Watch::none()).unwrap();
    for threads in [1, 2] {
        let call = |_: &Path, watch: &Watch<'_>| tree::verify(Some(&cache), &tree, threads, watch);
        let is_stopped = |error: &InspectError| matches!(error, InspectError::Stopped(_));
        check_watched(&[Phase::Verifying], &call, &is_stopped, &|_| ());
    }
}

fn index(
    folder: &Path,
    output: &Path,
    unchanged: Unchanged,
    watch: &Watch<'_>,
) -> Result<IndexReport, IndexError> {
    let options = IndexOptions {
        folder: folder.to_owned(),
        output: output.to_owned(),
        repository: Repository::from_json(br#"{"Name": "planted"}"#).unwrap(),
        source: Text::from("planted"),
        shard_prefix: None,
        limits: Limits { size_max: 2 << 20, trigrams_max: 20_000 },
        large_files: Vec::new(),
        ignore_dirs: IgnoreDirs::parse(IGNORE_DIRS),
        shard_len_max: 20_000,
        cache: None,
        now_ns: 0,
        index_time: "2026-11-21T11:03:39.152382221Z".to_owned(),
        shard_id: "dc0nlohksduef8vnc8ug".to_owned(),
        zoekt_version: String::new(),
        classify: &Linguist::default(),
        symbols: SymbolSource::Off,
        threads: 2,
        memory: 1 << 26,
        unchanged,
        in_compound: InCompound::Stays,
    };
    shards::index(&options, watch)
}

fn index_is_stopped(error: &IndexError) -> bool {
    matches!(error, IndexError::Stopped)
}

#[test]
fn an_indexing_into_shards_is_watched() {
    let (_folder, tree) = planted();
    let call = |out: &Path, watch: &Watch<'_>| index(&tree, out, Unchanged::IsWrittenAgain, watch);
    let left = |out: &Path| assert!(names(out).is_empty(), "{:?}", names(out));
    check_watched(&[Phase::Indexing, Phase::Syncing], &call, &index_is_stopped, &left);
}

#[test]
fn a_comparison_with_shards_is_watched() {
    let (_folder, tree) = planted();
    let call = |out: &Path, watch: &Watch<'_>| {
        index(&tree, out, Unchanged::Stays, &Watch::none()).unwrap();
        index(&tree, out, Unchanged::Stays, watch)
    };
    check_watched(&[Phase::Comparing], &call, &index_is_stopped, &|_| ());
}

#[test]
fn a_verification_of_shards_is_watched() {
    let (folder, tree) = planted();
    let out = folder.path().join("shards");
    index(&tree, &out, Unchanged::IsWrittenAgain, &Watch::none()).unwrap();
    for threads in [1, 2] {
        let call = |_: &Path, watch: &Watch<'_>| {
            shards::verify(&out, threads, watch, &mut |error| panic!("{error}"))
        };
        let is_stopped = |error: &ShardError| matches!(error, ShardError::Stopped { .. });
        check_watched(&[Phase::Verifying], &call, &is_stopped, &|_| ());
    }
}
