//! SUM and AVG of numbers of any kind and length, and of values that are none.

use std::collections::HashMap;

use oxrdf::Term;

use super::super::super::number::{Number, mean};
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::UNBOUND;
use super::sum::{Scales, Sum};
use crate::view::View;

/// A number; none of a value that is none, or of a row without a value.
type Value = Option<Number>;

/// Sums of the groups that have a value which is no exact number of a few digits.
#[derive(Default)]
pub(super) struct Wides {
    /// In the order in which the values came.
    of_groups: HashMap<u32, Value>,
    /// What was read of ids.
    read: HashMap<u64, Value>,
}

impl Wides {
    /// Whether all values so far were exact numbers.
    pub(in crate::sparql) fn is_empty(&self) -> bool {
        self.of_groups.is_empty()
    }

    /// Memory that they take, in bytes.
    pub(in crate::sparql) fn len(&self) -> usize {
        self.of_groups.capacity() * size_of::<(u32, Value)>()
            + self.read.capacity() * size_of::<(u64, Value)>()
    }

    /// The sum of a group, or its mean, if it isn't exact.
    pub(in crate::sparql) fn get(&self, group: usize, count: Option<i64>) -> Option<Option<Term>> {
        let sum = self.of_groups.get(&(group as u32))?;
        Some(sum.as_ref().and_then(|sum| term_of(sum, count)))
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
            if let (false, Some(scale)) = (self.of_groups.contains_key(group), scales.of(*id)) {
                sum.add(*id, scale);
                continue;
            }
            let value = self.read(columns, *id)?;
            let exact = || Number::of(&sum.exact().into());
            let total = self.of_groups.entry(*group).or_insert_with(exact);
            *total = total.take().zip(value).and_then(|(so_far, value)| so_far.plus(&value));
            sum.count_one();
        }
        Ok(())
    }

    fn read<V: View>(&mut self, columns: &Columns<'_, '_, V>, id: u64) -> Outcome<Value> {
        if id == UNBOUND {
            return Ok(None);
        }
        if let Some(number) = self.read.get(&id) {
            return Ok(number.clone());
        }
        let number = Number::of(&columns.ids.term(id)?);
        self.read.insert(id, number.clone());
        Ok(number)
    }
}

/// The term of a sum, or of the mean of a number of values.
pub(super) fn term_of(sum: &Number, count: Option<i64>) -> Option<Term> {
    let literal = match count {
        Some(count) => mean(sum, count),
        None => sum.literal(),
    };
    literal.map(Term::from)
}
