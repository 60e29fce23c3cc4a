//! Quads of a pattern, as terms of the RDF library, in batches.

use std::vec::IntoIter;

use manicule_graph::sparql::{to_term, with_term_ref};
use manicule_graph::{GraphChoice, Id, Pattern, Quads, Snapshot, View};
use oxrdf::{
    GraphName, NamedNode, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, Term, TermRef as AnyTerm,
};

use super::error::Error;
use super::quads::{BATCH_QUADS, FIRST_QUADS, TermsOf};
use super::store::Store;

/// Which quads are wanted: those with these terms.
#[derive(Clone, Debug, Default)]
pub struct QuadPattern {
    /// The subject, or any.
    pub subject: Option<NamedOrBlankNode>,
    /// The predicate, or any.
    pub predicate: Option<NamedNode>,
    /// The object, or any.
    pub object: Option<Term>,
    /// The graph, or any.
    pub graph: Option<GraphName>,
}

/// Quads of a pattern, of the moment at which the scan began. Nothing is kept of what was read.
#[derive(Debug)]
pub struct Scan {
    snapshot: Snapshot,
    pattern: Pattern,
    quads: Option<Quads>,
    /// The graphs that are read after those.
    graphs: IntoIter<GraphChoice>,
    batch_len: usize,
}

impl Store {
    /// The quads of a pattern, those of the default graph first.
    pub fn scan(&self, pattern: &QuadPattern) -> Result<Scan, Error> {
        let snapshot = self.snapshot();
        let mut graphs = match &pattern.graph {
            None => vec![GraphChoice::Default, GraphChoice::AnyNamed],
            Some(name) => graph(&snapshot, name)?.into_iter().collect(),
        };
        let [subject, predicate, object] = [
            pattern.subject.as_ref().map(|node| node.as_ref().into()),
            pattern.predicate.as_ref().map(|node| node.as_ref().into()),
            pattern.object.as_ref().map(Term::as_ref),
        ]
        .map(|term| term.map(|term| find(&snapshot, term)));
        let mut id = |found: Option<Result<Option<Id>, Error>>| -> Result<Option<Id>, Error> {
            let found = found.transpose()?;
            if found == Some(None) {
                graphs.clear();
            }
            Ok(found.flatten())
        };
        let (subject, predicate, object) = (id(subject)?, id(predicate)?, id(object)?);
        let pattern = Pattern { subject, predicate, object, graph: GraphChoice::Default };
        let graphs = graphs.into_iter();
        Ok(Scan { snapshot, pattern, quads: None, graphs, batch_len: FIRST_QUADS })
    }

    /// Whether a pattern has a quad.
    pub fn has(&self, pattern: &QuadPattern) -> Result<bool, Error> {
        Ok(self.scan(pattern)?.next_ids()?.is_some())
    }

    /// Number of quads.
    pub fn quad_count(&self) -> Result<u64, Error> {
        let (snapshot, mut count) = (self.snapshot(), 0);
        for graph in [GraphChoice::Default, GraphChoice::AnyNamed] {
            let all = Pattern { subject: None, predicate: None, object: None, graph };
            count += snapshot.count(&all)?.expect("whole orders are counted");
        }
        Ok(count)
    }

    /// Names of the named graphs, also of those without a quad.
    pub fn graph_names(&self) -> Result<Vec<NamedOrBlankNode>, Error> {
        let snapshot = self.snapshot();
        let ids: Vec<Id> = snapshot.graphs().collect::<Result<_, _>>()?;
        let terms = TermsOf::read(&snapshot, ids.clone(), to_term)?;
        Ok(ids.iter().map(|id| node(terms.get(*id))).collect())
    }

    /// Whether there is a graph of a name.
    pub fn has_graph(&self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, Error> {
        let snapshot = self.snapshot();
        let id = find(&snapshot, name.into())?;
        Ok(id.map_or(Ok(false), |id| snapshot.has_graph(id))?)
    }
}

impl Scan {
    /// The next quads, more with each batch; none at the end.
    pub fn next_batch(&mut self) -> Result<Vec<Quad>, Error> {
        let mut batch = Vec::new();
        while batch.len() < self.batch_len
            && let Some(quad) = self.next_ids()?
        {
            batch.push(quad);
        }
        self.batch_len = BATCH_QUADS.min(2 * self.batch_len);
        let all = |quad: &manicule_graph::Quad| {
            let graph = Some(quad.graph).filter(|graph| *graph != Id::DEFAULT_GRAPH);
            [quad.subject, quad.predicate, quad.object].into_iter().chain(graph).collect::<Vec<_>>()
        };
        let terms = TermsOf::read(&self.snapshot, batch.iter().flat_map(all).collect(), to_term)?;
        let quad = |ids: &manicule_graph::Quad| {
            let predicate = match terms.get(ids.predicate) {
                Term::NamedNode(node) => node.clone(),
                other => unreachable!("a predicate is an IRI, not {other}"),
            };
            let graph_name = match ids.graph {
                Id::DEFAULT_GRAPH => GraphName::DefaultGraph,
                name => node(terms.get(name)).into(),
            };
            let (subject, object) = (node(terms.get(ids.subject)), terms.get(ids.object).clone());
            Quad { subject, predicate, object, graph_name }
        };
        Ok(batch.iter().map(quad).collect())
    }

    fn next_ids(&mut self) -> Result<Option<manicule_graph::Quad>, Error> {
        loop {
            if let Some(quad) = self.quads.as_mut().and_then(Iterator::next) {
                return Ok(Some(quad?));
            }
            let Some(graph) = self.graphs.next() else { return Ok(None) };
            self.quads = Some(self.snapshot.scan(&Pattern { graph, ..self.pattern }));
        }
    }
}

fn find(snapshot: &Snapshot, term: AnyTerm<'_>) -> Result<Option<Id>, Error> {
    let found = with_term_ref(term, |term| snapshot.find_term(term));
    Ok(found.transpose()?.flatten())
}

fn graph(snapshot: &Snapshot, name: &GraphName) -> Result<Option<GraphChoice>, Error> {
    let name: AnyTerm<'_> = match name {
        GraphName::DefaultGraph => return Ok(Some(GraphChoice::Default)),
        GraphName::NamedNode(node) => node.as_ref().into(),
        GraphName::BlankNode(node) => node.as_ref().into(),
    };
    Ok(find(snapshot, name)?.map(GraphChoice::Named))
}

/// A term that is no literal and no triple term.
fn node(term: &Term) -> NamedOrBlankNode {
    match term {
        Term::NamedNode(node) => node.clone().into(),
        Term::BlankNode(node) => node.clone().into(),
        Term::Literal(_) | Term::Triple(_) => unreachable!("no such term is here, as {term}"),
    }
}
