//! Quads as a document writes them: terms that lie in its bytes, checked only by who needs it.
//!
//! A term that was seen before was checked before. So the reader of lines cuts terms out of the
//! bytes unchecked, and its sink checks those that are new to it: 335,092 of the 3.1 million in a
//! file of 1.04 million triples.

use oxrdf::NamedNodeRef;

use super::iri::is_plain_iri;
use crate::term::TermRef;

/// The datatype of simple literals, which is never written with them.
pub(super) const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
/// The datatype of literals with a language tag, which none other may have.
pub(super) const LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

/// A term of a document. Escapes are resolved; bytes are UTF-8 only after a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawTerm<'a> {
    /// An IRI, without brackets.
    Iri(&'a [u8]),
    /// A blank node by its label in this document, without `_:`.
    Blank(&'a [u8]),
    /// A simple literal.
    Simple(&'a [u8]),
    /// A literal and its language tag, in any case.
    Tagged(&'a [u8], &'a [u8]),
    /// A literal of another datatype than xsd:string, and the datatype's IRI.
    Typed(&'a [u8], &'a [u8]),
}

impl<'a> RawTerm<'a> {
    /// The text: an IRI, a label, a lexical form.
    pub fn text(self) -> &'a [u8] {
        match self {
            RawTerm::Iri(text)
            | RawTerm::Blank(text)
            | RawTerm::Simple(text)
            | RawTerm::Tagged(text, _)
            | RawTerm::Typed(text, _) => text,
        }
    }

    /// The term as a store takes it, none for a blank node. A checked term: its bytes are UTF-8. A
    /// language tag is written to `tag`, in lower case.
    pub(crate) fn term_ref<'t>(self, tag: &'t mut String) -> Option<TermRef<'t>>
    where
        'a: 't,
    {
        let text = |bytes| str::from_utf8(bytes).expect("terms are checked before");
        Some(match self {
            RawTerm::Blank(_) => return None,
            RawTerm::Iri(iri) => TermRef::Iri(text(iri)),
            RawTerm::Simple(lexical) => TermRef::Simple(text(lexical)),
            RawTerm::Typed(lexical, datatype) => TermRef::Typed(text(lexical), text(datatype)),
            RawTerm::Tagged(lexical, written) => {
                tag.clear();
                tag.push_str(text(written));
                tag.make_ascii_lowercase();
                TermRef::Tagged(text(lexical), tag)
            }
        })
    }

    /// Whether the term is one by the grammar and by what IRIs and tags must be. Labels of blank
    /// nodes are always checked already.
    pub fn is_valid(self) -> bool {
        match self {
            RawTerm::Iri(iri) => is_iri(iri),
            RawTerm::Blank(_) => true,
            RawTerm::Simple(text) => str::from_utf8(text).is_ok(),
            RawTerm::Tagged(text, tag) => str::from_utf8(text).is_ok() && is_tag(tag),
            RawTerm::Typed(text, datatype) => {
                str::from_utf8(text).is_ok()
                    && datatype != LANG_STRING.as_bytes()
                    && is_iri(datatype)
            }
        }
    }
}

/// Whether the bytes are an absolute IRI.
fn is_iri(iri: &[u8]) -> bool {
    is_plain_iri(iri) || str::from_utf8(iri).is_ok_and(|iri| NamedNodeRef::new(iri).is_ok())
}

/// Whether the bytes are a language tag.
fn is_tag(tag: &[u8]) -> bool {
    let tag = str::from_utf8(tag).unwrap_or_default();
    oxrdf::Literal::new_language_tagged_literal("", tag).is_ok()
}

/// A quad of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawQuad<'a> {
    /// An IRI or a blank node.
    pub subject: RawTerm<'a>,
    /// An IRI.
    pub predicate: RawTerm<'a>,
    /// Any term.
    pub object: RawTerm<'a>,
    /// The name of the graph, an IRI or a blank node; `None` is the default graph.
    pub graph: Option<RawTerm<'a>>,
}

impl<'a> RawQuad<'a> {
    /// The terms.
    pub fn terms(&self) -> impl Iterator<Item = RawTerm<'a>> {
        [self.subject, self.predicate, self.object].into_iter().chain(self.graph)
    }
}

/// Taker of quads.
pub trait Sink {
    /// Takes a quad whose terms may be unchecked. `false`: one of them isn't valid, and nothing was
    /// taken.
    #[must_use]
    fn take(&mut self, quad: &RawQuad<'_>) -> bool;
}

/// A sink that checks every term and calls a function.
#[derive(Debug)]
pub struct Checked<F>(pub F);

impl<F: FnMut(&RawQuad<'_>)> Sink for Checked<F> {
    fn take(&mut self, quad: &RawQuad<'_>) -> bool {
        let is_valid = quad.terms().all(RawTerm::is_valid);
        if is_valid {
            (self.0)(quad);
        }
        is_valid
    }
}
