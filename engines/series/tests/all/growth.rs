//! What grew between two blocks, what samples take, and how many series a value has: all judged by
//! reading every series and every chunk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_series::build::{BLOCK_RANGE, BuildOptions, Builder};
use manicule_series::growth::{Grown, GrownList, growth};
use manicule_series::openmetrics::Dialect;
use manicule_series::query::{Blocks, Work};
use manicule_series::{
    Analysis, AnalyzeOptions, Block, Bytes, Chunks, Matrix, Selector, Target, Ulid, analyze,
    open_all,
};
use manicule_testkit::{Rng, golden_folder};

type Pair = (Vec<u8>, Vec<u8>);

/// Every series with the bytes of its chunks, read whole.
fn read_all(block: &Block) -> BTreeMap<Vec<Pair>, u64> {
    let index = block.index();
    let text = |symbol| index.symbol(symbol).unwrap().to_vec();
    let mut all = BTreeMap::new();
    for series in index.all_postings().unwrap().iter() {
        let series = index.series(series).unwrap();
        let labels = series.labels().map(|label| label.map(|(n, v)| (text(n), text(v))).unwrap());
        let len = |chunk: manicule_series::ChunkMeta| {
            let chunk = block.chunk(chunk.reference).unwrap();
            assert!(chunk.open().unwrap().samples().unwrap().all(|sample| sample.is_ok()));
            chunk.end - chunk.at
        };
        let chunks = series.chunks().unwrap();
        assert!(
            all.insert(labels.collect(), chunks.map(|chunk| len(chunk.unwrap())).sum()).is_none()
        );
    }
    all
}

/// A row in plain numbers: series before, now, added, removed; bytes before and now.
type Plain = [u64; 6];

fn plain(row: &Grown) -> Plain {
    let (series, len) = (&row.series, row.sample_len.unwrap_or_default());
    [series.before, series.now, series.added, series.removed, len.before, len.now]
}

/// What grew, by the plainest code: for each key, the series that have it.
fn slow<K: Ord + Clone>(
    before: &BTreeMap<Vec<Pair>, u64>,
    now: &BTreeMap<Vec<Pair>, u64>,
    keys: impl Fn(&Pair) -> Option<K>,
) -> BTreeMap<K, Plain> {
    let mut rows = BTreeMap::new();
    let wanted: BTreeSet<K> = before.keys().chain(now.keys()).flatten().filter_map(&keys).collect();
    for key in wanted {
        let of = |side: &BTreeMap<Vec<Pair>, u64>| -> BTreeMap<Vec<Pair>, u64> {
            let has =
                |labels: &Vec<Pair>| labels.iter().any(|pair| keys(pair).as_ref() == Some(&key));
            side.iter()
                .filter(|(labels, _)| has(labels))
                .map(|(l, len)| (l.clone(), *len))
                .collect()
        };
        let (old, new) = (of(before), of(now));
        let added = new.keys().filter(|labels| !old.contains_key(*labels)).count() as u64;
        let removed = old.keys().filter(|labels| !new.contains_key(*labels)).count() as u64;
        let row = [
            old.len() as u64,
            new.len() as u64,
            added,
            removed,
            old.values().sum(),
            new.values().sum(),
        ];
        // What is the same in all of this neither grew nor shrank.
        if row[0] != row[1] || row[4] != row[5] || added > 0 {
            rows.insert(key, row);
        }
    }
    rows
}

fn check_list<K: Ord + std::fmt::Debug>(
    list: &GrownList,
    slow: &BTreeMap<K, Plain>,
    key: impl Fn(&Grown) -> K,
) {
    let rows = || list.grew.iter().chain(&list.shrank);
    let fast: BTreeMap<K, Plain> = rows().map(|row| (key(row), plain(row))).collect();
    assert_eq!(&fast, slow);
    assert_eq!(
        (rows().count() as u64, fast.len()),
        (list.grew_count + list.shrank_count, slow.len())
    );
    let order = |row: &Grown| {
        let [before, now, added, _, len_before, len_now] = plain(row).map(|number| number as i64);
        (now - before, len_now - len_before, added)
    };
    assert!(list.grew.iter().all(|row| order(row) > (0, 0, 0)));
    assert!(list.shrank.iter().all(|row| order(row) < (0, 0, 0)));
    assert!(list.grew.is_sorted_by(|left, right| order(left) >= order(right)), "most first");
    assert!(list.shrank.is_sorted_by(|left, right| order(left) <= order(right)), "most first");
}

