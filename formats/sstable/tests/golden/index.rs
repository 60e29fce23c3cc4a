//! Index.db beside Data.db: every entry, every block of the promoted indexes, and what damage does.

use manicule_core::bytes::{DecodeError, mix};
use manicule_format_sstable::{
    Block, Component, Deletion, Header, IndexEntry, Parsed, Prefix, PrefixBuf, Promoted, RowShape,
};

use crate::support::Tables;
use crate::walked::{Item, Partition, walk};

/// A partition's entry, with its blocks.
struct Indexed<'a> {
    entry: IndexEntry<'a>,
    promoted: Option<Promoted>,
    blocks: Vec<Block<'a>>,
}

/// All entries; blocks are found by the offset map, and must be back to back.
fn read<'a>(bytes: &'a [u8], shape: &RowShape) -> Result<Vec<Indexed<'a>>, DecodeError> {
    let (mut entries, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let window = &bytes[at..];
        let entry = IndexEntry::read(window, at as u64)?.last("entry", at as u64, window)?;
        let (mut promoted, mut blocks) = (None, Vec::new());
        if entry.promoted_len > 0 {
            let window = &bytes[entry.promoted_at as usize..];
            let head = Promoted::read(window, &entry, shape)?;
            let head = head.last("promoted index", entry.promoted_at, window)?;
            blocks = read_blocks(bytes, &head, shape)?;
            promoted = Some(head);
        }
        at = usize::try_from(entry.end()).expect("an offset in memory");
        entries.push(Indexed { entry, promoted, blocks });
    }
    Ok(entries)
}

fn read_blocks<'a>(
    bytes: &'a [u8],
    promoted: &Promoted,
    shape: &RowShape,
) -> Result<Vec<Block<'a>>, DecodeError> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    for index in 0..promoted.block_count {
        let what = "offset map";
        let (place, have) = (promoted.map_place(index), bytes.len() as u64);
        let offset = bytes.get(place as usize..).and_then(|rest| rest.first_chunk::<4>());
        let offset = offset.ok_or(DecodeError::Short { what, at: place, need: 4, have })?;
        let at = promoted.block_at(index, *offset)?;
        let window = &bytes[at as usize..promoted.map_at as usize];
        blocks.push(Block::read(window, at, shape)?.last("block", at, window)?);
    }
    Ok(blocks)
}

fn name(prefix: &Prefix<'_>, header: &Header) -> (u8, Vec<Option<Vec<u8>>>) {
    let values = prefix.values(&header.clustering);
    (prefix.kind.number(), values.map(|value| value.map(<[u8]>::to_vec)).collect())
}

fn check_blocks(title: &str, partition: &Partition, indexed: &Indexed<'_>, header: &Header) {
    let Some(promoted) = indexed.promoted else { return };
    let title = format!("{title}, partition at {}", partition.at);
    assert_eq!(promoted.header_len, partition.head_len, "{title}");
    assert_eq!(promoted.deletion, partition.deletion, "{title}");
    let items: Vec<&Item> = partition.items.iter().filter(|item| item.kind != 3).collect();
    let blocks = &indexed.blocks;
    let mut place = promoted.blocks_at;
    let mut next = 0;
    let mut open = None::<Deletion>;
    for (index, block) in blocks.iter().enumerate() {
        assert_eq!(block.at, place, "{title}: blocks are back to back");
        place += block.len as u64;
        let start = next;
        let end = blocks.get(index + 1).map_or(u64::MAX, |block| block.offset);
        while items.get(next).is_some_and(|item| item.at - partition.at < end) {
            if items[next].kind != 4 {
                open = items[next].begins;
            }
            next += 1;
        }
        let (first, last) = (items[start], items[next - 1]);
        assert_eq!(block.offset, first.at - partition.at, "{title}");
        for (got, want) in [(&block.first, first), (&block.last, last)] {
            assert_eq!(name(got, header), (want.kind, want.clustering.clone()), "{title}");
        }
        let width = last.at + last.len - first.at;
        // The last block may have the partition's end in it.
        let more = if index + 1 == blocks.len() { block.width - width } else { 0 };
        assert!(block.width == width + more && more <= 1, "{title}: width {}", block.width);
        assert_eq!(block.open, open, "{title}: block {index}");
    }
    assert_eq!((place, next), (promoted.map_at, items.len()), "{title}");
}

