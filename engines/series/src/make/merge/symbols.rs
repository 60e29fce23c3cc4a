//! The symbols of all inputs as one table, and label pairs of that table numbered as they come.
//!
//! The inputs' tables rise, so they are merged once; from then on labels are numbers, and series
//! compare by them: the order of the numbers is that of the bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use manicule_format_prometheus::SymbolIndex;

use crate::block::Block;

/// A name and a value, as numbers of the merged table.
pub(crate) type Label = (u32, u32);

/// The merged table.
#[derive(Debug)]
pub(super) struct MergedSymbols<'b> {
    /// Increasing.
    pub(super) strings: Vec<&'b [u8]>,
    /// Of each input, the number of each of its symbols.
    pub(super) number_of: Vec<Vec<u32>>,
}

impl<'b> MergedSymbols<'b> {
    pub(super) fn new(blocks: &'b [Block]) -> Self {
        let symbol = |input: usize, at: u32| -> Option<Reverse<(&'b [u8], usize, u32)>> {
            let symbol = blocks[input].index().symbol(SymbolIndex(at))?;
            Some(Reverse((symbol, input, at)))
        };
        let mut strings: Vec<&[u8]> = Vec::new();
        let mut number_of: Vec<Vec<u32>> =
            blocks.iter().map(|block| vec![0; block.index().symbol_count() as usize]).collect();
        let mut heads: BinaryHeap<_> =
            (0..blocks.len()).filter_map(|input| symbol(input, 0)).collect();
        while let Some(Reverse((string, input, at))) = heads.pop() {
            if strings.last() != Some(&string) {
                strings.push(string);
            }
            number_of[input][at as usize] = strings.len() as u32 - 1;
            heads.extend(symbol(input, at + 1));
        }
        MergedSymbols { strings, number_of }
    }
}

/// Label pairs, numbered in the order in which they are first asked for.
///
/// Found by the value: few values belong to more than two or three names, so a chain of pairs for
/// each value finds one with two look-ups and no hash.
#[derive(Debug)]
pub(crate) struct Pairs {
    pub(super) list: Vec<Label>,
    /// Of each pair, the next one with its value.
    next: Vec<u32>,
    /// Of each value, its first pair.
    first: Vec<u32>,
}

/// No further pair has the value.
const NONE: u32 = u32::MAX;

impl Pairs {
    pub(crate) fn new(symbol_count: usize) -> Self {
        Pairs { list: Vec::new(), next: Vec::new(), first: vec![NONE; symbol_count] }
    }

    /// The number of a pair.
    #[inline]
    pub(super) fn number(&mut self, label: Label) -> u32 {
        let mut at = self.first[label.1 as usize];
        while at != NONE {
            if self.list[at as usize].0 == label.0 {
                return at;
            }
            at = self.next[at as usize];
        }
        let number = self.list.len() as u32;
        self.list.push(label);
        self.next.push(self.first[label.1 as usize]);
        self.first[label.1 as usize] = number;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_keeps_its_number() {
        let mut pairs = Pairs::new(4);
        let asked = [(1, 2), (3, 2), (1, 3), (3, 2), (1, 2), (0, 2), (1, 3)];
        let numbers: Vec<u32> = asked.iter().map(|label| pairs.number(*label)).collect();
        assert_eq!(numbers, [0, 1, 2, 1, 0, 3, 2]);
        assert_eq!(pairs.list, [(1, 2), (3, 2), (1, 3), (0, 2)]);
    }
}
