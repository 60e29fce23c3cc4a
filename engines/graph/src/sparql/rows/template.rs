//! CONSTRUCT: a template filled in with each solution as it comes. What is held doesn't
//! grow with the answer.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;

use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple, Variable};
use spareval::{QueryEvaluationError, QuerySolution, QuerySolutionIter};
use spargebra::Query;
use spargebra::algebra::GraphPattern;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::rewrite::in_scope;
use super::super::seen::Seen;

/// A template.
pub(super) struct Template {
    triples: Vec<TriplePattern>,
    /// Whether no two solutions give the same triple.
    is_distinct: bool,
}

/// Makes a CONSTRUCT a SELECT of the variables that its template names. None of other queries.
pub(super) fn taken_template(query: &mut Query) -> Option<Template> {
    let Query::Construct { template, dataset, pattern, base_iri } = query else { return None };
    let (triples, pattern) = (mem::take(template), mem::take(pattern));
    let names = in_scope(&GraphPattern::Bgp { patterns: triples.clone() });
    let is_distinct = triples.len() == 1
        && lone_triple(&pattern).is_some()
        && in_scope(&pattern).is_subset(&names);
    let variables = names.into_iter().map(Variable::new_unchecked).collect();
    let pattern = GraphPattern::Project { inner: Box::new(pattern), variables };
    *query = Query::Select { dataset: dataset.take(), pattern, base_iri: base_iri.take() };
    Some(Template { triples, is_distinct })
}

/// The triples of a template.
pub(super) struct Filled<'v> {
    solutions: QuerySolutionIter<'v>,
    template: Template,
    solution: Option<QuerySolution>,
    /// The place in the template of what comes next.
    next: usize,
    /// The blank nodes of the solution.
    nodes: HashMap<BlankNode, BlankNode>,
    /// Hashes of what has come.
    seen: Seen<[u64; 2]>,
}

impl<'v> Filled<'v> {
    /// A template over solutions; `memory_max` is that of the query.
    pub(super) fn new(
        solutions: QuerySolutionIter<'v>,
        template: Template,
        memory_max: u64,
    ) -> Filled<'v> {
        let (solution, nodes, seen) = (None, HashMap::new(), Seen::new(memory_max));
        Filled { solutions, template, solution, next: 0, nodes, seen }
    }

    fn term(&mut self, pattern: &TermPattern) -> Option<Term> {
        Some(match pattern {
            TermPattern::NamedNode(node) => node.clone().into(),
            TermPattern::Literal(literal) => literal.clone().into(),
            TermPattern::BlankNode(node) => {
                self.nodes.entry(node.clone()).or_default().clone().into()
            }
            TermPattern::Variable(variable) => self.solution.as_ref()?.get(variable)?.clone(),
            TermPattern::Triple(triple) => self.triple(triple)?.into(),
        })
    }

    /// A triple of the template; none where it isn't one: something is unbound, a literal its
    /// subject, or its predicate no IRI.
    fn triple(&mut self, pattern: &TriplePattern) -> Option<Triple> {
        let subject = NamedOrBlankNode::try_from(self.term(&pattern.subject)?).ok()?;
        let predicate = match &pattern.predicate {
            NamedNodePattern::NamedNode(node) => node.clone(),
            NamedNodePattern::Variable(variable) => {
                let term = self.solution.as_ref()?.get(variable)?.clone();
                NamedNode::try_from(term).ok()?
            }
        };
        Some(Triple::new(subject, predicate, self.term(&pattern.object)?))
    }

    /// Whether a triple comes for the first time, as far as is known.
    fn is_new(&mut self, triple: &Triple) -> bool {
        if self.template.is_distinct {
            return true;
        }
        let hash = |seed: u64| {
            let mut hasher = DefaultHasher::new();
            (seed, triple).hash(&mut hasher);
            hasher.finish()
        };
        self.seen.is_new([hash(0), hash(1)])
    }
}

impl Iterator for Filled<'_> {
    type Item = Result<Triple, QueryEvaluationError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.solution.is_none() || self.next == self.template.triples.len() {
                match self.solutions.next()? {
                    Ok(solution) => self.solution = Some(solution),
                    Err(error) => return Some(Err(error)),
                }
                self.next = 0;
                self.nodes.clear();
            }
            let Some(pattern) = self.template.triples.get(self.next).cloned() else { continue };
            self.next += 1;
            if let Some(triple) = self.triple(&pattern)
                && self.is_new(&triple)
            {
                return Some(Ok(triple));
            }
        }
    }
}

/// The pattern of a query that is nothing else.
fn lone_triple(pattern: &GraphPattern) -> Option<&TriplePattern> {
    use GraphPattern as P;
    match pattern {
        P::Bgp { patterns } => patterns.first().filter(|_| patterns.len() == 1),
        P::Project { inner, .. } | P::Reduced { inner } => lone_triple(inner),
        _ => None,
    }
}
