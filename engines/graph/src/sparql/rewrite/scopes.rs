//! Variables that the outside can't reach: those that only an EXISTS or the right side of a MINUS
//! names get names of their own.
//!
//! Faults: of spareval 0.2.9, which evaluates a group for each solution of what is joined with it,
//! although an EXISTS in its filter, or a MINUS inside its OPTIONAL, names a variable that is bound
//! out there and not in the group. Found by random queries.

use std::collections::HashMap;

use oxrdf::{Literal, Variable};
use spargebra::algebra::{Expression, GraphPattern};

use super::variables::{Fresh, Renaming, Variables, always_bound, in_scope, names};
use super::walk::{self, Children, rewrite};

pub(super) struct Scopes<'f> {
    pub(super) fresh: &'f mut Fresh,
}

impl Scopes<'_> {
    /// A pattern; `outer` has the variables of the row that an EXISTS is asked for, inside one.
    pub(super) fn mend(
        &mut self,
        pattern: GraphPattern,
        outer: Option<&Variables>,
    ) -> GraphPattern {
        use GraphPattern as P;
        match pattern {
            P::Filter { expr, inner } => {
                let inner = self.mend(*inner, outer);
                let (scope, sure) = (in_scope(&inner), always_bound(&inner));
                let expr = self.expression(expr, scope, sure, outer);
                P::Filter { expr, inner: Box::new(inner) }
            }
            P::Extend { inner, variable, expression } => {
                let inner = self.mend(*inner, outer);
                let (scope, sure) = (in_scope(&inner), always_bound(&inner));
                let expression = self.expression(expression, scope, sure, outer);
                P::Extend { inner: Box::new(inner), variable, expression }
            }
            P::LeftJoin { left, right, expression } => {
                let (left, right) = (self.mend(*left, outer), self.mend(*right, outer));
                let both = |of: fn(&GraphPattern) -> Variables| {
                    let mut all = of(&left);
                    all.append(&mut of(&right));
                    all
                };
                let (scope, sure) = (both(in_scope), both(always_bound));
                let expression =
                    expression.map(|expression| self.expression(expression, scope, sure, outer));
                P::LeftJoin { left: Box::new(left), right: Box::new(right), expression }
            }
            P::Minus { left, right } => {
                let (left, mut right) = (self.mend(*left, outer), self.mend(*right, outer));
                if outer.is_none() {
                    let shared = in_scope(&left);
                    right = self.apart(right, |name| shared.contains(name));
                }
                P::Minus { left: Box::new(left), right: Box::new(right) }
            }
            other => walk::inside(other, &mut Each { scopes: self, outer }),
        }
    }

    fn expression(
        &mut self,
        expression: Expression,
        mut scope: Variables,
        sure: Variables,
        outer: Option<&Variables>,
    ) -> Expression {
        scope.extend(outer.into_iter().flatten().cloned());
        let is_inside = outer.is_some();
        InExpression { scopes: self, scope, sure, is_inside }.child_expression(expression)
    }

    /// Gives all variables of a pattern new names, but those that are to stay.
    fn apart(&mut self, pattern: GraphPattern, stays: impl Fn(&str) -> bool) -> GraphPattern {
        let others = names(&pattern).into_iter().filter(|name| !stays(name));
        let renamed: HashMap<String, Variable> =
            others.map(|name| (name, self.fresh.next("apart"))).collect();
        rewrite(pattern, &mut Renaming::new(renamed))
    }
}

struct Each<'e, 'f> {
    scopes: &'e mut Scopes<'f>,
    outer: Option<&'e Variables>,
}

impl Children for Each<'_, '_> {
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern {
        self.scopes.mend(pattern, self.outer)
    }

    fn child_expression(&mut self, expression: Expression) -> Expression {
        expression
    }
}

/// An expression over a pattern.
struct InExpression<'e, 'f> {
    scopes: &'e mut Scopes<'f>,
    /// Variables that the row may have.
    scope: Variables,
    /// Those of the pattern that it has in any case.
    sure: Variables,
    is_inside: bool,
}

impl Children for InExpression<'_, '_> {
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern {
        let scope = self.scope.clone();
        let pattern = self.scopes.apart(pattern, |name| scope.contains(name));
        self.scopes.mend(pattern, Some(&scope))
    }

    fn child_expression(&mut self, expression: Expression) -> Expression {
        let Expression::Exists(pattern) = expression else {
            return walk::expression_inside(expression, self);
        };
        let mentioned = names(&pattern);
        let exists = Expression::Exists(Box::new(self.child(*pattern)));
        if self.is_inside {
            return exists;
        }
        // Mentioned where the evaluator looks: a variable that the pattern may leave unbound
        // mustn't come from outside.
        let unsure = mentioned.intersection(&self.scope).filter(|name| !self.sure.contains(*name));
        unsure.fold(exists, |test, name| {
            let yes = || Box::new(Expression::Literal(Literal::from(true)));
            let bound = Box::new(Expression::Bound(Variable::new_unchecked(name.as_str())));
            let always = Expression::If(bound, yes(), yes());
            Expression::And(Box::new(test), Box::new(always))
        })
    }
}
