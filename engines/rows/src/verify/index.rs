//! The index of a table, of either layout, as its partitions are read.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Tries"

use manicule_format_sstable::{Component, Place, PromotedCheck, SeparatorCheck};
use manicule_store::pages::Reading;

use super::begun::Begun;
use super::entries::{ENTRIES, Entries, Entry};
use super::leaves::{Leaves, OwnEntry, PATH_LEN_MAX};
use super::notes::{Notes, Spot};
use super::pages::{TrieError, TrieFiles, TriePages};
use crate::RowsError;
use crate::table::{IndexFiles, OpenFile, Sstable};

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
    /// With Rows.db.
    Separators(Box<SeparatorCheck<'t>>, &'t OpenFile),
}

impl<'t> Index<'t> {
    /// The index of a table; `summary` are the bytes of Summary.db, if it is there.
    pub(super) fn new(
        sstable: &'t Sstable,
        summary: Option<&'t [u8]>,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        Ok(match sstable.index() {
            IndexFiles::Big { index, .. } => Index::Big(Entries::new(index, summary, notes)),
            IndexFiles::Tries { partitions, rows } => {
                let (header, partitioner) = (sstable.header(), sstable.partitioner());
                let files = TrieFiles { partitions, rows };
                Index::Tries(Leaves::new(files, header, partitioner, notes, reading)?)
            }
            IndexFiles::Missing => unreachable!("it was opened as one that is whole"),
        })
    }

    /// The next partition: its entry or leaf. Returns what is said of its blocks, and their number.
    pub(super) fn begin(
        &mut self,
        begun: &Begun<'_>,
        sstable: &'t Sstable,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<(Blocks<'t>, u64), RowsError> {
        match self {
            Index::Big(entries) => match own_entry(entries, begun, notes, reading)? {
                Some(entry) => promoted(entries, &entry, begun, sstable, notes, reading),
                None => Ok((Blocks::None, 0)),
            },
            Index::Tries(leaves) => match leaves.partition(begun, notes, reading)? {
                Some(entry) => separators(leaves, &entry, sstable, notes, reading),
                None => Ok((Blocks::None, 0)),
            },
        }
    }

    /// The first partition after a place, as far as the index knows: those before it are left out.
    pub(super) fn skip(
        &mut self,
        at: u64,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<Option<u64>, RowsError> {
        match self {
            Index::Big(entries) => {
                while let Some(entry) = entries.peek(notes, reading)? {
                    if entry.position > at {
                        return Ok(Some(entry.position));
                    }
                    entries.pass();
                }
                Ok(None)
            }
            Index::Tries(leaves) => leaves.skip(at, reading),
        }
    }

    /// All partitions were passed, from the first key to the last.
    pub(super) fn end(
        &mut self,
        first: &[u8],
        last: &[u8],
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        match self {
            Index::Big(entries) => {
                let mut left = 0_u64;
                let at = entries.peek(notes, reading)?.map(|entry| entry.at);
                while entries.peek(notes, reading)?.is_some() {
                    left += 1;
                    entries.pass();
                }
                if let Some(at) = at {
                    let spot = Spot::at(&Component::Index, ENTRIES, at);
                    notes.wrong(spot, format_args!("{left} entries are of no partition"));
                }
                entries.end(first, last, notes);
                Ok(())
            }
            Index::Tries(leaves) => leaves.end(first, last, notes, reading),
        }
    }
}

/// The entry of a partition; those that lead elsewhere are passed.
fn own_entry(
    entries: &mut Entries<'_>,
    begun: &Begun<'_>,
    notes: &mut Notes,
    reading: &mut Reading<'_>,
) -> Result<Option<Entry>, RowsError> {
    let position = begun.position;
    while let Some(entry) = entries.peek(notes, reading)? {
        let spot = Spot::at(&Component::Index, ENTRIES, entry.at);
        match (entry.key == begun.key, entry.position) {
            (true, got) if got == position => return Ok(entries.pass()),
            (true, got) => {
                notes.differs(spot, "position of a partition", position, got);
                return Ok(entries.pass());
            }
            (false, got) if got == position => {
                notes.wrong(spot, format_args!("another key than the partition at {position}"));
                return Ok(entries.pass());
            }
            (false, got) if got < position => {
                notes.wrong(spot, format_args!("no partition begins at its position {got}"));
                entries.pass();
            }
            (false, _) => break,
        }
    }
    if !entries.is_cut() {
        let at = entries.peek(notes, reading)?.map(|entry| entry.at);
        let spot = Spot { component: &Component::Index, section: ENTRIES, at };
        notes.wrong(spot, format_args!("no entry leads to the partition at {position}"));
    }
    Ok(None)
}

