//! Which variables a pattern binds, or can't leave unbound, and names that no query uses.

use std::collections::{BTreeSet, HashMap};

use oxrdf::Variable;
use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::walk::{Visit, visit, visit_expression};

/// Variables, in order.
pub(in crate::sparql) type Variables = BTreeSet<String>;

/// A variable that no query can write: its name begins with a blank.
pub(in crate::sparql) fn hidden(name: &str) -> Variable {
    Variable::new_unchecked(format!(" {name}"))
}

/// Makes hidden variables, each once.
#[derive(Default)]
pub(in crate::sparql) struct Fresh(usize);

impl Fresh {
    pub(in crate::sparql) fn next(&mut self, what: &str) -> Variable {
        self.0 += 1;
        hidden(&format!("{what} {}", self.0))
    }
}

/// Calls `each` with the variables of a place of a pattern: of a triple term those inside.
pub(in crate::sparql) fn of_term(term: &TermPattern, each: &mut dyn FnMut(&Variable)) {
    match term {
        TermPattern::Variable(variable) => each(variable),
        TermPattern::Triple(triple) => of_triple(triple, each),
        TermPattern::NamedNode(_) | TermPattern::BlankNode(_) | TermPattern::Literal(_) => {}
    }
}

/// Calls `each` with the variables of a triple pattern.
pub(in crate::sparql) fn of_triple(triple: &TriplePattern, each: &mut dyn FnMut(&Variable)) {
    of_term(&triple.subject, each);
    if let NamedNodePattern::Variable(variable) = &triple.predicate {
        each(variable);
    }
    of_term(&triple.object, each);
}

fn of_name(name: &NamedNodePattern) -> Option<String> {
    match name {
        NamedNodePattern::Variable(variable) => Some(variable.as_str().to_owned()),
        NamedNodePattern::NamedNode(_) => None,
    }
}

fn texts(variables: &[Variable]) -> Variables {
    variables.iter().map(|variable| variable.as_str().to_owned()).collect()
}

/// Variables that a solution of the pattern may bind: those in scope.
pub(in crate::sparql) fn in_scope(pattern: &GraphPattern) -> Variables {
    bound(pattern, Bound::Perhaps)
}

/// Variables that every solution of the pattern binds.
pub(in crate::sparql) fn always_bound(pattern: &GraphPattern) -> Variables {
    bound(pattern, Bound::Always)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Perhaps,
    Always,
}

fn common(mut one: Variables, other: &Variables) -> Variables {
    one.retain(|variable| other.contains(variable));
    one
}

fn bound(pattern: &GraphPattern, how: Bound) -> Variables {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => {
            let mut all = Variables::new();
            let mut add = |variable: &Variable| all.extend([variable.as_str().to_owned()]);
            patterns.iter().for_each(|triple| of_triple(triple, &mut add));
            all
        }
        P::Path { subject, object, .. } => {
            let mut all = Variables::new();
            let mut add = |variable: &Variable| all.extend([variable.as_str().to_owned()]);
            [subject, object].into_iter().for_each(|end| of_term(end, &mut add));
            all
        }
        P::Union { left, right } if how == Bound::Always => {
            common(bound(left, how), &bound(right, how))
        }
        P::LeftJoin { left, .. } if how == Bound::Always => bound(left, how),
        P::Join { left, right }
        | P::Lateral { left, right }
        | P::Union { left, right }
        | P::LeftJoin { left, right, .. } => {
            let mut all = bound(left, how);
            all.append(&mut bound(right, how));
            all
        }
        P::Values { variables, bindings } => {
            let columns = variables.iter().enumerate().filter(|(at, _)| {
                how == Bound::Perhaps || bindings.iter().all(|row| row[*at].is_some())
            });
            columns.map(|(_, variable)| variable.as_str().to_owned()).collect()
        }
        P::Project { inner, variables } => common(bound(inner, how), &texts(variables)),
        P::Group { inner, variables, aggregates } => {
            let mut all = common(bound(inner, how), &texts(variables));
            if how == Bound::Perhaps {
                all.extend(aggregates.iter().map(|(variable, _)| variable.as_str().to_owned()));
            }
            all
        }
        P::Extend { inner, variable, .. } => {
            let mut all = bound(inner, how);
            if how == Bound::Perhaps {
                all.insert(variable.as_str().to_owned());
            }
            all
        }
        P::Graph { inner, name } => {
            let mut all = bound(inner, how);
            all.extend(of_name(name));
            all
        }
        P::Service { .. } if how == Bound::Always => Variables::new(),
        P::Filter { inner, .. }
        | P::Minus { left: inner, .. }
        | P::OrderBy { inner, .. }
        | P::Distinct { inner }
        | P::Reduced { inner }
        | P::Slice { inner, .. }
        | P::Service { inner, .. } => bound(inner, how),
    }
}

