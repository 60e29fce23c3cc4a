//! A plan of the algebra, operator by operator.

use spargebra::algebra::{GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, NamedNodePattern};

use super::super::super::error::SparqlError;
use super::super::super::rewrite::{in_scope, names};
use super::super::sort::key_of;
use super::super::state::{Columns, GraphOf};
use super::super::stop::{Outcome, Stop};
use super::super::table::ids::LookUp;
use super::join::is_joined;
use super::operator::{Computed, Lateral, Operator, Path, Plan, SortKey};
use super::planner::Planner;
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// The plan of a query's pattern: the same whenever it is asked for.
    pub(in crate::sparql) fn plan<'q>(&self, pattern: &'q GraphPattern) -> Outcome<Plan<'q>> {
        Planner::new(self).plan(pattern, &GraphOf::Default)
    }
}

/// The row of a VALUES that binds nothing.
static UNIT: [Vec<Option<GroundTerm>>; 1] = [Vec::new()];

impl<'p, 's, 'v, V: View> Planner<'p, 's, 'v, V> {
    /// The plan of a pattern in a graph.
    pub(in crate::sparql) fn plan<'q>(
        &self,
        pattern: &'q GraphPattern,
        graph: &GraphOf,
    ) -> Outcome<Plan<'q>> {
        use GraphPattern as P;
        if let P::Reduced { inner } = pattern {
            return self.plan(inner, graph);
        }
        let number = self.number();
        let boxed = |inner: &'q GraphPattern| self.plan(inner, graph).map(Box::new);
        let sides = |left: &'q GraphPattern, right: &'q GraphPattern| {
            Ok(Box::new([self.plan(left, graph)?, self.plan(right, graph)?]))
        };
        let operator = match pattern {
            _ if is_joined(pattern) => Operator::Join(self.join(pattern, graph)?),
            P::Filter { expr, inner } => {
                Operator::Filter { inner: boxed(inner)?, filter: self.filter(expr, inner, graph)? }
            }
            P::LeftJoin { left, right, expression } => {
                let filter = expression.as_ref();
                let filter =
                    filter.map(|filter| self.filter(filter, pattern, graph)).transpose()?;
                Operator::LeftJoin { sides: sides(left, right)?, filter }
            }
            P::Union { left, right } => Operator::Union(sides(left, right)?),
            P::Minus { left, right } => Operator::Minus(sides(left, right)?),
            P::Values { variables, bindings } => Operator::Values { variables, rows: bindings },
            P::Extend { .. } => self.extend(pattern, graph)?,
            P::Project { inner, variables } => {
                let names = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
                let inner = self.inside_projection(variables, || boxed(inner))?;
                Operator::Project { inner, names }
            }
            P::Distinct { inner } => Operator::Distinct(boxed(inner)?),
            P::OrderBy { inner, expression } => {
                let key = |key: &'q OrderExpression| {
                    let exists = self.exists_over(key_of(key).0, inner, graph)?;
                    Ok(SortKey { key, exists })
                };
                let keys = expression.iter().map(key).collect::<Outcome<_>>()?;
                Operator::Sort { inner: boxed(inner)?, keys }
            }
            P::Slice { inner, start, length } => {
                Operator::Slice { inner: boxed(inner)?, start: *start, length: *length }
            }
            P::Group { inner, variables, aggregates } => {
                self.group(inner, graph, variables, aggregates)?
            }
            P::Path { subject, path, object } => {
                Operator::Path(Path { subject, path, object, graph: graph.clone() })
            }
            P::Lateral { left, right } => self.for_each(number, left, right, graph)?,
            P::Service { silent, name, .. } => elsewhere(*silent, name)?,
            P::Bgp { .. } | P::Join { .. } | P::Graph { .. } | P::Reduced { .. } => {
                unreachable!("joins come first, and REDUCED is no operator")
            }
        };
        Ok(Plan { number, pattern, graph: graph.variable().cloned(), operator })
    }

    /// What is evaluated for each graph of a name, or for each row of another part.
    fn for_each<'q>(
        &self,
        number: usize,
        left: &'q GraphPattern,
        right: &'q GraphPattern,
        graph: &GraphOf,
    ) -> Outcome<Operator<'q>> {
        let Some((name, inner)) = in_each_graph(left, right) else {
            return self.lateral(left, right, graph).map(Operator::Lateral);
        };
        let parameter = format!(" graph {number}");
        let inner = Box::new(self.plan(inner, &GraphOf::Parameter(parameter.clone()))?);
        Ok(Operator::EachGraph { name, parameter, inner })
    }

    /// Two parts, the second of which is evaluated for each row of the first.
    fn lateral<'q>(
        &self,
        left: &'q GraphPattern,
        right: &'q GraphPattern,
        graph: &GraphOf,
    ) -> Outcome<Lateral<'q>> {
        let mut parameters = in_scope(left);
        let inside = names(right);
        parameters.retain(|name| inside.contains(name));
        let left = self.plan(left, graph)?;
        let right = self.with_parameters(&parameters, || self.plan(right, graph))?;
        Ok(Lateral { sides: Box::new([left, right]), parameters })
    }

    /// BIND and computed columns, as many as follow each other.
    fn extend<'q>(&self, pattern: &'q GraphPattern, graph: &GraphOf) -> Outcome<Operator<'q>> {
        let (mut inner, mut computed) = (pattern, Vec::new());
        while let GraphPattern::Extend { inner: own, variable, expression } = inner {
            let is_shown = self.columns.is_only_shown(inner);
            let look_up = if is_shown { LookUp::No } else { LookUp::Yes };
            let exists = self.exists_over(expression, own, graph)?;
            computed.push(Computed { variable, expression, look_up, exists });
            inner = own;
        }
        computed.reverse();
        Ok(Operator::Extend { inner: Box::new(self.plan(inner, graph)?), computed })
    }
}

/// What another endpoint is asked: nothing. What fails in silence is one solution that binds
/// nothing.
fn elsewhere<'q>(silent: bool, name: &NamedNodePattern) -> Outcome<Operator<'q>> {
    if silent {
        return Ok(Operator::Values { variables: &[], rows: &UNIT });
    }
    let what = format!("SERVICE {name}: no other endpoint is asked");
    Err(Stop::Failed(SparqlError::Evaluation(what)))
}

/// What is evaluated in each graph of a name on its own, which is how
/// [`rewrite`](super::super::super::rewrite) spells a GRAPH that can't be asked of all graphs at
/// once.
pub(in crate::sparql) fn in_each_graph<'p>(
    left: &GraphPattern,
    right: &'p GraphPattern,
) -> Option<(&'p NamedNodePattern, &'p GraphPattern)> {
    match (left, right) {
        (
            GraphPattern::Graph { name: own, inner: nothing },
            GraphPattern::Graph { name, inner },
        ) if own == name && **nothing == GraphPattern::default() => Some((name, inner)),
        _ => None,
    }
}
