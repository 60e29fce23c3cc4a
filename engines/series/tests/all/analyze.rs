//! Analysing blocks: the numbers of promtool, and blocks that it panics on.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_prometheus::crc32c;
use manicule_series::{
    Analysis, AnalyzeOptions, Block, Bytes, Chunks, Count, Distribution, Matcher, Matrix, Selector,
    analyze,
};
use manicule_testkit::{golden_folder, unpacked};

fn analyzed(path: &Path, matchers: &[Matcher], limit: usize) -> Analysis {
    let (matrix, chunks, bytes) = (Matrix::Count, Chunks::LeaveOut, Bytes::LeaveOut);
    let options = AnalyzeOptions { matchers, limit, matrix, chunks, bytes, by: None };
    analyze(&Block::open(path).unwrap(), &options, &Watch::none()).unwrap()
}

/// The rows of a list that promtool printed. A value may hold line breaks.
fn listed(text: &str, title: &str) -> Vec<(u64, String)> {
    let start = text.find(&format!("\n{title}:\n")).unwrap() + title.len() + 3;
    let end = text[start..].find("\n\n").map_or(text.len(), |end| start + end);
    let mut rows: Vec<(u64, String)> = Vec::new();
    for line in text[start..end].trim_end_matches('\n').split('\n') {
        let row = line.split_once(' ').and_then(|(count, key)| Some((count.parse().ok()?, key)));
        match (row, rows.last_mut()) {
            (Some((count, key)), _) => rows.push((count, key.to_owned())),
            (None, Some(last)) => last.1 += &format!("\n{line}"),
            (None, None) => assert!(line.is_empty(), "{line:?}"),
        }
    }
    rows
}

/// The number after a word.
fn told(text: &str, word: &str) -> u64 {
    let start = text.find(word).unwrap() + word.len();
    text[start..].lines().next().unwrap().trim().parse().unwrap()
}

/// Each row is one of ours with the same count, and the counts are the largest that there are:
/// which rows of the same count promtool prints is up to chance.
fn check_list(text: &str, title: &str, ours: &[Count]) {
    let theirs = listed(text, title);
    let counts: Vec<u64> = theirs.iter().map(|row| row.0).collect();
    let first: Vec<u64> = ours.iter().take(theirs.len()).map(|row| row.count).collect();
    assert_eq!(first, counts, "{title}");
    let is_whole = title.ends_with("metric names");
    let key = |row: &Count| {
        let name = String::from_utf8_lossy(&row.name).into_owned();
        match &row.value {
            None => name,
            Some(value) if is_whole => String::from_utf8_lossy(value).into_owned(),
            Some(value) => format!("{name}={}", String::from_utf8_lossy(value)),
        }
    };
    for (count, want) in theirs {
        let same = |row: &&Count| row.count == count && key(row) == want;
        assert!(ours.iter().any(|row| same(&row)), "{title}: {count} {want}");
    }
    let rises = |pair: &[Count]| {
        let (left, right) = (&pair[0], &pair[1]);
        left.count > right.count || (&left.name, &left.value) < (&right.name, &right.value)
    };
    assert!(ours.windows(2).all(rises), "{title}: by count, then by name");
}

fn check(path: &Path, text: &str, matchers: &[Matcher]) {
    let analysis = analyzed(path, matchers, usize::MAX);
    assert_eq!(analysis.series_count, told(text, "Total Series:"));
    assert_eq!(analysis.name_count, told(text, "Label names:"));
    assert_eq!(analysis.pair_count, told(text, "Postings (unique label pairs):"));
    assert_eq!(analysis.label_count, told(text, "Postings entries (total label pairs):"));
    if !matchers.is_empty() {
        assert_eq!(analysis.matched_count, told(text, "Matched series:"));
    }
    for (title, list) in [
        ("Label pairs most involved in churning", &analysis.churning_pairs),
        ("Label names most involved in churning", &analysis.churning_names),
        ("Most common label pairs", &analysis.common_pairs),
        ("Label names with highest cumulative label value length", &analysis.value_lens),
        ("Highest cardinality labels", &analysis.value_counts),
        ("Highest cardinality metric names", &analysis.metrics),
    ] {
        check_list(text, title, list);
    }
    // Each series has a metric here, or none: each label of it stands in its row.
    let matrix = analysis.matrix.unwrap();
    let cells = matrix.iter().flat_map(|row| &row.labels);
    let labels: u64 = cells.map(|cell| cell.series_count).sum();
    let of_metrics: u64 = matrix.iter().map(|row| row.series_count).sum();
    if of_metrics == analysis.matched_count {
        assert_eq!(labels + of_metrics, analysis.label_count);
    }
}

