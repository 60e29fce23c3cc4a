//! Basic graph patterns: which pattern comes next, and whether it is scanned whole or looked up row
//! by row.

use std::collections::BTreeSet;

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::TermPattern;

use super::super::super::rewrite::{always_bound, has_exists, in_scope, names, of_expression};
use super::super::filter::stream::{GraphFilter, is_by_ids};
use super::super::scan::quads::QuadPattern;
use super::super::state::{Columns, GraphOf, Timer};
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::super::table::sink::{Collected, Sink};
use super::semi_join::SemiJoin;
use super::sideways::{pays, seed_of};
use super::step::Step;
use super::tables;
use crate::view::View;

/// Quads of a whole scan that cost as much as one look-up.
pub(in crate::sparql) const LOOK_UP_COST: u64 = 64;

/// Rows of which one is taken to pass a comparison.
const FILTERED: u64 = 3;

/// A part that is no pattern of quads, and its graph.
type Part<'p> = (&'p GraphPattern, GraphOf);

/// What is joined: patterns of quads, other parts, and filters that the joined rows pass.
#[derive(Default)]
struct Group<'p> {
    patterns: Vec<QuadPattern>,
    /// Whether a pattern can't have a solution.
    is_void: bool,
    others: Vec<Part<'p>>,
    filters: Vec<GraphFilter<'p>>,
    names: BTreeSet<String>,
}

/// What of a join is still to be done.
struct Rest<'r, 'p> {
    timer: Timer,
    items: Vec<Item>,
    /// Parts that come after all items, or where none of these shares a variable with the rows.
    late: Vec<&'r Part<'p>>,
    filters: Vec<GraphFilter<'p>>,
    /// The variables that are asked for after the join; none where all are.
    wanted: Option<BTreeSet<String>>,
}

impl Rest<'_, '_> {
    /// Whether nothing is left to be done with rows.
    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.filters.is_empty() && self.late.is_empty()
    }

    /// The variables that what comes later asks for; none where all are.
    fn needed(&self) -> Option<BTreeSet<String>> {
        let mut needed = self.wanted.clone()?;
        needed.extend(self.items.iter().flat_map(Item::names));
        for GraphFilter { expression, graph } in &self.filters {
            // Those of an EXISTS inside too.
            let inner = Box::default();
            needed.extend(names(&GraphPattern::Filter { expr: (*expression).clone(), inner }));
            needed.extend(graph.variable().cloned());
        }
        Some(needed)
    }
}

/// Something that is joined.
enum Item {
    Quads(QuadPattern),
    Rows(Table),
}

impl Item {
    fn count(&self) -> u64 {
        match self {
            Item::Quads(pattern) => pattern.count,
            Item::Rows(table) => table.row_count as u64,
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Item::Quads(pattern) => pattern.names(),
            Item::Rows(table) => table.names.clone(),
        }
    }
}

