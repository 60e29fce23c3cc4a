//! A walk through the algebra of a query that changes it from the leaves up. It is compiled once,
//! not once for each rewrite.

use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};

/// A rewrite: each pattern and expression is replaced, those inside it before.
pub(in crate::sparql) trait Rewrite {
    /// In place of a pattern.
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        pattern
    }

    /// In place of an expression.
    fn expression(&mut self, expression: Expression) -> Expression {
        expression
    }
}

/// Rewrites a pattern and all that is in it.
pub(in crate::sparql) fn rewrite(pattern: GraphPattern, by: &mut dyn Rewrite) -> GraphPattern {
    let inside = inside(pattern, &mut Deep(by));
    by.pattern(inside)
}

/// Rewrites an expression and all that is in it.
pub(in crate::sparql) fn rewrite_one(expression: Expression, by: &mut dyn Rewrite) -> Expression {
    Deep(by).child_expression(expression)
}

/// What takes the place of the patterns and expressions that are directly inside one.
pub(in crate::sparql) trait Children {
    /// In place of a pattern.
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern;

    /// In place of an expression.
    fn child_expression(&mut self, expression: Expression) -> Expression;
}

struct Deep<'d>(&'d mut dyn Rewrite);

impl Children for Deep<'_> {
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern {
        rewrite(pattern, self.0)
    }

    fn child_expression(&mut self, expression: Expression) -> Expression {
        let inside = expression_inside(expression, self);
        self.0.expression(inside)
    }
}

/// Replaces what is directly inside a pattern.
pub(in crate::sparql) fn inside(pattern: GraphPattern, by: &mut dyn Children) -> GraphPattern {
    use GraphPattern as P;
    let mut at = |pattern: Box<P>| Box::new(by.child(*pattern));
    match pattern {
        P::Bgp { .. } | P::Path { .. } | P::Values { .. } => pattern,
        P::Join { left, right } => P::Join { left: at(left), right: at(right) },
        P::Lateral { left, right } => P::Lateral { left: at(left), right: at(right) },
        P::Union { left, right } => P::Union { left: at(left), right: at(right) },
        P::Minus { left, right } => P::Minus { left: at(left), right: at(right) },
        P::LeftJoin { left, right, expression } => {
            let (left, right) = (at(left), at(right));
            let expression = expression.map(|expression| by.child_expression(expression));
            P::LeftJoin { left, right, expression }
        }
        P::Filter { expr, inner } => {
            let inner = at(inner);
            P::Filter { expr: by.child_expression(expr), inner }
        }
        P::Graph { name, inner } => P::Graph { name, inner: at(inner) },
        P::Extend { inner, variable, expression } => {
            let inner = at(inner);
            P::Extend { inner, variable, expression: by.child_expression(expression) }
        }
        P::OrderBy { inner, expression } => {
            let inner = at(inner);
            let keys = expression.into_iter().map(|key| match key {
                OrderExpression::Asc(key) => OrderExpression::Asc(by.child_expression(key)),
                OrderExpression::Desc(key) => OrderExpression::Desc(by.child_expression(key)),
            });
            P::OrderBy { inner, expression: keys.collect() }
        }
        P::Project { inner, variables } => P::Project { inner: at(inner), variables },
        P::Distinct { inner } => P::Distinct { inner: at(inner) },
        P::Reduced { inner } => P::Reduced { inner: at(inner) },
        P::Slice { inner, start, length } => P::Slice { inner: at(inner), start, length },
        P::Group { inner, variables, aggregates } => {
            let inner = at(inner);
            let aggregates = aggregates.into_iter().map(|(variable, aggregate)| match aggregate {
                AggregateExpression::FunctionCall { name, expr, distinct } => {
                    let expr = by.child_expression(expr);
                    (variable, AggregateExpression::FunctionCall { name, expr, distinct })
                }
                count @ AggregateExpression::CountSolutions { .. } => (variable, count),
            });
            P::Group { inner, variables, aggregates: aggregates.collect() }
        }
        // What is in it is asked of somebody else.
        P::Service { .. } => pattern,
    }
}

