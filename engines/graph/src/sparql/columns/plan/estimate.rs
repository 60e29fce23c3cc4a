//! Numbers of rows that are expected of operators, and the order that joins would take: counts of
//! the view, and what a few rows find.
//!
//! The run asks the same of the rows that have come. So this is made for those who want to see a
//! plan, and for nobody else.

use std::collections::{BTreeSet, HashMap};

use super::super::super::rewrite::in_scope;
use super::super::join::order::LOOK_UP_COST;
use super::super::join::rest::FILTERED;
use super::super::join::step::Way;
use super::super::scan::quads::QuadPattern;
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::operator::{Counted, Filter, Join, Lateral, Leaf, Operator, Plan, Source};
use crate::view::View;

/// Number of rows that a part is taken for of which nothing is known.
const UNKNOWN_ROWS: f64 = 1000.0;

/// What is expected of operators, by their numbers.
#[derive(Default)]
pub(in crate::sparql) struct Estimates {
    rows: HashMap<usize, u64>,
    ways: HashMap<usize, String>,
    /// The turn of a part of a join.
    turns: HashMap<usize, usize>,
}

impl Estimates {
    /// The number of rows of an operator; none where nothing is known.
    pub(in crate::sparql) fn rows(&self, number: usize) -> Option<u64> {
        self.rows.get(&number).copied()
    }

    /// The way that a part of a join would take.
    pub(in crate::sparql) fn way(&self, number: usize) -> Option<&String> {
        self.ways.get(&number)
    }

    /// The turn of a part of a join; those without one come last.
    pub(in crate::sparql) fn turn(&self, number: usize) -> usize {
        self.turns.get(&number).copied().unwrap_or(usize::MAX)
    }

    fn keep(&mut self, number: usize, rows: Option<f64>) -> Option<f64> {
        if let Some(rows) = rows {
            self.rows.insert(number, rows as u64);
        }
        rows
    }
}

/// What a join is expected to have made so far.
struct Made {
    /// Number of rows; none where nothing is known.
    rows: Option<f64>,
    /// A few of them.
    sample: Table,
    names: BTreeSet<String>,
    turn: usize,
}

/// Something that is joined.
enum Item<'j, 'q> {
    Quads(&'j QuadPattern),
    Rows(&'j Plan<'q>, Option<f64>),
}

impl Item<'_, '_> {
    fn names(&self) -> BTreeSet<String> {
        match self {
            Item::Quads(pattern) => pattern.names().into_iter().collect(),
            Item::Rows(part, _) => in_scope(part.pattern),
        }
    }

    fn count(&self) -> f64 {
        match self {
            Item::Quads(pattern) => pattern.count as f64,
            Item::Rows(_, rows) => rows.unwrap_or(UNKNOWN_ROWS),
        }
    }
}

impl<V: View> Columns<'_, '_, V> {
    /// What is expected of the operators of a plan.
    pub(in crate::sparql) fn estimates(&self, plan: &Plan<'_>) -> Outcome<Estimates> {
        let mut estimates = Estimates::default();
        self.estimate_of(plan, &mut estimates)?;
        Ok(estimates)
    }

    fn estimate_of(&self, plan: &Plan<'_>, into: &mut Estimates) -> Outcome<Option<f64>> {
        use Operator as O;
        let rows = match &plan.operator {
            O::Join(join) => self.estimate_of_join(join, into)?,
            O::Filter { inner, filter } => {
                self.estimate_of(inner, into)?;
                self.estimate_of_filter(filter, into)?;
                None
            }
            O::LeftJoin { sides, filter } => {
                let left = self.estimate_of(&sides[0], into)?;
                self.estimate_of(&sides[1], into)?;
                filter.iter().try_for_each(|filter| self.estimate_of_filter(filter, into))?;
                left
            }
            O::Union(sides) => {
                let left = self.estimate_of(&sides[0], into)?;
                let right = self.estimate_of(&sides[1], into)?;
                left.zip(right).map(|(left, right)| left + right)
            }
            O::Minus(sides) | O::Lateral(Lateral { sides, .. }) => {
                self.estimate_of(&sides[0], into)?;
                self.estimate_of(&sides[1], into)?;
                None
            }
            O::Values { rows, .. } => Some(rows.len() as f64),
            O::Extend { inner, .. } | O::Project { inner, .. } | O::Sort { inner, .. } => {
                self.estimate_of(inner, into)?
            }
            O::Slice { inner, start, length } => {
                let rows = self.estimate_of(inner, into)?;
                let max = length.map_or(f64::INFINITY, |length| length as f64);
                rows.map(|rows| (rows - *start as f64).clamp(0.0, max))
            }
            O::Distinct(inner) | O::EachGraph { inner, .. } => {
                self.estimate_of(inner, into)?;
                None
            }
            O::Group(group) => {
                group.inner.iter().try_for_each(|inner| self.estimate_of(inner, into).map(drop))?;
                group.variables.is_empty().then_some(1.0)
            }
            O::Count { counted, group } => {
                counts_of(counted, into);
                group.variables.is_empty().then_some(1.0)
            }
            O::Path(_) => None,
        };
        Ok(into.keep(plan.number, rows))
    }

