//! Leaves against plain sorted rows.

use std::collections::BTreeSet;

use manicule_testkit::Rng;

use super::*;
use crate::id::{Id, Tag};
use crate::order::Order;

/// An id as stores have them: of a few tags, near each other or far apart.
fn random_id(rng: &mut Rng, spread: usize) -> Id {
    let tag = rng.pick(&[Tag::IRI, Tag::IRI, Tag::STRING, Tag(16), Tag(20)]);
    let cluster = rng.below(6) as u64 * 100_000;
    Id::new(tag, cluster + rng.below(spread) as u64)
}

fn random_rows(rng: &mut Rng, order: Order, count: usize) -> Vec<[Id; 4]> {
    let spreads = [1, 3, 40, 10_000].map(|spread| spread + rng.below(spread));
    let spread = [0; 4].map(|_| rng.pick(&spreads));
    let mut rows = BTreeSet::new();
    for _ in 0..count {
        let mut row = [Id::DEFAULT_GRAPH; 4];
        for (column, id) in row[..order.width()].iter_mut().enumerate() {
            *id = random_id(rng, spread[column]);
        }
        rows.insert(row);
    }
    if rng.one_in(4) {
        let mut row = [Id::DEFAULT_GRAPH; 4];
        row[..order.width()].fill(Id(u64::MAX - 1));
        rows.insert(row);
    }
    rows.into_iter().collect()
}

fn written(order: Order, rows: &[[Id; 4]], block_rows: usize) -> Vec<u8> {
    let mut writer = LeafWriter::with_block_rows(order, block_rows);
    rows.iter().for_each(|row| writer.push(*row));
    writer.finish()
}

fn read(bytes: &[u8]) -> Vec<[Id; 4]> {
    let leaf = Leaf::open(bytes).expect("a sound leaf");
    let rows = Rows::new(leaf, 0..leaf.row_count());
    rows.map(|row| row.expect("a sound block")).collect()
}

#[test]
fn rows_read_back_and_every_prefix_is_found() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let order = rng.pick(&Order::ALL);
        let count = rng.pick(&[0, 1, 5, 300, 3000]);
        let rows = random_rows(&mut rng, order, count);
        let block_rows = rng.pick(&[1, 7, 64, 1024, 2048]);
        let bytes = written(order, &rows, block_rows);
        assert_eq!(read(&bytes), rows, "seed {seed}");
        let leaf = Leaf::open(&bytes).expect("a sound leaf");
        assert_eq!((leaf.first(), leaf.last()), (rows.first().copied(), rows.last().copied()));
        for _ in 0..200 {
            let mut key = if rows.is_empty() { [Id(5); 4] } else { *rng.choose(&rows) };
            if rng.one_in(3) {
                let column = rng.below(order.width());
                key[column] = match rng.below(3) {
                    0 => Id(key[column].0 + 1),
                    1 => Id(key[column].0.saturating_sub(1)),
                    _ => rng.pick(&[Id::MIN, Id::MAX, Id::new(Tag::TAGGED, 3)]),
                };
            }
            let prefix = &key[..rng.below(order.width() + 1)];
            let low = rows.partition_point(|row| row[..prefix.len()] < *prefix) as u32;
            let high = rows.partition_point(|row| row[..prefix.len()] <= *prefix) as u32;
            let shown = format!("seed {seed}, prefix {prefix:?}");
            assert_eq!(leaf.lower_bound(prefix), Ok(low), "{shown}");
            assert_eq!(leaf.upper_bound(prefix), Ok(high), "{shown}");
            assert_eq!(leaf.range(prefix), Ok(low..high), "{shown}");
        }
    }
}

#[test]
fn any_range_of_any_column_is_decoded() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let order = rng.pick(&Order::ALL);
        let rows = random_rows(&mut rng, order, 2000);
        let block_rows = rng.pick(&[100, 1024]);
        let bytes = written(order, &rows, block_rows);
        let leaf = Leaf::open(&bytes).expect("a sound leaf");
        for _ in 0..100 {
            let first = rng.below(rows.len() + 1);
            let end = first + rng.below(rows.len() + 1 - first);
            let column = rng.below(order.width());
            let mut ids = vec![9];
            leaf.decode(column, first as u32..end as u32, &mut ids).expect("a sound block");
            let plain = rows[first..end].iter().map(|row| row[column].0);
            assert_eq!(ids[1..], plain.collect::<Vec<_>>(), "seed {seed}, {first}..{end}");
            if first < rows.len() {
                let block = leaf.block_at(first as u32);
                let within = first - leaf.positions_of(block).start as usize;
                let row = leaf.block(block).expect("a sound block").row(within);
                assert_eq!(row, rows[first], "seed {seed}");
            }
            let some =
                Rows::new(leaf, first as u32..end as u32).map(|row| row.expect("a sound block"));
            assert_eq!(some.collect::<Vec<_>>(), rows[first..end], "seed {seed}");
        }
    }
}

