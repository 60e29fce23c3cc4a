//! Data.db: read as the plain way reads it, whole, in pieces, and damaged.

use manicule_core::bytes::mix;
use manicule_format_sstable::{Frame, FrameKind, Header, Parsed, PartitionHead, RowShape};

use crate::support::Tables;
use crate::{plain, walked};

#[test]
fn rows_are_those_of_the_plain_way() {
    let (mut tables, mut rows, mut cells) = (0, 0, 0);
    Tables::all().each_with_data(|title, header, data| {
        let got = walked::walk(data, header).unwrap_or_else(|error| panic!("{title}: {error}"));
        let want = plain::read(data, header).unwrap_or_else(|at| panic!("{title}: plain at {at}"));
        assert!(got == want, "{title}");
        tables += 1;
        let items = || got.iter().flat_map(|partition| &partition.items);
        rows += items().count();
        cells += items().map(|item| item.parts.len()).sum::<usize>();
    });
    println!("{tables} tables, {rows} rows and markers, {cells} cells and complex columns");
    assert!(tables > 10 && rows > 1000 && cells > 1000);
}

/// The extents of all that a partition holds, through a window that grows as it is asked to.
fn pieces(data: &[u8], shape: &RowShape, title: &str) -> Vec<(u64, usize)> {
    let mut pieces = Vec::new();
    let (mut at, mut is_head) = (0, true);
    while at < data.len() {
        let mut window_len = 1;
        let len = loop {
            let window = &data[at..(at + window_len).min(data.len())];
            let wanted = if is_head {
                match PartitionHead::read(window, at as u64, shape).expect("a head") {
                    Parsed::Done(head) => break head.len,
                    Parsed::More { len } => len,
                }
            } else {
                match Frame::read(window, at as u64, shape).expect("a frame") {
                    Parsed::Done(frame) => break frame.len,
                    Parsed::More { len } => len,
                }
            };
            assert!(wanted > window.len() && at + wanted <= data.len(), "{title} at {at}");
            window_len = wanted;
        };
        pieces.push((at as u64, len));
        is_head = !is_head && data[at] == 1;
        at += len;
    }
    pieces
}

#[test]
fn a_window_grows_as_it_is_asked_to() {
    Tables::all().each_with_data(|title, header, data| {
        let shape = RowShape::new(header);
        let mut got = pieces(data, &shape, title).into_iter();
        for partition in walked::walk(data, header).expect("it was read before") {
            assert_eq!(got.next().map(|(at, _)| at), Some(partition.at), "{title}");
            for item in &partition.items {
                assert_eq!(got.next(), Some((item.at, item.len as usize)), "{title}");
            }
            assert_eq!(got.next(), Some((partition.at + partition.len - 1, 1)), "{title}");
        }
        assert_eq!(got.next(), None, "{title}");
    });
}

/// Damaged bytes are refused where the plain way refuses them, and read alike where it reads them.
fn check_damaged(title: &str, header: &Header, data: &[u8]) -> bool {
    let (got, want) = (walked::walk(data, header), plain::read(data, header));
    match (&got, &want) {
        (Ok(got), Ok(want)) => assert!(got == want, "{title}"),
        (Err(error), Err(_)) => assert!(error.at() <= data.len() as u64, "{title}: {error}"),
        _ => panic!("{title}: {:?} {:?}", got.map(|it| it.len()), want.map(|it| it.len())),
    }
    got.is_err()
}

#[test]
fn damaged_bytes_are_refused_where_the_plain_way_refuses_them() {
    let (mut refused, mut tried) = (0, 0);
    Tables::all().each_with_data(|title, header, data| {
        // Of a long table the beginning: partitions are cut in any case.
        let data = &data[..data.len().min(3_000)];
        for round in 0..60u64 {
            let random = |salt: u64| mix(round, salt.wrapping_add(data.len() as u64)) as usize;
            let mut changed = data.to_vec();
            let at = random(1) % data.len();
            match round % 3 {
                0 => changed.truncate(at),
                1 => changed[at] ^= 1 << (random(2) % 8),
                _ => changed[at] = random(3) as u8,
            }
            refused += usize::from(check_damaged(&format!("{title} {round}"), header, &changed));
            tried += 1;
        }
    });
    println!("{refused} of {tried} refused");
    assert!(refused * 2 > tried);
}

#[test]
fn a_row_is_passed_over_without_its_body() {
    Tables::all().each_with_data(|title, header, data| {
        let shape = RowShape::new(header);
        for partition in walked::walk(data, header).expect("it was read before") {
            for item in partition.items.iter().filter(|item| item.kind == 4) {
                let start = item.at as usize;
                // What follows the body's size is not looked at.
                let window = &data[start..start + item.len as usize];
                let len = (1..).find(|len| {
                    let frame = Frame::read(&window[..*len], item.at, &shape).expect("a frame");
                    matches!(frame, Parsed::Done(frame) if frame.kind == FrameKind::Row
                        && frame.len == window.len())
                });
                assert!(len.is_some_and(|len| len < window.len()), "{title} at {start}");
            }
        }
    });
}
