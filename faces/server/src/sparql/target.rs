//! What a request asks for, as SPARQL 1.1 Graph Store HTTP Protocol has it: which graph, and the
//! documents of the body. Nothing is looked up here.

use std::path::Path;

use manicule::graph::{Syntax, is_packed};
use oxrdf::NamedNode;

use super::form::pairs;
use super::media::{MediaType, syntax_of};
use super::multipart;
use super::refused::Refused;
use super::request::{Parts, graph_iri, taken};

/// What a request is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// The store: all graphs.
    Store,
    /// The default graph.
    Default,
    /// The graph of a name.
    Named(NamedNode),
}

/// What is done with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    /// It is written as the answer.
    Get,
    /// It is asked for, without its content.
    Head,
    /// It is replaced.
    Put,
    /// Triples are added to it; to the store, a graph.
    Post,
    /// It is dropped.
    Delete,
}

/// What a request asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AskedGraph {
    /// The graph.
    pub(super) target: Target,
    /// What is done.
    pub(super) verb: Verb,
    /// Documents of PUT and POST.
    pub(super) documents: Vec<Document>,
    /// The parameters of the URL.
    pub(super) parameters: Vec<(String, String)>,
}

/// A document of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Document {
    /// What messages call it.
    pub(super) name: String,
    /// Its syntax.
    pub(super) syntax: Syntax,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

const METHODS: &str = "GET, HEAD, PUT, POST, DELETE";
/// Those of all graphs: nobody drops them by a URL that was cut.
const STORE_METHODS: &str = "GET, HEAD, PUT, POST";
const TYPES: &str =
    "text/turtle, application/n-triples, application/rdf+xml, application/ld+json or others of RDF";

/// What a request to the store asks for: `url` is its own URL, and `is_below` whether that goes on
/// after the store's, so that it is the name of a graph.
pub(super) fn asked_graph(
    url: &str,
    is_below: bool,
    parts: &Parts<'_>,
) -> Result<AskedGraph, Refused> {
    let mut parameters = pairs(parts.query.as_bytes())?;
    let target = target(url, is_below, &mut parameters)?;
    let methods = if target == Target::Store { STORE_METHODS } else { METHODS };
    let verb = match parts.method {
        "GET" => Verb::Get,
        "HEAD" => Verb::Head,
        "PUT" => Verb::Put,
        "POST" => Verb::Post,
        "DELETE" if target != Target::Store => Verb::Delete,
        other => return Err(Refused::method(other, methods)),
    };
    let documents = match verb {
        Verb::Put | Verb::Post => documents(parts)?,
        _ => Vec::new(),
    };
    Ok(AskedGraph { target, verb, documents, parameters })
}

fn target(
    url: &str,
    is_below: bool,
    parameters: &mut Vec<(String, String)>,
) -> Result<Target, Refused> {
    let graph = taken(parameters, "graph")?;
    let default = taken(parameters, "default")?;
    match (graph, default, is_below) {
        (Some(iri), None, false) => graph_iri("graph", &iri).map(Target::Named),
        (None, Some(_), false) => Ok(Target::Default),
        (None, None, false) => Ok(Target::Store),
        (None, None, true) => graph_iri("the URL", url).map(Target::Named),
        _ => Err(Refused::bad("a graph is named once: by graph=IRI, by default or by the URL")),
    }
}

/// The documents of a body.
fn documents(parts: &Parts<'_>) -> Result<Vec<Document>, Refused> {
    let media_type = parts.media_type(TYPES)?;
    if media_type.name != "multipart/form-data" {
        let syntax = syntax(&media_type)?;
        return Ok(vec![document("the body".to_owned(), syntax, parts.body)?]);
    }
    let files = multipart::parts(parts.body, &media_type)?.into_iter();
    let files = files.filter(|part| part.file.is_some() || part.media_type.is_some());
    let documents: Vec<Document> = files
        .map(|part| {
            let name = part.file.unwrap_or_else(|| "a part of the form".to_owned());
            let syntax = match &part.media_type {
                // Browsers say so of files that they don't know.
                Some(own) if own.name != "application/octet-stream" => syntax(own)?,
                _ => Syntax::of_path(Path::new(&name)).ok_or_else(|| {
                    let why =
                        format!("{name}: neither its Content-Type nor its name says its syntax");
                    Refused::media_type(why)
                })?,
            };
            document(name, syntax, part.bytes)
        })
        .collect::<Result<_, _>>()?;
    if documents.is_empty() {
        return Err(Refused::bad("the form has no file"));
    }
    Ok(documents)
}

