//! Blocks with flipped bytes, read, merged and rewritten past the damage: every sample outside of
//! it arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_prometheus::{Pair, crc32c};
use manicule_series::merge::{MergeOptions, merge};
use manicule_series::query::{Blocks, Work};
use manicule_series::rewrite::{RewriteOptions, Rules, rewrite};
use manicule_series::{
    Block, ChunkMeta, ChunkRef, DamagedPart, Interval, PairIndex, Salvage, Sample, Selector,
    ShownLabels, Target, Ulid, open_all,
};
use manicule_testkit::{Rng, golden_folder};

type Key = Vec<(Vec<u8>, Vec<u8>)>;
type All = BTreeMap<Key, BTreeMap<i64, String>>;

const EVERYTHING: &str = r#"{__name__=~"(?s:.*)"}"#;
const ALL: Interval = Interval { min_time: i64::MIN, max_time: i64::MAX };

/// A chunk with the samples that tombstones leave of it.
struct ChunkSamples {
    meta: ChunkMeta,
    /// Where its data stand in the segment: from the encoding to the checksum, which is not among
    /// them.
    data: std::ops::Range<usize>,
    samples: BTreeMap<i64, String>,
}

/// Each series chunk by chunk, of a sound block.
fn chunks_of(block: &Block) -> BTreeMap<Key, Vec<ChunkSamples>> {
    let index = block.index();
    let text = |symbol| index.symbol(symbol).unwrap().to_vec();
    let mut all = BTreeMap::new();
    for series in index.all_postings().unwrap().iter() {
        let entry = index.series(series).unwrap();
        let key = entry.labels().map(|label| {
            let (name, value) = label.unwrap();
            (text(name), text(value))
        });
        let chunks = entry.chunks().unwrap().map(|meta| {
            let meta = meta.unwrap();
            let raw = block.chunk(meta.reference).unwrap();
            let end = raw.end as usize - 4;
            let samples = raw.open().unwrap().samples().unwrap().map(Result::unwrap);
            let deleted = block.deleted(series);
            let samples =
                samples.filter(|sample| !deleted.iter().any(|times| times.contains(sample.time)));
            let samples = samples.map(|sample| (sample.time, plain(&sample))).collect();
            ChunkSamples { meta, data: end - raw.data.len() - 1..end, samples }
        });
        all.insert(key.collect(), chunks.collect());
    }
    all
}

/// A sample without what depends on where its chunk begins.
fn plain(sample: &Sample) -> String {
    let shown = format!("{sample:?}");
    shown.replace("hint: NotReset", "hint: Unknown").replace("hint: Reset", "hint: Unknown")
}

fn without(chunks: &BTreeMap<Key, Vec<ChunkSamples>>, damaged: &BTreeSet<ChunkRef>) -> All {
    let mut all = All::new();
    for (key, chunks) in chunks {
        let sound = chunks.iter().filter(|chunk| !damaged.contains(&chunk.meta.reference));
        let samples: BTreeMap<_, _> = sound.flat_map(|chunk| chunk.samples.clone()).collect();
        if !samples.is_empty() {
            all.insert(key.clone(), samples);
        }
    }
    all
}

/// What a selector gives of a block.
fn selected(block: &Block, selector: &str, salvage: &Salvage) -> All {
    let blocks = Blocks::new(std::slice::from_ref(block), None).skip_damaged(Some(salvage));
    let selectors = [Selector::parse(selector).unwrap()];
    let mut rows = blocks.series(&selectors, &mut Work::default()).unwrap();
    let mut all = All::new();
    while let Some(row) = rows.next().unwrap() {
        let mut samples = row.samples(ALL).unwrap();
        let mut found = BTreeMap::new();
        while let Some(sample) = samples.next().unwrap() {
            found.insert(sample.time, plain(&sample));
        }
        let key = row.labels.iter().map(|label| (label.0.to_vec(), label.1.to_vec())).collect();
        if !found.is_empty() {
            all.insert(key, found);
        }
    }
    all
}

