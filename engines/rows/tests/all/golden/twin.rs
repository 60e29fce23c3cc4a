//! Slices with generated bounds against the plain way: read all of the partition, keep what lies
//! between.

use std::cmp::Ordering;
use std::path::Path;

use manicule_core::bytes::mix;
use manicule_format_sstable::{Deletion, Prefix, PrefixBuf, PrefixKind, Type, Value as Part};
use manicule_rows::scan::{PartitionOptions, RankedBy, partitions};
use manicule_rows::slice::{Bounds, Direction, Edge, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::{Access, Sstable};
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};

use crate::golden::support::{Golden, SEEKS, open};

/// A row or marker: its place, its kind's number, what opens and closes, and the place in the data
/// of a row.
#[derive(Clone, Debug)]
struct Seen {
    place: PrefixBuf,
    opens: Option<Deletion>,
    closes: Option<Deletion>,
    row_at: Option<u64>,
}

/// All of it, to be compared.
type Shown<'s> = (PrefixKind, usize, &'s [u8], Option<Deletion>, Option<Deletion>, Option<u64>);

impl Seen {
    fn shown(&self) -> Shown<'_> {
        let Prefix { kind, components } = self.place.as_prefix();
        let (count, bytes) = (components.count(), components.bytes());
        (kind, count, bytes, self.opens, self.closes, self.row_at)
    }
}

fn shown(seen: &[Seen]) -> Vec<Shown<'_>> {
    seen.iter().map(Seen::shown).collect()
}

fn read(sstable: &Sstable, key: &[u8], bounds: &Bounds, options: &SliceOptions) -> Vec<Seen> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(8 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let slice = open_slice(sstable, key, bounds.clone(), options, &mut reading).unwrap();
    let (mut slice, mut seen) = (slice.expect("the partition is there"), Vec::new());
    while let Some(item) = slice.next(&mut reading).unwrap() {
        seen.push(match item {
            Item::Row(row) => {
                let place = PrefixBuf::of(&row.prefix());
                Seen { place, opens: None, closes: None, row_at: Some(row.at) }
            }
            Item::Marker(marker) => {
                let place = PrefixBuf::of(&marker.prefix);
                Seen { place, opens: marker.opens, closes: marker.closes, row_at: None }
            }
        });
    }
    seen
}

/// The plain way.
fn between(all: &[Seen], bounds: &Bounds, types: &[Type]) -> Vec<Seen> {
    let compare =
        |seen: &Seen, place: &Prefix<'_>| Prefix::compare(types, &seen.place.as_prefix(), place);
    let edge = |place: Prefix<'_>, opens, closes| Seen {
        place: PrefixBuf::of(&place),
        opens,
        closes,
        row_at: None,
    };
    let (mut open, mut kept, mut is_started) = (None, Vec::new(), false);
    for seen in all {
        let is_marker = seen.row_at.is_none();
        if compare(seen, &bounds.end()) != Ordering::Less {
            break;
        }
        if compare(seen, &bounds.start()) == Ordering::Greater {
            if !is_started {
                kept.extend(open.map(|open| edge(bounds.start(), Some(open), None)));
            }
            is_started = true;
            kept.push(seen.clone());
        }
        if is_marker {
            open = seen.opens;
        }
    }
    if !is_started {
        kept.extend(open.map(|open| edge(bounds.start(), Some(open), None)));
    }
    kept.extend(open.map(|open| edge(bounds.end(), None, Some(open))));
    kept
}

/// The same from the end.
fn reversed(seen: Vec<Seen>) -> Vec<Seen> {
    let turned = seen.into_iter().rev();
    turned.map(|seen| Seen { opens: seen.closes, closes: seen.opens, ..seen }).collect()
}

