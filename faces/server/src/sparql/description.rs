//! What a service can do, as SPARQL 1.1 Service Description has it.

use axum::response::Response;
use manicule::graph::Syntax;
use oxrdf::vocab::rdf;
use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Term, Triple};
use oxrdfio::RdfSerializer;

use super::media::{Chosen, TRIPLES, Wants};
use super::refused::Refused;
use super::reply::typed;
use super::request::{Endpoint, graph_iri};
use super::service::Service;

/// Its vocabulary.
const SD: &str = "http://www.w3.org/ns/sparql-service-description#";
/// Names of formats.
const FORMATS: &str = "http://www.w3.org/ns/formats/";

/// Formats of answers.
const RESULTS: [&str; 10] = [
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "N-Triples",
    "RDF_XML",
    "JSON-LD",
    "TriG",
    "N-Quads",
];

/// The description of an endpoint.
pub(super) fn describe(
    service: &Service,
    endpoint: Endpoint,
    url: &str,
    wants: Wants<'_>,
) -> Result<Response, Refused> {
    let Chosen { format, content_type } = wants.choose_or_refuse(&TRIPLES)?;
    let is_written = endpoint.has_updates() && service.graph.writer().is_some();
    let triples = triples(&graph_iri("the URL", url)?, is_written);
    Ok(typed(&content_type, document(&triples, format)))
}

fn triples(url: &NamedNode, is_written: bool) -> Vec<Triple> {
    let own = |name: &str| NamedNode::new_unchecked(format!("{SD}{name}"));
    let [service, dataset, graph] = ["service", "dataset", "default"]
        .map(|label| NamedOrBlankNode::from(BlankNode::new_unchecked(label)));
    let mut triples = Vec::new();
    let mut say = |subject: &NamedOrBlankNode, predicate: NamedNode, object: Term| {
        triples.push(Triple { subject: subject.clone(), predicate, object });
    };
    say(&service, rdf::TYPE.into(), own("Service").into());
    say(&service, own("endpoint"), url.clone().into());
    let update = is_written.then_some("SPARQL11Update");
    for language in ["SPARQL10Query", "SPARQL11Query"].into_iter().chain(update) {
        say(&service, own("supportedLanguage"), own(language).into());
    }
    for format in RESULTS {
        let format = NamedNode::new_unchecked(format!("{FORMATS}{format}"));
        say(&service, own("resultFormat"), format.into());
    }
    say(&service, own("feature"), own("EmptyGraphs").into());
    say(&service, own("defaultDataset"), dataset.clone().into());
    say(&dataset, rdf::TYPE.into(), own("Dataset").into());
    say(&dataset, own("defaultGraph"), graph.clone().into());
    say(&graph, rdf::TYPE.into(), own("Graph").into());
    triples
}

fn document(triples: &[Triple], syntax: Syntax) -> Vec<u8> {
    let serializer = RdfSerializer::from_format(syntax.format()).with_prefix("sd", SD);
    let mut writer = serializer.expect("an IRI").for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple).expect("memory takes all");
    }
    writer.finish().expect("memory takes all")
}
