//! Aggregates of groups, over values that come some at a time.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use oxrdf::{Literal, Term};
use spareval::ExpressionTerm;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression};

use super::super::super::number::Number;
use super::super::super::order_key::order_key;
use super::super::super::stored;
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::groups::Groups;
use super::super::table::meter::Meter;
use super::super::table::numbering::Numbering;
use super::super::table::rows::{Table, UNBOUND};
use super::sum::{Scales, Sum};
use super::sum_number::{Wides, term_of};
use crate::Id;
use crate::term::inline::exact_value;
use crate::view::View;

/// What is computed of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of<'a> {
    /// Number of rows.
    Rows,
    /// Number of values.
    Bound,
    Sum,
    Mean,
    Least,
    Greatest,
    /// The first value that is met.
    Sample,
    /// The values as strings, with a separator between them.
    Joined(&'a str),
}

/// An aggregate of all groups.
pub(super) struct Aggregate<'a> {
    of: Of<'a>,
    /// What it is of; none of all rows.
    pub(in crate::sparql) expression: Option<&'a Expression>,
    /// Of distinct rows: the numbers of those met so far.
    rows: Option<(Vec<&'a str>, Numbering)>,
    /// Whether each value of a group counts once.
    is_distinct: bool,
    counts: Vec<i64>,
    sums: Vec<Sum>,
    /// Sums of groups that have other values than exact numbers.
    wides: Wides,
    samples: Vec<u64>,
    /// Groups and values that are looked at when all are there.
    kept: (Vec<u32>, Vec<u64>),
}

