//! SUM and AVG of integers and decimals, exact.

use std::str::FromStr;
use std::sync::LazyLock;

use oxrdf::Literal;
use oxrdf::vocab::xsd;
use oxsdatatypes::Decimal;

use crate::term::inline::{EXACT_SCALE, exact_value};
use crate::{Id, Tag};

/// How the ids of one tag are numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// Payload of zero.
    zero: i64,
    /// What a payload one greater adds, times [`EXACT_SCALE`]; 0 of tags that are no exact numbers.
    unit: i64,
    is_decimal: bool,
}

/// The scales of all tags.
pub(super) struct Scales([Scale; 256]);

impl Scales {
    /// Those of all tags: made once, which takes as long as a small query.
    pub(in crate::sparql) fn all() -> &'static Scales {
        static ALL: LazyLock<Scales> = LazyLock::new(|| {
            Scales(std::array::from_fn(|tag| scale_of(Tag(tag as u8)).unwrap_or_default()))
        });
        &ALL
    }

    /// The scale of an id; none if it is no exact number.
    #[inline]
    pub(in crate::sparql) fn of(&self, id: u64) -> Option<Scale> {
        let scale = self.0[usize::from(Id(id).tag().0)];
        (scale.unit != 0).then_some(scale)
    }
}

fn scale_of(tag: Tag) -> Option<Scale> {
    let (least, is_decimal) = exact_value(Id::new(tag, 0))?;
    let (next, _) = exact_value(Id::new(tag, 1))?;
    let unit = next - least;
    let zero = i64::try_from(-least / unit).ok()?;
    Some(Scale { zero, unit: i64::try_from(unit).ok()?, is_decimal })
}

fn literal(value: Decimal) -> Literal {
    Literal::new_typed_literal(value.to_string(), xsd::DECIMAL)
}

impl Scale {
    /// The value of an id, times [`EXACT_SCALE`], and whether it is a decimal.
    #[inline]
    pub(in crate::sparql) fn value(self, id: u64) -> (i128, bool) {
        let number = Id(id).payload() as i64 - self.zero;
        (i128::from(number) * i128::from(self.unit), self.is_decimal)
    }
}

/// Sum of integers and decimals, exact.
#[derive(Clone, Debug, Default)]
pub(in crate::sparql) struct Sum {
    /// Times [`EXACT_SCALE`].
    total: i128,
    /// Greatest of its absolute values so far.
    size: i128,
    is_decimal: bool,
    count: i64,
}

impl Sum {
    /// Adds an exact number, with its scale.
    #[inline]
    pub(super) fn add(&mut self, id: u64, scale: Scale) {
        let (value, is_decimal) = scale.value(id);
        self.add_exact(value, is_decimal);
    }

    /// Adds a value times [`EXACT_SCALE`].
    #[inline]
    pub(super) fn add_exact(&mut self, value: i128, is_decimal: bool) {
        self.total += value;
        self.size = self.size.max(self.total.abs());
        self.is_decimal |= is_decimal;
        self.count += 1;
    }

    /// Counts a value that isn't exact.
    pub(super) fn count_one(&mut self) {
        self.count += 1;
    }

    /// Number of values.
    pub(in crate::sparql) fn count(&self) -> i64 {
        self.count
    }

    /// The sum, by the rules of the evaluator's datatypes; none if it exceeds what both of them
    /// hold.
    pub(in crate::sparql) fn finish(&self) -> Option<Literal> {
        if self.is_decimal { self.decimal().map(literal) } else { self.integer() }
    }

    pub(in crate::sparql) fn mean(&self) -> Option<Literal> {
        if self.count == 0 {
            return Some(Literal::from(0_i64));
        }
        self.decimal()?.checked_div(self.count).map(literal)
    }

    /// The sum, however long it is.
    pub(in crate::sparql) fn exact(&self) -> Literal {
        let (whole, part) = (self.total.abs() / EXACT_SCALE, self.total.abs() % EXACT_SCALE);
        let sign = if self.total < 0 { "-" } else { "" };
        if self.is_decimal {
            return Literal::new_typed_literal(format!("{sign}{whole}.{part:07}"), xsd::DECIMAL);
        }
        Literal::new_typed_literal(format!("{sign}{whole}"), xsd::INTEGER)
    }

    fn integer(&self) -> Option<Literal> {
        let is_small = self.size / EXACT_SCALE <= i128::from(i64::MAX);
        is_small
            .then(|| (self.total / EXACT_SCALE).to_string())
            .map(|text| Literal::new_typed_literal(text, xsd::INTEGER))
    }

    fn decimal(&self) -> Option<Decimal> {
        if self.size / EXACT_SCALE > i128::from(i64::MAX) {
            return None;
        }
        Decimal::from_str(self.exact().value()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[i128], is_decimal: bool) -> Sum {
        let total = values.iter().sum();
        Sum { total, size: total, is_decimal, count: values.len() as i64 }
    }

    #[test]
    fn sums_are_exact() {
        let cents = EXACT_SCALE / 100;
        assert_eq!(sum(&[], false).finish(), Some(Literal::from(0_i64)));
        assert_eq!(sum(&[3 * EXACT_SCALE], false).finish(), Some(Literal::from(3_i64)));
        let price = sum(&[1999 * cents, -cents], true);
        assert_eq!(price.finish().unwrap().value(), "19.98");
        assert_eq!(price.mean().unwrap().value(), "9.99");
        let third = sum(&[EXACT_SCALE, 0, 0], false).mean().unwrap();
        assert_eq!((third.value(), third.datatype()), ("0.333333333333333333", xsd::DECIMAL));
        assert_eq!(sum(&[1 << 100], false).finish(), None);
        assert_eq!(sum(&[1 << 100], false).exact().value(), "126765060022822940149670");
    }
}
