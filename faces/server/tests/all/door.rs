//! Who is let in, and what is asked of requests before they are.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use manicule_server::{Limits, Options, Token, start};

use super::support::{options, parse, serve, with};

const SECRET: &str = "0123456789abcdef";

#[test]
fn whether_it_is_there_and_what_it_has_done() {
    let server = serve(&[]);
    let there = server.get("/healthz");
    assert_eq!((there.status, there.text().as_str()), (200, "ok\n"));
    assert_eq!(server.get("/nothing").status, 404);
    let metrics = server.get("/metrics").text();
    let counted = "manicule_requests_total{protocol=\"server\",status=\"2xx\"} 1\n";
    assert!(metrics.contains(counted), "{metrics}");
    assert!(metrics.contains("manicule_requests_total{protocol=\"server\",status=\"4xx\"} 1\n"));
    let count = "manicule_request_duration_seconds_count{protocol=\"server\"} 2\n";
    assert!(metrics.contains(count), "{metrics}");
    assert!(metrics.contains("manicule_connections 1\n"), "{metrics}");
}

#[test]
fn a_name_bound_to_loopback_later_is_refused() {
    let server = serve(&[]);
    for (host, wanted) in [("localhost", 200), ("evil.example", 421), ("evil.example:80", 421)] {
        assert_eq!(server.send("GET", "/healthz", &[("Host", host)], b"").status, wanted, "{host}");
    }
    let own = Options { hosts: vec!["lamp.example".to_owned()], ..options(&[]) };
    assert_eq!(with(&own).send("GET", "/healthz", &[("Host", "lamp.example")], b"").status, 200);
}

#[test]
fn pages_of_other_sites_are_refused_unless_they_are_named() {
    let origin = "https://yasgui.example";
    let named = Options { origins: vec![origin.to_owned()], ..options(&[]) };
    let post =
        |options: &Options| with(options).send("POST", "/healthz", &[("Origin", origin)], b"");
    let refused = post(&options(&[]));
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, ""));
    let allowed = post(&named);
    // The route takes no POST: it was let in.
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (405, origin));
    let asked = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type"),
    ];
    let preflight = with(&named).send("OPTIONS", "/query", &asked, b"");
    assert_eq!(preflight.header("access-control-allow-origin"), origin);
}

#[test]
fn a_token_is_asked_for_and_guessing_takes_time() {
    let token = Some(Token::new(SECRET).unwrap());
    let server = with(&Options { token, ..options(&[]) });
    assert_eq!(server.get("/healthz").status, 200);
    let begun = Instant::now();
    let refused = server.get("/metrics");
    assert_eq!(refused.status, 401);
    assert!(refused.header("www-authenticate").starts_with("Basic realm="), "{refused:?}");
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let bearer = format!("Bearer {SECRET}");
    let shown = server.send("GET", "/metrics", &[("Authorization", &bearer)], b"");
    assert_eq!(shown.status, 200);
    // Whoever shows it may use any name: there is nothing to be gained by another one.
    let named = [("Authorization", &*bearer), ("Host", "evil.example")];
    assert_eq!(server.send("GET", "/metrics", &named, b"").status, 200);
}

#[test]
fn an_address_that_others_see_needs_a_token_or_a_certificate() {
    let open = Options { listen: ([0, 0, 0, 0], 0).into(), ..options(&[]) };
    let error = start(&open).unwrap_err().to_string();
    assert!(error.starts_with("0.0.0.0 is seen by others: give a --token-file"), "{error}");
    let token = Some(Token::new(SECRET).unwrap());
    assert!(start(&Options { token, ..open }).is_ok());
}

#[test]
fn heads_without_end_and_without_measure_are_refused() {
    let server = serve(&[]);
    let long = "x".repeat(2 << 20);
    let many: Vec<(String, String)> = (0..200).map(|at| (format!("x-{at}"), "1".into())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (&**name, &**value)).collect();
    for answer in [
        server.send("GET", "/healthz", &[("x-long", &long)], b""),
        server.send("GET", "/healthz", &many, b""),
    ] {
        assert_eq!(answer.status, 431, "{answer:?}");
    }
    let target = format!("/{long}");
    assert!((400..500).contains(&server.get(&target).status));
    // What is no HTTP at all.
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(b"\x16\x03\x01 hello\r\n\r\n").unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert_eq!(parse(&bytes, false).status, 400);
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn connections_over_the_limit_are_refused_until_others_end() {
    let limits = Limits { connections: 4, ..options(&[]).limits };
    let server = with(&Options { limits, ..options(&[]) });
    let held: Vec<TcpStream> = (0..4)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"HTTP/1.1 200");
            stream
        })
        .collect();
    let mut over = TcpStream::connect(server.address()).unwrap();
    let mut bytes = Vec::new();
    over.read_to_end(&mut bytes).unwrap();
    assert_eq!(parse(&bytes, false).status, 503);
    drop(held);
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        if stream.read_to_end(&mut bytes).is_ok() && parse(&bytes, false).status == 200 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "there is no room again");
    }
}
