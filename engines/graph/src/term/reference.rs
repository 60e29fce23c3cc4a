//! A term of RDF, borrowed; a triple term by its bytes, of which term/triple.rs makes the terms.

use std::fmt;

/// A term, borrowed. Equality of values is sameTerm, if language tags are in lower case and no
/// literal with the datatype xsd:string is [`TermRef::Typed`]: both are the duty of who makes one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TermRef<'a> {
    /// A blank node of the store, by its number.
    Blank(u64),
    /// An IRI, without brackets.
    Iri(&'a str),
    /// A simple literal, by its lexical form.
    Simple(&'a str),
    /// A literal with a language tag: lexical form, tag in lower case.
    Tagged(&'a str, &'a str),
    /// A literal with a language tag and a base direction: lexical form, tag in lower case.
    Directional(&'a str, &'a str, Direction),
    /// A literal of another datatype than xsd:string: lexical form, datatype.
    Typed(&'a str, &'a str),
    /// A triple term.
    Triple(TripleRef<'a>),
}

/// Base direction of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// From left to right.
    Ltr,
    /// From right to left.
    Rtl,
}

impl Direction {
    /// The name that the syntaxes have for it.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Ltr => "ltr",
            Direction::Rtl => "rtl",
        }
    }

    /// The language and the direction of what follows the `@` of a literal; none without a
    /// direction.
    pub fn split(tag: &str) -> Option<(&str, Direction)> {
        [Direction::Ltr, Direction::Rtl].into_iter().find_map(|direction| {
            let language = tag.strip_suffix(direction.name())?.strip_suffix("--")?;
            Some((language, direction))
        })
    }
}

/// Maximum number of triple terms inside each other: who reads one calls itself for each.
pub const TRIPLE_LEVELS_MAX: usize = 64;

/// A triple term, borrowed. Its bytes were checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TripleRef<'a> {
    pub(super) parts: &'a [u8],
}

/// A triple term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TripleBuf {
    pub(super) parts: Vec<u8>,
}

/// Error of a triple term that no store takes: more than [`TRIPLE_LEVELS_MAX`] inside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyLevels;

impl fmt::Display for TooManyLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {TRIPLE_LEVELS_MAX} triple terms inside each other")
    }
}
