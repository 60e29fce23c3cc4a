//! Two counters as one: shard by shard.
//!
//! A tombstone wins whatever the timestamps. Of two shards of one id a global one wins over others;
//! of two global or two remote ones the higher clock, then the higher count; two local ones add up;
//! a local one wins over a remote one.

use manicule_format_sstable::{Shard, ShardKind, Shards};

use super::part::SourcedCell;

/// Both cells as one. A value that isn't a counter's gives way to one that is; verifying says where
/// it is.
pub(super) fn merged<'a>(left: SourcedCell<'a>, right: SourcedCell<'a>) -> SourcedCell<'a> {
    if left.is_deleted() || right.is_deleted() {
        let is_left = match (left.is_deleted(), right.is_deleted()) {
            (true, true) => left.timestamp() >= right.timestamp(),
            (is_left, _) => is_left,
        };
        return if is_left { left } else { right };
    }
    let (Ok(shards), Ok(others)) = (Shards::open(left.value(), 0), Shards::open(right.value(), 0))
    else {
        return if Shards::open(left.value(), 0).is_ok() { left } else { right };
    };
    let mut all: Vec<Shard> = shards.chain(others).collect();
    // Stable: those of one id stay next to each other.
    all.sort_by_key(|shard| shard.id);
    let mut kept: Vec<Shard> = Vec::with_capacity(all.len());
    for shard in all {
        match kept.last_mut() {
            Some(last) if last.id == shard.id => *last = of_one_id(*last, shard),
            _ => kept.push(shard),
        }
    }
    let value = encoded(&kept);
    let newer = if left.timestamp() >= right.timestamp() { left } else { right };
    newer.with_value(value)
}

fn of_one_id(left: Shard, right: Shard) -> Shard {
    use ShardKind::{Global, Local, Remote};
    let later = || {
        if (left.clock, left.count) >= (right.clock, right.count) { left } else { right }
    };
    match (left.kind, right.kind) {
        (Global, Global) | (Remote, Remote) => later(),
        (Global, _) | (Local, Remote) => left,
        (_, Global) | (Remote, Local) => right,
        (Local, Local) => Shard {
            clock: left.clock.wrapping_add(right.clock),
            count: left.count.wrapping_add(right.count),
            ..left
        },
    }
}

/// A counter's value: entries for the shards that aren't remote, then the shards.
fn encoded(shards: &[Shard]) -> Vec<u8> {
    let entries: Vec<u16> = (0..)
        .zip(shards)
        .filter_map(|(index, shard): (u16, _)| match shard.kind {
            ShardKind::Global => Some(index | 0x8000),
            ShardKind::Local => Some(index),
            ShardKind::Remote => None,
        })
        .collect();
    let mut value = (entries.len() as u16).to_be_bytes().to_vec();
    entries.iter().for_each(|entry| value.extend_from_slice(&entry.to_be_bytes()));
    for shard in shards {
        value.extend_from_slice(&shard.id);
        value.extend_from_slice(&shard.clock.to_be_bytes());
        value.extend_from_slice(&shard.count.to_be_bytes());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_format_sstable::{Cell, NO_LOCAL_TIME};

    fn shard(id: u8, clock: i64, count: i64, kind: ShardKind) -> Shard {
        Shard { id: [id; 16], clock, count, kind }
    }

    fn cell(timestamp: i64, value: &[u8], is_deleted: bool) -> SourcedCell<'_> {
        let (at, column, path, ttl, local_time) = (0, 0, None, 0, NO_LOCAL_TIME);
        let cell = Cell { at, column, path, timestamp, ttl, local_time, is_deleted, value };
        SourcedCell::new(cell, 0)
    }

    #[test]
    fn shards_of_one_id_become_one() {
        use ShardKind::{Global, Local, Remote};
        let left = [shard(1, 5, 50, Global), shard(2, 3, 7, Local), shard(4, 9, 9, Remote)];
        let right = [shard(1, 6, 40, Global), shard(2, 1, 1, Local), shard(3, 1, 2, Remote)];
        let rows =
            [shard(1, 6, 40, Global), shard(2, 4, 8, Local), shard(3, 1, 2, Remote), left[2]];
        for (first, second) in [(&left, &right), (&right, &left)] {
            let (first, second) = (encoded(first), encoded(second));
            let got = merged(cell(1, &first, false), cell(2, &second, false));
            assert_eq!(Shards::open(got.value(), 0).unwrap().collect::<Vec<_>>(), rows);
            assert_eq!(got.timestamp(), 2);
        }
        for (left, right, want) in [
            (shard(1, 1, 1, Global), shard(1, 9, 9, Local), 1),
            (shard(1, 9, 9, Remote), shard(1, 1, 1, Local), 1),
            (shard(1, 2, 5, Remote), shard(1, 2, 6, Remote), 6),
        ] {
            assert_eq!(of_one_id(left, right).count, want);
            assert_eq!(of_one_id(right, left).count, want);
        }
    }

    #[test]
    fn a_tombstone_wins_whatever_its_timestamp() {
        let value = encoded(&[shard(1, 1, 1, ShardKind::Global)]);
        let (counted, deleted) = (cell(9, &value, false), |timestamp| cell(timestamp, b"", true));
        for (left, right, want) in [
            (counted.clone(), deleted(1), 1),
            (deleted(1), counted, 1),
            (deleted(1), deleted(2), 2),
        ] {
            let got = merged(left, right);
            assert_eq!((got.is_deleted(), got.timestamp()), (true, want));
        }
    }
}
