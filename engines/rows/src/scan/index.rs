//! A walk over all partitions by the index alone: nothing of Data.db is read.
//!
//! Callers: partitions

use manicule_core::watch::Steps;
use manicule_format_sstable::{
    FOOTER_LEN, Footer, IndexEntry, PartitionPayload, PartitionPlace, Promoted, RowsEntry, Step,
    TriePage, TrieWalk, WalkFrom,
};
use manicule_store::pages::{Keep, Reading};

use crate::RowsError;
use crate::lookup::trie_page;
use crate::table::{IndexFiles, OpenFile, Sstable, Window};

/// A partition as the index has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indexed<'k> {
    /// Offset in the uncompressed data.
    pub(super) position: u64,
    /// Number of its blocks; 1 where they aren't indexed.
    pub(super) block_count: u64,
    /// Its key; tries don't have the keys of partitions of one block.
    pub(super) key: Option<&'k [u8]>,
}

/// Length in bytes of a read of Index.db.
const READ_LEN: u64 = 256 << 10;

/// Longest way down a trie: a key of 65,535 bytes, each a zero, is escaped to twice as many.
const PATH_LEN_MAX: usize = 1 << 18;

/// Calls `each` for every partition in the order of the file.
pub(super) fn each(
    sstable: &Sstable,
    reading: &mut Reading<'_>,
    steps: &mut Steps<'_, '_>,
    mut each: impl FnMut(Indexed<'_>),
) -> Result<(), RowsError> {
    match sstable.index() {
        IndexFiles::Big { index, .. } => each_entry(sstable, index, reading, steps, &mut each),
        IndexFiles::Tries { partitions, rows } => {
            each_leaf(sstable, (partitions, rows), reading, steps, &mut each)
        }
    }
}

fn each_entry(
    sstable: &Sstable,
    index: &OpenFile,
    reading: &mut Reading<'_>,
    steps: &mut Steps<'_, '_>,
    each: &mut dyn FnMut(Indexed<'_>),
) -> Result<(), RowsError> {
    let mut window = Window::passing(index, READ_LEN);
    let (mut at, mut key) = (0, Vec::new());
    while at < index.len() {
        let (position, promoted_at, promoted_len) =
            window.parse("index entry", at, reading, |window| {
                let parsed = IndexEntry::read(window, at)?;
                Ok(parsed.map(|entry| {
                    key.clear();
                    key.extend_from_slice(entry.key);
                    (entry.position, entry.promoted_at, entry.promoted_len)
                }))
            })?;
        let entry = IndexEntry { at, key: &key, position, promoted_at, promoted_len };
        let block_count = match promoted_len {
            0 => 1,
            _ => {
                let shape = sstable.shape();
                let promoted = window.parse("promoted index", promoted_at, reading, |window| {
                    Promoted::read(window, &entry, shape)
                })?;
                promoted.block_count.into()
            }
        };
        each(Indexed { position, block_count, key: Some(&key) });
        steps.add(1)?;
        at = entry.end();
    }
    Ok(())
}

fn each_leaf(
    sstable: &Sstable,
    (partitions, rows): (&OpenFile, &OpenFile),
    reading: &mut Reading<'_>,
    steps: &mut Steps<'_, '_>,
    each: &mut dyn FnMut(Indexed<'_>),
) -> Result<(), RowsError> {
    let len = partitions.len();
    let at = len.saturating_sub(FOOTER_LEN as u64);
    let bytes = partitions.get(at..at + FOOTER_LEN as u64, Keep::Shared, reading)?;
    let bytes = *bytes.first_chunk().expect("as many bytes were read");
    let footer = Footer::read(bytes, len).map_err(|error| partitions.damaged(error))?;
    if footer.partition_count == 0 {
        return Ok(());
    }
    let mut walk = TrieWalk::new(footer.root, WalkFrom::First, PATH_LEN_MAX);
    let mut entries = Window::passing(rows, READ_LEN);
    while let Some(number) = walk.page() {
        let bytes = trie_page(partitions, number, reading)?;
        let page = TriePage { number, bytes: &bytes };
        while let Step::Found(payload) =
            walk.step(page).map_err(|error| partitions.damaged(error))?
        {
            let payload = PartitionPayload::read(payload);
            match payload.map_err(|error| partitions.damaged(error))?.place {
                PartitionPlace::Data(position) => {
                    each(Indexed { position, block_count: 1, key: None });
                }
                PartitionPlace::Rows(at) => {
                    entries.parse("entry of Rows.db", at, reading, |window| {
                        let parsed = RowsEntry::read(window, at, sstable.version())?;
                        Ok(parsed.map(|entry| {
                            let RowsEntry { position, block_count, key, .. } = entry;
                            each(Indexed { position, block_count, key: Some(key) });
                        }))
                    })?;
                }
            }
            steps.add(1)?;
        }
    }
    Ok(())
}
