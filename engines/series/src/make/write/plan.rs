//! What is known of symbols and label pairs before the first series: their order, their bytes, the
//! list of each pair.

use std::ops::Range;

use manicule_core::sorted::{StepSort, StringSort, Strings};
use manicule_format_prometheus::{LabelBytes, SymbolIndex, string_len};

use super::error::WriteError;
use super::options::SymbolChoice;

/// The list of all series stands before those of pairs.
pub(super) const ALL_SERIES: u32 = 0;

/// Cost of looking at a string or a pair, against a budget of bytes.
const ITEM_LEN: usize = 16;

/// Symbols and lists in the order of the file.
#[derive(Debug)]
pub(super) struct Plan {
    /// The string of each symbol, by the numbers of who gave the strings.
    pub(super) symbols: Vec<u32>,
    /// Length of the symbols in bytes, with their count.
    pub(super) symbols_len: u64,
    /// The list of each pair; equal pairs share one.
    pub(super) list_of: Vec<u32>,
    /// The symbols of each list's name and value. Those of all series are not used.
    pub(super) lists: Vec<(SymbolIndex, SymbolIndex)>,
    /// The bytes that a series says for each list's label.
    pub(super) labels: Vec<LabelBytes>,
}

/// The next of `count` items, as a budget of bytes allows; one at least.
pub(super) fn next_items(at: &mut usize, count: usize, budget: usize) -> Range<usize> {
    let start = *at;
    *at = count.min(start.saturating_add((budget / ITEM_LEN).max(1)));
    start..*at
}

/// Sorts strings, then pairs by the numbers of their symbols: no pair is compared as strings.
#[derive(Debug)]
pub(super) struct Sorting {
    /// The numbers of a name and a value, of each pair.
    pairs: Vec<(u32, u32)>,
    strings: StringSort,
    /// The symbol of each string.
    symbol_of: Vec<u32>,
    keys: Vec<(u64, u32)>,
    sorted_keys: StepSort<(u64, u32)>,
    stage: Stage,
    /// The next item of the stage.
    at: usize,
}

#[derive(Debug)]
enum Stage {
    Strings,
    /// The sorted strings become symbols, each once.
    Symbols,
    /// Pairs become keys: the symbols of name and value as one number, with the pair.
    Keys,
    Pairs,
    /// The sorted pairs become lists, each once.
    Lists,
}

impl Sorting {
    pub(super) fn new(pairs: Vec<(u32, u32)>) -> Self {
        Sorting {
            pairs,
            strings: StringSort::new(),
            symbol_of: Vec::new(),
            keys: Vec::new(),
            sorted_keys: StepSort::new(Vec::new()),
            stage: Stage::Strings,
            at: 0,
        }
    }

    /// Works on for about `budget` bytes; whether the plan has all symbols and lists now.
    pub(super) fn step(
        &mut self,
        plan: &mut Plan,
        strings: &impl Strings,
        budget: usize,
    ) -> Result<bool, WriteError> {
        let is_over = match self.stage {
            Stage::Strings => self.strings.step(strings, budget / ITEM_LEN),
            Stage::Pairs => self.sorted_keys.step(budget / ITEM_LEN, Ord::cmp),
            Stage::Symbols => {
                let count = strings.count() as usize;
                for place in next_items(&mut self.at, count, budget) {
                    plan.add_symbol(self.strings.number(place), &mut self.symbol_of, strings);
                }
                self.at == count
            }
            Stage::Keys => {
                for pair in next_items(&mut self.at, self.pairs.len(), budget) {
                    let (name, value) = self.pairs[pair];
                    let key = key(pair, name, value, &self.symbol_of, strings)?;
                    self.keys.push((key, pair as u32));
                }
                self.at == self.pairs.len()
            }
            Stage::Lists => {
                let pairs = self.sorted_keys.items();
                let items = next_items(&mut self.at, pairs.len(), budget);
                pairs[items].iter().for_each(|&(key, pair)| plan.add_pair(key, pair));
                self.at == pairs.len()
            }
        };
        if !is_over {
            return Ok(false);
        }
        self.at = 0;
        self.stage = match self.stage {
            Stage::Strings => {
                self.symbol_of = vec![0; strings.count() as usize];
                plan.symbols.reserve_exact(strings.count() as usize);
                Stage::Symbols
            }
            Stage::Symbols => {
                self.strings = StringSort::new();
                self.keys.reserve_exact(self.pairs.len());
                Stage::Keys
            }
            Stage::Keys => {
                (self.pairs, self.symbol_of) = Default::default();
                self.sorted_keys = StepSort::new(std::mem::take(&mut self.keys));
                Stage::Pairs
            }
            Stage::Pairs => {
                plan.lists.reserve_exact(self.sorted_keys.items().len());
                Stage::Lists
            }
            Stage::Lists => return Ok(true),
        };
        Ok(false)
    }
}

/// A pair as a number whose order is that of names and values.
fn key(
    pair: usize,
    name: u32,
    value: u32,
    symbol_of: &[u32],
    strings: &impl Strings,
) -> Result<u64, WriteError> {
    let symbol = |string: u32| {
        let symbols = symbol_of.len() as u32;
        let unknown = WriteError::UnknownSymbol { pair: pair as u32, symbol: string, symbols };
        symbol_of.get(string as usize).map(|&symbol| u64::from(symbol)).ok_or(unknown)
    };
    let key = symbol(name)? << 32 | symbol(value)?;
    if strings.get(name).is_empty() {
        Err(WriteError::EmptyName { pair: pair as u32 })
    } else {
        Ok(key)
    }
}

