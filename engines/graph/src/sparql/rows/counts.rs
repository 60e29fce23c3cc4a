//! Counts of triple patterns, with some variables replaced by what a solution binds them to.

use std::collections::BTreeMap;

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use crate::Id;

/// What a few variables are bound to.
pub(super) type Solution = BTreeMap<String, Id>;

/// A place of a triple pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Subject,
    Predicate,
    Object,
}

impl Place {
    pub(super) const ALL: [Place; 3] = [Place::Subject, Place::Predicate, Place::Object];

    /// The name of the variable that is there.
    pub(super) fn variable(self, triple: &TriplePattern) -> Option<String> {
        let name = match (self, &triple.predicate) {
            (Place::Subject, _) => return of_term(&triple.subject),
            (Place::Object, _) => return of_term(&triple.object),
            (Place::Predicate, NamedNodePattern::Variable(variable)) => variable.as_str(),
            (Place::Predicate, NamedNodePattern::NamedNode(_)) => return None,
        };
        Some(name.to_owned())
    }
}

fn of_term(term: &TermPattern) -> Option<String> {
    match term {
        TermPattern::Variable(variable) => Some(variable.as_str().to_owned()),
        // What is inside of a triple term is bound by the evaluator alone.
        TermPattern::Triple(_)
        | TermPattern::NamedNode(_)
        | TermPattern::BlankNode(_)
        | TermPattern::Literal(_) => None,
    }
}

/// Knows how many quads a pattern has.
pub(super) trait Counts {
    /// How many quads a triple pattern has in a graph.
    fn count(
        &self,
        triple: &TriplePattern,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
    ) -> u64;

    /// A solution with the variables of a triple pattern, for each of its first quads.
    fn some(
        &self,
        triple: &TriplePattern,
        graph: Option<&NamedNodePattern>,
        solution: &Solution,
        count: usize,
    ) -> Vec<Solution>;
}
