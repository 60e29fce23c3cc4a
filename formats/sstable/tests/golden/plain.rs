//! Data.db read as its description says, byte by byte and without a thought for speed: the judge of
//! the fast way.

use std::cmp::Ordering;

use manicule_format_sstable::{
    Deletion, Header, NO_LOCAL_TIME, PrefixBuf, PrefixKind, Type, Version,
};

use crate::walked::{Item, OwnedCell, Part, Partition};

/// Bytes being read; an error is the offset where it shows.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    header: &'a Header,
}

type Read<T> = Result<T, usize>;

/// All partitions.
pub(crate) fn read(data: &[u8], header: &Header) -> Read<Vec<Partition>> {
    let mut bytes = Bytes { all: data, at: 0, header };
    let mut partitions = Vec::new();
    while bytes.at < data.len() {
        partitions.push(bytes.partition()?);
    }
    Ok(partitions)
}

impl Bytes<'_> {
    fn take(&mut self, len: usize) -> Read<Vec<u8>> {
        let end = self.at.checked_add(len).filter(|end| *end <= self.all.len()).ok_or(self.at)?;
        let bytes = self.all[self.at..end].to_vec();
        self.at = end;
        Ok(bytes)
    }

    fn number(&mut self, len: usize) -> Read<u64> {
        Ok(self.take(len)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn vint(&mut self) -> Read<u64> {
        let first = self.number(1)?;
        let mut more = 0;
        while more < 8 && first & (0x80 >> more) != 0 {
            more += 1;
        }
        let high = if more == 8 { 0 } else { first & (0xff >> more) };
        let low = self.number(more)?;
        Ok(if more == 8 { low } else { high << (8 * more) | low })
    }

    fn vbytes(&mut self) -> Read<Vec<u8>> {
        let at = self.at;
        let len = self.vint()?;
        self.take(usize::try_from(len).map_err(|_| at)?)
    }

    fn time(&self, bits: u32) -> i64 {
        let none = if self.is_new() { u32::MAX } else { i32::MAX as u32 };
        match (bits == none, self.is_new()) {
            (true, _) => NO_LOCAL_TIME,
            (false, true) => bits.into(),
            (false, false) => (bits as i32).into(),
        }
    }

    fn is_new(&self) -> bool {
        matches!(self.header.version, Version::Oa | Version::Da | Version::Pa | Version::Ea)
    }

    fn timestamp(&mut self) -> Read<i64> {
        Ok(self.header.base_timestamp.wrapping_add(self.vint()? as i64))
    }

    fn local_time(&mut self) -> Read<i64> {
        let bits = self.header.base_deletion_time.wrapping_add(self.vint()? as u32);
        Ok(self.time(bits))
    }

    fn ttl(&mut self) -> Read<i32> {
        Ok(self.header.base_ttl.wrapping_add(self.vint()? as u32) as i32)
    }

    fn deltas(&mut self) -> Read<Deletion> {
        Ok(Deletion { marked_at: self.timestamp()?, local_time: self.local_time()? })
    }

    fn partition_deletion(&mut self) -> Read<Deletion> {
        if self.is_new() {
            let at = self.at;
            match self.all.get(at) {
                Some(0x80) => {
                    self.at += 1;
                    return Ok(Deletion::LIVE);
                }
                Some(0..0x80) => {}
                _ => return Err(at),
            }
            let marked_at = self.number(8)? as i64;
            let local_time = self.number(4)? as u32;
            return Ok(Deletion { marked_at, local_time: self.time(local_time) });
        }
        let local_time = self.number(4)? as u32;
        Ok(Deletion { marked_at: self.number(8)? as i64, local_time: self.time(local_time) })
    }

    fn partition(&mut self) -> Read<Partition> {
        let at = self.at;
        let key_len = self.number(2)? as usize;
        let (key, deletion) = (self.take(key_len)?, self.partition_deletion()?);
        let mut items: Vec<Item> = Vec::new();
        let (mut open, mut before, mut head_len) = (None, at, (self.at - at) as u64);
        loop {
            let place = self.at;
            let wants_static = items.is_empty() && !self.header.statics.is_empty();
            let Some(item) = self.item()? else {
                if wants_static || open.is_some() {
                    return Err(place);
                }
                break;
            };
            if (item.kind == 3) != wants_static {
                return Err(place);
            }
            if item.kind == 3 {
                head_len += item.len;
                if item.before_len != 0 {
                    return Err(place);
                }
                items.push(item);
                continue;
            }
            if item.before_len != (place - before) as u64 || item.kind != 4 && item.ends != open {
                return Err(place);
            }
            if item.kind != 4 {
                open = item.begins;
            }
            before = place;
            if let Some(last) = items.last().filter(|last| last.kind != 3)
                && self.compare(last, &item) != Ordering::Less
            {
                return Err(place);
            }
            items.push(item);
        }
        let len = (self.at - at) as u64;
        Ok(Partition { at: at as u64, len, key, deletion, head_len, items })
    }

    fn compare(&self, left: &Item, right: &Item) -> Ordering {
        let kinds = &self.header.clustering;
        let [left, right] = [left, right].map(|item| {
            let values: Vec<_> = item.clustering.iter().map(Option::as_deref).collect();
            PrefixBuf::new(PrefixKind::of_number(item.kind).expect("a kind"), kinds, &values)
        });
        manicule_format_sstable::Prefix::compare(kinds, &left.as_prefix(), &right.as_prefix())
    }

    fn clustering(&mut self, count: usize) -> Read<Vec<Option<Vec<u8>>>> {
        let mut values = Vec::new();
        let header = self.header;
        for group in header.clustering[..count].chunks(32) {
            let at = self.at;
            let bits = self.vint()?;
            if group.len() < 32 && bits >> (2 * group.len()) != 0 {
                return Err(at);
            }
            for (index, kind) in group.iter().enumerate() {
                values.push(match bits >> (2 * index) & 3 {
                    0 => Some(self.value(kind)?),
                    1 => Some(Vec::new()),
                    2 => None,
                    _ => return Err(at),
                });
            }
        }
        Ok(values)
    }

    fn value(&mut self, kind: &Type) -> Read<Vec<u8>> {
        match kind.fixed_width() {
            Some(width) => self.take(width),
            None => self.vbytes(),
        }
    }

    fn item(&mut self) -> Read<Option<Item>> {
        let at = self.at;
        let flags = self.number(1)? as u8;
        if flags & 1 != 0 {
            return if flags == 1 { Ok(None) } else { Err(at) };
        }
        if flags & 2 != 0 {
            return if flags == 2 { self.marker(at).map(Some) } else { Err(at) };
        }
        let more = if flags & 0x80 != 0 { self.number(1)? as u8 } else { 0 };
        if more > 3 {
            return Err(at);
        }
        self.row(at, flags, more & 1 != 0).map(Some)
    }

    fn marker(&mut self, at: usize) -> Read<Item> {
        let kind = self.number(1)? as u8;
        let count = self.number(2)? as usize;
        if matches!(kind, 3 | 4 | 8..) || count > self.header.clustering.len() {
            return Err(at);
        }
        let clustering = self.clustering(count)?;
        let (size, body) = (self.vint()?, self.at);
        let before_len = self.vint()?;
        let first = self.deltas()?;
        let (ends, begins) = match kind {
            2 | 5 => (Some(first), Some(self.deltas()?)),
            1 | 7 => (None, Some(first)),
            _ => (Some(first), None),
        };
        if (self.at - body) as u64 != size {
            return Err(at);
        }
        let (len, at) = ((self.at - at) as u64, at as u64);
        let (liveness, deletion, parts) = (None, Deletion::LIVE, Vec::new());
        let item =
            Item { at, len, kind, clustering, before_len, liveness, deletion, ends, begins, parts };
        Ok(item)
    }

    fn row(&mut self, at: usize, flags: u8, is_static: bool) -> Read<Item> {
        let count = if is_static { 0 } else { self.header.clustering.len() };
        let clustering = self.clustering(count)?;
        let (size, body) = (self.vint()?, self.at);
        let before_len = self.vint()?;
        let mut liveness = None;
        if flags & 4 != 0 {
            let timestamp = self.timestamp()?;
            liveness = Some((timestamp, 0, NO_LOCAL_TIME));
            if flags & 8 != 0 {
                liveness = Some((timestamp, self.ttl()?, self.local_time()?));
            }
        } else if flags & 8 != 0 {
            return Err(at);
        }
        let deletion = if flags & 0x10 != 0 { self.deltas()? } else { Deletion::LIVE };
        let mut parts = Vec::new();
        for column in self.columns(flags, is_static)? {
            self.column(column, is_static, flags & 0x40 != 0, liveness, &mut parts)?;
        }
        if (self.at - body) as u64 != size {
            return Err(at);
        }
        let (len, at, kind) = ((self.at - at) as u64, at as u64, if is_static { 3 } else { 4 });
        let (ends, begins) = (None, None);
        let item =
            Item { at, len, kind, clustering, before_len, liveness, deletion, ends, begins, parts };
        Ok(item)
    }

    fn columns(&mut self, flags: u8, is_static: bool) -> Read<Vec<usize>> {
        let count = self.header.columns(is_static).len();
        if flags & 0x20 != 0 {
            return Ok((0..count).collect());
        }
        let at = self.at;
        let number = self.vint()?;
        if count < 64 {
            let is_within = number >> count == 0;
            let present = (0..count).filter(|column| number >> column & 1 == 0).collect();
            return if is_within { Ok(present) } else { Err(at) };
        }
        let missing = usize::try_from(number).ok().filter(|it| *it <= count).ok_or(at)?;
        let present = count - missing;
        let lists_present = missing != 0 && present < count / 2;
        let mut listed: Vec<usize> = Vec::new();
        for _ in 0..if lists_present { present } else { missing } {
            let column = self.vint()?;
            let is_next = listed.last().is_none_or(|last| *last < column as usize);
            if !is_next || column >= count as u64 {
                return Err(at);
            }
            listed.push(column as usize);
        }
        Ok((0..count).filter(|column| listed.contains(column) == lists_present).collect())
    }

    fn column(
        &mut self,
        column: usize,
        is_static: bool,
        has_deletions: bool,
        row: Option<(i64, i32, i64)>,
        parts: &mut Vec<Part>,
    ) -> Read<()> {
        let header = self.header;
        let kind = &header.columns(is_static)[column].kind;
        if !kind.is_complex() {
            parts.push(Part::Cell(self.cell(column, Some(kind), row)?));
            return Ok(());
        }
        let deletion = if has_deletions { self.deltas()? } else { Deletion::LIVE };
        let at = self.at;
        let count = self.vint()?;
        if count > (self.all.len() - self.at) as u64 {
            return Err(at);
        }
        parts.push(Part::Complex(column, deletion, count));
        for _ in 0..count {
            parts.push(Part::Cell(self.cell(column, None, row)?));
        }
        Ok(())
    }

    /// `kind` is that of a simple column.
    fn cell(
        &mut self,
        column: usize,
        kind: Option<&Type>,
        row: Option<(i64, i32, i64)>,
    ) -> Read<OwnedCell> {
        let at = self.at;
        let flags = self.number(1)? as u8;
        let is_of_row = flags & 0x10 != 0;
        let row_expires = row.is_some_and(|(_, ttl, _)| ttl != 0);
        let is_right = flags < 0x20
            && flags & 3 != 3
            && (flags & 8 == 0 || row.is_some())
            && (!is_of_row || flags & 2 != 0 && row_expires);
        if !is_right {
            return Err(at);
        }
        let row = row.unwrap_or((0, 0, NO_LOCAL_TIME));
        let timestamp = if flags & 8 != 0 { row.0 } else { self.timestamp()? };
        let local_time = match (is_of_row, flags & 3) {
            (true, _) => row.2,
            (false, 0) => NO_LOCAL_TIME,
            (false, _) => self.local_time()?,
        };
        let ttl = match (is_of_row, flags & 2) {
            (true, _) => row.1,
            (false, 0) => 0,
            (false, _) => self.ttl()?,
        };
        let path = if kind.is_none() { Some(self.vbytes()?) } else { None };
        let value = match (flags & 4, kind) {
            (0, Some(kind)) => self.value(kind)?,
            (0, None) => self.vbytes()?,
            _ => Vec::new(),
        };
        let is_deleted = flags & 1 != 0;
        let at = at as u64;
        Ok(OwnedCell { at, column, path, timestamp, ttl, local_time, is_deleted, value })
    }
}
