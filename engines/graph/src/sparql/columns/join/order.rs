//! Joins as they run: which pattern comes next, and whether it is scanned whole or looked up row by
//! row.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::super::rewrite::in_scope;
use super::super::plan::operator::{Filter, Join, Plan};
use super::super::scan::quads::{At, QuadPattern};
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::{Table, UNBOUND};
use super::super::table::sink::{Collected, Measured, Sink};
use super::rest::{Item, Made, Next, Rest, SEED, passing_by, rest_of};
use super::semi_join::SemiJoin;
use super::sideways::{pays, seed_of};
use super::step::{Step, Way};
use super::tables;
use crate::view::View;

/// Quads of a whole scan that cost as much as one look-up.
pub(in crate::sparql) const LOOK_UP_COST: u64 = 64;

impl<'v, V: View> Columns<'_, 'v, V> {
    /// A join as a table, as [`Columns::join_into`] makes it.
    pub(in crate::sparql) fn join(
        &self,
        plan: &Plan<'_>,
        join: &Join<'_>,
        seed: Option<Table>,
        wanted: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let mut sink = Collected::new(0, &self.meter);
        self.join_into(plan, join, seed, wanted, &mut sink)?;
        Ok(sink.table)
    }

    /// A join. A seed has the only values that some variables may have; columns that are not wanted
    /// may be left out.
    pub(in crate::sparql) fn join_into(
        &self,
        plan: &Plan<'_>,
        join: &Join<'_>,
        seed: Option<Table>,
        wanted: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let timer = self.start_timer();
        let mut measured = Measured::new(sink, self.clock());
        let given = self.parameters_of(join);
        match self.patterns_of(join)? {
            None => {
                let mut names = in_scope(plan.pattern);
                names.extend(plan.graph.clone());
                measured.put(Table::empty(names.into_iter().collect()))?;
            }
            Some(patterns) if given.is_empty() => {
                self.joined_into(join, patterns, seed, wanted, &mut measured)?;
            }
            Some(patterns) => {
                let mut joined = Collected::new(0, &self.meter);
                self.joined_into(join, patterns, seed, None, &mut joined)?;
                measured.put(with_columns(joined.table, given))?;
            }
        }
        let time_ns = self.now_ns().saturating_sub(timer.0 + measured.time_ns());
        self.record_time(plan.number, time_ns, measured.rows, measured.len());
        Ok(())
    }

    /// The variables of a join's patterns that are parameters, with their values: the rows bind
    /// them.
    pub(super) fn parameters_of(&self, join: &Join<'_>) -> BTreeMap<String, u64> {
        let places = join.patterns.iter().flat_map(|leaf| &leaf.quads).flat_map(|own| &own.places);
        let bound = |name: &String| self.parameter(name).filter(|id| *id != UNBOUND);
        let given = |place: &At| match place {
            At::Parameter(name) if !name.starts_with(' ') => Some((name.clone(), bound(name)?)),
            _ => None,
        };
        places.filter_map(given).collect()
    }

    /// The patterns of a join, with the values of parameters; none if one has no solution.
    pub(super) fn patterns_of<'j>(
        &self,
        join: &'j Join<'_>,
    ) -> Outcome<Option<Vec<Cow<'j, QuadPattern>>>> {
        let mut patterns = Vec::with_capacity(join.patterns.len());
        for leaf in &join.patterns {
            let pattern = leaf.quads.as_ref().map(|quads| self.resolved(quads)).transpose()?;
            let Some(pattern) = pattern.flatten() else { return Ok(None) };
            patterns.push(pattern);
        }
        Ok(Some(patterns))
    }

    fn joined_into(
        &self,
        join: &Join<'_>,
        patterns: Vec<Cow<'_, QuadPattern>>,
        seed: Option<Table>,
        wanted: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let has_parts = !join.early.is_empty() || !join.late.is_empty();
        let is_idle = sink.has_own_rows() && !has_parts;
        let seed = seed.filter(|seed| !is_idle || pays(seed, &patterns));
        let mut made: Vec<Made> = seed.into_iter().map(|seed| (SEED, Rc::new(seed))).collect();
        made.extend(self.early_of(join)?);
        let mut rest = rest_of(join, patterns, &made, wanted);
        // The join has them for itself.
        drop(made);
        let table = match rest.take_first() {
            Some(first) => self.first_item(first, &mut rest, sink)?,
            None => Some(Table::unit()),
        };
        let Some(table) = table else { return Ok(()) };
        self.join_rest(table, rest, sink)
    }

    /// The rows of the parts of a join that are made before its patterns are joined.
    pub(super) fn early_of(&self, join: &Join<'_>) -> Outcome<Vec<Made>> {
        let made = |part: &Plan<'_>| Ok((part.number, Rc::new(self.run(part, None)?)));
        join.early.iter().map(made).collect()
    }

    /// Joins rows with all that is left. They go into a sink.
    pub(super) fn join_rest(
        &self,
        table: Table,
        mut rest: Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let mut table = self.apply(table, &mut rest.filters)?;
        while let Some(next) = self.next_joined(&table, &rest)? {
            let Some(joined) = self.join_step(&table, next, &mut rest, sink)? else {
                return Ok(());
            };
            table = joined;
        }
        if table.row_count == 0 && !rest.is_empty() {
            table = Table::empty(rest.names(&table));
        }
        sink.put(self.pass_all(table, &rest)?)
    }

    /// The rows that pass all filters that are left.
    pub(super) fn pass_all(&self, table: Table, rest: &Rest<'_, '_>) -> Outcome<Table> {
        rest.filters.iter().try_fold(table, |table, filter| self.filtered(table, filter))
    }

    /// What rows are joined with next: the item that multiplies them least, and a late part only
    /// where no item shares a variable with them. Nothing where there is no row.
    pub(super) fn next_joined(&self, table: &Table, rest: &Rest<'_, '_>) -> Outcome<Option<Next>> {
        if table.row_count == 0 {
            return Ok(None);
        }
        if rest.items.is_empty() {
            return Ok((!rest.late.is_empty()).then_some(Next::Late(0)));
        }
        let is_shared = |name: &String| table.place(name).is_some();
        if !rest.items.iter().flat_map(Item::names).any(|name| is_shared(&name))
            && let Some(at) =
                rest.late.iter().position(|part| in_scope(part.pattern).iter().any(is_shared))
        {
            return Ok(Some(Next::Late(at)));
        }
        let (at, fan_out) = self.next_item(table, &rest.items)?;
        Ok(Some(Next::Item { at, fan_out }))
    }

    /// Joins rows with what is next. None where that was all, and the rows went into the sink.
    pub(super) fn join_step(
        &self,
        table: &Table,
        next: Next,
        rest: &mut Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        let joined = match next {
            Next::Item { at, fan_out } => self.join_item(table, at, fan_out, rest, sink)?,
            Next::Late(at) => Some(self.join_part(table, rest.late.remove(at))?),
        };
        let Some(joined) = joined else { return Ok(None) };
        let mut joined = self.apply(joined, &mut rest.filters)?;
        if let Some(needed) = rest.needed() {
            joined.retain(|name| needed.contains(name));
        }
        Ok(Some(joined))
    }

    /// The rows that a join begins with. None where they are all of it, and went into the sink.
    fn first_item(
        &self,
        first: Item<'_>,
        rest: &mut Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        let pattern = match first {
            Item::Rows((_, table)) => return Ok(Some(owned(table))),
            Item::Quads(pattern) => pattern,
        };
        let kept = rest.needed();
        if pattern.has_repeated() {
            return self.scan_step(&pattern, kept.as_ref()).map(Some);
        }
        let own = passing_by(None, &pattern, &mut rest.filters);
        let (table, semi_joins) = (None, (&[][..], None));
        let step = Step { table, pattern: &pattern, filters: &own, semi_joins, turn: 1 };
        self.last_or_collected(&step, kept.as_ref(), rest.is_empty(), sink)
    }

    /// Joins a table with an item of an expected fan-out. None where that was all, and the rows
    /// went into the sink.
    fn join_item(
        &self,
        table: &Table,
        at: usize,
        fan_out: f64,
        rest: &mut Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        let estimate = (fan_out * table.row_count as f64) as u64;
        rest.done += 1;
        let turn = rest.done + 1;
        let pattern = match rest.items.swap_remove(at) {
            Item::Rows((_, other)) => return tables::inner(table, &other, &self.meter).map(Some),
            Item::Quads(pattern) => pattern,
        };
        let timer = self.start_timer();
        let kept = rest.needed();
        let mut shared = pattern.names().into_iter().filter_map(|name| table.place(&name));
        let is_open = shared.any(|place| table.has_unbound(place));
        let is_small = (table.row_count as u64).saturating_mul(LOOK_UP_COST) < pattern.count;
        if is_small && !is_open {
            let found = self.look_up(table, &pattern, fan_out)?;
            self.record_way(pattern.number, Way { turn, what: "look-up" });
            self.record(pattern.number, timer, &found);
            return Ok(Some(found));
        }
        if is_open || pattern.has_repeated() {
            let mut needed = kept;
            needed.iter_mut().for_each(|needed| needed.extend(table.names.iter().cloned()));
            let scanned = self.scan(&pattern, needed.as_ref())?;
            let joined = tables::inner(table, &scanned, &self.meter)?;
            self.record_way(pattern.number, Way { turn, what: "scan, then a join" });
            self.record(pattern.number, timer, &joined);
            return Ok(Some(joined));
        }
        let own = passing_by(Some(table), &pattern, &mut rest.filters);
        let semi_joins = self.semi_joins(table, &pattern, estimate, &mut rest.items)?;
        let after = rest.needed();
        let step = Step {
            table: Some((table, estimate)),
            pattern: &pattern,
            filters: &own,
            semi_joins: (&semi_joins, after.as_ref()),
            turn,
        };
        rest.done += semi_joins.len();
        self.last_or_collected(&step, kept.as_ref(), rest.is_empty(), sink)
    }

    /// The rows of a step; none where it is the last one, and they went into the sink.
    fn last_or_collected(
        &self,
        step: &Step<'_, '_>,
        kept: Option<&BTreeSet<String>>,
        is_last: bool,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        if is_last {
            self.stream_step(step, kept, sink)?;
            return Ok(None);
        }
        self.collect_step(step, kept).map(Some)
    }

    /// The rows of a table joined with a part that is no pattern of quads.
    fn join_part(&self, table: &Table, part: &Plan<'_>) -> Outcome<Table> {
        let other = self.run(part, seed_of(table, part.pattern, &self.meter)?)?;
        tables::inner(table, &other, &self.meter)
    }

    /// Takes out the patterns all of whose variables are bound once a table is joined with a
    /// pattern: its rows are looked up in them.
    fn semi_joins(
        &self,
        table: &Table,
        next: &QuadPattern,
        estimate: u64,
        items: &mut Vec<Item<'_>>,
    ) -> Outcome<Vec<SemiJoin>> {
        let row_count = estimate.max(table.row_count as u64);
        let is_bound = |name: &String| match table.place(name) {
            Some(place) => !table.has_unbound(place),
            None => next.place_of(name).is_some(),
        };
        let closes = |item: &mut Item<'_>| match item {
            Item::Quads(pattern) => {
                let names = pattern.names();
                !names.is_empty()
                    && names.iter().all(is_bound)
                    && !pattern.has_repeated()
                    && pattern.count <= row_count.saturating_mul(LOOK_UP_COST)
            }
            Item::Rows(_) => false,
        };
        let mut semi_joins = Vec::new();
        for item in items.extract_if(.., closes) {
            if let Item::Quads(pattern) = item {
                semi_joins.push(self.semi_join(&pattern, row_count as usize)?);
            }
        }
        Ok(semi_joins)
    }

    /// What multiplies the rows of a table least, and how many times.
    fn next_item(&self, table: &Table, items: &[Item<'_>]) -> Outcome<(usize, f64)> {
        let (mut best, mut least) = ((0, 0.0), f64::INFINITY);
        for (at, item) in items.iter().enumerate() {
            let places: Vec<usize> =
                item.names().iter().filter_map(|name| table.place(name)).collect();
            let is_joined = !places.is_empty();
            let is_open = places.iter().any(|place| table.has_unbound(*place));
            let rows = match item {
                Item::Quads(pattern) if is_joined && !is_open => self.fan_out(table, pattern)?,
                Item::Rows(_) if is_joined => 1.0,
                other => other.count() as f64,
            };
            // Without a shared variable it is a cross product, which comes last.
            let cost = if is_joined { rows } else { rows * 1e6 };
            if cost < least {
                (best, least) = ((at, rows), cost);
            }
        }
        Ok(best)
    }

    /// Applies the filters all of whose variables are bound now, but EXISTS, which is cheaper of
    /// fewer rows.
    pub(super) fn apply(&self, mut table: Table, filters: &mut Vec<&Filter<'_>>) -> Outcome<Table> {
        let is_ready = |filter: &Filter<'_>, table: &Table| {
            // What a row leaves unbound so far, another part may still bind.
            let is_bound =
                |name: &String| table.place(name).is_some_and(|place| !table.has_unbound(place));
            filter.exists.is_empty() && filter.variables.iter().all(is_bound)
        };
        let mut at = 0;
        while at < filters.len() {
            if is_ready(filters[at], &table) {
                table = self.filtered(table, filters.remove(at))?;
            } else {
                at += 1;
            }
        }
        Ok(table)
    }

    /// The rows for which a filter is true.
    pub(in crate::sparql) fn filtered(&self, table: Table, filter: &Filter<'_>) -> Outcome<Table> {
        let timer = self.start_timer();
        let marks = self.passes(filter, &table)?;
        let table = table.marked(&marks);
        self.record(filter.number, timer, &table);
        Ok(table)
    }
}

/// A table, which others may have too.
pub(super) fn owned(table: Rc<Table>) -> Table {
    Rc::try_unwrap(table).unwrap_or_else(|shared| shared.copied())
}

/// A table with columns that have one value each.
fn with_columns(mut table: Table, given: BTreeMap<String, u64>) -> Table {
    for (name, id) in given {
        if table.place(&name).is_none() {
            table.push(name, vec![id; table.row_count]);
        }
    }
    table
}
