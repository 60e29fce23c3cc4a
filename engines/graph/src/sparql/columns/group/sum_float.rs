//! SUM and AVG of floats and doubles, and of values that are no numbers, by the rules of the
//! evaluator's datatypes.

use std::collections::HashMap;

use oxrdf::Term;
use oxsdatatypes::{Decimal, Double, Float, Integer};
use spareval::ExpressionTerm;

use super::super::super::number::is_beyond;
use super::super::super::stored;
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::UNBOUND;
use super::sum::{Scales, Sum, exact_of};
use crate::view::View;

/// The sum of values that aren't all exact numbers, in the order in which they came.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wide {
    Float(Float),
    Double(Double),
    /// Of a value that is no number, or of a row without a value.
    Failed,
}

/// What a value adds to a sum.
#[derive(Clone, Copy, Debug)]
enum Number {
    /// An exact number, times [`EXACT_SCALE`](crate::term::inline::EXACT_SCALE), and whether it is
    /// a decimal.
    Exact(i128, bool),
    Wide(Wide),
}

/// Sums of the groups that have a value which is no exact number.
#[derive(Default)]
pub(super) struct Wides {
    of_groups: HashMap<u32, Wide>,
    /// What was read of ids.
    read: HashMap<u64, Number>,
}

impl Wides {
    /// Whether all values so far were exact numbers.
    pub(in crate::sparql) fn is_empty(&self) -> bool {
        self.of_groups.is_empty()
    }

    /// Memory that they take, in bytes.
    pub(in crate::sparql) fn len(&self) -> usize {
        self.of_groups.capacity() * size_of::<(u32, Wide)>()
            + self.read.capacity() * size_of::<(u64, Number)>()
    }

    /// The sum of a group, if it isn't exact.
    pub(in crate::sparql) fn get(&self, group: usize) -> Option<Wide> {
        self.of_groups.get(&(group as u32)).copied()
    }

    /// Adds values of any kind to the sums of their groups, here or there.
    pub(in crate::sparql) fn add<V: View>(
        &mut self,
        columns: &Columns<'_, '_, V>,
        groups: &[u32],
        values: &[u64],
        sums: &mut [Sum],
        scales: &Scales,
    ) -> Outcome<()> {
        for (group, id) in groups.iter().zip(values) {
            let sum = &mut sums[*group as usize];
            let number = match scales.of(*id) {
                Some(scale) => {
                    let (value, is_decimal) = scale.value(*id);
                    Number::Exact(value, is_decimal)
                }
                None => self.read(columns, *id)?,
            };
            let so_far = self.of_groups.get(group).copied();
            let wide = match (so_far, number) {
                (None, Number::Exact(value, is_decimal)) => {
                    sum.add_exact(value, is_decimal);
                    continue;
                }
                (None, Number::Wide(wide)) => wide.plus_exact(sum)?,
                (Some(so_far), Number::Wide(wide)) => so_far.plus(wide),
                (Some(so_far), Number::Exact(value, is_decimal)) => {
                    let mut one = Sum::default();
                    one.add_exact(value, is_decimal);
                    so_far.plus_exact(&one)?
                }
            };
            sum.count_one();
            self.of_groups.insert(*group, wide);
        }
        Ok(())
    }

    fn read<V: View>(&mut self, columns: &Columns<'_, '_, V>, id: u64) -> Outcome<Number> {
        if id == UNBOUND {
            return Ok(Number::Wide(Wide::Failed));
        }
        if let Some(number) = self.read.get(&id) {
            return Ok(*number);
        }
        let decimal = |value: Decimal| match exact_of(value) {
            Some(exact) => Ok(Number::Exact(exact, true)),
            None => Err(Stop::NotHere("sum of decimals of more than seven digits after the point")),
        };
        let term = columns.ids.term(id)?;
        let number = match ExpressionTerm::from(term.clone()) {
            ExpressionTerm::FloatLiteral(value) => Number::Wide(Wide::Float(value)),
            ExpressionTerm::DoubleLiteral(value) => Number::Wide(Wide::Double(value)),
            ExpressionTerm::IntegerLiteral(value) => match decimal(value.into())? {
                Number::Exact(exact, _) => Number::Exact(exact, false),
                wide => wide,
            },
            ExpressionTerm::DecimalLiteral(value) => decimal(value)?,
            _ if is_beyond(&term) => {
                return Err(Stop::NotHere("sum of numbers of more digits than columns add"));
            }
            _ => Number::Wide(Wide::Failed),
        };
        self.read.insert(id, number);
        Ok(number)
    }
}

impl Wide {
    fn plus(self, other: Wide) -> Wide {
        match (self, other) {
            (Wide::Failed, _) | (_, Wide::Failed) => Wide::Failed,
            (Wide::Float(one), Wide::Float(other)) => Wide::Float(one + other),
            (Wide::Float(one), Wide::Double(other)) => Wide::Double(Double::from(one) + other),
            (Wide::Double(one), Wide::Float(other)) => Wide::Double(one + other.into()),
            (Wide::Double(one), Wide::Double(other)) => Wide::Double(one + other),
        }
    }

    /// Adds an exact sum, in the datatype that this has.
    fn plus_exact(self, sum: &Sum) -> Outcome<Wide> {
        let too_large = Stop::NotHere("sum that is too large for its datatype");
        let exact = sum.finish().ok_or(too_large)?;
        let (float, double) = match ExpressionTerm::from(Term::from(exact)) {
            ExpressionTerm::IntegerLiteral(value) => (Float::from(value), Double::from(value)),
            ExpressionTerm::DecimalLiteral(value) => (Float::from(value), Double::from(value)),
            _ => return Err(Stop::NotHere("exact sum that is no number")),
        };
        Ok(match self {
            Wide::Float(value) => Wide::Float(float + value),
            Wide::Double(value) => Wide::Double(double + value),
            Wide::Failed => Wide::Failed,
        })
    }

    /// The term of the sum, divided by a count; none if it failed.
    pub(in crate::sparql) fn over(self, count: i64) -> Option<Term> {
        let count = Integer::from(count);
        Some(match self {
            Wide::Float(sum) => {
                stored::computed(ExpressionTerm::FloatLiteral(sum / Float::from(count)))
            }
            Wide::Double(sum) => {
                stored::computed(ExpressionTerm::DoubleLiteral(sum / Double::from(count)))
            }
            Wide::Failed => return None,
        })
    }
}
