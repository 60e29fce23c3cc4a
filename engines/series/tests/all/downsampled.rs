//! Blocks that Thanos has downsampled: read by aggregates, compared with Thanos's own answers;
//! copied where whole chunks stay, refused where one would have to be cut or merged.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::hex;
use manicule_core::watch::Watch;
use manicule_series::diff::{DiffSums, diff, diff_all};
use manicule_series::dump::{DumpFormat, dump};
use manicule_series::merge::{MergeError, MergeOptions, merge};
use manicule_series::query::{Blocks, Choice, ChoiceError, Work};
use manicule_series::rewrite::{Deletion, Relabel, RewriteOptions, Rules, rewrite};
use manicule_series::split::{SplitBy, split};
use manicule_series::{
    Aggregate, AnalyzeOptions, Block, BlockError, Bytes, Chunks, Interval, Matrix, Sample,
    Selector, Target, Ulid, Value, analyze, verify,
};
use manicule_testkit::{copy_folder, golden_folder, whole_golden_set};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

const ALL: Interval = Interval { min_time: i64::MIN, max_time: i64::MAX };
const NAME: &str = "01M8BNGKJ1BRH82BGNS0CGD8ST";

struct Golden {
    folder: TempDir,
    block: Block,
}

fn golden() -> Golden {
    let folder = golden_folder("series", "downsampled");
    let block = Block::open(&folder.path().join("1h").join(NAME)).unwrap();
    Golden { folder, block }
}

/// A copy of the block that says to be of another resolution.
fn copy(golden: &Golden, resolution: i64) -> Block {
    let (path, name) = (golden.folder.path(), "01M8BNGKJ1BRH82BGNS0CGD8SV");
    let to = path.join(resolution.to_string()).join(name);
    fs::create_dir_all(&to).unwrap();
    copy_folder(&path.join("1h").join(NAME), &to);
    let meta = to.join("meta.json");
    let mut json: Json = serde_json::from_slice(&fs::read(&meta).unwrap()).unwrap();
    json["thanos"]["downsample"]["resolution"] = resolution.into();
    json["ulid"] = name.into();
    fs::write(&meta, json.to_string()).unwrap();
    Block::open(&to).unwrap()
}

fn bits(samples: &[Sample]) -> Json {
    let one = |sample: &Sample| match sample.value {
        Value::Float(value) => json!([sample.time, format!("{:016x}", value.to_bits())]),
        _ => panic!("golden aggregates are floats"),
    };
    samples.iter().map(one).collect()
}

/// Compares the aggregates of some series with what Thanos reads; returns their number.
fn check_answers(block: &Block, answers: &Json) -> usize {
    let (blocks, mut count) = (std::slice::from_ref(block), 0);
    assert_eq!(answers["resolution"], block.resolution());
    for wanted in answers["some_series"].as_array().unwrap() {
        let labels = wanted["labels"].as_object().unwrap();
        let matchers = labels.iter().map(|(name, value)| format!("{name}={value}"));
        let selector = format!("{{{}}}", matchers.collect::<Vec<_>>().join(","));
        let selectors = [Selector::parse(&selector).unwrap()];
        for aggregate in Aggregate::ALL {
            let want = &wanted["aggregates"][aggregate.name()];
            let choice = Choice { aggregate: Some(aggregate), ..Choice::default() };
            let blocks = Blocks::new(blocks, None).choose(choice).unwrap();
            let mut series = blocks.series(&selectors, &mut Work::default()).unwrap();
            let row = series.next().unwrap().unwrap();
            let (mut samples, mut all) = (row.samples(ALL).unwrap(), Vec::new());
            while let Some(sample) = samples.next().unwrap() {
                all.push(sample);
            }
            assert_eq!(want["count"], all.len(), "{selector} {}", aggregate.name());
            let hash = Sha256::digest(bits(&all).to_string());
            assert_eq!(want["sha256"], hex::encode(hash), "{selector} {}", aggregate.name());
            if let Some(want) = want.get("all") {
                assert_eq!(want, &bits(&all));
            }
            count += 1;
        }
    }
    count
}

#[test]
fn aggregates_are_those_that_thanos_reads() {
    let golden = golden();
    let answers = fs::read(golden.folder.path().join("answers.json")).unwrap();
    assert_eq!(check_answers(&golden.block, &serde_json::from_slice(&answers).unwrap()), 20);
}

#[test]
fn aggregates_of_five_minutes_are_those_that_thanos_reads() {
    let Some(golden) = whole_golden_set("Thanos's blocks of five minutes") else { return };
    let thanos = golden.join("../buckets/thanos");
    let answers = fs::read_to_string(thanos.join("answers/blocks.jsonl")).unwrap();
    let all = answers.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let answers = all.into_iter().find(|block| block["name"] == "a-5m").unwrap();
    let block = thanos.join("bucket").join(answers["ulid"].as_str().unwrap());
    assert_eq!(check_answers(&Block::open(&block).unwrap(), &answers), 20);
}

