//! Facts that wait: their bytes one after the other, and a list that is sorted.

use std::cmp::Ordering;
use std::ops::Range;

use manicule_format_sstable::{Header, Prefix, PrefixBuf, PrefixKind, Token};

use super::fact::NewFact;
use crate::fact::FactKind;
use crate::merge::compare_paths;

/// The facts.
#[derive(Debug, Default)]
pub(super) struct FactBuffer {
    bytes: Vec<u8>,
    keys: Vec<(Token, Range<usize>)>,
    places: Vec<PrefixBuf>,
    waiting: Vec<Waiting>,
}

/// Part of a partition, in the order of the parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Part {
    Head,
    Static,
    Rows,
}

/// A fact in the buffer.
#[derive(Clone, Debug)]
struct Waiting {
    /// Numbers of its key and of its place.
    key: usize,
    place: usize,
    part: Part,
    kind: FactKind,
    column: Option<usize>,
    path: Option<Range<usize>>,
    value: Range<usize>,
    timestamp: i64,
    ttl: i32,
    local_time: i64,
}

/// Facts of one place.
#[derive(Debug)]
pub(super) struct Group<'b> {
    pub(super) key: &'b [u8],
    pub(super) part: Part,
    pub(super) prefix: Prefix<'b>,
    pub(super) facts: Vec<NewFact<'b>>,
}

impl FactBuffer {
    /// Number of bytes that it holds.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
            + self.keys.len() * size_of::<(Token, Range<usize>)>()
            + self.places.len() * size_of::<PrefixBuf>()
            + self.waiting.len() * size_of::<Waiting>()
    }

    /// Adds a fact that was checked.
    pub(super) fn add(&mut self, fact: &NewFact<'_>, header: &Header) {
        let kind = match fact.kind {
            FactKind::RangeStart { is_inclusive: true } => PrefixKind::InclusiveStart,
            FactKind::RangeStart { is_inclusive: false } => PrefixKind::ExclusiveStart,
            FactKind::RangeEnd { is_inclusive: true } => PrefixKind::InclusiveEnd,
            FactKind::RangeEnd { is_inclusive: false } => PrefixKind::ExclusiveEnd,
            _ => PrefixKind::Row,
        };
        let part = match fact.kind {
            FactKind::PartitionDeletion => Part::Head,
            _ if fact.is_static => Part::Static,
            _ => Part::Rows,
        };
        let place = PrefixBuf::new(kind, &header.clustering, fact.clustering);
        self.put(fact, part, place.as_prefix());
    }

    fn put(&mut self, fact: &NewFact<'_>, part: Part, place: Prefix<'_>) {
        let put = |bytes: &[u8], out: &mut Vec<u8>| {
            let at = out.len();
            out.extend_from_slice(bytes);
            at..out.len()
        };
        let FactBuffer { bytes, keys, places, waiting } = self;
        // Most facts have the partition and the place of the one before.
        if keys.last().is_none_or(|(_, last)| bytes[last.clone()] != *fact.key) {
            keys.push((Token::of(fact.key), put(fact.key, bytes)));
        }
        let is_same = |last: &PrefixBuf| {
            let last = last.as_prefix();
            last.kind == place.kind
                && last.components.bytes() == place.components.bytes()
                && last.components.count() == place.components.count()
        };
        if !places.last().is_some_and(is_same) {
            places.push(PrefixBuf::of(&place));
        }
        waiting.push(Waiting {
            key: keys.len() - 1,
            place: places.len() - 1,
            part,
            kind: fact.kind,
            column: fact.column,
            path: fact.path.map(|path| put(path, bytes)),
            value: put(fact.value, bytes),
            timestamp: fact.timestamp,
            ttl: fact.ttl,
            local_time: fact.local_time,
        });
    }

    /// Sorts the facts: by token and key, by place, those of a row by column and path.
    pub(super) fn sort(&mut self, header: &Header) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let compare = |left: &Waiting, right: &Waiting| {
            self.compare_places(left, right, header).then_with(|| self.compare(left, right, header))
        };
        if !waiting.is_sorted_by(|left, right| compare(left, right).is_le()) {
            waiting.sort_by(compare);
        }
        self.waiting = waiting;
    }

    fn compare_places(&self, left: &Waiting, right: &Waiting, header: &Header) -> Ordering {
        let key = |waiting: &Waiting| {
            let (token, key) = &self.keys[waiting.key];
            (token.0, &self.bytes[key.clone()])
        };
        let place = |waiting: &Waiting| self.places[waiting.place].as_prefix();
        let keys = if left.key == right.key { Ordering::Equal } else { key(left).cmp(&key(right)) };
        keys.then(left.part.cmp(&right.part)).then_with(|| {
            let is_same = left.place == right.place;
            if is_same {
                return Ordering::Equal;
            }
            Prefix::compare(&header.clustering, &place(left), &place(right))
        })
    }

    /// Order of two facts of a place: what the row says of itself, then columns, each with its
    /// deletion before its cells.
    fn compare(&self, left: &Waiting, right: &Waiting, header: &Header) -> Ordering {
        let columns = left.column.cmp(&right.column);
        let path = |waiting: &Waiting| waiting.path.clone().map(|path| &self.bytes[path]);
        columns.then_with(|| match (path(left), path(right), left.column) {
            (Some(left_path), Some(right_path), Some(column)) => {
                let kind = &header.columns(left.part == Part::Static)[column].kind;
                compare_paths(kind, Some(left_path), Some(right_path))
            }
            (left_path, right_path, _) => left_path.is_some().cmp(&right_path.is_some()),
        })
    }

    /// Takes the facts, which are sorted, place by place; those of the last place are kept if there
    /// may be more of it.
    pub(super) fn take<E>(
        &mut self,
        is_last: bool,
        header: &Header,
        mut take: impl FnMut(&Group<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let all = std::mem::take(self);
        let is_same =
            |left: &Waiting, right: &Waiting| all.compare_places(left, right, header).is_eq();
        let mut groups = all.waiting.chunk_by(is_same).peekable();
        while let Some(waiting) = groups.next() {
            let group = all.group(waiting);
            if groups.peek().is_none() && !is_last {
                group.facts.iter().for_each(|fact| self.put(fact, group.part, group.prefix));
                return Ok(());
            }
            take(&group)?;
        }
        Ok(())
    }

    fn group(&self, waiting: &[Waiting]) -> Group<'_> {
        let first = &waiting[0];
        let key = &self.bytes[self.keys[first.key].1.clone()];
        let fact = |waiting: &Waiting| NewFact {
            kind: waiting.kind,
            key,
            is_static: waiting.part == Part::Static,
            clustering: &[],
            column: waiting.column,
            path: waiting.path.clone().map(|path| &self.bytes[path]),
            value: &self.bytes[waiting.value.clone()],
            timestamp: waiting.timestamp,
            ttl: waiting.ttl,
            local_time: waiting.local_time,
        };
        let (part, prefix) = (first.part, self.places[first.place].as_prefix());
        Group { key, part, prefix, facts: waiting.iter().map(fact).collect() }
    }
}
