//! Checks of indexes beside data: nothing found in sound files, and something in each damaged one.

use std::ops::Deref;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Component, FOOTER_LEN, Footer, Header, IndexEntry, Pages, PartitionTrieCheck, Place, Prefix,
    PrefixBuf, PrefixKind, PromotedCheck, RowShape, RowsEntry, SeparatorCheck, TriePage, Version,
    put_partition_key,
};

use crate::murmur::{murmur3, token};
use crate::support::Tables;
use crate::walked::{Item, Partition, walk};

const PATH_LEN_MAX: usize = 1 << 18;

/// The unfiltereds of a partition as the checks want them.
fn each_place(
    partition: &Partition,
    header: &Header,
    mut each: impl FnMut(&Place<'_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut open = None;
    let is_not_static = |item: &&Item| item.kind != 3;
    for item in partition.items.iter().filter(is_not_static) {
        let kind = PrefixKind::of_number(item.kind).expect("a kind");
        let values: Vec<_> = item.clustering.iter().map(Option::as_deref).collect();
        let prefix = PrefixBuf::new(kind, &header.clustering, &values);
        let open_before = open;
        if kind != PrefixKind::Row {
            open = item.begins;
        }
        let (prefix, open_after): (Prefix<'_>, _) = (prefix.as_prefix(), open);
        let (offset, len) = (item.at - partition.at, item.len);
        each(&Place { offset, len, prefix, open_before, open_after })?;
    }
    Ok(())
}

fn check_index(
    index: &[u8],
    partitions: &[Partition],
    header: &Header,
) -> Result<usize, DecodeError> {
    let (shape, mut at, mut blocks) = (RowShape::new(header), 0, 0);
    for partition in partitions {
        let window = index.get(at..).unwrap_or_default();
        let entry = IndexEntry::read(window, at as u64)?.last("entry", at as u64, window)?;
        let (what, at_entry) = ("entry", entry.at);
        if entry.key != partition.key || entry.position != partition.at {
            let (want, got) = (partition.at, entry.position);
            return Err(DecodeError::Corrupt { what, at: at_entry, want, got });
        }
        if entry.promoted_len > 0 {
            let start = entry.promoted_at as usize;
            let bytes = index.get(start..start + entry.promoted_len as usize);
            let (need, have) = (entry.promoted_len, (index.len() - start) as u64);
            let at = entry.promoted_at;
            let bytes = bytes.ok_or(DecodeError::Short { what, at, need, have })?;
            let mut check = PromotedCheck::new(bytes.to_vec(), &entry, &shape)?;
            each_place(partition, header, |place| check.unfiltered(place))?;
            check.end()?;
            let promoted = check.promoted();
            let head = (promoted.header_len, promoted.deletion);
            if head != (partition.head_len, partition.deletion) {
                let (want, got) = (partition.head_len, head.0);
                return Err(DecodeError::Corrupt { what, at: at_entry, want, got });
            }
            blocks += promoted.block_count as usize;
        }
        at = entry.end() as usize;
    }
    if at == index.len() {
        Ok(blocks)
    } else {
        let (what, at, want) = ("end of the index", at as u64, index.len() as u64);
        Err(DecodeError::Corrupt { what, at, want, got: at })
    }
}

#[test]
fn sound_indexes_have_no_findings_and_each_changed_bit_is_one() {
    let (mut tables, mut blocks, mut changed) = (0, 0, 0);
    for table in &Tables::all().list {
        let (Some(data), Some(index)) = (table.data(), table.read(&Component::Index)) else {
            continue;
        };
        let (title, header) = (table.title(), table.header());
        let partitions = walk(&data, &header).expect("it was read before");
        let found = check_index(&index, &partitions, &header);
        blocks += found.unwrap_or_else(|error| panic!("{title}: {error}"));
        tables += 1;
        // Long indexes in steps: each trial reads all of it.
        let step = index.len() / 60 + 1;
        for at in (0..index.len()).step_by(step) {
            let mut damaged = index.clone();
            damaged[at] ^= 1;
            let found = check_index(&damaged, &partitions, &header);
            assert!(found.is_err(), "{title}: byte {at} of {}", index.len());
            changed += 1;
        }
    }
    println!("{tables} tables, {blocks} blocks, {changed} changed bits");
    assert!(tables > 10 && changed > 100);
}

fn check_tries(
    [file, rows]: [&[u8]; 2],
    partitions: &[Partition],
    header: &Header,
    version: Version,
) -> Result<u64, DecodeError> {
    let bytes = file.last_chunk::<FOOTER_LEN>().expect("a footer");
    let footer = Footer::read(*bytes, file.len() as u64)?;
    let [mut leaves, mut pages] = [file, rows].map(File);
    let mut check = PartitionTrieCheck::new(footer, PATH_LEN_MAX);
    let mut blocks = 0;
    for partition in partitions {
        let hash = murmur3(&partition.key).1 as u8;
        let mut form = Vec::new();
        put_partition_key(version, &header.key, &partition.key, token(&partition.key), &mut form);
        let Some(at) = check.partition(&form, hash, partition.at, &mut leaves)? else { continue };
        let window = rows.get(at as usize..).unwrap_or_default();
        let entry = RowsEntry::read(window, at, version)?.last("entry", at, window)?;
        if (entry.key, entry.position, entry.deletion)
            != (&partition.key[..], partition.at, partition.deletion)
        {
            let (what, want, got) = ("entry", partition.at, entry.position);
            return Err(DecodeError::Corrupt { what, at, want, got });
        }
        let kinds = &header.clustering;
        let mut separators = SeparatorCheck::new(&entry, version, kinds, PATH_LEN_MAX, &mut pages)?;
        each_place(partition, header, |place| separators.unfiltered(place, &mut pages))?;
        separators.end(partition.len, &mut pages)?;
        blocks += entry.block_count;
    }
    check.end(&mut leaves)?;
    Ok(blocks)
}

/// A file in memory, by pages.
struct File<'a>(&'a [u8]);

impl Pages<DecodeError> for File<'_> {
    fn page(&mut self, number: u64) -> Result<impl Deref<Target = [u8]>, DecodeError> {
        Ok(TriePage::of(self.0, number).bytes)
    }
}

#[test]
fn sound_tries_have_no_findings_and_damage_has() {
    let (mut tables, mut blocks, mut found, mut changed) = (0, 0, 0, 0);
    for table in &Tables::all().list {
        let (Some(data), Some(file)) = (table.data(), table.read(&Component::Partitions)) else {
            continue;
        };
        let (title, header) = (table.title(), table.header());
        let (version, rows) = (table.descriptor.version, table.component(&Component::Rows));
        let partitions = walk(&data, &header).expect("it was read before");
        let sound = check_tries([&file, &rows], &partitions, &header, version);
        blocks += sound.unwrap_or_else(|error| panic!("{title}: {error}"));
        tables += 1;
        for at in (0..rows.len()).step_by(rows.len() / 60 + 1) {
            let mut damaged = rows.clone();
            damaged[at] ^= 1;
            let checked = check_tries([&file, &damaged], &partitions, &header, version);
            // Between pages bytes are unused, and a separator may be another one that separates
            // too.
            found += usize::from(checked.is_err());
            changed += 1;
        }
    }
    println!("{tables} tables, {blocks} blocks, {found} of {changed} changed bits found");
    assert!(tables > 5 && found * 2 >= changed);
}