fn dumped(blocks: &[Block], choice: Choice, format: DumpFormat, times: Interval) -> String {
    let blocks = Blocks::new(blocks, None).choose(choice).unwrap();
    let selectors = [Selector::parse(r#"up{pod="web-01"}"#).unwrap()];
    let mut out = Vec::new();
    dump(&blocks, &selectors, times, format, &mut out, &Watch::none()).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_dump_has_every_aggregate_with_its_name_and_resolution() {
    let golden = golden();
    let blocks = std::slice::from_ref(&golden.block);
    let everything = Choice::default();
    let text = dumped(blocks, everything, DumpFormat::OpenMetrics, ALL);
    let labels = r#"__aggregate__="count",__resolution__="1h",job="web",pod="web-01",zone="east""#;
    let first = format!("up{{{labels}}} 120 1700009999.999");
    assert_eq!(text.lines().next(), Some(&*first));
    // Six windows, five times, the two points of counters, and the end.
    assert_eq!(text.lines().count(), 6 * 5 + 2 + 1);
    let json = dumped(blocks, everything, DumpFormat::Json, ALL);
    let rows: Vec<Json> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 5);
    assert_eq!(
        (&rows[1]["aggregate"], &rows[1]["resolution_ms"]),
        (&json!("sum"), &json!(3600000))
    );
    assert_eq!(rows[1]["labels"].as_object().unwrap().len(), 4);
    assert_eq!(rows[4]["samples"].as_array().unwrap().len(), 8);
    // What was chosen is written as samples are.
    let choice = Choice { aggregate: Some(Aggregate::Max), ..everything };
    let text = dumped(blocks, choice, DumpFormat::Plain, ALL);
    let first = "{__name__=\"up\", job=\"web\", pod=\"web-01\", zone=\"east\"} 188 1700009999999";
    assert_eq!((text.lines().next(), text.lines().count()), (Some(first), 6));
}

#[test]
fn times_are_those_of_the_points_and_a_counter_begins_before_its_first_window() {
    let golden = golden();
    let blocks = std::slice::from_ref(&golden.block);
    let choice = Choice { aggregate: Some(Aggregate::Counter), ..Choice::default() };
    let lines = |min_time, max_time| {
        let times = Interval { min_time, max_time };
        dumped(blocks, choice, DumpFormat::Plain, times).lines().count()
    };
    let (first, window) = (1_700_006_400_000, 1_700_009_999_999);
    assert_eq!(
        [lines(first, window), lines(first + 1, window), lines(window + 1, i64::MAX)],
        [2, 1, 6]
    );
}

#[test]
fn what_is_not_there_or_is_there_twice_is_not_chosen() {
    let golden = golden();
    let (hour, minutes) = (golden.block.clone(), copy(&golden, 300_000));
    let raw = copy(&golden, 0);
    let choose = |blocks: &[Block], resolution, aggregate| {
        let chosen = Blocks::new(blocks, None).choose(Choice { resolution, aggregate });
        chosen.map(|blocks| blocks.iter().count())
    };
    let both = [hour.clone(), minutes.clone()];
    let sum = Some(Aggregate::Sum);
    assert_eq!(choose(&both, Some(300_000), sum), Ok(1));
    assert_eq!(choose(&both, None, None), Ok(2));
    assert_eq!(choose(&[hour.clone(), raw.clone()], None, sum), Ok(1));
    assert_eq!(choose(&[], None, sum), Ok(0));
    for (resolution, aggregate, want) in [
        (None, sum, "blocks of 5m and 1h have a sum, of other windows: choose a resolution"),
        (Some(0), None, "no block has the resolution raw; they are 5m and 1h"),
        (
            Some(60_000),
            sum,
            "no block is downsampled to 1m, so there are no aggregates; they are 5m and 1h",
        ),
    ] {
        let error: ChoiceError = choose(&both, resolution, aggregate).unwrap_err();
        assert_eq!(error.to_string(), want);
    }
    // Where nothing is chosen there are no plain samples; nor where the meta file says nothing.
    let everything = [Selector::everything()];
    for (block, want) in [
        (
            hour,
            "the block is downsampled: it has aggregates instead of samples, one must be chosen",
        ),
        (raw, "encoding of a chunk of samples (255: aggregates of downsampled ones)"),
    ] {
        let blocks = Blocks::new(std::slice::from_ref(&block), None);
        let mut series = blocks.series(&everything, &mut Work::default()).unwrap();
        let row = series.next().unwrap().unwrap();
        let error = row.samples(ALL).map(drop).unwrap_err();
        assert!(error.to_string().contains(want), "{error}");
    }
}

#[test]
fn a_downsampled_block_is_sound_and_every_flip_in_its_chunks_is_found() {
    let golden = golden();
    let path = golden.block.path();
    let verified = verify(path, 1, &Watch::none()).unwrap();
    assert_eq!((verified.verdict.findings.list, verified.verdict.warnings.list), (vec![], vec![]));
    assert_eq!((verified.counts.chunks, verified.counts.samples), (36, 216));
    // Blocks of other resolutions have the same times, which is no overlap.
    let minutes = copy(&golden, 300_000);
    let hour = minutes.path().with_file_name(NAME);
    copy_folder(path, &hour);
    let verified = verify(hour.parent().unwrap(), 1, &Watch::none()).unwrap();
    assert_eq!((verified.counts.blocks, verified.verdict.warnings.list), (2, vec![]));
    let raw = copy(&golden, 0);
    let verified = verify(raw.path(), 1, &Watch::none()).unwrap();
    let findings = verified.verdict.findings.list;
    let want = "thanos.downsample.resolution: wanted above 0, as chunks hold aggregates, got 0";
    assert!(findings[0].to_string().contains(want), "{findings:?}");
    let segment = path.join("chunks/000001");
    let sound = fs::read(&segment).unwrap();
    for at in (0..sound.len()).step_by(41) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        fs::write(&segment, bytes).unwrap();
        let verified = verify(path, 1, &Watch::none()).unwrap();
        let verdict = verified.verdict;
        let is_padding = (5..8).contains(&at);
        assert!(!verdict.is_ok() || is_padding && !verdict.warnings.list.is_empty(), "at {at}");
    }
}

#[test]
fn an_analysis_counts_windows() {
    let golden = golden();
    let options = AnalyzeOptions {
        matchers: &[],
        limit: 10,
        matrix: Matrix::LeaveOut,
        chunks: Chunks::Read,
        bytes: Bytes::Sum,
        by: None,
    };
    let chunks = analyze(&golden.block, &options, &Watch::none()).unwrap().chunks.unwrap();
    let windows = chunks.aggregate_windows.unwrap();
    assert_eq!((chunks.chunk_count, windows.min, windows.max), (36, 6, 6));
    assert_eq!((chunks.float_samples, chunks.histogram_samples), (None, None));
    let lens = chunks.aggregate_lens.unwrap();
    assert!(lens.min > 180 && lens.max < 210, "{lens:?}");
}

fn target(golden: &Golden) -> (PathBuf, Target) {
    let path = golden.folder.path().join("out");
    (path.clone(), Target::open(&path).unwrap())
}

fn ulid(number: u8) -> Ulid {
    Ulid::new(1_700_000_000_000, [number; 10])
}

fn rewriting() -> RewriteOptions<'static> {
    RewriteOptions { ulid: ulid(9), memory: 1 << 20, skip_damaged: None }
}