/// Compares what is read, merged and rewritten of a damaged block; each names the same damage.
#[track_caller]
fn check(path: &Path, want: &All, parts: &[DamagedPart], what: &str) {
    let block = Block::open(path).unwrap();
    let ulid = Ulid::new(5, [5; 10]);
    let assert_named = |salvage: &Salvage, way: &str| {
        let mut named: Vec<DamagedPart> =
            salvage.list().into_iter().map(|damage| damage.part).collect();
        named.sort_by_key(|part| format!("{part:?}"));
        assert_eq!(named, parts, "{what}: {way}");
    };
    let salvage = Salvage::new(1000);
    assert!(selected(&block, EVERYTHING, &salvage) == *want, "{what}: selected");
    assert_named(&salvage, "selected");

    let (salvage, out) = (Salvage::new(1000), tempfile::tempdir().unwrap());
    let target = Target::open(out.path()).unwrap();
    let options = MergeOptions { ulid, memory: 1 << 20, skip_damaged: Some(&salvage) };
    let merged =
        merge(std::slice::from_ref(&block), Some(&target), &options, &Watch::none()).unwrap();
    assert_made(merged.block.map(|block| block.path), want, &format!("{what}: merged"));
    assert_named(&salvage, "merged");

    let (salvage, out) = (Salvage::new(1000), tempfile::tempdir().unwrap());
    let target = Target::open(out.path()).unwrap();
    let options = RewriteOptions { ulid, memory: 1 << 20, skip_damaged: Some(&salvage) };
    let done = rewrite(&block, Some(&target), &Rules::default(), &options, &Watch::none()).unwrap();
    assert_made(done.block.map(|block| block.path), want, &format!("{what}: rewritten"));
    assert_named(&salvage, "rewritten");
    assert_eq!(done.dropped, 0, "{what}");
}

#[track_caller]
fn assert_made(path: Option<PathBuf>, want: &All, what: &str) {
    let Some(path) = path else { return assert!(want.is_empty(), "{what}") };
    let salvage = Salvage::new(9);
    assert!(selected(&Block::open(&path).unwrap(), EVERYTHING, &salvage) == *want, "{what}");
    assert!(salvage.is_empty(), "{what}: what is made is sound");
}

const NAMES: [&str; 6] = ["tiny", "gaps", "mixed", "native", "xor2", "tombstones"];

fn blocks_of(golden: &Path, name: &str) -> Vec<PathBuf> {
    let blocks = open_all(&golden.join("blocks").join(name)).unwrap();
    blocks.iter().map(|block| block.path().to_owned()).collect()
}

#[test]
fn every_sample_outside_of_damaged_chunks_arrives() {
    let mut damaged_count = 0;
    for seed in 0..30 {
        let (golden, mut rng) = (golden_folder("series", "golden"), Rng::new(seed));
        let name = NAMES[seed as usize % NAMES.len()];
        for path in blocks_of(golden.path(), name) {
            let chunks = chunks_of(&Block::open(&path).unwrap());
            let all = chunks.iter().flat_map(|(key, list)| list.iter().map(move |c| (key, c)));
            // What tombstones delete as a whole is not read, and so is not named.
            let all: Vec<(&Key, &ChunkSamples)> =
                all.filter(|chunk| !chunk.1.samples.is_empty()).collect();
            let segment = path.join("chunks/000001");
            let mut bytes = fs::read(&segment).unwrap();
            let (mut damaged, mut parts) = (BTreeSet::new(), Vec::new());
            for _ in 0..1 + rng.below(4) {
                let (key, chunk) = rng.pick(&all);
                if !damaged.insert(chunk.meta.reference) {
                    continue;
                }
                let data = chunk.data.clone();
                if rng.one_in(2) {
                    // The checksum holds, and there are more samples than bytes.
                    let most = if bytes[data.start] < 5 { 0xff } else { 0x3f };
                    bytes[data.start + 1..data.start + 3].fill(most);
                    let sum = crc32c(&bytes[data.clone()]).to_be_bytes();
                    bytes[data.end..data.end + 4].copy_from_slice(&sum);
                } else {
                    bytes[data.start + rng.below(data.len() + 4)] ^= 1 << rng.below(8);
                }
                let labels: Vec<_> = key.iter().map(|label| (&label.0[..], &label.1[..])).collect();
                let series = ShownLabels(&labels).to_string();
                parts.push(DamagedPart::Chunk { series, chunk: chunk.meta });
            }
            fs::write(&segment, bytes).unwrap();
            parts.sort_by_key(|part| format!("{part:?}"));
            damaged_count += parts.len();
            check(&path, &without(&chunks, &damaged), &parts, &format!("seed {seed}, {name}"));
        }
    }
    assert!(damaged_count > 60, "{damaged_count}");
}

