//! One partition of a salvage: its rows as far as they can be read, and the way past those that can't be.
//!
//! Callers: salvage

use std::cmp::Ordering;
use std::ops::Range;

use manicule_core::blocks::ReadCost;
use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Deletion, DumpPlace, Frame, FrameKind, Prefix, PrefixBuf, Unfiltered,
};
use manicule_store::pages::Reading;

use super::Salvage;
use super::heads::FoundHead;
use super::loss::{Loss, LossKind};
use crate::RowsError;
use crate::cursor::{Cursor, Toward, Wanted};
use crate::lookup;
use crate::slice::{Seek, read_frame};

/// What lies at a place of a partition.
enum Met {
    /// A row or marker that was printed, and its length.
    Printed(u64),
    /// One that can't be read, its length, and why.
    Bad(u64, String),
    /// Nothing whose length could be believed.
    Unknown(String),
    /// The partition's end, and what follows it.
    End(u64),
}

/// The way through a partition.
struct Way {
    key: Vec<u8>,
    position: u64,
    at: u64,
    /// The row before, if it was read.
    before: Option<PrefixBuf>,
    /// Where the row lies that could not be read just before, and why.
    bad: Option<(u64, String)>,
}

impl Salvage<'_, '_> {
    /// Prints what can be read of the partition at a place; returns where the next one begins.
    pub(super) fn partition<E: From<RowsError>>(
        &mut self,
        position: u64,
        reading: &mut Reading<'_>,
        take: &mut dyn FnMut(&str) -> Result<(), E>,
    ) -> Result<u64, E> {
        let entry = self.starts.at(position, reading);
        let head = self.head(position, entry.as_ref(), reading);
        let FoundHead { key, deletion, len } = match head {
            Ok(head) => head,
            Err(error) => {
                let key = entry.filter(|entry| entry.has_key).map(|entry| entry.key);
                return self.without_head(position, key, error, reading, take);
            }
        };
        let at = position + len;
        let mut way = Way { key, position, at, before: None, bad: None };
        let statics = self.statics(&mut way, reading);
        let place = DumpPlace { at: position, rows_at: way.at, deletion };
        self.dump.begin_partition(&way.key, &place, &mut self.out);
        if let Ok(Some(range)) = &statics
            && let Err(why) = self.print_statics(range.clone(), reading)
        {
            self.lose_rows(&way, range.clone(), LossKind::Row, why);
        }
        let end = match statics {
            Ok(_) => self.rows(&mut way, reading, take)?,
            Err(why) => match self.resync(&mut way, at, why, reading) {
                Some(end) => end,
                None => self.rows(&mut way, reading, take)?,
            },
        };
        self.dump.end_partition(&mut self.out);
        self.last_key = Some(way.key);
        Ok(end)
    }

    /// Prints what can be read of a partition whose head can't be: rows from its next block on, if the index has its key.
    fn without_head<E: From<RowsError>>(
        &mut self,
        position: u64,
        key: Option<Vec<u8>>,
        error: RowsError,
        reading: &mut Reading<'_>,
        take: &mut dyn FnMut(&str) -> Result<(), E>,
    ) -> Result<u64, E> {
        let end = self.starts.confirmed_after(position, reading);
        let (kind, why) = (LossKind::Partition, error.to_string());
        let Some(key) = key else {
            (self.lose)(Loss { kind, key, range: position..end, why });
            return Ok(end);
        };
        let mut way = Way { key, position, at: position, before: None, bad: None };
        let block = next_block(self, &way, position, reading).ok().flatten();
        let Some(block) = block.filter(|block| *block < end) else {
            (self.lose)(Loss { kind, key: Some(way.key), range: position..end, why });
            return Ok(end);
        };
        self.lose_rows(&way, position..block, LossKind::Rows, why);
        way.at = block;
        let place = DumpPlace { at: position, rows_at: block, deletion: Deletion::LIVE };
        self.dump.begin_partition(&way.key, &place, &mut self.out);
        let end = self.rows(&mut way, reading, take)?;
        self.dump.end_partition(&mut self.out);
        self.last_key = Some(way.key);
        Ok(end)
    }

