//! Searches that end early: what is left out is the same for any number of threads, and is what the
//! plainest code leaves out.

use std::fs;

use manicule_code::shards::find::query::Query;
use manicule_code::shards::find::rank::{FileMatch, RankOptions, RankUntil, Scoring, Unit, rank};
use manicule_code::shards::find::{Foreseen, OpenShard, Request, ShardFiles};
use manicule_code::shards::{IndexOptions, Linguist, SymbolSource, index};
use manicule_core::watch::Watch;

use super::super::identity::options;
use super::answer::with_request;

/// Documents, long enough that several threads look at them: one in three has a lamp in each line.
const COUNT: usize = 90;
const LINES: usize = 2000;

const OPTIONS: RankOptions = RankOptions { scoring: Scoring::Place, unit: Unit::Lines };

fn with_shards(call: impl FnOnce(&[OpenShard<'_>])) {
    let (tree, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..COUNT {
        let word = if number % 3 == 0 { "lamp" } else { "hall" };
        let line = |line: usize| format!("a line with a {word} in it, number {line} of {number}\n");
        let text: String = (0..LINES).map(line).collect();
        fs::write(tree.path().join(format!("{number:02}.txt")), text).unwrap();
    }
    let linguist = Linguist::default();
    let options = IndexOptions {
        symbols: SymbolSource::Off,
        shard_len_max: 4 << 20,
        ..options(tree.path(), output.path(), &linguist)
    };
    index(&options, &Watch::none()).expect("shards");
    let files = ShardFiles::open(output.path(), &mut |error| panic!("{error}")).expect("shards");
    let shards = files.shards(Foreseen::Texts, &mut |error| panic!("{error}"));
    assert!(shards.len() > 1, "{}", shards.len());
    call(&shards);
}

fn places(files: &[FileMatch]) -> Vec<(usize, usize)> {
    files.iter().map(|file| (file.shard_number, file.document)).collect()
}

/// Documents that are found, and how many were looked at.
fn found(
    shards: &[OpenShard<'_>],
    until: &RankUntil,
    threads: usize,
) -> (Vec<(usize, usize)>, u64) {
    let query = Query::parse("lamp").unwrap();
    let ranking = with_request(|request| {
        rank(shards, &query, &Request { threads, ..*request }, &OPTIONS, until)
    });
    let ranking = ranking.expect("sound shards");
    (places(&ranking.files), ranking.receipt.visited)
}

/// The documents of each shard up to the maximum, one after the other.
fn plainly(shards: &[OpenShard<'_>], max: u64) -> Vec<(usize, usize)> {
    let (all, _) = found(shards, &RankUntil::NEVER, 1);
    let mut counts = vec![0; shards.len()];
    let is_kept = |(shard, _): &(usize, usize)| {
        let is_kept = counts[*shard] < max;
        counts[*shard] += LINES as u64;
        is_kept
    };
    all.into_iter().filter(is_kept).collect()
}

#[test]
fn a_maximum_leaves_out_the_same_for_any_number_of_threads() {
    with_shards(|shards| {
        let (all, visited) = found(shards, &RankUntil::NEVER, 2);
        assert_eq!(all.len(), COUNT / 3);
        for max in [1, 2000, 2001, 9000, 1 << 40] {
            let until = RankUntil { shard: Some(max), ..RankUntil::NEVER };
            let want = plainly(shards, max);
            for threads in [1, 2, 4] {
                let (got, _) = found(shards, &until, threads);
                assert_eq!(got, want, "{max} on {threads}");
            }
        }
        let until = RankUntil { shard: Some(1), ..RankUntil::NEVER };
        let (_, few) = found(shards, &until, 1);
        assert!(few < visited, "{few} of {visited} are looked at");
    });
}

#[test]
fn shards_after_the_one_that_exceeds_the_maximum_of_all_are_left_out() {
    with_shards(|shards| {
        let (all, _) = found(shards, &RankUntil::NEVER, 1);
        let of_first = all.iter().filter(|place| place.0 == 0).count();
        let matches = (of_first * LINES) as u64;
        for (max, want) in [(matches - 1, of_first), (u64::MAX, all.len())] {
            let until = RankUntil { all: Some(max), ..RankUntil::NEVER };
            assert_eq!(found(shards, &until, 2).0.len(), want, "{max}");
        }
        let until = RankUntil { repository: Some(1), ..RankUntil::NEVER };
        assert_eq!(found(shards, &until, 2).0.len(), shards.len());
    });
}