impl<'a> Aggregate<'a> {
    /// An aggregate without values, over rows of some variables.
    pub(in crate::sparql) fn new(
        aggregate: &'a AggregateExpression,
        row: &'a BTreeSet<String>,
    ) -> Outcome<Aggregate<'a>> {
        let names = || row.iter().map(String::as_str).collect::<Vec<_>>();
        let (of, expression, rows, is_distinct) = match aggregate {
            AggregateExpression::CountSolutions { distinct: false } => {
                (Of::Rows, None, None, false)
            }
            AggregateExpression::CountSolutions { distinct: true } => {
                (Of::Bound, None, Some((names(), Numbering::new(row.len()))), true)
            }
            AggregateExpression::FunctionCall { name, expr, distinct } => {
                (of(name)?, Some(expr), None, *distinct)
            }
        };
        Ok(Aggregate {
            of,
            expression,
            rows,
            is_distinct,
            counts: Vec::new(),
            sums: Vec::new(),
            wides: Wides::default(),
            samples: Vec::new(),
            kept: (Vec::new(), Vec::new()),
        })
    }

    /// Memory that it takes, in bytes.
    pub(in crate::sparql) fn len(&self) -> usize {
        self.counts.len() * size_of::<i64>()
            + self.sums.len() * size_of::<Sum>()
            + self.wides.len()
            + self.samples.len() * size_of::<u64>()
            + self.kept.0.len() * (size_of::<u32>() + size_of::<u64>())
            + self.rows.as_ref().map_or(0, |(_, numbering)| numbering.len())
    }

    /// Takes rows and their groups, which are below a count.
    pub(super) fn push_rows(&mut self, rows: &Table, groups: &[u32], count: usize) {
        let Some((names, numbering)) = &mut self.rows else {
            self.counts.resize(count, 0);
            groups.iter().for_each(|group| self.counts[*group as usize] += 1);
            return;
        };
        let unbound = vec![UNBOUND; rows.row_count];
        let columns: Vec<&[u64]> =
            names.iter().map(|name| rows.column(name).unwrap_or(&unbound)).collect();
        let mut numbers = Vec::new();
        numbering.number(&columns, rows.row_count, &mut numbers);
        self.kept.0.extend_from_slice(groups);
        self.kept.1.extend(numbers.into_iter().map(u64::from));
    }

    /// Takes values of some rows and their groups, which are below a count.
    pub(in crate::sparql) fn push<V: View>(
        &mut self,
        columns: &Columns<'_, '_, V>,
        values: &[u64],
        groups: &[u32],
        count: usize,
        scales: &Scales,
    ) -> Outcome<()> {
        let is_kept = matches!(self.of, Of::Least | Of::Greatest | Of::Joined(_));
        if is_kept || self.is_distinct {
            self.kept.0.extend_from_slice(groups);
            self.kept.1.extend_from_slice(values);
            return Ok(());
        }
        self.take(columns, values, groups, count, scales)
    }

    fn take<V: View>(
        &mut self,
        columns: &Columns<'_, '_, V>,
        values: &[u64],
        groups: &[u32],
        count: usize,
        scales: &Scales,
    ) -> Outcome<()> {
        let pairs = groups.iter().zip(values);
        match self.of {
            Of::Rows | Of::Bound => {
                self.counts.resize(count, 0);
                for (group, value) in pairs {
                    self.counts[*group as usize] += i64::from(*value != UNBOUND);
                }
            }
            Of::Sample => {
                self.samples.resize(count, UNBOUND);
                for (group, value) in pairs {
                    let sample = &mut self.samples[*group as usize];
                    *sample = if *sample == UNBOUND { *value } else { *sample };
                }
            }
            _ => {
                self.sums.resize(count, Sum::default());
                let mut exact = 0;
                if self.wides.is_empty() {
                    for (group, value) in pairs {
                        let Some(scale) = scales.of(*value) else { break };
                        self.sums[*group as usize].add(*value, scale);
                        exact += 1;
                    }
                }
                let (groups, values) = (&groups[exact..], &values[exact..]);
                self.wides.add(columns, groups, values, &mut self.sums, scales)?;
            }
        }
        Ok(())
    }

    /// The values of all groups.
    pub(in crate::sparql) fn finish<V: View>(
        mut self,
        columns: &Columns<'_, '_, V>,
        count: usize,
        scales: &Scales,
    ) -> Outcome<Vec<u64>> {
        let (groups, values) = std::mem::take(&mut self.kept);
        match self.of {
            Of::Least => return columns.extremes(&values, &groups, count, Ordering::Less),
            Of::Greatest => return columns.extremes(&values, &groups, count, Ordering::Greater),
            Of::Joined(separator) => {
                return columns.joined(&values, &groups, count, separator, self.is_distinct);
            }
            _ if self.is_distinct => {
                let values = match self.of {
                    Of::Sum | Of::Mean => columns.as_values(values, scales)?,
                    _ => values,
                };
                let (groups, values) = distinct(&groups, &values, &columns.meter)?;
                self.take(columns, &values, &groups, count, scales)?;
            }
            _ => {}
        }
        self.counts.resize(count, 0);
        self.sums.resize(count, Sum::default());
        self.samples.resize(count, UNBOUND);
        let integer = |count: &i64| columns.ids.id(&Literal::from(*count).into());
        match self.of {
            Of::Sample => Ok(self.samples),
            Of::Sum | Of::Mean => {
                let sums = self.sums.iter().enumerate();
                sums.map(|(group, sum)| self.sum(columns, group, sum)).collect()
            }
            _ => self.counts.iter().map(integer).collect(),
        }
    }

    /// The sum or mean of a group.
    fn sum<V: View>(&self, columns: &Columns<'_, '_, V>, group: usize, sum: &Sum) -> Outcome<u64> {
        let count = (self.of == Of::Mean).then(|| sum.count());
        let term = match self.wides.get(group, count) {
            Some(wide) => wide,
            None => {
                let exact = if count.is_some() { sum.mean() } else { sum.finish() };
                // What the evaluator's datatypes don't hold is computed with any number of digits.
                let long = || term_of(&Number::of(&sum.exact().into())?, count);
                exact.map(Term::from).or_else(long)
            }
        };
        term.map_or(Ok(UNBOUND), |term| columns.ids.id(&term))
    }
}

