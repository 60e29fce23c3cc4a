//! A plan run, vectorised: each operator gives a table.

use std::collections::BTreeSet;

use oxrdf::{NamedOrBlankNode, Term, Variable};
use spargebra::term::{GroundTerm, NamedNodePattern};

use super::super::rewrite::in_scope;
use super::group::grouping::Grouping;
use super::join::sideways::seed_of;
use super::join::tables::{self, Strangers};
use super::plan::operator::{Filter, Group, Lateral, Operator, Plan};
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::table::groups::Groups;
use super::table::rows::{Table, UNBOUND};
use super::table::sink::Sink;
use crate::GraphError;
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// The solutions of an operator; of those that agree with a seed, where it has use for one.
    pub(in crate::sparql) fn run(&self, plan: &Plan<'_>, seed: Option<Table>) -> Outcome<Table> {
        let timer = self.start_timer();
        let table = match &plan.operator {
            // These record themselves, as do those that return below.
            Operator::Join(join) => return self.join(plan, join, seed, None),
            Operator::Count { counted, group } => return self.counted(plan.number, counted, group),
            Operator::Filter { inner, filter } => self.filtered(self.run(inner, None)?, filter)?,
            Operator::LeftJoin { sides, filter } => {
                let [left, right] = &**sides;
                self.left_joined(&self.run(left, seed)?, right, filter.as_ref())?
            }
            Operator::Union(sides) => self.union(sides, seed.as_ref())?,
            Operator::Minus(sides) => {
                let [left, right] = &**sides;
                self.without(self.run(left, seed)?, right)?
            }
            Operator::Lateral(lateral) => self.lateral(lateral, seed)?,
            Operator::Values { variables, rows } => self.inline_data(variables, rows)?,
            Operator::Extend { inner, computed } => {
                self.extended(self.run(inner, None)?, computed)?
            }
            Operator::Project { inner, names } => {
                let wanted = names.iter().cloned().collect();
                let run = || self.run_wanted(inner, &wanted);
                self.inside_projection(names, run)?.projected(names)
            }
            Operator::Distinct(inner) => {
                let table = self.run(inner, None)?;
                let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
                tables::distinct(&table, &names, &self.meter)?
            }
            Operator::Sort { inner, keys } => self.sorted(self.run(inner, None)?, keys)?,
            Operator::Slice { inner, .. } if !inner.needs_all() => return self.pulled(plan),
            Operator::Slice { inner, start, length } => {
                sliced(&self.run(inner, None)?, *start, *length)
            }
            Operator::Group(group) => return self.grouped(plan.number, group),
            Operator::Path(path) => self.path(path, seed.as_ref())?,
            Operator::EachGraph { name, parameter, inner } => {
                self.in_each_graph(name, seed.as_ref(), &|graph| {
                    self.with_parameters(vec![(parameter.clone(), graph.0)], || {
                        self.run(inner, None)
                    })
                })?
            }
        };
        self.record(plan.number, timer, &table);
        Ok(table)
    }

    /// The solutions of an operator; columns that are not wanted may be left out.
    fn run_wanted(&self, plan: &Plan<'_>, wanted: &BTreeSet<String>) -> Outcome<Table> {
        match &plan.operator {
            Operator::Join(join) => self.join(plan, join, None, Some(wanted)),
            _ => self.run(plan, None),
        }
    }

    /// Rows with the solutions of a part that agree with them, or alone.
    pub(in crate::sparql) fn left_joined(
        &self,
        left: &Table,
        right: &Plan<'_>,
        filter: Option<&Filter<'_>>,
    ) -> Outcome<Table> {
        let right = self.run(right, seed_of(left, right.pattern, &self.meter)?)?;
        let passes = filter.map(|filter| move |table: &Table| self.passes(filter, table));
        let passes = passes.as_ref().map(|passes| passes as &tables::Filter<'_>);
        tables::left(left, &right, passes, &self.meter)
    }

    /// The rows that no solution of a part agrees with.
    pub(in crate::sparql) fn without(&self, left: Table, right: &Plan<'_>) -> Outcome<Table> {
        let names = in_scope(right.pattern);
        if !left.names.iter().any(|name| names.contains(name)) {
            return Ok(left);
        }
        let right = self.run(right, seed_of(&left, right.pattern, &self.meter)?)?;
        let mut marks = tables::has_partner(&left, &right, Strangers::None, &self.meter)?;
        marks.iter_mut().for_each(|mark| *mark = !*mark);
        Ok(left.marked(&marks))
    }

    fn union(&self, [left, right]: &[Plan<'_>; 2], seed: Option<&Table>) -> Outcome<Table> {
        let of = |branch: &Plan<'_>| {
            let seed = seed.map(|seed| seed_of(seed, branch.pattern, &self.meter)).transpose()?;
            self.run(branch, seed.flatten())
        };
        let table = of(left)?.union(of(right)?);
        self.meter.charge(&table)?;
        Ok(table)
    }

    /// The rows of a part, each with the solutions that another one has for it.
    fn lateral(&self, lateral: &Lateral<'_>, seed: Option<Table>) -> Outcome<Table> {
        let [left, right] = &*lateral.sides;
        let left = self.run(left, seed)?;
        let names: Vec<&String> =
            lateral.parameters.iter().filter(|name| left.place(name).is_some()).collect();
        let columns: Vec<&[u64]> = names.iter().filter_map(|name| left.column(name)).collect();
        let groups = Groups::of(&columns, left.row_count, &self.meter)?;
        let (rows, starts) = groups.rows();
        let mut all = Table::empty(left.names.clone());
        for own in starts.windows(2) {
            let own = &rows[own[0] as usize..own[1] as usize];
            let ids = columns.iter().map(|column| column[own[0] as usize]);
            let values = names.iter().map(|name| (*name).clone()).zip(ids).collect();
            let found = self.with_parameters(values, || self.run(right, None))?;
            all = all.union(tables::inner(&left.rows(own), &found, &self.meter)?);
            self.meter.charge(&all)?;
        }
        Ok(all)
    }

    /// The rows of VALUES.
    fn inline_data(
        &self,
        variables: &[Variable],
        rows: &[Vec<Option<GroundTerm>>],
    ) -> Outcome<Table> {
        let names = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
        let mut table = Table::empty(names);
        for row in rows {
            for (column, term) in table.columns.iter_mut().zip(row) {
                column.push(match term {
                    None => UNBOUND,
                    Some(term) => self.ids.id(&Term::from(term.clone()))?,
                });
            }
        }
        table.row_count = rows.len();
        Ok(table)
    }

    /// The groups of an operator's rows, or of counts that the view has.
    fn grouped(&self, number: usize, group: &Group<'_>) -> Outcome<Table> {
        if let Some(table) = self.counts_of_index(number, group)? {
            return Ok(table);
        }
        let timer = self.start_timer();
        let Some(inner) = &group.inner else { unreachable!("what is not counted has rows") };
        let mut groups = Grouping::new(self, group)?;
        match &inner.operator {
            Operator::Join(join) if groups.takes_parts() => {
                self.join_into(inner, join, None, Some(&group.wanted), &mut groups)?;
            }
            _ => groups.put(self.run_wanted(inner, &group.wanted)?)?,
        }
        let table = groups.finish()?;
        self.record(number, timer, &table);
        Ok(table)
    }

    /// The id of the name of a graph that the view doesn't hold.
    fn local_id(&self, name: &NamedOrBlankNode) -> crate::Id {
        crate::Id(self.ids.of_computed(&name.clone().into()))
    }

    /// The solutions of each graph that a name stands for, with the name.
    pub(in crate::sparql) fn in_each_graph(
        &self,
        name: &NamedNodePattern,
        seed: Option<&Table>,
        of: &dyn Fn(crate::Id) -> Outcome<Table>,
    ) -> Outcome<Table> {
        let failed = |error: GraphError| Stop::Failed(error.into());
        let graphs = match name {
            NamedNodePattern::NamedNode(node) => match self.ids.find(&node.clone().into())? {
                Some(id) if self.graphs.has_graph(id).map_err(failed)? => vec![id],
                Some(_) => Vec::new(),
                None => {
                    let mut unknown = self.graphs.unknown().iter();
                    let own = unknown.find(|name| name.as_ref() == node.as_ref().into());
                    own.map(|name| self.local_id(name)).into_iter().collect()
                }
            },
            NamedNodePattern::Variable(variable) => {
                let mut names = self.graphs.names().map_err(failed)?;
                names.extend(self.graphs.unknown().iter().map(|name| self.local_id(name)));
                if let Some(id) = self.parameter(variable.as_str()).filter(|id| *id != UNBOUND) {
                    names.retain(|name| name.0 == id);
                }
                if let Some(column) = seed.and_then(|seed| seed.column(variable.as_str())) {
                    names.retain(|name| column.contains(&name.0));
                }
                names
            }
        };
        let mut all: Option<Table> = None;
        for graph in graphs {
            let mut table = of(graph)?;
            if let NamedNodePattern::Variable(variable) = name {
                table.retain(|own| own != variable.as_str());
                let column = vec![graph.0; table.row_count];
                table.push(variable.as_str().to_owned(), column);
            }
            all = Some(match all {
                Some(all) => all.union(table),
                None => table,
            });
            all.iter().try_for_each(|all| self.meter.charge(all))?;
        }
        Ok(all.unwrap_or_else(|| Table::empty(Vec::new())))
    }
}

/// The rows from `start` on, at most `length` of them.
fn sliced(table: &Table, start: usize, length: Option<usize>) -> Table {
    let start = start.min(table.row_count);
    let end =
        length.map_or(table.row_count, |length| start.saturating_add(length).min(table.row_count));
    table.between(start, end)
}
