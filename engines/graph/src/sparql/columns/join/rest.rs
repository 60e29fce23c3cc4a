//! What of a join is still to be done: items that are joined with its rows, parts that come late,
//! filters.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::super::rewrite::{in_scope, names};
use super::super::plan::operator::{Filter, Join, Plan};
use super::super::scan::quads::QuadPattern;
use super::super::table::rows::Table;

/// Rows of which one is taken to pass a comparison.
pub(in crate::sparql) const FILTERED: u64 = 3;

/// What of a join is still to be done.
#[derive(Clone)]
pub(super) struct Rest<'r, 'q> {
    pub(super) items: Vec<Item<'r>>,
    /// Parts that come after all items, or where none of these shares a variable with the rows.
    pub(super) late: Vec<&'r Plan<'q>>,
    pub(super) filters: Vec<&'r Filter<'q>>,
    /// The variables that are asked for after the join; none where all are.
    wanted: Option<BTreeSet<String>>,
    /// Number of items that were joined.
    pub(super) done: usize,
}

impl<'r> Rest<'r, '_> {
    /// Whether nothing is left to be done with rows.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.filters.is_empty() && self.late.is_empty()
    }

    /// The variables that what comes later asks for; none where all are.
    pub(super) fn needed(&self) -> Option<BTreeSet<String>> {
        let mut needed = self.wanted.clone()?;
        needed.extend(self.items.iter().flat_map(Item::names));
        self.filters.iter().for_each(|filter| needed.extend(filter.names.iter().cloned()));
        Some(needed)
    }

    /// What is left, in numbers.
    pub(super) fn left(&self) -> Left {
        let mut numbers: Vec<usize> = self.items.iter().map(Item::number).collect();
        numbers.extend(self.late.iter().map(|part| part.number));
        numbers.extend(self.filters.iter().map(|filter| filter.number));
        Left { numbers, done: self.done }
    }

    /// No more than is left.
    pub(super) fn only(&self, left: &Left) -> Self {
        let mut own = self.clone();
        own.items.retain(|item| left.numbers.contains(&item.number()));
        own.late.retain(|part| left.numbers.contains(&part.number));
        own.filters.retain(|filter| left.numbers.contains(&filter.number));
        own.done = left.done;
        own
    }

    /// The variables of all rows that come of some, once all is done.
    pub(super) fn names(&self, table: &Table) -> Vec<String> {
        let mut names: BTreeSet<String> = table.names.iter().cloned().collect();
        names.extend(self.items.iter().flat_map(Item::names));
        for part in &self.late {
            names.extend(in_scope(part.pattern));
            names.extend(part.graph.clone());
        }
        names.into_iter().collect()
    }

    /// Takes out what a join begins with: what has the fewest rows.
    pub(super) fn take_first(&mut self) -> Option<Item<'r>> {
        let passing = |at: &usize| passing_count(&self.items[*at], &self.filters);
        let first = (0..self.items.len()).min_by_key(passing)?;
        Some(self.items.swap_remove(first))
    }
}

/// Something that is joined.
#[derive(Clone)]
pub(super) enum Item<'r> {
    Quads(Cow<'r, QuadPattern>),
    /// The rows of a part, with its number, or values that are known before.
    Rows(Made),
}

/// Rows that are made before a join, with the number of the operator that made them.
pub(super) type Made = (usize, Rc<Table>);

/// The number of what no operator made.
pub(super) const SEED: usize = usize::MAX;

/// What is done next for the rows of a join.
pub(super) enum Next {
    /// They are joined with an item, whose expected fan-out is the number of rows for each.
    Item { at: usize, fan_out: f64 },
    /// They are joined with a part that comes late.
    Late(usize),
}

/// What of a join is still to be done, in numbers: those of the operators that are left, and of the
/// items that were joined.
#[derive(Clone)]
pub(super) struct Left {
    numbers: Vec<usize>,
    done: usize,
}

impl Item<'_> {
    pub(super) fn count(&self) -> u64 {
        match self {
            Item::Quads(pattern) => pattern.count,
            Item::Rows((_, table)) => table.row_count as u64,
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Item::Quads(pattern) => pattern.names(),
            Item::Rows((_, table)) => table.names.clone(),
        }
    }

    fn number(&self) -> usize {
        match self {
            Item::Quads(pattern) => pattern.number,
            Item::Rows((number, _)) => *number,
        }
    }
}

/// What is to be done for a join, some rows of which are made.
pub(super) fn rest_of<'r, 'q>(
    join: &'r Join<'q>,
    patterns: Vec<Cow<'r, QuadPattern>>,
    made: &[Made],
    wanted: Option<&BTreeSet<String>>,
) -> Rest<'r, 'q> {
    let mut items: Vec<Item<'_>> = made.iter().cloned().map(Item::Rows).collect();
    items.extend(patterns.into_iter().map(Item::Quads));
    let wanted = wanted.map(|wanted| {
        let mut wanted = wanted.clone();
        for part in &join.late {
            wanted.extend(names(part.pattern));
            wanted.extend(part.graph.clone());
        }
        wanted
    });
    let (late, filters) = (join.late.iter().collect(), join.filters.iter().collect());
    Rest { items, late, filters, wanted, done: 0 }
}

/// How many rows of an item there are about once they have passed the filters that it can pass
/// alone, times [`FILTERED`].
fn passing_count(item: &Item<'_>, filters: &[&Filter<'_>]) -> u64 {
    let has_own = match item {
        Item::Quads(pattern) => filters.iter().any(|filter| is_own(filter, None, pattern)),
        Item::Rows(_) => false,
    };
    if has_own { item.count() } else { item.count().saturating_mul(FILTERED) }
}

/// Whether rows of a table and a pattern can pass a filter one by one.
fn is_own(filter: &Filter<'_>, table: Option<&Table>, pattern: &QuadPattern) -> bool {
    let is_bound = |name: &String| {
        let of_table =
            |table: &Table| table.place(name).is_some_and(|place| !table.has_unbound(place));
        pattern.place_of(name).is_some() || table.is_some_and(of_table)
    };
    filter.is_by_ids && filter.variables.iter().all(is_bound)
}

/// Takes out the filters that rows of a table and a pattern can pass one by one.
pub(super) fn passing_by<'r, 'q>(
    table: Option<&Table>,
    pattern: &QuadPattern,
    filters: &mut Vec<&'r Filter<'q>>,
) -> Vec<&'r Filter<'q>> {
    let (own, others) = filters.drain(..).partition(|filter| is_own(filter, table, pattern));
    *filters = others;
    own
}