impl<'v, V: View> Columns<'_, 'v, V> {
    /// A join as a table, as [`Columns::group_into`] makes it.
    pub(in crate::sparql) fn group(
        &self,
        pattern: &GraphPattern,
        graph: &GraphOf,
        seed: Option<Table>,
        wanted: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let mut sink = Collected::new(0, &self.meter);
        self.group_into(pattern, graph, seed, wanted, &mut sink)?;
        Ok(sink.table)
    }

    /// A join, of patterns and what else it has. A seed has the only values that some variables may
    /// have; columns that are not wanted may be left out.
    pub(in crate::sparql) fn group_into(
        &self,
        pattern: &GraphPattern,
        graph: &GraphOf,
        seed: Option<Table>,
        wanted: Option<&BTreeSet<String>>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<()> {
        let mut group = Group { names: in_scope(pattern), ..Group::default() };
        self.flatten(pattern, graph, &mut group)?;
        if group.is_void {
            return sink.put(Table::empty(group.names.into_iter().collect()));
        }
        let (early, late): (Vec<_>, Vec<_>) =
            group.others.iter().partition(|(pattern, _)| comes_first(pattern));
        let timer = self.start_timer();
        let is_idle = sink.has_own_rows() && group.others.is_empty();
        let seed = seed.filter(|seed| !is_idle || pays(seed, &group.patterns));
        let mut items: Vec<Item> = seed.into_iter().map(Item::Rows).collect();
        for (pattern, graph) in early {
            items.push(Item::Rows(self.evaluate(pattern, graph, None)?));
        }
        items.extend(group.patterns.drain(..).map(Item::Quads));
        let wanted = wanted.map(|wanted| {
            let mut wanted = wanted.clone();
            for (pattern, graph) in &late {
                wanted.extend(names(pattern));
                wanted.extend(graph.variable().cloned());
            }
            wanted
        });
        let filters = std::mem::take(&mut group.filters);
        let mut rest = Rest { timer, items, late, filters, wanted };
        let Some(mut table) = self.join_items(&mut rest, sink)? else { return Ok(()) };
        for part in std::mem::take(&mut rest.late) {
            table = self.join_part(timer, table, part)?;
            table = self.apply(timer, table, &mut rest.filters)?;
        }
        for filter in rest.filters {
            table = self.filtered(timer, table, filter.expression, &filter.graph)?;
        }
        sink.put(table)
    }

    fn flatten<'p>(
        &self,
        pattern: &'p GraphPattern,
        graph: &GraphOf,
        group: &mut Group<'p>,
    ) -> Outcome<()> {
        match pattern {
            GraphPattern::Bgp { patterns } => {
                for triple in patterns {
                    match self.quad_pattern(triple, graph)? {
                        Some(pattern) => group.patterns.push(pattern),
                        None => group.is_void = true,
                    }
                }
            }
            GraphPattern::Join { left, right } => {
                self.flatten(left, graph, group)?;
                self.flatten(right, graph, group)?;
            }
            GraphPattern::Graph { name, inner } => {
                self.flatten(inner, &GraphOf::named(name), group)?;
            }
            // A filter sees its own group: it can wait where that binds all that it names.
            GraphPattern::Filter { expr, inner } if is_closed(expr, inner) => {
                self.flatten(inner, graph, group)?;
                let mut all = Vec::new();
                conjuncts(expr, &mut all);
                let filter = |expression| GraphFilter { expression, graph: graph.clone() };
                group.filters.extend(all.into_iter().map(filter));
            }
            other => group.others.push((other, graph.clone())),
        }
        Ok(())
    }

    /// Joins all items, beginning with what has the fewest rows and going on with what multiplies
    /// them least; other parts where nothing else shares a variable with the rows. The rows go into
    /// a sink if nothing is left to be done with them; else they are a table.
    fn join_items(
        &self,
        rest: &mut Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        let mut names: BTreeSet<String> = rest.items.iter().flat_map(Item::names).collect();
        let passing = |at: &usize| passing_count(&rest.items[*at], &rest.filters);
        let Some(first) = (0..rest.items.len()).min_by_key(passing) else {
            return Ok(Some(Table::unit()));
        };
        let first = rest.items.swap_remove(first);
        let Some(table) = self.first_item(first, rest, sink)? else { return Ok(None) };
        let mut table = self.apply(rest.timer, table, &mut rest.filters)?;
        while !rest.items.is_empty() {
            if table.row_count == 0 {
                return Ok(Some(Table::empty(names.into_iter().collect())));
            }
            let is_shared = |name: &String| table.place(name).is_some();
            if !rest.items.iter().flat_map(Item::names).any(|name| is_shared(&name))
                && let Some(at) =
                    rest.late.iter().position(|part| in_scope(part.0).iter().any(is_shared))
            {
                let part = rest.late.remove(at);
                names.extend(in_scope(part.0));
                table = self.join_part(rest.timer, table, part)?;
                table = self.apply(rest.timer, table, &mut rest.filters)?;
                continue;
            }
            let Some(joined) = self.join_next(table, rest, sink)? else { return Ok(None) };
            table = self.apply(rest.timer, joined, &mut rest.filters)?;
            if let Some(needed) = rest.needed() {
                table.retain(|name| needed.contains(name));
            }
        }
        Ok(Some(table))
    }

    /// The rows that a join begins with. None where they are all of it, and went into the sink.
    fn first_item(
        &self,
        first: Item,
        rest: &mut Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        let pattern = match first {
            Item::Rows(table) => return Ok(Some(table)),
            Item::Quads(pattern) => pattern,
        };
        let kept = rest.needed();
        if pattern.has_repeated() {
            return self.scan_step(&pattern, kept.as_ref()).map(Some);
        }
        let own = passing_by(None, &pattern, &mut rest.filters);
        let step = Step {
            timer: rest.timer,
            table: None,
            pattern: &pattern,
            filters: &own,
            semi_joins: (&[], None),
        };
        self.last_or_collected(&step, kept.as_ref(), rest.is_empty(), sink)
    }

    /// Joins a table with the item that multiplies its rows least. None where that was all, and
    /// the rows went into the sink.
    fn join_next(
        &self,
        table: Table,
        rest: &mut Rest<'_, '_>,
        sink: &mut (dyn Sink + '_),
    ) -> Outcome<Option<Table>> {
        let timer = rest.timer;
        let (at, fan_out) = self.next_item(&table, &rest.items)?;
        let estimate = (fan_out * table.row_count as f64) as u64;
        let pattern = match rest.items.swap_remove(at) {
            Item::Rows(other) => {
                let joined = tables::inner(&table, &other, &self.meter)?;
                self.record(timer, &"join", None, &joined);
                return Ok(Some(joined));
            }
            Item::Quads(pattern) => pattern,
        };
        let kept = rest.needed();
        let mut shared = pattern.names().into_iter().filter_map(|name| table.place(&name));
        let is_open = shared.any(|place| table.has_unbound(place));
        let is_small = (table.row_count as u64).saturating_mul(LOOK_UP_COST) < pattern.count;
        if is_small && !is_open {
            let found = self.look_up(&table, &pattern, fan_out)?;
            let what = format_args!("look-up of {}", pattern.text);
            self.record(timer, &what, Some(estimate), &found);
            return Ok(Some(found));
        }
        if is_open || pattern.has_repeated() {
            let mut needed = kept;
            needed.iter_mut().for_each(|needed| needed.extend(table.names.iter().cloned()));
            let scanned = self.scan_step(&pattern, needed.as_ref())?;
            let joined = tables::inner(&table, &scanned, &self.meter)?;
            self.record(timer, &"join", Some(estimate), &joined);
            return Ok(Some(joined));
        }
        let own = passing_by(Some(&table), &pattern, &mut rest.filters);
        let semi_joins = self.semi_joins(&table, &pattern, estimate, &mut rest.items)?;
        let after = rest.needed();
        let step = Step {
            timer,
            table: Some((&table, estimate)),
            pattern: &pattern,
            filters: &own,
            semi_joins: (&semi_joins, after.as_ref()),
        };
        self.last_or_collected(&step, kept.as_ref(), rest.is_empty(), sink)
    }

    /// The rows of a step; none where it is the last one, and they went into the sink.
    fn last_or_collected(
        &self,
        step: &Step<'_>,
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
    fn join_part(&self, timer: Timer, table: Table, (pattern, graph): &Part<'_>) -> Outcome<Table> {
        let other = self.evaluate(pattern, graph, seed_of(&table, pattern, &self.meter)?)?;
        let table = tables::inner(&table, &other, &self.meter)?;
        self.record(timer, &"join", None, &table);
        Ok(table)
    }

    /// Takes out the patterns all of whose variables are bound once a table is joined with a
    /// pattern: its rows are looked up in them.
    fn semi_joins(
        &self,
        table: &Table,
        next: &QuadPattern,
        estimate: u64,
        items: &mut Vec<Item>,
    ) -> Outcome<Vec<SemiJoin>> {
        let row_count = estimate.max(table.row_count as u64);
        let is_bound = |name: &String| match table.place(name) {
            Some(place) => !table.has_unbound(place),
            None => next.place_of(name).is_some(),
        };
        let closes = |item: &mut Item| match item {
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
    fn next_item(&self, table: &Table, items: &[Item]) -> Outcome<(usize, f64)> {
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
    fn apply(
        &self,
        timer: Timer,
        mut table: Table,
        filters: &mut Vec<GraphFilter<'_>>,
    ) -> Outcome<Table> {
        let is_ready = |filter: &Expression, table: &Table| {
            let mut names = BTreeSet::new();
            of_expression(filter, &mut names);
            // What a row leaves unbound so far, another part may still bind.
            let is_bound =
                |name: &String| table.place(name).is_some_and(|place| !table.has_unbound(place));
            !has_exists(filter) && names.iter().all(is_bound)
        };
        let mut at = 0;
        while at < filters.len() {
            if is_ready(filters[at].expression, &table) {
                let filter = filters.remove(at);
                table = self.filtered(timer, table, filter.expression, &filter.graph)?;
            } else {
                at += 1;
            }
        }
        Ok(table)
    }

    /// The rows for which a filter is true.
    pub(in crate::sparql) fn filtered(
        &self,
        timer: Timer,
        table: Table,
        filter: &Expression,
        graph: &GraphOf,
    ) -> Outcome<Table> {
        let marks = self.passes(filter, &table, graph)?;
        let table = table.marked(&marks);
        self.record(timer, &format_args!("filter {filter}"), None, &table);
        Ok(table)
    }
}

/// How many rows of an item there are about once they have passed the filters that it can pass
/// alone, times [`FILTERED`].
fn passing_count(item: &Item, filters: &[GraphFilter<'_>]) -> u64 {
    let has_own = match item {
        Item::Quads(pattern) => {
            filters.iter().any(|filter| is_own(filter.expression, None, pattern))
        }
        Item::Rows(_) => false,
    };
    if has_own { item.count() } else { item.count().saturating_mul(FILTERED) }
}

/// Whether rows of a table and a pattern can pass a filter one by one.
fn is_own(filter: &Expression, table: Option<&Table>, pattern: &QuadPattern) -> bool {
    let is_bound = |name: &String| {
        let of_table =
            |table: &Table| table.place(name).is_some_and(|place| !table.has_unbound(place));
        pattern.place_of(name).is_some() || table.is_some_and(of_table)
    };
    let mut names = BTreeSet::new();
    of_expression(filter, &mut names);
    is_by_ids(filter) && names.iter().all(is_bound)
}

/// Takes out the filters that rows of a table and a pattern can pass one by one.
fn passing_by<'e>(
    table: Option<&Table>,
    pattern: &QuadPattern,
    filters: &mut Vec<GraphFilter<'e>>,
) -> Vec<GraphFilter<'e>> {
    let passes = |filter: &GraphFilter<'_>| is_own(filter.expression, table, pattern);
    let (own, others) = filters.drain(..).partition(passes);
    *filters = others;
    own
}

/// Whether a pattern is a join, or a part of one alone.
pub(in crate::sparql) fn is_joined(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Join { .. } | P::Graph { .. } => true,
        P::Filter { expr, inner } => is_closed(expr, inner),
        _ => false,
    }
}

/// Whether all variables of a filter are bound by what it filters.
fn is_closed(filter: &Expression, inner: &GraphPattern) -> bool {
    let mut names = BTreeSet::new();
    of_expression(filter, &mut names);
    names.is_subset(&always_bound(inner))
}

fn conjuncts<'e>(expression: &'e Expression, out: &mut Vec<&'e Expression>) {
    match expression {
        Expression::And(left, right) => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        other => out.push(other),
    }
}

/// Whether a part is made before the patterns that it is joined with: small, or nothing that a seed
/// could make smaller.
fn comes_first(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    let is_constant = |term: &TermPattern| !matches!(term, TermPattern::Variable(_));
    match pattern {
        P::Path { subject, object, .. } => is_constant(subject) || is_constant(object),
        P::Values { .. }
        | P::Project { .. }
        | P::Group { .. }
        | P::Slice { .. }
        | P::Distinct { .. } => true,
        _ => false,
    }
}
