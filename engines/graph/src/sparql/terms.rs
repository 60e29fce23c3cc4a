//! Terms of a query: those of the store by their ids, all others by value, and both as RDF
//! libraries spell them.

use std::borrow::Cow;
use std::rc::Rc;

use oxrdf::vocab::xsd;
use oxrdf::{BaseDirection, BlankNode, Literal, NamedNode, NamedOrBlankNode, Term, Triple};

use crate::Id;
use crate::term::{Direction, TermRef, TooManyLevels, TripleBuf};

/// A term inside the evaluator. Equality is sameTerm: a term that has an id in the store is never
/// [`Cell::Foreign`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Cell {
    /// A term of the store.
    Id(Id),
    /// A constant or a computed value that the store doesn't hold.
    Foreign(Rc<Term>),
}

/// Label of a blank node of the store: `b` and its number. Labels that the evaluator makes up are
/// at least 18 digits longer.
pub fn blank_label(number: u64) -> String {
    format!("b{number}")
}

/// The number of a blank node of the store, by such a label.
pub fn blank_number(label: &str) -> Option<u64> {
    let digits = label.strip_prefix('b').filter(|digits| digits.len() <= 17)?;
    if digits.starts_with('0') && digits.len() > 1 {
        return None;
    }
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A term of the store as a term of the RDF library.
pub fn to_term(term: TermRef<'_>) -> Term {
    match term {
        TermRef::Blank(number) => BlankNode::new_unchecked(blank_label(number)).into(),
        TermRef::Iri(iri) => NamedNode::new_unchecked(iri).into(),
        TermRef::Simple(text) => Literal::new_simple_literal(text).into(),
        TermRef::Tagged(text, tag) => {
            Literal::new_language_tagged_literal_unchecked(text, tag).into()
        }
        TermRef::Directional(text, tag, direction) => {
            let direction = match direction {
                Direction::Ltr => BaseDirection::Ltr,
                Direction::Rtl => BaseDirection::Rtl,
            };
            let new = Literal::new_directional_language_tagged_literal_unchecked;
            new(text, tag, direction).into()
        }
        TermRef::Typed(text, datatype) => {
            Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype)).into()
        }
        TermRef::Triple(triple) => {
            let [subject, predicate, object] = triple.terms().map(to_term);
            let (Ok(subject), Term::NamedNode(predicate)) =
                (NamedOrBlankNode::try_from(subject), predicate)
            else {
                unreachable!("the subject is no literal, the predicate an IRI");
            };
            Triple { subject, predicate, object }.into()
        }
    }
}

/// Calls `read` with a term of the RDF library as one of the store. None if the term is a blank
/// node that the store can't hold, or a triple term that names one or has too many levels.
pub fn with_term_ref<'t, R>(
    term: impl Into<oxrdf::TermRef<'t>>,
    read: impl FnOnce(TermRef<'_>) -> R,
) -> Option<R> {
    Some(match term.into() {
        oxrdf::TermRef::NamedNode(node) => read(TermRef::Iri(node.as_str())),
        oxrdf::TermRef::BlankNode(node) => read(TermRef::Blank(blank_number(node.as_str())?)),
        oxrdf::TermRef::Literal(literal) => match literal.language() {
            Some(tag) => {
                let (text, tag) = (literal.value(), lower_case(tag));
                match literal.direction().map(direction_of) {
                    Some(direction) => read(TermRef::Directional(text, &tag, direction)),
                    None => read(TermRef::Tagged(text, &tag)),
                }
            }
            None if literal.datatype() == xsd::STRING => read(TermRef::Simple(literal.value())),
            None => read(TermRef::Typed(literal.value(), literal.datatype().as_str())),
        },
        oxrdf::TermRef::Triple(triple) => {
            let mut number = |node: &BlankNode| blank_number(node.as_str()).ok_or(NotHeld);
            read(TermRef::Triple(triple_of(triple, &mut number).ok()?.as_triple()))
        }
    })
}

/// A triple term that no store holds.
struct NotHeld;

impl From<TooManyLevels> for NotHeld {
    fn from(_: TooManyLevels) -> Self {
        NotHeld
    }
}

/// A triple of the RDF library as a triple term of the store, whose blank nodes have the numbers
/// that `number` gives.
///
/// # Errors
/// If there are too many triple terms inside each other, or one of `number`.
pub fn triple_of<E: From<TooManyLevels>>(
    triple: &Triple,
    number: &mut dyn FnMut(&BlankNode) -> Result<u64, E>,
) -> Result<TripleBuf, E> {
    let inner: TripleBuf;
    let subject = match &triple.subject {
        NamedOrBlankNode::NamedNode(node) => TermRef::Iri(node.as_str()),
        NamedOrBlankNode::BlankNode(node) => TermRef::Blank(number(node)?),
    };
    let predicate = TermRef::Iri(triple.predicate.as_str());
    let new = |object: TermRef<'_>| Ok(TripleBuf::new([subject, predicate, object])?);
    match &triple.object {
        Term::BlankNode(node) => new(TermRef::Blank(number(node)?)),
        Term::Triple(triple) => {
            inner = triple_of(triple, number)?;
            new(TermRef::Triple(inner.as_triple()))
        }
        other => with_term_ref(other, new).expect("no blank node is in it"),
    }
}

fn direction_of(direction: BaseDirection) -> Direction {
    match direction {
        BaseDirection::Ltr => Direction::Ltr,
        BaseDirection::Rtl => Direction::Rtl,
    }
}

/// Number of triple terms inside each other that a term is.
pub(crate) fn levels(term: &Term) -> usize {
    let (mut levels, mut term) = (0, term);
    while let Term::Triple(triple) = term {
        levels += 1;
        term = &triple.object;
    }
    levels
}

/// Bytes that a foreign term takes.
pub(crate) fn size(term: &Term) -> usize {
    size_of::<Term>()
        + match term {
            Term::NamedNode(node) => node.as_str().len(),
            Term::BlankNode(node) => node.as_str().len(),
            Term::Literal(literal) => literal.value().len(),
            Term::Triple(triple) => {
                let node = match &triple.subject {
                    NamedOrBlankNode::NamedNode(node) => node.as_str(),
                    NamedOrBlankNode::BlankNode(node) => node.as_str(),
                };
                node.len() + triple.predicate.as_str().len() + size(&triple.object)
            }
        }
}

fn lower_case(tag: &str) -> Cow<'_, str> {
    if tag.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(tag.to_ascii_lowercase())
    } else {
        Cow::Borrowed(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_of_the_store_names_its_node() {
        assert_eq!(blank_number(&blank_label(0)), Some(0));
        assert_eq!(blank_number(&blank_label(Id::PAYLOAD_MAX)), Some(Id::PAYLOAD_MAX));
    }

    #[test]
    fn other_labels_name_none() {
        for label in ["b", "b01", "x1", "bx", "b+1", "b123456789012345678", "r1s2"] {
            assert_eq!(blank_number(label), None, "{label}");
        }
    }
}
