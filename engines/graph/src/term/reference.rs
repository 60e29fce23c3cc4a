//! A term of RDF, borrowed.

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
    /// A literal of another datatype than xsd:string: lexical form, datatype.
    Typed(&'a str, &'a str),
}
