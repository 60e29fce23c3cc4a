//! Terms of one or some commits, in memory: found by their bytes and by their numbers.

use manicule_core::sorted::{Arena, HashKeys, Numbers, Strings, equal};
use manicule_format_leaf::{Id, Tag};

/// The tags whose terms have a text.
pub const TEXT_TAGS: [Tag; 5] = [Tag::IRI, Tag::STRING, Tag::TAGGED, Tag::TYPED, Tag::TRIPLE];

/// A number for each of [`TEXT_TAGS`].
pub type PerTag<T> = [T; TEXT_TAGS.len()];

/// The place of a tag in [`TEXT_TAGS`]; none for tags without texts.
pub fn place_of(tag: Tag) -> Option<usize> {
    tag.has_text().then(|| usize::from(tag.0 - Tag::IRI.0))
}

/// Terms of a tag whose numbers follow each other.
#[derive(Clone, Debug, Default)]
struct Terms {
    first: u64,
    texts: Arena,
    numbers: Numbers,
}

/// Terms with numbers that follow each other, of each tag.
#[derive(Clone, Debug)]
pub struct Piece {
    keys: HashKeys,
    tags: PerTag<Terms>,
}

impl Piece {
    /// No terms. The first of each tag gets the number in `next`.
    pub fn new(keys: HashKeys, next: PerTag<u64>) -> Self {
        Piece { keys, tags: next.map(|first| Terms { first, ..Terms::default() }) }
    }

    /// The number that each tag's next term gets.
    pub fn next(&self) -> PerTag<u64> {
        self.tags.each_ref().map(|terms| terms.first + u64::from(terms.texts.count()))
    }

    /// The number of the first term of each tag.
    pub fn first(&self) -> PerTag<u64> {
        self.tags.each_ref().map(|terms| terms.first)
    }

    /// The hash of the bytes of a term, with which it is looked for in every piece of a store.
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        self.keys.hash(bytes)
    }

    /// The id of a term.
    pub fn find(&self, tag: Tag, bytes: &[u8], hash: u64) -> Option<Id> {
        let terms = &self.tags[place_of(tag)?];
        let is_it = |number| equal(terms.texts.get(number), bytes);
        let number = terms.numbers.find(hash, is_it)?;
        Some(Id::new(tag, terms.first + u64::from(number)))
    }

    /// The id of a term, which is added if it is new.
    ///
    /// Panics if the tag has no texts.
    pub fn find_or_add(&mut self, tag: Tag, bytes: &[u8], hash: u64) -> Id {
        let Terms { first, texts, numbers } =
            &mut self.tags[place_of(tag).expect("a tag with texts")];
        let next = texts.count();
        let number = numbers.find_or_add(hash, |number| equal(texts.get(number), bytes), next);
        if number == next {
            texts.push(bytes);
        }
        Id::new(tag, *first + u64::from(number))
    }

    /// The bytes of a term.
    pub fn get(&self, id: Id) -> Option<&[u8]> {
        let terms = &self.tags[place_of(id.tag())?];
        let number = id.payload().checked_sub(terms.first)?;
        let number = u32::try_from(number).ok().filter(|number| *number < terms.texts.count())?;
        Some(terms.texts.get(number))
    }

    /// The texts of a tag, by their numbers less that of the first.
    pub fn texts(&self, place: usize) -> &Arena {
        &self.tags[place].texts
    }

    /// Number of terms.
    pub fn count(&self) -> u64 {
        self.tags.iter().map(|terms| u64::from(terms.texts.count())).sum()
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.tags.iter().map(|terms| terms.texts.memory() + terms.numbers.memory()).sum()
    }

    /// Adds the terms of the piece that comes next.
    ///
    /// Panics if its numbers don't follow.
    pub fn append(&mut self, other: &Piece) {
        assert_eq!(self.next(), other.first(), "pieces follow each other");
        for (terms, more) in self.tags.iter_mut().zip(&other.tags) {
            terms.numbers.append(&more.numbers, terms.texts.count());
            for number in 0..more.texts.count() {
                terms.texts.push(more.texts.get(number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_by_bytes_and_by_number() {
        let keys = HashKeys::new(1);
        let mut piece = Piece::new(keys, [10, 0, 0, 0, 0]);
        let mut add = |tag, bytes: &[u8]| piece.find_or_add(tag, bytes, keys.hash(bytes));
        assert_eq!(add(Tag::IRI, b"a"), Id::new(Tag::IRI, 10));
        assert_eq!(add(Tag::STRING, b"a"), Id::new(Tag::STRING, 0));
        assert_eq!(add(Tag::IRI, b"b"), Id::new(Tag::IRI, 11));
        assert_eq!(add(Tag::IRI, b"a"), Id::new(Tag::IRI, 10));
        let mut next = Piece::new(keys, piece.next());
        assert_eq!(next.find_or_add(Tag::IRI, b"c", keys.hash(b"c")), Id::new(Tag::IRI, 12));
        piece.append(&next);
        assert_eq!(piece.next(), [13, 1, 0, 0, 0]);
        for (number, bytes) in [(10, b"a"), (11, b"b"), (12, b"c")] {
            let id = Id::new(Tag::IRI, number);
            assert_eq!(piece.find(Tag::IRI, bytes, keys.hash(bytes)), Some(id));
            assert_eq!(piece.get(id), Some(&bytes[..]));
        }
        assert_eq!(piece.find(Tag::TAGGED, b"a", keys.hash(b"a")), None);
        let missing = [(Tag::IRI, 9), (Tag::IRI, 13), (Tag::BLANK, 0), (Tag(16), 1)];
        assert!(missing.iter().all(|(tag, number)| piece.get(Id::new(*tag, *number)).is_none()));
    }
}