impl Plan {
    /// A plan of `pair_count` pairs, of which nothing is known yet.
    pub(super) fn new(pair_count: usize) -> Plan {
        Plan {
            symbols: Vec::new(),
            symbols_len: 4,
            list_of: vec![0; pair_count],
            lists: vec![(SymbolIndex(0), SymbolIndex(0))],
            labels: Vec::new(),
        }
    }

    /// The next string in order. Strings that are equal share a symbol.
    fn add_symbol(&mut self, string: u32, symbol_of: &mut [u32], strings: &impl Strings) {
        let bytes = strings.get(string);
        if self.symbols.last().is_none_or(|&before| strings.get(before) != bytes) {
            self.symbols.push(string);
            self.symbols_len += string_len(bytes);
        }
        symbol_of[string as usize] = self.symbols.len() as u32 - 1;
    }

    /// The next pair in order. Pairs that are equal share a list.
    fn add_pair(&mut self, key: u64, pair: u32) {
        let list = (SymbolIndex((key >> 32) as u32), SymbolIndex(key as u32));
        if self.lists.len() == 1 || self.lists.last() != Some(&list) {
            self.lists.push(list);
        }
        self.list_of[pair as usize] = self.lists.len() as u32 - 1;
    }

    /// Memory held, in bytes.
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
}

/// Settles which symbols are written, when the length of each list is known, and encodes each pair.
#[derive(Debug)]
pub(super) struct Settling {
    stage: Settle,
    /// The next item of the stage.
    at: usize,
    /// New number of each symbol when some are left out; `UNUSED` for those.
    number_of: Vec<u32>,
    /// Number of symbols kept so far.
    kept: u32,
}

#[derive(Debug)]
enum Settle {
    /// Symbols of lists that are not empty are marked.
    Mark,
    /// Marked ones are numbered, others left out.
    Number,
    Labels,
}

const UNUSED: u32 = u32::MAX;
const USED: u32 = 0;

impl Settling {
    pub(super) fn new(choice: SymbolChoice) -> Self {
        let stage = if choice == SymbolChoice::Used { Settle::Mark } else { Settle::Labels };
        Settling { stage, at: 0, number_of: Vec::new(), kept: 0 }
    }

    /// Works on for about `budget` bytes; whether all is settled now.
    pub(super) fn step(
        &mut self,
        plan: &mut Plan,
        lens: &[u32],
        strings: &impl Strings,
        budget: usize,
    ) -> bool {
        let (count, next) = match self.stage {
            Settle::Mark => (plan.lists.len(), Settle::Number),
            Settle::Number => (plan.symbols.len(), Settle::Labels),
            Settle::Labels => (plan.lists.len(), Settle::Labels),
        };
        let items = next_items(&mut self.at, count, budget);
        match self.stage {
            Settle::Mark => self.mark(plan, lens, strings, items),
            Settle::Number => self.number(plan, strings, items),
            Settle::Labels => self.encode(plan, lens, items),
        }
        if self.at < count {
            return false;
        }
        if matches!(self.stage, Settle::Number) {
            plan.symbols.truncate(self.kept as usize);
        }
        let is_last = matches!(self.stage, Settle::Labels);
        (self.stage, self.at) = (next, 0);
        is_last
    }

    /// The empty string stays when it was given.
    fn mark(&mut self, plan: &Plan, lens: &[u32], strings: &impl Strings, lists: Range<usize>) {
        if lists.start == 0 {
            self.number_of = vec![UNUSED; plan.symbols.len()];
            if plan.symbols.first().is_some_and(|&first| strings.get(first).is_empty()) {
                self.number_of[0] = USED;
            }
        }
        for list in lists.filter(|&list| list > 0 && lens[list] > 0) {
            let (name, value) = plan.lists[list];
            self.number_of[name.0 as usize] = USED;
            self.number_of[value.0 as usize] = USED;
        }
    }

    fn number(&mut self, plan: &mut Plan, strings: &impl Strings, symbols: Range<usize>) {
        if symbols.start == 0 {
            plan.symbols_len = 4;
        }
        for symbol in symbols {
            if self.number_of[symbol] == UNUSED {
                continue;
            }
            let string = plan.symbols[symbol];
            plan.symbols_len += string_len(strings.get(string));
            plan.symbols[self.kept as usize] = string;
            self.number_of[symbol] = self.kept;
            self.kept += 1;
        }
    }

    fn encode(&mut self, plan: &mut Plan, lens: &[u32], lists: Range<usize>) {
        plan.labels.reserve_exact(plan.lists.len() - plan.labels.len());
        for list in lists {
            let (name, value) = &mut plan.lists[list];
            if list > 0 && lens[list] > 0 && !self.number_of.is_empty() {
                name.0 = self.number_of[name.0 as usize];
                value.0 = self.number_of[value.0 as usize];
            }
            plan.labels.push(LabelBytes::new(*name, *value));
        }
    }
}
