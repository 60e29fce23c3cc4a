//! The algebra, vectorised: each part of a query becomes a table.

use std::collections::BTreeSet;

use oxrdf::{Term, Variable};
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern};
use spargebra::term::{GroundTerm, NamedNodePattern};

use super::super::rewrite::{in_scope, of_expression};
use super::group::grouping::Grouping;
use super::join::order::is_joined;
use super::join::sideways::seed_of;
use super::join::tables::{self, Strangers};
use super::recognise::in_each_graph;
use super::state::{Columns, GraphOf};
use super::stop::{Outcome, Stop};
use super::table::rows::{Table, UNBOUND};
use super::table::sink::Sink;
use crate::GraphError;
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// The solutions of a pattern; columns that are not wanted may be left out.
    fn evaluate_wanted(
        &self,
        pattern: &GraphPattern,
        graph: &GraphOf,
        wanted: &BTreeSet<String>,
    ) -> Outcome<Table> {
        if is_joined(pattern) {
            return self.group(pattern, graph, None, Some(wanted));
        }
        self.evaluate(pattern, graph, None)
    }

    /// The solutions of a pattern; of those that agree with a seed, where the pattern has use for
    /// one.
    pub(super) fn evaluate(
        &self,
        pattern: &GraphPattern,
        graph: &GraphOf,
        seed: Option<Table>,
    ) -> Outcome<Table> {
        use GraphPattern as P;
        let timer = self.start_timer();
        match pattern {
            P::Bgp { .. } | P::Join { .. } | P::Graph { .. } => {
                self.group(pattern, graph, seed, None)
            }
            P::Filter { .. } if is_joined(pattern) => self.group(pattern, graph, seed, None),
            P::Filter { expr, inner } => {
                let table = self.evaluate(inner, graph, None)?;
                self.filtered(timer, table, expr, graph)
            }
            P::LeftJoin { left, right, expression } => {
                self.left_join(left, right, expression.as_ref(), graph, seed)
            }
            P::Union { left, right } => self.union(left, right, graph, seed.as_ref()),
            P::Minus { left, right } => self.minus(left, right, graph, seed),
            P::Values { variables, bindings } => self.inline_data(variables, bindings),
            P::Extend { .. } => self.extended(pattern, graph),
            P::Project { inner, variables } => {
                let names: Vec<String> =
                    variables.iter().map(|variable| variable.as_str().to_owned()).collect();
                let wanted = names.iter().cloned().collect();
                Ok(self.evaluate_wanted(inner, graph, &wanted)?.projected(&names))
            }
            P::Distinct { inner } => self.distinct(inner, graph),
            P::Reduced { inner } => self.evaluate(inner, graph, None),
            P::OrderBy { inner, expression } => {
                let table = self.evaluate(inner, graph, None)?;
                let table = self.sorted(table, expression)?;
                self.record(timer, &"sort", None, &table);
                Ok(table)
            }
            P::Slice { inner, start, length } => {
                Ok(sliced(&self.evaluate(inner, graph, None)?, *start, *length))
            }
            P::Group { inner, variables, aggregates } => {
                self.grouped(inner, graph, variables, aggregates)
            }
            P::Path { subject, path, object } => {
                self.path(subject, path, object, graph, seed.as_ref())
            }
            P::Lateral { left, right } => match in_each_graph(left, right) {
                Some((name, inner)) => self
                    .in_each_graph(name, seed.as_ref(), &|graph| self.evaluate(inner, graph, None)),
                None => Err(Stop::NotHere("part that is evaluated for each row")),
            },
            P::Service { .. } => Err(Stop::NotHere("SERVICE")),
        }
    }

    fn distinct(&self, inner: &GraphPattern, graph: &GraphOf) -> Outcome<Table> {
        let timer = self.start_timer();
        let table = self.evaluate(inner, graph, None)?;
        let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
        let table = tables::distinct(&table, &names, &self.meter)?;
        self.record(timer, &"distinct", None, &table);
        Ok(table)
    }

    fn left_join(
        &self,
        left: &GraphPattern,
        right: &GraphPattern,
        expression: Option<&Expression>,
        graph: &GraphOf,
        seed: Option<Table>,
    ) -> Outcome<Table> {
        let timer = self.start_timer();
        let left = self.evaluate(left, graph, seed)?;
        let right = self.evaluate(right, graph, seed_of(&left, right, &self.meter)?)?;
        let filter =
            expression.map(|expression| move |table: &Table| self.passes(expression, table, graph));
        let filter = filter.as_ref().map(|filter| filter as &tables::Filter<'_>);
        let table = tables::left(&left, &right, filter, &self.meter)?;
        self.record(timer, &"left join", None, &table);
        Ok(table)
    }

    fn union(
        &self,
        left: &GraphPattern,
        right: &GraphPattern,
        graph: &GraphOf,
        seed: Option<&Table>,
    ) -> Outcome<Table> {
        let timer = self.start_timer();
        let of = |branch: &GraphPattern| {
            let seed = seed.map(|seed| seed_of(seed, branch, &self.meter)).transpose()?.flatten();
            self.evaluate(branch, graph, seed)
        };
        let table = of(left)?.union(of(right)?);
        self.meter.charge(&table)?;
        self.record(timer, &"union", None, &table);
        Ok(table)
    }

    fn minus(
        &self,
        left: &GraphPattern,
        right: &GraphPattern,
        graph: &GraphOf,
        seed: Option<Table>,
    ) -> Outcome<Table> {
        let timer = self.start_timer();
        let left = self.evaluate(left, graph, seed)?;
        let names = in_scope(right);
        if !left.names.iter().any(|name| names.contains(name)) {
            return Ok(left);
        }
        let right = self.evaluate(right, graph, seed_of(&left, right, &self.meter)?)?;
        let mut marks = tables::has_partner(&left, &right, Strangers::None, &self.meter)?;
        marks.iter_mut().for_each(|mark| *mark = !*mark);
        let table = left.marked(&marks);
        self.record(timer, &"minus", None, &table);
        Ok(table)
    }

    /// The rows of VALUES.
    fn inline_data(
        &self,
        variables: &[Variable],
        bindings: &[Vec<Option<GroundTerm>>],
    ) -> Outcome<Table> {
        let names = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
        let mut table = Table::empty(names);
        for row in bindings {
            for (column, term) in table.columns.iter_mut().zip(row) {
                column.push(match term {
                    None => UNBOUND,
                    Some(GroundTerm::NamedNode(node)) => self.ids.id(&Term::from(node.clone()))?,
                    Some(GroundTerm::Literal(literal)) => {
                        self.ids.id(&Term::from(literal.clone()))?
                    }
                });
            }
        }
        table.row_count = bindings.len();
        Ok(table)
    }

    /// The groups of a pattern: from counts that the view has, from numbers of rows without the
    /// rows, or of its rows.
    fn grouped(
        &self,
        inner: &GraphPattern,
        graph: &GraphOf,
        variables: &[Variable],
        aggregates: &[(Variable, AggregateExpression)],
    ) -> Outcome<Table> {
        if let Some(table) = self.counted(inner, graph, variables, aggregates)? {
            return Ok(table);
        }
        if let Some(table) = self.tallied(inner, graph, variables, aggregates)? {
            return Ok(table);
        }
        let timer = self.start_timer();
        let mut wanted: BTreeSet<String> =
            variables.iter().map(|variable| variable.as_str().to_owned()).collect();
        for (_, aggregate) in aggregates {
            if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                of_expression(expr, &mut wanted);
            }
        }
        let row = visible(inner);
        if aggregates.iter().any(|(_, aggregate)| counts_rows(aggregate)) {
            wanted.extend(row.iter().cloned());
        }
        let mut groups = Grouping::new(self, variables, aggregates, &row)?;
        if is_joined(inner) && groups.takes_parts() {
            self.group_into(inner, graph, None, Some(&wanted), &mut groups)?;
        } else {
            groups.put(self.evaluate_wanted(inner, graph, &wanted)?)?;
        }
        let table = groups.finish()?;
        self.record(timer, &"group", None, &table);
        Ok(table)
    }
}

