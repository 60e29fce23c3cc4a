//! Quads as ids, and patterns of them.

use manicule_format_leaf::Id;

/// A triple in a graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Quad {
    /// An IRI or a blank node.
    pub subject: Id,
    /// An IRI.
    pub predicate: Id,
    /// Any term.
    pub object: Id,
    /// An IRI, a blank node, or [`Id::DEFAULT_GRAPH`].
    pub graph: Id,
}

/// Which graphs a pattern is matched in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphChoice {
    /// The default graph.
    Default,
    /// The graph of this name.
    Named(Id),
    /// Every graph that has a name: not the default one.
    AnyNamed,
}

/// Which quads are wanted: those whose terms are the given ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// The subject, or any.
    pub subject: Option<Id>,
    /// The predicate, or any.
    pub predicate: Option<Id>,
    /// The object, or any.
    pub object: Option<Id>,
    /// The graphs.
    pub graph: GraphChoice,
}

impl Pattern {
    /// Whether a quad is wanted.
    pub fn admits(&self, quad: &Quad) -> bool {
        let is = |wanted: Option<Id>, got| wanted.is_none_or(|wanted| wanted == got);
        let in_graph = match self.graph {
            GraphChoice::Default => quad.graph == Id::DEFAULT_GRAPH,
            GraphChoice::Named(name) => quad.graph == name,
            GraphChoice::AnyNamed => quad.graph != Id::DEFAULT_GRAPH,
        };
        in_graph
            && is(self.subject, quad.subject)
            && is(self.predicate, quad.predicate)
            && is(self.object, quad.object)
    }
}
