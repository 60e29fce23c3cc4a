//! A walk over all partitions by the index alone: nothing of Data.db is read, but keys where they
//! are wanted and the index doesn't have them.

use manicule_format_sstable::{
    IndexEntry, PartitionHead, PartitionPayload, PartitionPlace, Promoted, RowsEntry, Step,
    TriePage, TrieWalk, WalkFrom,
};
use manicule_store::pages::{Bytes, Reading};

use crate::RowsError;
use crate::lookup::{Blocks, Place, check_end, check_start, trie_page};
use crate::table::{DataFile, IndexFiles, Met, OpenFile, Sstable, Window, shown, trie_footer};

/// A partition as the index has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Indexed {
    /// Its key, if it has been read.
    pub(crate) key: Vec<u8>,
    /// Whether it has: tries don't have the keys of partitions of one block.
    pub(crate) has_key: bool,
    /// A byte of the key's hash, which tries have.
    pub(crate) hash: Option<u8>,
    /// Offset in the uncompressed data.
    pub(crate) position: u64,
    /// Length in bytes up to the next partition.
    pub(crate) len: u64,
    /// Number of its blocks; 1 where they aren't indexed.
    pub(crate) block_count: u64,
    /// What they are found by.
    blocks: Blocks,
}

/// Which keys a walk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Those of the index.
    AsIndexed,
    /// All: of tries, those of partitions of one block are read from Data.db.
    All,
}

/// Length in bytes of a read of Index.db.
const READ_LEN: u64 = 256 << 10;

/// Length in bytes of a read of keys that tries don't have, where a round is dear.
const KEYS_LEN: u64 = 1 << 20;

/// Longest way down a trie: a key of 65,535 bytes, each a zero, is escaped to twice as many.
const PATH_LEN_MAX: usize = 1 << 18;

/// The walk: partitions in the order of the file, with their lengths.
#[derive(Debug)]
pub(crate) struct IndexWalk<'t> {
    entries: IndexEntries<'t>,
    keys: Keys,
    /// For keys that the index doesn't have.
    data: Window<'t, DataFile>,
    /// A partition's length is known with the start of the next.
    ahead: Option<Indexed>,
    /// The partitions so far.
    met: Met,
    last_position: Option<u64>,
}

impl<'t> IndexWalk<'t> {
    pub(crate) fn new(
        sstable: &'t Sstable,
        keys: Keys,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let entries = IndexEntries::new(sstable, reading)?;
        let (mut data, met) = (Window::new(sstable.data()), Met::default());
        if keys == Keys::All && sstable.stored().is_far() {
            data.set_ahead(KEYS_LEN);
        }
        let mut walk = IndexWalk { entries, keys, data, ahead: None, met, last_position: None };
        let mut first = Indexed::default();
        walk.ahead = walk.read(&mut first, reading)?.then_some(first);
        check_start(sstable, walk.last_position)?;
        Ok(walk)
    }

    /// The next partition, into a value whose buffer is used again; whether there is one.
    pub(crate) fn next(
        &mut self,
        into: &mut Indexed,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        let Some(mut ahead) = self.ahead.take() else { return Ok(false) };
        std::mem::swap(&mut ahead, into);
        let has_next = self.read(&mut ahead, reading)?;
        if !has_next {
            self.end(into, reading)?;
        }
        let end = if has_next { ahead.position } else { self.entries.sstable.data_len() };
        into.len = end.saturating_sub(into.position);
        self.ahead = has_next.then_some(ahead);
        Ok(true)
    }

    /// The last entry was read: its partition ends the data, and the table has no others.
    fn end(&mut self, last: &Indexed, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let sstable = self.entries.sstable;
        self.met.check(sstable, sstable.index_path(), reading)?;
        let place = Place { position: last.position, blocks: last.blocks };
        check_end(sstable, &place, sstable.data_len(), reading)
    }

