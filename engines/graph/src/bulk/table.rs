//! Terms of a run, each once: found by their bytes, numbered from 0 in the order in which they
//! come.

use manicule_core::sorted::{HashKeys, equal};
use manicule_format_leaf::{Id, Tag};

/// What a term is: for one with a text its tag, over the offset of its record; for an inlined one
/// its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(pub(super) u64);

impl Place {
    fn new(tag: Tag, at: usize) -> Place {
        Place(Id::new(tag, at as u64).0)
    }

    /// The tag of the term.
    pub(super) fn tag(self) -> Tag {
        Id(self.0).tag()
    }

    fn at(self) -> usize {
        Id(self.0).payload() as usize
    }
}

/// Texts of terms, back to back.
///
/// A record is | u32 number | u32 len | text |. The text of a blank node is what tells it from others: the number of its document and
/// its label; after it is | u64 position |, at which it came first.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<u8>);

/// Length of what comes before a text.
const HEAD_LEN: usize = 2 * size_of::<u32>();

impl Texts {
    #[inline]
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().expect("four bytes"))
    }

    /// The text of a place.
    #[inline]
    pub(super) fn get(&self, place: Place) -> &[u8] {
        let at = place.at();
        let start = at + HEAD_LEN;
        &self.0[start..start + self.word(at + 4) as usize]
    }

    /// Where the blank node of a place came first.
    pub(super) fn position(&self, place: Place) -> u64 {
        let end = place.at() + HEAD_LEN + self.get(place).len();
        u64::from_le_bytes(self.0[end..end + 8].try_into().expect("eight bytes"))
    }

    /// The number of the term with a text at a place.
    pub(super) fn number(&self, place: Place) -> u32 {
        self.word(place.at())
    }
}

/// A place that a term may be at. Sixteen bytes: a look-up touches one line of the table and one of
/// the text.
#[derive(Clone, Copy, Debug)]
struct Slot {
    place: Place,
    number: u32,
    /// Upper half of the hash.
    code: u32,
}

/// Number of a slot that is free: terms have lower ones.
const FREE: u32 = u32::MAX;

/// Maximum number of terms of a table.
const TERMS_MAX: usize = 1 << 31;

/// Number of slots of an empty table.
const SLOTS_MIN: usize = 1 << 10;

/// The terms of a run.
#[derive(Debug)]
pub(super) struct Terms {
    keys: HashKeys,
    slots: Vec<Slot>,
    texts: Texts,
    /// By their numbers.
    places: Vec<Place>,
}

/// A hash and what it was made of, for [`Terms::add`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed(u64);

impl Terms {
    /// No terms.
    pub(super) fn new(keys: HashKeys) -> Self {
        Terms { keys, slots: free(SLOTS_MIN), texts: Texts::default(), places: Vec::new() }
    }

    /// Whether no more terms have a number.
    pub(super) fn is_full(&self) -> bool {
        self.places.len() >= TERMS_MAX
    }

    /// Bytes of memory that the terms take.
    pub(super) fn memory(&self) -> usize {
        self.texts.0.len() + size_of_val(&*self.slots) + size_of_val(&*self.places)
    }

    /// The places by numbers, and the texts. The table forgets all.
    pub(super) fn drain(&mut self) -> (Vec<Place>, Texts) {
        self.slots = free(SLOTS_MIN);
        (std::mem::take(&mut self.places), std::mem::take(&mut self.texts))
    }

