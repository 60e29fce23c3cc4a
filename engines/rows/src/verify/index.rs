//! The index of a table, of either layout, as its partitions are read.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Tries"
//! Callers: partitions, quick

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Component, Deletion, IndexEntry, KeyHash, Place, PromotedCheck, RowsEntry, SeparatorCheck,
};

use super::checked::bytes_of;
use super::entries::{ENTRIES, Entries};
use super::leaves::{Leaves, PATH_LEN_MAX};
use super::notes::{Notes, Spot};
use crate::table::{IndexFiles, Sstable};

/// Index.db or the tries.
#[derive(Debug)]
pub(super) enum Index<'t> {
    Big(Entries<'t>),
    Tries(Leaves<'t>),
}

/// The index of one partition's blocks, as far as it agrees with the rows.
#[derive(Debug)]
pub(super) enum Blocks<'t> {
    /// There is none, or it is known to be wrong.
    None,
    Promoted(Box<PromotedCheck<'t>>),
    Separators(Box<SeparatorCheck<'t>>),
}

/// The head of a partition, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun<'k> {
    pub(super) key: &'k [u8],
    pub(super) hash: KeyHash,
    pub(super) position: u64,
    pub(super) deletion: Deletion,
}

impl<'t> Index<'t> {
    /// The index of a table; `summary` are the bytes of Summary.db, if it is there.
    pub(super) fn new(sstable: &'t Sstable, summary: Option<&'t [u8]>, notes: &mut Notes) -> Self {
        match sstable.index() {
            IndexFiles::Big { index, .. } => {
                Index::Big(Entries::new(bytes_of(index), summary, notes))
            }
            IndexFiles::Tries { partitions, rows } => {
                let (partitions, rows) = (bytes_of(partitions), bytes_of(rows));
                let (header, partitioner) = (sstable.header(), sstable.partitioner());
                Index::Tries(Leaves::new(partitions, rows, header, partitioner, notes))
            }
            IndexFiles::Missing => unreachable!("it was opened as one that is whole"),
        }
    }

    /// The next partition: its entry or leaf. Returns what is said of its blocks, and their number.
    pub(super) fn begin(
        &mut self,
        begun: &Begun<'_>,
        sstable: &'t Sstable,
        notes: &mut Notes,
    ) -> (Blocks<'t>, u64) {
        match self {
            Index::Big(entries) => {
                let Some(entry) = own_entry(entries, begun, notes) else {
                    return (Blocks::None, 0);
                };
                entries.pass();
                promoted(entries, &entry, begun, sstable, notes)
            }
            Index::Tries(leaves) => {
                let Begun { key, hash, position, deletion } = *begun;
                match leaves.partition((key, hash), position, deletion, notes) {
                    Some(entry) => separators(leaves, &entry, sstable, notes),
                    None => (Blocks::None, 0),
                }
            }
        }
    }

    /// The first partition after a place, as far as the index knows: those before it are left out.
    pub(super) fn skip(&mut self, at: u64, notes: &mut Notes) -> Option<u64> {
        match self {
            Index::Big(entries) => {
                while let Some(entry) = entries.peek(notes) {
                    if entry.position > at {
                        return Some(entry.position);
                    }
                    entries.pass();
                }
                None
            }
            Index::Tries(leaves) => leaves.skip(at),
        }
    }

    /// All partitions were passed, from the first key to the last.
    pub(super) fn end(&mut self, first: &[u8], last: &[u8], notes: &mut Notes) {
        match self {
            Index::Big(entries) => {
                let mut left = 0_u64;
                let at = entries.peek(notes).map(|entry| entry.at);
                while entries.peek(notes).is_some() {
                    left += 1;
                    entries.pass();
                }
                if let Some(at) = at {
                    let spot = Spot::at(&Component::Index, ENTRIES, at);
                    notes.wrong(spot, format_args!("{left} entries are of no partition"));
                }
                entries.end(first, last, notes);
            }
            Index::Tries(leaves) => leaves.end(first, last, notes),
        }
    }
}

/// The entry of a partition; those that lead elsewhere are passed.
fn own_entry<'t>(
    entries: &mut Entries<'t>,
    begun: &Begun<'_>,
    notes: &mut Notes,
) -> Option<IndexEntry<'t>> {
    let position = begun.position;
    while let Some(entry) = entries.peek(notes) {
        let spot = Spot::at(&Component::Index, ENTRIES, entry.at);
        match (entry.key == begun.key, entry.position) {
            (true, got) if got == position => return Some(entry),
            (true, got) => {
                notes.differs(spot, "position of a partition", position, got);
                return Some(entry);
            }
            (false, got) if got == position => {
                notes.wrong(spot, format_args!("another key than the partition at {position}"));
                return Some(entry);
            }
            (false, got) if got < position => {
                notes.wrong(spot, format_args!("no partition begins at its position {got}"));
                entries.pass();
            }
            (false, _) => break,
        }
    }
    if !entries.is_cut() {
        let at = entries.peek(notes).map(|entry| entry.at);
        let spot = Spot { component: &Component::Index, section: ENTRIES, at };
        notes.wrong(spot, format_args!("no entry leads to the partition at {position}"));
    }
    None
}

