//! What a request asks for, as SPARQL 1.1 Protocol has it: its line, its headers and its body in,
//! a query or an update out. Nothing is looked up here.

use manicule::graph::NamedDataset;
use oxrdf::{GraphName, NamedNode, NamedOrBlankNode};

use super::form::pairs;
use super::media::MediaType;
use super::refused::Refused;

/// What the requests of a path may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Endpoint {
    /// Queries.
    Query,
    /// Updates.
    Update,
    /// Both.
    Both,
}

impl Endpoint {
    /// Whether it has queries.
    pub(super) fn has_queries(self) -> bool {
        self != Endpoint::Update
    }

    /// Whether it has updates.
    pub(super) fn has_updates(self) -> bool {
        self != Endpoint::Query
    }

    fn methods(self) -> &'static str {
        if self.has_queries() { "GET, HEAD, POST" } else { "POST" }
    }
}

/// The parts of a request that say what it asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'r> {
    /// The method.
    pub(super) method: &'r str,
    /// What the URL has after its question mark.
    pub(super) query: &'r str,
    /// `Content-Type`.
    pub(super) content_type: Option<&'r str>,
    /// The body, whole.
    pub(super) body: &'r [u8],
}

impl Parts<'_> {
    /// The media type of the body, which has to be said.
    pub(super) fn media_type(&self, known: &str) -> Result<MediaType, Refused> {
        let wrong = |what: &str| Refused::media_type(format!("{what}; say Content-Type: {known}"));
        let Some(text) = self.content_type else {
            return Err(wrong("the request doesn't say what its body is"));
        };
        MediaType::read(text).ok_or_else(|| wrong(&format!("{text} is no media type")))
    }
}

/// What a request asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Asked {
    /// The query, the update, or neither.
    pub(super) what: What,
    /// The parameters of the URL and of a form, those that nothing here reads too.
    pub(super) parameters: Vec<(String, String)>,
}

/// A query, an update, or neither.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A query.
    Query {
        /// Its text.
        text: String,
        /// The graphs that the request names.
        dataset: Option<NamedDataset>,
    },
    /// An update.
    Update {
        /// Its text.
        text: String,
        /// The graphs that the request names for patterns.
        using: Option<NamedDataset>,
    },
    /// What the service can do.
    Description,
}

const FORM: &str = "application/x-www-form-urlencoded";
const QUERY: &str = "application/sparql-query";
const UPDATE: &str = "application/sparql-update";

/// What a request to an endpoint asks for.
pub(super) fn asked(endpoint: Endpoint, parts: &Parts<'_>) -> Result<Asked, Refused> {
    let mut parameters = pairs(parts.query.as_bytes())?;
    let mut text = match parts.method {
        "GET" | "HEAD" if endpoint.has_queries() => {
            if one(&parameters, "update")?.is_some() {
                return Err(Refused::bad("an update is sent by POST"));
            }
            let Some(text) = taken(&mut parameters, "query")? else {
                return Ok(Asked { what: What::Description, parameters });
            };
            Text::Query(text)
        }
        "POST" => posted(endpoint, parts, &mut parameters)?,
        other => return Err(Refused::method(other, endpoint.methods())),
    };
    let what = match &mut text {
        Text::Query(text) => {
            let dataset = dataset(&parameters, "default-graph-uri", "named-graph-uri")?;
            What::Query { text: std::mem::take(text), dataset }
        }
        Text::Update(text) => {
            let using = dataset(&parameters, "using-graph-uri", "using-named-graph-uri")?;
            What::Update { text: std::mem::take(text), using }
        }
    };
    Ok(Asked { what, parameters })
}

/// What a request does, by its text.
enum Text {
    Query(String),
    Update(String),
}

