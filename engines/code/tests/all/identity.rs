//! The shards of `index` beside those of zoekt-index: byte for byte.
//!
//! Time, id and version are fed in, as the golden files have them. Large corpora are compared
//! section by section where `MANICULE_GOLDEN` names the folder of golden
//! sections and `MANICULE_CORPORA` that of the corpora.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use manicule_code::shards::{
    IGNORE_DIRS, IgnoreDirs, InCompound, IndexOptions, IndexReport, Limits, Linguist, SymbolSource,
    Unchanged, index,
};
use manicule_core::hex;
use manicule_core::watch::Watch;
use manicule_format_zoekt::{Repository, Section, Shard, Text};
use manicule_testkit::golden_folder;

/// A call as `zoekt-index -disable_ctags` has it by default.
pub(crate) fn options<'o>(
    folder: &Path,
    output: &Path,
    linguist: &'o Linguist,
) -> IndexOptions<'o> {
    let name = folder.file_name().unwrap().to_str().unwrap();
    IndexOptions {
        folder: folder.to_owned(),
        output: output.to_owned(),
        repository: Repository { name: name.into(), ..Repository::from_json(b"{}").unwrap() },
        source: Text::from(name),
        shard_prefix: None,
        limits: Limits { size_max: 2 << 20, trigrams_max: 20_000 },
        large_files: Vec::new(),
        ignore_dirs: IgnoreDirs::parse(IGNORE_DIRS),
        shard_len_max: 100 << 20,
        cache: None,
        now_ns: 0,
        index_time: String::new(),
        shard_id: String::new(),
        zoekt_version: String::new(),
        classify: linguist,
        symbols: SymbolSource::Off,
        threads: 2,
        memory: 1 << 30,
        unchanged: Unchanged::IsWrittenAgain,
        in_compound: InCompound::Stays,
    }
}

pub(crate) fn shards_in(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "zoekt"))
        .collect();
    paths.sort();
    paths
}

/// Which sections of two shards differ. The index of a compound section is compared relative to its
/// first item.
fn differences(got: &Shard<'_>, want: &Shard<'_>) -> Vec<&'static str> {
    let differ = |section: &Section| {
        let items = |shard: &Shard<'_>| {
            let (items, first) = (shard.items(*section), shard.toc().extent(*section).at);
            (0..items.len()).map(|i| items.range(i).unwrap().start - first).collect::<Vec<_>>()
        };
        got.section(*section) != want.section(*section) || items(got) != items(want)
    };
    Section::ALL.into_iter().filter(differ).map(Section::tag).collect()
}

pub(crate) fn expect_same(got: &Path, want: &Path, what: &str) {
    let (got, want) = (fs::read(got).unwrap(), fs::read(want).unwrap());
    if got != want {
        let (got, want) = (Shard::open(&got).unwrap(), Shard::open(&want).unwrap());
        panic!("{what}: the bytes differ, in {:?}", differences(&got, &want));
    }
}