fn promoted<'t>(
    entries: &Entries<'t>,
    entry: &IndexEntry<'t>,
    begun: &Begun<'_>,
    sstable: &'t Sstable,
    notes: &mut Notes,
) -> (Blocks<'t>, u64) {
    if entry.promoted_len == 0 {
        return (Blocks::None, 0);
    }
    let check = match PromotedCheck::new(entries.promoted(entry), entry, sstable.shape()) {
        Ok(check) => check,
        Err(error) => {
            let of = format!(" of the partition at {}", begun.position);
            notes.error(&Component::Index, PROMOTED, &error, of);
            return (Blocks::None, 0);
        }
    };
    if check.promoted().deletion != begun.deletion {
        let spot = Spot::at(&Component::Index, PROMOTED, entry.promoted_at);
        notes
            .wrong(spot, format_args!("another deletion than the partition at {}", begun.position));
    }
    let count = check.promoted().block_count.into();
    (Blocks::Promoted(Box::new(check)), count)
}

fn separators<'t>(
    leaves: &Leaves<'t>,
    entry: &RowsEntry<'t>,
    sstable: &'t Sstable,
    notes: &mut Notes,
) -> (Blocks<'t>, u64) {
    let header = sstable.header();
    let (version, kinds) = (header.version, &header.clustering[..]);
    match SeparatorCheck::new(leaves.rows(), entry, version, kinds, PATH_LEN_MAX) {
        Ok(check) => (Blocks::Separators(Box::new(check)), entry.block_count),
        Err(error) => {
            let of = format!(" of the partition at {}", entry.position);
            notes.error(&Component::Rows, SEPARATORS, &error, of);
            (Blocks::None, 0)
        }
    }
}

/// Sections of findings about the blocks of a partition.
const PROMOTED: &str = "promoted index";
const SEPARATORS: &str = "row trie";

impl Blocks<'_> {
    /// The partition's head has been read, and is so long.
    pub(super) fn head(&self, len: u64, position: u64, notes: &mut Notes) {
        if let Blocks::Promoted(check) = self
            && check.promoted().header_len != len
        {
            let promoted = check.promoted();
            let spot = Spot::at(&Component::Index, PROMOTED, promoted.blocks_at);
            let what = format!("length of the head of the partition at {position}");
            notes.differs(spot, what, len, promoted.header_len);
        }
    }

    /// The partition's next row or marker. After an error the partition's blocks are not compared further.
    pub(super) fn unfiltered(&mut self, place: &Place<'_>, position: u64, notes: &mut Notes) {
        let compared = match self {
            Blocks::None => return,
            Blocks::Promoted(check) => check.unfiltered(place),
            Blocks::Separators(check) => check.unfiltered(place),
        };
        if let Err(error) = compared {
            self.note(&error, position, notes);
        }
    }

    /// The partition, of `len` bytes, has ended.
    pub(super) fn end(&mut self, len: u64, position: u64, notes: &mut Notes) {
        let compared = match self {
            Blocks::None => return,
            Blocks::Promoted(check) => check.end(),
            Blocks::Separators(check) => check.end(len),
        };
        if let Err(error) = compared {
            self.note(&error, position, notes);
        }
    }

    fn note(&mut self, error: &DecodeError, position: u64, notes: &mut Notes) {
        let (component, section) = match self {
            Blocks::Separators(_) => (Component::Rows, SEPARATORS),
            _ => (Component::Index, PROMOTED),
        };
        notes.error(&component, section, error, format_args!(" of the partition at {position}"));
        *self = Blocks::None;
    }
}
