//! Rounds and bytes that calls take.

use std::path::Path;
use std::sync::Arc;

use manicule_series::query::{Blocks, Work};
use manicule_series::{Block, Interval, Selector, open_within_in};
use manicule_store::Disk;
use manicule_store::store::{Fetched, MemoryStore, Name, Replace, Store, WriteStore};
use manicule_testkit::{Rounds, SlowStore, golden_folder, in_memory, round_of_environment};

use super::{LIMITS, all_of, samples_of};

fn slow(folder: &Path) -> (MemoryStore, Arc<SlowStore>) {
    let memory = in_memory(folder);
    (memory.clone(), Arc::new(SlowStore::new(Arc::new(memory), round_of_environment())))
}

#[test]
fn calls_take_these_rounds() {
    let golden = golden_folder("series", "golden");
    let (memory, slow) = slow(&golden.path().join("blocks/api"));
    let name = Name::new(&memory.list(&Name::root()).unwrap()[0].name).expect("a block");
    let kept = tempfile::tempdir().expect("a folder");
    let files = || Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
    let within = |min_time, max_time| {
        let times = Some(Interval { min_time, max_time });
        move |files: &Fetched| open_within_in(files, times).unwrap().blocks
    };
    let mut rounds = Rounds::over(&slow);
    let first = within(i64::MIN, 1_700_006_360_000);
    rounds.call("open those of times, nothing kept", || first(&files()));
    rounds.call("open those of times, as another process has", || first(&files()));
    rounds.call("open those of other times", || within(i64::MAX - 1, i64::MAX)(&files()));
    let blocks = rounds.call("open all", || within(i64::MIN, i64::MAX)(&files()));
    rounds.call("open all again", || within(i64::MIN, i64::MAX)(&files()));
    let one = rounds.call("open one", || Block::open_in(&files(), &name)).unwrap();
    let index = one.index();
    rounds.call("all series", || index.all_postings().map(|all| all.len())).unwrap();
    rounds.call("series count", || index.series_count()).unwrap();
    rounds.call("all samples", || all_of(std::slice::from_ref(&one)).unwrap());
    rounds.call("samples of all blocks", || all_of(&blocks).unwrap());
    // What the folder is and what lies below it; all meta files and tombstones, and beside them,
    // counted by itself here, the ends of small indexes, which are all of them; of chunks what is
    // asked.
    rounds.check(&[
        ("open those of times, nothing kept", 3),
        ("open those of times, as another process has", 1),
        ("open those of other times", 1),
        ("open all", 1),
        ("open all again", 1),
        ("open one", 2),
        ("all series", 0),
        ("series count", 0),
        ("all samples", 1),
        ("samples of all blocks", 1),
    ]);
}

/// Of an index of 490 KB and chunks of 520 KB.
#[test]
fn questions_bring_what_they_touch() {
    let golden = golden_folder("series", "golden");
    let (memory, slow) = slow(&golden.path().join("blocks/k5k"));
    let name = Name::new(&memory.list(&Name::root()).unwrap()[0].name).expect("a block");
    let kept = tempfile::tempdir().expect("a folder");
    let open = || {
        let files = Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
        Block::open_in(&files, &name).unwrap()
    };
    let selector = |text: &str| [Selector::parse(text).unwrap()];
    let values = |selectors: &[Selector], name: &[u8]| {
        let block = [open()];
        let blocks = Blocks::new(&block, None);
        blocks.label_values(name, selectors, &mut Work::default()).unwrap().len()
    };
    let mut got = Vec::new();
    let mut count = |what: &'static str, answer: usize| {
        let counts = slow.take_counts();
        println!("{what}: {answer}, {counts:?}");
        got.push((what, answer, counts.rounds, counts.read_bytes / 10_000));
    };
    slow.take_counts();
    count("values, nothing kept", values(&[], b"pod"));
    count("values, tables kept", values(&[], b"pod"));
    let few = selector(r#"{job="db",zone="z2",pod=~"db-9.*"}"#);
    count("values of few series", values(&few, b"instance"));
    count("series and samples of few", samples_of(&[open()], &few).unwrap().len());
    count("the same again", samples_of(&[open()], &few).unwrap().len());
    count("everything", all_of(&[open()]).unwrap().len());
    count("everything again", all_of(&[open()]).unwrap().len());
    // Listing and small files, the end of the index, its tables; then what a question is about.
    let want = [
        ("values, nothing kept", 1000, 4, 16),
        ("values, tables kept", 1000, 2, 0),
        ("values of few series", 3, 3, 2),
        ("series and samples of few", 15, 4, 4),
        ("the same again", 15, 2, 0),
        ("everything", 5000, 13, 74),
        ("everything again", 5000, 2, 0),
    ];
    assert_eq!(got, want, "question, answers, rounds, bytes in 10,000");
}