/// Compares what grew with the plain way; returns how many series came and went.
fn check_growth(before: &Block, now: &Block) -> (u64, u64) {
    let fast = growth(before, now, &[], usize::MAX).unwrap();
    let (old, new) = (read_all(before), read_all(now));
    let is_metric = |pair: &Pair| pair.0 == b"__name__";
    let value = |row: &Grown| row.value.clone().unwrap();
    let metrics = slow(&old, &new, |pair| is_metric(pair).then(|| pair.1.clone()));
    check_list(&fast.metrics, &metrics, value);
    let pairs = slow(&old, &new, |pair| (!is_metric(pair)).then(|| pair.clone()));
    check_list(&fast.pairs, &pairs, |row| (row.name.clone(), value(row)));
    let names = slow(&old, &new, |pair| Some(pair.0.clone()));
    check_list(&fast.names, &names, |row| row.name.clone());
    for row in fast.names.grew.iter().chain(&fast.names.shrank) {
        let values = |side: &BTreeMap<Vec<Pair>, u64>| -> BTreeSet<Vec<u8>> {
            let own = side.keys().flatten().filter(|pair| pair.0 == row.name);
            own.map(|pair| pair.1.clone()).collect()
        };
        let (old, new, told) = (values(&old), values(&new), row.values.unwrap());
        assert_eq!((told.before, told.now), (old.len() as u64, new.len() as u64));
        assert_eq!(told.added, new.difference(&old).count() as u64);
        assert_eq!(told.removed, old.difference(&new).count() as u64);
        // What a label takes in the index is what an analysis says.
        let cost = |block: &Block| {
            let costs = analyzed(block, None).costs;
            costs.iter().find(|cost| cost.name == row.name).map_or(0, |cost| cost.len())
        };
        let index = row.index_len.unwrap();
        assert_eq!((index.before, index.now), (cost(before), cost(now)));
    }
    let len = fast.sample_len.unwrap();
    assert_eq!((len.before, len.now), (old.values().sum(), new.values().sum()));
    (fast.series.added, fast.series.removed)
}

fn analyzed(block: &Block, by: Option<&[u8]>) -> Analysis {
    let (matrix, chunks, bytes) = (Matrix::LeaveOut, Chunks::LeaveOut, Bytes::Sum);
    let options = AnalyzeOptions { matchers: &[], limit: usize::MAX, matrix, chunks, bytes, by };
    analyze(block, &options, &Watch::none()).unwrap()
}

/// Plants a block of some jobs and pods, with the pods of `pods`, each with as many samples as its
/// number says.
fn planted(folder: &Path, seed: u64, pods: std::ops::Range<u64>) -> Block {
    let mut random = Rng::new(seed);
    let mut text = String::new();
    for metric in ["up", "requests_total", if seed == 1 { "old" } else { "new" }] {
        for pod in pods.clone() {
            let job = if pod % 3 == 0 { "api" } else { "web" };
            for sample in 0..1 + pod % 5 {
                let (value, time) = (random.below(1000), 1_700_000_000 + sample * 30);
                text += &format!("{metric}{{job=\"{job}\",pod=\"p{pod}\"}} {value} {time}\n");
            }
        }
    }
    text += &format!("plain{} 1 1700000000\n# EOF\n", if seed == 1 { "{pod=\"x\"}" } else { "" });
    let options = BuildOptions { range: BLOCK_RANGE, memory: 1 << 28 };
    let mut builder =
        Builder::new(Target::open(folder).unwrap(), options, || Ulid::new(seed, [7; 10]));
    builder.read(text.as_bytes(), Dialect::OpenMetrics).unwrap();
    builder.finish(&Watch::none()).unwrap();
    open_all(folder).unwrap().remove(0)
}