/// The bytes of all chunks.
fn chunks_of(path: &Path) -> Vec<u8> {
    fs::read(path.join("chunks/000001")).unwrap()
}

#[test]
fn chunks_that_stay_whole_are_copied() {
    let golden = golden();
    let (_, target) = target(&golden);
    let options = MergeOptions { ulid: ulid(1), memory: 1 << 20, skip_damaged: None };
    let source = [golden.block.clone()];
    let made = merge(&source, Some(&target), &options, &Watch::none()).unwrap().block.unwrap();
    assert!(chunks_of(&made.path) == chunks_of(golden.block.path()));
    // What is true of the block stays, and its windows are counted.
    let stats = &made.meta.stats;
    assert_eq!(
        (made.meta.resolution(), stats.num_samples, stats.num_float_samples),
        (3_600_000, 216, 0)
    );
    // The same chunks twice are one.
    let made = [golden.block.clone(), Block::open(&made.path).unwrap()];
    let options = MergeOptions { ulid: ulid(2), ..options };
    let made = merge(&made, Some(&target), &options, &Watch::none()).unwrap();
    assert_eq!(made.left_out.repeated, 216);
    assert!(chunks_of(&made.block.unwrap().path) == chunks_of(golden.block.path()));
    // Of another server: its labels are not kept, that it is downsampled is.
    let other = copy(&golden, 3_600_000);
    let meta = other.path().join("meta.json");
    let json = fs::read_to_string(&meta).unwrap();
    fs::write(&meta, json.replace(r#""replica":"a""#, r#""replica":"b""#)).unwrap();
    let both = [golden.block.clone(), Block::open(other.path()).unwrap()];
    let options = MergeOptions { ulid: ulid(8), ..options };
    let made = merge(&both, Some(&target), &options, &Watch::none()).unwrap();
    let want = json!({ "version": 1, "labels": {}, "downsample": { "resolution": 3_600_000 } });
    assert_eq!(made.meta.rest["thanos"], want);
    // Relabelled, and some left out.
    let rules = Rules { drop: vec![Selector::parse("up").unwrap()], ..Rules::default() };
    let made = rewrite(&golden.block, Some(&target), &rules, &rewriting(), &Watch::none()).unwrap();
    assert_eq!((made.meta.stats.num_samples, made.left_out.dropped), (144, 72));
    let made = Block::open(&made.block.unwrap().path).unwrap();
    let sums = diff(&golden.block, &made, &mut |_, _| true).unwrap();
    assert_eq!(sums, DiffSums { same: 24, only_left: 12, ..DiffSums::default() });
    let by = SplitBy::Hash { parts: 2 };
    let mut number = 3;
    let next = || {
        number += 1;
        ulid(number)
    };
    let parts = split(&golden.block, &target, by, 1 << 20, next, &Watch::none()).unwrap();
    assert_eq!(parts.iter().map(|part| part.block.meta.stats.num_samples).sum::<u64>(), 216);
    for part in parts {
        let verdict = verify(&part.block.path, 1, &Watch::none()).unwrap().verdict;
        assert!(verdict.is_ok(), "{:?}", verdict.findings.list);
    }
}

#[test]
fn what_would_cut_or_merge_windows_is_refused() {
    let golden = golden();
    let (out, target) = target(&golden);
    let refused = |error: MergeError, want: &str| {
        assert!(error.to_string().contains(want), "{error}");
        let left = fs::read_dir(&out).map_or(0, |entries| entries.count());
        assert_eq!(left, 0, "nothing was made");
    };
    let options = MergeOptions { ulid: ulid(1), memory: 1 << 20, skip_damaged: None };
    let blocks = [golden.block.clone(), copy(&golden, 300_000)];
    let error = merge(&blocks, Some(&target), &options, &Watch::none()).unwrap_err();
    refused(error, "is 5m: only blocks of one resolution can be merged");
    // Series that become one overlap.
    let relabel = Relabel::from_yaml("[{regex: pod, action: labeldrop}]").unwrap();
    let rules = Rules { relabel, ..Rules::default() };
    let error =
        rewrite(&golden.block, Some(&target), &rules, &rewriting(), &Watch::none()).unwrap_err();
    refused(
        error,
        "the block is downsampled: chunks of a series overlap from 1700009999999 to 1700027970000",
    );
    let delete = |min_time, max_time| {
        let selector = Selector::parse("up").unwrap();
        let deletion = Deletion { selector, times: Interval { min_time, max_time } };
        let rules = Rules { delete: vec![deletion], ..Rules::default() };
        rewrite(&golden.block, Some(&target), &rules, &rewriting(), &Watch::none())
    };
    let error = delete(1_700_020_000_000, i64::MAX).unwrap_err();
    refused(error, "kept or left out as a whole, not cut");
    let by = SplitBy::Time { range: 7_200_000 };
    let error = split(&golden.block, &target, by, 1 << 20, || ulid(7), &Watch::none()).unwrap_err();
    refused(error, "kept or left out as a whole, not cut");
    // Whole chunks go.
    let made = delete(i64::MIN, i64::MAX).unwrap();
    assert_eq!((made.left_out.deleted, made.meta.stats.num_samples), (72, 144));
}

#[test]
fn blocks_are_compared_aggregate_by_aggregate() {
    let golden = golden();
    let minutes = copy(&golden, 300_000);
    let mut seen = 0;
    // The same bytes, of another meaning: a folder of one has nothing of the other's.
    let own = std::slice::from_ref(&golden.block);
    let sums = diff_all(own, own, &mut |_, _| true).unwrap();
    assert_eq!((sums.same, sums.differ()), (36, false));
    let (_, target) = target(&golden);
    let rules = Rules { keep: vec![Selector::parse("up").unwrap()], ..Rules::default() };
    let made = rewrite(&minutes, Some(&target), &rules, &rewriting(), &Watch::none()).unwrap();
    let made = Block::open(&made.block.unwrap().path).unwrap();
    let both = [made.clone(), golden.block.clone()];
    let sums = diff_all(&both, own, &mut |_, difference| {
        seen += 1;
        let shown = format!("{difference:?}");
        // Five aggregates of six windows, and the two points of counters.
        assert!(shown.contains("only_left: 32, only_right: 0, changed: 0"), "{shown}");
        true
    });
    assert_eq!((sums.unwrap().samples, seen), (12, 12));
    let error = BlockError::Downsampled { path: PathBuf::from("x"), why: "y".to_owned() };
    assert_eq!(error.to_string(), "x: the block is downsampled: y");
}