#[test]
fn blocks_are_taken_over_as_they_are() {
    let mut rng = Rng::new(1);
    let rows = random_rows(&mut rng, Order::Pos, 1000);
    let bytes = written(Order::Pos, &rows, 100);
    let leaf = Leaf::open(&bytes).expect("a sound leaf");
    let mut writer = LeafWriter::with_block_rows(Order::Pos, 100);
    for block in 0..leaf.block_count() {
        let positions = leaf.positions_of(block);
        match block % 3 {
            0 => {
                Rows::new(leaf, positions).for_each(|row| writer.push(row.expect("a sound block")))
            }
            _ => writer.push_block(&leaf, block).expect("a sound block"),
        }
    }
    assert_eq!(writer.row_count(), leaf.row_count());
    let again = writer.finish();
    assert_eq!(again, bytes, "the same rows in the same blocks are the same bytes");
    let checks = BlockChecks::new(leaf.block_count());
    let checked = leaf.with_checks(&checks);
    assert!((0..leaf.block_count()).all(|block| checked.block(block).is_ok()));
}

#[test]
fn a_leaf_with_checks_finds_a_block_that_changed() {
    let rows = random_rows(&mut Rng::new(2), Order::Spo, 300);
    let mut bytes = written(Order::Spo, &rows, 100);
    let shape = Leaf::open(&bytes).expect("a sound leaf").shape();
    let at = Leaf::open(&bytes).expect("a sound leaf").bytes_of(1).end - 20;
    let checks = BlockChecks::new(shape.block_count());
    assert!(Leaf::bind(shape, &bytes).with_checks(&checks).block(0).is_ok());
    bytes[at] ^= 1;
    let leaf = Leaf::bind(shape, &bytes).with_checks(&checks);
    assert!(leaf.block(1).is_err(), "a block is checked when it is first read");
    bytes[at] ^= 1;
    let leaf = Leaf::bind(shape, &bytes).with_checks(&checks);
    assert!(leaf.block(1).is_ok());
    bytes[at] ^= 1;
    let leaf = Leaf::bind(shape, &bytes).with_checks(&checks);
    assert!(leaf.block(1).is_ok(), "and not again");
}

#[test]
#[should_panic(expected = "rows rise strictly")]
fn rows_out_of_order_are_our_own_mistake() {
    let mut writer = LeafWriter::new(Order::Spo);
    writer.push([Id(2), Id(1), Id(1), Id(0)]);
    writer.push([Id(2), Id(1), Id(1), Id(0)]);
}

/// Reads everything that is there to be read. What comes out of damaged bytes doesn't matter.
fn read_all(bytes: &[u8]) -> Option<()> {
    let leaf = Leaf::open(bytes).ok()?;
    for block in 0..leaf.block_count() {
        let _ = leaf.check_block(block);
        let Ok(bound) = leaf.block(block) else { continue };
        for row in 0..bound.row_count() {
            let row = bound.row(row);
            let _ = bound.equal_rows(&row[..leaf.order().width()]);
        }
        let _ = bound.equal_rows(&[Id::MAX, Id::MIN, Id::MAX]);
    }
    Rows::new(leaf, 0..leaf.row_count()).for_each(drop);
    Some(())
}

#[test]
fn every_cut_is_refused_and_every_flipped_bit_is_found() {
    for (seed, order) in [Order::Spo, Order::Gspo].into_iter().enumerate() {
        let rows = random_rows(&mut Rng::new(seed as u64), order, 120);
        let bytes = written(order, &rows, 50);
        let is_sound = |bytes: &[u8]| {
            Leaf::open(bytes).is_ok_and(|leaf| {
                (0..leaf.block_count()).all(|block| leaf.check_block(block).is_ok())
            })
        };
        assert!(is_sound(&bytes));
        for len in 0..bytes.len() {
            assert!(Leaf::open(&bytes[..len]).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(!is_sound(&flipped), "flipped at {at}");
            if at % 7 == 0 {
                read_all(&flipped);
            }
        }
    }
}

#[test]
fn blocks_that_lie_are_read_without_harm() {
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let order = rng.pick(&Order::ALL);
        let count = rng.pick(&[3, 100, 2000]);
        let rows = random_rows(&mut rng, order, count);
        let mut bytes = written(order, &rows, 512);
        let block = Leaf::open(&bytes).expect("a sound leaf").bytes_of(0);
        for _ in 0..=rng.below(4) {
            // Heads decide the most.
            let reach = rng.pick(&[32, block.len()]).min(block.len());
            let at = block.start + rng.below(reach);
            bytes[at] = rng.bits() as u8;
        }
        read_all(&bytes).expect("directory and footer are whole");
    }
}
