//! One partition of a salvage: its rows as far as they can be read, and the way past those that
//! can't be.

use std::cmp::Ordering;
use std::ops::Range;

use manicule_core::blocks::ReadCost;
use manicule_format_sstable::{
    Deletion, Frame, FrameKind, NO_LOCAL_TIME, Prefix, PrefixBuf, Unfiltered,
};
use manicule_store::pages::Reading;

use super::heads::FoundHead;
use super::loss::{Loss, LossKind};
use super::{FoundPartition, Keep, Salvage};
use crate::RowsError;
use crate::cursor::{Cursor, Toward, Wanted};
use crate::lookup;
use crate::slice::{Seek, read_frame};
use crate::table::{DataFile, Sstable, Window};

/// What lies at a place of a partition.
enum Met {
    /// A row or marker that was kept, and its length.
    Kept(u64),
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
    /// Why nothing of the partition is kept.
    refused: Option<String>,
}

/// A place where something was read, or why it could not be.
type Place = Result<Option<PrefixBuf>, String>;

impl<K: Keep> Salvage<'_, '_, K> {
    /// Keeps what can be read of the partition at a place; returns where the next one begins.
    pub(super) fn partition(
        &mut self,
        position: u64,
        reading: &mut Reading<'_>,
    ) -> Result<u64, K::Error> {
        let entry = self.starts.at(position, reading);
        let head = self.head(position, entry.as_ref(), reading);
        let FoundHead { key, deletion, len } = match head {
            Ok(head) => head,
            Err(error) => {
                let key = entry.filter(|entry| entry.has_key).map(|entry| entry.key);
                return self.without_head(position, key, error, reading);
            }
        };
        let deletion = self.whole(deletion, position..position + len, &key);
        let is_indexed = entry.is_some_and(|entry| entry.has_key && entry.key == key);
        let at = position + len;
        let mut way = Way { key, position, at, before: None, bad: None, refused: None };
        let statics = self.statics(&mut way, reading);
        self.begin(&mut way, is_indexed, deletion, reading)?;
        if let Ok(Some(range)) = &statics
            && let Err(why) = self.keep_statics(&way, range.start, reading)?
        {
            self.lose_rows(&way, range.clone(), LossKind::Row, why);
        }
        let end = match statics {
            Ok(_) => self.rows(&mut way, reading)?,
            Err(why) => match self.resync(&mut way, at, why, reading) {
                Some(end) => end,
                None => self.rows(&mut way, reading)?,
            },
        };
        self.end(way, end)
    }

    /// The deletion of a partition, unless it has half of what one has where there is none.
    fn whole(&mut self, deletion: Deletion, range: Range<u64>, key: &[u8]) -> Deletion {
        if deletion.is_live() || deletion.local_time != NO_LOCAL_TIME {
            return deletion;
        }
        let why = "deletion of the partition without a local time: taken for none".to_owned();
        let (kind, key) = (LossKind::Doubtful, Some(key.to_vec()));
        (self.lose)(Loss { kind, key, range, why });
        Deletion::LIVE
    }

    /// Begins a partition whose rows the way is at.
    fn begin(
        &mut self,
        way: &mut Way,
        is_indexed: bool,
        deletion: Deletion,
        reading: &mut Reading<'_>,
    ) -> Result<(), K::Error> {
        let Way { key, position: at, at: rows_at, .. } = &*way;
        let found = FoundPartition { key, is_indexed, at: *at, rows_at: *rows_at, deletion };
        way.refused = self.keep.begin(&found, reading)?;
        Ok(())
    }

    /// Ends a partition; returns where it does.
    fn end(&mut self, way: Way, end: u64) -> Result<u64, K::Error> {
        let Way { key, position, refused, .. } = way;
        if let Some(why) = refused {
            let (kind, key) = (LossKind::Partition, Some(key));
            (self.lose)(Loss { kind, key, range: position..end, why });
            return Ok(end);
        }
        self.keep.end()?;
        self.last_key = Some(key);
        Ok(end)
    }

