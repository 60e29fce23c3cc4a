//! A partition in Index.db: from the last sample that isn't after the key, entry by entry.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Summary.db"

use std::cmp::Ordering;

use manicule_format_sstable::{IndexEntry, Partitioner, Promoted, Token};
use manicule_store::pages::Reading;

use super::extent::{check_end, check_key, check_start};
use super::place::{Blocks, Place};
use crate::RowsError;
use crate::table::{OpenFile, Sstable, SummaryFile, Window};

/// A key with its token, computed once.
struct Wanted<'k> {
    key: &'k [u8],
    token: Token,
    partitioner: Partitioner,
}

impl Wanted<'_> {
    /// Order of another key against it; `None` where only the file knows it.
    fn order_of(&self, other: &[u8]) -> Option<Ordering> {
        match self.partitioner {
            Partitioner::Murmur3 => {
                Some(Token::of(other).cmp(&self.token).then_with(|| other.cmp(self.key)))
            }
            partitioner => partitioner.compare(other, self.key),
        }
    }
}

pub(super) fn find(
    sstable: &Sstable,
    index: &OpenFile,
    summary: Option<&SummaryFile>,
    key: &[u8],
    reading: &mut Reading<'_>,
) -> Result<Option<Place>, RowsError> {
    let wanted = Wanted { key, token: Token::of(key), partitioner: sstable.partitioner() };
    let start = start(summary, &wanted, reading)?;
    let mut window = Window::new(index);
    let (mut at, mut before) = (start.at, None);
    let mut next_key = Vec::new();
    while at < index.len() {
        let entry = window.parse("index entry", at, reading, |window| {
            Ok(IndexEntry::read(window, at)?.map(|entry| {
                next_key.clear();
                next_key.extend_from_slice(entry.key);
                // Without the key, which is the window's.
                let (at, key) = (entry.at, &[][..]);
                let IndexEntry { position, promoted_at, promoted_len, .. } = entry;
                IndexEntry { at, key, position, promoted_at, promoted_len }
            }))
        })?;
        if at == start.at && start.key.as_ref().is_some_and(|key| *key != next_key) {
            return Err(start.is_of_another(summary));
        }
        match wanted.order_of(&next_key) {
            Some(Ordering::Equal) => {
                let blocks = blocks(sstable, &mut window, &entry, reading)?;
                return Ok(Some(Place { position: entry.position, blocks }));
            }
            Some(Ordering::Greater) => {
                let after = Some(Near { entry, key: next_key });
                check_absent(sstable, &mut window, [before, after], reading)?;
                return Ok(None);
            }
            _ => {
                at = entry.end();
                let key = std::mem::take(&mut next_key);
                before = Some(Near { entry, key });
            }
        }
    }
    if before.is_none() && start.key.is_some() {
        return Err(start.is_of_another(summary));
    }
    check_absent(sstable, &mut window, [before, None], reading)?;
    Ok(None)
}

/// An entry beside the place where a key would be, and its key.
struct Near {
    entry: IndexEntry<'static>,
    key: Vec<u8>,
}

/// No entry has the key: the partition of the one before has to end where that of the one after
/// begins, and both have to have their keys there.
fn check_absent(
    sstable: &Sstable,
    window: &mut Window<'_, OpenFile>,
    [before, after]: [Option<Near>; 2],
    reading: &mut Reading<'_>,
) -> Result<(), RowsError> {
    for Near { entry, key } in before.iter().chain(&after) {
        check_key(sstable, entry.position, key, reading)?;
    }
    let after = after.map(|near| near.entry.position);
    let Some(Near { entry, .. }) = before else { return check_start(sstable, after) };
    let blocks = blocks(sstable, window, &entry, reading)?;
    let place = Place { position: entry.position, blocks };
    check_end(sstable, &place, after.unwrap_or(sstable.data_len()), reading)
}

/// Where the entries begin that can be the key's, and the key that has to be there.
struct Start {
    at: u64,
    key: Option<Vec<u8>>,
}

impl Start {
    /// The first entry.
    const FIRST: Start = Start { at: 0, key: None };

    fn is_of_another(&self, summary: Option<&SummaryFile>) -> RowsError {
        let what = format!(
            "a sample leads to offset {} of Index.db, where its key is not: one of the two is cut or \
             damaged; rows rebuild makes both again",
            self.at
        );
        let file = summary.map_or_else(Default::default, |file| file.path().to_owned());
        RowsError::Contradicted { file, what }
    }
}

/// The last sample that isn't after the key. Where all are, the first entry says that it is, too.
fn start(
    summary: Option<&SummaryFile>,
    wanted: &Wanted<'_>,
    reading: &mut Reading<'_>,
) -> Result<Start, RowsError> {
    let Some(summary) = summary.filter(|_| wanted.partitioner != Partitioner::Other) else {
        return Ok(Start::FIRST);
    };
    let is_after = |key: &[u8]| wanted.order_of(key) == Some(Ordering::Greater);
    let sample = summary.last_before(is_after, reading)?;
    Ok(sample.map_or(Start::FIRST, |it| Start { at: it.position, key: Some(it.key) }))
}

fn blocks(
    sstable: &Sstable,
    window: &mut Window<'_, OpenFile>,
    entry: &IndexEntry<'_>,
    reading: &mut Reading<'_>,
) -> Result<Blocks, RowsError> {
    if entry.promoted_len == 0 {
        return Ok(Blocks::One);
    }
    let promoted = window.parse("promoted index", entry.promoted_at, reading, |window| {
        Promoted::read(window, entry, sstable.shape())
    })?;
    Ok(match promoted.block_count {
        1 => Blocks::One,
        _ => Blocks::Promoted { promoted, index_bytes: entry.promoted_len },
    })
}