impl<V: View> Columns<'_, '_, V> {
    /// The solutions of each graph that a name stands for, with the name.
    pub(in crate::sparql) fn in_each_graph(
        &self,
        name: &NamedNodePattern,
        seed: Option<&Table>,
        of: &dyn Fn(&GraphOf) -> Outcome<Table>,
    ) -> Outcome<Table> {
        let failed = |error: GraphError| Stop::Failed(error.into());
        let graphs = match name {
            NamedNodePattern::NamedNode(node) => match self.ids.find(&node.clone().into())? {
                Some(id) if self.graphs.has_graph(id).map_err(failed)? => vec![id],
                _ => Vec::new(),
            },
            NamedNodePattern::Variable(variable) => {
                let names = self.graphs.names().map_err(failed)?;
                let mut names = names.ok_or(Stop::NotHere("graph that the store doesn't know"))?;
                if let Some(column) = seed.and_then(|seed| seed.column(variable.as_str())) {
                    names.retain(|name| column.contains(&name.0));
                }
                names
            }
        };
        let mut all: Option<Table> = None;
        for graph in graphs {
            let mut table = of(&GraphOf::Id(graph))?;
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
    let rows: Vec<u32> = (start as u32..end as u32).collect();
    table.rows(&rows)
}

/// The variables that a user sees of a pattern.
fn visible(pattern: &GraphPattern) -> BTreeSet<String> {
    in_scope(pattern).into_iter().filter(|name| !name.starts_with(' ')).collect()
}

/// Whether an aggregate counts distinct rows.
fn counts_rows(aggregate: &AggregateExpression) -> bool {
    matches!(aggregate, AggregateExpression::CountSolutions { distinct: true })
}
