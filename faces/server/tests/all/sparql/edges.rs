//! What a request may get wrong, and what an answer is when it can't be whole.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use manicule_server::{Limits, Options, Writes};

use super::super::support::{Answer, Server, options, parse, with};
use super::{QUERY, UPDATE, empty, store};

/// A query in a URL.
fn asked(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("/query?query={}", encoded.collect::<String>())
}

/// Status, media type and text.
fn check(answer: &Answer, status: u16, begins: &str) {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert!(answer.text().starts_with(begins), "{} in place of {begins}", answer.text());
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    assert!(answer.text().ends_with('\n'));
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let (_folder, server) = empty();
    let syntax = server.get(&asked("SELECT * {\n ?s ?p }"));
    check(&syntax, 400, "not SPARQL 1.2: line 2, column ");
    let update = server.update("INSERT DATA { <a> <b> }");
    check(&update, 400, "not SPARQL 1.2: line 1, column ");
    check(&server.get("/query?query=ASK%7B%7D&query=ASK%7B%7D"), 400, "the parameter query");
    check(&server.get("/store?graph=relative"), 400, "graph: <relative> is no absolute IRI");
    check(&server.get("/store?graph=http://a/none"), 404, "there is no graph <http://a/none>");
    let accept = [("Accept", "image/png")];
    let png = server.send("GET", "/query?query=ASK%7B%7D", &accept, b"");
    check(&png, 406, "Accept: image/png: the answer can be application/sparql-results+json");
    // Whether rows or triples are accepted depends on the query.
    for (accept, query, offers) in [
        ("text/csv", "CONSTRUCT WHERE { ?s ?p ?o }", "text/turtle"),
        ("text/turtle", "ASK {}", "application/sparql-results+json"),
    ] {
        let answer = server.send("GET", &asked(query), &[("Accept", accept)], b"");
        check(&answer, 406, &format!("Accept: {accept}: the answer can be {offers}"));
    }
    let put = server.send("PUT", "/query", &[QUERY], b"ASK {}");
    check(&put, 405, "PUT is not done here");
    assert_eq!(put.header("allow"), "GET, HEAD, POST");
    check(&server.get("/update"), 405, "GET is not done here");
    let plain = server.send("POST", "/query", &[("Content-Type", "text/plain")], b"ASK {}");
    check(&plain, 415, "text/plain is not read here");
    let long = vec![b' '; (16 << 20) + 1];
    check(&server.send("POST", "/update", &[UPDATE], &long), 413, "the body is longer");
    check(
        &server.update("LOAD <file:///etc/hosts>"),
        400,
        "LOAD <file:///etc/hosts>: no documents",
    );
    let service = server.get(&asked("SELECT * { SERVICE <http://a/> { ?s ?p ?o } }"));
    check(&service, 501, "can't be evaluated");
    let using = "/update?using-graph-uri=http://a/g";
    let text = b"WITH <http://a/h> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }";
    check(&server.send("POST", using, &[UPDATE], text), 400, "the call names graphs");
    assert_eq!(server.get("/nothing").status, 404);
}

