//! Values of expressions, comparisons, and the order of terms, as far as the random queries ask for
//! them.

use std::cmp::Ordering;

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, NamedOrBlankNode, Term, Triple};
use spargebra::algebra::{Expression, Function};

use super::Row;

/// The value of an expression, unless it is an error.
pub(super) fn value(expression: &Expression, row: &Row) -> Option<Term> {
    match expression {
        Expression::Variable(variable) => row.get(variable.as_str()).cloned(),
        Expression::NamedNode(node) => Some(node.clone().into()),
        Expression::Literal(literal) => Some(literal.clone().into()),
        Expression::Add(one, other) => {
            let (one, other) = (value(one, row)?, value(other, row)?);
            Some(sum_of(&one, &other)?.into())
        }
        Expression::FunctionCall(Function::Str, of) => Some(string(&value(&of[0], row)?)?.into()),
        Expression::FunctionCall(Function::Triple, of) => {
            let [subject, predicate, object] = [&of[0], &of[1], &of[2]].map(|one| value(one, row));
            let subject = NamedOrBlankNode::try_from(subject?).ok()?;
            Some(Triple::new(subject, NamedNode::try_from(predicate?).ok()?, object?).into())
        }
        Expression::FunctionCall(
            function @ (Function::Subject | Function::Predicate | Function::Object),
            of,
        ) => {
            let Term::Triple(triple) = value(&of[0], row)? else { return None };
            Some(match function {
                Function::Subject => triple.subject.into(),
                Function::Predicate => triple.predicate.into(),
                _ => triple.object,
            })
        }
        Expression::Coalesce(of) => of.iter().find_map(|one| value(one, row)),
        Expression::FunctionCall(Function::UCase, of) => cased(of, row, str::to_uppercase),
        Expression::FunctionCall(Function::LCase, of) => cased(of, row, str::to_lowercase),
        Expression::FunctionCall(Function::Lang, of) => {
            let Term::Literal(literal) = value(&of[0], row)? else { return None };
            Some(Literal::new_simple_literal(literal.language().unwrap_or("")).into())
        }
        Expression::FunctionCall(Function::Custom(_), of) => integer(&value(&of[0], row)?),
        Expression::FunctionCall(Function::StrLen, of) => {
            let Term::Literal(literal) = value(&of[0], row)? else { return None };
            Some(Literal::from(literal.value().chars().count() as i64).into())
        }
        other => panic!("the random queries have none: {other}"),
    }
}

/// The truth of a function's value, unless it is an error.
pub(super) fn truth(function: &Function, of: &[Expression], row: &Row) -> Option<bool> {
    let one = value(&of[0], row)?;
    match function {
        Function::IsIri => Some(one.is_named_node()),
        Function::IsLiteral => Some(one.is_literal()),
        Function::IsBlank => Some(one.is_blank_node()),
        Function::IsTriple => Some(one.is_triple()),
        Function::IsNumeric => Some(number(&one).is_some()),
        Function::Contains => {
            let (Term::Literal(one), Term::Literal(other)) = (one, value(&of[1], row)?) else {
                return None;
            };
            Some(one.value().contains(other.value()))
        }
        other => panic!("the random queries have none: {other}"),
    }
}

/// UCASE or LCASE: of a string, whose language it keeps.
fn cased(of: &[Expression], row: &Row, cased: fn(&str) -> String) -> Option<Term> {
    let Term::Literal(literal) = value(&of[0], row)? else { return None };
    let text = cased(literal.value());
    match literal.language() {
        Some(tag) => Some(Literal::new_language_tagged_literal_unchecked(text, tag).into()),
        None if literal.datatype() == xsd::STRING => Some(Literal::new_simple_literal(text).into()),
        None => None,
    }
}

/// STR.
fn string(term: &Term) -> Option<Literal> {
    text(term).map(Literal::new_simple_literal)
}

/// The only cast that the random queries have.
fn integer(term: &Term) -> Option<Term> {
    let Term::Literal(literal) = term else { return None };
    let value = match literal.datatype() {
        xsd::STRING => literal.value().parse().ok()?,
        _ => number(term)?.0 / 100,
    };
    Some(Literal::from(value).into())
}