/// The text of a POST; parameters of a form come to those of the URL.
fn posted(
    endpoint: Endpoint,
    parts: &Parts<'_>,
    parameters: &mut Vec<(String, String)>,
) -> Result<Text, Refused> {
    let known = match endpoint {
        Endpoint::Query => "application/sparql-query",
        Endpoint::Update => "application/sparql-update",
        Endpoint::Both => "application/sparql-query or application/sparql-update",
    };
    let media_type = parts.media_type(known)?;
    media_type.check_utf8()?;
    match media_type.name.as_str() {
        FORM => {
            parameters.extend(pairs(parts.body)?);
            of_form(endpoint, parameters)
        }
        QUERY if endpoint.has_queries() => {
            none_of(parameters, &["query", "update"])?;
            utf8(parts.body).map(Text::Query)
        }
        UPDATE if endpoint.has_updates() => {
            none_of(parameters, &["query", "update"])?;
            utf8(parts.body).map(Text::Update)
        }
        other => {
            let why = format!("{other} is not read here; say Content-Type: {known}, or {FORM}");
            Err(Refused::media_type(why))
        }
    }
}

fn of_form(endpoint: Endpoint, parameters: &mut Vec<(String, String)>) -> Result<Text, Refused> {
    let (query, update) = (taken(parameters, "query")?, taken(parameters, "update")?);
    match (query, update) {
        (Some(text), None) if endpoint.has_queries() => Ok(Text::Query(text)),
        (None, Some(text)) if endpoint.has_updates() => Ok(Text::Update(text)),
        (Some(_), Some(_)) => Err(Refused::bad("a request is a query or an update, and not both")),
        (Some(_), None) => Err(Refused::bad("queries are not answered at this path")),
        (None, Some(_)) => Err(Refused::bad("updates are not done at this path")),
        (None, None) => {
            let name = if endpoint.has_queries() { "query" } else { "update" };
            Err(Refused::bad(format!("the form has no parameter {name}")))
        }
    }
}

