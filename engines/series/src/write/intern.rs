//! Series given as strings: each label pair gets a number when it is first met.
//!
//! Callers: write; faces/manicule

use manicule_core::sorted::{Arena, Interner, Strings};

use super::source::Rows;

/// Label sets with their strings held once, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct LabelSets {
    strings: Interner,
    /// The values of each name, by the name's number: interned apart, so that a number stands for the pair.
    pairs: Vec<(u32, u32)>,
    pair_of: std::collections::HashMap<(u32, u32), u32>,
    series: Rows<u32>,
}

impl LabelSets {
    /// No series yet.
    pub fn new() -> Self {
        let mut sets = LabelSets::default();
        sets.strings.intern(b"");
        sets
    }

    /// Adds a series.
    pub fn push<'l>(&mut self, labels: impl IntoIterator<Item = (&'l [u8], &'l [u8])>) {
        let LabelSets { strings, pairs, pair_of, series } = self;
        series.push(labels.into_iter().map(|(name, value)| {
            let pair = (strings.intern(name), strings.intern(value));
            *pair_of.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                pairs.len() as u32 - 1
            })
        }));
    }

    /// The strings, each once; the first is empty.
    pub fn strings(&self) -> &Arena {
        self.strings.strings()
    }

    /// The label pairs: the numbers of a name and a value.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The label pairs of each series.
    pub fn series(&self) -> &Rows<u32> {
        &self.series
    }

    /// How many bytes of memory they hold.
    pub fn memory(&self) -> usize {
        self.strings.memory() + self.pairs.capacity() * 8 + self.series.memory()
    }
}

impl Strings for LabelSets {
    fn count(&self) -> u32 {
        self.strings.count()
    }

    fn get(&self, number: u32) -> &[u8] {
        self.strings.get(number)
    }
}