    /// Goes past the static row, if the table has them.
    fn statics(
        &mut self,
        way: &mut Way,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Range<u64>>, String> {
        if !self.sstable.shape().has_statics() {
            return Ok(None);
        }
        let frame = read_frame(&mut self.window, way.at, self.sstable, reading);
        let frame = frame.map_err(|error| error.to_string())?;
        if frame.kind != FrameKind::Static {
            return Err(format!("static row at offset {}: there is none", way.at));
        }
        let range = way.at..way.at + frame.len as u64;
        way.at = range.end;
        Ok(Some(range))
    }

    fn print_statics(
        &mut self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<(), String> {
        let read = read_frame(&mut self.window, range.start, self.sstable, reading);
        let frame = read.map_err(|error| error.to_string())?;
        self.print(&frame, None, None, reading).map(|_| ())
    }

    /// Prints rows up to the partition's end; returns where the next partition begins.
    fn rows<E: From<RowsError>>(
        &mut self,
        way: &mut Way,
        reading: &mut Reading<'_>,
        take: &mut dyn FnMut(&str) -> Result<(), E>,
    ) -> Result<u64, E> {
        loop {
            let at = way.at;
            let met = self.meet(way, reading);
            match met {
                Met::Printed(len) => {
                    self.lose_bad(way);
                    way.at += len;
                    self.hand_out(take)?;
                }
                Met::Bad(len, why) if way.bad.is_none() => {
                    way.bad = Some((at, why));
                    way.at += len;
                }
                Met::End(end) => match self.next_start(way, end, reading) {
                    Some(next) => {
                        self.lose_bad(way);
                        return Ok(next);
                    }
                    None => {
                        let why =
                            format!("end of the partition at offset {at}, before its last row");
                        let (from, why) = way.bad.take().unwrap_or((at, why));
                        if let Some(end) = self.resync(way, from, why, reading) {
                            return Ok(end);
                        }
                    }
                },
                Met::Bad(_, why) | Met::Unknown(why) => {
                    let (from, why) = way.bad.take().unwrap_or((at, why));
                    if let Some(end) = self.resync(way, from, why, reading) {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Reads what lies at a place, and prints it.
    fn meet(&mut self, way: &mut Way, reading: &mut Reading<'_>) -> Met {
        let frame = match read_frame(&mut self.window, way.at, self.sstable, reading) {
            Ok(frame) => frame,
            Err(error) => return Met::Unknown(error.to_string()),
        };
        let (end, len) = (frame.at + frame.len as u64, frame.len as u64);
        let is_within = end <= self.starts.after(way.position, reading)
            || end <= self.starts.confirmed_after(way.position, reading);
        if !is_within {
            return Met::Unknown(format!(
                "row at offset {} reaches into the next partition",
                way.at
            ));
        }
        match frame.kind {
            FrameKind::End => return Met::End(end),
            FrameKind::Static => {
                return Met::Unknown(format!("static row at offset {}, among others", way.at));
            }
            FrameKind::Row | FrameKind::Marker(_) => {}
        }
        let distance = way.bad.as_ref().map(|(bad_at, _)| way.at - bad_at);
        match self.print(&frame, distance, way.before.as_ref(), reading) {
            Ok(before) => {
                way.before = before;
                Met::Printed(len)
            }
            Err(why) => Met::Bad(len, why),
        }
    }

    /// Prints an unfiltered, if it comes after `before`, and points back by `distance`; returns its place.
    fn print(
        &mut self,
        frame: &Frame,
        distance: Option<u64>,
        before: Option<&PrefixBuf>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<PrefixBuf>, String> {
        let sstable = self.sstable;
        let damaged = |error: DecodeError| sstable.data().damaged(error).to_string();
        let bytes = self.window.at(frame.at, frame.len, reading);
        let bytes = bytes.map_err(|error| error.to_string())?;
        let opened = frame.open(bytes, sstable.shape()).map_err(damaged)?;
        let (prefix, before_len) = match &opened {
            Unfiltered::Row(row) => (row.prefix(), row.before_len),
            Unfiltered::Marker(marker) => (marker.prefix, marker.before_len),
            Unfiltered::End => return Ok(None),
        };
        if distance.is_some_and(|distance| distance != before_len) {
            return Err(format!("row at offset {} doesn't point back to the one before", frame.at));
        }
        let types = &sstable.header().clustering;
        let is_after = |before: &PrefixBuf| {
            Prefix::compare(types, &before.as_prefix(), &prefix) == Ordering::Less
        };
        if frame.kind != FrameKind::Static && !before.is_none_or(is_after) {
            return Err(format!("row at offset {} is not after the one before", frame.at));
        }
        self.dump.unfiltered(&opened, &mut self.out).map_err(damaged)?;
        Ok(Some(PrefixBuf::of(&prefix)))
    }

    /// Where the next partition begins, if this one can have ended here.
    fn next_start(&mut self, way: &Way, end: u64, reading: &mut Reading<'_>) -> Option<u64> {
        if end == self.starts.after(way.position, reading)
            || end == self.starts.confirmed_after(way.position, reading)
        {
            return Some(end);
        }
        // The next one must come after this one.
        let last = self.last_key.replace(way.key.clone());
        let is_head = self.is_head(end, reading);
        self.last_key = last;
        is_head.then_some(end)
    }

    /// Goes on at the next block of the partition, or returns where the next partition begins.
    fn resync(
        &mut self,
        way: &mut Way,
        from: u64,
        why: String,
        reading: &mut Reading<'_>,
    ) -> Option<u64> {
        let end = self.starts.confirmed_after(way.position, reading);
        let at = way.at.max(from);
        let block = next_block(self, way, at, reading).ok().flatten();
        let block = block.filter(|block| *block < end);
        self.lose_rows(way, from..block.unwrap_or(end), LossKind::Rows, why);
        (way.before, way.bad) = (None, None);
        match block {
            Some(block) => {
                way.at = block;
                None
            }
            None => Some(end),
        }
    }

    /// Reports the row that could not be read just before.
    fn lose_bad(&mut self, way: &mut Way) {
        if let Some((bad_at, why)) = way.bad.take() {
            self.lose_rows(way, bad_at..way.at, LossKind::Row, why);
        }
    }

    fn lose_rows(&mut self, way: &Way, range: Range<u64>, kind: LossKind, why: String) {
        (self.lose)(Loss { kind, key: Some(way.key.clone()), range, why });
    }
}

/// The first block of a partition that begins after a place. Cost: a look at every block after it.
fn next_block(
    salvage: &Salvage<'_, '_>,
    way: &Way,
    at: u64,
    reading: &mut Reading<'_>,
) -> Result<Option<u64>, RowsError> {
    let place = lookup::find(salvage.sstable, &way.key, reading)?;
    let Some(place) = place.filter(|place| place.position == way.position) else {
        return Ok(None);
    };
    let cost = ReadCost { whole_bytes_max: 0, ways: 2 };
    let cursor = Cursor::new(salvage.sstable, place, Seek::Index(cost));
    let wanted = Wanted { place: &Prefix::LAST, until: &Prefix::FIRST, toward: Toward::Start };
    let mut found = None;
    let mut block = cursor.find(&wanted, reading)?;
    while let Some(place) = block.filter(|block| way.position + block.offset > at) {
        found = Some(way.position + place.offset);
        block = cursor.before(&place, reading)?;
    }
    Ok(found)
}