/// The rest of a batch comes at once, after the first series whose samples are read.
#[test]
fn samples_that_nobody_announced_take_few_rounds() {
    let golden = golden_folder("series", "golden");
    let (memory, slow) = slow(&golden.path().join("blocks/k5k"));
    let name = Name::new(&memory.list(&Name::root()).unwrap()[0].name).expect("a block");
    let kept = tempfile::tempdir().expect("a folder");
    let files = Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
    let block = [Block::open_in(&files, &name).unwrap()];
    slow.take_counts();
    let blocks = Blocks::new(&block, None);
    let everything = [Selector::everything()];
    let mut series = blocks.series(&everything, &mut Work::default()).unwrap();
    let times = Interval { min_time: 0, max_time: i64::MAX };
    while let Some(row) = series.next().unwrap() {
        let mut samples = row.samples(times).unwrap();
        assert!(samples.next().unwrap().is_some());
    }
    let counts = slow.take_counts();
    assert!(counts.rounds <= 8, "{counts:?}");
}

/// Of an index of 159 MB, where `MANICULE_INDEXES` is a folder with `1200000/index`.
#[test]
fn a_block_of_a_million_series_is_asked_in_five_rounds_and_a_megabyte() {
    let Some(indexes) = std::env::var_os("MANICULE_INDEXES") else {
        return println!("left out: 1.2 million series, where MANICULE_INDEXES is not set");
    };
    let memory = MemoryStore::new(1);
    let name = Name::new("01M7YV9DEF4R1HZ3V3WZ5VEFVX").expect("a name");
    let put = |file: &str, bytes: &[u8]| {
        memory.put(&name.join(file).expect("a name"), bytes, Replace::Any).unwrap();
    };
    put("index", &std::fs::read(Path::new(&indexes).join("1200000/index")).unwrap());
    put("meta.json", br#"{"version":1,"minTime":1700000000000,"maxTime":1700007200000}"#);
    let slow = Arc::new(SlowStore::new(Arc::new(memory), round_of_environment()));
    let kept = tempfile::tempdir().expect("a folder");
    let open = || {
        let files = Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
        [Block::open_in(&files, &name).unwrap()]
    };
    let check = |what: &str, rounds: u64, bytes: u64, ask: &dyn Fn(&Blocks<'_>) -> usize| {
        slow.take_counts();
        let block = open();
        let answer = ask(&Blocks::new(&block, None));
        let counts = slow.take_counts();
        println!("{what}: {answer}, {counts:?}");
        assert!(counts.rounds <= rounds && counts.read_bytes <= bytes, "{what}: {counts:?}");
    };
    let values = |selectors: &[Selector]| {
        let selectors = selectors.to_vec();
        move |blocks: &Blocks<'_>| {
            blocks.label_values(b"pod", &selectors, &mut Work::default()).unwrap().len()
        }
    };
    check("values, nothing kept", 5, 6_000_000, &values(&[]));
    check("values", 2, 1000, &values(&[]));
    for text in SELECTIVE {
        let selectors = [Selector::parse(text).unwrap()];
        check(text, 5, 1_000_000, &|blocks| {
            let mut series = blocks.series(&selectors, &mut Work::default()).unwrap();
            let mut count = 0;
            while series.next().unwrap().is_some() {
                count += 1;
            }
            count
        });
        check(text, 2, 1000, &|blocks| {
            blocks.count(&selectors, &mut Work::default()).unwrap().unwrap_or(0) as usize
        });
        check(text, 5, 1_000_000, &values(&selectors));
    }
}

const SELECTIVE: [&str; 3] = [
    r#"http_request_duration_seconds_bucket{pod="cache-lbswsk-k2b76svnk7-czw6k"}"#,
    r#"http_request_duration_seconds_bucket{namespace="infra-payments-63",le="0.005",code="200"}"#,
    r#"container_network_transmit_bytes_total{pod=~"api-.*x7.*"}"#,
];

#[test]
fn a_whole_index_is_walked_in_few_rounds() {
    let golden = golden_folder("series", "golden");
    let (memory, slow) = slow(&golden.path().join("blocks/k5k"));
    let name = Name::new(&memory.list(&Name::root()).unwrap()[0].name).expect("a block");
    let kept = tempfile::tempdir().expect("a folder");
    let files = Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
    let block = Block::open_in(&files, &name).unwrap();
    slow.take_counts();
    block.prove().unwrap();
    let counts = slow.take_counts();
    assert!(counts.rounds <= 5, "{counts:?}");
}
