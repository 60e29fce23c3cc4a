//! What merging and rewriting leave out, counted; judged by reading every sample before and after.
//! Blocks and rules are random, so are tombstones and the times that meta files say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_prometheus::Tombstones;
use manicule_series::build::{BLOCK_RANGE, BuildOptions, Builder};
use manicule_series::merge::{LeftOut, MergeOptions, merge};
use manicule_series::openmetrics::Dialect;
use manicule_series::rewrite::{
    Deletion, Effect, Labels, Relabel, RewriteOptions, RuleRef, Rules, rewrite,
};
use manicule_series::{Block, Interval, Meta, Selector, Target, Ulid, Value};
use manicule_testkit::Rng;

type Key = Vec<(Vec<u8>, Vec<u8>)>;
/// Times and bits of values.
type Samples = Vec<(i64, u64)>;
/// By time, all values that come to one series.
type Clashing = BTreeMap<i64, Vec<u64>>;

/// Every sample that can be read, by series.
fn read_all(block: &Block) -> Vec<(Key, Samples)> {
    let index = block.index();
    let text = |symbol| index.symbol(symbol).unwrap().to_vec();
    let refs = index.all_postings().unwrap();
    let one = |series| {
        let labels = index.series(series).unwrap().labels().map(|label| {
            let (name, value) = label.unwrap();
            (text(name), text(value))
        });
        let samples = block.samples(series, i64::MIN, i64::MAX).unwrap().map(|sample| {
            let sample = sample.unwrap();
            let Value::Float(value) = sample.value else { panic!("only floats are built") };
            (sample.time, value.to_bits())
        });
        (labels.collect(), samples.collect())
    };
    refs.iter().map(one).collect()
}

fn count<'s>(all: impl IntoIterator<Item = &'s Samples>) -> u64 {
    all.into_iter().map(|samples| samples.len() as u64).sum()
}

fn ulid(number: u64) -> Ulid {
    Ulid::new(number, [9; 10])
}

/// A block of a few series with clashing times. `start` is where its two hours begin.
fn random_block(rng: &mut Rng, folder: &Path, number: u64, start: i64) -> PathBuf {
    let mut text = String::new();
    for series in 0..1 + rng.below(12) {
        let labels = format!("m{}{{a=\"{}\",b=\"{}\"}}", series % 3, rng.below(3), series / 3);
        // Longer than a chunk now and then.
        let samples = rng.pick(&[1, 3, 40, 300]);
        for _ in 0..samples {
            let time = start + 10_000 * rng.below(700) as i64;
            text += &format!("{labels} {} {time}\n", rng.below(2));
        }
    }
    let options = BuildOptions { range: BLOCK_RANGE, memory: 1 << 20 };
    let target = Target::open(folder).unwrap();
    let mut builder = Builder::new(target, options, || ulid(number));
    builder.read(text.as_bytes(), Dialect::Prometheus).unwrap();
    let path = builder.finish(&Watch::none()).unwrap().blocks.remove(0).path;
    if rng.one_in(2) {
        let mut tombstones = Tombstones::default();
        let block = Block::open(&path).unwrap();
        for series in block.index().all_postings().unwrap().iter() {
            while rng.one_in(2) {
                tombstones.add(series, random_times(rng, start));
            }
        }
        fs::write(path.join("tombstones"), tombstones.encode()).unwrap();
    }
    if rng.one_in(3) {
        let meta_path = path.join("meta.json");
        let mut meta = Meta::decode(&fs::read(&meta_path).unwrap()).unwrap();
        meta.min_time += 10_000 * rng.below(200) as i64;
        meta.max_time = meta.min_time + 10_000 * (1 + rng.below(600) as i64);
        fs::write(meta_path, meta.encode()).unwrap();
    }
    path
}

fn random_times(rng: &mut Rng, start: i64) -> Interval {
    let min_time = start + 10_000 * rng.below(750) as i64 - 300_000;
    let max_time = if rng.one_in(8) { i64::MAX } else { min_time + 10_000 * rng.below(400) as i64 };
    Interval { min_time, max_time }
}

