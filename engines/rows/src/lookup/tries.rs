//! A partition in Partitions.db: the leaf on the key's way, confirmed by the key itself.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use manicule_format_sstable::{
    Header, KeyHash, Lookup, PartitionHead, PartitionPayload, PartitionPlace, Partitioner,
    RowsEntry, Step, TriePage, put_byte_ordered_key, put_partition_key,
};
use manicule_store::pages::Reading;

use super::neighbours::Tries;
use super::page::page;
use super::place::{Blocks, Place};
use crate::RowsError;
use crate::table::{OpenFile, Sstable, Window, trie_footer};

pub(super) fn find(
    sstable: &Sstable,
    partitions: &OpenFile,
    rows: &OpenFile,
    key: &[u8],
    hash: KeyHash,
    reading: &mut Reading<'_>,
) -> Result<Option<Place>, RowsError> {
    let root = trie_footer(partitions, reading)?.root;
    let mut path = Vec::new();
    if !put_key(sstable.partitioner(), sstable.header(), key, hash, &mut path) {
        let what = "partitions are in an order in which no key can be looked up".to_owned();
        return Err(RowsError::Unsupported { file: partitions.path().to_owned(), what });
    }
    let payload = leaf(partitions, root, &path, reading)?;
    // Two keys of 256 that aren't there have the hash of one that is.
    let payload = payload.filter(|it| it.hash.is_none_or(|byte| byte == hash.low as u8));
    let place = match payload {
        Some(payload) => confirmed(sstable, rows, key, &payload, reading)?,
        None => None,
    };
    if place.is_none() {
        Tries { sstable, partitions, rows, root }.check_absent(key, &path, reading)?;
    }
    Ok(place)
}

/// Where a leaf leads to, if that is the partition of the key.
fn confirmed(
    sstable: &Sstable,
    rows: &OpenFile,
    key: &[u8],
    payload: &PartitionPayload,
    reading: &mut Reading<'_>,
) -> Result<Option<Place>, RowsError> {
    match payload.place {
        PartitionPlace::Data(position) => {
            let mut window = Window::new(sstable.data());
            let is_it = window.parse("partition", position, reading, |window| {
                let head = PartitionHead::read(window, position, sstable.shape())?;
                Ok(head.map(|head| head.key == key))
            })?;
            Ok(is_it.then_some(Place { position, blocks: Blocks::One }))
        }
        PartitionPlace::Rows(at) => {
            let mut window = Window::new(rows);
            window.parse("entry of Rows.db", at, reading, |window| {
                let entry = RowsEntry::read(window, at, sstable.version())?;
                Ok(entry.map(|entry| {
                    let blocks = Blocks::Trie { root: entry.root, deletion: entry.deletion };
                    (entry.key == key).then_some(Place { position: entry.position, blocks })
                }))
            })
        }
    }
}

/// The payload of the leaf on a key's way.
fn leaf(
    partitions: &OpenFile,
    root: u64,
    path: &[u8],
    reading: &mut Reading<'_>,
) -> Result<Option<PartitionPayload>, RowsError> {
    let mut lookup = Lookup::new(root, path);
    let mut number = lookup.first_page();
    loop {
        let bytes = page(partitions, number, reading)?;
        let page = TriePage { number, bytes: &bytes };
        match lookup.step(page).map_err(|error| partitions.damaged(error))? {
            Step::Page(next) => number = next,
            Step::Absent => return Ok(None),
            Step::Found(payload) => {
                let read = PartitionPayload::read(payload);
                return read.map(Some).map_err(|error| partitions.damaged(error));
            }
        }
    }
}

/// Appends a key as the trie of partitions has it; `false` of a partitioner whose tokens aren't
/// known.
pub(crate) fn put_key(
    partitioner: Partitioner,
    header: &Header,
    key: &[u8],
    hash: KeyHash,
    out: &mut Vec<u8>,
) -> bool {
    match partitioner {
        Partitioner::Murmur3 => {
            let token = if key.is_empty() { i64::MIN } else { hash.token().0 };
            put_partition_key(header.version, &header.key, key, token, out);
        }
        Partitioner::ByteOrdered => put_byte_ordered_key(key, out),
        Partitioner::Random | Partitioner::Other => return false,
    }
    true
}
