//! `SELECT *` inside EXISTS: a variable that only a filter names is the outer one.
//!
//! Fault: of spareval 0.2.9, where an inner query hides what it doesn't project: W3C (EXISTS, 1.2)
//! exists-filter-02 and not-exists-filter-02.

use oxrdf::Variable;
use spargebra::algebra::{Expression, GraphPattern};

use super::variables::{Variables, in_scope, of_expression};
use super::walk::{Rewrite, rewrite};

pub(super) struct Exists;

impl Rewrite for Exists {
    fn expression(&mut self, expression: Expression) -> Expression {
        match expression {
            Expression::Exists(pattern) => {
                Expression::Exists(Box::new(rewrite(*pattern, &mut OpenStars)))
            }
            other => other,
        }
    }
}

/// Projects the variables of filters too, where all that is in scope is projected already.
struct OpenStars;

impl Rewrite for OpenStars {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        let GraphPattern::Project { inner, mut variables } = pattern else { return pattern };
        let projected: Variables =
            variables.iter().map(|variable| variable.as_str().to_owned()).collect();
        if projected == in_scope(&inner) {
            let mut named = Variables::new();
            let mut filters = Filters(&mut named);
            rewrite((*inner).clone(), &mut filters);
            let others = named.difference(&projected);
            variables.extend(others.map(|name| Variable::new_unchecked(name.as_str())));
        }
        GraphPattern::Project { inner, variables }
    }
}

struct Filters<'f>(&'f mut Variables);

impl Rewrite for Filters<'_> {
    fn expression(&mut self, expression: Expression) -> Expression {
        of_expression(&expression, self.0);
        expression
    }
}
