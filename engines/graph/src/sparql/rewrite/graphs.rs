//! GRAPH: the variable of `GRAPH ?g` is not in scope inside the braces, and what is inside is
//! evaluated once for each graph, also where it matches nothing or is an inner query.
//!
//! Faults: of spareval 0.2.9, which gives every pattern inside the variable as its graph: W3C
//! graph-variable-scope, graph-optional, bindings/graph, graph-minus, agg-empty-group-count-graph.

use std::collections::HashMap;

use oxrdf::Variable;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::NamedNodePattern;

use super::variables::{Fresh, Renaming, always_bound, in_scope, names};
use super::walk::{self, Rewrite, rewrite};

pub(super) struct Graphs<'f> {
    pub(super) fresh: &'f mut Fresh,
}

impl Rewrite for Graphs<'_> {
    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Graph { name, inner } => self.graph(name, *inner),
            other => other,
        }
    }
}

impl Graphs<'_> {
    fn graph(&mut self, name: NamedNodePattern, inner: GraphPattern) -> GraphPattern {
        let variable = match &name {
            NamedNodePattern::Variable(variable) => Some(variable.clone()),
            NamedNodePattern::NamedNode(_) => None,
        };
        let is_mentioned =
            variable.as_ref().is_some_and(|variable| names(&inner).contains(variable.as_str()));
        if !is_mentioned && binds_graph(&inner) && !has_inner_query(&inner) {
            return GraphPattern::Graph { name, inner: Box::new(inner) };
        }
        let Some(variable) = variable else {
            return each_graph(name, without_shared_graph(inner, None, self.fresh));
        };
        let inside = self.fresh.next("inside GRAPH");
        let is_bound_inside = in_scope(&inner).contains(variable.as_str());
        let inside_names = HashMap::from([(variable.as_str().to_owned(), inside.clone())]);
        let inner = rewrite(inner, &mut Renaming::new(inside_names));
        let inner = passing(without_shared_graph(inner, Some(&variable), self.fresh), &variable);
        let joined = each_graph(name, inner);
        if !is_bound_inside {
            return joined;
        }
        let unbound = Expression::Not(Box::new(Expression::Bound(inside.clone())));
        let same = Expression::SameTerm(
            Box::new(Expression::Variable(inside)),
            Box::new(Expression::Variable(variable)),
        );
        let expr = Expression::Or(Box::new(unbound), Box::new(same));
        GraphPattern::Filter { expr, inner: Box::new(joined) }
    }
}

/// A pattern, for each graph that the name stands for.
fn each_graph(name: NamedNodePattern, inner: GraphPattern) -> GraphPattern {
    let graphs =
        GraphPattern::Graph { name: name.clone(), inner: Box::new(GraphPattern::default()) };
    let inner = GraphPattern::Graph { name, inner: Box::new(inner) };
    GraphPattern::Lateral { left: Box::new(graphs), right: Box::new(inner) }
}

/// Whether every solution comes from a triple of the graph, so that triples of different graphs
/// never meet.
fn binds_graph(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => !patterns.is_empty(),
        P::Path { path, .. } => !super::paths::is_nullable(path),
        P::Distinct { inner } => matches!(**inner, P::Path { .. }) && binds_graph(inner),
        P::Join { left, right } => {
            let either = binds_graph(left) || binds_graph(right);
            either && [left, right].iter().all(|side| is_values(side) || binds_graph(side))
        }
        P::Union { left, right } => binds_graph(left) && binds_graph(right),
        P::LeftJoin { left, right, .. } => binds_graph(left) && binds_graph(right),
        P::Filter { inner, .. } | P::Extend { inner, .. } => binds_graph(inner),
        _ => false,
    }
}

/// Whether there is an inner query anywhere, be it in an EXISTS: the evaluator would give it all
/// graphs.
fn has_inner_query(pattern: &GraphPattern) -> bool {
    struct Find(bool);
    impl Rewrite for Find {
        fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
            self.0 |= matches!(pattern, GraphPattern::Project { .. });
            pattern
        }
    }
    let mut find = Find(false);
    rewrite(pattern.clone(), &mut find);
    find.0
}