/// Samples that only tombstones keep from being read.
fn tombstoned(path: &Path) -> u64 {
    let visible = count(read_all(&Block::open(path).unwrap()).iter().map(|row| &row.1));
    let (file, aside) = (path.join("tombstones"), path.join("aside"));
    fs::rename(&file, &aside).unwrap();
    let all = count(read_all(&Block::open(path).unwrap()).iter().map(|row| &row.1));
    fs::rename(&aside, &file).unwrap();
    all - visible
}

fn random_selectors(rng: &mut Rng, max: usize) -> Vec<Selector> {
    const TEXTS: [&str; 7] = [
        "m0",
        "{a=\"1\"}",
        "{b=~\"0|1\"}",
        "{__name__=~\"m.\",a!=\"0\"}",
        "m1{b=\"2\"}",
        "no_such_metric",
        "{a=\"9\"}",
    ];
    let count = rng.below(max + 1);
    (0..count).map(|_| Selector::parse(rng.pick(&TEXTS)).unwrap()).collect()
}

fn random_rules(rng: &mut Rng, start: i64) -> Rules {
    const RELABEL: [&str; 6] = [
        "[{regex: b, action: labeldrop}]",
        "[{source_labels: [a], regex: '2', action: drop}, {regex: 'a|b', action: labeldrop}]",
        "[{source_labels: [__name__], regex: 'm[01]', action: keep}]",
        "[{source_labels: [b], target_label: a}, {target_label: __name__, replacement: m}]",
        "[{regex: 'a|b', action: labelmap}]",
        "[{regex: '.*', action: labeldrop}]",
    ];
    let delete = random_selectors(rng, 3).into_iter();
    let delete = delete.map(|selector| Deletion { selector, times: random_times(rng, start) });
    let delete = delete.collect();
    let keep = if rng.one_in(3) { random_selectors(rng, 2) } else { Vec::new() };
    let drop = if rng.one_in(2) { random_selectors(rng, 3) } else { Vec::new() };
    let mut relabel = Vec::new();
    while rng.one_in(2) {
        relabel.extend(Relabel::from_yaml(rng.pick(&RELABEL)).unwrap());
    }
    let redact = if rng.one_in(4) { vec![b"a".to_vec(), b"zz".to_vec()] } else { Vec::new() };
    Rules { keep, drop, delete, relabel, redact, salt: Vec::new() }
}

fn selects(selector: &Selector, key: &Key) -> bool {
    selector
        .selects(|name| key.iter().find(|label| label.0 == name).map_or(&b""[..], |label| &label.1))
}

