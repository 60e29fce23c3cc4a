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

/// Asks a repository: the requests that each of these calls takes. Their rounds are counted by the
/// engine's tests.
#[track_caller]
fn check_repository(example: &Example, calls: &[(&str, u64)]) {
    let asked = calls.iter().map(|(words, _)| {
        let (seen, asked) = example.asked(words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.err);
        (*words, asked.requests())
    });
    assert_eq!(asked.collect::<Vec<_>>(), calls);
}

#[test]
fn a_repository() {
    check_repository(
        &Example::planted(plant::blobs),
        &[
            ("blobs snapshots -r repo", 17),
            ("blobs ls -r repo latest", 32),
            ("blobs find -r repo *", 44),
            ("blobs dump -r repo latest /", 45),
            ("blobs check -r repo", 45),
            ("blobs check -r repo --read-data", 71),
            ("blobs ls -r repo --index-cache latest", 60),
            ("blobs ls -r repo --index-cache latest", 7),
        ],
    );
}

#[test]
fn a_repository_that_restic_has_made() {
    let Some(golden) = whole_golden_set("requests beside restic's") else { return };
    let example = Example::planted(|folder| {
        let from = golden.join("buckets/restic/bucket/backups/alpha");
        copy_folder(&from, &folder.join("repo"));
    });
    // restic: 12, 36, 89, 49, 54, 19.
    check_repository(
        &example,
        &[
            ("blobs snapshots -r repo", 7),
            ("blobs ls -r repo latest", 13),
            ("blobs find -r repo *note-003*", 14),
            ("blobs check -r repo", 15),
            ("blobs check -r repo --read-data", 20),
            ("blobs dump -r repo latest /desk/grown.bin", 13),
        ],
    );
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
