//! What a question at an address costs in requests, the second time too.

use std::path::Path;

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
    check(plant::rows_packed, "rows slice --receipt t 1", 20, 20);
}

#[test]
fn names_of_labels() {
    check(plant::series, "series labels --receipt ./data", 16, 12);
}

#[test]
fn a_query_of_shards() {
    check(plant::shards, "code search --receipt -l a shards", 4, 2);
}

#[test]
fn a_query_of_a_graph() {
    check(plant::graph, "graph query --receipt store -f count.rq", 17, 9);
}
