//! What a question at an address costs in requests, the second time too.

use std::path::Path;

use manicule_testkit::{copy_folder, whole_golden_set};

use crate::damage::plant;

use super::bucket::Example;

/// Rounds and requests that a receipt has.
fn receipt(err: &str) -> [u64; 2] {
    ["bucket_rounds", "bucket_requests"].map(|name| {
        let prefix = format!("receipt: {name} ");
        let count = err.lines().find_map(|line| line.split_once(&prefix));
        count.unwrap_or_else(|| panic!("no {name}: {err}")).1.parse().expect("a count")
    })
}

/// Asks twice, the second time with what the first has brought: each time this number of requests.
#[track_caller]
fn check(plant: fn(&Path), words: &str, first: u64, second: u64) {
    let example = Example::planted(plant);
    for want in [first, second] {
        let (seen, asked) = example.asked(words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.err);
        let [rounds, requests] = receipt(&seen.err);
        assert_eq!(requests, asked.requests(), "{words}: the server counts the same");
        assert_eq!(requests, want, "{words}: {asked:?}");
        assert!((1..=requests).contains(&rounds), "{words}: {rounds} rounds");
    }
}

#[test]
fn a_slice() {
    check(plant::rows_packed, "rows slice --receipt t 1", 9, 9);
}

#[test]
fn names_of_labels() {
    check(plant::series, "series labels --receipt ./data", 11, 5);
}

#[test]
fn a_query_of_shards() {
    check(plant::shards, "code search --receipt -l a shards", 2, 1);
}

#[test]
fn a_query_of_a_graph() {
    check(plant::graph, "graph query --receipt store -f count.rq", 17, 9);
}

/// Number of tries of a repository's calls: requests that go out together come one by one, and are
/// rounds of their own, where other tests have all cores.
const TRIES: usize = 5;

/// Asks a repository: the rounds that each of these calls takes at most, in one of several tries,
/// and its requests, in each.
#[track_caller]
fn check_repository(planted: impl Fn() -> Example, calls: &[(&str, [u64; 2])]) {
    for left in (0..TRIES).rev() {
        let example = planted();
        let asked = calls.iter().map(|(words, [rounds_max, wanted])| {
            let (seen, asked) = example.asked(&format!("blobs --receipt {words}"));
            assert_eq!(seen.code, Some(0), "{words}: {}", seen.err);
            let [rounds, requests] = receipt(&seen.err);
            assert_eq!(requests, asked.requests(), "{words}: the server counts the same");
            assert_eq!(requests, *wanted, "{words}");
            (*words, [rounds.max(*rounds_max), requests])
        });
        let asked: Vec<_> = asked.collect();
        if asked == calls {
            return;
        }
        assert!(left > 0, "{asked:?} where {calls:?} are wanted");
    }
}

#[test]
fn a_repository() {
    check_repository(
        || Example::planted(plant::blobs),
        &[
            ("snapshots -r repo", [2, 17]),
            ("ls -r repo latest", [3, 32]),
            ("find -r repo *", [3, 44]),
            ("dump -r repo latest /", [4, 45]),
            ("check -r repo", [3, 45]),
            ("check -r repo --read-data", [4, 71]),
            ("ls -r repo --index-cache latest", [20, 60]),
            ("ls -r repo --index-cache latest", [3, 6]),
        ],
    );
}

#[test]
fn a_repository_that_restic_has_made() {
    let Some(golden) = whole_golden_set("requests beside restic's") else { return };
    let planted = || {
        Example::planted(|folder| {
            let from = golden.join("buckets/restic/bucket/backups/alpha");
            copy_folder(&from, &folder.join("repo"));
        })
    };
    // restic: 12, 36, 89, 49, 54, 19.
    check_repository(
        planted,
        &[
            ("snapshots -r repo", [2, 7]),
            ("ls -r repo latest", [4, 13]),
            ("find -r repo *note-003*", [3, 14]),
            ("check -r repo", [3, 15]),
            ("check -r repo --read-data", [4, 20]),
            ("dump -r repo latest /desk/grown.bin", [4, 13]),
        ],
    );
}

