//! BNODE of a string: the same node for the same string within a solution, another in the next.
//!
//! Fault: of spareval 0.2.9, whose node is named by the string in all solutions: W3C bnode01.

use spargebra::algebra::{Expression, Function, GraphPattern};

use super::super::rewrite::variables::Fresh;
use super::super::rewrite::walk::{Rewrite, rewrite_one};
use super::functions::{NODE, ROW, Uses, call, is_call};
use oxrdf::Variable;

pub(super) struct Bnodes<'u> {
    pub(super) uses: &'u mut Uses,
    pub(super) fresh: &'u mut Fresh,
}

impl Rewrite for Bnodes<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        let GraphPattern::Extend { inner, variable, expression } = pattern else { return pattern };
        let known = row_of(&inner);
        let row = known.clone().unwrap_or_else(|| self.fresh.next("row"));
        let mut nodes = Nodes { uses: self.uses, row: row.clone(), has_any: false };
        let expression = rewrite_one(expression, &mut nodes);
        let has_any = nodes.has_any;
        let inner = if has_any && known.is_none() {
            let expression = call(self.uses, ROW, Vec::new());
            Box::new(GraphPattern::Extend { inner, variable: row, expression })
        } else {
            inner
        };
        GraphPattern::Extend { inner, variable, expression }
    }
}

/// The variable that numbers the solutions, in a chain of BINDs.
fn row_of(pattern: &GraphPattern) -> Option<Variable> {
    match pattern {
        GraphPattern::Extend { variable, expression, .. } if is_call(expression, ROW) => {
            Some(variable.clone())
        }
        GraphPattern::Extend { inner, .. } => row_of(inner),
        _ => None,
    }
}

struct Nodes<'n> {
    uses: &'n mut Uses,
    row: Variable,
    has_any: bool,
}

impl Rewrite for Nodes<'_> {
    fn expression(&mut self, expression: Expression) -> Expression {
        match expression {
            Expression::FunctionCall(Function::BNode, mut arguments) if arguments.len() == 1 => {
                self.has_any = true;
                arguments.insert(0, self.row.clone().into());
                call(self.uses, NODE, arguments)
            }
            other => other,
        }
    }
}
