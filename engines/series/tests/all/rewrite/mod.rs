//! Blocks rewritten, split (split.rs) and compared (diff.rs), judged by reading everything: the
//! samples of the source, filtered and changed one by one, are those of what was made.

mod diff;
mod split;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_series::merge::Merged;
use manicule_series::rewrite::{
    Deletion, Labels, Relabel, RewriteOptions, Rewritten, Rules, rewrite,
};
use manicule_series::{Block, Interval, Sample, Selector, Target, Ulid, Value, open_all, verify};

/// Names and values by name.
type Key = Vec<(Vec<u8>, Vec<u8>)>;
/// All samples of blocks, by series and time, without what depends on where chunks begin.
type All = BTreeMap<Key, BTreeMap<i64, String>>;

fn golden(name: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let golden = manicule_testkit::golden_folder("series", "golden");
    let folder = golden.path().join("blocks").join(name);
    let paths = open_all(&folder).unwrap().iter().map(|b| b.path().to_owned()).collect();
    (golden, paths)
}

fn shown(sample: &Sample) -> String {
    match &sample.value {
        Value::Float(value) => format!("{} {:016x}", sample.start_time, value.to_bits()),
        Value::Histogram(histogram) => format!(
            "{} {:?} {} {} {:x} {:?} {:?}",
            sample.start_time,
            histogram.layout,
            histogram.count,
            histogram.zero_count,
            histogram.sum.to_bits(),
            histogram.positive,
            histogram.negative
        ),
        Value::FloatHistogram(histogram) => format!(
            "{} {:?} {} {} {:x} {:?} {:?}",
            sample.start_time,
            histogram.layout,
            histogram.count,
            histogram.zero_count,
            histogram.sum.to_bits(),
            histogram.positive,
            histogram.negative
        ),
    }
}

fn all_samples(block: &Block) -> All {
    let mut all = All::new();
    let index = block.index();
    for series in index.all_postings().unwrap().iter() {
        let text = |symbol| index.symbol(symbol).unwrap().to_vec();
        let labels = index.series(series).unwrap().labels().map(|label| {
            let (name, value) = label.unwrap();
            (text(name), text(value))
        });
        let samples = block.samples(series, i64::MIN, i64::MAX).unwrap();
        let samples = samples.map(|sample| {
            let sample = sample.unwrap();
            (sample.time, shown(&sample))
        });
        all.insert(labels.collect(), samples.collect());
    }
    all
}

fn selects(selector: &Selector, key: &Key) -> bool {
    selector
        .selects(|name| key.iter().find(|label| label.0 == name).map_or(&b""[..], |label| &label.1))
}

/// What rules make of samples, one by one. Times that two series have that become one are returned:
/// either's may stay.
fn plainly(source: &All, rules: &Rules) -> BTreeMap<Key, BTreeMap<i64, Vec<String>>> {
    let mut all: BTreeMap<Key, BTreeMap<i64, Vec<String>>> = BTreeMap::new();
    for (key, samples) in source {
        let is_kept = rules.keep.is_empty() || rules.keep.iter().any(|keep| selects(keep, key));
        if !is_kept || rules.drop.iter().any(|drop| selects(drop, key)) {
            continue;
        }
        let mut labels: Labels = key.iter().cloned().collect();
        if rules.relabel.iter().any(|rule| rule.apply(&mut labels).dropped) || labels.is_empty() {
            continue;
        }
        let changed = labels.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
        for (time, sample) in samples {
            let is_deleted =
                |rule: &Deletion| selects(&rule.selector, key) && rule.times.contains(*time);
            if !rules.delete.iter().any(is_deleted) {
                let series: &mut BTreeMap<_, Vec<_>> = all.entry(Key::clone(&changed)).or_default();
                series.entry(*time).or_default().push(sample.clone());
            }
        }
    }
    all
}

