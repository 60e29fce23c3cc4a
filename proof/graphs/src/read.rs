//! Documents of RDF, read whole.

use std::collections::HashMap;

use manicule_graph::sparql::{Writable, triple_of, with_term_ref};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphError, Id, Quad};
use oxrdf::{BlankNode, GraphName, NamedNode, Term};
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParser};

/// The syntax of a file, by the end of its name.
pub fn rdf_format(name: &str) -> Option<RdfFormat> {
    let (_, end) = name.rsplit_once('.')?;
    Some(match end {
        "nt" => RdfFormat::NTriples,
        "nq" => RdfFormat::NQuads,
        "ttl" => RdfFormat::Turtle,
        "trig" => RdfFormat::TriG,
        "rdf" | "xml" => RdfFormat::RdfXml,
        "jsonld" => RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() },
        _ => return None,
    })
}

/// Reads a document into the graph of a name, or where it says itself.
///
/// # Errors
/// A sentence, if the document is wrong.
pub fn read_into(
    store: &mut impl Writable,
    bytes: &[u8],
    format: RdfFormat,
    base: &str,
    name: Option<NamedNode>,
) -> Result<(), String> {
    let mut parser =
        RdfParser::from_format(format).with_base_iri(base).map_err(|error| error.to_string())?;
    if let Some(name) = name {
        parser = parser.with_default_graph(GraphName::NamedNode(name));
    }
    let mut nodes = HashMap::new();
    for quad in parser.for_slice(bytes) {
        add(store, &quad.map_err(|error| error.to_string())?, &mut nodes);
    }
    Ok(())
}

/// Adds a quad of a document; `nodes` holds the document's blank nodes.
///
/// # Panics
/// If the store can't enter a term.
pub fn add(store: &mut impl Writable, quad: &oxrdf::Quad, nodes: &mut HashMap<BlankNode, Id>) {
    let mut enter = |term: Term| match term {
        Term::BlankNode(node) => *nodes.entry(node).or_insert_with(|| store.new_blank()),
        Term::Triple(triple) => {
            let mut number = |node: &BlankNode| -> Result<u64, GraphError> {
                Ok(nodes.entry(node.clone()).or_insert_with(|| store.new_blank()).payload())
            };
            let triple = triple_of(&triple, &mut number).expect("few levels");
            store.intern(TermRef::Triple(triple.as_triple())).expect("the store takes it")
        }
        term => with_term_ref(&term, |term| store.intern(term))
            .expect("no blank node")
            .expect("the store takes it"),
    };
    let subject = enter(quad.subject.clone().into());
    let predicate = enter(quad.predicate.clone().into());
    let object = enter(quad.object.clone());
    let graph = match quad.graph_name.clone() {
        GraphName::DefaultGraph => Id::DEFAULT_GRAPH,
        GraphName::NamedNode(node) => enter(node.into()),
        GraphName::BlankNode(node) => enter(node.into()),
    };
    store.insert(Quad { subject, predicate, object, graph });
}
