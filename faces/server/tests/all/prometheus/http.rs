//! The requests of `http.jsonl` and of `more/`, each asked again.

use serde_json::Value;

use super::differences::DIFFERENCES;
use super::judge::{Body, Wanted, wrong};
use super::{BLOCKS, Golden, lines, text};
use crate::support::{Answer, Server};

/// Sends a request as a line has it, below a prefix.
fn send(server: &Server, prefix: &str, line: &Value) -> Answer {
    let pairs = line["params"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut form = form_urlencoded::Serializer::new(String::new());
    for pair in pairs {
        form.append_pair(pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
    }
    let form = form.finish();
    let path: String = text(line, "path").replace(' ', "%20").replace('é', "%C3%A9");
    let mut headers: Vec<(&str, &str)> = Vec::new();
    for (name, value) in line["headers"].as_object().into_iter().flatten() {
        // What is packed is the skeleton's own test.
        if name != "Accept-Encoding" {
            headers.push((name, value.as_str().unwrap()));
        }
    }
    let is_form = text(line, "method") == "POST" && text(line, "where") != "url";
    let target = match (is_form, form.is_empty()) {
        (false, false) => format!("{prefix}{path}?{form}"),
        _ => format!("{prefix}{path}"),
    };
    let body = if is_form { form.as_bytes() } else { b"" };
    if is_form {
        headers.push(("Content-Type", "application/x-www-form-urlencoded"));
    }
    server.send(text(line, "method"), &target, &headers, body)
}

/// What is wrong with the answers to the lines of a file, each with its line.
fn replay(server: &Server, prefix: &str, lines: &[Value]) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let body = match (&line["json"], &line["keys"]) {
            (Value::Null, Value::Array(keys)) => Body::Keys(keys),
            (Value::Null, _) => Body::Text(text(line, "text")),
            (json, _) => Body::Json(json),
        };
        let wanted = Wanted { media: text(line, "content_type"), body };
        let answer = send(server, prefix, line);
        let status = line["status"].as_u64().unwrap();
        if let Some(what) = wrong(&answer, text(line, "path"), status, &wanted) {
            all.push((place + 1, format!("{} {}: {what}", line["path"], line["params"])));
        }
    }
    all
}

/// The answers to a file's lines are those of Prometheus, but where the table says why not: and
/// each row of it is a difference.
fn check(server: &Server, name: &str, prefix: &str, lines: &[Value]) {
    let found = replay(server, prefix, lines);
    let rows = DIFFERENCES.iter().filter(|row| row.0 == name);
    let named: Vec<usize> = rows.map(|row| row.1).collect();
    let unnamed: Vec<_> = found.iter().filter(|(line, _)| !named.contains(line)).collect();
    assert!(unnamed.is_empty(), "{name}: {unnamed:#?}");
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, named, "{name}: a difference that is named is none");
}

#[test]
fn what_prometheus_answers_over_the_same_blocks() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let older = lines(&golden.blocks.path().join("api/http.jsonl"));
    assert_eq!(older.len(), 75);
    check(&server, "http", "", &older);
    let mut count = older.len();
    for (place, name) in BLOCKS.into_iter().enumerate() {
        // The root is the first place's.
        let prefix = if place == 0 { String::new() } else { format!("/at/{name}") };
        let lines = golden.lines(&format!("more/{name}.jsonl"));
        check(&server, name, &prefix, &lines);
        count += lines.len();
    }
    assert_eq!(count, 75 + 209);
}

#[test]
fn promql_beyond_selectors_is_refused_with_who_answers_it() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let answer = server.get("/api/v1/query?query=rate(up%5B5m%5D)&time=1");
    assert_eq!(answer.status, 422);
    let error: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(error["errorType"], "execution");
    let text = error["error"].as_str().unwrap();
    assert!(text.starts_with("1:1: PromQL beyond selectors: function rate: "), "{text}");
    assert!(text.contains("remote_read: [{url: \"http://HOST:PORT/at/api/api/v1/read\"}]"));
}

#[test]
fn numbers_of_a_block_are_those_that_prometheus_has_of_its_head() {
    let golden = Golden::unpack();
    let server = golden.serve();
    let got = server.get("/at/tombstones/api/v1/status/tsdb?limit=2").body;
    let got: Value = serde_json::from_slice(&got).unwrap();
    let data = &got["data"];
    assert_eq!(data["headStats"]["numSeries"], 4);
    assert_eq!(data["headStats"]["numLabelPairs"], 5);
    assert_eq!(data["headStats"]["chunkCount"], 13);
    let top = |key: &str| data[key].to_string();
    assert_eq!(
        top("seriesCountByMetricName"),
        r#"[{"name":"g","value":3},{"name":"irregular","value":1}]"#
    );
    assert_eq!(
        top("labelValueCountByLabelName"),
        r#"[{"name":"s","value":3},{"name":"__name__","value":2}]"#
    );
    // g three times, irregular once; and three values of one byte.
    assert_eq!(
        top("memoryInBytesByLabelName"),
        r#"[{"name":"__name__","value":12},{"name":"s","value":3}]"#
    );
    assert_eq!(data["seriesCountByLabelValuePair"][0]["name"], "__name__=g");
}