fn promoted<'t>(
    entries: &Entries<'t>,
    entry: &Entry,
    begun: &Begun<'_>,
    sstable: &'t Sstable,
    notes: &mut Notes,
    reading: &mut Reading<'_>,
) -> Result<(Blocks<'t>, u64), RowsError> {
    if entry.promoted_len == 0 {
        return Ok((Blocks::None, 0));
    }
    let bytes = entries.promoted(entry, reading)?;
    let check = match PromotedCheck::new(bytes, &entry.as_entry(), sstable.shape()) {
        Ok(check) => check,
        Err(error) => {
            let of = format!(" of the partition at {}", begun.position);
            notes.error(&Component::Index, PROMOTED, &error, of);
            return Ok((Blocks::None, 0));
        }
    };
    if check.promoted().deletion != begun.deletion {
        let spot = Spot::at(&Component::Index, PROMOTED, entry.promoted_at);
        notes
            .wrong(spot, format_args!("another deletion than the partition at {}", begun.position));
    }
    let count = check.promoted().block_count.into();
    Ok((Blocks::Promoted(Box::new(check)), count))
}

fn separators<'t>(
    leaves: &Leaves<'t>,
    entry: &OwnEntry,
    sstable: &'t Sstable,
    notes: &mut Notes,
    reading: &mut Reading<'_>,
) -> Result<(Blocks<'t>, u64), RowsError> {
    let header = sstable.header();
    let (version, kinds) = (header.version, &header.clustering[..]);
    let rows = leaves.rows();
    let pages = &mut TriePages { file: rows, reading };
    let check = SeparatorCheck::new(&entry.as_entry(), version, kinds, PATH_LEN_MAX, pages);
    let of = format!(" of the partition at {}", entry.position);
    let check = TrieError::noted(check, &Component::Rows, SEPARATORS, &of, notes)?;
    Ok(match check {
        Some(check) => (Blocks::Separators(Box::new(check), rows), entry.block_count),
        None => (Blocks::None, 0),
    })
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

    /// The partition's next row or marker. After an error the partition's blocks are not compared
    /// further.
    pub(super) fn unfiltered(
        &mut self,
        place: &Place<'_>,
        position: u64,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let compared = match self {
            Blocks::None => return Ok(()),
            Blocks::Promoted(check) => check.unfiltered(place).map_err(TrieError::Decode),
            Blocks::Separators(check, file) => {
                check.unfiltered(place, &mut TriePages { file, reading })
            }
        };
        self.compared(compared, position, notes)
    }

    /// The partition, of `len` bytes, has ended.
    pub(super) fn end(
        &mut self,
        len: u64,
        position: u64,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let compared = match self {
            Blocks::None => return Ok(()),
            Blocks::Promoted(check) => check.end().map_err(TrieError::Decode),
            Blocks::Separators(check, file) => check.end(len, &mut TriePages { file, reading }),
        };
        self.compared(compared, position, notes)
    }

    fn compared(
        &mut self,
        compared: Result<(), TrieError>,
        position: u64,
        notes: &mut Notes,
    ) -> Result<(), RowsError> {
        let (component, section) = match self {
            Blocks::Separators(..) => (&Component::Rows, SEPARATORS),
            _ => (&Component::Index, PROMOTED),
        };
        let of = format!(" of the partition at {position}");
        if TrieError::noted(compared, component, section, &of, notes)?.is_none() {
            *self = Blocks::None;
        }
        Ok(())
    }
}
