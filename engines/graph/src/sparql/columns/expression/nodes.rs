//! BNODE of a string: the same node for the same string within a solution, another in the next.

use oxrdf::{BlankNode, Term, Variable};
use spargebra::algebra::{Expression, Function};

use super::super::super::rewrite::{contains, hidden, replaced};
use super::super::state::Columns;
use super::super::stop::Outcome;
use super::super::table::rows::{Table, UNBOUND};
use crate::view::View;

/// Whether an expression has a BNODE of a string.
pub(super) fn has_nodes(expression: &Expression) -> bool {
    contains(expression, |part| argument_of(part).is_some())
}

fn argument_of(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::FunctionCall(Function::BNode, arguments) => arguments.first(),
        _ => None,
    }
}

impl<V: View> Columns<'_, '_, V> {
    /// Expressions with variables in place of BNODE, and a table that has their nodes.
    pub(super) fn with_nodes(
        &self,
        expressions: &[&Expression],
        table: &Table,
    ) -> Outcome<(Vec<Expression>, Table)> {
        let (mut table, mut made) = (table.copied(), Vec::new());
        let mut calls = Vec::new();
        let mut without = Vec::new();
        for expression in expressions {
            without.push(replaced((*expression).clone(), &mut |part| {
                let argument = argument_of(part)?.clone();
                let at = calls.iter().position(|own| *own == argument).unwrap_or_else(|| {
                    calls.push(argument);
                    calls.len() - 1
                });
                Some(Expression::Variable(variable_of(at)))
            }));
        }
        for argument in &calls {
            made.push(self.nodes_of(argument, &table)?);
        }
        for (at, column) in made.into_iter().enumerate() {
            table.push(variable_of(at).into_string(), column);
        }
        Ok((without, table))
    }

    fn nodes_of(&self, argument: &Expression, table: &Table) -> Outcome<Vec<u64>> {
        let solutions = self.ids.table();
        let strings = self.values(argument, table)?;
        let node = |(row, id): (usize, &u64)| {
            let is_string = *id != UNBOUND
                && match self.ids.term(*id)? {
                    Term::Literal(literal) => literal.datatype() == oxrdf::vocab::xsd::STRING,
                    _ => false,
                };
            if !is_string {
                return Ok(UNBOUND);
            }
            // Longer than the label of any node of the store.
            let label = format!("r{solutions:08x}{row:08x}s{id:016x}");
            let node = Term::from(BlankNode::new_unchecked(label));
            self.meter.computed(&node)?;
            Ok(self.ids.of_computed(&node))
        };
        strings.iter().enumerate().map(node).collect()
    }
}

fn variable_of(at: usize) -> Variable {
    hidden(&format!("node {at}"))
}
