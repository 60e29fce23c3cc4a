//! Operators and casts as functions of terms, which are called where the evaluator's own have no
//! value. They answer for numbers of any length and, since what is inside of them was computed by
//! them too, for what comparisons give.

use std::cmp::Ordering;

use oxrdf::vocab::xsd;
use oxrdf::{Literal, Term, Triple};

use super::value::{Number, double_text};
use crate::sparql::stored;

/// A function; none is an error of the query language.
type Function = fn(&[Term]) -> Option<Term>;

/// The names of functions begin with a blank, so that no query can write them.
pub(in crate::sparql) const FUNCTIONS: [(&str, Function); 25] = [
    (" add", |of| two(of, Number::plus)),
    (" subtract", |of| two(of, Number::minus)),
    (" multiply", |of| two(of, Number::times)),
    (" divide", |of| two(of, Number::over)),
    (" minus", |of| one(of, |number| Some(number.negated()))),
    (" plus", |of| one(of, |number| Some(number.clone()))),
    (" abs", |of| one(of, |number| Some(number.abs()))),
    (" ceil", |of| one(of, |number| Some(number.ceil()))),
    (" floor", |of| one(of, |number| Some(number.floor()))),
    (" round", |of| one(of, |number| Some(number.round()))),
    (" equal", |of| boolean(equal(of.first()?, of.get(1)?)?)),
    (" less", |of| ordered(of, Ordering::is_lt)),
    (" less or equal", |of| ordered(of, Ordering::is_le)),
    (" greater", |of| ordered(of, Ordering::is_gt)),
    (" greater or equal", |of| ordered(of, Ordering::is_ge)),
    (" in", is_in),
    (" truth", |of| boolean(truth(of.first()?)?)),
    (" boolean", |of| boolean(Number::of(of.first()?)?.truth())),
    (" numeric", |of| boolean(Number::of(of.first()?).is_some())),
    (" integer", |of| number_of(of, Number::integer_of_text)?.to_integer()?.term()),
    (" decimal", |of| number_of(of, decimal_of_text)?.to_decimal()?.term()),
    (" double", |of| Number::Double(number_of(of, double_of_text)?.double()).term()),
    (" float", |of| Number::Float(number_of(of, double_of_text)?.float()).term()),
    (" text", |of| text_of(of.first()?)),
    (" error", |_| None),
];

impl Number {
    fn term(&self) -> Option<Term> {
        self.literal().map(Term::from)
    }
}

fn one(of: &[Term], by: impl Fn(&Number) -> Option<Number>) -> Option<Term> {
    by(&Number::of(of.first()?)?)?.term()
}

fn two(of: &[Term], by: impl Fn(&Number, &Number) -> Option<Number>) -> Option<Term> {
    by(&Number::of(of.first()?)?, &Number::of(of.get(1)?)?)?.term()
}

fn boolean(value: bool) -> Option<Term> {
    Some(Literal::from(value).into())
}

fn ordered(of: &[Term], is: fn(Ordering) -> bool) -> Option<Term> {
    let (one, other) = (Number::of(of.first()?)?, Number::of(of.get(1)?)?);
    // Beside a NaN nothing is so.
    boolean(one.order(&other).is_some_and(is))
}

/// Equality by `=`.
fn equal(one: &Term, other: &Term) -> Option<bool> {
    if let (Some(one), Some(other)) = (Number::of(one), Number::of(other)) {
        return Some(one.order(&other) == Some(Ordering::Equal));
    }
    let is_literal = |term: &Term| matches!(term, Term::Literal(_));
    match (one, other) {
        _ if one == other => Some(true),
        (Term::Triple(one), Term::Triple(other)) => equal_triples(one, other),
        (one, other) if !is_literal(one) || !is_literal(other) => Some(false),
        (Term::Literal(one), Term::Literal(other)) => {
            let is_known = |literal: &Literal| {
                let datatype = literal.datatype();
                datatype == xsd::STRING || datatype == xsd::BOOLEAN || literal.language().is_some()
            };
            // A number is none of them; of what else there is nothing is known here.
            let is_number = |literal: &Literal| Number::of(&literal.clone().into()).is_some();
            let is_sure = |literal| is_known(literal) || is_number(literal);
            (is_sure(one) && is_sure(other)).then_some(false)
        }
        _ => None,
    }
}

/// Equality of triple terms: that of their parts, of which one that differs decides.
fn equal_triples(one: &Triple, other: &Triple) -> Option<bool> {
    let nodes = one.subject == other.subject && one.predicate == other.predicate;
    if nodes { equal(&one.object, &other.object) } else { Some(false) }
}

fn is_in(of: &[Term]) -> Option<Term> {
    let (value, list) = of.split_first()?;
    let mut is_error = false;
    for one in list {
        match equal(value, one) {
            Some(true) => return boolean(true),
            Some(false) => {}
            None => is_error = true,
        }
    }
    if is_error { None } else { boolean(false) }
}