#[test]
fn the_numbers_are_those_of_promtool() {
    let golden = golden_folder("series", "golden");
    let text = |name: &str| {
        fs::read_to_string(golden.path().join(format!("promtool/analyze-{name}.txt"))).unwrap()
    };
    for name in ["tiny", "mixed", "classic", "k5k", "names", "native"] {
        let folder = golden.path().join("blocks").join(name);
        let block = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        check(&block, &text(name), &[]);
        if name == "k5k" {
            let selector = Selector::parse("{__name__=\"go_goroutines\"}").unwrap();
            check(&block, &text("k5k-match"), selector.matchers());
        }
    }
    let meta = fs::read_to_string(golden.path().join("index/1000/meta.json")).unwrap();
    let mut indexes = vec![("1000", fs::read(golden.path().join("index/1000/index")).unwrap())];
    match std::env::var_os("MANICULE_GOLDEN") {
        Some(full) => {
            indexes.push(("33333", unpacked(&Path::new(&full).join("index/33333/index.zst"))));
        }
        None => println!("left out: 33,333 series, where MANICULE_GOLDEN is not set"),
    }
    for (count, index) in indexes {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index"), index).unwrap();
        let own = meta.replace("\"numSeries\": 1000", &format!("\"numSeries\": {count}"));
        fs::write(folder.path().join("meta.json"), own).unwrap();
        check(folder.path(), &text(&format!("k8s-{count}")), &[]);
    }
}

#[test]
fn chunks_are_as_full_as_promtool_says() {
    let golden = golden_folder("series", "golden");
    let block = golden.path().join("blocks/k5k/01M7YV9DEF4R1HZ3V3WZ5VEFVX");
    let (matrix, chunks, bytes) = (Matrix::LeaveOut, Chunks::Read, Bytes::LeaveOut);
    let options = AnalyzeOptions { matchers: &[], limit: 5, matrix, chunks, bytes, by: None };
    let analysis = analyze(&Block::open(&block).unwrap(), &options, &Watch::none()).unwrap();
    assert_eq!((analysis.common_pairs.len(), analysis.metrics.len()), (5, 5));
    let chunks = analysis.chunks.unwrap();
    assert_eq!(chunks.histogram_samples, None);
    let samples =
        Distribution { min: 12, mean: 12, max: 12, steps: vec![(11, 20, 5000), (21, 30, 0)] };
    assert_eq!(chunks.float_samples, Some(samples));
    let steps = vec![(81, 90, 13), (91, 100, 3313), (101, 110, 1674), (111, 120, 0)];
    assert_eq!(chunks.float_lens, Some(Distribution { min: 81, mean: 98, max: 106, steps }));
}

#[test]
fn a_block_without_chunks_and_a_series_without_chunks_are_analysed() {
    let golden = golden_folder("series", "golden");
    let tiny = golden.path().join("blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27");
    let folder = tempfile::tempdir().unwrap();
    for name in ["index", "meta.json"] {
        fs::copy(tiny.join(name), folder.path().join(name)).unwrap();
    }
    let whole = analyzed(folder.path(), &[], 9);
    assert_eq!(whole.common_pairs, analyzed(&tiny, &[], 9).common_pairs);
    // The first series, at 64, is made to have no chunk: 18 bytes, of which the last 11 were its
    // chunk.
    let mut index = fs::read(tiny.join("index")).unwrap();
    assert_eq!(index[64..72], [18, 3, 1, 9, 7, 4, 8, 2]);
    index[72] = 0;
    let sum = crc32c(&index[65..83]).to_be_bytes();
    index[83..87].copy_from_slice(&sum);
    fs::write(folder.path().join("index"), index).unwrap();
    let analysis = analyzed(folder.path(), &[], 9);
    // It lasts no time: a whole series of churn for each of its labels.
    let churn: Vec<u64> = analysis.churning_pairs.iter().map(|row| row.count).collect();
    assert_eq!(churn, [1, 1, 1, 0, 0, 0]);
}
