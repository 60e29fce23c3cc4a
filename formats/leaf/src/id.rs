//! Ids of terms: eight bits of tag, 56 of payload, so that ids of one tag compare as their payloads
//! do.
//!
//! Bytes:   | 8 bits tag | 56 bits payload |, docs/formats/leaf.md

use std::fmt;

const PAYLOAD_BITS: u32 = 56;

/// What an id names, and how its payload is read. Tags below [`Tag::FIRST_INLINE`] number terms of
/// the dictionary, each tag from 0; from there on the payload is the value of a literal whose
/// lexical form follows from it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub u8);

impl Tag {
    /// The default graph, as the graph of a quad. Its payload is 0.
    pub const DEFAULT_GRAPH: Tag = Tag(0);
    /// Blank nodes: a number and nothing else.
    pub const BLANK: Tag = Tag(1);
    /// IRIs.
    pub const IRI: Tag = Tag(2);
    /// Simple literals, whose datatype is xsd:string.
    pub const STRING: Tag = Tag(3);
    /// Literals with a language tag.
    pub const TAGGED: Tag = Tag(4);
    /// Literals of all other datatypes, as far as they aren't inlined.
    pub const TYPED: Tag = Tag(5);
    /// Triple terms.
    pub const TRIPLE: Tag = Tag(6);
    /// The first tag whose payload is a value.
    pub const FIRST_INLINE: Tag = Tag(16);

    /// Whether the dictionary holds a text for ids of this tag.
    pub fn has_text(self) -> bool {
        (Tag::IRI..=Tag::TRIPLE).contains(&self)
    }

    /// Whether ids of this tag are numbered from 0, with a text or without.
    pub fn is_numbered(self) -> bool {
        self == Tag::BLANK || self.has_text()
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tag {}", self.0)
    }
}

/// How a term is named inside a store. Two ids of one store are equal if and only if the terms are
/// the same term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Id(pub u64);

impl Id {
    /// The default graph.
    pub const DEFAULT_GRAPH: Id = Id(0);
    /// The least id: a bound from below.
    pub const MIN: Id = Id(0);
    /// Greater than every id of a term: a bound from above.
    pub const MAX: Id = Id(u64::MAX);
    /// The greatest payload.
    pub const PAYLOAD_MAX: u64 = (1 << PAYLOAD_BITS) - 1;

    /// The id of `payload` under a tag.
    ///
    /// Panics if the payload exceeds [`Id::PAYLOAD_MAX`].
    pub fn new(tag: Tag, payload: u64) -> Id {
        assert!(payload <= Id::PAYLOAD_MAX, "a payload has 56 bits");
        Id(u64::from(tag.0) << PAYLOAD_BITS | payload)
    }

    /// What the id names.
    pub fn tag(self) -> Tag {
        Tag((self.0 >> PAYLOAD_BITS) as u8)
    }

    /// The number of a term, or the value.
    pub fn payload(self) -> u64 {
        self.0 & Id::PAYLOAD_MAX
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.tag().0, self.payload())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_a_tag_compare_as_payloads() {
        let of = |payload| Id::new(Tag::STRING, payload);
        assert!(of(3) < of(4) && of(Id::PAYLOAD_MAX) < Id::new(Tag::TAGGED, 0));
        assert_eq!((of(7).tag(), of(7).payload()), (Tag::STRING, 7));
        assert!(
            Id::DEFAULT_GRAPH < Id::new(Tag::BLANK, 0)
                && Id::new(Tag(254), Id::PAYLOAD_MAX) < Id::MAX
        );
    }
}
