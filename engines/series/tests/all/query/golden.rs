//! Prometheus's own answers to questions about its blocks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use manicule_core::hex;
use manicule_format_prometheus::{Index, SeriesRef};
use manicule_series::query::{Work, label_names, label_values, select};
use manicule_series::{MatchOp, Matcher};
use manicule_testkit::golden_folder;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Matchers as the answers have them: `[name, op, value]`.
fn matchers(question: &Value) -> Vec<Matcher> {
    let Some(list) = question["matchers"].as_array() else { return Vec::new() };
    let matcher = |matcher: &Value| {
        let op = match matcher[1].as_str().unwrap() {
            "=" => MatchOp::Equal,
            "!=" => MatchOp::NotEqual,
            "=~" => MatchOp::Regex,
            "!~" => MatchOp::NotRegex,
            other => panic!("{other}"),
        };
        Matcher::new(matcher[0].as_str().unwrap(), op, matcher[2].as_str().unwrap()).unwrap()
    };
    list.iter().map(matcher).collect()
}

fn put(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u32).to_be_bytes());
    hash.update(bytes);
}

pub(crate) type IndexOf<'a> = Index<&'a [u8]>;

/// The labels of a series.
pub(crate) fn labels<'i>(index: &'i IndexOf<'_>, series: SeriesRef) -> Vec<(&'i [u8], &'i [u8])> {
    let symbol = |symbol| index.symbol(symbol).unwrap();
    let labels = index.series(series).unwrap().labels();
    labels.map(|label| label.unwrap()).map(|(name, value)| (symbol(name), symbol(value))).collect()
}

/// Count and hash of the series, as the answers have them.
fn series_answer(index: &IndexOf<'_>, matchers: &[Matcher]) -> (u64, String) {
    let mut work = Work::default();
    let selection = select(index, matchers, &mut work).unwrap();
    let mut hash = Sha256::new();
    let mut count = 0;
    for series in selection.iter() {
        count += 1;
        assert!(selection.contains(series));
        for (name, value) in labels(index, series) {
            put(&mut hash, name);
            put(&mut hash, value);
        }
        hash.update([0xff; 4]);
    }
    assert_eq!(selection.len() as u64, count);
    assert_eq!(selection.is_empty(), count == 0);
    (count, hex::encode(hash.finalize()))
}

/// Asks an index all questions about series and labels that there are answers to.
pub(crate) fn ask_all(name: &str, index: &IndexOf<'_>, answers: &str) -> usize {
    let mut asked = 0;
    for line in answers.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let about = format!("{name}: {line:.300}");
        let matchers = matchers(&answer);
        let strings = |mut found: Vec<&[u8]>| {
            if let Some(limit) = answer["limit"].as_u64().filter(|limit| *limit > 0) {
                found.truncate(limit as usize);
            }
            let mut hash = Sha256::new();
            found.iter().for_each(|string| put(&mut hash, string));
            (found.len() as u64, hex::encode(hash.finalize()))
        };
        let mut work = Work::default();
        let (count, hash) = match answer["ask"].as_str().unwrap() {
            "series" => series_answer(index, &matchers),
            "label_names" => strings(label_names(index, &matchers, &mut work).unwrap()),
            "label_values" => {
                let label = answer["label"].as_str().unwrap().as_bytes();
                strings(label_values(index, label, &matchers, &mut work).unwrap())
            }
            _ => continue,
        };
        assert_eq!(
            (Some(count), answer["sha256"].as_str()),
            (answer["count"].as_u64(), Some(hash.as_str())),
            "{about}"
        );
        asked += 1;
    }
    asked
}

/// The index that the answers of a file are about.
fn index_of(golden: &Path, name: &str) -> PathBuf {
    if let Some(size) = name.strip_prefix("k8s-") {
        return golden.join(format!("index/{size}/index"));
    }
    if let Some(name) = name.strip_prefix("merge-") {
        return only_block(&golden.join("merge").join(name));
    }
    match name.split_once('-') {
        Some((data, block)) => golden.join("blocks").join(data).join(block).join("index"),
        None => only_block(&golden.join("blocks").join(name)),
    }
}

pub(crate) fn only_block(folder: &Path) -> PathBuf {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().unwrap().unwrap().path().join("index"),
        Err(_) => folder.to_owned(),
    }
}

/// All questions whose blocks are in a folder.
fn ask_folder(golden: &Path) -> usize {
    let mut asked = 0;
    let mut files: Vec<PathBuf> = std::fs::read_dir(golden.join("answers"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let path = index_of(golden, &name);
        let Ok(bytes) = std::fs::read(&path) else {
            println!("left out: {name}, its index is not there");
            continue;
        };
        let index = Index::open(&bytes[..]).unwrap();
        asked += ask_all(&name, &index, &std::fs::read_to_string(&file).unwrap());
    }
    asked
}

#[test]
fn prometheus_answers_the_same() {
    let golden = golden_folder("series", "golden");
    let asked = ask_folder(golden.path());
    println!("{asked} questions");
    assert!(asked >= 242, "{asked} questions");
}

/// A folder that the environment names.
fn environment(name: &str) -> Option<PathBuf> {
    let folder: Option<OsString> = std::env::var_os(name);
    if folder.is_none() {
        println!("left out: {name} is not set");
    }
    folder.map(PathBuf::from)
}

/// The larger indexes: `MANICULE_GOLDEN` is the full set of golden data (with Prometheus's own test
/// block of version 1), `MANICULE_INDEXES` a folder with `33333/index` and `1200000/index`.
#[test]
fn prometheus_answers_the_same_about_large_indexes_and_version_1() {
    let Some(golden) = environment("MANICULE_GOLDEN") else { return };
    let read = |name: &str| std::fs::read_to_string(golden.join("answers").join(name)).unwrap();
    let v1 = std::fs::read(only_block(&golden.join("blocks/v1"))).unwrap();
    let asked = ask_all("v1", &Index::open(&v1[..]).unwrap(), &read("v1.jsonl"));
    assert!(asked >= 5, "{asked}");
    let Some(indexes) = environment("MANICULE_INDEXES") else { return };
    for size in ["33333", "1200000"] {
        let bytes = std::fs::read(indexes.join(size).join("index")).unwrap();
        let index = Index::open(&bytes[..]).unwrap();
        let asked = ask_all(size, &index, &read(&format!("k8s-{size}.jsonl")));
        assert!(asked >= 100, "{asked}");
        println!("{size}: {asked} questions");
    }
}
