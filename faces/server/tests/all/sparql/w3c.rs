//! W3C's machine-readable tests of SPARQL 1.1 Protocol, Graph Store HTTP Protocol and service
//! description. Those of the last have no requests: what its texts ask is judged here.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use manicule_testkit::golden_file;
use oxrdf::Term;
use oxrdfio::RdfFormat;
use serde_json::Value;

use super::super::support::{Answer, Server};
use super::content::{Content, compare, graph, media, read};
use super::empty;

/// Vocabulary of service descriptions.
const SD: &str = "http://www.w3.org/ns/sparql-service-description#";
const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

fn tests() -> Vec<Value> {
    let lines = String::from_utf8(golden_file("graph/protocol", "tests.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn all_of_the_tests_pass() {
    let (_folder, server) = empty();
    let mut wrong = Vec::new();
    let mut counts = [0; 3];
    for test in tests() {
        let (suite, id) = (text(&test, "suite"), text(&test, "id"));
        let which = ["protocol", "graph-store-protocol", "service-description"];
        counts[which.iter().position(|own| *own == suite).unwrap()] += 1;
        reset(&server, &test);
        let judged = match suite {
            "service-description" => described(&server, id),
            _ => requests(&server, &test),
        };
        if let Err(why) = judged {
            wrong.push(format!("{suite} {id}: {why}"));
        }
    }
    assert_eq!((counts, wrong), ([34, 13, 3], Vec::new()));
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

/// The store holds what a test wants before.
fn reset(server: &Server, test: &Value) {
    let mut update = "DROP ALL".to_owned();
    for data in test["data"].as_array().into_iter().flatten() {
        let (graph, triples) = (text(data, "graph"), text(data, "ntriples"));
        update += &format!("; INSERT DATA {{ GRAPH <{graph}> {{ {triples} }} }}");
    }
    let answer = server.update(&update);
    assert_eq!(answer.status, 204, "{}", answer.text());
}

/// Sends the requests of a test. `$LOCATION$` is the last one that came.
fn requests(server: &Server, test: &Value) -> Result<(), String> {
    let mut location = String::new();
    for (at, request) in test["requests"].as_array().unwrap().iter().enumerate() {
        let path = match text(request, "endpoint") {
            "query" => "/query",
            "update" => "/update",
            _ => "/store",
        };
        let own = text(request, "path");
        let rest = own.strip_prefix("/sparql/").or_else(|| own.strip_prefix("/gsp")).unwrap();
        let target = format!("{path}{}", rest.replace("$LOCATION$", &location));
        let body = match request.get("body_base64") {
            Some(body) => BASE64_STANDARD.decode(body.as_str().unwrap()).unwrap(),
            None => text(request, "body").replace("$LOCATION$", &location).into_bytes(),
        };
        let headers: Vec<(&str, &str)> = request["headers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
            .collect();
        let answer = server.send(text(request, "method"), &target, &headers, &body);
        let base = format!("http://{}{path}", server.address());
        judge(&request["expect"], &answer, &base)
            .map_err(|why| format!("request {}: {why}; {}", at + 1, answer.text()))?;
        if !answer.header("location").is_empty() {
            location = answer.header("location").to_owned();
        }
    }
    Ok(())
}

fn judge(expect: &Value, answer: &Answer, base: &str) -> Result<(), String> {
    let is_status = |wanted: &Value| match wanted.as_str() {
        Some(class) => class.as_bytes()[0] == answer.status.to_string().as_bytes()[0],
        None => wanted.as_u64() == Some(answer.status.into()),
    };
    let status = &expect["status"];
    if !status.as_array().unwrap().iter().any(is_status) {
        return Err(format!("{} in place of {status}", answer.status));
    }
    let content_type = answer.header("content-type");
    let said = (answer.status < 300).then(|| read(content_type, &answer.body, base)).flatten();
    let fits = match (text(expect, "format"), &said) {
        ("", _) => true,
        ("boolean", Some(Content::Boolean(own))) => {
            expect["boolean"].as_bool().is_none_or(|wanted| wanted == *own)
        }
        ("tabular", Some(Content::Table(..))) | ("RDF", Some(Content::Graph(_))) => true,
        _ => false,
    };
    if !fits {
        return Err(format!("{said:?} of {content_type} in place of {expect}"));
    }
    if expect.get("location").is_some() && answer.header("location").is_empty() {
        return Err("no Location".to_owned());
    }
    let wanted = text(&expect["headers"], "content-type");
    if !wanted.is_empty() && media(wanted) != media(content_type) {
        return Err(format!("{content_type} in place of {wanted}"));
    }
    let Some(lines) = expect["ntriples"].as_array() else { return Ok(()) };
    let lines: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
    let want = graph(RdfFormat::NTriples, lines.join("\n").as_bytes(), base);
    compare(&Content::Graph(want), &said.ok_or("no graph")?)
}

/// A service description, judged as the texts of its three tests ask.
fn described(server: &Server, id: &str) -> Result<(), String> {
    let answer = server.send("GET", "/query", &[("Accept", "text/turtle")], b"");
    if (answer.status, media(answer.header("content-type"))) != (200, "text/turtle") {
        return Err(format!("{} {}", answer.status, answer.header("content-type")));
    }
    let url = format!("http://{}/query", server.address());
    let triples = graph(RdfFormat::Turtle, &answer.body, &url);
    let iri = |term: &Option<Term>, wanted: &str| match term {
        Some(Term::NamedNode(own)) => own.as_str() == wanted,
        _ => false,
    };
    let all = |predicate: &str| {
        let of = format!("{SD}{predicate}");
        let own = triples.iter().filter(|triple| iri(&triple[1], &of));
        own.map(|triple| (triple[0].clone(), triple[2].clone())).collect::<Vec<_>>()
    };
    let is = |subject: &Option<Term>, class: &str| {
        let class = format!("{SD}{class}");
        let mut own = triples.iter().filter(|triple| triple[0] == *subject);
        own.any(|triple| iri(&triple[1], TYPE) && iri(&triple[2], &class))
    };
    let endpoints = all("endpoint");
    let right = match id {
        "returns-rdf" => !triples.is_empty(),
        "has-endpoint-triple" => endpoints.iter().any(|(_, own)| iri(own, &url)),
        _ => {
            let named = ["supportedLanguage", "resultFormat", "feature", "defaultDataset"];
            let resources: Vec<_> = named.iter().flat_map(|name| all(name)).collect();
            let languages = ["SPARQL10Query", "SPARQL11Query", "SPARQL11Update"];
            let is_known = |own: &Option<Term>| {
                languages.iter().any(|language| iri(own, &format!("{SD}{language}")))
            };
            endpoints.len() == 1
                && is(&endpoints[0].0, "Service")
                && resources.iter().all(|(_, own)| !own.as_ref().is_some_and(Term::is_literal))
                && all("supportedLanguage").iter().all(|(_, own)| is_known(own))
                && all("defaultDataset").iter().all(|(_, own)| is(own, "Dataset"))
                && all("defaultGraph").iter().all(|(_, own)| is(own, "Graph"))
        }
    };
    right.then_some(()).ok_or_else(|| answer.text())
}
