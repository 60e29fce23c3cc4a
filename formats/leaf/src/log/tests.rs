//! Logs against lists of commits; torn ends, and damage.
//!
//! Callers: cargo test

use manicule_testkit::Rng;

use super::*;
use crate::id::{Id, Tag};

#[derive(Clone, Debug, Default, PartialEq)]
struct Plain {
    number: u64,
    next_blank: u64,
    terms: Vec<(Id, Vec<u8>)>,
    added: Vec<[Id; 4]>,
    removed: Vec<[Id; 4]>,
    created: Vec<Id>,
    dropped: Vec<Id>,
}

fn random_commits(rng: &mut Rng) -> Vec<Plain> {
    let mut number = 0;
    let quads = |rng: &mut Rng| {
        (0..rng.below(5)).map(|_| [0; 4].map(|_| Id(rng.bits()))).collect::<Vec<_>>()
    };
    let ids = |rng: &mut Rng| (0..rng.below(3)).map(|_| Id(rng.bits())).collect::<Vec<_>>();
    let commits = (0..rng.below(6)).map(|_| {
        number += 1 + rng.below(3) as u64;
        let term = |rng: &mut Rng| {
            let id = Id::new(Tag::IRI, rng.below(1000) as u64);
            (id, vec![b't'; rng.below(20)])
        };
        Plain {
            number,
            next_blank: rng.bits(),
            terms: (0..rng.below(4)).map(|_| term(rng)).collect(),
            added: quads(rng),
            removed: quads(rng),
            created: ids(rng),
            dropped: ids(rng),
        }
    });
    commits.collect()
}

/// The bytes of a log, each frame synced before the next one; and where each frame ends.
fn written(commits: &[Plain]) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    put_log_head(&mut bytes);
    for plain in commits {
        let terms: Vec<(Id, &[u8])> = plain.terms.iter().map(|(id, text)| (*id, &**text)).collect();
        let commit = Commit {
            number: plain.number,
            next_blank: plain.next_blank,
            terms: &terms,
            added: &plain.added,
            removed: &plain.removed,
            created: &plain.created,
            dropped: &plain.dropped,
        };
        put_frame(&commit, bytes.len() as u64, &mut bytes);
        ends.push(bytes.len());
    }
    (bytes, ends)
}

fn read(bytes: &[u8]) -> (Vec<Plain>, Option<LogEnd>) {
    let Ok(mut log) = LogReader::open(bytes) else { return (Vec::new(), None) };
    let mut commits = Vec::new();
    for frame in log.by_ref() {
        let Ok(frame) = frame else { continue };
        commits.push(Plain {
            number: frame.number(),
            next_blank: frame.next_blank(),
            terms: frame.terms().map(|(id, text)| (id, text.to_vec())).collect(),
            added: frame.added().collect(),
            removed: frame.removed().collect(),
            created: frame.created().collect(),
            dropped: frame.dropped().collect(),
        });
    }
    (commits, log.end())
}

#[test]
fn commits_read_back() {
    for seed in 0..50 {
        let commits = random_commits(&mut Rng::new(seed));
        let (bytes, _) = written(&commits);
        assert_eq!(read(&bytes), (commits, Some(LogEnd::Whole)), "seed {seed}");
    }
}

#[test]
fn a_cut_log_has_the_frames_before_the_cut() {
    for seed in 0..20 {
        let commits = random_commits(&mut Rng::new(seed));
        let (bytes, ends) = written(&commits);
        for len in 0..bytes.len() {
            let whole = ends.partition_point(|end| *end <= len);
            let at = whole.checked_sub(1).map_or(16, |last| ends[last]);
            let end = match len {
                _ if len == at => LogEnd::Whole,
                0..16 => LogEnd::Torn { len: 0 },
                _ => LogEnd::Torn { len: at as u64 },
            };
            assert_eq!(
                read(&bytes[..len]),
                (commits[..whole].to_vec(), Some(end)),
                "seed {seed}, {len}"
            );
        }
    }
}

#[test]
fn a_flipped_bit_is_damage_before_what_was_synced_and_a_torn_end_after() {
    let commits: Vec<Plain> = (1..=3)
        .map(|number| Plain { number, added: vec![[Id(number); 4]], ..Plain::default() })
        .collect();
    let (bytes, ends) = written(&commits);
    for at in 16..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let (got, end) = read(&flipped);
        let whole = ends.partition_point(|end| *end <= at);
        assert_eq!(got, commits[..whole], "flipped at {at}");
        let torn = Some(LogEnd::Torn { len: ends[1] as u64 });
        assert_eq!(end, if whole == 2 { torn } else { None }, "flipped at {at}");
    }
}

#[test]
fn unsynced_frames_after_a_bad_one_are_torn_with_it() {
    let mut bytes = Vec::new();
    put_log_head(&mut bytes);
    let synced = bytes.len() as u64;
    for number in 1..=3 {
        let commit = Commit {
            number,
            next_blank: 0,
            terms: &[],
            added: &[],
            removed: &[],
            created: &[],
            dropped: &[],
        };
        put_frame(&commit, synced, &mut bytes);
    }
    bytes[20] ^= 1;
    assert_eq!(read(&bytes), (Vec::new(), Some(LogEnd::Torn { len: 16 })));
}

#[test]
fn a_number_that_comes_again_is_damage() {
    let commits =
        [Plain { number: 2, ..Plain::default() }, Plain { number: 2, ..Plain::default() }];
    let (bytes, _) = written(&commits);
    assert_eq!(read(&bytes), (commits[..1].to_vec(), None));
}
