//! Blank nodes of patterns become variables that no query can write, so that the other rewrites
//! know one kind of unknown.

use spargebra::algebra::GraphPattern;
use spargebra::term::TermPattern;

use super::variables::hidden;
use super::walk::Rewrite;

pub(super) struct NodesToVariables;

impl NodesToVariables {
    fn term(&self, term: &mut TermPattern) {
        match term {
            TermPattern::BlankNode(node) => *term = TermPattern::Variable(hidden(node.as_str())),
            TermPattern::Triple(triple) => {
                self.term(&mut triple.subject);
                self.term(&mut triple.object);
            }
            TermPattern::NamedNode(_) | TermPattern::Literal(_) | TermPattern::Variable(_) => {}
        }
    }
}

impl Rewrite for NodesToVariables {
    fn pattern(&mut self, mut pattern: GraphPattern) -> GraphPattern {
        match &mut pattern {
            GraphPattern::Bgp { patterns } => patterns.iter_mut().for_each(|triple| {
                self.term(&mut triple.subject);
                self.term(&mut triple.object);
            }),
            GraphPattern::Path { subject, object, .. } => {
                self.term(subject);
                self.term(object);
            }
            _ => {}
        }
        pattern
    }
}