/// Each effect by its rule, made of the source one series and one sample at a time; and what that
/// leaves out, but for series that become one, whose samples come second.
fn plainly(
    source: &[(Key, Samples)],
    meta: &Meta,
    rules: &Rules,
) -> (LeftOut, Vec<Effect>, BTreeMap<Key, Clashing>) {
    let mut left = LeftOut::default();
    let effect = |rule| Effect { rule, series: 0, dropped: 0, samples: 0, nameless: 0 };
    let mut effects: Vec<Effect> = Vec::new();
    effects.extend((0..rules.keep.len()).map(|at| effect(RuleRef::Keep(at))));
    effects.extend((0..rules.drop.len()).map(|at| effect(RuleRef::Drop(at))));
    effects.extend((0..rules.delete.len()).map(|at| effect(RuleRef::Delete(at))));
    effects.extend((0..rules.relabel.len()).map(|at| effect(RuleRef::Relabel(at))));
    effects.extend((0..rules.redact.len()).map(|at| effect(RuleRef::Redact(at))));
    let mut all: BTreeMap<Key, Clashing> = BTreeMap::new();
    for (key, samples) in source {
        let is_kept = rules.keep.is_empty() || rules.keep.iter().any(|keep| selects(keep, key));
        let is_dropped = !is_kept || rules.drop.iter().any(|drop| selects(drop, key));
        let mut labels: Labels = key.iter().cloned().collect();
        let mut goes = is_dropped;
        for effect in &mut effects {
            match effect.rule {
                RuleRef::Keep(at) => effect.series += u64::from(selects(&rules.keep[at], key)),
                RuleRef::Drop(at) if selects(&rules.drop[at], key) => {
                    effect.series += 1;
                    effect.dropped += 1;
                    effect.samples += samples.len() as u64;
                }
                RuleRef::Relabel(at) if !goes => {
                    let before = labels.clone();
                    let applied = rules.relabel[at].apply(&mut labels);
                    effect.series += u64::from(applied.dropped || before != labels);
                    effect.nameless += applied.nameless;
                    if applied.dropped {
                        goes = true;
                        effect.dropped += 1;
                        effect.samples += samples.len() as u64;
                    }
                }
                RuleRef::Redact(at) if !goes && !labels.get(&rules.redact[at]).is_empty() => {
                    effect.series += 1;
                }
                _ => {}
            }
        }
        if goes || labels.is_empty() {
            left.dropped += samples.len() as u64;
            continue;
        }
        let changed = labels.iter().map(|(name, value)| (name.to_vec(), value.to_vec()));
        let made = all.entry(changed.collect()).or_default();
        for effect in &mut effects {
            if let RuleRef::Delete(at) = effect.rule {
                effect.series += u64::from(selects(&rules.delete[at].selector, key));
            }
        }
        for (time, value) in samples {
            if !(meta.min_time..meta.max_time).contains(time) {
                left.outside += 1;
                continue;
            }
            let mut is_deleted = false;
            for effect in &mut effects {
                if let RuleRef::Delete(at) = effect.rule
                    && selects(&rules.delete[at].selector, key)
                    && rules.delete[at].times.contains(*time)
                {
                    (is_deleted, effect.samples) = (true, effect.samples + 1);
                }
            }
            if is_deleted { left.deleted += 1 } else { made.entry(*time).or_default().push(*value) }
        }
    }
    (left, effects, all)
}

/// Samples of one time: all but one are counted, those of a different value as lost.
fn assert_clashes<'s>(all: impl IntoIterator<Item = &'s Clashing>, left: &LeftOut, what: &str) {
    let (mut more, mut lost_min) = (0, 0);
    for values in all.into_iter().flat_map(Clashing::values) {
        more += values.len() as u64 - 1;
        lost_min += values.iter().collect::<BTreeSet<_>>().len() as u64 - 1;
    }
    assert_eq!(left.repeated + left.lost, more, "{what}: {left:?}");
    assert!(left.lost >= lost_min && (lost_min > 0 || left.lost == 0), "{what}: {left:?}");
}

#[test]
fn every_sample_of_a_rewritten_block_is_in_it_or_counted() {
    let (mut united, mut deleted, mut tombstones, mut outside) = (0, 0, 0, 0);
    for seed in 0..120 {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let start = 1_699_920_000_000;
        let path = random_block(&mut rng, folder.path(), 1, start);
        let rules = random_rules(&mut rng, start);
        let block = Block::open(&path).unwrap();
        let source = read_all(&block);
        let (want, effects, plain) = plainly(&source, block.meta().unwrap(), &rules);

        let options = RewriteOptions { ulid: ulid(2), memory: 1 << 20, skip_damaged: None };
        let tried = rewrite(&block, None, &rules, &options, &Watch::none()).unwrap();
        let out = tempfile::tempdir().unwrap();
        let target = Target::open(out.path()).unwrap();
        let done = rewrite(&block, Some(&target), &rules, &options, &Watch::none()).unwrap();
        let what = format!("seed {seed}, {rules:?}");
        let made = done.block.as_ref().map(|made| read_all(&Block::open(&made.path).unwrap()));
        let made = made.unwrap_or_default();
        assert_eq!((tried.block.as_ref(), done.block.is_some()), (None, !made.is_empty()));
        let dry = manicule_series::rewrite::Rewritten { block: done.block.clone(), ..tried };
        assert_eq!(dry, done, "{what}: without a target");

        let left = done.left_out;
        let kept = count(made.iter().map(|row| &row.1));
        assert_eq!(done.meta.stats.num_samples, kept, "{what}");
        let gone = left.outside + left.deleted + left.dropped + left.repeated + left.lost;
        assert_eq!(count(source.iter().map(|row| &row.1)), kept + gone, "{what}: {left:?}");
        let clashes = LeftOut { repeated: left.repeated, lost: left.lost, ..want };
        assert_eq!(left, LeftOut { tombstoned: tombstoned(&path), ..clashes }, "{what}");
        assert_clashes(plain.values(), &left, &what);
        assert_eq!(done.effects, effects, "{what}");
        let series = done.meta.stats.num_series;
        assert_eq!(series, made.len() as u64, "{what}");
        assert_eq!(series + done.dropped + done.united + done.emptied, done.series, "{what}");
        assert_eq!(done.series - done.dropped - done.united, plain.len() as u64, "{what}");

        united += left.repeated + left.lost;
        deleted += left.deleted;
        tombstones += left.tombstoned;
        outside += left.outside;
    }
    assert!(united > 200 && deleted > 1000 && tombstones > 1000 && outside > 1000, "{united}");
}

