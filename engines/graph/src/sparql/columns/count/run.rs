//! COUNT of joins, OPTIONAL, MINUS, EXISTS and UNION, in all or by one variable, without their
//! rows: each pattern is scanned one time, and its rows are multiplied by the numbers of rows that
//! the rest has for their keys.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use oxrdf::Variable;

use super::super::filter::stream::Filtered;
use super::super::plan::operator::{Counted, Factor, Filter, Group, Source};
use super::super::scan::quads::QuadPattern;
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::super::table::sink::Sink;
use super::factor::{Sums, Tally, Weighing};
use super::index::failed;
use crate::view::View;

/// Numbers of rows by key, of factors that were counted: by the number of the factor's rows.
type Tallies = HashMap<usize, Rc<Tally>>;

/// A count on its way.
struct Counting {
    /// Number of rows of all parts: says how long arrays may be.
    row_count: u64,
    tallies: Tallies,
}

impl<V: View> Columns<'_, '_, V> {
    /// The groups of rows that are counted without being made.
    pub(in crate::sparql) fn counted(
        &self,
        number: usize,
        counted: &Counted<'_>,
        group: &Group<'_>,
    ) -> Outcome<Table> {
        if let Some(table) = self.counts_of_index(number, group)? {
            return Ok(table);
        }
        let timer = self.start_timer();
        let row_count = counted.row_count();
        let mut counting = Counting { row_count, tallies: Tallies::new() };
        let mut sums = match group.variables.first().map(Variable::as_str) {
            Some(key) => Sums::By(key, Tally::new(row_count)),
            None => Sums::All(0),
        };
        self.sum_up(counted, &mut counting, &mut sums)?;
        let (mut columns, counts): (Vec<Vec<u64>>, Vec<u64>) = match sums {
            Sums::All(count) => (Vec::new(), vec![self.count_id(count)?]),
            Sums::By(_, tally) => {
                let (ids, counts): (Vec<u64>, Vec<u64>) = tally.counts().unzip();
                let counts = counts.into_iter().map(|count| self.count_id(count));
                (vec![ids], counts.collect::<Outcome<_>>()?)
            }
        };
        columns.extend(group.aggregates.iter().map(|_| counts.clone()));
        let (names, row_count) = (group.names(), counts.len());
        let table = Table { names, columns: columns.into(), row_count, ..Table::default() };
        self.meter.charge(&table)?;
        self.record(number, timer, &table);
        Ok(table)
    }

    /// Adds the rows of a part to sums.
    fn sum_up(
        &self,
        counted: &Counted<'_>,
        counting: &mut Counting,
        sums: &mut Sums<'_>,
    ) -> Outcome<()> {
        let timer = self.start_timer();
        let (pattern, filters) = match &counted.of {
            Source::Sum(parts) => {
                parts.iter().try_for_each(|part| self.sum_up(part, counting, sums))?;
                self.record_rows(counted.number, timer, 0, 0);
                return Ok(());
            }
            Source::Quads(pattern, filters) => (pattern, filters),
        };
        let Some(pattern) = self.resolved(pattern)? else { return Ok(()) };
        let Some(scale) = self.scale_of(counted, counting)? else { return Ok(()) };
        let mut needed = BTreeSet::new();
        let mut tallies = Vec::new();
        for factor in &counted.factors {
            if let Some(key) = &factor.key {
                tallies.push((key.as_str(), self.tally_of(factor, key, counting)?, factor.times));
                needed.insert(key.clone());
            }
        }
        if let Sums::By(key, _) = sums {
            needed.insert((*key).to_owned());
        }
        filters.iter().for_each(|filter| needed.extend(filter.variables.iter().cloned()));
        let mut weighing = Weighing::new(scale, sums);
        weighing.factors =
            tallies.iter().map(|(key, tally, times)| (*key, &**tally, *times)).collect();
        let filters: Vec<&Filter<'_>> = filters.iter().map(|filter| &**filter).collect();
        let rows = self.weigh_quads(&pattern, &filters, &needed, &mut weighing)?;
        self.meter.check(weighing.len() as usize / size_of::<u64>())?;
        self.record_rows(counted.number, timer, rows, weighing.len());
        Ok(())
    }

    /// What every row of a part weighs, by the factors that have no key; none where that is
    /// nothing.
    fn scale_of(&self, counted: &Counted<'_>, counting: &mut Counting) -> Outcome<Option<u64>> {
        let mut scale: u64 = 1;
        for factor in counted.factors.iter().filter(|factor| factor.key.is_none()) {
            let mut all = Sums::All(0);
            self.sum_up(&factor.rows, counting, &mut all)?;
            let Sums::All(count) = all else { continue };
            let too_many = Stop::Unsupported("count of more than 2^64 rows");
            scale = scale.checked_mul(factor.times.of(count)).ok_or(too_many)?;
        }
        Ok((scale > 0).then_some(scale))
    }

    /// The numbers of rows by key of a factor, which are made once.
    fn tally_of(
        &self,
        factor: &Factor<'_>,
        key: &str,
        counting: &mut Counting,
    ) -> Outcome<Rc<Tally>> {
        if let Some(tally) = counting.tallies.get(&factor.rows.number) {
            return Ok(tally.clone());
        }
        let mut sums = Sums::By(key, Tally::new(counting.row_count));
        self.sum_up(&factor.rows, counting, &mut sums)?;
        let Sums::By(_, tally) = sums else { unreachable!("sums by a key stay so") };
        let tally = Rc::new(tally);
        counting.tallies.insert(factor.rows.number, tally.clone());
        Ok(tally)
    }

    /// Weighs the quads of a pattern that pass filters. Returns their number.
    fn weigh_quads(
        &self,
        pattern: &QuadPattern,
        filters: &[&Filter<'_>],
        needed: &BTreeSet<String>,
        weighing: &mut Weighing<'_, '_>,
    ) -> Outcome<u64> {
        if self.by_counts(pattern, filters, needed, weighing)? {
            return Ok(0);
        }
        let mut filtered = Filtered::new(self, filters, weighing);
        let rows = if pattern.has_repeated() {
            let table = self.scan(pattern, Some(needed))?;
            filtered.push(&table)?;
            table.row_count as u64
        } else {
            self.stream(pattern, |name| needed.contains(name), &mut filtered)?
        };
        filtered.record();
        Ok(rows)
    }

    /// Weighs the quads of a pattern by counts that the view has, where at most one place of them
    /// matters. Whether it did.
    fn by_counts(
        &self,
        pattern: &QuadPattern,
        filters: &[&Filter<'_>],
        needed: &BTreeSet<String>,
        weighing: &mut Weighing<'_, '_>,
    ) -> Outcome<bool> {
        if pattern.has_repeated() || needed.len() > 1 {
            return Ok(false);
        }
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
        for filter in filters {
            let marks = self.passes(filter, &table)?;
            let mut own = marks.iter();
            counts.retain(|_| *own.next().unwrap_or(&false));
            table = table.marked(&marks);
        }
        self.meter.scanned(0)?;
        weighing.push_counted(&table, &counts)?;
        Ok(true)
    }
}
