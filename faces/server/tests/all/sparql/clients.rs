//! What SPARQLWrapper, rdflib and Jena have sent to a server, sent again in order: the answers are
//! as they were recorded, but for what a server is free to choose.

use manicule_testkit::golden_file;
use serde_json::Value;

use super::super::support::{Answer, Server, serve};
use super::content::{Content, compare, media, read};
use super::store;

#[test]
fn exchanges_of_clients_are_as_recorded() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proof/golden/graph/clients/data.nq");
    let mut wrong = Vec::new();
    let mut counts = Vec::new();
    for file in ["python", "jena"] {
        let (_folder, place) = store(&[data.as_ref()]);
        let server = serve(&[("lamps", &place)]);
        let lines = golden_file("graph/clients", &format!("{file}.jsonl"));
        let lines = String::from_utf8(lines).unwrap();
        counts.push(lines.lines().count());
        for line in lines.lines() {
            let exchange: Value = serde_json::from_str(line).unwrap();
            if let Err(why) = replay(&server, &exchange) {
                let (client, what) = (&exchange["client"], &exchange["what"]);
                wrong.push(format!("{client} {what}: {why}"));
            }
        }
    }
    assert_eq!((counts, wrong), (vec![49, 24], Vec::new()));
}

/// Requests of YASGUI 4 (yasqe's defaults): a form, and `Accept` by the kind of the query.
#[test]
fn requests_of_yasgui_are_answered() {
    let (_folder, server) = super::empty();
    server.update("INSERT DATA { <http://a/s> <http://a/p> 1 }");
    let form = ("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8");
    let rows = "application/sparql-results+json,*/*;q=0.9";
    let triples = "text/turtle,*/*;q=0.9";
    for (method, accept, query, want) in [
        ("POST", rows, "SELECT+*+WHERE+%7B%0A++%3Fsub+%3Fpred+%3Fobj+.%0A%7D+LIMIT+10", "json"),
        ("GET", rows, "SELECT+*+WHERE+%7B%3Fs+%3Fp+%3Fo%7D", "json"),
        ("POST", rows, "ASK%7B%7D", "json"),
        ("POST", triples, "CONSTRUCT+WHERE+%7B%3Fs+%3Fp+%3Fo%7D", "turtle"),
        ("POST", triples, "DESCRIBE+%3Chttp%3A%2F%2Fa%2Fs%3E", "turtle"),
    ] {
        let text = format!("query={query}");
        let origin = format!("http://{}", server.address());
        let headers = [form, ("Accept", accept), ("Origin", &origin)];
        let answer = match method {
            "GET" => server.send("GET", &format!("/query?{text}"), &headers, b""),
            _ => server.send("POST", "/query", &headers, text.as_bytes()),
        };
        let content_type = answer.header("content-type");
        assert!(answer.status == 200 && content_type.contains(want), "{query}: {answer:?}");
        assert!(read(content_type, &answer.body, "http://a/").is_some());
    }
    let update = server.send("POST", "/update", &[form], b"update=CLEAR+ALL");
    assert_eq!(update.status, 204);
}

fn replay(server: &Server, exchange: &Value) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (request, wanted) = (&exchange["request"], &exchange["answer"]);
    let (method, target, body) =
        (text(&request["method"]), text(&request["target"]), text(&request["body"]));
    let headers: Vec<(String, String)> = request["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect();
    // Java's client asks for HTTP/2 by `Upgrade`: that is passed over.
    let sent: Vec<(&str, &str)> = headers
        .iter()
        .filter(|(name, _)| !name.eq_ignore_ascii_case("connection"))
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let answer = server.send(&method, &target, &sent, body.as_bytes());
    let status = wanted["status"].as_u64().unwrap();
    let also = exchange["also"].as_array().into_iter().flatten();
    if also.filter_map(Value::as_u64).any(|own| own == u64::from(answer.status)) {
        return Ok(());
    }
    if u64::from(answer.status / 100) != status / 100 {
        return Err(format!("{} in place of {status}: {}", answer.status, answer.text()));
    }
    let is_read = method == "GET" || target.starts_with("/query");
    if answer.status / 100 != 2 || !is_read {
        return Ok(());
    }
    let accept = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("accept"));
    if !accept.is_none_or(|(_, accept)| takes(accept, answer.header("content-type"))) {
        return Err(format!("{} for {accept:?}", answer.header("content-type")));
    }
    said(&answer, wanted, (target + &body).contains("DESCRIBE"))
}

/// Whether what an answer says is what was recorded. A DESCRIBE is free to say what it likes.
fn said(answer: &Answer, wanted: &Value, is_description: bool) -> Result<(), String> {
    let got = read(answer.header("content-type"), &answer.body, "http://a/");
    if is_description {
        let is_some = matches!(&got, Some(Content::Graph(triples)) if !triples.is_empty());
        return is_some.then_some(()).ok_or_else(|| format!("{got:?}"));
    }
    let Some(body) = wanted["body"].as_str() else { return Ok(()) };
    let content_type = wanted["headers"]["content-type"].as_str().unwrap_or_default();
    let want = read(content_type, body.as_bytes(), "http://a/");
    match (want, got) {
        (Some(want), Some(got)) => compare(&want, &got),
        (want, got) => Err(format!("{want:?} wanted, {got:?} got")),
    }
}

fn takes(accept: &str, content_type: &str) -> bool {
    let media = media(content_type);
    accept.split(',').any(|range| {
        let range = range.split(';').next().unwrap_or_default().trim();
        let prefix = range.strip_suffix('*').filter(|range| range.ends_with('/'));
        range == "*/*" || range == media || prefix.is_some_and(|own| media.starts_with(own))
    })
}
