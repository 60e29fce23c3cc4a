//! Basic graph patterns: which pattern comes next, and whether it is scanned whole or looked up row by row.
//!
//! Callers: columns/evaluate

use std::collections::BTreeSet;

use spargebra::algebra::{Expression, GraphPattern};

use super::super::rewrite::{always_bound, has_exists, in_scope, names, of_expression};
use super::join;
use super::scan::QuadPattern;
use super::state::{Columns, GraphOf};
use super::stop::Outcome;
use super::table::Table;
use crate::view::View;

/// Quads of a whole scan that cost as much as one look-up.
const LOOK_UP_COST: u64 = 64;
/// Maximum number of rows of a seed: a larger one saves less than it costs.
const SEED_ROWS_MAX: usize = 1 << 20;

/// What is joined: patterns of quads, other parts, and filters that the joined rows pass.
#[derive(Default)]
struct Group<'p> {
    patterns: Vec<QuadPattern>,
    /// Whether a pattern can't have a solution.
    is_void: bool,
    others: Vec<(&'p GraphPattern, GraphOf)>,
    filters: Vec<(&'p Expression, GraphOf)>,
    names: BTreeSet<String>,
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
    /// A join, of patterns and what else it has. A seed has the only values that some variables may have; columns that are not
    /// wanted may be left out.
    pub(super) fn group(
        &self,
        pattern: &GraphPattern,
        graph: &GraphOf,
        seed: Option<Table>,
        wanted: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let mut group = Group { names: in_scope(pattern), ..Group::default() };
        self.flatten(pattern, graph, &mut group)?;
        if group.is_void {
            return Ok(Table::empty(group.names.into_iter().collect()));
        }
        let (early, late): (Vec<_>, Vec<_>) =
            group.others.iter().partition(|(pattern, _)| comes_first(pattern));
        let mut items: Vec<Item> = seed.into_iter().map(Item::Rows).collect();
        for (pattern, graph) in early {
            items.push(Item::Rows(self.evaluate(pattern, graph, None)?));
        }
        items.extend(group.patterns.drain(..).map(Item::Quads));
        let mut filters = std::mem::take(&mut group.filters);
        let wanted = wanted.map(|wanted| {
            let mut wanted = wanted.clone();
            for (pattern, graph) in &late {
                wanted.extend(names(pattern));
                wanted.extend(graph.variable().cloned());
            }
            wanted
        });
        let mut table = self.join_items(items, &mut filters, wanted.as_ref())?;
        for (pattern, graph) in late {
            let seed = seed_of(&table, pattern);
            let other = self.evaluate(pattern, graph, seed)?;
            table = join::inner(&table, &other, &self.meter)?;
            table = self.apply(table, &mut filters)?;
        }
        for (filter, graph) in filters {
            table = self.filtered(table, filter, &graph)?;
        }
        Ok(table)
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
                group.filters.extend(all.into_iter().map(|one| (one, graph.clone())));
            }
            other => group.others.push((other, graph.clone())),
        }
        Ok(())
    }

    /// Joins all of it, beginning with what has the fewest rows and going on with what multiplies them least.
    fn join_items(
        &self,
        mut items: Vec<Item>,
        filters: &mut Vec<(&Expression, GraphOf)>,
        wanted: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let names: BTreeSet<String> = items.iter().flat_map(Item::names).collect();
        let Some(first) = (0..items.len()).min_by_key(|at| items[*at].count()) else {
            return Ok(Table::unit());
        };
        let mut table = match items.swap_remove(first) {
            Item::Quads(pattern) => {
                self.scan_step(&pattern, needed(wanted, &items, filters, &[]).as_ref())?
            }
            Item::Rows(table) => table,
        };
        table = self.apply(table, filters)?;
        while !items.is_empty() {
            if table.row_count == 0 {
                return Ok(Table::empty(names.into_iter().collect()));
            }
            let mut best = (f64::INFINITY, 0);
            for (at, item) in items.iter().enumerate() {
                let places: Vec<usize> =
                    item.names().iter().filter_map(|name| table.place(name)).collect();
                if places.iter().any(|place| table.has_unbound(*place)) {
                    return Err(join::OPEN_KEY);
                }
                let is_joined = !places.is_empty();
                let rows = match item {
                    Item::Quads(pattern) if is_joined => self.fan_out(&table, pattern)?,
                    Item::Rows(_) if is_joined => 1.0,
                    other => other.count() as f64 * 1e6,
                };
                if rows < best.0 {
                    best = (rows, at);
                }
            }
            table = match items.swap_remove(best.1) {
                Item::Rows(other) => join::inner(&table, &other, &self.meter)?,
                Item::Quads(pattern)
                    if (table.row_count as u64).saturating_mul(LOOK_UP_COST) < pattern.count =>
                {
                    let found = self.look_up(&table, &pattern)?;
                    self.note(&format_args!("look-up of {}", pattern.text), found.row_count);
                    found
                }
                Item::Quads(pattern) => {
                    let needed = needed(wanted, &items, filters, &table.names);
                    let scanned = self.scan_step(&pattern, needed.as_ref())?;
                    let joined = join::inner(&table, &scanned, &self.meter)?;
                    self.note(&"join", joined.row_count);
                    joined
                }
            };
            table = self.apply(table, filters)?;
            if let Some(needed) = needed(wanted, &items, filters, &[]) {
                table.retain(|name| needed.contains(name));
            }
        }
        Ok(table)
    }

    fn scan_step(
        &self,
        pattern: &QuadPattern,
        needed: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let table = self.scan(pattern, needed)?;
        self.note(&format_args!("scan of {}", pattern.text), table.row_count);
        Ok(table)
    }

    /// Applies the filters all of whose variables are bound now, but EXISTS, which is cheaper of fewer rows.
    fn apply(&self, mut table: Table, filters: &mut Vec<(&Expression, GraphOf)>) -> Outcome<Table> {
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
            if is_ready(filters[at].0, &table) {
                let (filter, graph) = filters.remove(at);
                table = self.filtered(table, filter, &graph)?;
            } else {
                at += 1;
            }
        }
        Ok(table)
    }

    /// The rows for which a filter is true.
    pub(super) fn filtered(
        &self,
        table: Table,
        filter: &Expression,
        graph: &GraphOf,
    ) -> Outcome<Table> {
        let marks = self.passes(filter, &table, graph)?;
        let table = table.marked(&marks);
        self.note(&format_args!("filter {filter}"), table.row_count);
        Ok(table)
    }
}