fn of(name: &AggregateFunction) -> Outcome<Of<'_>> {
    match name {
        AggregateFunction::Count => Ok(Of::Bound),
        AggregateFunction::Sum => Ok(Of::Sum),
        AggregateFunction::Avg => Ok(Of::Mean),
        AggregateFunction::Min => Ok(Of::Least),
        AggregateFunction::Max => Ok(Of::Greatest),
        AggregateFunction::Sample => Ok(Of::Sample),
        // What stands between the values if nothing is said.
        AggregateFunction::GroupConcat { separator } => {
            Ok(Of::Joined(separator.as_deref().unwrap_or(" ")))
        }
        AggregateFunction::Custom(_) => Err(Stop::Unsupported("aggregate of another system")),
    }
}

/// Each value of a group once.
pub(in crate::sparql) fn distinct(
    groups: &[u32],
    values: &[u64],
    meter: &Meter<'_, '_>,
) -> Outcome<(Vec<u32>, Vec<u64>)> {
    let wide: Vec<u64> = groups.iter().map(|group| u64::from(*group)).collect();
    let firsts = Groups::of(&[&wide, values], values.len(), meter)?.first_rows;
    Ok(firsts.iter().map(|row| (groups[*row as usize], values[*row as usize])).unzip())
}

impl<V: View> Columns<'_, '_, V> {
    /// Numbers as their values are written: 1 and 01 are one.
    fn as_values(&self, mut ids: Vec<u64>, scales: &Scales) -> Outcome<Vec<u64>> {
        let mut known = HashMap::new();
        for id in ids.iter_mut().filter(|id| **id != UNBOUND && scales.of(**id).is_none()) {
            *id = match known.get(id) {
                Some(value) => *value,
                None => {
                    let term = stored::computed(ExpressionTerm::from(self.ids.term(*id)?));
                    *known.entry(*id).or_insert(self.ids.id(&term)?)
                }
            };
        }
        Ok(ids)
    }

    /// The least or greatest term of each group; none of a group that has a row without a value.
    fn extremes(
        &self,
        values: &[u64],
        groups: &[u32],
        count: usize,
        better: Ordering,
    ) -> Outcome<Vec<u64>> {
        if let Some(best) = self.exact_extremes(values, groups, count, better)? {
            return Ok(best);
        }
        let mut best = vec![UNBOUND; count];
        if values.iter().all(|id| self.ids.is_sorted(*id)) {
            for (group, id) in groups.iter().zip(values) {
                let best = &mut best[*group as usize];
                if *best == UNBOUND || id.cmp(best) == better {
                    *best = *id;
                }
            }
            return Ok(best);
        }
        // In the order of terms, each distinct one has a rank.
        let ranks = self.ranks(values)?;
        let mut best_ranks = vec![0; count];
        for ((group, id), rank) in groups.iter().zip(values).zip(ranks) {
            let group = *group as usize;
            if best[group] == UNBOUND || rank.cmp(&best_ranks[group]) == better {
                (best[group], best_ranks[group]) = (*id, rank);
            }
        }
        let without = groups.iter().zip(values).filter(|(_, id)| **id == UNBOUND);
        without.for_each(|(group, _)| best[*group as usize] = UNBOUND);
        Ok(best)
    }

    /// As [`Columns::extremes`], of exact numbers: they are compared as they come. None if another
    /// value is among them.
    fn exact_extremes(
        &self,
        values: &[u64],
        groups: &[u32],
        count: usize,
        better: Ordering,
    ) -> Outcome<Option<Vec<u64>>> {
        let (mut best, mut numbers) = (vec![UNBOUND; count], vec![0; count]);
        for (group, id) in groups.iter().zip(values) {
            let (best, own) = (&mut best[*group as usize], &mut numbers[*group as usize]);
            let Some((number, _)) = exact_value(Id(*id)) else { return Ok(None) };
            if *best == *id {
                continue;
            }
            let order = match number.cmp(own) {
                _ if *best == UNBOUND => better,
                // The same value, written otherwise.
                Ordering::Equal => {
                    let (one, other) = (self.ids.term(*id)?, self.ids.term(*best)?);
                    order_key(&one).cmp(&order_key(&other))
                }
                order => order,
            };
            if order == better {
                (*best, *own) = (*id, number);
            }
        }
        Ok(Some(best))
    }
}
