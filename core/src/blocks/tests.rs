//! Searches against a plain binary search, and what they cost on keys of five kinds.

use std::collections::BTreeSet;

use super::{Evenness, Plan, ReadCost, Search, Side, Strategy, Verdict, plan};
use crate::bytes::mix;

/// The 10 M rows of 2,000 bytes in blocks of 64 KiB.
const BLOCK_COUNT: u64 = 303_031;
/// Length of a block's entry, without its four bytes of the offset map that follows all of them.
const ENTRY_LEN: u64 = 20;
const PAGE_LEN: u64 = 4096;

#[derive(Clone, Copy, Debug)]
enum Keys {
    Even,
    Uniform,
    Quadratic,
    Exponential,
    Bursty,
}

const ALL: [Keys; 5] =
    [Keys::Even, Keys::Uniform, Keys::Quadratic, Keys::Exponential, Keys::Bursty];

/// One multiplication spreads numbers in a row too evenly to be called random.
fn random(at: u64) -> u64 {
    mix(mix(1, at), at)
}

/// First keys of blocks, in order.
fn keys(kind: Keys, count: u64) -> Vec<u64> {
    let share = |at: u64| (at as f64 + 0.5) / count as f64;
    let key = |at: u64| match kind {
        Keys::Even => at * 66 + 1,
        Keys::Uniform => random(at) >> 8,
        Keys::Quadratic => (share(at).powi(2) * 1e15) as u64,
        Keys::Exponential => (share(at) * 40.0).exp() as u64,
        // 100 bursts, each of keys next to each other, at random places.
        Keys::Bursty => (random(at * 100 / count) >> 8) + at,
    };
    let mut keys: Vec<u64> = (0..count).map(key).collect();
    keys.sort_unstable();
    keys
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    probes: u64,
    rounds: u64,
    pages: u64,
}

/// Runs a search to its end: what it found and what it cost.
fn run(mut search: Search, keys: &[u64], wanted: u64, sample: &mut Evenness) -> (u64, Cost) {
    let (mut probes, mut pages, mut cost) = (Vec::new(), BTreeSet::new(), Cost::default());
    let map_at = keys.len() as u64 * ENTRY_LEN;
    // The first block lies beside the partition's head, which is read anyway.
    if let Some(&first) = keys.first() {
        search.learn(0, side(first, wanted), Some(first));
        sample.add(0, first);
    }
    loop {
        search.ask(&mut probes);
        if probes.is_empty() {
            break;
        }
        cost.rounds += 1;
        assert!(probes.is_sorted_by(|left, right| left < right), "{probes:?}");
        for &at in &probes {
            cost.probes += 1;
            pages.insert((map_at + at * 4) / PAGE_LEN);
            pages.insert(at * ENTRY_LEN / PAGE_LEN);
            let key = keys[at as usize];
            sample.add(at, key);
            search.learn(at, side(key, wanted), Some(key));
        }
        assert!(cost.rounds < 200, "it ends");
    }
    sample.note(&search);
    cost.pages = pages.len() as u64;
    (search.found().expect("it is over"), cost)
}

fn side(key: u64, wanted: u64) -> Side {
    if key <= wanted { Side::NotAfter } else { Side::After }
}

fn strategies(wanted: u64) -> [Strategy; 6] {
    [
        Strategy::Bisect,
        Strategy::Ways(3),
        Strategy::Ways(8),
        Strategy::Interpolate { wanted, error: 0 },
        Strategy::Interpolate { wanted, error: 40 },
        Strategy::Interpolate { wanted, error: u64::MAX },
    ]
}

