//! Bits by id: marks that grow, and a set that knows the rank of each member.

/// A bit an id; ids beyond the end have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Bits as words, lowest first. Zeros at the end are left out.
    pub(crate) fn from_words(mut words: Vec<u64>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Bits { words }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> bool {
        self.words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    #[inline]
    pub(crate) fn set(&mut self, id: u32) {
        let place = id as usize / 64;
        if place >= self.words.len() {
            self.words.resize(place + 1, 0);
        }
        self.words[place] |= 1 << (id % 64);
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// The first id above all that are set.
    pub(crate) fn end(&self) -> u64 {
        let last = self.words.iter().rposition(|&word| word != 0);
        last.map_or(0, |place| place as u64 * 64 + u64::from(self.words[place].ilog2()) + 1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let rest = std::iter::successors((word != 0).then_some(word), |rest| {
                let rest = rest & (rest - 1);
                (rest != 0).then_some(rest)
            });
            rest.map(move |rest| place as u32 * 64 + rest.trailing_zeros())
        })
    }

    pub(crate) fn memory_len(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

/// A set of ids, each of which has a place from 0: how many are smaller.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    bits: Bits,
    /// Number of ids before each word.
    before: Vec<u32>,
    ids: Vec<u32>,
}

impl Ranked {
    pub(crate) fn new(bits: Bits) -> Self {
        let ids: Vec<u32> = bits.iter().collect();
        let mut before = Vec::with_capacity(bits.words.len());
        let mut count = 0;
        for word in &bits.words {
            before.push(count);
            count += word.count_ones();
        }
        Ranked { bits, before, ids }
    }

    pub(crate) fn bits(&self) -> &Bits {
        &self.bits
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The id at a place.
    #[inline]
    pub(crate) fn id(&self, place: u32) -> u32 {
        self.ids[place as usize]
    }

    /// The place of an id.
    #[inline]
    pub(crate) fn place(&self, id: u32) -> Option<u32> {
        let word = id as usize / 64;
        let bits = *self.bits.words.get(word)?;
        let below = bits & ((1 << (id % 64)) - 1);
        (bits >> (id % 64) & 1 == 1).then(|| self.before[word] + below.count_ones())
    }

    pub(crate) fn memory_len(&self) -> usize {
        self.bits.memory_len() + (self.before.capacity() + self.ids.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::{Bits, Ranked};

    #[test]
    fn places_and_ids_lead_to_each_other() {
        let mut bits = Bits::default();
        let ids: Vec<u32> = (0..5000).filter(|id| id * id % 7 < 2 || id % 640 == 639).collect();
        ids.iter().for_each(|&id| bits.set(id));
        assert_eq!(bits.end(), u64::from(*ids.last().unwrap()) + 1);
        let ranked = Ranked::new(bits);
        assert_eq!(ranked.len(), ids.len());
        for id in 0..5100 {
            let plain = ids.binary_search(&id).ok().map(|place| place as u32);
            assert_eq!(ranked.place(id), plain, "{id}");
            assert!(plain.is_none_or(|place| ranked.id(place) == id));
        }
    }
}