/// The text of a term; none of a triple term.
pub(super) fn text(term: &Term) -> Option<&str> {
    match term {
        Term::NamedNode(node) => Some(node.as_str()),
        Term::Literal(literal) => Some(literal.value()),
        Term::Triple(_) => None,
        Term::BlankNode(_) => panic!("the random graphs have none"),
    }
}

/// The hundredfold of an exact number, and whether it is a decimal. The random graphs have no
/// longer fractions.
pub(super) fn number(term: &Term) -> Option<(i64, bool)> {
    let Term::Literal(literal) = term else { return None };
    let is_decimal = literal.datatype() == xsd::DECIMAL;
    if !is_decimal && literal.datatype() != xsd::INTEGER {
        return None;
    }
    let value: f64 = literal.value().parse().expect("a number");
    Some(((value * 100.0).round() as i64, is_decimal))
}

/// A number by its hundredfold.
pub(super) fn literal_of((hundredfold, is_decimal): (i64, bool)) -> Literal {
    if is_decimal {
        let text = (hundredfold as f64 / 100.0).to_string();
        return Literal::new_typed_literal(text, xsd::DECIMAL);
    }
    Literal::from(hundredfold / 100)
}

/// The sum of two numbers.
pub(super) fn sum_of(one: &Term, other: &Term) -> Option<Literal> {
    let ((one, is_decimal), (other, other_is_decimal)) = (number(one)?, number(other)?);
    Some(literal_of((one + other, is_decimal || other_is_decimal)))
}

/// Equality by `=`; literals of different kinds are an error where no test can tell it from false.
pub(super) fn equal(one: &Term, other: &Term) -> Option<bool> {
    match (number(one), number(other)) {
        (Some((one, _)), Some((other, _))) => Some(one == other),
        _ if one == other => Some(true),
        _ if one.is_literal() && other.is_literal() => None,
        _ if one.is_triple() && other.is_triple() => {
            let (Term::Triple(one), Term::Triple(other)) = (one, other) else { return None };
            let nodes = one.subject == other.subject && one.predicate == other.predicate;
            if nodes { equal(&one.object, &other.object) } else { Some(false) }
        }
        _ => Some(false),
    }
}

/// The order of two values by `<`; an error where they have none.
pub(super) fn compare(one: &Term, other: &Term) -> Option<Ordering> {
    if let (Some((one, _)), Some((other, _))) = (number(one), number(other)) {
        return Some(one.cmp(&other));
    }
    if let (Term::Triple(one), Term::Triple(other)) = (one, other) {
        let nodes = one.subject == other.subject && one.predicate == other.predicate;
        return nodes.then(|| compare(&one.object, &other.object))?;
    }
    let (Term::Literal(one), Term::Literal(other)) = (one, other) else { return None };
    let is_same = one.datatype() == other.datatype() && one.language() == other.language();
    is_same.then(|| one.value().cmp(other.value()))
}

/// What ORDER BY compares: the kind of a term, a number's value, and then what is written; of a
/// triple term those of its parts.
pub(super) fn order_key(term: Option<&Term>) -> Vec<(u8, i64, String, String)> {
    let nothing = |kind| (kind, 0, String::new(), String::new());
    let Some(term) = term else { return vec![nothing(0)] };
    let (hundredfold, _) = number(term).unwrap_or_default();
    vec![match term {
        Term::BlankNode(_) => panic!("the random graphs have none"),
        Term::Triple(triple) => {
            let Triple { subject, predicate, object } = (**triple).clone();
            let parts = [subject.into(), predicate.into(), object];
            let parts = parts.iter().flat_map(|part| order_key(Some(part)));
            return std::iter::once(nothing(9)).chain(parts).collect();
        }
        Term::NamedNode(node) => (1, 0, node.as_str().to_owned(), String::new()),
        Term::Literal(literal) => {
            let kind = match literal.datatype() {
                xsd::INTEGER | xsd::DECIMAL => 2,
                xsd::STRING => 3,
                rdf::LANG_STRING => 4,
                xsd::BOOLEAN => 5,
                xsd::DATE => 7,
                other => panic!("the random graphs have none: {other}"),
            };
            let last = literal.language().unwrap_or(literal.datatype().as_str());
            (kind, hundredfold, literal.value().to_owned(), last.to_owned())
        }
    }]
}