    /// The hash of a term with a text.
    #[inline]
    pub(super) fn hash(&self, tag: Tag, text: &[u8]) -> Hashed {
        Hashed(self.keys.hash(text) ^ u64::from(tag.0).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The number of a term with a text.
    #[inline]
    pub(super) fn find(&self, tag: Tag, text: &[u8], Hashed(hash): Hashed) -> Option<u32> {
        let is_it = |place: Place| place.tag() == tag && equal(self.texts.get(place), text);
        self.find_slot(hash, is_it)
    }

    /// Adds a term with a text, which isn't there.
    pub(super) fn add(&mut self, tag: Tag, text: &[u8], Hashed(hash): Hashed) -> u32 {
        let number = self.places.len() as u32;
        let place = Place::new(tag, self.texts.0.len());
        let len = u32::try_from(text.len()).expect("a term is shorter than 4 GiB");
        self.texts.0.extend_from_slice(&number.to_le_bytes());
        self.texts.0.extend_from_slice(&len.to_le_bytes());
        self.texts.0.extend_from_slice(text);
        self.put(place, hash)
    }

    /// The number of an inlined literal, which is added if it is new.
    #[inline]
    pub(super) fn find_or_add_inlined(&mut self, id: Id) -> u32 {
        let hash = id.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        match self.find_slot(hash, |place| place.0 == id.0) {
            Some(number) => number,
            None => self.put(Place(id.0), hash),
        }
    }

    /// Adds a blank node, which isn't there, at the position at which it comes.
    pub(super) fn add_blank(&mut self, text: &[u8], hash: Hashed, position: u64) -> u32 {
        let number = self.add(Tag::BLANK, text, hash);
        self.texts.0.extend_from_slice(&position.to_le_bytes());
        number
    }

    #[inline]
    fn find_slot(&self, hash: u64, is_it: impl Fn(Place) -> bool) -> Option<u32> {
        let code = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = first_of(code, self.slots.len());
        loop {
            let slot = &self.slots[at];
            if slot.number == FREE {
                return None;
            }
            if slot.code == code && is_it(slot.place) {
                return Some(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    fn put(&mut self, place: Place, hash: u64) -> u32 {
        if self.places.len() * 4 >= self.slots.len() * 3 {
            let mut slots = free(self.slots.len() * 2);
            let old = self.slots.iter().filter(|slot| slot.number != FREE);
            old.for_each(|slot| put_slot(&mut slots, *slot));
            self.slots = slots;
        }
        let number = self.places.len() as u32;
        put_slot(&mut self.slots, Slot { place, number, code: (hash >> 32) as u32 });
        self.places.push(place);
        number
    }
}

fn free(count: usize) -> Vec<Slot> {
    vec![Slot { place: Place(0), number: FREE, code: 0 }; count]
}

/// The slot that the search for a code begins at: its upper bits, of which the table has as many as
/// it needs.
#[inline]
fn first_of(code: u32, count: usize) -> usize {
    ((u64::from(code) * count as u64) >> 32) as usize
}

fn put_slot(slots: &mut [Slot], slot: Slot) {
    let mask = slots.len() - 1;
    let mut at = first_of(slot.code, slots.len());
    while slots[at].number != FREE {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Rng;
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn terms_are_found_under_their_tags() {
        let mut terms = Terms::new(HashKeys::new(3));
        let mut plain: HashMap<(Tag, Vec<u8>), u32> = HashMap::new();
        let mut inlined: HashMap<Id, u32> = HashMap::new();
        let mut rng = Rng::new(1);
        for _ in 0..40_000 {
            let next = terms.places.len() as u32;
            if rng.one_in(3) {
                let id = Id::new(Tag(16 + rng.below(3) as u8), rng.below(3000) as u64);
                let number = terms.find_or_add_inlined(id);
                assert_eq!(number, *inlined.entry(id).or_insert(next));
                continue;
            }
            let tag = rng.pick(&[Tag::BLANK, Tag::IRI, Tag::TYPED]);
            let text = vec![b'x'; rng.below(3)].into_iter().chain(rng.below(5000).to_le_bytes());
            let text: Vec<u8> = text.collect();
            let hash = terms.hash(tag, &text);
            let found = terms.find(tag, &text, hash);
            assert_eq!(found, plain.get(&(tag, text.clone())).copied());
            if found.is_none() {
                assert_eq!(terms.add(tag, &text, hash), next);
                plain.insert((tag, text), next);
            }
        }
        let (places, texts) = terms.drain();
        assert_eq!(places.len(), plain.len() + inlined.len());
        for ((tag, text), number) in plain {
            let place = places[number as usize];
            assert_eq!((place.tag(), texts.get(place)), (tag, &text[..]));
            assert_eq!(texts.number(place), number);
        }
        assert!(inlined.iter().all(|(id, number)| places[*number as usize].0 == id.0));
        assert_eq!(terms.places.len(), 0);
    }
}
