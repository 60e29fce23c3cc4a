//! The postings offset table: where the list of each label pair begins. It is also the table of all
//! names and values.
//!
//! Bytes:   | 4 len | 4 count | count × (uvarint 2, str name, str value, uvarint offset) | 4 CRC |,
//!          docs/formats/prometheus.md

use std::cmp::Ordering;
use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};
use memchr::memmem::Finder;

use super::layout::{Version, section};
use super::symbols::string;

/// The number of a label pair: its place in the order of names, then values, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PairIndex(pub u32);

/// A label pair, and where its list is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair<'a> {
    /// The label's name.
    pub name: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
    /// The offset of the list's length field.
    pub list_at: u64,
}

/// A name, and the pairs that have it.
#[derive(Clone, Debug)]
struct Name {
    /// Range of its bytes in the file, in the first of its entries.
    bytes: Range<u64>,
    pairs: Range<u32>,
}

/// Offsets of names and values: four bytes a pair and some forty a name.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// Offset of the section's bytes after the length field.
    start: u64,
    /// Of each value's length field, from `start`; the offset of the list follows the value.
    values: Vec<u32>,
    names: Vec<Name>,
    /// The pair ("", ""): all series.
    all: Option<PairIndex>,
    /// Whether the table itself is in the order of pairs; in version 1 it is not.
    is_sorted: bool,
}

impl Pairs {
    /// Checks the table's sum and walks through it. Pairs that don't rise are refused, save in
    /// version 1, whose table is in no order.
    pub(super) fn open(bytes: &[u8], at: u64, version: Version) -> Result<Self, DecodeError> {
        let what = "postings offset table";
        let mut reader = section(bytes, at, what, "checksum of the postings offset table")?;
        let start = reader.at();
        let count = reader.u32_be("entries of the postings offset table")?;
        // An entry takes four bytes at least: how many strings, two lengths, an offset.
        if count as usize > reader.rest().len() / 4 {
            let (want, got) = ((reader.rest().len() / 4) as u64, count.into());
            let what = "entries of the postings offset table";
            return Err(DecodeError::Corrupt { what, at: start, want, got });
        }
        let mut entries = Vec::new();
        let values = Vec::with_capacity(count as usize);
        let is_sorted = version != Version::V1;
        let mut pairs = Pairs { start, values, names: vec![], all: None, is_sorted };
        let mut before: Option<Entry<'_>> = None;
        for _ in 0..count {
            let entry = Entry::read(&mut reader, start)?;
            match version {
                Version::V1 => entries.push(entry),
                Version::V2 | Version::V3 => {
                    pairs.push(&entry, start, &mut before)?;
                }
            }
        }
        if !reader.rest().is_empty() {
            let what = "bytes behind the postings offset table";
            let (want, got) = (0, reader.rest().len() as u64);
            return Err(DecodeError::Corrupt { what, at: reader.at(), want, got });
        }
        entries.sort_by_key(|entry| (entry.name, entry.value));
        for entry in &entries {
            pairs.push(entry, start, &mut before)?;
        }
        if let Some(first) = pairs.names.first()
            && first.bytes.is_empty()
        {
            let index = PairIndex(first.pairs.start);
            let value = pairs.get(bytes, index).map(|pair| pair.value);
            pairs.all = value.is_some_and(<[u8]>::is_empty).then_some(index);
            pairs.names.remove(0);
        }
        Ok(pairs)
    }

