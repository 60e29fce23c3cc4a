//! COUNT of joins, OPTIONAL, MINUS, EXISTS and UNION, in all or by one variable, without their
//! rows: each pattern is scanned one time, and its rows are multiplied by the numbers of rows that
//! the rest has for their keys.

use std::collections::BTreeSet;

use oxrdf::{Literal, Variable};
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};

use super::super::super::rewrite::{always_bound, of_expression};
use super::super::filter::stream::{Filtered, GraphFilter};
use super::super::scan::quads::QuadPattern;
use super::super::state::{Columns, GraphOf};
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::super::table::sink::Sink;
use super::factor::{Sums, Tally, Weighing};
use super::plan::{Counted, Factor, Source};
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// The groups of a pattern, where all that is asked of them is the number of their rows, and no
    /// row is needed for it; none elsewhere.
    pub(in crate::sparql) fn tallied(
        &self,
        inner: &GraphPattern,
        graph: &GraphOf,
        variables: &[Variable],
        aggregates: &[(Variable, AggregateExpression)],
    ) -> Outcome<Option<Table>> {
        let (key, bound) = (variables.first().map(Variable::as_str), always_bound(inner));
        let is_count = |(_, aggregate): &(_, AggregateExpression)| counts_rows(aggregate, &bound);
        let is_known = variables.len() < 2
            && key.is_none_or(|key| bound.contains(key))
            && aggregates.iter().all(is_count);
        if !is_known {
            return Ok(None);
        }
        let timer = self.start_timer();
        let Some(counted) = self.count_plan(inner, graph, key)? else { return Ok(None) };
        let row_count = counted.row_count();
        let mut sums = match key {
            Some(key) => Sums::By(key, Tally::new(row_count)),
            None => Sums::All(0),
        };
        self.sum_up(&counted, row_count, &mut sums)?;
        let number = |count: u64| {
            let count = i64::try_from(count).map_err(|_| Stop::NotHere("more than 2^63 rows"))?;
            self.ids.id(&Literal::from(count).into())
        };
        let (mut columns, counts): (Vec<Vec<u64>>, Vec<u64>) = match sums {
            Sums::All(count) => (Vec::new(), vec![number(count)?]),
            Sums::By(_, tally) => {
                let (ids, counts): (Vec<u64>, Vec<u32>) = tally.counts().unzip();
                let counts = counts.into_iter().map(|count| number(count.into()));
                (vec![ids], counts.collect::<Outcome<_>>()?)
            }
        };
        columns.extend(aggregates.iter().map(|_| counts.clone()));
        let results = variables.iter().chain(aggregates.iter().map(|(variable, _)| variable));
        let table = Table {
            names: results.map(|variable| variable.as_str().to_owned()).collect(),
            columns: columns.into(),
            row_count: counts.len(),
            ..Table::default()
        };
        self.meter.charge(&table)?;
        self.record(timer, &"counts of a join", None, &table);
        Ok(Some(table))
    }

    /// Adds the rows of a part to sums. The rows of all parts say how long arrays may be.
    fn sum_up(&self, counted: &Counted<'_>, row_count: u64, sums: &mut Sums<'_>) -> Outcome<()> {
        let (pattern, filters) = match &counted.of {
            Source::Sum(parts) => {
                return parts.iter().try_for_each(|part| self.sum_up(part, row_count, sums));
            }
            Source::Quads(pattern, filters) => (pattern, filters),
        };
        let mut scale: u64 = 1;
        for factor in counted.factors.iter().filter(|factor| factor.key.is_none()) {
            let mut all = Sums::All(0);
            self.sum_up(&factor.rows, row_count, &mut all)?;
            let Sums::All(count) = all else { continue };
            let too_many = Stop::NotHere("more than 2^64 rows");
            scale = scale.checked_mul(factor.times.of(count)).ok_or(too_many)?;
        }
        if scale == 0 {
            return Ok(());
        }
        let mut needed = BTreeSet::new();
        for factor in &counted.factors {
            if let Some(key) = &factor.key {
                self.tally_of(factor, key, row_count)?;
                needed.insert(key.clone());
            }
        }
        if let Sums::By(key, _) = sums {
            needed.insert((*key).to_owned());
        }
        for filter in filters {
            of_expression(filter.expression, &mut needed);
        }
        let timer = self.start_timer();
        let mut weighing = Weighing::new(scale, sums);
        for factor in &counted.factors {
            if let (Some(key), Some(tally)) = (&factor.key, factor.tally.get()) {
                weighing.factors.push((key, tally, factor.times));
            }
        }
        if self.by_counts(pattern, filters, &needed, &mut weighing)? {
            return Ok(());
        }
        let mut filtered = Filtered { columns: self, filters, sink: &mut weighing, count: 0 };
        let rows = if pattern.has_repeated() {
            let table = self.scan(pattern, Some(&needed))?;
            filtered.push(&table)?;
            table.row_count as u64
        } else {
            self.stream(pattern, |name| needed.contains(name), &mut filtered)?
        };
        let len = filtered.len();
        self.meter.check(len as usize / size_of::<u64>())?;
        self.record_rows(
            timer,
            &format_args!("keys of {}", pattern.text),
            Some(pattern.count),
            rows,
            len,
        );
        Ok(())
    }

    /// Makes the numbers of rows by key of a factor, once.
    fn tally_of(&self, factor: &Factor<'_>, key: &str, row_count: u64) -> Outcome<()> {
        if factor.tally.get().is_none() {
            let mut sums = Sums::By(key, Tally::new(row_count));
            self.sum_up(&factor.rows, row_count, &mut sums)?;
            if let Sums::By(_, tally) = sums {
                // It wasn't there a moment ago.
                let _ = factor.tally.set(tally);
            }
        }
        Ok(())
    }

    /// Weighs the quads of a pattern by counts that the view has, where at most one place of them
    /// matters. Whether it did.
    fn by_counts(
        &self,
        pattern: &QuadPattern,
        filters: &[GraphFilter<'_>],
        needed: &BTreeSet<String>,
        weighing: &mut Weighing<'_, '_>,
    ) -> Outcome<bool> {
        if pattern.has_repeated() || needed.len() > 1 {
            return Ok(false);
        }
        let failed = |error: crate::GraphError| Stop::Failed(error.into());
        let Some(name) = needed.first() else {
            let Some(count) = self.graphs.count(&pattern.ids()).map_err(failed)? else {
                return Ok(false);
            };
            weighing.push_counted(&Table::unit(), &[count])?;
            return Ok(true);
        };
        let Some(place) = pattern.place_of(name) else { return Ok(false) };
        let Some(counts) = self.graphs.counts_by(&pattern.ids(), place).map_err(failed)? else {
            return Ok(false);
        };
        let (ids, mut counts): (Vec<u64>, Vec<u64>) =
            counts.into_iter().map(|(id, count)| (id.0, count)).unzip();
        let mut table = Table { row_count: ids.len(), ..Table::default() };
        table.push(name.clone(), ids);
        for GraphFilter { expression, graph } in filters {
            let marks = self.passes(expression, &table, graph)?;
            let mut own = marks.iter();
            counts.retain(|_| *own.next().unwrap_or(&false));
            table = table.marked(&marks);
        }
        self.meter.scanned(0)?;
        weighing.push_counted(&table, &counts)?;
        Ok(true)
    }
}

/// Whether an aggregate is the number of rows, all of which bind some variables.
fn counts_rows(aggregate: &AggregateExpression, bound: &BTreeSet<String>) -> bool {
    match aggregate {
        AggregateExpression::CountSolutions { distinct } => !distinct,
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(variable),
            distinct: false,
        } => bound.contains(variable.as_str()),
        AggregateExpression::FunctionCall { .. } => false,
    }
}
