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
    pairs: PairIds,
    parts: Vec<RowPart>,
}

impl LabelSets {
    /// Adds a series. Labels that the series before has too are found soonest, so sorted series are fastest.
    #[inline]
    pub fn push<'l>(&mut self, labels: impl IntoIterator<Item = (&'l [u8], &'l [u8])>) {
        let LabelSets { pairs, parts } = self;
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
        let id = |id| pairs.id(other.pairs.name(other.pairs.name_of(id)), other.pairs.value(id));
        let ids: Vec<u32> = (0..other.pairs.count()).map(id).collect();
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
        let first_value = 1 + self.pairs.name_count();
        let pair = |id| (1 + self.pairs.name_of(id), first_value + id);
        (0..self.pairs.count()).map(pair).collect()
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
        1 + self.pairs.name_count() + self.pairs.count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        let Some(name) = number.checked_sub(1) else { return b"" };
        match name.checked_sub(self.pairs.name_count()) {
            None => self.pairs.name(name),
            Some(pair) => self.pairs.value(pair),
        }
    }
}
