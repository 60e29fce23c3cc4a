//! Graphs as resources, beyond what W3C's tests ask.

use super::super::support::{Answer, Server};
use super::content::{Content, compare, read};
use super::{TURTLE, empty};

const GRAPH: &str = "/store?graph=http://a/g";

fn put(server: &Server, target: &str, content_type: &str, body: &str) -> Answer {
    server.send("PUT", target, &[("Content-Type", content_type)], body.as_bytes())
}

/// All quads, as sorted lines.
fn quads(server: &Server) -> String {
    let answer = server.send("GET", "/store", &[("Accept", "application/n-quads")], b"");
    assert_eq!(answer.header("content-type"), "application/n-quads");
    let text = answer.text();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

const QUAD: &str = "<http://a/s> <http://a/p> <http://a/o> <http://a/g> .";

#[test]
fn a_graph_comes_and_goes_in_every_syntax() {
    let (_folder, server) = empty();
    let nt = "<http://a/s> <http://a/p> <http://a/o> .";
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:a='http://a/'>\
        <rdf:Description rdf:about='s'><a:p rdf:resource='o'/></rdf:Description></rdf:RDF>";
    for (content_type, body) in [
        ("application/n-triples", nt),
        ("text/turtle", "<s> <p> <o> ."),
        ("application/rdf+xml", xml),
        ("application/ld+json", "{\"@id\": \"s\", \"http://a/p\": {\"@id\": \"o\"}}"),
        ("application/trig", "{ <s> <p> <o> }"),
        ("application/n-quads", nt),
    ] {
        // Its base is the graph's name.
        let answer = put(&server, GRAPH, content_type, body);
        assert_eq!(answer.status, 201, "{content_type}: {}", answer.text());
        assert_eq!(quads(&server), QUAD, "{content_type}");
        let accept = [("Accept", content_type)];
        let got = server.send("GET", GRAPH, &accept, b"");
        assert_eq!((got.status, got.header("vary")), (200, "accept"));
        let said = read(got.header("content-type"), &got.body, "http://a/g").unwrap();
        compare(&read("application/n-triples", nt.as_bytes(), "").unwrap(), &said).unwrap();
        assert_eq!(put(&server, GRAPH, content_type, body).status, 204);
        assert_eq!(server.send("DELETE", GRAPH, &[], b"").status, 204);
        assert_eq!(server.get(GRAPH).status, 404);
        assert_eq!(server.send("DELETE", GRAPH, &[], b"").status, 404);
    }
}

#[test]
fn a_document_that_is_wrong_changes_nothing() {
    let (_folder, server) = empty();
    assert_eq!(put(&server, GRAPH, "text/turtle", "<s> <p> <o> .").status, 201);
    for (content_type, body, status, begins) in [
        ("text/turtle", "<s> <p> 1 .\n<s> <p> .", 400, "the body:2:"),
        (
            "application/trig",
            "<http://a/h> { <s> <p> 1 }",
            400,
            "the body: a statement is of the graph",
        ),
        ("application/n-quads", QUAD, 400, "the body: a statement is of the graph http://a/g"),
        ("text/csv", "a,b", 415, "text/csv is not read here"),
    ] {
        let answer = put(&server, GRAPH, content_type, body);
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(answer.text().starts_with(begins), "{}", answer.text());
    }
    assert_eq!(quads(&server), QUAD);
}

#[test]
fn all_graphs_are_one_document() {
    let (_folder, server) = empty();
    let trig =
        "<http://a/s> <http://a/p> 1 . <http://a/g> { <http://a/s> <http://a/p> <http://a/o> }";
    assert_eq!(put(&server, "/store", "application/trig", trig).status, 204);
    let one = "<http://a/s> <http://a/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .";
    assert_eq!(quads(&server), format!("{one}\n{QUAD}"));
    // Added, by POST; in place of all, by PUT; triples alone are no store.
    let quad = QUAD.replace("/g>", "/h>");
    let nquads = [("Content-Type", "application/n-quads")];
    assert_eq!(server.send("POST", "/store", &nquads, quad.as_bytes()).status, 204);
    assert_eq!(quads(&server), format!("{one}\n{QUAD}\n{quad}"));
    assert_eq!(put(&server, "/store", "application/n-quads", &quad).status, 204);
    assert_eq!(quads(&server), quad);
    assert_eq!(server.csv("SELECT ?g { GRAPH ?g {} }"), "g\nhttp://a/h\n");
    assert_eq!(put(&server, "/store", "text/turtle", "").status, 415);
    assert_eq!(server.send("DELETE", "/store", &[], b"").status, 405);
    assert_eq!(quads(&server), quad);
}

#[test]
fn a_graph_that_is_sent_to_the_store_gets_a_name_below_it() {
    let (_folder, server) = empty();
    for base in ["/store", "/at/lamps/store/"] {
        let answer = server.send("POST", base, &[TURTLE], b"<> <http://a/p> <x> .");
        assert_eq!(answer.status, 201, "{}", answer.text());
        let location = answer.header("location");
        let own = format!("http://{}{}/", server.address(), base.trim_end_matches('/'));
        let name = location.strip_prefix(&own).unwrap();
        assert_eq!(name.len(), 32);
        let target = format!("{}/{name}", base.trim_end_matches('/'));
        let got = server.send("GET", &target, &[("Accept", "application/n-triples")], b"");
        assert_eq!(got.text(), format!("<{location}> <http://a/p> <{own}x> .\n"));
    }
}

#[test]
fn files_of_a_form_are_documents_of_their_own() {
    let (_folder, server) = empty();
    let form = [("Content-Type", "multipart/form-data; boundary=b")];
    let body = "--b\r\nContent-Disposition: form-data; name=f; filename=a.ttl\r\n\r\n_:b <http://a/p> 1 .\r\n\
        --b\r\nContent-Disposition: form-data; name=f; filename=b.nt\r\n\r\n_:b <http://a/p> \"2\" .\r\n--b--";
    assert_eq!(server.send("POST", "/store?default", &form, body.as_bytes()).status, 204);
    // A label is of its document.
    assert_eq!(server.csv("SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }"), "n\n2\n");
}

#[test]
fn an_empty_graph_is_there_until_it_is_dropped() {
    let (_folder, server) = empty();
    assert_eq!(put(&server, GRAPH, "text/turtle", "").status, 201);
    let got = server.send("GET", GRAPH, &[("Accept", "application/n-triples")], b"");
    assert_eq!((got.status, got.text().as_str()), (200, ""));
    let head = server.send("HEAD", GRAPH, &[], b"");
    assert_eq!((head.status, head.header("content-type")), (200, "text/turtle; charset=utf-8"));
    assert_eq!(server.csv("SELECT ?g { GRAPH ?g {} }"), "g\nhttp://a/g\n");
    assert_eq!(server.update("DROP GRAPH <http://a/g>").status, 204);
    assert_eq!(server.send("HEAD", GRAPH, &[], b"").status, 404);
    let Some(Content::Table(names, rows)) = read("text/csv", b"g\r\n", "") else { panic!() };
    assert_eq!((names.as_slice(), rows.len()), (["g".to_owned()].as_slice(), 0));
}