fn none_of(parameters: &[(String, String)], names: &[&str]) -> Result<(), Refused> {
    match parameters.iter().find(|(name, _)| names.contains(&name.as_str())) {
        None => Ok(()),
        Some((name, _)) => {
            Err(Refused::bad(format!("the body is the text: the URL can't have {name} too")))
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<String, Refused> {
    let text = str::from_utf8(bytes).map_err(|error| {
        Refused::bad(format!("the body is not UTF-8 from byte {} on", error.valid_up_to()))
    })?;
    Ok(text.to_owned())
}

/// The place of a parameter that may be there once.
fn one(parameters: &[(String, String)], name: &str) -> Result<Option<usize>, Refused> {
    let mut places = (0..parameters.len()).filter(|at| parameters[*at].0 == name);
    let place = places.next();
    match places.next() {
        None => Ok(place),
        Some(_) => Err(Refused::bad(format!("the parameter {name} is there more than once"))),
    }
}

/// Takes a parameter out.
pub(super) fn taken(
    parameters: &mut Vec<(String, String)>,
    name: &str,
) -> Result<Option<String>, Refused> {
    Ok(one(parameters, name)?.map(|place| parameters.remove(place).1))
}

/// The graphs that a request names. Where it names any, there are no others: without a default
/// graph that is an empty one.
fn dataset(
    parameters: &[(String, String)],
    default: &str,
    named: &str,
) -> Result<Option<NamedDataset>, Refused> {
    let all = |wanted: &str| {
        // Forms of browsers send what nobody filled in.
        let own = parameters.iter().filter(|(name, iri)| name == wanted && !iri.is_empty());
        own.map(|(name, iri)| graph_iri(name, iri)).collect::<Result<Vec<_>, _>>()
    };
    let (default, named) = (all(default)?, all(named)?);
    if default.is_empty() && named.is_empty() {
        return Ok(None);
    }
    Ok(Some(NamedDataset {
        default: Some(default.into_iter().map(GraphName::from).collect()),
        named: Some(named.into_iter().map(NamedOrBlankNode::from).collect()),
    }))
}

/// The IRI of a graph, which has to be absolute.
pub(super) fn graph_iri(name: &str, iri: &str) -> Result<NamedNode, Refused> {
    NamedNode::new(iri)
        .map_err(|error| Refused::bad(format!("{name}: <{iri}> is no absolute IRI: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: Parts<'_> = Parts { method: "GET", query: "", content_type: None, body: b"" };
    const POST: Parts<'_> = Parts { method: "POST", ..GET };

    fn form(body: &[u8]) -> Parts<'_> {
        Parts { content_type: Some("application/x-www-form-urlencoded"), body, ..POST }
    }

    fn direct<'r>(content_type: &'r str, query: &'r str, body: &'r [u8]) -> Parts<'r> {
        Parts { content_type: Some(content_type), query, body, ..POST }
    }

    /// `query TEXT`, `update TEXT`, `description` or the status.
    fn check(endpoint: Endpoint, parts: Parts<'_>, want: &str) {
        let shown = match asked(endpoint, &parts) {
            Ok(Asked { what: What::Query { text, .. }, .. }) => format!("query {text}"),
            Ok(Asked { what: What::Update { text, .. }, .. }) => format!("update {text}"),
            Ok(Asked { what: What::Description, .. }) => "description".to_owned(),
            Err(refused) => refused.status.to_string(),
        };
        assert_eq!(shown, want, "{endpoint:?} {parts:?}");
    }

    use Endpoint::{Both, Query, Update};

    #[test]
    fn a_query_comes_in_three_ways() {
        check(Query, Parts { query: "query=ASK+%7B%7D", ..GET }, "query ASK {}");
        check(Both, Parts { query: "query=ASK", method: "HEAD", ..GET }, "query ASK");
        check(Query, form(b"format=x&query=ASK"), "query ASK");
        check(Query, direct("application/sparql-query;charset=utf-8", "", b"ASK"), "query ASK");
        check(Query, GET, "description");
        check(Both, Parts { query: "format=json", ..GET }, "description");
    }

    #[test]
    fn an_update_comes_in_two_ways() {
        check(Update, form(b"update=CLEAR+ALL"), "update CLEAR ALL");
        check(
            Both,
            direct("application/sparql-update; charset=UTF-8", "", b"CLEAR ALL"),
            "update CLEAR ALL",
        );
        check(Update, GET, "405");
        check(Both, Parts { query: "update=CLEAR+ALL", ..GET }, "400");
        check(Query, form(b"update=CLEAR+ALL"), "400");
        check(Query, direct("application/sparql-update", "", b"CLEAR ALL"), "415");
        check(Update, direct("application/sparql-query", "", b"ASK"), "415");
        check(Update, form(b"query=ASK"), "400");
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        check(Query, Parts { query: "query=ASK&query=ASK", ..GET }, "400");
        check(Query, Parts { query: "query=ASK", ..form(b"query=ASK") }, "400");
        check(Both, form(b"query=ASK&update=CLEAR+ALL"), "400");
        check(Both, form(b""), "400");
        check(Query, direct("application/sparql-query", "query=ASK", b"ASK"), "400");
        check(Both, direct("application/sparql-update", "update=CLEAR", b"CLEAR ALL"), "400");
        check(Query, Parts { body: b"ASK", ..POST }, "415");
        check(Query, direct("text/plain", "", b"ASK"), "415");
        check(Query, direct("nonsense", "", b"ASK"), "415");
        check(Query, direct("application/sparql-query; charset=UTF-16", "", b"\xff\xfe"), "415");
        check(Query, direct("application/sparql-query", "", b"\xff\xfe"), "400");
        check(Query, form(b"query=%FF"), "400");
        check(Query, Parts { method: "PUT", ..GET }, "405");
        check(Query, Parts { query: "query=ASK&default-graph-uri=relative", ..GET }, "400");
        check(Query, Parts { query: "query=ASK&default-graph-uri=", ..GET }, "query ASK");
    }

    #[test]
    fn graphs_that_are_named_are_all_there_are() {
        let of = |query: &str| asked(Query, &Parts { query, ..GET }).unwrap().what;
        let What::Query { dataset: None, .. } = of("query=ASK") else { panic!("no graphs") };
        let What::Query { dataset: Some(dataset), .. } =
            of("named-graph-uri=http://a/b&query=ASK&named-graph-uri=http%3A//a/c")
        else {
            panic!("graphs");
        };
        assert_eq!(dataset.default, Some(Vec::new()));
        assert_eq!(dataset.named.map(|named| named.len()), Some(2));
        let using = Parts { query: "using-graph-uri=http://a/b", ..form(b"update=CLEAR+ALL") };
        let asked = asked(Update, &using).unwrap();
        let What::Update { using: Some(using), .. } = asked.what else { panic!("graphs") };
        assert_eq!(using.named, Some(Vec::new()));
    }
}