fn syntax(media_type: &MediaType) -> Result<Syntax, Refused> {
    media_type.check_utf8()?;
    syntax_of(media_type).ok_or_else(|| {
        Refused::media_type(format!("{} is not read here; send {TYPES}", media_type.name))
    })
}

fn document(name: String, syntax: Syntax, bytes: &[u8]) -> Result<Document, Refused> {
    if is_packed(bytes) {
        let why = format!("{name} is compressed, and has no Content-Encoding that says so");
        return Err(Refused::media_type(why));
    }
    Ok(Document { name, syntax, bytes: bytes.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://localhost:7878/store";
    const GET: Parts<'_> = Parts { method: "GET", query: "", content_type: None, body: b"" };

    /// The verb, the target and the syntaxes, or the status.
    fn check(is_below: bool, parts: Parts<'_>, want: &str) {
        let url = if is_below { format!("{URL}/a%20b") } else { URL.to_owned() };
        let shown = match asked_graph(&url, is_below, &parts) {
            Ok(AskedGraph { target, verb, documents, .. }) => {
                let target = match target {
                    Target::Named(name) => name.into_string(),
                    other => format!("{other:?}"),
                };
                let syntaxes: Vec<_> = documents.iter().map(|own| own.syntax.name()).collect();
                format!("{verb:?} {target} {}", syntaxes.join(" ")).trim_end().to_owned()
            }
            Err(refused) => refused.status.to_string(),
        };
        assert_eq!(shown, want, "{parts:?}");
    }

    #[test]
    fn a_graph_is_named_once() {
        let of = |query: &'static str| Parts { query, ..GET };
        check(false, of("graph=http%3A//a/%2531"), "Get http://a/%31");
        check(false, of("graph=http://a/%31&format=x"), "Get http://a/1");
        check(false, of("default"), "Get Default");
        check(false, of("default="), "Get Default");
        check(false, of(""), "Get Store");
        check(true, of(""), "Get http://localhost:7878/store/a%20b");
        check(true, of("default"), "400");
        check(false, of("default&graph=http://a/"), "400");
        check(false, of("graph=http://a/&graph=http://a/"), "400");
        check(false, of("graph=relative"), "400");
    }

    #[test]
    fn a_method_is_a_verb() {
        let of = |method: &'static str| Parts { method, ..GET };
        check(true, of("HEAD"), "Head http://localhost:7878/store/a%20b");
        check(true, of("DELETE"), "Delete http://localhost:7878/store/a%20b");
        check(false, of("DELETE"), "405");
        check(true, of("PATCH"), "405");
    }

    #[test]
    fn a_body_is_documents_of_a_syntax() {
        let put = |content_type, body| Parts { method: "PUT", content_type, body, ..GET };
        let name = "Put http://localhost:7878/store/a%20b";
        check(true, put(Some("text/turtle; charset=utf-8"), b""), &format!("{name} turtle"));
        check(true, put(Some("application/trig"), b""), &format!("{name} trig"));
        check(true, put(None, b""), "415");
        check(true, put(Some("application/x-www-form-urlencoded"), b""), "415");
        check(true, put(Some("text/turtle; charset=latin1"), b""), "415");
        check(true, put(Some("text/turtle"), b"\x1f\x8b\x08"), "415");
        let form = Some("multipart/form-data; boundary=b");
        let files = b"--b\r\ncontent-disposition: form-data; name=graph\r\n\r\nx\r\n\
            --b\r\ncontent-disposition: form-data; name=f; filename=a.nt\r\n\r\n\r\n\
            --b\r\ncontent-type: application/octet-stream\r\n\
            content-disposition: form-data; filename=a.rdf\r\n\r\n\r\n\
            --b\r\ncontent-type: text/turtle\r\n\r\n\r\n--b--";
        check(true, put(form, files), &format!("{name} ntriples rdfxml turtle"));
        check(true, put(form, b"--b\r\n\r\nx\r\n--b--"), "400");
        check(
            true,
            put(form, b"--b\r\ncontent-disposition: f; filename=a\r\n\r\n\r\n--b--"),
            "415",
        );
    }
}