/// Values of a place that is there, cut to some length, perhaps with its last byte changed.
fn values(all: &[Seen], types: &[Type], seed: u64) -> Vec<Vec<u8>> {
    let Some(seen) = all.get(mix(seed, 1) as usize % all.len().max(1)) else { return Vec::new() };
    let prefix = seen.place.as_prefix();
    let parts = prefix.values(types).map_while(|part| part.map(<[u8]>::to_vec));
    let mut parts: Vec<Vec<u8>> = parts.collect();
    parts.truncate(mix(seed, 2) as usize % (types.len() + 1));
    // Text stays text.
    if let Some(last) = parts.last_mut().and_then(|part| part.last_mut())
        && mix(seed, 3).is_multiple_of(3)
    {
        *last = (*last ^ 1) & 0x7f;
    }
    parts
}

fn edge<'v>(parts: &'v [Part<'v>], seed: u64) -> Edge<'v> {
    match seed % 5 {
        0 => Edge::Open,
        1 | 2 => Edge::Exclusive(parts),
        _ => Edge::Inclusive(parts),
    }
}

fn check_partition(sstable: &Sstable, key: &[u8], seed: u64) {
    let types = &sstable.header().clustering;
    let options = |direction, seek| SliceOptions {
        direction,
        row_count_max: None,
        seek,
        read_bytes_max: 3000,
    };
    let whole = options(Direction::Forward, Seek::Scan);
    let all = read(sstable, key, &Bounds::all(), &whole);
    for round in 0..15 {
        let seed = mix(seed, round);
        let (from, to) = (values(&all, types, seed), values(&all, types, mix(seed, 9)));
        let from: Vec<Part<'_>> = from.iter().map(|part| Some(&part[..])).collect();
        let to: Vec<Part<'_>> = to.iter().map(|part| Some(&part[..])).collect();
        let Ok(bounds) = Bounds::new(types, edge(&from, mix(seed, 4)), edge(&to, mix(seed, 5)))
        else {
            continue;
        };
        let want = between(&all, &bounds, types);
        let back = reversed(want.clone());
        for seek in SEEKS {
            for (direction, want) in [(Direction::Forward, &want), (Direction::Reverse, &back)] {
                let got = read(sstable, key, &bounds, &options(direction, seek));
                let path = sstable.path();
                assert!(
                    shown(&got) == shown(want),
                    "{path:?} key {key:02x?} seed {seed} {seek:?} {direction:?} {bounds:?}"
                );
            }
        }
    }
}

fn check(folder: &Path) {
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        for sstable in open(folder, access) {
            let (mut counts, budget) = (ReadCounts::default(), Budget::new(4 << 20));
            let mut reading = Reading { counts: &mut counts, budget: &budget };
            let watch = manicule_core::watch::Watch::none();
            let options =
                PartitionOptions { listed_count_max: 3, by: RankedBy::Size, min: 0, counted: None };
            let sstables = std::slice::from_ref(&sstable);
            let listed = partitions(sstables, &options, &mut reading, &watch).unwrap();
            assert!(listed.count > 0 && !listed.largest.is_empty());
            for partition in &listed.largest {
                check_partition(&sstable, &partition.key, partition.parts[0].position);
            }
        }
    }
}

#[test]
fn slices_with_generated_bounds_are_what_lies_between() {
    let golden = Golden::new();
    let early = ["nb", "oa", "da"].map(|version| (version, ["plain", "lz4", "zstd", "mixed"]));
    let rest = ["mc", "me", "na", "pa", "ea"];
    let rest = rest.map(|version| (version, ["wide", "narrow", "mixed", "multi"]));
    for (version, tables) in early.into_iter().chain(rest) {
        tables.iter().filter_map(|table| golden.table(version, table)).for_each(|it| check(&it));
    }
}

#[test]
fn a_place_before_all_rows_and_one_after_them_are_bounds_too() {
    assert_eq!(PrefixKind::of_number(1), Some(Bounds::all().start().kind));
    assert_eq!(PrefixKind::of_number(6), Some(Bounds::all().end().kind));
}