#[test]
fn what_grew_between_planted_blocks_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let old = planted(&folder.path().join("old"), 1, 0..40);
    let new = planted(&folder.path().join("new"), 2, 25..90);
    // Of up and requests_total 25 pods went and 50 came, of old 40 went, of new 65 came, and plain
    // lost its label.
    assert_eq!(check_growth(&old, &new), (50 + 50 + 65 + 1, 25 + 25 + 40 + 1));
    assert_eq!(check_growth(&new, &old).0, 25 + 25 + 40 + 1);
    assert_eq!(check_growth(&new, &new), (0, 0));
    let grown = growth(&old, &new, &[], 2).unwrap();
    let first = &grown.metrics.grew[0];
    assert_eq!((first.value.as_deref(), first.is_new()), (Some(&b"new"[..]), true));
    // up, requests_total, new, and plain, whose one series is another one.
    assert_eq!((grown.metrics.grew.len(), grown.metrics.grew_count), (2, 4));
    assert!(grown.metrics.shrank[0].is_gone());
    // Chosen series only, whose lists then say nothing of the index.
    let api = Selector::parse("{job=\"api\"}").unwrap();
    let grown = growth(&old, &new, api.matchers(), 9).unwrap();
    assert!(
        grown
            .pairs
            .grew
            .iter()
            .all(|row| row.index_len.is_none() && row.value.as_deref() != Some(b"web"))
    );
}

/// The pairs of golden blocks that stand in one folder, and some that have nothing to do with each
/// other.
#[test]
fn what_grew_between_golden_blocks_is_exact() {
    let golden = golden_folder("series", "golden");
    let folder = |name: &str| golden.path().join("blocks").join(name);
    let open = |name: &str| open_all(&folder(name)).unwrap();
    for name in ["api", "gaps"] {
        let blocks = open(name);
        for pair in blocks.windows(2) {
            check_growth(&pair[0], &pair[1]);
            check_growth(&pair[1], &pair[0]);
        }
    }
    for (old, new) in [("tiny", "mixed"), ("native", "xor2"), ("names", "classic"), ("k5k", "api")]
    {
        check_growth(&open(old)[0], &open(new)[0]);
    }
    let index = |name: &str| Block::open(&open(name)[0].index_path()).unwrap();
    let alone = growth(&index("tiny"), &open("mixed")[0], &[], 9).unwrap();
    assert_eq!(alone.sample_len, None, "an index by itself has no samples");
}

fn golden_blocks() -> (tempfile::TempDir, Vec<PathBuf>) {
    let golden = golden_folder("series", "golden");
    let names = ["tiny", "mixed", "classic", "k5k", "names", "native", "xor2", "tombstones", "api"];
    let blocks = names.map(|name| open_all(&golden.path().join("blocks").join(name)).unwrap());
    let paths = blocks.iter().flatten().map(|block| block.path().to_owned()).collect();
    (golden, paths)
}

#[test]
fn bytes_of_samples_are_those_of_the_chunks() {
    let (_golden, paths) = golden_blocks();
    for path in paths {
        let block = Block::open(&path).unwrap();
        let bytes = analyzed(&block, None).bytes.unwrap();
        let mut slow: BTreeMap<Pair, u64> = BTreeMap::new();
        let all = read_all(&block);
        for (labels, len) in &all {
            labels.iter().for_each(|pair| *slow.entry(pair.clone()).or_default() += len);
        }
        assert_eq!(bytes.total, all.values().sum::<u64>());
        let rows = bytes.metrics.iter().chain(&bytes.pairs);
        let fast: BTreeMap<Pair, u64> =
            rows.map(|row| ((row.name.clone(), row.value.clone().unwrap()), row.count)).collect();
        assert_eq!(fast, slow, "{}", path.display());
        assert!(bytes.metrics.iter().all(|row| row.name == b"__name__"));
        for list in [&bytes.metrics, &bytes.pairs] {
            assert!(list.is_sorted_by(|left, right| left.count >= right.count), "most first");
        }
        // Nothing but headers lies between the chunks of these blocks.
        let segments = block.segments().iter();
        let len: u64 = segments.map(|segment| segment.bytes().len() as u64 - 8).sum();
        assert_eq!(bytes.total, len, "{}", path.display());
    }
}

