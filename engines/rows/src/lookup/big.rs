//! A partition in Index.db: from the last sample that isn't after the key, entry by entry.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Summary.db"
//! Callers: lookup

use std::cmp::Ordering;

use manicule_format_sstable::{IndexEntry, Partitioner, Promoted, Summary, Token};
use manicule_store::pages::Reading;

use super::place::{Blocks, Place};
use crate::RowsError;
use crate::table::{OpenFile, Resident, Sstable, Window};

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
    summary: Option<&Resident>,
    key: &[u8],
    reading: &mut Reading<'_>,
) -> Result<Option<Place>, RowsError> {
    let wanted = Wanted { key, token: Token::of(key), partitioner: sstable.partitioner() };
    let Some(mut at) = start(summary, &wanted)? else { return Ok(None) };
    let mut window = Window::new(index);
    while at < index.len() {
        let (order, entry) = window.parse("index entry", at, reading, |window| {
            let parsed = IndexEntry::read(window, at)?;
            // Without the key, which is the window's.
            let unnamed = |entry: &IndexEntry<'_>| IndexEntry {
                at: entry.at,
                key: &[],
                position: entry.position,
                promoted_at: entry.promoted_at,
                promoted_len: entry.promoted_len,
            };
            Ok(parsed.map(|entry| (wanted.order_of(entry.key), unnamed(&entry))))
        })?;
        match order {
            Some(Ordering::Equal) => {
                let blocks = blocks(sstable, &mut window, &entry, reading)?;
                return Ok(Some(Place { position: entry.position, blocks }));
            }
            Some(Ordering::Greater) => return Ok(None),
            _ => at = entry.end(),
        }
    }
    Ok(None)
}

/// Where the entries begin that can be the key's; `None` where the key is before all.
fn start(summary: Option<&Resident>, wanted: &Wanted<'_>) -> Result<Option<u64>, RowsError> {
    let Some(file) = summary.filter(|_| wanted.partitioner != Partitioner::Other) else {
        return Ok(Some(0));
    };
    let summary = Summary::open(file.bytes()).map_err(|error| file.damaged(error))?;
    if summary.count() == 0 {
        return Ok(Some(0));
    }
    let is_after = |key: &[u8]| wanted.order_of(key) == Some(Ordering::Greater);
    let sample = summary
        .last_before(is_after)
        .and_then(|sample| sample.map(|sample| summary.sample(sample)).transpose());
    let sample = sample.map_err(|error| file.damaged(error))?;
    Ok(sample.map(|sample| sample.position))
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
