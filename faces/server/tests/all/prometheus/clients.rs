//! What promtool, prometheus-api-client and Prometheus itself sent to a Prometheus, sent here.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::judge::{Body, Wanted, wrong};
use super::read::{decoded, joined, unbase64};
use super::{Golden, text};
use crate::support::{Answer, Server};

/// Lines that are answered otherwise, and why.
const DIFFERENCES: [(&str, usize, &str); 8] = [
    ("promtool", 8, "PromQL beyond selectors"),
    ("promtool", 19, "PromQL beyond selectors"),
    ("prometheus-api-client", 1, "a page of its own, or none"),
    ("prometheus-api-client", 2, "a page of its own, or none"),
    ("prometheus-api-client", 3, "a page of its own, or none"),
    ("prometheus-api-client", 4, "a page of its own, or none"),
    ("prometheus-api-client", 5, "a page of its own, or none"),
    ("prometheus-api-client", 13, "PromQL beyond selectors"),
];

/// Sends a request as it was sent, but for what is packed.
fn send(server: &Server, line: &Value) -> Answer {
    let request = &line["request"];
    let mut headers = Vec::new();
    for (name, value) in request["headers"].as_object().unwrap() {
        if name != "Accept-Encoding" {
            headers.push((name.as_str(), value.as_str().unwrap()));
        }
    }
    server.send(text(request, "method"), text(request, "target"), &headers, &body(request))
}

fn body(message: &Value) -> Vec<u8> {
    match message["body_base64"].as_str() {
        Some(packed) => unbase64(packed),
        None => text(message, "body").as_bytes().to_vec(),
    }
}

/// What is wrong with the answer to a line.
fn replay(server: &Server, line: &Value) -> Option<String> {
    let (answer, wanted) = (send(server, line), &line["answer"]);
    let header = |name: &str| wanted["headers"][name].as_str().unwrap_or_default();
    let mut bytes = body(wanted);
    if header("content-encoding") == "gzip" && !bytes.is_empty() {
        let mut plain = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
        bytes = plain;
    }
    let (status, media) = (wanted["status"].as_u64().unwrap(), header("content-type"));
    if media.contains("protobuf") {
        let kind = answer.header("content-type").to_owned();
        assert_eq!((u64::from(answer.status), kind.as_str()), (status, media));
        let (got, wanted) = (decoded(&answer.body, media), decoded(&bytes, media));
        return (joined(&got) != joined(&wanted)).then(|| format!("got {got}\nwanted {wanted}"));
    }
    let json: Option<Value> = serde_json::from_slice(&bytes).ok();
    let plain = String::from_utf8_lossy(&bytes);
    let target = text(&line["request"], "target");
    let path = target.split('?').next().unwrap_or_default();
    let body = match &json {
        Some(json) if media.contains("json") => Body::Json(json),
        // Its own numbers.
        _ if path == "/metrics" => Body::Text(""),
        _ => Body::Text(&plain),
    };
    wrong(&answer, path, status, &Wanted { media, body })
}

#[test]
fn what_clients_asked_is_answered_as_prometheus_did() {
    let golden = Golden::unpack();
    let server = golden.serve();
    for (name, count) in
        [("promtool", 20), ("prometheus-api-client", 19), ("prometheus-remote-read", 12)]
    {
        let lines = golden.lines(&format!("clients/{name}.jsonl"));
        assert_eq!(lines.len(), count, "{name}");
        for (place, line) in lines.iter().enumerate() {
            let row = DIFFERENCES.iter().find(|row| (row.0, row.1) == (name, place + 1));
            match (replay(&server, line), row) {
                (None, None) | (Some(_), Some(_)) => {}
                (Some(what), None) => panic!("{name}:{}: {what}", place + 1),
                (None, Some(row)) => panic!("{name}:{}: no difference, as in {row:?}", place + 1),
            }
        }
    }
}