/// All variables that a pattern names, those of filters and inner queries included.
pub(in crate::sparql) fn names(pattern: &GraphPattern) -> Variables {
    let mut names = Names(Variables::new());
    visit(pattern, &mut names);
    names.0
}

/// All variables that an expression names, those inside of its EXISTS as well.
pub(in crate::sparql) fn names_of(expression: &Expression) -> Variables {
    let mut names = Names(Variables::new());
    visit_expression(expression, &mut names);
    names.0
}

/// Variables of the expressions of filters.
pub(in crate::sparql) fn of_expression(expression: &Expression, into: &mut Variables) {
    struct Collect<'c>(&'c mut Variables);
    impl Visit for Collect<'_> {
        fn expression(&mut self, expression: &Expression) {
            if let Expression::Variable(variable) | Expression::Bound(variable) = expression {
                self.0.insert(variable.as_str().to_owned());
            }
        }
    }
    visit_expression(expression, &mut Collect(into));
}

/// Collects all variables.
struct Names(Variables);

impl Names {
    fn insert(&mut self, variables: &[Variable]) {
        self.0.extend(variables.iter().map(|variable| variable.as_str().to_owned()));
    }
}

impl Visit for Names {
    fn pattern(&mut self, pattern: &GraphPattern) {
        use GraphPattern as P;
        match pattern {
            P::Bgp { patterns } => {
                let mut add = |variable: &Variable| self.insert(std::slice::from_ref(variable));
                patterns.iter().for_each(|triple| of_triple(triple, &mut add));
            }
            P::Path { subject, object, .. } => {
                let mut add = |variable: &Variable| self.insert(std::slice::from_ref(variable));
                [subject, object].into_iter().for_each(|end| of_term(end, &mut add));
            }
            P::Graph { name, .. } | P::Service { name, .. } => self.0.extend(of_name(name)),
            P::Extend { variable, .. } => self.insert(std::slice::from_ref(variable)),
            P::Values { variables, .. } | P::Project { variables, .. } => self.insert(variables),
            P::Group { variables, aggregates, .. } => {
                self.insert(variables);
                let results = aggregates.iter().map(|(variable, _)| variable.as_str().to_owned());
                self.0.extend(results);
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expression) {
        if let Expression::Variable(variable) | Expression::Bound(variable) = expression {
            self.insert(std::slice::from_ref(variable));
        }
    }
}

/// A rewrite that gives variables other names, everywhere.
pub(in crate::sparql) struct Renaming {
    names: HashMap<String, Variable>,
}

impl Renaming {
    pub(in crate::sparql) fn new(names: HashMap<String, Variable>) -> Renaming {
        Renaming { names }
    }

    fn variable(&mut self, variable: &mut Variable) {
        if let Some(name) = self.names.get(variable.as_str()) {
            *variable = name.clone();
        }
    }

    fn term(&mut self, term: &mut TermPattern) {
        match term {
            TermPattern::Variable(variable) => self.variable(variable),
            TermPattern::Triple(triple) => self.triple(triple),
            TermPattern::NamedNode(_) | TermPattern::BlankNode(_) | TermPattern::Literal(_) => {}
        }
    }

    fn triple(&mut self, triple: &mut TriplePattern) {
        self.term(&mut triple.subject);
        self.name(&mut triple.predicate);
        self.term(&mut triple.object);
    }

    fn name(&mut self, name: &mut NamedNodePattern) {
        if let NamedNodePattern::Variable(variable) = name {
            self.variable(variable);
        }
    }
}

impl super::walk::Rewrite for Renaming {
    fn pattern(&mut self, mut pattern: GraphPattern) -> GraphPattern {
        use GraphPattern as P;
        match &mut pattern {
            P::Bgp { patterns } => {
                patterns.iter_mut().for_each(|triple| self.triple(triple));
            }
            P::Path { subject, object, .. } => {
                self.term(subject);
                self.term(object);
            }
            P::Graph { name, .. } | P::Service { name, .. } => self.name(name),
            P::Extend { variable, .. } => self.variable(variable),
            P::Values { variables, .. } | P::Project { variables, .. } => {
                variables.iter_mut().for_each(|variable| self.variable(variable));
            }
            P::Group { variables, aggregates, .. } => {
                variables.iter_mut().for_each(|variable| self.variable(variable));
                aggregates.iter_mut().for_each(|(variable, _)| self.variable(variable));
            }
            _ => {}
        }
        pattern
    }

    fn expression(&mut self, mut expression: Expression) -> Expression {
        if let Expression::Variable(variable) | Expression::Bound(variable) = &mut expression {
            self.variable(variable);
        }
        expression
    }
}