#[test]
fn every_strategy_finds_what_a_plain_binary_search_finds() {
    for kind in ALL {
        for count in [0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000] {
            let keys = keys(kind, count);
            for seed in 0..60 {
                let at = mix(seed, 3) as usize % (count as usize).max(1);
                let near = keys.get(at).copied().unwrap_or(9);
                for wanted in [near, near.saturating_sub(1), near + 1, mix(seed, 4), 0, u64::MAX] {
                    let want = keys.partition_point(|&key| key <= wanted) as u64;
                    for strategy in strategies(wanted) {
                        let search = Search::new(count, strategy);
                        let (got, _) = run(search, &keys, wanted, &mut Evenness::default());
                        assert_eq!(got, want, "{kind:?} {count} seed {seed} {strategy:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn keys_out_of_order_end_a_search_all_the_same() {
    for seed in 0..200 {
        let keys: Vec<u64> = (0..500).map(|at| mix(seed, at)).collect();
        for strategy in strategies(mix(seed, 1000)) {
            let search = Search::new(500, strategy);
            let (found, cost) = run(search, &keys, mix(seed, 1000), &mut Evenness::default());
            assert!(found <= 500 && cost.rounds <= 60, "seed {seed} {strategy:?} {cost:?}");
        }
    }
}

#[test]
fn blocks_beside_a_probe_narrow_the_search_and_leave_the_first_levels_as_they_are() {
    let mut levels = BTreeSet::new();
    for wanted in 0..3000u64 {
        let (mut search, mut probes) = (Search::new(1000, Strategy::Bisect), Vec::new());
        for level in 0.. {
            search.ask(&mut probes);
            let [at] = probes[..] else { break };
            if level < 3 {
                levels.insert(at);
            }
            for beside in at.saturating_sub(5)..(at + 5).min(1000) {
                search.learn(beside, side(beside * 3, wanted), None);
            }
        }
        assert_eq!(search.found(), Some(wanted / 3 + 1));
    }
    assert_eq!(levels.len(), 7, "{levels:?}");
}

/// Mean and maximum of 400 searches of the large index.
fn costs(keys: &[u64], make: impl Fn(u64, &Evenness) -> Strategy) -> (f64, Cost) {
    let (mut sum, mut max, mut sample) = (0, Cost::default(), Evenness::default());
    for seed in 0..400 {
        let wanted = keys[mix(seed, 5) as usize % keys.len()];
        let strategy = make(wanted, &sample);
        let mut search = Search::new(keys.len() as u64, strategy);
        if let Strategy::Interpolate { .. } = strategy {
            sample.inform(&mut search, wanted);
        }
        let (found, cost) = run(search, keys, wanted, &mut sample);
        assert_eq!(found, keys.partition_point(|&key| key <= wanted) as u64, "seed {seed}");
        sum += cost.pages;
        max.probes = max.probes.max(cost.probes);
        max.rounds = max.rounds.max(cost.rounds);
        max.pages = max.pages.max(cost.pages);
    }
    (sum as f64 / 400.0, max)
}

fn check_costs(kind: Keys, bisected: (f64, u64), chosen: (f64, u64)) {
    let keys = keys(kind, BLOCK_COUNT);
    let (mean, max) = costs(&keys, |_, _| Strategy::Bisect);
    let shown = format!("{kind:?}, bisection: {mean:.1} pages, at most {max:?}");
    assert!(mean <= bisected.0 && max.pages <= bisected.1, "{shown}");
    assert!(max.probes <= 19 && max.rounds == max.probes, "{shown}");
    let (mean, max) = costs(&keys, |_, _| Strategy::Ways(8));
    assert!(max.rounds <= 7 && max.probes <= 49, "{kind:?}, 8 ways: {mean:.1} pages, {max:?}");
    let cost = ReadCost { whole_bytes_max: 0, ways: 2 };
    let (mean, max) = costs(&keys, |wanted, sample| {
        match plan(BLOCK_COUNT, u64::MAX, cost, sample, Some(wanted)) {
            Plan::Ask(strategy) => strategy,
            Plan::Whole => unreachable!("no index is of no length"),
        }
    });
    let shown = format!("{kind:?}, as planned: {mean:.1} pages, at most {max:?}");
    println!("{shown}");
    assert!(mean <= chosen.0 && max.pages <= chosen.1, "{shown}");
}

// Pages, mean and maximum: of bisection, and of what is chosen after sampling.
#[test]
fn even_keys_are_interpolated() {
    check_costs(Keys::Even, (18.7, 20), (2.2, 18));
}
#[test]
fn uniform_keys_are_interpolated() {
    check_costs(Keys::Uniform, (18.7, 20), (3.3, 18));
}
#[test]
fn quadratic_keys_are_bisected() {
    check_costs(Keys::Quadratic, (18.7, 20), (18.7, 20));
}
#[test]
fn exponential_keys_are_bisected() {
    check_costs(Keys::Exponential, (18.7, 20), (18.7, 20));
}
#[test]
fn bursty_keys_are_bisected() {
    check_costs(Keys::Bursty, (18.7, 20), (18.7, 20));
}

#[test]
fn a_verdict_waits_for_samples_and_falls_for_good() {
    let mut samples = Evenness::default();
    for at in 0..5 {
        samples.add(at * 100, at * 1000);
        assert_eq!(samples.verdict(500), Verdict::Unknown, "{at}");
    }
    samples.add(500, 5003);
    assert_eq!(samples.verdict(500), Verdict::Even { error: 1 });
    assert_eq!(samples.verdict(5000), Verdict::Unknown, "they lie in one part");
    let mut search = Search::new(500, Strategy::Interpolate { wanted: 4000, error: 1 });
    samples.inform(&mut search, 4000);
    assert_eq!(search.range(), (301, 500), "a key of the same image may lie on both sides");
    let (mut probes, mut asked) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        search.ask(&mut probes);
        asked.extend(&probes);
        search.learn(probes[0], Side::NotAfter, None);
    }
    assert_eq!((asked, search.fell_back()), (vec![399, 427], Some(true)));
    samples.note(&search);
    assert_eq!(samples.verdict(500), Verdict::Even { error: 1 });
    samples.note(&search);
    assert_eq!(samples.verdict(500), Verdict::Uneven);
}

#[test]
fn small_indexes_are_fetched_whole_and_dear_rounds_have_many_ways() {
    let (none, near) = (Evenness::default(), ReadCost { whole_bytes_max: 8192, ways: 2 });
    let far = ReadCost { whole_bytes_max: 1 << 20, ways: 8 };
    assert_eq!(plan(400, 8192, near, &none, None), Plan::Whole);
    assert_eq!(plan(401, 8193, near, &none, None), Plan::Ask(Strategy::Bisect));
    assert_eq!(plan(BLOCK_COUNT, 7 << 20, far, &none, Some(7)), Plan::Ask(Strategy::Ways(8)));
}
