//! The blocks of a partition in its index: where they are, how long, which names they begin and end
//! with.

use manicule_core::hex;
use manicule_format_sstable::{
    Block, Prefix, PrefixKind, Promoted, RowPayload, Step, Token, TriePage, TrieWalk, Type,
    WalkFrom,
};
use manicule_store::pages::{Keep, Reading};

use crate::RowsError;
use crate::lookup::{self, Blocks, trie_page};
use crate::scan::{PartitionSize, len_at};
use crate::table::{IndexFiles, OpenFile, Sstable, Window};

/// Maximum number of blocks that are shown of a partition.
const BLOCKS_MAX: u64 = 16;

/// Longest separator of a trie: 65,535 bytes of a clustering, each a zero, are escaped to twice as
/// many.
const PATH_LEN_MAX: usize = 1 << 18;

/// Number of characters of a name that are shown.
const NAME_MAX: usize = 60;

/// What a partition's blocks are found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// It is one block.
    None,
    /// A promoted index, its length in bytes.
    Promoted(u64),
    /// A trie whose root is at this offset of Rows.db.
    Trie(u64),
}

/// A block of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// Its number, from 0 on.
    pub number: u64,
    /// Distance of its first row from the partition's first byte.
    pub offset: u64,
    /// Its length in bytes.
    pub len: u64,
    /// Its first name; of a trie its separator in hexadecimal digits.
    pub first: String,
    /// Its last name; a trie doesn't have it.
    pub last: Option<String>,
    /// Whether a range deletion is open where it ends; of a trie where it begins.
    pub is_open: bool,
}

/// A partition and its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionShape {
    /// Key as CQL writes it.
    pub key: String,
    /// Token by Murmur3.
    pub token: i64,
    /// Offset in the uncompressed data.
    pub position: u64,
    /// Length in bytes, uncompressed.
    pub len: u64,
    /// Number of its blocks.
    pub block_count: u64,
    /// What they are found by.
    pub index: IndexKind,
    /// Blocks at even distances, first and last among them.
    pub blocks: Vec<BlockShape>,
}

/// The partition of a key, or the largest.
pub(super) fn shape(
    sstable: &Sstable,
    key: Option<&[u8]>,
    largest: Option<&PartitionSize>,
    reading: &mut Reading<'_>,
) -> Result<Option<PartitionShape>, RowsError> {
    let Some(key) = key.or(largest.map(|largest| &largest.key[..])) else { return Ok(None) };
    let Some(place) = lookup::find(sstable, key, reading)? else { return Ok(None) };
    let position = place.position;
    let is_it = |largest: &&PartitionSize| largest.key == key;
    let len = match largest.filter(is_it) {
        Some(largest) => largest.len,
        None => len_at(sstable, position, reading)?.unwrap_or(0),
    };
    let mut text = String::new();
    sstable.header().key.put_literal(Some(key), &mut text);
    let (index, block_count, blocks) = match (place.blocks, sstable.index()) {
        (Blocks::Promoted { promoted, index_bytes }, IndexFiles::Big { index, .. }) => {
            let blocks = promoted_blocks(sstable, index, &promoted, reading)?;
            (IndexKind::Promoted(index_bytes), promoted.block_count.into(), blocks)
        }
        (Blocks::Trie { root, .. }, IndexFiles::Tries { rows, .. }) => {
            let (count, blocks) = trie_blocks(sstable, rows, root, reading)?;
            (IndexKind::Trie(root), count, blocks)
        }
        _ => (IndexKind::None, 1, Vec::new()),
    };
    let token = Token::of(key).0;
    Ok(Some(PartitionShape { key: text, token, position, len, block_count, index, blocks }))
}

/// Numbers of at most [`BLOCKS_MAX`] of all blocks, at even distances.
fn chosen(block_count: u64) -> impl Iterator<Item = u64> {
    let shown = block_count.min(BLOCKS_MAX);
    (0..shown).map(move |number| match shown {
        0 | 1 => number,
        _ => number * (block_count - 1) / (shown - 1),
    })
}