/// A call of each command on a repository: texts, tables, and documents in restic's form.
const REPOSITORY_CALLS: [&str; 19] = [
    "blobs snapshots --json",
    "blobs snapshots --format csv",
    "blobs list packs",
    "blobs ls --json latest",
    "blobs ls --format csv latest",
    "blobs find --json *",
    "blobs diff latest latest",
    "blobs dump latest /",
    "blobs restore latest --target restored --dry-run",
    "blobs cat config",
    "blobs stats --json",
    "blobs usage",
    "blobs usage --packs --format csv",
    "blobs cost --json",
    "blobs history /",
    "blobs duplicates",
    "blobs export",
    "blobs check",
    "blobs repair-index",
];

#[test]
fn each_command_on_a_repository_says_its_cost_beside_its_answer() {
    let example = Example::planted(plant::blobs);
    for words in REPOSITORY_CALLS {
        let words = format!("{words} -r repo");
        let plain = example.local(&words);
        let local = example.local(&format!("{words} --receipt"));
        assert_eq!((local.code, &local.out), (plain.code, &plain.out), "{words}");
        assert!(!plain.err.contains("receipt"), "{words}: {}", plain.err);
        assert!(local.err.contains("receipt: "), "{words}: {}", local.err);
        assert!(!local.err.contains("bucket_"), "{words}: {}", local.err);
        if !words.contains("--format") {
            let reads = local.err.split_once("receipt: reads ").expect("a count").1;
            assert!(!reads.starts_with('0'), "{words}: {}", local.err);
        }
        let (remote, asked) = example.asked(&format!("{words} --receipt"));
        assert_eq!(receipt(&remote.err)[1], asked.requests(), "{words}: {}", remote.err);
    }
}

/// A call over an example, and the requests that it takes, the first time and the second.
type Asked = (fn(&Path), &'static str, [u64; 2]);

/// Asks each example twice: the requests that these calls take, the second time with what the first
/// has brought.
#[track_caller]
fn check_all(calls: &[Asked]) {
    let mut got = Vec::new();
    for (plant, words, _) in calls {
        let example = Example::planted(plant);
        got.push((
            *words,
            [(); 2].map(|()| {
                let (seen, asked) = example.asked(words);
                assert_eq!(seen.code, Some(0), "{words}: {}", seen.err);
                asked.requests()
            }),
        ));
    }
    let want = calls.iter().map(|(_, words, requests)| (*words, *requests));
    assert_eq!(got, want.collect::<Vec<_>>());
}

#[test]
fn questions_of_rows() {
    check_all(&[
        (plant::rows_packed, "rows schema t", [9, 9]),
        (plant::rows_packed, "rows partitions t", [9, 9]),
    ]);
}

#[test]
fn a_find() {
    check_all(&[
        (plant::rows_packed, "find --receipt -c 1 t", [9, 9]),
        (plant::series, "find --receipt -c g data", [11, 5]),
        (plant::shards, "find --receipt -c a shards", [2, 1]),
        (plant::graph, "find --receipt -c text store", [18, 10]),
        (plant::blobs, "find --receipt -c 1 repo", [45, 45]),
    ]);
}

#[test]
fn an_inspection() {
    check_all(&[
        (plant::rows_packed, "inspect t", [9, 9]),
        (plant::series, "inspect data", [6, 6]),
        (plant::shards, "inspect shards", [2, 1]),
        (plant::graph, "inspect store", [31, 23]),
        (plant::blobs, "inspect repo", [25, 25]),
    ]);
}

#[test]
fn a_verification() {
    check_all(&[
        (plant::rows_packed, "verify t", [9, 9]),
        (plant::series, "verify data", [19, 11]),
        (plant::shards, "verify shards", [4, 2]),
        (plant::graph, "verify store", [31, 26]),
        (plant::blobs, "verify repo", [72, 72]),
    ]);
}