    fn push<'a>(
        &mut self,
        entry: &Entry<'a>,
        start: u64,
        before: &mut Option<Entry<'a>>,
    ) -> Result<(), DecodeError> {
        let index = self.values.len() as u32;
        let order =
            before.map(|before| (before.name.cmp(entry.name), before.value.cmp(entry.value)));
        match order {
            Some((Ordering::Equal, Ordering::Less)) => {
                self.names.last_mut().expect("one before").pairs.end = index + 1;
            }
            None | Some((Ordering::Less, _)) => {
                let at = start + u64::from(entry.name_place);
                let bytes = at..at + entry.name.len() as u64;
                self.names.push(Name { bytes, pairs: index..index + 1 });
            }
            Some(_) => {
                let what = "label pairs that rise";
                let at = start + u64::from(entry.name_place);
                let (want, got) = (index.into(), index.saturating_sub(1).into());
                return Err(DecodeError::Corrupt { what, at, want, got });
            }
        }
        *before = Some(*entry);
        self.values.push(entry.value_place);
        Ok(())
    }

    /// Number of pairs, the one of all series included.
    pub(super) fn count(&self) -> u32 {
        self.values.len() as u32
    }

    pub(super) fn all(&self) -> Option<PairIndex> {
        self.all
    }

    pub(super) fn name_count(&self) -> usize {
        self.names.len()
    }

    /// A name by its place among the sorted names, with its pairs.
    pub(super) fn name<'a>(&self, bytes: &'a [u8], place: usize) -> Option<(&'a [u8], Range<u32>)> {
        let name = self.names.get(place)?;
        let (start, end) = (name.bytes.start as usize, name.bytes.end as usize);
        Some((bytes.get(start..end)?, name.pairs.clone()))
    }

    /// The pairs of a name; none if there is no such name.
    pub(super) fn of_name(&self, bytes: &[u8], name: &[u8]) -> Range<u32> {
        let key = |place: usize| self.name(bytes, place).map_or(&[][..], |name| name.0);
        let (mut low, mut high) = (0, self.names.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if key(middle) < name { low = middle + 1 } else { high = middle }
        }
        match self.names.get(low) {
            Some(found) if key(low) == name => found.pairs.clone(),
            _ => 0..0,
        }
    }

    /// The value of a pair, and where its list is.
    #[inline]
    pub(super) fn value<'a>(&self, bytes: &'a [u8], index: PairIndex) -> Option<(&'a [u8], u64)> {
        let at = self.start + u64::from(*self.values.get(index.0 as usize)?);
        let mut reader = Reader::new(bytes.get(at as usize..)?, at);
        let value = string(&mut reader, "label value").ok()?;
        let list_at = reader.uvarint("offset of a posting list").ok()?;
        Some((value, list_at))
    }

    /// Hands out the pairs of a range whose values hold a text, and now and then one whose value
    /// doesn't. The table is searched as a whole, which costs a tenth of trying value by value:
    /// 12 ns a pair became 1.
    pub(super) fn holding<E>(
        &self,
        bytes: &[u8],
        range: Range<u32>,
        text: &Finder<'_>,
        each: &mut dyn FnMut(PairIndex) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.is_sorted || text.needle().is_empty() {
            return range.map(PairIndex).try_for_each(each);
        }
        let place =
            |pair: u32| Some(self.start as usize + *self.values.get(pair as usize)? as usize);
        // Behind the last value of the table nothing holds it.
        let end = place(range.end).unwrap_or(bytes.len()).min(bytes.len());
        let mut next = range.start;
        while next < range.end {
            let Some(from) = place(next).filter(|from| *from < end) else { break };
            let Some(hit) = text.find(&bytes[from..end]) else { break };
            let hit = (from + hit - self.start as usize) as u32;
            // The pair whose value begins last before it: mostly it is near.
            let rest = &self.values[next as usize..range.end as usize];
            let pair = next + rest.partition_point(|value| *value <= hit) as u32 - 1;
            each(PairIndex(pair))?;
            next = pair + 1;
        }
        Ok(())
    }

    /// A pair with its name, by a search among the names.
    pub(super) fn get<'a>(&self, bytes: &'a [u8], index: PairIndex) -> Option<Pair<'a>> {
        let (value, list_at) = self.value(bytes, index)?;
        let place = self.names.partition_point(|name| name.pairs.end <= index.0);
        let name = self.names.get(place).filter(|name| name.pairs.contains(&index.0));
        let name = match name {
            Some(name) => bytes.get(name.bytes.start as usize..name.bytes.end as usize)?,
            None => &[],
        };
        Some(Pair { name, value, list_at })
    }
}

/// An entry as it is read.
#[derive(Clone, Copy)]
struct Entry<'a> {
    name: &'a [u8],
    value: &'a [u8],
    name_place: u32,
    value_place: u32,
}

impl<'a> Entry<'a> {
    fn read(reader: &mut Reader<'a>, start: u64) -> Result<Self, DecodeError> {
        let at = reader.at();
        let strings = reader.uvarint("strings of an entry")?;
        if strings != 2 {
            let what = "strings of an entry";
            return Err(DecodeError::Corrupt { what, at, want: 2, got: strings });
        }
        let name = string(reader, "label name")?;
        let name_place = (reader.at() - start) as u32 - name.len() as u32;
        let value_place = (reader.at() - start) as u32;
        let value = string(reader, "label value")?;
        reader.uvarint("offset of a posting list")?;
        Ok(Entry { name, value, name_place, value_place })
    }
}
