//! Terms that were found in files, by their bytes: one that comes again and again is looked for
//! there once.

use manicule_core::sorted::{Arena, Numbers, Strings, equal};
use manicule_format_leaf::{Id, Tag};

/// Memory from which on everything is forgotten: what comes again is found again.
const MEMORY_MAX: usize = 16 << 20;

/// Ids of terms of a store that were found.
#[derive(Debug, Default)]
pub struct Memo {
    texts: Arena,
    ids: Vec<Id>,
    numbers: Numbers,
}

impl Memo {
    /// The id of a term, if it was found before.
    pub fn find(&self, tag: Tag, bytes: &[u8], hash: u64) -> Option<Id> {
        let id = |number: u32| self.ids[number as usize];
        let is_it = |number| id(number).tag() == tag && equal(self.texts.get(number), bytes);
        self.numbers.find(hash, is_it).map(id)
    }

    /// Keeps a term that isn't here.
    pub fn add(&mut self, id: Id, bytes: &[u8], hash: u64) {
        if self.texts.memory() + self.numbers.memory() > MEMORY_MAX {
            *self = Memo::default();
        }
        self.numbers.find_or_add(hash, |_| false, self.texts.count());
        self.texts.push(bytes);
        self.ids.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_under_their_tags() {
        let mut memo = Memo::default();
        let [iri, string] = [Tag::IRI, Tag::STRING].map(|tag| Id::new(tag, 7));
        memo.add(iri, b"a", 1);
        memo.add(string, b"a", 1);
        assert_eq!(memo.find(Tag::IRI, b"a", 1), Some(iri));
        assert_eq!(memo.find(Tag::STRING, b"a", 1), Some(string));
        assert_eq!(memo.find(Tag::TYPED, b"a", 1), None);
        let large = vec![b'x'; MEMORY_MAX];
        memo.add(iri, &large, 2);
        memo.add(iri, b"b", 3);
        assert_eq!((memo.find(Tag::IRI, b"a", 1), memo.find(Tag::IRI, b"b", 3)), (None, Some(iri)));
    }
}
