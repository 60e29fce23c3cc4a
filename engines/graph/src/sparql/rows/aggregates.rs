//! MIN, MAX and SAMPLE give one of the terms; GROUP_CONCAT a simple string, also of tagged ones;
//! COUNT(DISTINCT *) counts what a user can see.
//!
//! Faults: of spareval 0.2.9, where aggregates see values: W3C agg-min-01, agg-min-02, agg-max-01,
//! agg-max-02, agg-min-distinct, agg-max-distinct, agg-err-02; and keep tags: agg-groupconcat-04,
//! agg-groupconcat-06.

use oxrdf::{NamedNode, Variable};
use spargebra::algebra::{
    AggregateExpression, AggregateFunction, Expression, Function, GraphPattern,
};

use super::super::rewrite::numbers::may_be_number;
use super::super::rewrite::variables::in_scope;
use super::super::rewrite::walk::Rewrite;
use super::functions::{MAX, MEAN, MIN, STORED, SUM, Uses, call, use_function};

pub(super) struct Aggregates<'u> {
    pub(super) uses: &'u mut Uses,
}

impl Rewrite for Aggregates<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        let GraphPattern::Group { inner, variables, aggregates } = pattern else { return pattern };
        let counts_rows = aggregates.iter().any(|(_, aggregate)| {
            matches!(aggregate, AggregateExpression::CountSolutions { distinct: true })
        });
        let inner = if counts_rows { visible(inner) } else { inner };
        let aggregates = aggregates
            .into_iter()
            .map(|(variable, aggregate)| (variable, self.aggregate(aggregate)))
            .collect();
        GraphPattern::Group { inner, variables, aggregates }
    }
}

/// A pattern without the variables that a rewrite or a blank node has brought in.
fn visible(inner: Box<GraphPattern>) -> Box<GraphPattern> {
    let names = in_scope(&inner).into_iter().filter(|name| !name.starts_with(' '));
    let variables = names.map(Variable::new_unchecked).collect();
    Box::new(GraphPattern::Project { inner, variables })
}

impl Aggregates<'_> {
    fn aggregate(&mut self, aggregate: AggregateExpression) -> AggregateExpression {
        let AggregateExpression::FunctionCall { name, expr, distinct } = aggregate else {
            return aggregate;
        };
        let is_variable = matches!(expr, Expression::Variable(_));
        let (name, expr) = match name {
            AggregateFunction::Sum => (self.custom(SUM), expr),
            AggregateFunction::Avg => (self.custom(MEAN), expr),
            AggregateFunction::Min if is_variable => self.extreme(MIN, expr),
            AggregateFunction::Max if is_variable => self.extreme(MAX, expr),
            AggregateFunction::Min if may_be_number(&expr) => (self.custom(MIN), expr),
            AggregateFunction::Max if may_be_number(&expr) => (self.custom(MAX), expr),
            AggregateFunction::Sample if is_variable => {
                (AggregateFunction::Sample, call(self.uses, STORED, vec![expr]))
            }
            AggregateFunction::GroupConcat { .. } => {
                (name, Expression::FunctionCall(Function::Str, vec![expr]))
            }
            other => (other, expr),
        };
        AggregateExpression::FunctionCall { name, expr, distinct }
    }

    fn extreme(&mut self, ours: &'static str, expr: Expression) -> (AggregateFunction, Expression) {
        (self.custom(ours), call(self.uses, STORED, vec![expr]))
    }

    fn custom(&mut self, ours: &'static str) -> AggregateFunction {
        use_function(self.uses, ours);
        AggregateFunction::Custom(NamedNode::new_unchecked(ours))
    }
}