#[test]
fn an_answer_says_what_it_is() {
    let (_folder, server) = empty();
    let answer = server.get(&asked("ASK {}"));
    assert_eq!(answer.header("content-type"), "application/sparql-results+json");
    assert_eq!((answer.header("vary"), answer.header("content-length")), ("accept", "27"));
    assert_eq!(answer.text(), "{\"head\":{},\"boolean\":true}\n");
    let head = server.send("HEAD", &asked("ASK {}"), &[], b"");
    assert_eq!((head.status, head.header("content-length")), (200, "27"));
    let word = server.get(&(asked("SELECT (1 AS ?x) {}") + "&format=csv"));
    assert_eq!(word.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(word.text(), "x\r\n1\r\n");
    let several = [("Accept", "image/png"), ("Accept", "text/csv;q=0.1")];
    let csv = server.send("GET", &asked("ASK {}"), &several, b"");
    assert_eq!((csv.status, csv.text().as_str()), (200, "true\n"));
    let json = [("Accept", "application/json")];
    let json = server.send("GET", &asked("ASK {}"), &json, b"");
    assert_eq!(json.header("content-type"), "application/json");
    let answer = server.send("GET", "/query/", &[("Accept", "application/n-triples")], b"");
    assert!(answer.text().contains("sparql-service-description#Service"), "{}", answer.text());
    assert!(!answer.text().contains("SPARQL11Update"));
    let both = server.send("GET", "/sparql", &[("Accept", "application/n-triples")], b"");
    assert!(both.text().contains("SPARQL11Update"), "{}", both.text());
}

#[test]
fn relative_iris_are_of_the_url_that_was_asked() {
    let (_folder, server) = empty();
    let query = "SELECT (IRI('x') AS ?x) {}";
    let host = server.address();
    let accept = ("Accept", "text/csv");
    for (target, headers, want) in [
        ("/query", vec![], format!("http://{host}/x")),
        ("/sparql/", vec![], format!("http://{host}/sparql/x")),
        ("/at/lamps/query", vec![], format!("http://{host}/at/lamps/x")),
        ("/query", vec![("X-Forwarded-Proto", "https")], format!("https://{host}/x")),
        ("/query", vec![("Host", "localhost:1")], "http://localhost:1/x".to_owned()),
    ] {
        let headers = [vec![QUERY, accept], headers].concat();
        let answer = server.send("POST", target, &headers, query.as_bytes());
        assert_eq!(answer.text(), format!("x\r\n{want}\r\n"), "{target}");
    }
}

/// 300 triples, of which four patterns that share nothing are more than anybody waits for.
fn many() -> String {
    let triples: String =
        (0..300).map(|at| format!("<http://a/{at}> <http://a/p> {at} . ")).collect();
    format!("INSERT DATA {{ {triples} }}")
}

const ENDLESS: &str = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";

fn hurried(documents: &[&Path], time: Duration, writes: Writes) -> (tempfile::TempDir, Server) {
    let (folder, place) = store(documents);
    let options = options(&[("lamps", &place)]);
    let limits = Limits { time, ..options.limits };
    (folder, with(&Options { limits, writes, ..options }))
}

#[test]
fn an_answer_that_is_broken_off_is_not_whole() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("many.nt");
    let text = "lamp ".repeat(250);
    let lines = (0..20_000).map(|at| format!("<http://a/{at}> <http://a/p> \"{text}{at}\" .\n"));
    std::fs::write(&document, lines.collect::<String>()).unwrap();
    let (_folder, server) = hurried(&[&document], Duration::from_secs(1), Writes::Graphs);
    // The client reads nothing until the time is over.
    let target = asked("SELECT * { ?s ?p ?o }");
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let head = "Host: localhost\r\nConnection: close";
    write!(stream, "GET {target} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let answer = parse(&bytes, false);
    assert_eq!((answer.status, answer.is_whole), (200, false));
    assert!(answer.body.len() > 64 << 10);
    // Nothing was written yet.
    let endless = "ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c = ?f && ?f != ?c) }";
    let counted = server.get(&asked(endless));
    check(&counted, 503, "the call took longer than 1 s");
    assert_eq!(counted.header("retry-after"), "1");
}

#[test]
fn who_leaves_has_the_call_end() {
    let (_folder, server) = hurried(&[], Duration::from_secs(600), Writes::Graphs);
    assert_eq!(server.update(&many()).status, 204);
    let running = || {
        let metrics = server.get("/metrics").text();
        let line = metrics.lines().find(|line| line.starts_with("manicule_calls ")).unwrap();
        line.rsplit(' ').next().unwrap().parse::<u32>().unwrap()
    };
    let until = |wanted: u32| {
        let begun = Instant::now();
        while running() != wanted {
            assert!(begun.elapsed() < Duration::from_secs(20), "{wanted}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let target =
        asked(&ENDLESS.replace("SELECT *", "SELECT (COUNT(DISTINCT CONCAT(?c, ?f, ?i)) AS ?n)"));
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(stream, "GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target.replace(' ', "+")).unwrap();
    until(1);
    drop(stream);
    until(0);
}

#[test]
fn a_store_that_is_read_only_is_asked_and_not_changed() {
    let (folder, server) = hurried(&[], Duration::from_secs(60), Writes::Refused);
    let begins = "this server changes nothing";
    check(&server.update("CLEAR ALL"), 403, begins);
    check(&server.send("DELETE", "/store?default", &[], b""), 403, begins);
    let turtle = [("Content-Type", "text/turtle")];
    check(&server.send("PUT", "/store?default", &turtle, b""), 403, begins);
    let described = server.send("GET", "/sparql", &[("Accept", "application/n-triples")], b"");
    assert!(!described.text().contains("SPARQL11Update"), "{}", described.text());
    // Others write it meanwhile, and what they do is seen.
    use manicule::graph::{UpdateCall, Writer, Writing};
    let watch = manicule::watch::Watch::none();
    let writer = Writer::open(&folder.path().join("store"), Writing::PLAIN, &watch).unwrap();
    let call = UpdateCall::new("INSERT DATA { <http://a/s> <http://a/p> 1 }".to_owned());
    writer.update(&call, &watch).unwrap();
    let begun = Instant::now();
    while server.csv("SELECT ?o { ?s ?p ?o }") != "o\n1\n" {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
}
