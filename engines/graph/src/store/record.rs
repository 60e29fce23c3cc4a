//! A commit as bytes: the terms with the numbers that they get, and the quads by ids.
//!
//! Bytes:   | next blank node | terms of 4 tags | graphs | triples | quads |, all numbers LEB128 varints:
//!          terms: first number, count, a length for each, their bytes;
//!          graphs, triples, quads: count, then for each 1 if it was added, else 0, and each column less that of the row before
//! Callers: store

use manicule_core::bytes::{DecodeError, Reader, put_uvarint, put_varint};
use manicule_core::sorted::{HashKeys, Strings};
use manicule_format_leaf::{Id, Tag};

use crate::dictionary::{PerTag, Piece, TEXT_TAGS};
use crate::overlay::{Change, Changes, Entry};

/// Changes and terms of a commit.
#[derive(Debug)]
pub(super) struct Record {
    /// The number that the next blank node gets.
    pub(super) next_blank: u64,
    /// Its terms.
    pub(super) terms: Piece,
    /// What it did, settled: rows increase strictly.
    pub(super) changes: Changes,
}

/// Appends a record.
pub(super) fn encode(next_blank: u64, terms: &Piece, changes: &Changes, out: &mut Vec<u8>) {
    put_uvarint(next_blank, out);
    for (place, first) in terms.first().into_iter().enumerate() {
        let texts = terms.texts(place);
        put_uvarint(first, out);
        put_uvarint(texts.count().into(), out);
        (0..texts.count()).for_each(|number| put_uvarint(texts.get(number).len() as u64, out));
        (0..texts.count()).for_each(|number| out.extend_from_slice(texts.get(number)));
    }
    put_entries(&changes.graphs, out);
    put_entries(&changes.default, out);
    put_entries(&changes.named, out);
}

fn put_entries<const N: usize>(entries: &[Entry<N>], out: &mut Vec<u8>) {
    put_uvarint(entries.len() as u64, out);
    let mut before = [Id::MIN; N];
    for (row, change) in entries {
        out.push(u8::from(*change == Change::Added));
        for (id, before) in row.iter().zip(before) {
            put_varint(id.0.wrapping_sub(before.0) as i64, out);
        }
        before = *row;
    }
}

/// What a record must agree with: the numbers that come next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// Of blank nodes.
    pub(super) blank: u64,
    /// Of terms with texts.
    pub(super) terms: PerTag<u64>,
    /// Keys of tables of terms.
    pub(super) keys: HashKeys,
}

/// Decodes a record that lies at `at` in its file.
pub(super) fn decode(bytes: &[u8], at: u64, before: &Before) -> Result<Record, DecodeError> {
    let mut r = Reader::new(bytes, at);
    let next_blank = r.uvarint("next blank node")?;
    if next_blank < before.blank || next_blank > Id::PAYLOAD_MAX {
        return Err(corrupt("next blank node", at, before.blank, next_blank));
    }
    let mut terms = Piece::new(before.keys, before.terms);
    for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
        take_terms(&mut r, tag, before.terms[place], &mut terms)?;
    }
    let limits = Limits { blank: next_blank, terms: terms.next() };
    let graphs = take_entries(&mut r, "graph", &limits)?;
    let default = take_entries(&mut r, "triple", &limits)?;
    let named = take_entries(&mut r, "quad", &limits)?;
    match r.rest().len() {
        0 => Ok(Record { next_blank, terms, changes: Changes { default, named, graphs } }),
        left => Err(corrupt("end of record", r.at(), 0, left as u64)),
    }
}

fn corrupt(what: &'static str, at: u64, want: u64, got: u64) -> DecodeError {
    DecodeError::Corrupt { what, at, want, got }
}