/// The effective boolean value.
fn truth(term: &Term) -> Option<bool> {
    if let Some(number) = Number::of(term) {
        return Some(number.truth());
    }
    let Term::Literal(literal) = term else { return None };
    match literal.datatype() {
        xsd::STRING => Some(!literal.value().is_empty()),
        xsd::BOOLEAN => match literal.value() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// What is cast to a number: a number, a boolean, or a string.
fn number_of(of: &[Term], text: fn(&str) -> Option<Number>) -> Option<Number> {
    let term = of.first()?;
    if let Some(number) = Number::of(term) {
        return Some(number);
    }
    let Term::Literal(literal) = term else { return None };
    match literal.datatype() {
        xsd::STRING => text(literal.value()),
        xsd::BOOLEAN => truth(term).map(|is_so| Number::from(i64::from(is_so))),
        _ => None,
    }
}

fn decimal_of_text(text: &str) -> Option<Number> {
    Number::of(&Literal::new_typed_literal(text, xsd::DECIMAL).into())
}

fn double_of_text(text: &str) -> Option<Number> {
    Number::of(&Literal::new_typed_literal(text, xsd::DOUBLE).into())
}

/// The text of a computed value: what STR and a cast to a string give.
fn text_of(term: &Term) -> Option<Term> {
    let text = match term {
        Term::Literal(literal) => double_text(literal.as_ref()).into_owned(),
        other => stored::lexical_form(other)?.to_owned(),
    };
    Some(Literal::new_simple_literal(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::NamedNode;

    fn call(name: &str, of: &[Term]) -> Option<String> {
        let (_, function) = FUNCTIONS.iter().find(|(own, _)| *own == name).expect(name);
        function(of).map(|term| match term {
            Term::Literal(literal) => {
                let datatype = literal.datatype().as_str().rsplit('#').next().map(str::to_owned);
                format!("{} {}", literal.value(), datatype.unwrap_or_default())
            }
            other => other.to_string(),
        })
    }

    fn typed(text: &str, local: &str) -> Term {
        let datatype = format!("http://www.w3.org/2001/XMLSchema#{local}");
        Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype)).into()
    }

    #[test]
    fn each_function_is_as_jena_has_it() {
        let big = || typed("12345678901234567890123", "integer");
        let long = || typed("1162.50232689679035213546", "decimal");
        let (one, two) = (typed("1", "integer"), typed("2.5", "double"));
        for (name, of, want) in [
            (" add", vec![big(), one.clone()], Some("12345678901234567890124 integer")),
            (" add", vec![big(), two.clone()], Some("1.2345678901234568E22 double")),
            (" subtract", vec![long(), long()], Some("0 decimal")),
            (
                " multiply",
                vec![long(), typed("3", "integer")],
                Some("3487.50698069037105640638 decimal"),
            ),
            (" divide", vec![one.clone(), big()], Some("0.000000000000000000000081 decimal")),
            (" divide", vec![big(), typed("0", "integer")], None),
            (" minus", vec![big()], Some("-12345678901234567890123 integer")),
            (" ceil", vec![long()], Some("1163 decimal")),
            (
                " round",
                vec![typed("-123456789012345678901234.5", "decimal")],
                Some("-123456789012345678901234 decimal"),
            ),
            (
                " equal",
                vec![big(), typed("12345678901234567890123.00", "decimal")],
                Some("true boolean"),
            ),
            (" equal", vec![big(), Literal::new_simple_literal("x").into()], Some("false boolean")),
            (" equal", vec![big(), typed("x", "unknown")], None),
            (" less", vec![big(), typed("1e30", "double")], Some("true boolean")),
            (" greater", vec![big(), typed("NaN", "double")], Some("false boolean")),
            (" in", vec![big(), one.clone(), big()], Some("true boolean")),
            (" in", vec![big(), one.clone()], Some("false boolean")),
            (" truth", vec![big()], Some("true boolean")),
            (" numeric", vec![typed("x", "integer")], Some("false boolean")),
            (
                " integer",
                vec![typed("1e30", "double")],
                Some("1000000000000000000000000000000 integer"),
            ),
            (
                " integer",
                vec![Literal::new_simple_literal("12345678901234567890123").into()],
                Some("12345678901234567890123 integer"),
            ),
            (
                " decimal",
                vec![typed("1e-30", "double")],
                Some("0.000000000000000000000000000001 decimal"),
            ),
            (" double", vec![big()], Some("1.2345678901234568E22 double")),
            (" text", vec![typed("1e300", "double")], Some("1e300 string")),
            (" text", vec![Literal::from(1e300).into()], Some("1.0E300 string")),
        ] {
            assert_eq!(call(name, &of).as_deref(), want, "{name} {of:?}");
        }
    }
}