#[test]
fn every_sample_of_merged_blocks_is_in_the_new_one_or_counted() {
    let (mut lost, mut repeated, mut outside) = (0, 0, 0);
    for seed in 0..80 {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let count_of_blocks = 1 + rng.below(4) as u64;
        let mut paths: Vec<PathBuf> = Vec::new();
        for number in 0..count_of_blocks {
            let start = 1_699_920_000_000 + 7_200_000 * rng.below(2) as i64;
            // The same block twice, too.
            match paths.last().filter(|_| rng.one_in(4)).cloned() {
                Some(path) => paths.push(path),
                None => paths.push(random_block(&mut rng, folder.path(), number, start)),
            }
        }
        let blocks: Vec<Block> = paths.iter().map(|path| Block::open(path).unwrap()).collect();
        let options = MergeOptions { ulid: ulid(99), memory: 1 << 20, skip_damaged: None };
        let tried = merge(&blocks, None, &options, &Watch::none()).unwrap();
        let out = tempfile::tempdir().unwrap();
        let done =
            merge(&blocks, Some(&Target::open(out.path()).unwrap()), &options, &Watch::none())
                .unwrap();
        let what = format!("seed {seed}");
        let made = done.block.as_ref().map(|made| read_all(&Block::open(&made.path).unwrap()));
        let made = made.unwrap_or_default();
        let dry = manicule_series::merge::MergeReport { block: done.block.clone(), ..tried };
        assert_eq!(dry, done, "{what}: without a target");

        let mut all: BTreeMap<Key, Clashing> = BTreeMap::new();
        let (mut source, mut gone_before) = (0, 0);
        let mut want = LeftOut::default();
        for (path, block) in paths.iter().zip(&blocks) {
            gone_before += tombstoned(path);
            for (key, samples) in read_all(block) {
                source += samples.len() as u64;
                let series = all.entry(key).or_default();
                for (time, value) in samples {
                    if (done.meta.min_time..done.meta.max_time).contains(&time) {
                        series.entry(time).or_default().push(value)
                    } else {
                        want.outside += 1
                    }
                }
            }
        }
        let left = done.left_out;
        let kept = count(made.iter().map(|row| &row.1));
        assert_eq!(done.meta.stats.num_samples, kept, "{what}");
        assert_eq!(source, kept + left.outside + left.repeated + left.lost, "{what}: {left:?}");
        let clashes = LeftOut { repeated: left.repeated, lost: left.lost, ..want };
        assert_eq!(left, LeftOut { tombstoned: gone_before, ..clashes }, "{what}");
        assert_clashes(all.values(), &left, &what);
        lost += left.lost;
        repeated += left.repeated;
        outside += left.outside;
    }
    assert!(lost > 200 && repeated > 1000 && outside > 1000, "{lost} {repeated} {outside}");
}
