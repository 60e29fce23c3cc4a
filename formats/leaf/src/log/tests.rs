//! Logs against lists of commits; torn ends, and damage.

use manicule_testkit::Rng;

use super::*;
use crate::VERSION;
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
            let len = if rng.one_in(20) { 300 } else { rng.below(8) };
            let mut text = vec![b't'; len];
            text.extend((0..rng.below(4)).map(|_| rng.bits() as u8));
            (id, text)
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
    put_log_head(VERSION, &mut bytes);
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
            added: frame.added().to_vec(),
            removed: frame.removed().to_vec(),
            created: frame.created().to_vec(),
            dropped: frame.dropped().to_vec(),
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
    put_log_head(VERSION, &mut bytes);
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

/// What writers of one commit each made, before how much is synced was kept for the next one.
#[test]
fn a_bad_frame_before_one_whose_writer_knew_nothing_is_damage() {
    let mut bytes = Vec::new();
    put_log_head(VERSION, &mut bytes);
    for number in 1..=3 {
        let (terms, created, dropped) = (&[][..], &[][..], &[][..]);
        let added = &[[Id(number); 4]][..];
        let commit = Commit { number, next_blank: 0, terms, added, removed: &[], created, dropped };
        put_frame(&commit, 0, &mut bytes);
    }
    for at in [20, 30, 60] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        assert_eq!(read(&flipped), (Vec::new(), None), "flipped at {at}");
        let mut log = LogReader::open(&flipped).expect("a head");
        log.by_ref().for_each(drop);
        assert_eq!(log.later(), Some(3), "flipped at {at}");
    }
}

/// A commit of neighbours: what a load or an update makes.
#[test]
fn ids_that_are_near_take_few_bytes() {
    let row = |at: u64| {
        let [subject, predicate] = [at / 20, at % 20].map(|number| Id::new(Tag::IRI, number));
        [subject, predicate, Id::new(Tag::STRING, 1_000_000 + at), Id::DEFAULT_GRAPH]
    };
    let added: Vec<[Id; 4]> = (0..2000).map(row).collect();
    let terms: Vec<(Id, Vec<u8>)> =
        (0..500).map(|at| (Id::new(Tag::STRING, at), format!("label {at}").into())).collect();
    let plain = Plain { number: 1, added, terms, ..Plain::default() };
    let (bytes, _) = written(std::slice::from_ref(&plain));
    // Of 32 bytes for a quad and 12 + 9 for a term.
    assert!(bytes.len() < 2000 * 5 + 500 * 7, "{}", bytes.len());
    assert_eq!(read(&bytes).0, [plain]);
}

#[test]
fn payloads_that_lie_are_refused_or_read() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let (mut bytes, ends) = written(&random_commits(&mut rng));
        let Some(end) = ends.first() else { continue };
        let at = 16 + 28 + rng.below(end - 16 - 28 - 4);
        bytes[at] = rng.bits() as u8;
        let sum = crc32fast::hash(&bytes[16 + 28..end - 4]);
        bytes[end - 4..*end].copy_from_slice(&sum.to_le_bytes());
        let (commits, _) = read(&bytes[..*end]);
        let len: usize = commits.iter().flat_map(|one| &one.terms).map(|term| term.1.len()).sum();
        assert!(len <= 255 * end, "seed {seed}: a text is made of what is there");
    }
}

#[test]
fn a_number_that_comes_again_is_damage() {
    let commits =
        [Plain { number: 2, ..Plain::default() }, Plain { number: 2, ..Plain::default() }];
    let (bytes, _) = written(&commits);
    assert_eq!(read(&bytes), (commits[..1].to_vec(), None));
}
