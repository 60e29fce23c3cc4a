//! The frozen map holds what the growing one does, and bytes that aren't one are refused.

use super::{FAMILIES, Family, Random, random};
use crate::bytes::DecodeError;
use crate::idmap::{Frozen, FrozenBytes, Growing, IdBytes, InPlace, Lookup, Seed, Verify, freeze};

const VALUE_LEN: usize = 6;

/// Entries of a family, some of their ids several times.
fn entries(family: Family, count: u64) -> Growing<[u8; VALUE_LEN]> {
    let mut map = Growing::new(Seed::new(count));
    let mut numbers = Random(count);
    for value in 0..count as u32 {
        let [a, b, c, d] = value.to_le_bytes();
        let id = family.1(numbers.below(count * 4));
        map.insert(id, [a, b, c, d, 0xff, 1]).unwrap();
    }
    map
}

fn frozen_bytes(map: &Growing<[u8; VALUE_LEN]>) -> Vec<u8> {
    freeze(map.len() as usize, map.iter()).unwrap()
}

fn opened(bytes: &[u8], count: u32) -> Frozen<InPlace<'_>, VALUE_LEN> {
    Frozen::open(bytes, count, Verify::Everything).unwrap()
}

/// Sorted by id; those of one id in the order in which they were added.
fn sorted(map: &Growing<[u8; VALUE_LEN]>) -> Vec<(IdBytes, [u8; VALUE_LEN])> {
    let mut entries: Vec<_> = map.iter().map(|(id, value)| (*id, value)).collect();
    entries.sort_by_key(|(id, _)| *id);
    entries
}

fn check(family: Family, count: u64) {
    let map = entries(family, count);
    let bytes = frozen_bytes(&map);
    let frozen = opened(&bytes, map.len());
    let sorted = sorted(&map);
    assert!(frozen.iter().eq(sorted.iter().map(|(id, value)| (id, *value))), "{}", family.0);
    let ids: Vec<IdBytes> = (0..count * 4 + 10).map(family.1).collect();
    let (mut batch, mut batch_of_growing) = (Vec::new(), Vec::new());
    frozen.batch(&ids, &mut batch);
    map.batch(&ids, &mut batch_of_growing);
    assert_eq!(batch, batch_of_growing, "{}", family.0);
    for (id, value) in ids.iter().zip(batch) {
        assert_eq!((frozen.first(id), frozen.contains(id)), (value, value.is_some()));
        assert!(frozen.all(id).eq(map.all(id)), "{}", family.0);
        let numbers = frozen.numbers(id);
        assert!(numbers.clone().eq(frozen.find_all(id)));
        assert!(numbers.clone().all(|number| frozen.entry(number).0 == id));
    }
    check_repeated(&frozen, &sorted);
    check_prefixes(&frozen, &sorted, &ids);
}

fn check_repeated(frozen: &Frozen<InPlace<'_>, VALUE_LEN>, sorted: &[(IdBytes, [u8; VALUE_LEN])]) {
    let mut first = 0;
    let runs = sorted.chunk_by(|left, right| left.0 == right.0).map(|run| {
        first += run.len() as u32;
        first - run.len() as u32..first
    });
    assert!(frozen.repeated().eq(runs.filter(|run| run.len() > 1)));
}

fn check_prefixes(
    frozen: &Frozen<InPlace<'_>, VALUE_LEN>,
    sorted: &[(IdBytes, [u8; VALUE_LEN])],
    ids: &[IdBytes],
) {
    let prefix_of = |id: &IdBytes, bit_count: usize| -> Vec<bool> {
        (0..bit_count).map(|bit| id[bit / 8] >> (7 - bit % 8) & 1 == 1).collect()
    };
    for (id, bit_count) in
        ids.iter().step_by(17).zip([0, 1, 4, 7, 8, 12, 63, 64, 65, 230, 255, 256].iter().cycle())
    {
        let prefix = prefix_of(id, *bit_count);
        let is_before = |other: &IdBytes| prefix_of(other, *bit_count) < prefix;
        let is_within = |other: &IdBytes| prefix_of(other, *bit_count) <= prefix;
        let want = sorted.partition_point(|(other, _)| is_before(other)) as u32
            ..sorted.partition_point(|(other, _)| is_within(other)) as u32;
        assert_eq!(frozen.prefixed(id, *bit_count as u32), want, "{bit_count} bits");
    }
}

#[test]
fn frozen_and_growing_maps_hold_the_same() {
    for family in FAMILIES {
        for count in [0, 1, 2, 5, 40, 2000] {
            check(*family, count);
        }
    }
}

#[test]
fn memory_and_bytes_are_what_the_documentation_says() {
    let ids: Vec<IdBytes> = (0..50_000).map(random).collect();
    let bytes = freeze(ids.len(), ids.iter().map(|id| (id, [0; 16]))).unwrap();
    assert_eq!(bytes.len(), 50_000 * 48 + 10_002 * 4);
    let keys_only = freeze(ids.len(), ids.iter().map(|id| (id, []))).unwrap();
    assert!(
        Frozen::<InPlace<'_>, 0>::open(&keys_only, 50_000, Verify::Everything)
            .unwrap()
            .contains(&ids[7])
    );
}

