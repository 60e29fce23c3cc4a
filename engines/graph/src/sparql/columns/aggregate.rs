//! GROUP BY: groups numbered, aggregates over columns of ids.
//!
//! Callers: columns/evaluate

use std::borrow::Cow;
use std::cmp::Ordering;
use std::str::FromStr;

use oxrdf::vocab::xsd;
use oxrdf::{Literal, Variable};
use oxsdatatypes::Decimal;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression};

use super::groups::Groups;
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::table::{Table, UNBOUND, gathered};
use crate::Id;
use crate::term::inline::{EXACT_SCALE, exact_value};
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// The groups of a table, with their aggregates.
    pub(super) fn grouped(
        &self,
        table: &Table,
        variables: &[Variable],
        aggregates: &[(Variable, AggregateExpression)],
    ) -> Outcome<Table> {
        let keys: Vec<Cow<'_, [u64]>> = variables
            .iter()
            .map(|variable| self.values(&Expression::Variable(variable.clone()), table))
            .collect::<Outcome<_>>()?;
        let columns: Vec<&[u64]> = keys.iter().map(|column| &**column).collect();
        let mut groups = Groups::of(&columns, table.row_count);
        if variables.is_empty() && table.row_count == 0 {
            // Without GROUP BY there is one group, be it empty.
            groups.first_rows.push(0);
        }
        let mut result = Table { row_count: groups.count(), ..Table::default() };
        for (variable, column) in variables.iter().zip(columns) {
            result.push(variable.as_str().to_owned(), gathered(column, &groups.first_rows));
        }
        for (variable, aggregate) in aggregates {
            let column = self.aggregate(aggregate, table, &groups)?;
            result.push(variable.as_str().to_owned(), column);
        }
        self.meter.made(&result)?;
        Ok(result)
    }

    fn aggregate(
        &self,
        aggregate: &AggregateExpression,
        table: &Table,
        groups: &Groups,
    ) -> Outcome<Vec<u64>> {
        let (name, expr, distinct) = match aggregate {
            AggregateExpression::CountSolutions { distinct: false } => {
                return self.counts(groups.of_rows.iter().copied(), groups.count());
            }
            AggregateExpression::CountSolutions { distinct: true } => {
                return Err(Stop::NotHere("COUNT(DISTINCT *)"));
            }
            AggregateExpression::FunctionCall { name, expr, distinct } => (name, expr, distinct),
        };
        let values = self.values(expr, table)?;
        let distinct_rows = distinct.then(|| {
            let wide: Vec<u64> = groups.of_rows.iter().map(|group| u64::from(*group)).collect();
            Groups::of(&[&wide, &values], table.row_count).first_rows
        });
        let entries = match &distinct_rows {
            None => Entries { groups: Cow::Borrowed(&groups.of_rows), values },
            Some(rows) => {
                let of_rows = rows.iter().map(|row| groups.of_rows[*row as usize]);
                Entries { groups: of_rows.collect(), values: gathered(&values, rows).into() }
            }
        };
        let is_open = || entries.values.contains(&UNBOUND);
        match name {
            AggregateFunction::Count => {
                let bound = entries.iter().filter(|(_, value)| *value != UNBOUND);
                self.counts(bound.map(|(group, _)| group), groups.count())
            }
            _ if is_open() => Err(Stop::NotHere("aggregate over unbound values")),
            AggregateFunction::Sum => self.sums(&entries, groups.count(), Sum::finish),
            AggregateFunction::Avg => self.sums(&entries, groups.count(), Sum::mean),
            AggregateFunction::Min | AggregateFunction::Max => {
                if !matches!(expr, Expression::Variable(_)) {
                    return Err(Stop::NotHere("MIN or MAX of a computed value"));
                }
                let better = match name {
                    AggregateFunction::Min => Ordering::Less,
                    _ => Ordering::Greater,
                };
                self.extremes(&entries, groups.count(), better)
            }
            AggregateFunction::GroupConcat { .. }
            | AggregateFunction::Sample
            | AggregateFunction::Custom(_) => {
                Err(Stop::NotHere("GROUP_CONCAT, SAMPLE or a function of another system"))
            }
        }
    }

    fn integer(&self, value: i64) -> Outcome<u64> {
        self.ids.id(&Literal::from(value).into())
    }

    fn counts(&self, of_rows: impl Iterator<Item = u32>, count: usize) -> Outcome<Vec<u64>> {
        let mut counts = vec![0_i64; count];
        of_rows.for_each(|group| counts[group as usize] += 1);
        counts.into_iter().map(|count| self.integer(count)).collect()
    }

    fn sums(
        &self,
        entries: &Entries<'_>,
        count: usize,
        finish: impl Fn(&Sum) -> Option<Literal>,
    ) -> Outcome<Vec<u64>> {
        let mut sums = vec![Sum::default(); count];
        for (group, id) in entries.iter() {
            let Some((value, is_decimal)) = exact_value(Id(id)) else {
                return Err(Stop::NotHere("sum of other values than integers and short decimals"));
            };
            let sum = &mut sums[group as usize];
            sum.total += value;
            sum.size = sum.size.max(sum.total.abs());
            sum.is_decimal |= is_decimal;
            sum.count += 1;
        }
        let id = |sum: &Sum| match finish(sum) {
            Some(literal) => self.ids.id(&literal.into()),
            None => Err(Stop::NotHere("sum that is too large for its datatype")),
        };
        sums.iter().map(id).collect()
    }

    /// The least or greatest term of each group.
    fn extremes(&self, entries: &Entries<'_>, count: usize, better: Ordering) -> Outcome<Vec<u64>> {
        let mut best = vec![UNBOUND; count];
        // In the order of terms, each distinct one has a rank.
        let ranks = self.ranks(&entries.values)?;
        let mut best_ranks = vec![0; count];
        for ((group, id), rank) in entries.iter().zip(ranks) {
            let group = group as usize;
            if best[group] == UNBOUND || rank.cmp(&best_ranks[group]) == better {
                (best[group], best_ranks[group]) = (id, rank);
            }
        }
        Ok(best)
    }
}

fn literal(value: Decimal) -> Literal {
    Literal::new_typed_literal(value.to_string(), xsd::DECIMAL)
}

/// Values of rows, with the groups that the rows are in.
struct Entries<'t> {
    groups: Cow<'t, [u32]>,
    values: Cow<'t, [u64]>,
}

impl Entries<'_> {
    fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.groups.iter().copied().zip(self.values.iter().copied())
    }
}

/// Sum of integers and decimals, exact.
#[derive(Clone, Debug, Default)]
struct Sum {
    /// Times [`EXACT_SCALE`].
    total: i128,
    /// Greatest of its absolute values so far.
    size: i128,
    is_decimal: bool,
    count: i64,
}

impl Sum {
    /// The sum, by the rules of the evaluator's datatypes; none if it exceeds what both of them hold.
    fn finish(&self) -> Option<Literal> {
        if self.is_decimal { self.decimal().map(literal) } else { self.integer() }
    }

    fn mean(&self) -> Option<Literal> {
        if self.count == 0 {
            return Some(Literal::from(0_i64));
        }
        self.decimal()?.checked_div(self.count).map(literal)
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
        let (whole, part) = (self.total.abs() / EXACT_SCALE, self.total.abs() % EXACT_SCALE);
        let sign = if self.total < 0 { "-" } else { "" };
        Decimal::from_str(&format!("{sign}{whole}.{part:07}")).ok()
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
    }
}