#[test]
fn entries_and_blocks_are_those_of_the_data() {
    let (mut tables, mut entries, mut blocks) = (0, 0, 0);
    for table in &Tables::all().list {
        let (Some(data), Some(index)) = (table.data(), table.read(&Component::Index)) else {
            continue;
        };
        let (title, header) = (table.title(), table.header());
        let partitions = walk(&data, &header).expect("it was read before");
        let read = read(&index, &RowShape::new(&header));
        let read = read.unwrap_or_else(|error| panic!("{title}: {error}"));
        assert_eq!(read.len(), partitions.len(), "{title}");
        for (indexed, partition) in read.iter().zip(&partitions) {
            assert_eq!(indexed.entry.key, partition.key, "{title}");
            assert_eq!(indexed.entry.position, partition.at, "{title}");
            check_blocks(&title, partition, indexed, &header);
            blocks += indexed.blocks.len();
        }
        (tables, entries) = (tables + 1, entries + read.len());
    }
    println!("{tables} tables, {entries} entries, {blocks} blocks");
    assert!(tables > 10 && entries > 1000);
}

#[test]
fn blocks_follow_each_other_and_rise() {
    let mut count = 0;
    for table in &Tables::all().list {
        let Some(index) = table.read(&Component::Index) else { continue };
        let (title, header) = (table.title(), table.header());
        let read = read(&index, &RowShape::new(&header));
        for indexed in read.unwrap_or_else(|error| panic!("{title}: {error}")) {
            for pair in indexed.blocks.windows(2) {
                assert_eq!(pair[0].offset + pair[0].width, pair[1].offset, "{title}");
                let kinds = &header.clustering;
                for (low, high) in
                    [(&pair[0].first, &pair[0].last), (&pair[0].last, &pair[1].first)]
                {
                    assert!(Prefix::compare(kinds, low, high).is_lt() || low.is_same(high));
                }
            }
            count += indexed.blocks.len();
        }
    }
    println!("{count} blocks");
    assert!(count > 500);
}

trait IsSame {
    fn is_same(&self, other: &Self) -> bool;
}

impl IsSame for Prefix<'_> {
    /// A block of one row has one name twice.
    fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.components.bytes() == other.components.bytes()
    }
}

#[test]
fn a_window_that_is_short_is_asked_to_grow() {
    for table in &Tables::all().list {
        let Some(index) = table.read(&Component::Index) else { continue };
        let shape = RowShape::new(&table.header());
        let read = read(&index, &shape).expect("it was read before");
        for indexed in read.iter().take(5) {
            let at = indexed.entry.at;
            let len = (indexed.entry.promoted_at - at) as usize;
            for cut in 0..len {
                let window = &index[at as usize..][..cut];
                let got = IndexEntry::read(window, at).expect("no error");
                assert!(matches!(got, Parsed::More { len } if len > cut), "{cut}");
            }
            for block in indexed.blocks.iter().take(5) {
                for cut in 0..block.len {
                    let window = &index[block.at as usize..][..cut];
                    let got = Block::read(window, block.at, &shape).expect("no error");
                    assert!(matches!(got, Parsed::More { len } if len > cut), "{cut}");
                }
                let prefix = PrefixBuf::of(&block.first);
                assert!(prefix.as_prefix().is_same(&block.first));
            }
        }
    }
}

#[test]
fn damaged_indexes_are_an_error_or_other_entries() {
    let (mut refused, mut tried) = (0, 0);
    for table in &Tables::all().list {
        let Some(index) = table.read(&Component::Index) else { continue };
        let shape = RowShape::new(&table.header());
        let index = &index[..index.len().min(5_000)];
        for round in 0..40u64 {
            let random = |salt: u64| mix(round, salt.wrapping_add(index.len() as u64)) as usize;
            let mut changed = index.to_vec();
            let at = random(1) % index.len();
            match round % 3 {
                0 => changed.truncate(at),
                1 => changed[at] ^= 1 << (random(2) % 8),
                _ => changed[at] = random(3) as u8,
            }
            if let Err(error) = read(&changed, &shape) {
                assert!(error.at() <= changed.len() as u64 + u32::MAX as u64, "{error}");
                refused += 1;
            }
            tried += 1;
        }
    }
    println!("{refused} of {tried} refused");
    assert!(refused * 3 > tried);
}
