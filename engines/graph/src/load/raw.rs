//! Quads as a document writes them: terms that lie in its bytes, checked only by who needs it.
//!
//! A term that was seen before was checked before. So the reader of lines cuts terms out of the
//! bytes unchecked, and its sink checks those that are new to it: 335,092 of the 3.1 million in a
//! file of 1.04 million triples.

use oxrdf::{BaseDirection, GraphName, NamedNodeRef, NamedOrBlankNode, Quad, Term, Triple};

use super::iri::is_plain_iri;
use crate::sparql::levels;
use crate::term::{Direction, TRIPLE_LEVELS_MAX, TermRef};

/// The datatype of simple literals, which is never written with them.
pub(super) const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
/// The datatype of literals with a language tag, which none other may have.
pub(super) const LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

/// The datatype of those with a base direction too.
const DIR_LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";

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
    /// A literal, its language tag and its base direction.
    Directional(&'a [u8], &'a [u8], Direction),
    /// A triple term, as a parser gave it.
    Triple(&'a Triple),
}

impl<'a> From<&'a NamedOrBlankNode> for RawTerm<'a> {
    fn from(node: &'a NamedOrBlankNode) -> Self {
        match node {
            NamedOrBlankNode::NamedNode(iri) => RawTerm::Iri(iri.as_str().as_bytes()),
            NamedOrBlankNode::BlankNode(label) => RawTerm::Blank(label.as_str().as_bytes()),
        }
    }
}

impl<'a> From<&'a Term> for RawTerm<'a> {
    fn from(term: &'a Term) -> Self {
        let literal = match term {
            Term::NamedNode(iri) => return RawTerm::Iri(iri.as_str().as_bytes()),
            Term::BlankNode(label) => return RawTerm::Blank(label.as_str().as_bytes()),
            Term::Triple(triple) => return RawTerm::Triple(triple),
            Term::Literal(literal) => literal,
        };
        let text = literal.value().as_bytes();
        let Some(tag) = literal.language() else {
            let datatype = literal.datatype().as_str();
            let is_string = datatype == XSD_STRING;
            return if is_string {
                RawTerm::Simple(text)
            } else {
                RawTerm::Typed(text, datatype.as_bytes())
            };
        };
        let direction = match literal.direction() {
            None => return RawTerm::Tagged(text, tag.as_bytes()),
            Some(BaseDirection::Ltr) => Direction::Ltr,
            Some(BaseDirection::Rtl) => Direction::Rtl,
        };
        RawTerm::Directional(text, tag.as_bytes(), direction)
    }
}

impl<'a> RawTerm<'a> {
    /// The term as a store takes it, none for a blank node or a triple term, which may have some
    /// inside. A checked term: its bytes are UTF-8. A language tag is written to `tag`, in lower
    /// case.
    pub(crate) fn term_ref<'t>(self, tag: &'t mut String) -> Option<TermRef<'t>>
    where
        'a: 't,
    {
        let text = |bytes| str::from_utf8(bytes).expect("terms are checked before");
        let mut lower_case = |written| {
            tag.clear();
            tag.push_str(text(written));
            tag.make_ascii_lowercase();
        };
        Some(match self {
            RawTerm::Blank(_) | RawTerm::Triple(_) => return None,
            RawTerm::Iri(iri) => TermRef::Iri(text(iri)),
            RawTerm::Simple(lexical) => TermRef::Simple(text(lexical)),
            RawTerm::Typed(lexical, datatype) => TermRef::Typed(text(lexical), text(datatype)),
            RawTerm::Tagged(lexical, written) => {
                lower_case(written);
                TermRef::Tagged(text(lexical), tag)
            }
            RawTerm::Directional(lexical, written, direction) => {
                lower_case(written);
                TermRef::Directional(text(lexical), tag, direction)
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
            RawTerm::Tagged(text, tag) | RawTerm::Directional(text, tag, _) => {
                str::from_utf8(text).is_ok() && is_tag(tag)
            }
            RawTerm::Triple(triple) => {
                levels(&triple.object) < TRIPLE_LEVELS_MAX
                    && RawTerm::from(&triple.subject).is_valid()
                    && is_iri(triple.predicate.as_str().as_bytes())
                    && RawTerm::from(&triple.object).is_valid()
            }
            RawTerm::Typed(text, datatype) => {
                str::from_utf8(text).is_ok()
                    && ![LANG_STRING, DIR_LANG_STRING].map(str::as_bytes).contains(&datatype)
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

impl<'a> From<&'a Quad> for RawQuad<'a> {
    fn from(quad: &'a Quad) -> Self {
        RawQuad {
            subject: (&quad.subject).into(),
            predicate: RawTerm::Iri(quad.predicate.as_str().as_bytes()),
            object: (&quad.object).into(),
            graph: match &quad.graph_name {
                GraphName::DefaultGraph => None,
                GraphName::NamedNode(iri) => Some(RawTerm::Iri(iri.as_str().as_bytes())),
                GraphName::BlankNode(label) => Some(RawTerm::Blank(label.as_str().as_bytes())),
            },
        }
    }
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