fn is_values(pattern: &GraphPattern) -> bool {
    matches!(pattern, GraphPattern::Values { .. })
}

/// Inner queries of a pattern, given the variable of their graph: the evaluator passes in what they
/// project.
fn passing(pattern: GraphPattern, graph: &Variable) -> GraphPattern {
    struct Passing<'g>(&'g Variable);
    impl Rewrite for Passing<'_> {
        fn pattern(&mut self, mut pattern: GraphPattern) -> GraphPattern {
            match &mut pattern {
                GraphPattern::Project { variables, .. } => variables.push(self.0.clone()),
                GraphPattern::Group { variables, .. } if !variables.is_empty() => {
                    variables.push(self.0.clone());
                }
                _ => {}
            }
            pattern
        }
    }
    rewrite(pattern, &mut Passing(graph))
}

/// MINUS inside: both sides have the graph's variable bound, which would make every pair of
/// solutions share one.
fn without_shared_graph(
    pattern: GraphPattern,
    graph: Option<&Variable>,
    fresh: &mut Fresh,
) -> GraphPattern {
    struct Minuses<'f>(&'f mut Fresh);
    impl Rewrite for Minuses<'_> {
        fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
            match pattern {
                GraphPattern::Minus { left, right } => minus(*left, *right, self.0),
                other => other,
            }
        }
    }
    if graph.is_none() {
        return pattern;
    }
    walk::rewrite(pattern, &mut Minuses(fresh))
}

fn minus(left: GraphPattern, right: GraphPattern, fresh: &mut Fresh) -> GraphPattern {
    let (in_left, in_right) = (in_scope(&left), in_scope(&right));
    let shared: Vec<&String> = in_left.intersection(&in_right).collect();
    if shared.is_empty() {
        return left;
    }
    let (sure_left, sure_right) = (always_bound(&left), always_bound(&right));
    if shared.iter().any(|name| sure_left.contains(*name) && sure_right.contains(*name)) {
        return GraphPattern::Minus { left: Box::new(left), right: Box::new(right) };
    }
    // The definition, spelt out: no solution on the right is compatible and shares a variable.
    let renamed: HashMap<String, Variable> =
        in_right.iter().map(|name| (name.clone(), fresh.next("in MINUS"))).collect();
    let both = |name: &str| {
        let (left, right) = (Variable::new_unchecked(name), renamed[name].clone());
        let bound = |variable: &Variable| Box::new(Expression::Bound(variable.clone()));
        let are_bound = Expression::And(bound(&left), bound(&right));
        (left, right, are_bound)
    };
    let mut compatible: Option<Expression> = None;
    let mut shares: Option<Expression> = None;
    for name in shared {
        let (left, right, are_bound) = both(name);
        let same = Expression::SameTerm(
            Box::new(Expression::Variable(left)),
            Box::new(Expression::Variable(right)),
        );
        let agrees =
            Expression::Or(Box::new(Expression::Not(Box::new(are_bound.clone()))), Box::new(same));
        compatible = Some(match compatible {
            Some(others) => Expression::And(Box::new(others), Box::new(agrees)),
            None => agrees,
        });
        shares = Some(match shares {
            Some(others) => Expression::Or(Box::new(others), Box::new(are_bound)),
            None => are_bound,
        });
    }
    let test = compatible
        .zip(shares)
        .map(|(compatible, shares)| Expression::And(Box::new(compatible), Box::new(shares)));
    let right = rewrite(right, &mut Renaming::new(renamed));
    let right = match test {
        Some(expr) => GraphPattern::Filter { expr, inner: Box::new(right) },
        None => right,
    };
    let expr = Expression::Not(Box::new(Expression::Exists(Box::new(right))));
    GraphPattern::Filter { expr, inner: Box::new(left) }
}
