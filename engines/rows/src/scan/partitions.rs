//! The largest partitions, from the index alone.
//!
//! Callers: faces/manicule

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{PartitionHead, Token};
use manicule_store::pages::Reading;

use super::index::{Indexed, each};
use super::top::Top;
use crate::RowsError;
use crate::table::{Sstable, Window};

/// A partition and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSize {
    /// Its key as it lies in the file.
    pub key: Vec<u8>,
    /// Its token by Murmur3.
    pub token: Token,
    /// Offset in the uncompressed data.
    pub position: u64,
    /// Its length in bytes, uncompressed.
    pub len: u64,
    /// Number of blocks of rows in the index; 1 where they aren't indexed.
    pub block_count: u64,
}

/// The partitions of an SSTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    /// Their number.
    pub count: u64,
    /// Length in bytes of all, uncompressed.
    pub data_len: u64,
    /// The largest, largest first.
    pub largest: Vec<PartitionSize>,
}

/// One that is listed, perhaps before its key is known.
struct Listed {
    key: Option<Vec<u8>>,
    position: u64,
    len: u64,
    block_count: u64,
}

/// Lists the `largest_count_max` largest partitions.
///
/// Cost: Index.db, or the tries, are read once. Of tables with tries a key of each listed partition is read.
pub fn partitions(
    sstable: &Sstable,
    largest_count_max: usize,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Partitions, RowsError> {
    let (mut top, mut count, data_len) = (Top::new(largest_count_max), 0, sstable.data_len());
    // The length of a partition is known with the start of the next.
    let mut last: Option<Listed> = None;
    let meter = watch.endless(Phase::Reading, Unit::Partitions);
    let mut offer = |last: Option<Listed>, end: u64| {
        if let Some(mut last) = last {
            last.len = end.saturating_sub(last.position);
            top.offer(last.len, || last);
        }
    };
    let mut steps = meter.steps();
    each(sstable, reading, &mut steps, |Indexed { position, block_count, key }| {
        count += 1;
        let key = key.map(<[u8]>::to_vec);
        offer(last.replace(Listed { key, position, len: 0, block_count }), position);
    })?;
    drop(steps);
    offer(last, data_len);
    meter.end();
    let largest = top.into_items().into_iter().map(|listed| with_key(sstable, listed, reading));
    Ok(Partitions { count, data_len, largest: largest.collect::<Result<_, _>>()? })
}

fn with_key(
    sstable: &Sstable,
    listed: Listed,
    reading: &mut Reading<'_>,
) -> Result<PartitionSize, RowsError> {
    let Listed { key, position, len, block_count } = listed;
    let key = match key {
        Some(key) => key,
        None => Window::new(sstable.data()).parse("partition", position, reading, |window| {
            let parsed = PartitionHead::read(window, position, sstable.shape())?;
            Ok(parsed.map(|head| head.key.to_vec()))
        })?,
    };
    Ok(PartitionSize { token: Token::of(&key), key, position, len, block_count })
}
