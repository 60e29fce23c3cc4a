//! Literals as they are stored, where the evaluator sees values: a number, a boolean or a date that
//! passes through an expression comes out in another spelling, with another datatype even.
//!
//! Fault: of spareval 0.2.9; W3C dawg-str-1, dawg-str-2, agg-min-01 and others.

use oxrdf::vocab::xsd;
use oxrdf::{Literal, NamedNode, Term};
use spareval::ExpressionTerm;

use super::number::spelled;

/// Begins the datatype of a literal that is to be taken as it is written. No IRI begins with a
/// blank, so no query and no store can hold such a datatype.
const AS_WRITTEN: &str = " as written ";

/// Whether an expression sees something else than this term: a literal whose datatype has values,
/// or a triple term with one.
pub(crate) fn changes(term: &Term) -> bool {
    match term {
        Term::Literal(literal) => literal.language().is_none() && literal.datatype() != xsd::STRING,
        Term::Triple(triple) => changes(&triple.object),
        Term::NamedNode(_) | Term::BlankNode(_) => false,
    }
}

/// A term whose literals pass through the evaluator as they are written, until [`computed`] undoes
/// it.
pub(crate) fn as_written(term: Term) -> Term {
    if !changes(&term) {
        return term;
    }
    with_literal(term, &|literal| {
        let datatype = format!("{AS_WRITTEN}{}", literal.datatype().as_str());
        let (text, ..) = literal.destruct();
        Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype))
    })
}

/// A term with another literal; of a triple term, whose subject is none, that of the innermost one.
pub(super) fn with_literal(term: Term, by: &dyn Fn(Literal) -> Literal) -> Term {
    match term {
        Term::Literal(literal) => by(literal).into(),
        Term::Triple(mut triple) => {
            triple.object = with_literal(triple.object, by);
            Term::Triple(triple)
        }
        other => other,
    }
}

/// The term of a computed value.
pub(crate) fn computed(value: ExpressionTerm) -> Term {
    with_literal(value.into(), &|literal| match undone(&literal) {
        Some(literal) => literal,
        None => spelled(literal),
    })
}

/// Undoes [`as_written`].
pub(crate) fn undo(term: Term) -> Term {
    with_literal(term, &|literal| undone(&literal).unwrap_or(literal))
}

fn undone(literal: &Literal) -> Option<Literal> {
    let datatype = literal.datatype().as_str().strip_prefix(AS_WRITTEN)?;
    Some(Literal::new_typed_literal(literal.value(), NamedNode::new_unchecked(datatype)))
}

/// The subject, predicate or object of a triple term, by its place.
pub(crate) fn part(term: &Term, place: usize) -> Option<Term> {
    let Term::Triple(triple) = term else { return None };
    Some(match place {
        0 => triple.subject.clone().into(),
        1 => triple.predicate.clone().into(),
        _ => triple.object.clone(),
    })
}

/// The lexical form of a term, or the IRI: what STR gives.
pub(crate) fn lexical_form(term: &Term) -> Option<&str> {
    match term {
        Term::NamedNode(node) => Some(node.as_str()),
        Term::Literal(literal) => Some(literal.value()),
        Term::BlankNode(_) | Term::Triple(_) => None,
    }
}

/// The zone of a date or time as it is written: what TZ gives.
pub(crate) fn zone(term: &Term) -> Option<&str> {
    let Term::Literal(literal) = term else { return None };
    if ![xsd::DATE_TIME, xsd::DATE, xsd::TIME].contains(&literal.datatype()) {
        return None;
    }
    let text = literal.value();
    if text.ends_with('Z') {
        return Some("Z");
    }
    let from = text.len().checked_sub(6)?;
    let zone = text.get(from..)?;
    let is_zone = matches!(zone.as_bytes(), [b'+' | b'-', _, _, b':', _, _]);
    Some(if is_zone { zone } else { "" })
}
