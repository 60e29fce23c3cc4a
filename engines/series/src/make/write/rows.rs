//! The label pairs of many series, each encoded as its difference from the series before: 10 bytes
//! a series of k8s-1.2M where four bytes a label are 44.
//!
//! A row is | uvarint label_count | for each eight labels: 1 mask of those that differ, a uvarint for each |; a label
//! differs if the row before has another pair at the same place, or none.

use manicule_core::bytes::{Reader, put_uvarint};
use manicule_core::lists::NumberLists;

/// Rows of label pairs, added at the end and read from the beginning.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedRows {
    bytes: Vec<u8>,
    count: u64,
    /// The last row, and the one being added.
    last: Vec<u32>,
    row: Vec<u32>,
}

impl PackedRows {
    /// Adds a row of what `pair` makes of each label and of the pair at the same place of the row
    /// before.
    #[inline]
    pub(super) fn push<I>(
        &mut self,
        labels: impl IntoIterator<Item = I>,
        mut pair: impl FnMut(Option<u32>, I) -> u32,
    ) {
        self.row.clear();
        for (at, label) in labels.into_iter().enumerate() {
            self.row.push(pair(self.last.get(at).copied(), label));
        }
        put_uvarint(self.row.len() as u64, &mut self.bytes);
        for (group, pairs) in self.row.chunks(8).enumerate() {
            let before = self.last.get(8 * group..).unwrap_or_default();
            let mask_at = self.bytes.len();
            self.bytes.push(0);
            let mut mask = 0;
            for (at, &pair) in pairs.iter().enumerate() {
                if before.get(at) != Some(&pair) {
                    mask |= 1 << at;
                    put_uvarint(pair.into(), &mut self.bytes);
                }
            }
            self.bytes[mask_at] = mask;
        }
        std::mem::swap(&mut self.last, &mut self.row);
        self.count += 1;
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + 4 * (self.last.capacity() + self.row.capacity())
    }
}

/// Rows that were numbered together.
#[derive(Clone, Debug, Default)]
pub(super) struct RowPart {
    pub(super) rows: PackedRows,
    /// Numbers of these rows' pairs among all; empty if they are the same already.
    pub(super) names: Vec<u32>,
}

/// Reads rows of label pairs from the first to the last, and again from the first.
#[derive(Clone, Debug)]
pub struct LabelRows<'a> {
    parts: &'a [RowPart],
    part: usize,
    /// Rest of the part.
    rest: Reader<'a>,
    /// The place of the next row.
    next: u64,
    row: Vec<u32>,
}

impl<'a> LabelRows<'a> {
    pub(super) fn new(parts: &'a [RowPart]) -> Self {
        LabelRows { parts, part: 0, rest: first(parts), next: 0, row: Vec::new() }
    }

    /// Reads the next row; `false` after the last.
    fn advance(&mut self) -> bool {
        while self.rest.rest().is_empty() {
            self.part += 1;
            let Some(part) = self.parts.get(self.part) else { return false };
            self.rest = Reader::new(&part.rows.bytes, 0);
            self.row.clear();
        }
        let names = &self.parts[self.part].names;
        self.read(|pair| if names.is_empty() { pair } else { names[pair as usize] });
        self.next += 1;
        true
    }

    #[inline(always)]
    fn read(&mut self, name: impl Fn(u32) -> u32) {
        let own = "rows of one's own making";
        let mut rest = self.rest;
        let count = rest.uvarint("count").expect(own) as usize;
        self.row.resize(count, 0);
        for group in self.row.chunks_mut(8) {
            let mut mask = rest.u8("mask").expect(own);
            while mask != 0 {
                let pair = rest.uvarint("pair").expect(own) as u32;
                group[mask.trailing_zeros() as usize] = name(pair);
                mask &= mask - 1;
            }
        }
        self.rest = rest;
    }
}

fn first(parts: &[RowPart]) -> Reader<'_> {
    Reader::new(parts.first().map_or(&[], |part| &part.rows.bytes), 0)
}

impl NumberLists for LabelRows<'_> {
    fn list(&mut self, place: u64) -> Option<&[u32]> {
        if place < self.next {
            *self = LabelRows { row: std::mem::take(&mut self.row), ..LabelRows::new(self.parts) };
            self.row.clear();
        }
        while self.next <= place {
            if !self.advance() {
                return None;
            }
        }
        Some(&self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_length_read_back_from_both_parts_and_again() {
        let row = |place: u32| -> Vec<u32> {
            let len = [0, 1, 8, 9, 3, 17, 40][place as usize % 7];
            (0..len).map(|at| at * 1000 + place / (at + 1) * 777).collect()
        };
        let mut parts = [RowPart::default(), RowPart::default()];
        let names: Vec<u32> = (0..2_000_000).rev().collect();
        for place in 0..200u32 {
            let (part, flip) = if place < 90 { (0, 0) } else { (1, 1_999_999) };
            let own = |pair: u32| if flip > 0 { flip - pair } else { pair };
            let before = if [0, 90].contains(&place) { Vec::new() } else { row(place - 1) };
            parts[part].rows.push(row(place).into_iter().enumerate(), |behind, (at, pair)| {
                assert_eq!(behind, before.get(at).copied().map(own));
                own(pair)
            });
        }
        parts[1].names = names;
        let mut rows = LabelRows::new(&parts);
        for place in (0..200).chain([200, 0, 1, 5, 90, 89, 199, 3]) {
            let want = (place < 200).then(|| row(place as u32));
            assert_eq!(rows.list(place), want.as_deref(), "{place}");
        }
    }
}
