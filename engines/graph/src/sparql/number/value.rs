//! Numbers of XML Schema as values: from terms, and as terms again.

use std::borrow::Cow;

use num_bigint::BigInt;
use oxrdf::vocab::xsd;
use oxrdf::{Literal, LiteralRef, NamedNode, Term};
use spareval::ExpressionTerm;

use super::decimal::{DIGITS_MAX, Decimal};
use crate::term::TermRef;
use crate::term::inline::{INTEGER_TYPES, XSD};

/// A number.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::sparql) enum Number {
    /// Of xsd:integer, or of a datatype that is derived from it.
    Integer(Decimal),
    Decimal(Decimal),
    Float(f32),
    Double(f64),
}

/// Values that an integer type has beyond those of 64 bits: whether below, and the greatest number
/// above, if there is one.
fn wide_integer_type(local: &str) -> Option<(bool, Option<&'static str>)> {
    Some(match local {
        "integer" => (true, None),
        "nonNegativeInteger" | "positiveInteger" => (false, None),
        "unsignedLong" => (false, Some("18446744073709551615")),
        "nonPositiveInteger" | "negativeInteger" => (true, Some("0")),
        _ => return None,
    })
}

impl Number {
    /// The number that a term is, of any length.
    pub(in crate::sparql) fn of(term: &Term) -> Option<Number> {
        match ExpressionTerm::from(term.clone()) {
            ExpressionTerm::IntegerLiteral(value) => Some(Number::from(i64::from(value))),
            ExpressionTerm::DecimalLiteral(value) => {
                Decimal::parse(&value.to_string()).map(Number::Decimal)
            }
            ExpressionTerm::FloatLiteral(value) => Some(Number::Float(value.into())),
            ExpressionTerm::DoubleLiteral(value) => Some(Number::Double(value.into())),
            ExpressionTerm::OtherTypedLiteral { .. } => match term {
                Term::Literal(literal) => Number::beyond(literal.as_ref()),
                Term::NamedNode(_) | Term::BlankNode(_) | Term::Triple(_) => None,
            },
            _ => None,
        }
    }

    /// The number that a literal is which the evaluator has no value of.
    fn beyond(literal: LiteralRef<'_>) -> Option<Number> {
        let local = literal.datatype().as_str().strip_prefix(XSD)?;
        if local == "decimal" {
            return Decimal::parse(literal.value()).map(Number::Decimal);
        }
        let (is_below, max) = wide_integer_type(local)?;
        let value = Number::integer_of_text(literal.value())?;
        let Number::Integer(number) = &value else { return None };
        let max = max.and_then(Decimal::parse);
        let is_of_it = (is_below || !number.is_negative()) && max.is_none_or(|max| *number <= max);
        is_of_it.then_some(value)
    }

    /// The integer that a text is.
    pub(super) fn integer_of_text(text: &str) -> Option<Number> {
        let is_whole = !text.contains('.');
        is_whole.then(|| Decimal::parse(text).map(Number::Integer))?
    }

    /// The decimal that a double is next to, by its shortest digits: as Jena casts it, where XPath
    /// asks for the number that its bits are.
    pub(super) fn decimal_of(value: f64) -> Option<Decimal> {
        value.is_finite().then(|| Decimal::parse(&value.to_string()))?
    }

    /// The double next to it.
    pub(super) fn double(&self) -> f64 {
        match self {
            Number::Integer(value) | Number::Decimal(value) => {
                value.to_string().parse().unwrap_or(f64::NAN)
            }
            Number::Float(value) => f64::from(*value),
            Number::Double(value) => *value,
        }
    }

    /// The float next to it.
    pub(super) fn float(&self) -> f32 {
        match self {
            Number::Integer(value) | Number::Decimal(value) => {
                value.to_string().parse().unwrap_or(f32::NAN)
            }
            Number::Float(value) => *value,
            Number::Double(value) => *value as f32,
        }
    }

    /// The digits of an exact number.
    pub(in crate::sparql) fn exact_digits(&self) -> Option<String> {
        match self {
            Number::Integer(value) | Number::Decimal(value) => Some(value.to_string()),
            Number::Float(_) | Number::Double(_) => None,
        }
    }

