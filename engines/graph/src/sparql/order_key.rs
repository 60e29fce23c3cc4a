//! The total order of ORDER BY, MIN and MAX, as a string for each term whose code points rise with
//! it: blank nodes, IRIs, numbers, strings, tagged strings, booleans, dates and times, other
//! literals, triple terms.

use std::fmt::Write;

use manicule_core::civil::Date;
use oxrdf::Term;
use spareval::ExpressionTerm;

use super::number::Number;
use super::stored;

/// The key of a term.
pub(super) fn order_key(term: &Term) -> String {
    let mut key = String::new();
    match term {
        Term::BlankNode(node) => push(&mut key, "0", node.as_str()),
        Term::NamedNode(node) => push(&mut key, "1", node.as_str()),
        Term::Literal(literal) => {
            value_key(term, &mut key);
            key.push('\0');
            push(&mut key, literal.value(), "\0");
            push(&mut key, literal.datatype().as_str(), literal.language().unwrap_or_default());
            if let Some(direction) = literal.direction() {
                let _ = write!(key, "--{direction}");
            }
        }
        Term::Triple(triple) => {
            key.push('A');
            let predicate = Term::from(triple.predicate.clone());
            for part in [&triple.subject.clone().into(), &predicate, &triple.object] {
                push(&mut key, &order_key(part), "\0");
            }
        }
    }
    key
}

fn push(key: &mut String, first: &str, second: &str) {
    key.push_str(first);
    key.push_str(second);
}

fn value_key(term: &Term, key: &mut String) {
    match ExpressionTerm::from(term.clone()) {
        ExpressionTerm::IntegerLiteral(value) => exact_key(&value.to_string(), key),
        ExpressionTerm::DecimalLiteral(value) => exact_key(&value.to_string(), key),
        ExpressionTerm::FloatLiteral(value) => double_key(f64::from(f32::from(value)), key),
        ExpressionTerm::DoubleLiteral(value) => double_key(f64::from(value), key),
        ExpressionTerm::StringLiteral(text) => push(key, "3", &text),
        ExpressionTerm::LangStringLiteral { value, language } => {
            push(key, "4", &value);
            push(key, "\0", &language);
        }
        ExpressionTerm::BooleanLiteral(value) => push(key, "5", &value.to_string()),
        ExpressionTerm::DateTimeLiteral(time) => {
            let (month, day) = (time.month().into(), time.day().into());
            let date = Date { year: time.year(), month, day };
            let clock = [i64::from(time.hour()), i64::from(time.minute())];
            time_key("6", term, date, clock, &time.second().to_string(), key);
        }
        ExpressionTerm::DateLiteral(date) => {
            let (month, day) = (date.month().into(), date.day().into());
            let date = Date { year: date.year(), month, day };
            time_key("7", term, date, [0, 0], "0", key);
        }
        ExpressionTerm::TimeLiteral(time) => {
            let date = Date { year: 1970, month: 1, day: 1 };
            let clock = [i64::from(time.hour()), i64::from(time.minute())];
            time_key("8", term, date, clock, &time.second().to_string(), key);
        }
        other => match Number::of(term).and_then(|number| number.exact_digits()) {
            Some(digits) => exact_key(&digits, key),
            None => {
                if let Term::Literal(literal) = Term::from(other) {
                    push(key, "9", literal.value());
                }
            }
        },
    }
}

/// The bits of a double, so that they rise with it.
fn double_key(value: f64, key: &mut String) {
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    let rising = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    let _ = write!(key, "2{rising:016x}");
}

/// A number in decimal digits: the double next to it, then its digits, which settle what one double
/// stands for.
fn exact_key(digits: &str, key: &mut String) {
    let double: f64 = digits.parse().unwrap_or(f64::NAN);
    // However great, it isn't infinite.
    double_key(double.clamp(f64::MIN, f64::MAX), key);
    let (is_negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let whole = digits.split('.').next().unwrap_or_default().len();
    let text = format!("{whole:06}{digits}");
    if is_negative {
        let complement = |byte: u8| if byte.is_ascii_digit() { b'9' - byte + b'0' } else { byte };
        key.extend(text.bytes().map(|byte| char::from(complement(byte))));
        // A longer fraction is a smaller number.
        key.push('~');
    } else {
        key.push_str(&text);
    }
}

/// A day and a time of the day as minutes since 1970, in UTC if there is a zone, then seconds.
fn time_key(
    group: &str,
    term: &Term,
    date: Date,
    [hour, minute]: [i64; 2],
    second: &str,
    key: &mut String,
) {
    let minutes = i128::from(date.to_day()) * 1440 + i128::from(hour * 60 + minute)
        - i128::from(offset(term));
    let rising = (minutes as u128) ^ (1 << 127);
    let whole = second.split('.').next().unwrap_or_default().len();
    let _ = write!(key, "{group}{rising:032x}{whole:02}{second}");
}

/// Minutes that a zone is ahead of UTC.
fn offset(term: &Term) -> i64 {
    let zone = stored::zone(term).unwrap_or_default();
    let part = |range| zone.get(range).and_then(|text: &str| text.parse::<i64>().ok()).unwrap_or(0);
    let minutes = part(1..3) * 60 + part(4..6);
    if zone.starts_with('-') { -minutes } else { minutes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::{Literal, NamedNode};

    fn typed(text: &str, datatype: &str) -> Term {
        let datatype = format!("http://www.w3.org/2001/XMLSchema#{datatype}");
        Literal::new_typed_literal(text, NamedNode::new_unchecked(datatype)).into()
    }

    #[test]
    fn numbers_rise_by_value() {
        let rising = [
            typed("-INF", "double"),
            typed("-10", "integer"),
            typed("-9.25", "decimal"),
            typed("-9.2", "decimal"),
            typed("0", "double"),
            typed("0.5", "float"),
            typed("07", "integer"),
            typed("1162.50232689679035213546", "decimal"),
            typed("9007199254740992", "integer"),
            typed("9007199254740993", "integer"),
            typed("9223372036854775808", "integer"),
            typed("12345678901234567890123", "integer"),
            typed("12345678901234567890123.000000000000000000001", "decimal"),
            typed("1e300", "double"),
            typed(&"9".repeat(400), "integer"),
            typed("INF", "double"),
        ];
        assert!(rising.map(|term| order_key(&term)).is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn times_rise_by_instant() {
        let rising = [
            typed("-0001-01-01T00:00:00Z", "dateTime"),
            typed("1999-12-31T23:59:59Z", "dateTime"),
            typed("2000-01-01T01:00:00+01:00", "dateTime"),
            typed("2000-01-01T00:00:00.5Z", "dateTime"),
            typed("2000-01-01T00:00:10Z", "dateTime"),
            typed("2000-03-01T00:00:00Z", "dateTime"),
        ];
        assert!(rising.map(|term| order_key(&term)).is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn kinds_follow_each_other() {
        let rising = [
            oxrdf::BlankNode::new_unchecked("z").into(),
            NamedNode::new_unchecked("a:a").into(),
            typed("5", "integer"),
            Literal::new_simple_literal("").into(),
            Literal::new_language_tagged_literal_unchecked("", "en").into(),
            typed("true", "boolean"),
            typed("2000-01-01", "date"),
            typed("x", "unknown"),
        ];
        assert!(rising.map(|term: Term| order_key(&term)).is_sorted_by(|left, right| left < right));
    }
}
