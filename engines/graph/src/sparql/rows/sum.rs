//! SUM and AVG of numbers of any length.

use oxrdf::Term;
use spareval::AggregateFunctionAccumulator;

use super::super::number::{Number, mean};
use super::super::stored;

/// The sum of some numbers.
pub(super) struct Sum {
    is_mean: bool,
    count: i64,
    /// None once something was no number.
    total: Option<Number>,
}

impl Sum {
    pub(super) fn new(is_mean: bool) -> Sum {
        Sum { is_mean, count: 0, total: Some(Number::from(0)) }
    }
}

impl AggregateFunctionAccumulator for Sum {
    fn accumulate(&mut self, element: Term) {
        self.count += 1;
        self.total = self.total.take().and_then(|total| {
            let number = Number::of(&stored::undo(element))?;
            total.plus(&number)
        });
    }

    fn finish(&mut self) -> Option<Term> {
        let total = self.total.take()?;
        Some(if self.is_mean && self.count > 0 {
            mean(&total, self.count)?.into()
        } else {
            total.literal()?.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::Literal;
    use oxrdf::vocab::xsd;

    fn sum(is_mean: bool, values: &[Term]) -> Option<String> {
        let mut sum = Sum::new(is_mean);
        values.iter().for_each(|value| sum.accumulate(value.clone()));
        sum.finish().map(|term| stored::lexical_form(&term).unwrap_or_default().to_owned())
    }

    #[test]
    fn sums_and_means_are_those_of_any_length() {
        let integer = |text: &str| Term::from(Literal::new_typed_literal(text, xsd::INTEGER));
        let decimal = |text: &str| Term::from(Literal::new_typed_literal(text, xsd::DECIMAL));
        let all = [
            decimal("1162.50232689679035213546"),
            integer("12345678901234567890123"),
            integer("9223372036854775808"),
            decimal("1.00000000000000000000000000"),
            decimal("123456789012345678901234.5"),
        ];
        let want = "135811691285617101568329.00232689679035213546";
        assert_eq!(sum(false, &all).as_deref(), Some(want));
        let want = "27162338257123420313665.800465379358070427092";
        assert_eq!(sum(true, &all).as_deref(), Some(want));
        assert_eq!(sum(false, &[]).as_deref(), Some("0"));
        assert_eq!(sum(true, &[]).as_deref(), Some("0"));
        let thirds = [integer("1"), integer("0"), integer("0")];
        assert_eq!(sum(true, &thirds).as_deref(), Some("0.333333333333333333"));
        assert_eq!(sum(false, &[integer("1"), Literal::new_simple_literal("x").into()]), None);
    }
}
