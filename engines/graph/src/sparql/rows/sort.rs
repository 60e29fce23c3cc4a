//! ORDER BY compares keys: strings whose code points rise as the terms do, one total order for all
//! terms.
//!
//! Fault: of spareval 0.2.9, whose order of mixed literals is not transitive, which a sort may
//! answer with a panic; and which computes the values again in each comparison.

use spargebra::algebra::{Expression, GraphPattern, OrderExpression};

use super::super::rewrite::walk::Rewrite;
use super::functions::{KEY, STORED_KEY, Uses, call};

pub(super) struct Sort<'u> {
    pub(super) uses: &'u mut Uses,
}

impl Rewrite for Sort<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        let GraphPattern::OrderBy { inner, expression } = pattern else { return pattern };
        let keys = expression.into_iter().map(|key| match key {
            OrderExpression::Asc(key) => OrderExpression::Asc(self.key(key)),
            OrderExpression::Desc(key) => OrderExpression::Desc(self.key(key)),
        });
        GraphPattern::OrderBy { inner, expression: keys.collect() }
    }
}

impl Sort<'_> {
    fn key(&mut self, of: Expression) -> Expression {
        let is_variable = matches!(of, Expression::Variable(_));
        call(self.uses, if is_variable { STORED_KEY } else { KEY }, vec![of])
    }
}