fn promoted_blocks(
    sstable: &Sstable,
    index: &OpenFile,
    promoted: &Promoted,
    reading: &mut Reading<'_>,
) -> Result<Vec<BlockShape>, RowsError> {
    let (shape, types) = (sstable.shape(), &sstable.header().clustering);
    let mut window = Window::new(index);
    let mut blocks = Vec::new();
    for number in chosen(promoted.block_count.into()) {
        let place = promoted.map_place(number as u32);
        let bytes = index.get(place..place + 4, Keep::Shared, reading)?;
        let bytes = *bytes.first_chunk().expect("four bytes were read");
        let at = promoted.block_at(number as u32, bytes).map_err(|error| index.damaged(error))?;
        blocks.push(window.parse("block of a promoted index", at, reading, |window| {
            let parsed = Block::read(window, at, shape)?;
            Ok(parsed.map(|block| BlockShape {
                number,
                offset: block.offset,
                len: block.width,
                first: name_of(types, &block.first),
                last: Some(name_of(types, &block.last)),
                is_open: block.open.is_some(),
            }))
        })?);
    }
    Ok(blocks)
}

/// Number of blocks, and those chosen. The trie is walked twice: its entries are not numbered.
fn trie_blocks(
    sstable: &Sstable,
    rows: &OpenFile,
    root: u64,
    reading: &mut Reading<'_>,
) -> Result<(u64, Vec<BlockShape>), RowsError> {
    let mut entry_count = 0_u64;
    each_separator(sstable, rows, root, reading, |_, _| entry_count += 1)?;
    // The last is the partition's end.
    let block_count = entry_count.saturating_sub(1);
    let mut wanted = chosen(block_count).peekable();
    let (mut blocks, mut number) = (Vec::<BlockShape>::new(), 0);
    each_separator(sstable, rows, root, reading, |path, payload| {
        if let Some(last) = blocks.last_mut().filter(|last| last.number + 1 == number) {
            last.len = payload.offset.saturating_sub(last.offset);
        }
        if wanted.next_if_eq(&number).is_some() {
            let (offset, is_open) = (payload.offset, payload.open.is_some());
            let first = shortened(hex::encode(path));
            blocks.push(BlockShape { number, offset, len: 0, first, last: None, is_open });
        }
        number += 1;
    })?;
    Ok((block_count, blocks))
}

fn each_separator(
    sstable: &Sstable,
    rows: &OpenFile,
    root: u64,
    reading: &mut Reading<'_>,
    mut each: impl FnMut(&[u8], RowPayload),
) -> Result<(), RowsError> {
    let mut walk = TrieWalk::new(root, WalkFrom::First, PATH_LEN_MAX);
    while let Some(number) = walk.page() {
        let bytes = trie_page(rows, number, reading)?;
        let page = TriePage { number, bytes: &bytes };
        while let Step::Found(payload) = walk.step(page).map_err(|error| rows.damaged(error))? {
            let read = RowPayload::read(payload, sstable.version());
            each(walk.path(), read.map_err(|error| rows.damaged(error))?);
        }
    }
    Ok(())
}

/// `(1, 'b')`; a bound with the side that it lies on.
fn name_of(types: &[Type], prefix: &Prefix<'_>) -> String {
    let mut text = String::from("(");
    for (index, (kind, value)) in types.iter().zip(prefix.values(types)).enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        kind.put_literal(value, &mut text);
    }
    text.push(')');
    match prefix.kind {
        PrefixKind::Row | PrefixKind::Static => {}
        kind if kind.is_after() => text.insert_str(0, "after "),
        _ => text.insert_str(0, "before "),
    }
    shortened(text)
}

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(NAME_MAX) {
        text.truncate(end);
        text.push_str("..");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn blocks_are_chosen_at_even_distances() {
        let check = |count, want: &[u64]| {
            assert_eq!(chosen(count).collect::<Vec<_>>(), want, "{count}");
        };
        check(0, &[]);
        check(1, &[0]);
        check(3, &[0, 1, 2]);
        check(31, &[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]);
    }
}
