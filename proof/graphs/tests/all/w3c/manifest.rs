//! Manifests of the suites: which tests there are, and what each is made of.

use std::collections::HashMap;
use std::rc::Rc;

use manicule_graphs::{Archive, rdf_format};
use oxrdf::{Graph, NamedNodeRef, NamedOrBlankNode, Term};
use oxrdfio::{RdfFormat, RdfParser};

/// Begins the IRIs of all files.
pub(crate) const BASE: &str = "https://w3c.github.io/rdf-tests/";
pub(crate) const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
pub(crate) const QT: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
pub(crate) const UT: &str = "http://www.w3.org/2009/sparql/tests/test-update#";
pub(crate) const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// A node of a document, and what the document says about it.
#[derive(Clone)]
pub(crate) struct Node {
    graph: Rc<Graph>,
    pub(crate) term: Term,
}

impl Node {
    /// All values of a property.
    pub(crate) fn all(&self, name: &str) -> Vec<Node> {
        let subject = match &self.term {
            Term::NamedNode(node) => NamedOrBlankNode::from(node.clone()),
            Term::BlankNode(node) => NamedOrBlankNode::from(node.clone()),
            Term::Literal(_) | Term::Triple(_) => return Vec::new(),
        };
        let predicate = NamedNodeRef::new_unchecked(name);
        let objects = self.graph.objects_for_subject_predicate(&subject, predicate);
        objects.map(|term| Node { graph: self.graph.clone(), term: term.into_owned() }).collect()
    }

    /// The first value of a property.
    pub(crate) fn one(&self, name: &str) -> Option<Node> {
        self.all(name).into_iter().next()
    }

    /// The IRI, or the text of a literal.
    pub(crate) fn text(&self) -> &str {
        match &self.term {
            Term::NamedNode(node) => node.as_str(),
            Term::Literal(literal) => literal.value(),
            Term::BlankNode(node) => node.as_str(),
            Term::Triple(_) => "",
        }
    }

    fn items(&self) -> Vec<Node> {
        let (mut items, mut head) = (Vec::new(), Some(self.clone()));
        while let Some(node) = head {
            items.extend(node.one(&format!("{RDF}first")));
            head = node.one(&format!("{RDF}rest"));
        }
        items
    }
}

/// A test of a manifest.
pub(crate) struct Entry {
    pub(crate) node: Node,
    /// Base of the documents, where the manifest has one.
    pub(crate) base: Option<String>,
}

/// The tests of all manifests, by suite and name.
pub(crate) struct Manifests {
    entries: HashMap<(String, String), Entry>,
}

impl Manifests {
    pub(crate) fn read(archive: &Archive) -> Manifests {
        let mut entries = HashMap::new();
        let is_manifest = |path: &&str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.starts_with("manifest") && name.ends_with(".ttl")
        };
        for path in archive.paths().filter(is_manifest) {
            let suite = path.rsplit_once('/').map_or("", |(suite, _)| suite);
            let Ok(graph) = read_graph(archive, path, RdfFormat::Turtle) else { continue };
            for (entry, name) in tests(&Rc::new(graph)) {
                entries.insert((suite.to_owned(), name), entry);
            }
        }
        Manifests { entries }
    }

    pub(crate) fn find(&self, suite: &str, name: &str) -> Option<&Entry> {
        self.entries.get(&(suite.to_owned(), name.to_owned()))
    }

    /// The test of a query or request, and its kind.
    pub(crate) fn of_action(&self, iri: &str) -> Option<(&Entry, String)> {
        let is_of = |entry: &&Entry| {
            let Some(action) = entry.node.one(&format!("{MF}action")) else { return false };
            let query = action.one(&format!("{QT}query")).unwrap_or(action);
            query.text() == iri
        };
        let entry = self.entries.values().find(is_of)?;
        let kind = entry.node.one(&format!("{RDF}type"))?;
        let kind = kind.text().rsplit('#').next().unwrap_or_default().to_owned();
        Some((entry, kind))
    }
}

fn tests(graph: &Rc<Graph>) -> Vec<(Entry, String)> {
    let entries_of = NamedNodeRef::new_unchecked(
        "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#entries",
    );
    let mut tests = Vec::new();
    for triple in graph.triples_for_predicate(entries_of) {
        let manifest = Node { graph: graph.clone(), term: triple.subject.into_owned().into() };
        let base = manifest.one(&format!("{MF}assumedTestBase"));
        let head = Node { graph: graph.clone(), term: triple.object.into_owned() };
        for node in head.items() {
            let name = node.text().rsplit('#').next().unwrap_or_default().to_owned();
            let base = base.as_ref().map(|base| base.text().to_owned());
            tests.push((Entry { node, base }, name));
        }
    }
    tests
}

/// The path of a file, by its IRI.
pub(crate) fn path_of(iri: &str) -> &str {
    let path = iri.strip_prefix(BASE).unwrap_or(iri);
    path.split('#').next().unwrap_or(path)
}

/// A document as a graph.
pub(crate) fn read_graph(
    archive: &Archive,
    path: &str,
    format: RdfFormat,
) -> Result<Graph, String> {
    let bytes = archive.get(path).ok_or_else(|| format!("{path}: not in the archive"))?;
    let parser = RdfParser::from_format(format)
        .with_base_iri(format!("{BASE}{path}"))
        .map_err(|error| error.to_string())?;
    let mut graph = Graph::new();
    for quad in parser.for_slice(bytes) {
        let quad = quad.map_err(|error| format!("{path}: {error}"))?;
        graph.insert(&oxrdf::Triple::new(quad.subject, quad.predicate, quad.object));
    }
    Ok(graph)
}

/// The top of a document that holds results as RDF.
pub(crate) fn nodes_with(archive: &Archive, path: &str, name: &str) -> Result<Vec<Node>, String> {
    let format = rdf_format(path).ok_or_else(|| format!("{path}: of no known syntax"))?;
    let graph = Rc::new(read_graph(archive, path, format)?);
    let predicate = NamedNodeRef::new_unchecked(name);
    let subjects: Vec<Term> = graph
        .triples_for_predicate(predicate)
        .map(|triple| triple.subject.into_owned().into())
        .collect();
    Ok(subjects.into_iter().map(|term| Node { graph: graph.clone(), term }).collect())
}