    /// Reads the next entry, and the key that is wanted.
    fn read(&mut self, into: &mut Indexed, reading: &mut Reading<'_>) -> Result<bool, RowsError> {
        let is_there = self.entries.next(into, reading)?;
        let sstable = self.entries.sstable;
        if is_there && !into.has_key && self.keys == Keys::All {
            into.has_key = true;
            read_key(&mut self.data, into.position, sstable, &mut into.key, reading)?;
        }
        if is_there {
            self.check_position(into.position)?;
            if into.has_key && !self.met.may_precede(&into.key, sstable) {
                let what = format!(
                    "the key {} is not after the one before: it is damaged, or the table is not in order",
                    shown(sstable.header(), &into.key)
                );
                let file = sstable.index_path().to_owned();
                return Err(RowsError::Contradicted { file, what });
            }
            self.met.pass(into.has_key.then_some(&into.key[..]));
        }
        Ok(is_there)
    }

    /// Positions rise, up to the end of the data.
    fn check_position(&mut self, position: u64) -> Result<(), RowsError> {
        let sstable = self.entries.sstable;
        let (after, end) = (self.last_position.replace(position), sstable.data_len());
        if after.is_none_or(|after| position > after) && position < end {
            return Ok(());
        }
        let what = format!(
            "an entry leads to offset {position} of Data.db, which {}: one of the two is cut or damaged",
            match after.filter(|after| position <= *after) {
                Some(after) => format!("is not after {after}, where the one before leads"),
                None => format!("ends at {end}"),
            }
        );
        Err(RowsError::Contradicted { file: sstable.index_path().to_owned(), what })
    }
}

/// Entries of an index in the order of the file.
#[derive(Debug)]
pub(super) struct IndexEntries<'t> {
    sstable: &'t Sstable,
    kind: Kind<'t>,
}

#[derive(Debug)]
enum Kind<'t> {
    /// `began` is where the entry that was read last begins, `at` the next one.
    Big {
        window: Window<'t, OpenFile>,
        began: u64,
        at: u64,
    },
    Tries(Box<Leaves<'t>>),
    Missing,
}

#[derive(Debug)]
struct Leaves<'t> {
    partitions: &'t OpenFile,
    /// `None` of a table without partitions.
    walk: Option<TrieWalk<'static>>,
    /// The path at which it could not go on last.
    failed: Option<Vec<u8>>,
    /// The page that the walk is in.
    page: Option<(u64, Bytes<'t>)>,
    rows: Window<'t, OpenFile>,
}

impl<'t> IndexEntries<'t> {
    pub(super) fn new(sstable: &'t Sstable, reading: &mut Reading<'_>) -> Result<Self, RowsError> {
        let kind = match sstable.index() {
            IndexFiles::Big { index, .. } => {
                Kind::Big { window: Window::passing(index, READ_LEN), began: 0, at: 0 }
            }
            IndexFiles::Tries { partitions, rows } => {
                Kind::Tries(Box::new(Leaves::new(partitions, rows, reading)?))
            }
            IndexFiles::Missing => Kind::Missing,
        };
        Ok(IndexEntries { sstable, kind })
    }

    /// Reads the next entry; whether there is one. Its length isn't known.
    ///
    /// # Errors
    /// Bytes that contradict the format; the walk can go on after [`IndexEntries::pass_damage`].
    pub(super) fn next(
        &mut self,
        into: &mut Indexed,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        into.key.clear();
        match &mut self.kind {
            Kind::Big { window, began, at } => {
                *began = *at;
                read_entry(self.sstable, window, at, into, reading)
            }
            Kind::Tries(leaves) => leaves.read(self.sstable, into, reading),
            Kind::Missing => Ok(false),
        }
    }

    /// Goes past an entry that can't be read: to the next sample of Summary.db, or to the next node
    /// of the trie. Whether there is one.
    pub(super) fn pass_damage(&mut self, reading: &mut Reading<'_>) -> bool {
        match &mut self.kind {
            // The entry itself was read, and the index of its blocks could not be.
            Kind::Big { began, at, .. } if *at > *began => true,
            Kind::Big { at, .. } => match next_sample(self.sstable, *at, reading) {
                Some(next) => {
                    *at = next;
                    true
                }
                None => false,
            },
            Kind::Tries(leaves) => leaves.pass_damage(),
            Kind::Missing => false,
        }
    }
}

/// Offset in Index.db of the first sample after a place.
fn next_sample(sstable: &Sstable, at: u64, reading: &mut Reading<'_>) -> Option<u64> {
    let IndexFiles::Big { summary: Some(summary), .. } = sstable.index() else { return None };
    summary.next_after(at, reading)
}