#[test]
fn every_series_that_can_be_read_arrives() {
    for seed in 0..12 {
        let (golden, mut rng) = (golden_folder("series", "golden"), Rng::new(seed));
        let name = NAMES[seed as usize % NAMES.len()];
        for path in blocks_of(golden.path(), name) {
            let block = Block::open(&path).unwrap();
            let chunks = chunks_of(&block);
            let mut want = without(&chunks, &BTreeSet::new());
            let refs: Vec<_> = block.index().all_postings().unwrap().iter().collect();
            let place = rng.below(refs.len());
            let at = block.index().series_at(refs[place]);
            let key = chunks.keys().nth(place).unwrap();
            want.remove(key);
            let mut bytes = fs::read(path.join("index")).unwrap();
            bytes[at as usize + 2] ^= 1 << rng.below(8);
            fs::write(path.join("index"), bytes).unwrap();
            let what = format!("seed {seed}, {name}, series at {at}");
            check(&path, &want, &[DamagedPart::Series { at }], &what);
        }
    }
}

/// A posting list names what the series say themselves.
#[test]
fn damaged_posting_lists_leave_nothing_out() {
    for (name, pair) in [("mixed", 1), ("mixed", 7), ("names", 3), ("gaps", 2), ("gaps", 0)] {
        let golden = golden_folder("series", "golden");
        let path = blocks_of(golden.path(), name).remove(0);
        let block = Block::open(&path).unwrap();
        let want = without(&chunks_of(&block), &BTreeSet::new());
        let index = block.index();
        let list = index.postings(PairIndex(pair)).unwrap();
        let at = list.as_bytes().as_ptr().addr() - index.bytes().as_ptr().addr();
        let Pair { name: label, value, .. } = index.pair(PairIndex(pair)).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let selector = format!("{{{:?}={:?}}}", text(label), text(value));
        let mut bytes = fs::read(path.join("index")).unwrap();
        bytes[at + 3] ^= 1;
        fs::write(path.join("index"), bytes).unwrap();
        let what = format!("{name}, {selector}");
        if pair == 0 {
            check(&path, &want, &[DamagedPart::AllSeries], &what);
            continue;
        }
        check(&path, &want, &[], &what);
        let salvage = Salvage::new(9);
        let of_pair = want.iter().filter(|row| row.0.contains(&(label.to_vec(), value.to_vec())));
        let of_pair: All = of_pair.map(|(key, samples)| (key.clone(), samples.clone())).collect();
        let block = Block::open(&path).unwrap();
        assert!(selected(&block, &selector, &salvage) == of_pair, "{what}");
        assert!(!of_pair.is_empty() && salvage.is_empty(), "{what}");
        let blocks = Blocks::new(std::slice::from_ref(&block), None);
        let selectors = [Selector::parse(&selector).unwrap()];
        assert!(blocks.series(&selectors, &mut Work::default()).is_err(), "{what}: not asked for");
    }
}