    fn estimate_of_filter(&self, filter: &Filter<'_>, into: &mut Estimates) -> Outcome<()> {
        for exists in &filter.exists {
            self.estimate_of(&exists.inner, into)?;
            exists.filter.iter().try_for_each(|own| self.estimate_of_filter(own, into))?;
        }
        Ok(())
    }

    fn estimate_of_join(&self, join: &Join<'_>, into: &mut Estimates) -> Outcome<Option<f64>> {
        let mut items = Vec::new();
        for part in &join.early {
            items.push(Item::Rows(part, self.estimate_of(part, into)?));
        }
        join.late.iter().try_for_each(|part| self.estimate_of(part, into).map(drop))?;
        join.filters.iter().try_for_each(|filter| self.estimate_of_filter(filter, into))?;
        if join.is_void() {
            for Leaf { number, quads, .. } in &join.patterns {
                into.keep(*number, Some(quads.as_ref().map_or(0.0, |own| own.count as f64)));
            }
            return Ok(Some(0.0));
        }
        items.extend(join.patterns.iter().filter_map(|leaf| leaf.quads.as_ref()).map(Item::Quads));
        let sample = Table::unit();
        let mut made = Made { rows: Some(1.0), sample, names: BTreeSet::new(), turn: 0 };
        while !items.is_empty() {
            let (at, times) = self.next_of(&made, &items, &join.filters)?;
            let item = items.swap_remove(at);
            self.joined_with(&mut made, &item, times, into)?;
            take_closed(&mut made, &item, &mut items, into);
        }
        let is_known = join.late.is_empty() && join.filters.is_empty();
        Ok(made.rows.filter(|_| is_known))
    }

    /// What comes next, as the run would choose it, and by what it multiplies the rows.
    fn next_of(
        &self,
        made: &Made,
        items: &[Item<'_, '_>],
        filters: &[Filter<'_>],
    ) -> Outcome<(usize, f64)> {
        let (mut best, mut least) = ((0, 1.0), f64::INFINITY);
        for (at, item) in items.iter().enumerate() {
            let names = item.names();
            let is_joined = !names.is_disjoint(&made.names);
            let (times, cost) = if made.turn == 0 {
                let has_own =
                    filters.iter().any(|own| own.is_by_ids && own.variables.is_subset(&names));
                (item.count(), item.count() / if has_own { FILTERED as f64 } else { 1.0 })
            } else if is_joined {
                let times = match item {
                    Item::Quads(pattern) => self.fan_out(&made.sample, pattern)?,
                    Item::Rows(..) => 1.0,
                };
                (times, times)
            } else {
                (item.count(), item.count() * 1e6)
            };
            if cost < least {
                (best, least) = ((at, times), cost);
            }
        }
        Ok(best)
    }

    fn joined_with(
        &self,
        made: &mut Made,
        item: &Item<'_, '_>,
        times: f64,
        into: &mut Estimates,
    ) -> Outcome<()> {
        made.turn += 1;
        let before = made.rows;
        made.rows = made.rows.map(|rows| rows * times);
        made.names.extend(item.names());
        match item {
            Item::Rows(part, rows) => {
                into.turns.insert(part.number, made.turn);
                if made.turn == 1 {
                    made.rows = *rows;
                }
            }
            Item::Quads(pattern) => {
                let is_small =
                    before.is_some_and(|rows| rows * (LOOK_UP_COST as f64) < pattern.count as f64);
                let what = match made.turn {
                    1 => "scan",
                    _ if is_small => "look-up",
                    _ => "hash join",
                };
                into.turns.insert(pattern.number, made.turn);
                into.ways.insert(pattern.number, Way { turn: made.turn, what }.to_string());
                into.keep(pattern.number, made.rows);
                made.sample = self.sample(&made.sample, pattern)?;
            }
        }
        Ok(())
    }
}

/// Takes out the patterns all of whose variables are bound by now: they only say which rows stay.
fn take_closed(
    made: &mut Made,
    item: &Item<'_, '_>,
    items: &mut Vec<Item<'_, '_>>,
    into: &mut Estimates,
) {
    if made.turn < 2 || matches!(item, Item::Rows(..)) {
        return;
    }
    let (names, rows) = (made.names.clone(), made.rows.unwrap_or(UNKNOWN_ROWS));
    items.retain(|other| {
        let Item::Quads(pattern) = other else { return true };
        let own = other.names();
        let is_cheap = pattern.count as f64 <= rows * LOOK_UP_COST as f64;
        if own.is_empty() || !own.is_subset(&names) || pattern.has_repeated() || !is_cheap {
            return true;
        }
        made.turn += 1;
        made.rows = None;
        into.turns.insert(pattern.number, made.turn);
        into.ways.insert(pattern.number, Way { turn: made.turn, what: "semi-join" }.to_string());
        false
    });
}

/// The counts of the patterns whose rows are counted.
fn counts_of(counted: &Counted<'_>, into: &mut Estimates) {
    match &counted.of {
        Source::Quads(pattern, _) => {
            into.keep(counted.number, Some(pattern.count as f64));
        }
        Source::Sum(parts) => parts.iter().for_each(|part| counts_of(part, into)),
    }
    counted.factors.iter().for_each(|factor| counts_of(&factor.rows, into));
}
