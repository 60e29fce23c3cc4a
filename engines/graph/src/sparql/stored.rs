//! Literals as they are stored, where the evaluator sees values: a number, a boolean or a date that passes through an expression comes
//! out in another spelling, with another datatype even.
//!
//! Callers: dataset

use oxrdf::Term;
use oxrdf::vocab::xsd;
use spareval::ExpressionTerm;

/// Whether an expression sees something else than this term: a literal whose datatype has values.
pub(crate) fn changes(term: &Term) -> bool {
    match term {
        Term::Literal(literal) => literal.language().is_none() && literal.datatype() != xsd::STRING,
        Term::NamedNode(_) | Term::BlankNode(_) => false,
    }
}

/// The term of a computed value.
pub(crate) fn computed(value: ExpressionTerm) -> Term {
    value.into()
}