    /// The literal that is written for it; none of more digits than are computed with.
    pub(in crate::sparql) fn literal(&self) -> Option<Literal> {
        let exact = |value: &Decimal, datatype| {
            (value.digit_count() <= DIGITS_MAX)
                .then(|| Literal::new_typed_literal(value.to_string(), datatype))
        };
        match self {
            Number::Integer(value) => exact(value, xsd::INTEGER),
            Number::Decimal(value) => exact(value, xsd::DECIMAL),
            Number::Float(value) => Some(spelled(Literal::from(*value))),
            Number::Double(value) => Some(spelled(Literal::from(*value))),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Integer(Decimal::new(BigInt::from(value), 0))
    }
}

/// Whether a literal has no value, though its datatype is one of numbers, booleans, dates or times.
pub(crate) fn is_without_value(term: TermRef<'_>) -> bool {
    const OTHERS: [&str; 7] = ["decimal", "double", "float", "boolean", "date", "dateTime", "time"];
    let TermRef::Typed(text, datatype) = term else { return false };
    let Some(local) = datatype.strip_prefix(XSD) else { return false };
    let has_values =
        OTHERS.contains(&local) || INTEGER_TYPES.iter().any(|of| of.datatype == datatype);
    let literal = || Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype));
    has_values
        && matches!(
            ExpressionTerm::from(Term::from(literal())),
            ExpressionTerm::OtherTypedLiteral { .. }
        )
        && Number::beyond(literal().as_ref()).is_none()
}

/// A float or double as it is written by the rule of casts to strings; other literals stay.
pub(in crate::sparql) fn spelled(literal: Literal) -> Literal {
    match double_text(literal.as_ref()) {
        Cow::Borrowed(_) => literal,
        Cow::Owned(text) => Literal::new_typed_literal(text, literal.datatype().into_owned()),
    }
}

/// The text of a computed literal: of a float or double with an exponent where that is less than -6
/// or greater than 5, whose digits would be 300 zeros.
pub(super) fn double_text(literal: LiteralRef<'_>) -> Cow<'_, str> {
    let text = literal.value();
    let is_float = literal.datatype() == xsd::FLOAT;
    if !is_float && literal.datatype() != xsd::DOUBLE
        || text.bytes().any(|b| b == b'e' || b == b'E')
    {
        return text.into();
    }
    let scientific = if is_float {
        text.parse::<f32>().map(|value| format!("{value:E}"))
    } else {
        text.parse::<f64>().map(|value| format!("{value:E}"))
    };
    let Ok(scientific) = scientific else { return text.into() };
    let Some((digits, exponent)) = scientific.split_once('E') else { return text.into() };
    let is_plain = exponent.parse().is_ok_and(|exponent: i32| (-6..6).contains(&exponent));
    if is_plain || digits == "0" || digits == "-0" {
        return text.into();
    }
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str, local: &str) -> Literal {
        Literal::new_typed_literal(text, NamedNode::new_unchecked(format!("{XSD}{local}")))
    }

    #[test]
    fn numbers_of_any_length_are_read() {
        for (text, local, want) in [
            ("5", "integer", Some("5")),
            ("12345678901234567890123", "integer", Some("12345678901234567890123")),
            ("-12345678901234567890123", "integer", Some("-12345678901234567890123")),
            ("1.00000000000000000000000000", "decimal", Some("1")),
            ("18446744073709551615", "unsignedLong", Some("18446744073709551615")),
            ("18446744073709551616", "unsignedLong", None),
            ("-12345678901234567890123", "nonNegativeInteger", None),
            ("-12345678901234567890123", "negativeInteger", Some("-12345678901234567890123")),
            ("12345678901234567890123", "negativeInteger", None),
            ("12345678901234567890123", "long", None),
            ("12345678901234567890123.0", "integer", None),
            ("12345678901234567890123", "string", None),
            ("x", "decimal", None),
        ] {
            let number = Number::of(&typed(text, local).into());
            let got = number.and_then(|number| number.exact_digits());
            assert_eq!(got.as_deref(), want, "{text} {local}");
        }
        let without = |text: &str, local: &str| {
            is_without_value(TermRef::Typed(text, &format!("{XSD}{local}")))
        };
        assert!(
            without("x", "integer") && without("1e5", "decimal") && without("maybe", "boolean")
        );
        assert!(!without("12345678901234567890123", "integer") && !without("x", "anyURI"));
        assert!(!without("007", "integer") && !without("1e5", "double"));
    }

    #[test]
    fn long_doubles_have_an_exponent() {
        for (value, want) in [
            (1e300, "1.0E300"),
            (1e-7, "1.0E-7"),
            (-1.5e21, "-1.5E21"),
            (1e6, "1.0E6"),
            (123456.5, "123456.5"),
            (1e-6, "0.000001"),
            (0.0, "0"),
            (-0.0, "-0"),
            (f64::INFINITY, "INF"),
        ] {
            assert_eq!(double_text(Literal::from(value).as_ref()), want);
        }
        assert_eq!(double_text(Literal::from(1e10f32).as_ref()), "1.0E10");
        assert_eq!(double_text(typed("1000000", "integer").as_ref()), "1000000");
    }
}
