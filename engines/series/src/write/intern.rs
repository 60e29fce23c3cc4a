//! Series given as strings: each label pair gets a number when it is first met.
//!
//! Callers: write; faces/manicule

use manicule_core::idmap::PairIds;
use manicule_core::sorted::Strings;

use super::rows::{LabelRows, RowPart};

/// Label sets in the order in which they were given, their strings held once.
///
/// It is also the strings that a writer wants: the empty one, the names, and the value of each pair.
#[derive(Clone, Debug, Default)]
pub struct LabelSets {
    pairs: LabelPairs,
    parts: Vec<RowPart>,
}

impl LabelSets {
    /// Adds a series. Labels that the series before has too are found soonest, so sorted series are fastest.
    #[inline]
    pub fn push<'l>(&mut self, labels: impl IntoIterator<Item = (&'l [u8], &'l [u8])>) {
        let LabelSets { pairs: LabelPairs { ids: pairs }, parts } = self;
        if parts.last().is_none_or(|part| !part.names.is_empty()) {
            parts.push(RowPart::default());
        }
        let part = parts.last_mut().expect("a part was begun");
        part.rows.push(labels, |before, (name, value)| match before {
            Some(before) => pairs.id_behind(before, name, value),
            None => pairs.id(name, value),
        });
    }

    /// Adds the series of another: what two threads have made of two halves. Costs a look-up for each label pair.
    pub fn append(&mut self, other: LabelSets) {
        let LabelSets { pairs, parts } = self;
        let others = other.pairs.ids;
        let id = |id| pairs.id(others.name(others.name_of(id)), others.value(id));
        let ids: Vec<u32> = (0..others.count()).map(id).collect();
        for mut part in other.parts {
            if part.names.is_empty() {
                part.names.clone_from(&ids);
            } else {
                part.names.iter_mut().for_each(|pair| *pair = ids[*pair as usize]);
            }
            parts.push(part);
        }
    }

    /// How many series there are.
    pub fn count(&self) -> u64 {
        self.parts.iter().map(|part| part.rows.count()).sum()
    }

    /// The label pairs as a writer wants them: the numbers of a name and a value among these strings.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        self.pairs.list()
    }

    /// The label pairs of each series.
    pub fn series(&self) -> LabelRows<'_> {
        LabelRows::new(&self.parts)
    }

    /// How many bytes of memory they hold.
    pub fn memory(&self) -> usize {
        let part = |part: &RowPart| part.rows.memory() + 4 * part.names.capacity();
        self.pairs.memory() + self.parts.iter().map(part).sum::<usize>()
    }
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

/// Label pairs with numbers, for who keeps the series by itself; and their strings as a writer wants them: the empty one,
/// the names, and the value of each pair.
#[derive(Clone, Debug, Default)]
pub struct LabelPairs {
    ids: PairIds,
}

impl LabelPairs {
    /// The number of a pair, which is added if it is new.
    #[inline]
    pub fn id(&mut self, name: &[u8], value: &[u8]) -> u32 {
        self.ids.id(name, value)
    }

    /// The pairs as a writer wants them: the numbers of a name and a value among these strings.
    pub fn list(&self) -> Vec<(u32, u32)> {
        let first_value = 1 + self.ids.name_count();
        let pair = |id| (1 + self.ids.name_of(id), first_value + id);
        (0..self.ids.count()).map(pair).collect()
    }

    /// How many bytes of memory they hold.
    pub fn memory(&self) -> usize {
        self.ids.memory()
    }
}

impl Strings for LabelPairs {
    fn count(&self) -> u32 {
        1 + self.ids.name_count() + self.ids.count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        let Some(name) = number.checked_sub(1) else { return b"" };
        match name.checked_sub(self.ids.name_count()) {
            None => self.ids.name(name),
            Some(pair) => self.ids.value(pair),
        }
    }
}