    /// Keeps what can be read of a partition whose head can't be: rows from its next block on, if
    /// the index has its key.
    fn without_head(
        &mut self,
        position: u64,
        key: Option<Vec<u8>>,
        error: RowsError,
        reading: &mut Reading<'_>,
    ) -> Result<u64, K::Error> {
        let end = self.starts.confirmed_after(position, reading);
        let (kind, why) = (LossKind::Partition, error.to_string());
        let Some(key) = key else {
            (self.lose)(Loss { kind, key, range: position..end, why });
            return Ok(end);
        };
        let mut way = Way { key, position, at: position, before: None, bad: None, refused: None };
        let block = next_block(self, &way, position, reading).ok().flatten();
        let Some(block) = block.filter(|block| *block < end) else {
            (self.lose)(Loss { kind, key: Some(way.key), range: position..end, why });
            return Ok(end);
        };
        self.lose_rows(&way, position..block, LossKind::Rows, why);
        way.at = block;
        self.begin(&mut way, true, Deletion::LIVE, reading)?;
        let end = self.rows(&mut way, reading)?;
        self.end(way, end)
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

    /// Keeps the static row at a place.
    fn keep_statics(
        &mut self,
        way: &Way,
        at: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Place, K::Error> {
        match read_frame(&mut self.window, at, self.sstable, reading) {
            Ok(frame) => self.keep(&frame, None, way, reading),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// Keeps rows up to the partition's end; returns where the next partition begins.
    fn rows(&mut self, way: &mut Way, reading: &mut Reading<'_>) -> Result<u64, K::Error> {
        loop {
            let at = way.at;
            let met = self.meet(way, reading)?;
            match met {
                Met::Kept(len) => {
                    self.lose_bad(way);
                    way.at += len;
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

    /// Reads what lies at a place, and keeps it.
    fn meet(&mut self, way: &mut Way, reading: &mut Reading<'_>) -> Result<Met, K::Error> {
        let frame = match read_frame(&mut self.window, way.at, self.sstable, reading) {
            Ok(frame) => frame,
            Err(error) => return Ok(Met::Unknown(error.to_string())),
        };
        let (end, len) = (frame.at + frame.len as u64, frame.len as u64);
        let is_within = end <= self.starts.after(way.position, reading)
            || end <= self.starts.confirmed_after(way.position, reading);
        if !is_within {
            let why = format!("row at offset {} reaches into the next partition", way.at);
            return Ok(Met::Unknown(why));
        }
        match frame.kind {
            FrameKind::End => return Ok(Met::End(end)),
            FrameKind::Static => {
                let why = format!("static row at offset {}, among others", way.at);
                return Ok(Met::Unknown(why));
            }
            FrameKind::Row | FrameKind::Marker(_) => {}
        }
        let distance = way.bad.as_ref().map(|(bad_at, _)| way.at - bad_at);
        Ok(match self.keep(&frame, distance, way, reading)? {
            Ok(before) => {
                way.before = before;
                Met::Kept(len)
            }
            Err(why) => {
                if frame.kind != FrameKind::Row {
                    self.keep.lost_marker();
                }
                Met::Bad(len, why)
            }
        })
    }

    /// Keeps an unfiltered, if it comes after the one before on the way, and points back by
    /// `distance`; returns its place.
    fn keep(
        &mut self,
        frame: &Frame,
        distance: Option<u64>,
        way: &Way,
        reading: &mut Reading<'_>,
    ) -> Result<Place, K::Error> {
        let Salvage { sstable, window, keep, .. } = self;
        let opened = match open(frame, distance, way, sstable, window, reading) {
            Ok(opened) => opened,
            Err(why) => return Ok(Err(why)),
        };
        if way.refused.is_none()
            && let Some(why) = keep.keep(&opened)?
        {
            return Ok(Err(why));
        }
        Ok(Ok(place_of(&opened).map(|(prefix, _)| PrefixBuf::of(&prefix))))
    }

    /// Where the next partition begins, if this one can have ended here.
    fn next_start(&mut self, way: &Way, end: u64, reading: &mut Reading<'_>) -> Option<u64> {
        if end == self.starts.after(way.position, reading)
            || end == self.starts.confirmed_after(way.position, reading)
        {
            return Some(end);
        }
        // The next one must come after this one.
        let last = self.last_key.clone();
        if way.refused.is_none() {
            self.last_key = Some(way.key.clone());
        }
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
        self.keep.lost_marker();
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
        // What is refused is lost as a whole.
        if way.refused.is_none() {
            (self.lose)(Loss { kind, key: Some(way.key.clone()), range, why });
        }
    }
}

/// Place of an unfiltered, and its distance from the one before; `None` of a partition's end.
fn place_of<'a>(unfiltered: &Unfiltered<'a>) -> Option<(Prefix<'a>, u64)> {
    match unfiltered {
        Unfiltered::Row(row) => Some((row.prefix(), row.before_len)),
        Unfiltered::Marker(marker) => Some((marker.prefix, marker.before_len)),
        Unfiltered::End => None,
    }
}

/// Reads an unfiltered that comes after the one before on the way, and points back by `distance`.
fn open<'w>(
    frame: &Frame,
    distance: Option<u64>,
    way: &Way,
    sstable: &Sstable,
    window: &'w mut Window<'_, DataFile>,
    reading: &mut Reading<'_>,
) -> Result<Unfiltered<'w>, String> {
    let bytes = window.at(frame.at, frame.len, reading).map_err(|error| error.to_string())?;
    let opened = frame.open(bytes, sstable.shape());
    let opened = opened.map_err(|error| sstable.data().damaged(error).to_string())?;
    let Some((prefix, before_len)) = place_of(&opened) else { return Ok(opened) };
    if distance.is_some_and(|distance| distance != before_len) {
        return Err(format!("row at offset {} doesn't point back to the one before", frame.at));
    }
    let types = &sstable.header().clustering;
    let is_after =
        |before: &PrefixBuf| Prefix::compare(types, &before.as_prefix(), &prefix) == Ordering::Less;
    if frame.kind != FrameKind::Static && !way.before.as_ref().is_none_or(is_after) {
        return Err(format!("row at offset {} is not after the one before", frame.at));
    }
    Ok(opened)
}

/// The first block of a partition that begins after a place. Cost: a look at every block after it.
fn next_block<K>(
    salvage: &Salvage<'_, '_, K>,
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
