//! AVG of numbers of any length.

use std::str::FromStr;

use oxrdf::Literal;
use oxrdf::vocab::xsd;
use oxsdatatypes::Decimal as Short;

use super::value::Number;

/// The mean of some numbers: as the evaluator divides where its decimals hold the sum.
pub(in crate::sparql) fn mean(total: &Number, count: i64) -> Option<Literal> {
    let short = total.exact_digits().and_then(|digits| Short::from_str(&digits).ok());
    match short.and_then(|short| short.checked_div(count)) {
        Some(mean) => Some(Literal::new_typed_literal(mean.to_string(), xsd::DECIMAL)),
        None => total.over(&Number::from(count))?.literal(),
    }
}