fn read_entry(
    sstable: &Sstable,
    window: &mut Window<'_, OpenFile>,
    at: &mut u64,
    into: &mut Indexed,
    reading: &mut Reading<'_>,
) -> Result<bool, RowsError> {
    if *at >= window.stream().len() {
        return Ok(false);
    }
    let key = &mut into.key;
    let (position, promoted_at, promoted_len) =
        window.parse("index entry", *at, reading, |window| {
            let parsed = IndexEntry::read(window, *at)?;
            Ok(parsed.map(|entry| {
                key.clear();
                key.extend_from_slice(entry.key);
                (entry.position, entry.promoted_at, entry.promoted_len)
            }))
        })?;
    let entry = IndexEntry { at: *at, key: &into.key, position, promoted_at, promoted_len };
    *at = entry.end();
    (into.block_count, into.blocks) = match promoted_len {
        0 => (1, Blocks::One),
        index_bytes => {
            let shape = sstable.shape();
            let promoted = window.parse("promoted index", promoted_at, reading, |window| {
                Promoted::read(window, &entry, shape)
            })?;
            let count = promoted.block_count.into();
            (
                count,
                if count > 1 { Blocks::Promoted { promoted, index_bytes } } else { Blocks::One },
            )
        }
    };
    (into.has_key, into.position) = (true, position);
    Ok(true)
}

impl<'t> Leaves<'t> {
    fn new(
        partitions: &'t OpenFile,
        rows: &'t OpenFile,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let footer = trie_footer(partitions, reading)?;
        let has_any = footer.partition_count > 0;
        let walk = has_any.then(|| TrieWalk::new(footer.root, WalkFrom::First, PATH_LEN_MAX));
        let rows = Window::passing(rows, READ_LEN);
        Ok(Leaves { partitions, walk, failed: None, page: None, rows })
    }

    /// A node that can't be read is left: the walk goes on with the next one of its parent. `false`
    /// where the same place fails again.
    fn pass_damage(&mut self) -> bool {
        let Some(walk) = &self.walk else { return false };
        let path = Some(walk.path().to_vec());
        let is_new = self.failed != path;
        self.failed = path;
        is_new
    }

    fn read(
        &mut self,
        sstable: &Sstable,
        into: &mut Indexed,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        let partitions = self.partitions;
        let Some(walk) = &mut self.walk else { return Ok(false) };
        while let Some(number) = walk.page() {
            if self.page.as_ref().is_none_or(|(held, _)| *held != number) {
                self.page = Some((number, trie_page(partitions, number, reading)?));
            }
            let Some((_, bytes)) = &self.page else { return Ok(false) };
            let step = walk.step(TriePage { number, bytes });
            let Step::Found(payload) = step.map_err(|error| partitions.damaged(error))? else {
                continue;
            };
            let payload = PartitionPayload::read(payload);
            let payload = payload.map_err(|error| partitions.damaged(error))?;
            into.hash = payload.hash;
            match payload.place {
                PartitionPlace::Data(position) => {
                    (into.has_key, into.position, into.block_count) = (false, position, 1);
                    into.blocks = Blocks::One;
                }
                PartitionPlace::Rows(at) => {
                    self.rows.parse("entry of Rows.db", at, reading, |window| {
                        let parsed = RowsEntry::read(window, at, sstable.version())?;
                        Ok(parsed.map(|entry| {
                            into.key.extend_from_slice(entry.key);
                            (into.has_key, into.position) = (true, entry.position);
                            into.block_count = entry.block_count;
                            into.blocks =
                                Blocks::Trie { root: entry.root, deletion: entry.deletion };
                        }))
                    })?;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }
}

/// Reads the key of the partition at a place of Data.db.
pub(super) fn read_key(
    data: &mut Window<'_, DataFile>,
    position: u64,
    sstable: &Sstable,
    key: &mut Vec<u8>,
    reading: &mut Reading<'_>,
) -> Result<(), RowsError> {
    data.parse("partition", position, reading, |window| {
        let parsed = PartitionHead::read(window, position, sstable.shape())?;
        Ok(parsed.map(|head| {
            key.clear();
            key.extend_from_slice(head.key);
        }))
    })
}