/// Series and bytes, and of each metric both.
type OfValue = (u64, u64, BTreeMap<Vec<u8>, (u64, u64)>);

#[test]
fn series_by_the_values_of_a_label_are_exact() {
    let (_golden, paths) = golden_blocks();
    for path in paths {
        let block = Block::open(&path).unwrap();
        let all = read_all(&block);
        let names: Vec<Vec<u8>> = block.index().names().map(|row| row.0.to_vec()).collect();
        for label in names.iter().map(Vec::as_slice).chain([&b"nowhere"[..]]) {
            let value = |labels: &[Pair], name: &[u8]| {
                labels.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone())
            };
            let mut slow: BTreeMap<_, OfValue> = BTreeMap::new();
            for (labels, len) in &all {
                let row = slow.entry(value(labels, label)).or_default();
                (row.0, row.1) = (row.0 + 1, row.1 + len);
                if let Some(metric) = value(labels, b"__name__") {
                    let cell = row.2.entry(metric).or_default();
                    *cell = (cell.0 + 1, cell.1 + len);
                }
            }
            let rows = analyzed(&block, Some(label)).by.unwrap();
            assert!(rows.is_sorted_by(|left, right| left.series_count >= right.series_count));
            let fast = rows.into_iter().map(|row| {
                let metrics = row.metrics.into_iter();
                let metrics = metrics.map(|own| (own.metric, (own.series_count, own.len.unwrap())));
                let metrics: BTreeMap<_, _> = metrics.collect();
                assert_eq!(metrics.len() as u64, row.metric_count);
                (row.value, (row.series_count, row.len.unwrap(), metrics))
            });
            assert_eq!(fast.collect::<BTreeMap<_, _>>(), slow, "{}", path.display());
        }
    }
}

#[test]
fn values_are_counted_with_their_series() {
    let golden = golden_folder("series", "golden");
    for (folder, selector) in [
        ("api", None),
        ("api", Some("http_requests_total")),
        ("k5k", None),
        ("names", None),
        ("tombstones", None),
        ("gaps", None),
    ] {
        let opened = open_all(&golden.path().join("blocks").join(folder)).unwrap();
        let blocks = Blocks::new(&opened, None);
        let selectors: Vec<Selector> =
            selector.iter().map(|s| Selector::parse(s).unwrap()).collect();
        let asked =
            if selectors.is_empty() { vec![Selector::everything()] } else { selectors.clone() };
        let mut all: Vec<Vec<Pair>> = Vec::new();
        let mut series = blocks.series(&asked, &mut Work::default()).unwrap();
        while let Some(row) = series.next().unwrap() {
            all.push(row.labels.iter().map(|pair| (pair.0.to_vec(), pair.1.to_vec())).collect());
        }
        let mut work = Work::default();
        let names = blocks.label_names(&selectors, &mut work).unwrap();
        let with =
            |is: &dyn Fn(&Pair) -> bool| all.iter().filter(|s| s.iter().any(is)).count() as u64;
        let check = |fast: Vec<(&[u8], u64)>, mut slow: Vec<(Vec<u8>, u64)>| {
            slow.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
            let fast: Vec<_> =
                fast.into_iter().map(|(text, count)| (text.to_vec(), count)).collect();
            assert_eq!(fast, slow, "{folder}");
        };
        let of_names = names.iter().map(|name| (name.to_vec(), with(&|pair| pair.0 == *name)));
        check(blocks.label_counts(None, &selectors, &mut work).unwrap(), of_names.collect());
        for name in &names {
            let values = blocks.label_values(name, &selectors, &mut work).unwrap();
            let slow = values
                .iter()
                .map(|value| (value.to_vec(), with(&|pair| pair.0 == *name && pair.1 == *value)));
            check(blocks.label_counts(Some(name), &selectors, &mut work).unwrap(), slow.collect());
        }
    }
}
