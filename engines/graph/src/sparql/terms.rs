//! Terms of a query: those of the store by their ids, all others by value, and both as RDF
//! libraries spell them.

use std::borrow::Cow;
use std::rc::Rc;

use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, Literal, NamedNode, Term};

use crate::Id;
use crate::term::TermRef;

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
        TermRef::Typed(text, datatype) => {
            Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype)).into()
        }
    }
}

/// Calls `read` with a term of the RDF library as one of the store. None if the term is a blank
/// node that the store can't hold.
pub fn with_term_ref<'t, R>(
    term: impl Into<oxrdf::TermRef<'t>>,
    read: impl FnOnce(TermRef<'_>) -> R,
) -> Option<R> {
    Some(match term.into() {
        oxrdf::TermRef::NamedNode(node) => read(TermRef::Iri(node.as_str())),
        oxrdf::TermRef::BlankNode(node) => read(TermRef::Blank(blank_number(node.as_str())?)),
        oxrdf::TermRef::Literal(literal) => match literal.language() {
            Some(tag) => read(TermRef::Tagged(literal.value(), &lower_case(tag))),
            None if literal.datatype() == xsd::STRING => read(TermRef::Simple(literal.value())),
            None => read(TermRef::Typed(literal.value(), literal.datatype().as_str())),
        },
    })
}

/// Bytes that a foreign term takes.
pub(crate) fn size(term: &Term) -> usize {
    size_of::<Term>()
        + match term {
            Term::NamedNode(node) => node.as_str().len(),
            Term::BlankNode(node) => node.as_str().len(),
            Term::Literal(literal) => literal.value().len(),
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
