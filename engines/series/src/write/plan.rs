//! What is known of symbols and label pairs before the first series: their order, their bytes, the list of each pair.
//!
//! Callers: write/writer

use manicule_core::sorted::{Strings, sorted};
use manicule_format_prometheus::{LabelBytes, SymbolIndex, list_place_len, string_len};

use super::{SymbolChoice, WriteError};

/// The list of all series stands before those of pairs.
pub(super) const ALL_SERIES: u32 = 0;

/// Symbols and lists in the order of the file.
#[derive(Debug)]
pub(super) struct Plan {
    /// The string of each symbol, by the numbers of who gave the strings.
    pub(super) symbols: Vec<u32>,
    /// The list of each pair; equal pairs share one.
    pub(super) list_of: Vec<u32>,
    /// The symbols of each list's name and value. Those of all series are not used.
    pub(super) lists: Vec<(SymbolIndex, SymbolIndex)>,
    /// The bytes that a series says for each list's label.
    pub(super) labels: Vec<LabelBytes>,
}

impl Plan {
    /// Sorts the strings, then the pairs by the numbers of their symbols: no pair is compared as strings.
    pub(super) fn new(strings: &impl Strings, pairs: &[(u32, u32)]) -> Result<Plan, WriteError> {
        let (symbols, symbol_of) = symbols(strings);
        let count = strings.count();
        let symbol = |pair: usize, string: u32| {
            let unknown =
                WriteError::UnknownSymbol { pair: pair as u32, symbol: string, symbols: count };
            symbol_of.get(string as usize).copied().ok_or(unknown)
        };
        let mut keys = Vec::with_capacity(pairs.len());
        for (pair, &(name, value)) in pairs.iter().enumerate() {
            let (name_symbol, value) = (symbol(pair, name)?, symbol(pair, value)?);
            if strings.get(name).is_empty() {
                return Err(WriteError::EmptyName { pair: pair as u32 });
            }
            keys.push((u64::from(name_symbol) << 32 | u64::from(value), pair as u32));
        }
        keys.sort_unstable();
        let mut lists = vec![(SymbolIndex(0), SymbolIndex(0))];
        let mut list_of = vec![0; pairs.len()];
        let mut before = None;
        for (key, pair) in keys {
            if before != Some(key) {
                lists.push((SymbolIndex((key >> 32) as u32), SymbolIndex(key as u32)));
                before = Some(key);
            }
            list_of[pair as usize] = lists.len() as u32 - 1;
        }
        Ok(Plan { symbols, list_of, lists, labels: Vec::new() })
    }

    /// Settles which symbols are written, now that the length of each list is known, and encodes each pair.
    pub(super) fn settle(&mut self, choice: SymbolChoice, lens: &[u32], strings: &impl Strings) {
        if choice == SymbolChoice::Used {
            self.leave_out_unused(lens, strings);
        }
        let bytes = |&(name, value): &_| LabelBytes::new(name, value);
        self.labels = self.lists.iter().map(bytes).collect();
    }

    /// Numbers the symbols of lists that are not empty, and the empty string, which stays when it was given.
    fn leave_out_unused(&mut self, lens: &[u32], strings: &impl Strings) {
        let mut number_of = vec![u32::MAX; self.symbols.len()];
        if self.symbols.first().is_some_and(|&first| strings.get(first).is_empty()) {
            number_of[0] = 0;
        }
        for ((name, value), _) in self.lists.iter().zip(lens).skip(1).filter(|(_, len)| **len > 0) {
            number_of[name.0 as usize] = 0;
            number_of[value.0 as usize] = 0;
        }
        for (count, number) in number_of.iter_mut().filter(|number| **number == 0).enumerate() {
            *number = count as u32;
        }
        let mut at = 0;
        self.symbols.retain(|_| {
            at += 1;
            number_of[at - 1] != u32::MAX
        });
        for ((name, value), _) in
            self.lists.iter_mut().zip(lens).skip(1).filter(|(_, len)| **len > 0)
        {
            name.0 = number_of[name.0 as usize];
            value.0 = number_of[value.0 as usize];
        }
    }

    /// How many bytes of memory it holds.
    pub(super) fn memory(&self) -> usize {
        self.symbols.capacity() * 4
            + self.list_of.capacity() * 4
            + self.lists.capacity() * 8
            + self.labels.capacity() * size_of::<LabelBytes>()
    }

    /// The string of a symbol.
    pub(super) fn symbol<'a>(&self, strings: &'a impl Strings, symbol: SymbolIndex) -> &'a [u8] {
        strings.get(self.symbols[symbol.0 as usize])
    }

    /// The name and value of a list; both empty for all series.
    pub(super) fn pair<'a>(&self, strings: &'a impl Strings, list: u32) -> (&'a [u8], &'a [u8]) {
        if list == ALL_SERIES {
            return (b"", b"");
        }
        let (name, value) = self.lists[list as usize];
        (self.symbol(strings, name), self.symbol(strings, value))
    }

    /// How many bytes the symbols take, with their count.
    pub(super) fn symbols_len(&self, strings: &impl Strings) -> u64 {
        4 + self.symbols.iter().map(|&string| string_len(strings.get(string))).sum::<u64>()
    }

    /// How many bytes the postings offset table takes, with its count. `each` tells lists and where they begin.
    pub(super) fn table_len(
        &self,
        strings: &impl Strings,
        each: impl Iterator<Item = (u32, u64)>,
    ) -> u64 {
        let len = |(list, at)| {
            let (name, value) = self.pair(strings, list);
            list_place_len(name, value, at)
        };
        4 + each.map(len).sum::<u64>()
    }
}

/// The strings in order, each once; and for each string its place there.
fn symbols(strings: &impl Strings) -> (Vec<u32>, Vec<u32>) {
    let mut order = sorted(strings);
    let mut symbol_of = vec![0; order.len()];
    let mut count = 0;
    for at in 0..order.len() {
        let string = order[at];
        if count == 0 || strings.get(order[count - 1]) != strings.get(string) {
            order[count] = string;
            count += 1;
        }
        symbol_of[string as usize] = count as u32 - 1;
    }
    order.truncate(count);
    (order, symbol_of)
}
