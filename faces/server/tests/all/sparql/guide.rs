//! What the guide shows, asked.

use manicule_testkit::Examples;

use super::super::support::serve;
use super::{QUERY, TURTLE, store};

const TOOLS: &str = "@prefix : <http://example.org/> .
:anvil a :Tool ; :name \"anvil\"@en, \"Amboss\"@de ; :weight 50 .
:hammer a :Tool ; :name \"hammer\"@en ; :weight 2 ; :usedWith :anvil .
";

#[test]
fn the_guide_shows_what_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("tools.ttl");
    std::fs::write(&document, TOOLS).unwrap();
    let (_folder, place) = store(&[&document]);
    let server = serve(&[("tools", &place)]);
    let mut page = Examples::of("docs/guide/serve-sparql.md");
    let query =
        "SELECT ?tool ?weight { ?tool <http://example.org/weight> ?weight } ORDER BY DESC(?weight)";
    let asked = server.send("POST", "/query", &[QUERY, ("Accept", "text/csv")], query.as_bytes());
    page.hold("ask", &asked.text().replace("\r\n", "\n"));
    let target = "/store?graph=http://example.org/prices";
    let put = server.send("PUT", target, &[TURTLE], b"<anvil> <price> 120 .");
    assert_eq!(put.status, 201);
    let got = server.send("GET", target, &[("Accept", "application/n-triples")], b"");
    page.hold("graph", &got.text());
}