fn take_terms(
    r: &mut Reader<'_>,
    tag: Tag,
    want: u64,
    terms: &mut Piece,
) -> Result<(), DecodeError> {
    let at = r.at();
    let first = r.uvarint("first term")?;
    if first != want {
        return Err(corrupt("number of the first term", at, want, first));
    }
    let at = r.at();
    let count = r.uvarint("count of terms")?;
    if count > r.rest().len() as u64 {
        return Err(corrupt("count of terms", at, r.rest().len() as u64, count));
    }
    // Bounded by the bytes at hand: each length has at least one.
    let lens = (0..count).map(|_| r.uvarint("length of a term")).collect::<Result<Vec<_>, _>>()?;
    for (number, len) in lens.into_iter().enumerate() {
        let at = r.at();
        let bytes = r.take("term", usize::try_from(len).unwrap_or(usize::MAX))?;
        let id = terms.find_or_add(tag, bytes, terms.hash(bytes));
        if id.payload() != first + number as u64 {
            return Err(corrupt("number of a term", at, first + number as u64, id.payload()));
        }
    }
    Ok(())
}

/// The numbers that ids of the dictionary are below.
struct Limits {
    blank: u64,
    terms: PerTag<u64>,
}

impl Limits {
    fn admit(&self, id: Id) -> bool {
        match (id.tag(), crate::dictionary::place_of(id.tag())) {
            (_, Some(place)) => id.payload() < self.terms[place],
            (Tag::BLANK, _) => id.payload() < self.blank,
            (tag, _) => tag >= Tag::FIRST_INLINE,
        }
    }
}

fn take_entries<const N: usize>(
    r: &mut Reader<'_>,
    what: &'static str,
    limits: &Limits,
) -> Result<Vec<Entry<N>>, DecodeError> {
    let at = r.at();
    let count = r.uvarint(what)?;
    // Each takes a byte for the change and one for each column.
    let most = (r.rest().len() / (N + 1)) as u64;
    if count > most {
        return Err(corrupt(what, at, most, count));
    }
    let mut entries: Vec<Entry<N>> = Vec::with_capacity(count as usize);
    let mut before = [Id::MIN; N];
    for _ in 0..count {
        let at = r.at();
        let change = match r.u8(what)? {
            0 => Change::Removed,
            1 => Change::Added,
            other => return Err(corrupt("change", at, 1, other.into())),
        };
        let mut row = before;
        for id in &mut row {
            *id = Id(id.0.wrapping_add(r.varint(what)? as u64));
        }
        if (!entries.is_empty() && row <= before) || !row.iter().all(|id| limits.admit(*id)) {
            return Err(corrupt(what, at, before[0].0, row[0].0));
        }
        entries.push((row, change));
        before = row;
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_and_damaged_ones_are_errors() {
        let keys = HashKeys::new(3);
        let before = Before { blank: 2, terms: [5, 0, 0, 1], keys };
        let mut terms = Piece::new(keys, before.terms);
        let iris: Vec<Id> = [&b"a"[..], b"b", b""]
            .iter()
            .map(|text| terms.find_or_add(Tag::IRI, text, keys.hash(text)))
            .collect();
        let number = Id::new(Tag::FIRST_INLINE, 1);
        let changes = Changes {
            default: vec![
                ([Id::new(Tag::BLANK, 3), iris[0], number], Change::Added),
                ([iris[0], iris[1], iris[2]], Change::Removed),
            ],
            named: vec![([iris[1], iris[1], iris[2], iris[0]], Change::Added)],
            graphs: vec![([iris[0]], Change::Added)],
        };
        let mut bytes = Vec::new();
        encode(4, &terms, &changes, &mut bytes);
        let record = decode(&bytes, 0, &before).unwrap();
        assert_eq!((record.next_blank, record.terms.next()), (4, [8, 0, 0, 1]));
        assert_eq!(record.changes.default, changes.default);
        assert_eq!(record.changes.named, changes.named);
        assert_eq!(record.changes.graphs, changes.graphs);
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len], 0, &before).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                // Another record or an error, not a panic.
                let _ = decode(&bytes, 0, &before);
                bytes[at] ^= 1 << bit;
            }
        }
        assert!(decode(&bytes, 0, &Before { blank: 5, ..before }).is_err());
        assert!(decode(&bytes, 0, &Before { terms: [6, 0, 0, 1], ..before }).is_err());
    }
}
