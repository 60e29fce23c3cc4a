//! Requests that ask for too much, or are none.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use manicule_server::{Limits, Options};
use manicule_testkit::Rng;

use super::read::{HEADERS, ask, unbase64};
use super::{Golden, text};
use crate::support::{Server, options, serve, with};

fn error(server: &Server, target: &str, form: &str) -> (u16, Value) {
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = server.send("POST", target, &headers, form.as_bytes());
    (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
}

/// A message around another.
fn nested(field: u8, message: &[u8]) -> Vec<u8> {
    let (mut bytes, mut len) = (vec![field << 3 | 2], message.len());
    while len >= 128 {
        bytes.push(len as u8 | 128);
        len >>= 7;
    }
    bytes.push(len as u8);
    bytes.extend_from_slice(message);
    bytes
}

fn packed(message: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(message).unwrap()
}

#[test]
fn a_pattern_of_a_megabyte_is_answered_or_refused() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let begun = Instant::now();
    for pattern in
        ["a".repeat(1 << 20), "a|".repeat(1 << 19), "(".repeat(1 << 20), "(a*)*".repeat(1 << 18)]
    {
        let (status, answer) =
            error(&server, "/api/v1/series", &format!("match[]={{job=~\"{pattern}\"}}"));
        assert!([200, 400, 422].contains(&status), "{status}: {}", text(&answer, "error").len());
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn a_million_matchers_are_refused() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let (status, answer) = error(&server, "/api/v1/series", &"match[]=a&".repeat(1_000_000));
    assert_eq!((status, text(&answer, "errorType")), (400, "bad_data"));
    let one = format!("query={{{}}}", "a=\"b\",".repeat(1_000_000));
    let (status, answer) = error(&server, "/api/v1/query", &one);
    assert_eq!((status, text(&answer, "errorType")), (400, "bad_data"));
    // name: "a"
    let matcher = nested(3, &nested(2, b"a"));
    let query = nested(1, &matcher.repeat(1_000_000));
    let answer = ask(&server, "", &packed(&query));
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(answer.text().contains("label matchers"), "{}", answer.text());
}

#[test]
fn lengths_that_are_promised_are_not_believed() {
    let golden = Golden::unpack();
    let server = golden.serve();
    for body in [
        &b"\xff\xff\xff\xff\x0f"[..],
        b"\xff\xff\xff\xff\x0f\x00a",
        b"\xff\xff\xff\x0f\x00a",
        &packed(&vec![0; 33 << 20]),
        &packed(b"\x0a\xff\xff\xff\xff\x0f"),
        &packed(&[0xff; 1000]),
    ] {
        let answer = ask(&server, "", body);
        assert_eq!(answer.status, 400, "{body:?}: {}", answer.text());
    }
}

#[test]
fn requests_that_were_changed_are_answered_or_refused() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let mut rng = Rng::new(38);
    let reads = golden.lines("read/api.jsonl");
    let bodies: Vec<Vec<u8>> =
        reads.iter().map(|line| unbase64(text(line, "request_base64"))).collect();
    for round in 0..600 {
        let body = rng.choose(&bodies);
        // Within Snappy, or what is packed itself.
        let message = snap::raw::Decoder::new().decompress_vec(body).unwrap_or_default();
        let body = match round % 2 {
            0 => changed(body, &mut rng),
            _ => packed(&changed(&message, &mut rng)),
        };
        let answer = ask(&server, "", &body);
        let is_right = matches!(answer.status, 200 | 400 | 422 | 500);
        let shown = String::from_utf8_lossy(&answer.body);
        assert!(is_right && !shown.contains("a defect"), "{body:?}: {} {shown}", answer.status);
    }
    for line in golden.lines("more/api.jsonl").iter().cycle().take(600) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        for pair in line["params"].as_array().unwrap() {
            form.append_pair(pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
        }
        let form = changed(form.finish().as_bytes(), &mut rng);
        let headers = [("Content-Type", "application/x-www-form-urlencoded")];
        for path in ["query", "query_range", "series", "labels"] {
            let answer = server.send("POST", &format!("/api/v1/{path}"), &headers, &form);
            let shown = String::from_utf8_lossy(&answer.body);
            let is_right = matches!(answer.status, 200 | 400 | 422 | 503);
            assert!(is_right, "{path} {form:?}: {} {shown}", answer.status);
        }
    }
}

/// Bytes with a few that are others, gone or there twice.
fn changed(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        match rng.below(4) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = rng.bits() as u8,
            2 => bytes.truncate(at),
            _ => bytes.insert(at, bytes[at]),
        }
    }
    bytes
}

#[test]
fn an_answer_is_no_larger_than_a_call_may_be() {
    let golden = Golden::unpack();
    let path = golden.blocks.path().join("blocks/api");
    let limits = Limits { call_memory: 1 << 16, ..options(&[]).limits };
    let server = with(&Options { limits, ..options(&[("api", &path)]) });
    // job=~".+", of all times.
    let matcher = [&b"\x08\x02"[..], &nested(2, b"job"), &nested(3, b".+")].concat();
    let times = [&b"\x08\x01\x10"[..], b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"].concat();
    let query = nested(1, &[&times[..], &nested(3, &matcher)].concat());
    let answer = ask(&server, "", &packed(&query));
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("STREAMED_XOR_CHUNKS"), "{}", answer.text());
    // In frames it needs no memory.
    let streamed = [&query[..], b"\x12\x01\x01"].concat();
    let answer = ask(&server, "", &packed(&streamed));
    assert!(answer.status == 200 && answer.is_whole && answer.body.len() > 1 << 12);
}

#[test]
fn a_query_ends_at_its_timeout() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let (status, answer) =
        error(&server, "/api/v1/query", "query=up&time=1700000600&timeout=0.000000001");
    assert_eq!((status, text(&answer, "errorType")), (503, "timeout"), "{answer}");
}

#[test]
fn a_client_that_leaves_ends_its_call() {
    let golden = Golden::unpack();
    let path = golden.blocks.path().join("blocks/k5k");
    let limits = Limits { calls: 1, ..options(&[]).limits };
    let server = with(&Options { limits, ..options(&[("k5k", &path)]) });
    for _ in 0..20 {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let body = "match[]={__name__=~\".%2B\"}";
        let head = format!(
            "POST /api/v1/series HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}",
            server.address(),
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
    }
    // The one permit is free again.
    let begun = Instant::now();
    assert_eq!(server.get("/api/v1/labels").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn paths_and_methods_that_there_are_not() {
    let golden = Golden::unpack();
    let server = golden.serve();
    for (method, target, status) in [
        ("GET", "/api/v1/read", 405),
        ("POST", "/api/v1/label/job/values", 405),
        ("DELETE", "/api/v1/series", 405),
        ("GET", "/api/v1/label/../../../etc/passwd/values", 404),
        ("GET", "/at/nope/api/v1/labels", 404),
        ("POST", "/api/v1/write", 404),
    ] {
        let answer = server.send(method, target, &HEADERS, b"");
        assert_eq!(answer.status, status, "{method} {target}");
    }
    let empty = tempfile::tempdir().unwrap();
    std::fs::write(empty.path().join("a.txt"), "text\n").unwrap();
    assert_eq!(serve(&[("text", empty.path())]).get("/api/v1/labels").status, 404);
}