/// What opening says of bytes that were changed.
fn refusal(change: impl FnOnce(&mut Vec<u8>), count: u32) -> DecodeError {
    let map = entries(FAMILIES[0], 20);
    let mut bytes = frozen_bytes(&map);
    assert_eq!(bytes.len(), 20 * 38 + 6 * 4);
    change(&mut bytes);
    Frozen::<InPlace<'_>, VALUE_LEN>::open(&bytes, count, Verify::Everything).unwrap_err()
}

#[test]
fn bytes_of_another_length_are_refused() {
    for len in 0..20 * 38 + 6 * 4 {
        let error = refusal(|bytes| bytes.truncate(len), 20);
        assert!(matches!(error, DecodeError::Short { need: 784, .. }), "{len}: {error}");
    }
    let error = refusal(|bytes| bytes.push(0), 20).to_string();
    assert_eq!(error, "length of entries and their buckets at offset 0: wanted 784, got 785");
    for count in [0, 19, 21, u32::MAX] {
        refusal(|_| (), count);
    }
    assert!(Frozen::<InPlace<'_>, VALUE_LEN>::open(&[], 0, Verify::Directory).is_err());
}

#[test]
fn a_directory_that_lies_is_refused_with_its_place() {
    // The starts of five buckets, and the end.
    let starts_at = 20 * 38;
    let put = |bytes: &mut Vec<u8>, bucket: usize, start: u32| {
        bytes[starts_at + bucket * 4..][..4].copy_from_slice(&start.to_le_bytes());
    };
    let error = refusal(|bytes| put(bytes, 0, 1), 20);
    assert_eq!(error.to_string(), "bucket start at offset 760: wanted 0, got 1");
    let error = refusal(|bytes| put(bytes, 2, u32::MAX), 20);
    assert_eq!((error.at(), error.what().as_ref()), (760 + 12, "bucket start"));
    let error = refusal(|bytes| put(bytes, 5, 21), 20);
    assert_eq!(error.to_string(), "bucket start at offset 780: wanted 20, got 21");
    let error = refusal(|bytes| (1..5).for_each(|bucket| put(bytes, bucket, 0)), 20);
    assert_eq!((error.at(), error.what().as_ref()), (0, "bucket of an id"));
}

#[test]
fn entries_out_of_order_are_refused_with_their_place() {
    let error = refusal(|bytes| bytes[19 * 38..][..8].fill(0), 20);
    assert_eq!((error.at(), error.what().as_ref()), (19 * 38, "bucket of an id"));
    // Two entries of the last bucket change places.
    let error = refusal(|bytes| bytes[17 * 38..19 * 38].rotate_left(38), 20);
    assert_eq!((error.at(), error.what().as_ref()), (18 * 38, "eight bytes of an id in order"));
}

#[test]
fn bytes_that_nobody_checked_give_no_id_the_entries_of_another() {
    let map = entries(FAMILIES[0], 300);
    let bytes = frozen_bytes(&map);
    let ids: Vec<IdBytes> = (0..600).map(random).collect();
    for seed in 0..100 {
        let mut numbers = Random(seed << 20);
        let mut changed = bytes.clone();
        for _ in 0..=numbers.below(20) {
            let at = numbers.below(bytes.len() as u64) as usize;
            changed[at] = numbers.below(256) as u8;
        }
        let Ok(frozen) = Frozen::<InPlace<'_>, VALUE_LEN>::open(&changed, 300, Verify::Directory)
        else {
            continue;
        };
        for id in &ids {
            assert!(frozen.find_all(id).all(|number| frozen.entry(number).0 == id));
            assert!(frozen.find(id).is_none_or(|number| frozen.entry(number).0 == id), "{seed}");
            frozen.prefixed(id, 9).for_each(|number| assert!(number < 300));
        }
        assert!(frozen.repeated().all(|run| run.end <= 300), "{seed}");
    }
}

/// A map in pieces of three rows.
struct Pieces<'a>(InPlace<'a>);

impl FrozenBytes for Pieces<'_> {
    fn rows(&self, numbers: std::ops::Range<usize>) -> &[u8] {
        let piece_end = numbers.start / 3 * 3 + 3;
        self.0.rows(numbers.start..numbers.end.min(piece_end))
    }

    fn start(&self, bucket: usize) -> u32 {
        self.0.start(bucket)
    }
}

#[test]
fn a_map_in_pieces_is_the_map_in_place() {
    for family in FAMILIES {
        for count in [0, 1, 5, 40, 700] {
            let map = entries(*family, count);
            let bytes = frozen_bytes(&map);
            let whole = opened(&bytes, map.len());
            let pieces = Frozen::<_, VALUE_LEN>::over(Pieces(*whole.bytes()), map.len());
            assert!(pieces.iter().eq(whole.iter()), "{}", family.0);
            assert!(pieces.repeated().eq(whole.repeated()), "{}", family.0);
            let ids: Vec<IdBytes> = (0..count * 4 + 10).map(family.1).collect();
            for id in &ids {
                assert_eq!(pieces.numbers(id), whole.numbers(id), "{}", family.0);
                assert_eq!(pieces.prefixed(id, 12), whole.prefixed(id, 12), "{}", family.0);
            }
            let mut batches = [Vec::new(), Vec::new()];
            pieces.batch(&ids, &mut batches[0]);
            whole.batch(&ids, &mut batches[1]);
            assert_eq!(batches[0], batches[1], "{}", family.0);
            let lens = Frozen::<InPlace<'_>, VALUE_LEN>::lens(map.len());
            assert_eq!(lens.iter().sum::<u64>(), bytes.len() as u64);
        }
    }
}
