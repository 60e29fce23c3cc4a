//! What holds for the partition keys of a table in their order.

use std::cmp::Ordering;
use std::fmt;

use manicule_format_sstable::{Component, Filter, Header, KeyHash, Partitioner};

use super::notes::{Notes, Spot};
use crate::table::Sstable;

/// Keys as they come: each after the one before, and none denied by the filter.
#[derive(Debug)]
pub(super) struct Keys<'t> {
    partitioner: Partitioner,
    header: &'t Header,
    filter: Option<Filter<'t>>,
    pub(super) count: u64,
    pub(super) first: Vec<u8>,
    pub(super) last: Vec<u8>,
}

impl<'t> Keys<'t> {
    /// Before the first key; `filter` are the bytes of Filter.db, if it is there.
    pub(super) fn new(sstable: &'t Sstable, filter: Option<&'t [u8]>, notes: &mut Notes) -> Self {
        let filter = filter.map(|bytes| Filter::open(bytes, sstable.version())).transpose();
        let filter = filter.unwrap_or_else(|error| {
            notes.error(&Component::Filter, "filter", &error, "");
            None
        });
        let (partitioner, header) = (sstable.partitioner(), sstable.header());
        Keys { partitioner, header, filter, count: 0, first: Vec::new(), last: Vec::new() }
    }

    /// The next key, which lies at a place.
    pub(super) fn take(&mut self, key: &[u8], hash: KeyHash, spot: Spot<'_>, notes: &mut Notes) {
        if self.count == 0 {
            self.first = key.to_vec();
        } else {
            let order = self.partitioner.compare(&self.last, key);
            if order.is_some_and(|order| order != Ordering::Less) {
                let (of, last) = (self.shown(key), self.shown(&self.last));
                notes.wrong(spot, format_args!("order of partitions: {of} comes after {last}"));
            }
        }
        if self.filter.is_some_and(|filter| !filter.may_contain(hash)) {
            let filter = Spot::whole(&Component::Filter, "filter");
            let at = spot.at.unwrap_or_default();
            notes.wrong(
                filter,
                format_args!("denies the key {}, which is at offset {at}", self.shown(key)),
            );
        }
        self.count += 1;
        self.last.clear();
        self.last.extend_from_slice(key);
    }

    /// A key as CQL writes it.
    pub(super) fn shown<'k>(&self, key: &'k [u8]) -> ShownKey<'k>
    where
        't: 'k,
    {
        ShownKey { header: self.header, key }
    }
}

/// Number of characters of a key that are shown.
const SHOWN_MAX: usize = 80;

/// A key as CQL writes it, shortened.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownKey<'k> {
    pub(super) header: &'k Header,
    pub(super) key: &'k [u8],
}

impl fmt::Display for ShownKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.header.key.put_literal(Some(self.key), &mut text);
        match text.char_indices().nth(SHOWN_MAX) {
            Some((end, _)) => write!(f, "{}..", &text[..end]),
            None => f.write_str(&text),
        }
    }
}
