//! The growing map does what a map of vectors does.

use std::collections::HashMap;

use super::{FAMILIES, Family, Random, random};
use crate::idmap::{Entry, Growing, IdBytes, Lookup, Seed};

/// The plain map: the entries in their order, and their numbers by ids.
#[derive(Default)]
struct Plain {
    entries: Vec<(IdBytes, u64)>,
    numbers: HashMap<IdBytes, Vec<u32>>,
}

impl Plain {
    fn insert(&mut self, id: IdBytes, value: u64) -> u32 {
        let number = self.entries.len() as u32;
        self.entries.push((id, value));
        self.numbers.entry(id).or_default().push(number);
        number
    }

    fn all(&self, id: &IdBytes) -> &[u32] {
        self.numbers.get(id).map_or(&[], Vec::as_slice)
    }
}

/// One operation of ten kinds on both maps, and the answers compared.
fn operate(
    map: &mut Growing<u64>,
    plain: &mut Plain,
    random: &mut Random,
    make: fn(u64) -> IdBytes,
) {
    let value = random.0;
    // Ids that are inserted come from a set that lets some come again; half of those asked for
    // don't exist.
    let id = make(random.below(1 << 16));
    match random.below(10) {
        0..5 => assert_eq!(map.insert(id, value), Ok(plain.insert(id, value))),
        5 => assert!(map.find_all(&id).eq(plain.all(&id).iter().copied())),
        6 => {
            let values = plain.all(&id).iter().map(|&number| plain.entries[number as usize].1);
            assert!(map.all(&id).eq(values));
        }
        7 => assert_eq!(map.contains(&id), plain.numbers.contains_key(&id)),
        8 => assert_eq!(map.find(&id), plain.all(&id).first().copied()),
        _ => {
            let number = random.below(plain.entries.len().max(1) as u64) as u32;
            if let Some((id, value)) = plain.entries.get(number as usize) {
                assert_eq!(map.entry(number), (id, *value));
            }
        }
    }
}

/// All that both maps hold, and batches of what is there and what isn't.
fn compare(map: &Growing<u64>, plain: &Plain, random: &mut Random, make: fn(u64) -> IdBytes) {
    assert_eq!(
        (map.len() as usize, map.is_empty()),
        (plain.entries.len(), plain.entries.is_empty())
    );
    assert!(map.iter().eq(plain.entries.iter().map(|(id, value)| (id, *value))));
    let ids: Vec<IdBytes> = (0..random.below(200)).map(|_| make(random.below(1 << 17))).collect();
    let mut values = vec![Some(1)];
    map.batch(&ids, &mut values);
    assert!(values[1..].iter().copied().eq(ids.iter().map(|id| map.first(id))));
    let mut found = Vec::new();
    map.find_each(&ids, |at, number| {
        assert_eq!(at, found.len());
        found.push(number);
    });
    assert!(found.iter().copied().eq(ids.iter().map(|id| plain.all(id).first().copied())));
}

fn check(family: Family, seed: u64, operation_count: usize) {
    let (name, make) = family;
    let (mut map, mut plain) = (Growing::new(Seed::new(seed)), Plain::default());
    let mut random = Random(seed << 32);
    compare(&map, &plain, &mut random, make);
    for operation in 1..=operation_count {
        operate(&mut map, &mut plain, &mut random, make);
        // At the seams of blocks and tables, and now and then.
        if (operation < 64) || operation.is_power_of_two() || operation % 10_007 == 0 {
            compare(&map, &plain, &mut random, make);
        }
    }
    compare(&map, &plain, &mut random, make);
    println!("{name}, seed {seed}: {} entries", map.len());
}

#[test]
fn a_million_random_operations_agree_with_a_plain_map() {
    for (seed, family) in FAMILIES.iter().enumerate() {
        check(*family, seed as u64, 100_000);
    }
}

#[test]
fn entries_come_one_by_one_in_lists_and_from_other_maps_alike() {
    let (seed, mut random_number) = (Seed::new(3), Random(9));
    let entry = |number: u64| Entry { id: random(number % 2000), value: number };
    let entries: Vec<Entry<u64>> = (0..5000).map(|_| entry(random_number.below(3000))).collect();
    let mut one_by_one = Growing::new(seed);
    for entry in &entries {
        one_by_one.insert(entry.id, entry.value).unwrap();
    }
    let mut listed = Growing::with_capacity(seed, 10).unwrap();
    let mut appended = Growing::new(seed);
    let mut rest = &entries[..];
    while !rest.is_empty() {
        let (list, behind) =
            rest.split_at(random_number.below(300).min(rest.len() as u64) as usize);
        rest = behind;
        listed.extend(list).unwrap();
        // A map of another seed, as one made elsewhere is.
        let mut other = Growing::new(Seed::new(rest.len() as u64));
        other.extend(list).unwrap();
        appended.append(&other).unwrap();
    }
    for map in [listed, appended] {
        assert!(map.iter().eq(one_by_one.iter()));
        for number in 0..2100 {
            let id = random(number);
            assert!(map.find_all(&id).eq(one_by_one.find_all(&id)), "{number}");
        }
    }
}

#[test]
fn a_hundred_thousand_entries_of_one_id_take_a_hundred_thousand_steps() {
    let mut map = Growing::new(Seed::new(1));
    for value in 0..100_000u32 {
        map.insert([7; 32], value).unwrap();
    }
    assert!(map.all(&[7; 32]).eq(0..100_000));
    assert_eq!(map.first(&[7; 32]), Some(0));
    // 36 bytes for the entry and 8 for its place in the list of its id, each up to its next block
    // or doubling.
    assert!(map.memory() < 100_000 * 60, "{}", map.memory());
}

#[test]
fn memory_is_what_the_documentation_says() {
    // Twelve blocks nearly full.
    let count = 98_000;
    let mut map: Growing<[u8; 16]> = Growing::with_capacity(Seed::new(1), count).unwrap();
    assert!(map.memory() < count * 13 / 2, "a table only: {}", map.memory());
    for number in 0..count as u64 {
        map.insert(random(number), [1; 16]).unwrap();
    }
    let per_entry = map.memory() as f64 / count as f64;
    assert!((54.4..54.7).contains(&per_entry), "{per_entry}");
    let mut small: Growing<[u8; 16]> = Growing::new(Seed::new(1));
    assert_eq!(small.memory(), 0);
    small.insert(random(1), [1; 16]).unwrap();
    assert!(small.memory() < 1200, "{}", small.memory());
}

#[test]
fn room_that_no_memory_holds_is_an_error_and_changes_nothing() {
    let mut map = Growing::new(Seed::new(1));
    map.insert([1; 32], 5u8).unwrap();
    assert!(map.reserve(usize::MAX).is_err() && map.reserve(usize::MAX / 2).is_err());
    assert!(Growing::<u8>::with_capacity(Seed::new(1), usize::MAX / 8).is_err());
    assert_eq!((map.first(&[1; 32]), map.len()), (Some(5), 1));
}