/// The variables that what comes later asks for; none where all are.
fn needed(
    wanted: Option<&BTreeSet<String>>,
    items: &[Item],
    filters: &[(&Expression, GraphOf)],
    others: &[String],
) -> Option<BTreeSet<String>> {
    let mut needed = wanted?.clone();
    needed.extend(items.iter().flat_map(Item::names));
    for (filter, graph) in filters {
        // Those of an EXISTS inside too.
        let inner = Box::default();
        needed.extend(names(&GraphPattern::Filter { expr: (*filter).clone(), inner }));
        needed.extend(graph.variable().cloned());
    }
    needed.extend(others.iter().cloned());
    Some(needed)
}

/// Whether all variables of a filter are bound by what it filters.
pub(super) fn is_closed(filter: &Expression, inner: &GraphPattern) -> bool {
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

/// Whether a part is made before the patterns that it is joined with: small, or nothing that a seed could make smaller.
fn comes_first(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    matches!(
        pattern,
        P::Values { .. }
            | P::Project { .. }
            | P::Group { .. }
            | P::Slice { .. }
            | P::Distinct { .. }
    )
}

/// The values of what a pattern always binds, where the table has them.
pub(super) fn seed_of(table: &Table, pattern: &GraphPattern) -> Option<Table> {
    if table.row_count > SEED_ROWS_MAX {
        return None;
    }
    let sure = always_bound(pattern);
    let names: Vec<&str> = sure
        .iter()
        .map(String::as_str)
        .filter(|name| table.place(name).is_some_and(|place| !table.has_unbound(place)))
        .collect();
    (!names.is_empty()).then(|| join::distinct(table, &names))
}