/// Replaces what is directly inside an expression.
pub(in crate::sparql) fn expression_inside(
    expression: Expression,
    by: &mut dyn Children,
) -> Expression {
    use Expression as E;
    let mut at = |inner: Box<E>| Box::new(by.child_expression(*inner));
    match expression {
        E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) => expression,
        E::Or(left, right) => E::Or(at(left), at(right)),
        E::And(left, right) => E::And(at(left), at(right)),
        E::Equal(left, right) => E::Equal(at(left), at(right)),
        E::SameTerm(left, right) => E::SameTerm(at(left), at(right)),
        E::Greater(left, right) => E::Greater(at(left), at(right)),
        E::GreaterOrEqual(left, right) => E::GreaterOrEqual(at(left), at(right)),
        E::Less(left, right) => E::Less(at(left), at(right)),
        E::LessOrEqual(left, right) => E::LessOrEqual(at(left), at(right)),
        E::Add(left, right) => E::Add(at(left), at(right)),
        E::Subtract(left, right) => E::Subtract(at(left), at(right)),
        E::Multiply(left, right) => E::Multiply(at(left), at(right)),
        E::Divide(left, right) => E::Divide(at(left), at(right)),
        E::UnaryPlus(inner) => E::UnaryPlus(at(inner)),
        E::UnaryMinus(inner) => E::UnaryMinus(at(inner)),
        E::Not(inner) => E::Not(at(inner)),
        E::If(test, yes, no) => E::If(at(test), at(yes), at(no)),
        E::In(left, list) => {
            let left = at(left);
            E::In(left, all(list, by))
        }
        E::Coalesce(list) => E::Coalesce(all(list, by)),
        E::FunctionCall(function, list) => E::FunctionCall(function, all(list, by)),
        E::Exists(pattern) => E::Exists(Box::new(by.child(*pattern))),
    }
}

fn all(list: Vec<Expression>, by: &mut dyn Children) -> Vec<Expression> {
    list.into_iter().map(|expression| by.child_expression(expression)).collect()
}

/// Looks at the patterns and expressions of a query.
pub(in crate::sparql) trait Visit {
    /// Looks at a pattern; what is in it comes by itself.
    fn pattern(&mut self, _pattern: &GraphPattern) {}

    /// Looks at an expression; what is in it comes by itself.
    fn expression(&mut self, _expression: &Expression) {}
}

/// Visits a pattern and all that is in it.
pub(in crate::sparql) fn visit(pattern: &GraphPattern, by: &mut dyn Visit) {
    use GraphPattern as P;
    by.pattern(pattern);
    match pattern {
        P::Bgp { .. } | P::Path { .. } | P::Values { .. } | P::Service { .. } => {}
        P::Join { left, right }
        | P::Lateral { left, right }
        | P::Union { left, right }
        | P::Minus { left, right } => {
            visit(left, by);
            visit(right, by);
        }
        P::LeftJoin { left, right, expression } => {
            visit(left, by);
            visit(right, by);
            expression.iter().for_each(|expression| visit_expression(expression, by));
        }
        P::Filter { expr: expression, inner } | P::Extend { inner, expression, .. } => {
            visit(inner, by);
            visit_expression(expression, by);
        }
        P::OrderBy { inner, expression } => {
            visit(inner, by);
            for OrderExpression::Asc(key) | OrderExpression::Desc(key) in expression {
                visit_expression(key, by);
            }
        }
        P::Graph { inner, .. }
        | P::Project { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. } => visit(inner, by),
        P::Group { inner, aggregates, .. } => {
            visit(inner, by);
            for (_, aggregate) in aggregates {
                if let AggregateExpression::FunctionCall { expr, .. } = aggregate {
                    visit_expression(expr, by);
                }
            }
        }
    }
}

/// Visits an expression and all that is in it.
pub(in crate::sparql) fn visit_expression(expression: &Expression, by: &mut dyn Visit) {
    by.expression(expression);
    if let Expression::Exists(pattern) = expression {
        visit(pattern, by);
    }
    operands(expression, &mut |operand| visit_expression(operand, by));
}

/// Calls `each` with the expressions directly inside one.
pub(in crate::sparql) fn operands<'e>(
    expression: &'e Expression,
    each: &mut dyn FnMut(&'e Expression),
) {
    use Expression as E;
    match expression {
        E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_) | E::Exists(_) => {}
        E::Or(one, other)
        | E::And(one, other)
        | E::Equal(one, other)
        | E::SameTerm(one, other)
        | E::Greater(one, other)
        | E::GreaterOrEqual(one, other)
        | E::Less(one, other)
        | E::LessOrEqual(one, other)
        | E::Add(one, other)
        | E::Subtract(one, other)
        | E::Multiply(one, other)
        | E::Divide(one, other) => {
            each(one);
            each(other);
        }
        E::UnaryPlus(one) | E::UnaryMinus(one) | E::Not(one) => each(one),
        E::If(test, yes, no) => [test, yes, no].into_iter().for_each(|one| each(one)),
        E::In(one, list) => {
            each(one);
            list.iter().for_each(each);
        }
        E::Coalesce(list) | E::FunctionCall(_, list) => list.iter().for_each(each),
    }
}
