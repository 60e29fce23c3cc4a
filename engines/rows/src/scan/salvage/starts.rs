//! Where partitions begin, as an index says that may be damaged itself.

use std::collections::VecDeque;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{KeyHash, PartitionHead, SstableError};
use manicule_store::pages::Reading;

use super::loss::{Loss, LossKind};
use crate::RowsError;
use crate::scan::index::{IndexEntries, Indexed};
use crate::table::{DataFile, Sstable, Window};

/// Starts in the order of the file, read as they are needed.
#[derive(Debug)]
pub(super) struct Starts<'t> {
    sstable: &'t Sstable,
    /// `None` after the last entry, and where the index can't be read.
    entries: Option<IndexEntries<'t>>,
    /// Starts that were read and not passed, strictly increasing.
    waiting: VecDeque<Indexed>,
    last_position: Option<u64>,
    window: Window<'t, DataFile>,
    /// Entries that can't be right.
    pub(super) losses: Vec<Loss>,
}

impl<'t> Starts<'t> {
    pub(super) fn new(sstable: &'t Sstable, reading: &mut Reading<'_>) -> Self {
        let mut losses = Vec::new();
        let entries = match IndexEntries::new(sstable, reading) {
            Ok(entries) => Some(entries),
            Err(error) => {
                losses.push(of_index(error.to_string(), None));
                None
            }
        };
        let window = Window::passing(sstable.data(), 0);
        let (waiting, last_position) = (VecDeque::new(), None);
        Starts { sstable, entries, waiting, last_position, window, losses }
    }

    /// The entry of the partition that begins at a place; starts before it are passed.
    pub(super) fn at(&mut self, at: u64, reading: &mut Reading<'_>) -> Option<Indexed> {
        while let Some(next) = self.first(reading) {
            if next.position > at {
                return None;
            }
            let passed = self.waiting.pop_front()?;
            if passed.position == at {
                return Some(passed);
            }
        }
        None
    }

    /// The first start after a place; the end of the data after the last.
    pub(super) fn after(&mut self, at: u64, reading: &mut Reading<'_>) -> u64 {
        while let Some(next) = self.first(reading) {
            if next.position > at {
                return next.position;
            }
            self.waiting.pop_front();
        }
        self.sstable.data_len()
    }

    /// The first start after a place at which the data have the partition, or can't be read; others
    /// are dropped.
    pub(super) fn confirmed_after(&mut self, at: u64, reading: &mut Reading<'_>) -> u64 {
        loop {
            let position = self.after(at, reading);
            let Some(next) = self.waiting.pop_front() else { return position };
            if self.is_confirmed(&next, reading) {
                self.waiting.push_front(next);
                return position;
            }
            let why =
                format!("entry of the index for offset {position}, where its partition is not");
            self.losses.push(of_index(why, next.has_key.then_some(next.key)));
            self.last_position = Some(at);
        }
    }

    /// The next start that was not passed.
    fn first(&mut self, reading: &mut Reading<'_>) -> Option<&Indexed> {
        if self.waiting.is_empty() {
            self.read(reading);
        }
        self.waiting.front()
    }

    /// Reads entries up to the next that may be right.
    fn read(&mut self, reading: &mut Reading<'_>) {
        while let Some(entries) = &mut self.entries {
            let mut entry = Indexed::default();
            match entries.next(&mut entry, reading) {
                Ok(true) => {}
                Ok(false) => self.entries = None,
                Err(error) => {
                    self.losses.push(of_index(error.to_string(), None));
                    let goes_on = entries.pass_damage(reading);
                    if !goes_on {
                        self.entries = None;
                    }
                    continue;
                }
            }
            if self.entries.is_none() {
                return;
            }
            let (position, data_len) = (entry.position, self.sstable.data_len());
            let is_rising = self.last_position.is_none_or(|last| position > last);
            if is_rising && position < data_len {
                self.last_position = Some(position);
                self.waiting.push_back(entry);
                return;
            }
            let why = if is_rising {
                format!("entry of the index for offset {position}: the data end at {data_len}")
            } else {
                format!("entry of the index for offset {position}, before that of the last")
            };
            self.losses.push(of_index(why, entry.has_key.then_some(entry.key)));
        }
    }

    /// Whether the data have the partition of an entry at its place. Bytes that can't be read don't
    /// contradict it.
    fn is_confirmed(&mut self, entry: &Indexed, reading: &mut Reading<'_>) -> bool {
        if self.window.at(entry.position, 1, reading).is_err() {
            return true;
        }
        let shape = self.sstable.shape();
        let is_it = self.window.parse("partition", entry.position, reading, |window| {
            let head = PartitionHead::read(window, entry.position, shape)?;
            Ok(head.map(|head| {
                if entry.has_key {
                    head.key == entry.key
                } else {
                    entry.hash.is_none_or(|hash| hash == KeyHash::of(head.key).low as u8)
                }
            }))
        });
        is_it.unwrap_or_else(|error: RowsError| !is_of_format(&error))
    }
}

/// Whether bytes were read and contradict the format, other than by their checksum.
fn is_of_format(error: &RowsError) -> bool {
    match error {
        RowsError::Damaged { source: SstableError::Decode(source), .. } => {
            !matches!(source, DecodeError::Checksum { .. })
        }
        RowsError::Damaged { .. } => true,
        _ => false,
    }
}

fn of_index(why: String, key: Option<Vec<u8>>) -> Loss {
    Loss { kind: LossKind::Index, key, range: 0..0, why }
}
