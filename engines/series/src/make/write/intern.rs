//! Series given as strings: each label pair gets a number when it is first met.

use manicule_core::idmap::PairIds;
use manicule_core::sorted::Strings;

use super::rows::{LabelRows, RowPart};
use super::source::Rows;

/// Label sets in any order, their strings held once; each is found by its place.
///
/// It is also the strings that a writer wants: the empty one, the names, and the value of each
/// pair.
#[derive(Clone, Debug, Default)]
pub struct LabelSets {
    pairs: PairIds,
    series: Rows<u32>,
}

impl LabelSets {
    /// Adds a series. Labels that the series before has too are found soonest, so sorted series are
    /// fastest.
    #[inline]
    pub fn push<'l>(&mut self, labels: impl IntoIterator<Item = (&'l [u8], &'l [u8])>) {
        let LabelSets { pairs, series } = self;
        series.push_behind(labels, |before, (name, value)| match before {
            Some(before) => pairs.id_behind(before, name, value),
            None => pairs.id(name, value),
        });
    }

    /// The label pairs as a writer wants them: the numbers of a name and a value among these
    /// strings.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        self.pairs.string_pairs()
    }

    /// The label pairs of each series.
    pub fn series(&self) -> &Rows<u32> {
        &self.series
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.pairs.memory() + self.series.memory()
    }
}

/// Label sets in the order of the file, their strings held once: [`LabelSets`] in a quarter of the
/// memory, read from the first to the last.
#[derive(Clone, Debug, Default)]
pub struct SortedSets {
    pairs: PairIds,
    parts: Vec<RowPart>,
}

impl SortedSets {
    /// Adds a series. Costs little for labels that the series before has too.
    #[inline]
    pub fn push<'l>(&mut self, labels: impl IntoIterator<Item = (&'l [u8], &'l [u8])>) {
        let SortedSets { pairs, parts } = self;
        if parts.last().is_none_or(|part| !part.names.is_empty()) {
            parts.push(RowPart::default());
        }
        let part = parts.last_mut().expect("a part was begun");
        part.rows.push(labels, |before, (name, value)| match before {
            Some(before) => pairs.id_behind(before, name, value),
            None => pairs.id(name, value),
        });
    }

    /// Adds the series of another: what two threads have made of two halves. Costs a look-up for
    /// each label pair.
    pub fn append(&mut self, other: SortedSets) {
        let ids = joined(&mut self.pairs, &other.pairs);
        for mut part in other.parts {
            if part.names.is_empty() {
                part.names.clone_from(&ids);
            } else {
                part.names.iter_mut().for_each(|pair| *pair = ids[*pair as usize]);
            }
            self.parts.push(part);
        }
    }

    /// Number of series.
    pub fn count(&self) -> u64 {
        self.parts.iter().map(|part| part.rows.count()).sum()
    }

    /// The label pairs as a writer wants them: the numbers of a name and a value among these
    /// strings.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        self.pairs.string_pairs()
    }

    /// The label pairs of each series.
    pub fn series(&self) -> LabelRows<'_> {
        LabelRows::new(&self.parts)
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        let part = |part: &RowPart| part.rows.memory() + 4 * part.names.capacity();
        self.pairs.memory() + self.parts.iter().map(part).sum::<usize>()
    }
}

/// Numbers of the pairs of `other` among `pairs`, which take in what they lack.
fn joined(pairs: &mut PairIds, other: &PairIds) -> Vec<u32> {
    let id = |id| pairs.id(other.name(other.name_of(id)), other.value(id));
    (0..other.pair_count()).map(id).collect()
}

impl Strings for LabelSets {
    fn count(&self) -> u32 {
        self.pairs.count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        self.pairs.get(number)
    }
}

impl Strings for SortedSets {
    fn count(&self) -> u32 {
        self.pairs.count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        self.pairs.get(number)
    }
}
