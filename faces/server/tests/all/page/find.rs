//! A search, line by line.

use serde_json::Value;

use super::{Golden, quoted};
use crate::support::serve;

fn events(golden: &Golden, query: &str) -> Vec<Value> {
    let answer = golden.server.get(&format!("/ui/find?{query}"));
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/x-ndjson"));
    assert!(answer.is_whole);
    let text = answer.text();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn hits<'e>(events: &'e [Value], place: &str) -> Vec<&'e Value> {
    events.iter().filter(|own| own["type"] == "hit" && own["place"] == place).collect()
}

#[test]
fn everything_is_searched_and_each_hit_says_where_it_is() {
    let golden = Golden::serve();
    let found = events(&golden, "q=a");
    for (place, system) in [
        ("gaps", "series"),
        ("fleet", "blobs"),
        ("wide", "rows"),
        ("shards", "code"),
        ("small", "text"),
    ] {
        let own = hits(&found, place);
        assert!(!own.is_empty(), "{place}");
        assert!(own.iter().all(|hit| hit["system"] == system), "{place}");
        // What is marked is what was asked for.
        for hit in own {
            let units: Vec<u16> = hit["text"].as_str().unwrap().encode_utf16().collect();
            for mark in hit["matches"].as_array().unwrap() {
                let at = |end: usize| mark[end].as_u64().unwrap() as usize;
                assert_eq!(String::from_utf16(&units[at(0)..at(1)]).unwrap(), "a", "{hit}");
            }
        }
    }
    let end = found.last().unwrap();
    let count = found.iter().filter(|own| own["type"] == "hit").count();
    assert_eq!((&end["type"], &end["hits"]), (&Value::from("end"), &Value::from(count)));
    assert_eq!(end["complete"], false, "places with more than the page shows are cut");
    assert!(end["receipt"].as_object().unwrap().values().any(|count| count.as_u64() > Some(0)));
}

#[test]
fn lines_come_with_those_around_them() {
    let golden = Golden::serve();
    let found = events(&golden, "q=package&in=shards&in=small");
    for place in ["shards", "small"] {
        let hit = hits(&found, place)
            .into_iter()
            .find(|hit| hit["path"].as_str().unwrap().ends_with(".go"));
        let hit = hit.expect(place);
        let line = hit["item"]["line_number"].as_u64().unwrap();
        let path = quoted(hit["path"].as_str().unwrap());
        let file = golden.get(&format!("/ui/code/file?place={place}&path={path}&line={line}"));
        let first = file["first_line"].as_u64().unwrap();
        let lines = file["lines"].as_array().unwrap();
        let at = (line - first) as usize;
        assert_eq!(lines[at], hit["text"], "{place}");
        let after = hit["after"].as_array().unwrap();
        assert!(!after.is_empty());
        assert_eq!(after[..], lines[at + 1..at + 1 + after.len()], "{place}");
        let before = hit["before"].as_array().unwrap();
        assert_eq!(before[..], lines[at - before.len()..at], "{place}");
    }
}

#[test]
fn a_text_is_taken_as_it_is_unless_it_is_said_to_be_a_pattern() {
    let golden = Golden::serve();
    let count = |query: &str| hits(&events(&golden, query), "small").len();
    let dots = quoted("p.ckage");
    assert_eq!(count(&format!("in=small&q={dots}")), 0);
    assert!(count(&format!("in=small&fixed=0&q={dots}")) > 0);
    let (one, any) = (count("in=small&q=PACKAGE"), count("in=small&q=PACKAGE&case=any"));
    assert!(any > one, "{any} {one}");
    let (status, _, error) = golden.refused("/ui/find?fixed=0&q=%28");
    assert!(status == 400 && error.contains("regex"), "{error}");
    assert_eq!(golden.refused("/ui/find").2, "the request has no q");
}

#[test]
fn what_can_not_be_searched_is_said_and_the_others_are() {
    let folder = manicule_testkit::golden::golden_repository("drafts");
    let texts = tempfile::tempdir().unwrap();
    std::fs::write(texts.path().join("a.txt"), "etc\n").unwrap();
    let repository = folder.path().join("repo");
    let server = serve(&[("drafts", &repository), ("texts", texts.path())]);
    let text = server.get("/ui/find?q=etc").text();
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [failure, hit, end] = &found[..] else { panic!("{text}") };
    assert_eq!((&failure["type"], &failure["class"]), (&"failure".into(), &"denied".into()));
    assert_eq!(
        (&hit["place"], &hit["path"], &hit["text"]),
        (&"texts".into(), &"a.txt".into(), &"etc".into())
    );
    assert_eq!(end["hits"], 1);
}

#[test]
fn a_search_that_is_streamed_and_compressed_comes_to_its_end() {
    let golden = Golden::serve();
    let headers = [("Accept-Encoding", "gzip")];
    let answer = golden.server.send("GET", "/ui/find?q=a", &headers, b"");
    assert_eq!((answer.status, answer.header("content-encoding")), (200, "gzip"));
    assert_eq!(answer.header("transfer-encoding"), "chunked");
    assert!(answer.is_whole, "the last chunk is there");
}
