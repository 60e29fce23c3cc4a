//! What `index` writes is right: `verify` finds nothing, and `inspect` counts what was put in. And
//! shards that a byte is changed in are reported by file, section and offset.

use std::fs;
use std::path::Path;

use manicule_code::shards::{
    IGNORE_DIRS, IgnoreDirs, InCompound, IndexOptions, Limits, Linguist, ShardCounts, SymbolSource,
    Unchanged, index, inspect, summarise, verify,
};
use manicule_core::findings::Verified;
use manicule_core::watch::Watch;
use manicule_format_zoekt::{Repository, Text};
use manicule_testkit::golden_folder;

/// A folder of 200 files: plain ones, wide runes that cross the blocks of 64 runes, bytes that are
/// not valid UTF-8, empty ones, and some of each reason to be skipped.
fn plant(folder: &Path) {
    for number in 0..200usize {
        let mut text = format!("file {number}\nsecond line, {:x}\n", number * 7919).into_bytes();
        match number % 8 {
            0 => text.extend("é日𝄞 wide ".repeat(number).bytes()),
            1 => text.extend([0xe6, 0x97, 0xff, b'x', 0xf0, 0x9d]),
            2 => text.clear(),
            3 => text.truncate(2),
            4 => text.push(0),
            5 => text.extend((0..number * 50).map(|at| b'a' + (at * at % 23) as u8)),
            _ => {}
        }
        fs::write(folder.join(format!("näme{number}.txt")), text).unwrap();
    }
}

fn write(folder: &Path, output: &Path, shard_len_max: u64) {
    let options = IndexOptions {
        folder: folder.to_owned(),
        output: output.to_owned(),
        repository: Repository::from_json(b"{}").unwrap(),
        source: Text::from("planted"),
        shard_prefix: None,
        limits: Limits { size_max: 2 << 20, trigrams_max: 20_000 },
        large_files: Vec::new(),
        ignore_dirs: IgnoreDirs::parse(IGNORE_DIRS),
        shard_len_max,
        cache: None,
        now_ns: 0,
        index_time: "2026-11-21T11:03:39.152382221Z".to_owned(),
        shard_id: "dc0nlohksduef8vnc8ug".to_owned(),
        zoekt_version: String::new(),
        classify: &Linguist::default(),
        symbols: SymbolSource::Off,
        threads: 2,
        memory: 1 << 26,
        unchanged: Unchanged::IsWrittenAgain,
        in_compound: InCompound::Stays,
    };
    index(&options, &Watch::none()).unwrap();
}

fn verified(path: &Path, threads: usize) -> Verified<ShardCounts> {
    verify(path, threads, &Watch::none(), &mut |error| panic!("{error}")).unwrap()
}

#[test]
fn what_is_written_is_right() {
    let (folder, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    plant(folder.path());
    write(folder.path(), output.path(), 20_000);
    let told = verified(output.path(), 2);
    assert_eq!(told.verdict.findings.list, []);
    assert!(told.counts.shards > 1, "{told:?}");
    assert_eq!(told.counts.documents, 200);
    let lines = summarise(output.path()).unwrap();
    let mut skipped = 0;
    for line in &lines {
        let shard = inspect(&line.path).unwrap();
        let own = line.documents.as_ref().unwrap();
        assert_eq!((shard.document_count, shard.text_len), (own.document_count, own.text_len));
        skipped += shard.skipped.iter().map(|count| count.document_count).sum::<u64>();
        let sum: u64 = shard.sections.iter().map(|section| section.len).sum();
        // The table of contents and the trailer are the rest.
        assert_eq!(sum + 674 + 8, shard.len);
    }
    assert_eq!(skipped, 50);
}

#[test]
fn thread_count_leaves_no_trace_in_what_is_found() {
    let (folder, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    plant(folder.path());
    write(folder.path(), output.path(), 1 << 30);
    let path = summarise(output.path()).unwrap()[0].path.clone();
    let mut bytes = fs::read(&path).unwrap();
    // A text that many lists point to: more findings than are listed.
    let at = inspect(&path).unwrap().sections[0].offset as usize;
    bytes[at..at + 3000].iter_mut().for_each(|byte| *byte ^= 0x15);
    fs::write(&path, bytes).unwrap();
    let first = verified(&path, 1);
    assert!(
        first.verdict.findings.count > first.verdict.findings.list.len() as u64,
        "{}",
        first.verdict.findings.count
    );
    assert!(
        first
            .verdict
            .findings
            .list
            .iter()
            .any(|finding| finding.section.as_deref() == Some("postings"))
    );
    for threads in [2, 3, 8] {
        assert_eq!(verified(&path, threads), first);
    }
}

#[test]
fn what_zoekt_wrote_is_right() {
    let golden = golden_folder("code", "shards");
    let mut count = 0;
    for entry in fs::read_dir(golden.path().join("shards")).unwrap() {
        let folder = entry.unwrap().path();
        let told = verified(&folder, 2);
        assert_eq!(told.verdict.findings.list, [], "{folder:?}");
        // Languages and categories are those that are computed here.
        assert_eq!(told.verdict.warnings.list, [], "{folder:?}");
        count += told.counts.shards;
    }
    assert!(count >= 19, "{count}");
}

#[test]
fn a_class_that_is_another_is_a_warning() {
    let (folder, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, text) in
        [("a.go", "package a\n"), ("b.rs", "fn bbbb() {}\n"), ("c.go", "package ccccc\n")]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    write(folder.path(), output.path(), 1 << 20);
    let path = summarise(output.path()).unwrap()[0].path.clone();
    let mut bytes = fs::read(&path).unwrap();
    let section = |tag: &str| {
        let sections = inspect(&path).unwrap().sections;
        sections.iter().find(|section| section.name == tag).unwrap().offset as usize
    };
    let (languages, categories) = (section("languages"), section("categories"));
    assert_eq!(bytes[languages..languages + 6], [0, 0, 1, 0, 0, 0]);
    bytes[languages + 4] = 1;
    bytes[categories + 1] = 5;
    fs::write(&path, bytes).unwrap();
    let verdict = verified(&path, 2).verdict;
    assert_eq!(verdict.findings.list, []);
    let told: Vec<String> =
        verdict.warnings.list.iter().map(|warning| warning.what.clone()).collect();
    assert_eq!(
        told,
        ["language of c.go: wanted Go, got Rust", "category of b.rs: wanted default, got config",]
    );
}
