//! Reading any bytes as the rows of any table gives partitions or an error, never a panic; a window
//! that grows as it is asked to gives the same frames as one that holds everything.
//!
//! The first byte chooses the version, the next ones columns; the rest is Data.db.
//!
//! Seeds: none are needed: a partition is a few bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Column, Frame, Header, Parsed, PartitionHead, RowPart, RowShape, Sequence, Shards, Type,
    Unfiltered, Version,
};

/// Types of columns, by the low bits of a byte.
fn kind(byte: u8) -> Type {
    let int = || Box::new(Type::Int);
    match byte % 12 {
        0 => Type::Int,
        1 => Type::Text,
        2 => Type::Boolean,
        3 => Type::Counter,
        4 => Type::Uuid,
        5 => Type::Tinyint,
        6 => Type::List { element: int(), is_frozen: false },
        7 => Type::Map { key: int(), value: Box::new(Type::Text), is_frozen: false },
        8 => Type::Set { element: int(), is_frozen: true },
        9 => Type::Reversed(int()),
        10 => Type::Decimal,
        _ => Type::Empty,
    }
}

fn header<'a>(bytes: &'a [u8]) -> Option<(Header, &'a [u8])> {
    let (&[version, counts, more], rest) = bytes.split_first_chunk::<3>()?;
    let version = Version::ALL[usize::from(version) % Version::ALL.len()];
    // Many columns of one type: from 64 on they are listed.
    let regular_count = if more & 0x80 != 0 { 70 } else { usize::from(more % 8) };
    let clustering_count = usize::from(counts % 4);
    let static_count = usize::from(counts / 4 % 3);
    let len = clustering_count + static_count + 1;
    let (kinds, data) = rest.split_at_checked(len)?;
    let column = |byte: &u8| Column { name: vec![*byte], kind: kind(*byte) };
    let header = Header {
        version,
        base_timestamp: 1_600_000_000_000_000,
        base_deletion_time: 1_700_000_000,
        base_ttl: 60,
        key: Type::Blob,
        clustering: kinds[..clustering_count].iter().map(|byte| kind(*byte)).collect(),
        statics: kinds[clustering_count..][..static_count].iter().map(column).collect(),
        regulars: vec![column(&kinds[len - 1]); regular_count],
    };
    Some((header, data))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((header, data)) = header(bytes) else { return };
    if let Err(error) = read(data, &header) {
        assert!(error.at() <= data.len() as u64, "{error}");
    }
});

fn read(data: &[u8], header: &Header) -> Result<(), DecodeError> {
    let shape = RowShape::new(header);
    let (mut sequence, mut at) = (Sequence::new(), 0);
    while at < data.len() {
        let head = grown(data, at, |window, at| PartitionHead::read(window, at, &shape))?;
        sequence.begin(&head);
        at += head.len;
        loop {
            let frame = grown(data, at, |window, at| Frame::read(window, at, &shape))?;
            let unfiltered = frame.open(&data[at..], &shape)?;
            let order = sequence.check(&unfiltered, at as u64, &shape, &header.clustering);
            if let Unfiltered::Row(row) = &unfiltered {
                for part in row.cells(&shape) {
                    if let RowPart::Cell(cell) = part? {
                        let total = Shards::open(cell.value, cell.at).map(Shards::total);
                        assert!(total.is_err() || cell.value.len() >= 2);
                    }
                }
            }
            order?;
            at += frame.len;
            if let Unfiltered::End = unfiltered {
                break;
            }
        }
    }
    Ok(())
}

/// Reads with the shortest window that is enough, and with all bytes.
fn grown<'a, T: PartialEq + std::fmt::Debug>(
    data: &'a [u8],
    at: usize,
    read: impl Fn(&'a [u8], u64) -> Result<Parsed<T>, DecodeError>,
) -> Result<T, DecodeError> {
    let all = &data[at..];
    let whole = read(all, at as u64);
    let mut len = 0;
    loop {
        match read(&all[..len], at as u64) {
            Ok(Parsed::More { len: wanted }) => {
                assert!(wanted > len);
                if wanted > all.len() {
                    return whole?.last("window", at as u64, all);
                }
                len = wanted;
            }
            other => {
                assert_eq!(other, whole);
                return other?.last("window", at as u64, all);
            }
        }
    }
}