fn run(path: &Path, out: &Path, rules: &Rules) -> Rewritten {
    let block = Block::open(path).unwrap();
    let target = Target::open(out).unwrap();
    let options = RewriteOptions {
        ulid: Ulid::new(1_700_000_000_000, [7; 10]),
        memory: 64 << 20,
        skip_damaged: None,
    };
    rewrite(&block, Some(&target), rules, &options, &Watch::none()).unwrap()
}

/// Rewrites each block of a golden folder, and compares with the plain way.
#[track_caller]
fn check(name: &str, rules: &Rules) -> Vec<Rewritten> {
    let (_golden, paths) = golden(name);
    let mut done = Vec::new();
    for path in paths {
        let source = all_samples(&Block::open(&path).unwrap());
        let want = plainly(&source, rules);
        let out = tempfile::tempdir().unwrap();
        let rewritten = run(&path, out.path(), rules);
        assert_eq!(rewritten.series, source.len() as u64);
        match &rewritten.block {
            None => assert!(want.is_empty(), "{name}"),
            Some(made) => {
                assert_same(name, &want, made);
                assert_whole(made);
            }
        }
        done.push(rewritten);
    }
    done
}

#[track_caller]
fn assert_same(name: &str, want: &BTreeMap<Key, BTreeMap<i64, Vec<String>>>, made: &Merged) {
    let got = all_samples(&Block::open(&made.path).unwrap());
    let want_keys: Vec<&Key> = want.keys().collect();
    assert_eq!(got.keys().collect::<Vec<_>>(), want_keys, "{name}");
    for (key, samples) in want {
        let got = &got[key];
        assert_eq!(got.len(), samples.len(), "{name}: {key:?}");
        for (time, any) in samples {
            assert!(any.contains(&got[time]), "{name}: {key:?} at {time}: {}", got[time]);
        }
    }
    let count: u64 = want.values().map(|samples| samples.len() as u64).sum();
    assert_eq!(made.meta.stats.num_samples, count);
    assert_eq!(made.meta.stats.num_series, want.len() as u64);
}

/// Our own verification finds nothing, and no symbol is there that nothing uses.
#[track_caller]
fn assert_whole(made: &Merged) {
    let verified = verify(&made.path, 1, &Watch::none()).unwrap();
    assert!(verified.verdict.is_ok() && verified.verdict.warnings.count == 0, "{verified:?}");
    let block = Block::open(&made.path).unwrap();
    let index = block.index();
    let mut used: Vec<&[u8]> = vec![b""];
    for (name, pairs) in index.names() {
        used.push(name);
        used.extend(pairs.map(|pair| index.value(manicule_series::PairIndex(pair))));
    }
    used.sort_unstable();
    used.dedup();
    assert_eq!(index.symbol_count() as usize, used.len());
}

fn selector(text: &str) -> Selector {
    Selector::parse(text).unwrap()
}

const FLOATS: [&str; 6] = ["tiny", "mixed", "classic", "gaps", "k5k", "names"];

#[test]
fn without_rules_everything_stays() {
    for name in FLOATS.into_iter().chain(["native", "xor2", "tombstones", "api"]) {
        for done in check(name, &Rules::default()) {
            assert_eq!((done.dropped, done.united), (0, 0), "{name}");
        }
    }
}

#[test]
fn what_others_say_of_the_block_stays_but_not_of_its_files() {
    let (_golden, paths) = golden("tiny");
    let path = paths[0].join("meta.json");
    let mut meta: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    meta["other"] = 5.into();
    meta["thanos"] = serde_json::json!({
        "labels": { "replica": "a" }, "source": "sidecar", "segment_files": ["000001"],
        "files": [{ "rel_path": "index", "size_bytes": 7 }], "index_stats": {},
    });
    std::fs::write(&path, meta.to_string()).unwrap();
    let out = tempfile::tempdir().unwrap();
    let made = run(&paths[0], out.path(), &Rules::default()).block.unwrap();
    let thanos = serde_json::json!({ "labels": { "replica": "a" }, "source": "sidecar" });
    let want = serde_json::json!({ "other": 5, "thanos": thanos });
    assert_eq!(serde_json::Value::from(made.meta.rest), want);
}

