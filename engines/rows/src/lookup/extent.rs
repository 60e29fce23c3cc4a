//! Where a partition ends, as its own bytes say. The index is right about what lies between two of
//! its partitions only if the first ends where the second begins: so a key is known to be absent,
//! and the last entry to be the last.
//!
//! Bytes:   docs/formats/sstable.md, "What proves that a table is whole"

use manicule_format_sstable::{
    Block, Floor, FrameKind, Promoted, RowPayload, Step, TriePage, Until,
};
use manicule_store::pages::{Keep, Reading};

use super::page::page;
use super::place::{Blocks, Place};
use crate::RowsError;
use crate::slice::{Head, read_frame};
use crate::table::{IndexFiles, OpenFile, Sstable, Window};

/// Longest read of data in bytes: a partition that has no index of blocks is short, and so is a
/// block.
const READ_LEN_MAX: u64 = 256 << 10;

/// Compares the end of a partition with the place where, by the index, the next one begins, or the
/// data end.
///
/// Cost: of a partition with blocks the last one is read, by a trie of blocks nothing; else the
///       partition.
pub(crate) fn check_end(
    sstable: &Sstable,
    place: &Place,
    next: u64,
    reading: &mut Reading<'_>,
) -> Result<(), RowsError> {
    let end = end_of(sstable, place, next, reading)?;
    if end == next {
        return Ok(());
    }
    let what = format!(
        "the partition at offset {} of Data.db ends at {end}, and what follows it here is at {next}: \
         entries are missing, or one of the two is cut; rows rebuild makes the index again",
        place.position
    );
    Err(RowsError::Contradicted { file: sstable.index_path().to_owned(), what })
}

/// The partition that the index has at a place has its key there.
pub(crate) fn check_key(
    sstable: &Sstable,
    position: u64,
    key: &[u8],
    reading: &mut Reading<'_>,
) -> Result<(), RowsError> {
    let mut window = Window::new(sstable.data());
    Head::read_of(sstable, position, key, &mut window, reading).map(drop)
}

/// The first partition of the index begins the data; without any there are none.
pub(crate) fn check_start(sstable: &Sstable, first: Option<u64>) -> Result<(), RowsError> {
    let first = first.unwrap_or(sstable.data_len());
    if first == 0 {
        return Ok(());
    }
    let what = format!(
        "the data before offset {first} are of no entry: the index is cut, or lacks its first \
         entries; rows rebuild makes it again"
    );
    Err(RowsError::Contradicted { file: sstable.index_path().to_owned(), what })
}

fn end_of(
    sstable: &Sstable,
    place: &Place,
    next: u64,
    reading: &mut Reading<'_>,
) -> Result<u64, RowsError> {
    let position = place.position;
    let mut window = Window::new(sstable.data());
    window.set_ahead(next.saturating_sub(position).min(READ_LEN_MAX));
    let mut at = match (place.blocks, sstable.index()) {
        (Blocks::Trie { root, .. }, IndexFiles::Tries { rows, .. }) => {
            return Ok(position.saturating_add(trie_end(sstable, rows, root, reading)?));
        }
        (Blocks::Promoted { promoted, .. }, IndexFiles::Big { index, .. }) => {
            position.saturating_add(last_block(sstable, index, &promoted, reading)?)
        }
        _ => position.saturating_add(Head::read(sstable, position, &mut window, reading)?.len),
    };
    window.set_ahead(next.saturating_sub(at).min(READ_LEN_MAX));
    loop {
        let frame = read_frame(&mut window, at, sstable, reading)?;
        at += frame.len as u64;
        if frame.kind == FrameKind::End {
            return Ok(at);
        }
    }
}

/// Distance of the last block from the partition's first byte. What the index says of its width
/// isn't asked: writers differ in it.
fn last_block(
    sstable: &Sstable,
    index: &OpenFile,
    promoted: &Promoted,
    reading: &mut Reading<'_>,
) -> Result<u64, RowsError> {
    let number = promoted.block_count.saturating_sub(1);
    let place = promoted.map_place(number);
    let bytes = index.get(place..place + 4, Keep::Shared, reading)?;
    let bytes = *bytes.first_chunk().expect("four bytes were read");
    let at = promoted.block_at(number, bytes).map_err(|error| index.damaged(error))?;
    let mut window = Window::new(index);
    window.parse("block of a promoted index", at, reading, |window| {
        Ok(Block::read(window, at, sstable.shape())?.map(|block| block.offset))
    })
}

/// Length in bytes of a partition, by the last entry of its trie, which leads to its last byte.
fn trie_end(
    sstable: &Sstable,
    rows: &OpenFile,
    root: u64,
    reading: &mut Reading<'_>,
) -> Result<u64, RowsError> {
    // No separator begins with this byte.
    let mut floor = Floor::new(root, &[0xff], Until::Including);
    let mut number = floor.first_page();
    loop {
        let bytes = page(rows, number, reading)?;
        match floor.step(TriePage { number, bytes: &bytes }).map_err(|error| rows.damaged(error))? {
            Step::Page(next) => number = next,
            Step::Absent => return Ok(0),
            Step::Found(payload) => {
                let read = RowPayload::read(payload, sstable.version());
                return Ok(read.map_err(|error| rows.damaged(error))?.offset + 1);
            }
        }
    }
}
