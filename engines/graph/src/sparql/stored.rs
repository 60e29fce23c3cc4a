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

/// Whether an expression sees something else than this term: a literal whose datatype has values.
pub(crate) fn changes(term: &Term) -> bool {
    match term {
        Term::Literal(literal) => literal.language().is_none() && literal.datatype() != xsd::STRING,
        Term::NamedNode(_) | Term::BlankNode(_) => false,
    }
}

/// A literal that passes through the evaluator as it is written, until [`computed`] undoes it.
pub(crate) fn as_written(term: Term) -> Term {
    if !changes(&term) {
        return term;
    }
    let Term::Literal(literal) = term else { return term };
    let datatype = format!("{AS_WRITTEN}{}", literal.datatype().as_str());
    let (text, _, _) = literal.destruct();
    Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype)).into()
}

/// The term of a computed value.
pub(crate) fn computed(value: ExpressionTerm) -> Term {
    let is_float =
        matches!(value, ExpressionTerm::FloatLiteral(_) | ExpressionTerm::DoubleLiteral(_));
    match undo(value.into()) {
        Term::Literal(literal) if is_float => spelled(literal).into(),
        other => other,
    }
}

/// Undoes [`as_written`].
pub(crate) fn undo(term: Term) -> Term {
    let Term::Literal(literal) = &term else { return term };
    match literal.datatype().as_str().strip_prefix(AS_WRITTEN) {
        Some(datatype) => {
            let datatype = NamedNode::new_unchecked(datatype);
            Literal::new_typed_literal(literal.value(), datatype).into()
        }
        None => term,
    }
}

/// The lexical form of a term, or the IRI: what STR gives.
pub(crate) fn lexical_form(term: &Term) -> Option<&str> {
    match term {
        Term::NamedNode(node) => Some(node.as_str()),
        Term::Literal(literal) => Some(literal.value()),
        Term::BlankNode(_) => None,
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