#[test]
fn series_are_kept_and_dropped_by_selectors() {
    for name in FLOATS {
        let keep = vec![selector("{__name__=~\".*[aeiou]\"}"), selector("{__name__=\"\"}")];
        let drop = vec![selector("{job=~\".*a.*\"}"), selector("{instance!=\"\",mode=\"x\"}")];
        check(name, &Rules { keep, drop, ..Rules::default() });
    }
    let nothing = Rules { keep: vec![selector("{a=\"no such\"}")], ..Rules::default() };
    assert!(check("tiny", &nothing).iter().all(|done| done.block.is_none()));
}

#[test]
fn times_are_deleted_and_chunks_cut() {
    for name in ["gaps", "mixed", "native", "xor2", "tombstones"] {
        let (_golden, paths) = golden(name);
        let block = Block::open(&paths[0]).unwrap();
        let meta = block.meta().unwrap();
        let at = |part: i64| meta.min_time + (meta.max_time - meta.min_time) * part / 16;
        let delete = |text: &str, from, to| Deletion {
            selector: selector(text),
            times: Interval { min_time: at(from), max_time: at(to) },
        };
        let delete = vec![
            delete("{__name__=~\".+\"}", 3, 5),
            delete("{__name__=~\".*[a-m]\"}", 4, 9),
            delete("{__name__=~\".*[n-z]\"}", 15, 17),
        ];
        check(name, &Rules { delete, ..Rules::default() });
    }
}

#[test]
fn labels_change_and_series_that_became_equal_are_one() {
    let yaml = "
- {source_labels: [__name__], regex: '(.).*', target_label: __name__, replacement: 'z_$1'}
- {regex: 'instance|pod|le|mode|series', action: labeldrop}
- {source_labels: [job], target_label: 'a_job', action: uppercase}
- {source_labels: [job, __name__], target_label: shard, action: hashmod, modulus: 2}
";
    let relabel = Relabel::from_yaml(yaml).unwrap();
    let mut united = 0;
    for name in FLOATS.into_iter().chain(["native", "api"]) {
        let rules = Rules { relabel: relabel.clone(), ..Rules::default() };
        united += check(name, &rules).iter().map(|done| done.united).sum::<u64>();
    }
    assert!(united > 1000, "{united}");
}

#[test]
fn hidden_values_stay_apart_and_depend_on_the_salt() {
    let (_golden, paths) = golden("k5k");
    let out = tempfile::tempdir().unwrap();
    let values = |salt: &[u8], byte: u8| {
        let redact = vec![b"instance".to_vec(), b"job".to_vec()];
        let rules = Rules { redact, salt: salt.to_vec(), ..Rules::default() };
        let block = Block::open(&paths[0]).unwrap();
        let target = Target::open(out.path()).unwrap();
        let ulid = Ulid::new(1, [byte; 10]);
        let done = rewrite(
            &block,
            Some(&target),
            &rules,
            &RewriteOptions { ulid, memory: 1 << 20, skip_damaged: None },
            &Watch::none(),
        );
        let made = done.unwrap().block.unwrap();
        assert_whole(&made);
        let count = |block: &Block, name: &[u8]| block.index().pairs_of(name).len();
        let made = Block::open(&made.path).unwrap();
        for name in [&b"instance"[..], b"job"] {
            assert_eq!(count(&made, name), count(&block, name));
        }
        let index = made.index();
        let values: Vec<Vec<u8>> = index
            .pairs_of(b"job")
            .map(|pair| index.value(manicule_series::PairIndex(pair)).to_vec())
            .collect();
        assert!(values.iter().all(|value| value.starts_with(b"redacted_") && value.len() == 25));
        values
    };
    let (first, again, salted) = (values(b"", 1), values(b"", 2), values(b"salt", 3));
    assert_eq!(first, again);
    assert!(!first.is_empty() && first.iter().all(|value| !salted.contains(value)));
}