/// Indexes `tree` as zoekt did it for the shards in `shards/folder`, on 1, 2 and 3 threads, with
/// plenty of memory and with next to none, and compares all bytes.
fn check(tree: &str, folder: &str, filter: &str, change: impl Fn(&mut IndexOptions<'_>, &Path)) {
    let trees = golden_folder("code", "trees");
    let shards = golden_folder("code", "shards");
    let mut golden = shards_in(&shards.path().join("shards").join(folder));
    golden.retain(|path| path.to_str().unwrap().contains(filter));
    assert!(!golden.is_empty());
    let linguist = Linguist::default();
    let first = fs::read(&golden[0]).unwrap();
    let first = Shard::open(&first).unwrap();
    for (threads, memory) in [(1, 1 << 30), (2, 1 << 30), (3, 0), (1, 1)] {
        let output = tempfile::tempdir().unwrap();
        let mut options = options(&trees.path().join("trees").join(tree), output.path(), &linguist);
        options.index_time = first.metadata().index_time.clone();
        options.shard_id = first.metadata().id.clone();
        (options.threads, options.memory) = (threads, memory);
        change(&mut options, trees.path());
        let report = index(&options, &Watch::none()).unwrap();
        assert_eq!(report.first_failure, None);
        let what = format!("{tree} on {threads} threads with {memory} bytes");
        let got = shards_in(output.path());
        let names = |paths: &[PathBuf]| -> Vec<_> {
            paths.iter().map(|path| path.file_name().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&got), names(&golden), "{what}");
        got.iter().zip(&golden).for_each(|(got, want)| expect_same(got, want, &what));
        expect_whole(&report, output.path());
        // Once more: nothing to do, and nothing is done.
        let again = index(&IndexOptions { unchanged: Unchanged::Stays, ..options }, &Watch::none())
            .unwrap();
        assert!(again.is_unchanged, "{what}");
        assert_eq!(again.document_count, report.document_count, "{what}");
        got.iter().zip(&golden).for_each(|(got, want)| expect_same(got, want, &what));
    }
}

/// The report lists what is there, and nothing else is.
fn expect_whole(report: &IndexReport, output: &Path) {
    let lens: Vec<u64> = report.shards.iter().map(|shard| shard.len).collect();
    let files: Vec<u64> = fs::read_dir(output)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(lens.iter().sum::<u64>(), files.iter().sum::<u64>());
    assert_eq!(lens.len(), files.len());
}

#[test]
fn a_small_tree_of_hostile_bytes() {
    check("small", "noctags", "", |_, _| {});
}

#[test]
fn limits_and_several_shards() {
    check("small", "limits", "", |options, _| {
        options.shard_len_max = 150_000;
        options.limits = Limits { size_max: 90_000, trigrams_max: 5000 };
        options.large_files = vec!["hostile/*.txt".to_owned(), "!hostile/size_*".to_owned()];
    });
}

#[test]
fn a_tree_with_an_ignore_file() {
    check("ignored", "ignored", "", |_, _| {});
}

#[test]
fn trees_with_descriptions() {
    for name in ["alpha", "beta", "gamma"] {
        check(name, "meta", name, |options, trees| {
            let json = fs::read(trees.join(format!("trees/meta/{name}.meta.json"))).unwrap();
            options.repository = Repository::from_json(&json).unwrap();
        });
    }
}

/// Debian's universal-ctags of the release that made the golden shards, if it is here.
pub(crate) fn ctags() -> Option<SymbolSource> {
    let program = PathBuf::from("/usr/bin/ctags-universal");
    let version = Command::new(&program).arg("--version").output().ok()?;
    let is_it = String::from_utf8_lossy(&version.stdout).starts_with("Universal Ctags 5.9.0,");
    if !is_it {
        println!("left out: {} is another release", program.display());
    }
    is_it.then_some(SymbolSource::Ctags { program, must_succeed: false })
}

#[test]
fn a_small_tree_with_symbols() {
    let Some(symbols) = ctags() else {
        return println!("left out: symbols, for there is no universal-ctags 5.9.0 of Debian");
    };
    check("small", "ctags", "", |options, _| options.symbols = symbols.clone());
}

/// Section by section: the hashes that `shards` of zoekt have.
fn check_corpus(name: &str) {
    check_corpus_as(name, name, &SymbolSource::Off);
}

/// The same of shards that have another name than their corpus.
fn check_corpus_as(name: &str, sections: &str, symbols: &SymbolSource) {
    let folders = ["MANICULE_GOLDEN", "MANICULE_CORPORA"].map(std::env::var_os);
    let [Some(golden), Some(corpora)] = folders else {
        return println!("left out: {name}, for MANICULE_GOLDEN and MANICULE_CORPORA are not set");
    };
    let (golden, corpus) = (PathBuf::from(golden), PathBuf::from(corpora).join(name));
    if !corpus.exists() {
        return println!("left out: {name} is not in MANICULE_CORPORA");
    }
    let linguist = Linguist::default();
    let json = fs::read(golden.join(format!("sections/{sections}.json"))).unwrap();
    let wanted: Vec<serde_json::Value> = serde_json::from_slice(&json).unwrap();
    for (threads, memory) in [(2, 1 << 30), (1, 1 << 30), (2, 64 << 20)] {
        let output = tempfile::tempdir().unwrap();
        let mut options = options(&corpus, output.path(), &linguist);
        (options.threads, options.memory) = (threads, memory);
        options.symbols = symbols.clone();
        let report = index(&options, &Watch::none()).unwrap();
        assert_eq!(report.first_failure, None);
        let got = shards_in(output.path());
        assert_eq!(got.len(), wanted.len());
        for (path, want) in got.iter().zip(&wanted) {
            expect_hashes(path, want);
        }
        println!("{name}: {} shards on {threads} threads with {memory} bytes", got.len());
    }
}

fn expect_hashes(path: &Path, want: &serde_json::Value) {
    use sha2::{Digest, Sha256};
    let hex = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let bytes = fs::read(path).unwrap();
    let shard = Shard::open(&bytes).unwrap();
    for row in want["sections"].as_array().unwrap() {
        let tag = row["tag"].as_str().unwrap();
        let section = Section::ALL.into_iter().find(|section| section.tag() == tag).unwrap();
        let what = format!("{} {tag}", path.display());
        if section == Section::MetaData {
            continue;
        }
        assert_eq!(hex(shard.section(section).unwrap()), row["sha256"].as_str().unwrap(), "{what}");
        if let Some(hash) = row["index_sha256_relative"].as_str() {
            let (items, first) = (shard.items(section), shard.toc().extent(section).at);
            assert_eq!(items.len() as u64, row["items"].as_u64().unwrap(), "{what}");
            let starts = (0..items.len()).map(|i| items.range(i).unwrap().start - first);
            let index: Vec<u8> = starts.flat_map(u32::to_be_bytes).collect();
            assert_eq!(hex(&index), hash, "{what}");
        }
    }
    let (got, want) = (shard.metadata(), &want["metaData"]);
    assert_eq!(got.plain_ascii, want["PlainASCII"].as_bool().unwrap());
    assert_eq!(serde_json::to_value(&got.language_map).unwrap(), want["LanguageMap"]);
}

#[test]
fn kubernetes() {
    check_corpus("kubernetes");
}

#[test]
fn kubernetes_with_symbols() {
    let Some(symbols) = ctags() else {
        return println!("left out: symbols of kubernetes, for want of universal-ctags 5.9.0");
    };
    check_corpus_as("kubernetes", "kubernetes-ctags", &symbols);
}

#[test]
fn kubernetes_with_its_staging_modules() {
    check_corpus("k8s-full");
}

#[test]
fn the_library_of_go() {
    check_corpus("gosrc");
}

#[test]
fn the_lexers_of_pygments() {
    check_corpus("pygments");
}
