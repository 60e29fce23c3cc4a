//! Aggregates of groups, over values that come some at a time.
//!
//! Callers: columns/grouping

use std::cmp::Ordering;

use oxrdf::Literal;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression};

use super::groups::Groups;
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::sum::{Scales, Sum};
use super::table::UNBOUND;
use crate::view::View;

/// What is computed of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// Number of rows.
    Rows,
    /// Number of values.
    Bound,
    Sum,
    Mean,
    Least,
    Greatest,
}

/// An aggregate of all groups.
pub(super) struct Aggregate<'a> {
    of: Of,
    /// What it is of; none of all rows.
    pub(super) expression: Option<&'a Expression>,
    /// Whether each value of a group counts once.
    is_distinct: bool,
    counts: Vec<i64>,
    sums: Vec<Sum>,
    /// Groups and values that are looked at when all are there.
    kept: (Vec<u32>, Vec<u64>),
}

impl<'a> Aggregate<'a> {
    /// An aggregate without values.
    pub(super) fn new(aggregate: &'a AggregateExpression) -> Outcome<Aggregate<'a>> {
        let (of, expression, is_distinct) = match aggregate {
            AggregateExpression::CountSolutions { distinct: false } => (Of::Rows, None, false),
            AggregateExpression::CountSolutions { distinct: true } => {
                return Err(Stop::NotHere("COUNT(DISTINCT *)"));
            }
            AggregateExpression::FunctionCall { name, expr, distinct } => {
                (of(name, expr)?, Some(expr), *distinct)
            }
        };
        let (counts, sums, kept) = (Vec::new(), Vec::new(), (Vec::new(), Vec::new()));
        Ok(Aggregate { of, expression, is_distinct, counts, sums, kept })
    }

    /// Memory that it takes, in bytes.
    pub(super) fn len(&self) -> usize {
        self.counts.len() * size_of::<i64>()
            + self.sums.len() * size_of::<Sum>()
            + self.kept.0.len() * (size_of::<u32>() + size_of::<u64>())
    }

    /// Takes the groups of some rows, which are below a count.
    pub(super) fn push_rows(&mut self, groups: &[u32], count: usize) {
        self.counts.resize(count, 0);
        groups.iter().for_each(|group| self.counts[*group as usize] += 1);
    }

    /// Takes values of some rows and their groups, which are below a count.
    pub(super) fn push(
        &mut self,
        values: &[u64],
        groups: &[u32],
        count: usize,
        scales: &Scales,
    ) -> Outcome<()> {
        let is_kept = self.is_distinct || matches!(self.of, Of::Least | Of::Greatest);
        match self.of {
            _ if is_kept => {
                self.kept.0.extend_from_slice(groups);
                self.kept.1.extend_from_slice(values);
                Ok(())
            }
            _ => self.take(values, groups, count, scales),
        }
    }

    fn take(
        &mut self,
        values: &[u64],
        groups: &[u32],
        count: usize,
        scales: &Scales,
    ) -> Outcome<()> {
        let pairs = groups.iter().zip(values);
        if matches!(self.of, Of::Rows | Of::Bound) {
            self.counts.resize(count, 0);
            for (group, value) in pairs {
                self.counts[*group as usize] += i64::from(*value != UNBOUND);
            }
            return Ok(());
        }
        self.sums.resize(count, Sum::default());
        for (group, value) in pairs {
            let scale = scales.of(*value).ok_or(NO_SUM)?;
            self.sums[*group as usize].add(*value, scale);
        }
        Ok(())
    }

    /// The values of all groups.
    pub(super) fn finish<V: View>(
        mut self,
        columns: &Columns<'_, '_, V>,
        count: usize,
        scales: &Scales,
    ) -> Outcome<Vec<u64>> {
        let (groups, values) = std::mem::take(&mut self.kept);
        match self.of {
            Of::Least => return columns.extremes(&values, &groups, count, Ordering::Less),
            Of::Greatest => return columns.extremes(&values, &groups, count, Ordering::Greater),
            _ if self.is_distinct => {
                let (groups, values) = distinct(&groups, &values);
                self.take(&values, &groups, count, scales)?;
            }
            _ => {}
        }
        self.counts.resize(count, 0);
        self.sums.resize(count, Sum::default());
        let integer = |count: &i64| columns.ids.id(&Literal::from(*count).into());
        let sum = |finished: Option<Literal>| match finished {
            Some(literal) => columns.ids.id(&literal.into()),
            None => Err(Stop::NotHere("sum that is too large for its datatype")),
        };
        match self.of {
            Of::Sum => self.sums.iter().map(|one| sum(one.finish())).collect(),
            Of::Mean => self.sums.iter().map(|one| sum(one.mean())).collect(),
            _ => self.counts.iter().map(integer).collect(),
        }
    }
}

const NO_SUM: Stop = Stop::NotHere("sum of other values than integers and short decimals");

fn of(name: &AggregateFunction, expression: &Expression) -> Outcome<Of> {
    let is_variable = matches!(expression, Expression::Variable(_));
    match name {
        AggregateFunction::Count => Ok(Of::Bound),
        AggregateFunction::Sum => Ok(Of::Sum),
        AggregateFunction::Avg => Ok(Of::Mean),
        AggregateFunction::Min if is_variable => Ok(Of::Least),
        AggregateFunction::Max if is_variable => Ok(Of::Greatest),
        AggregateFunction::Min | AggregateFunction::Max => {
            Err(Stop::NotHere("MIN or MAX of a computed value"))
        }
        AggregateFunction::GroupConcat { .. }
        | AggregateFunction::Sample
        | AggregateFunction::Custom(_) => {
            Err(Stop::NotHere("GROUP_CONCAT, SAMPLE or a function of another system"))
        }
    }
}

/// Each value of a group once.
fn distinct(groups: &[u32], values: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let wide: Vec<u64> = groups.iter().map(|group| u64::from(*group)).collect();
    let firsts = Groups::of(&[&wide, values], values.len()).first_rows;
    firsts.iter().map(|row| (groups[*row as usize], values[*row as usize])).unzip()
}

impl<V: View> Columns<'_, '_, V> {
    /// The least or greatest term of each group.
    fn extremes(
        &self,
        values: &[u64],
        groups: &[u32],
        count: usize,
        better: Ordering,
    ) -> Outcome<Vec<u64>> {
        if values.contains(&UNBOUND) {
            return Err(Stop::NotHere("aggregate over unbound values"));
        }
        let mut best = vec![UNBOUND; count];
        // In the order of terms, each distinct one has a rank.
        let ranks = self.ranks(values)?;
        let mut best_ranks = vec![0; count];
        for ((group, id), rank) in groups.iter().zip(values).zip(ranks) {
            let group = *group as usize;
            if best[group] == UNBOUND || rank.cmp(&best_ranks[group]) == better {
                (best[group], best_ranks[group]) = (*id, rank);
            }
        }
        Ok(best)
    }
}
