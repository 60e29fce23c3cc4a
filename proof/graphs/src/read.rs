//! Documents of RDF, read whole.
//!
//! Callers: tests

use std::collections::HashMap;

use oxrdf::{GraphName, NamedNode};
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParser};

use crate::plain::PlainGraph;

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
    graph: &mut PlainGraph,
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
        graph.add(&quad.map_err(|error| error.to_string())?, &mut nodes);
    }
    Ok(())
}
