//! Tools for programs over HTTP, as clients of Streamable HTTP ask for them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Answer, Server, serve};

fn block() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proof/golden/series/tiny")
}

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const NEW: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const OLD: (&str, &str) = ("MCP-Protocol-Version", "2025-11-25");

fn post(server: &Server, headers: &[(&str, &str)], body: &Value) -> Answer {
    let json = ("Content-Type", "application/json");
    let headers = [&[json, ACCEPT], headers].concat();
    server.send("POST", "/mcp", &headers, body.to_string().as_bytes())
}

fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn parsed(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn stateless(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message(method, params)
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// A block and a folder of text.
fn served() -> (Server, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one lamp\n").unwrap();
    (serve(&[("metrics", &block()), ("notes", folder.path())]), folder)
}

#[test]
fn a_handshake_and_a_call_without_a_session() {
    let (server, _folder) = served();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    let answer = post(&server, &[], &message("initialize", params));
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.header("mcp-session-id"), "");
    assert_eq!(parsed(&answer)["result"]["protocolVersion"], "2025-11-25");
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answer = post(&server, &[OLD], &note);
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    let answer = parsed(&post(&server, &[OLD], &message("tools/list", json!({}))));
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 8);
    let params = call("series", json!({ "table": "blocks" }));
    let answer = parsed(&post(&server, &[OLD], &message("tools/call", params)));
    let rows = &answer["result"]["structuredContent"]["rows"];
    assert_eq!((&rows[0]["series"], &rows[0]["path"]), (&json!(3), &json!("metrics")));
    for method in ["GET", "DELETE", "PUT"] {
        assert_eq!(server.send(method, "/mcp", &[], b"").status, 405, "{method}");
    }
}

#[test]
fn a_stateless_request_repeats_itself_in_its_headers() {
    let (server, _folder) = served();
    let params = call("find", json!({ "text": "lamp" }));
    let body = stateless("tools/call", params);
    let method = ("Mcp-Method", "tools/call");
    let name = ("Mcp-Name", "find");
    let answer = post(&server, &[NEW, method, name], &body);
    assert_eq!(answer.status, 200);
    let file = &parsed(&answer)["result"]["structuredContent"]["files"][0];
    assert_eq!(file["path"], "notes/a.txt");
    let packed = ("Mcp-Name", "=?base64?ZmluZA==?=");
    assert_eq!(post(&server, &[NEW, method, packed], &body).status, 200);
    for (headers, code) in [
        (&[method, name][..], -32020),
        (&[OLD, method, name], -32020),
        (&[NEW, name], -32020),
        (&[NEW, method], -32020),
        (&[NEW, method, ("Mcp-Name", "verify")], -32020),
        (&[NEW, NEW, method, name], -32020),
    ] {
        let answer = post(&server, headers, &body);
        let found = (answer.status, parsed(&answer)["error"]["code"].clone());
        assert_eq!(found, (400, json!(code)), "{headers:?}");
    }
    let method = ("Mcp-Method", "server/discover");
    let answer = post(&server, &[NEW, method], &stateless("server/discover", json!({})));
    assert_eq!(parsed(&answer)["result"]["supportedVersions"][0], "2026-07-28");
    let answer = post(&server, &[NEW, ("Mcp-Method", "ping")], &stateless("ping", json!({})));
    assert_eq!((answer.status, &parsed(&answer)["error"]["code"]), (404, &json!(-32601)));
    let answer = post(&server, &[NEW], &message("tools/list", json!({})));
    assert_eq!((answer.status, &parsed(&answer)["error"]["code"]), (400, &json!(-32602)));
    let other = ("MCP-Protocol-Version", "2031-01-01");
    let answer = post(&server, &[other], &message("tools/list", json!({})));
    assert_eq!((answer.status, &parsed(&answer)["error"]["code"]), (400, &json!(-32022)));
}

#[test]
fn progress_comes_before_the_answer_as_events() {
    let (server, _folder) = served();
    let mut params = call("verify", json!({ "paths": ["metrics"] }));
    params["_meta"] = json!({ "progressToken": "t" });
    let answer = post(&server, &[OLD], &message("tools/call", params));
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/event-stream"));
    let text = answer.text();
    let events: Vec<Value> = text
        .split("\n\n")
        .filter_map(|event| event.split_once("data: "))
        .map(|(_, data)| serde_json::from_str(data).unwrap())
        .collect();
    let (last, before) = events.split_last().expect("an answer");
    assert_eq!(last["result"]["structuredContent"]["ok"], true);
    assert!(!before.is_empty() && before.iter().all(|own| own["params"]["progressToken"] == "t"));
}

#[test]
fn names_are_all_that_can_be_named_and_seen() {
    let (server, folder) = served();
    let path = folder.path().to_str().unwrap();
    for named in [path, "/etc/passwd", "notes/a.txt", "../notes", ".", "s3://bucket/x"] {
        for (tool, mut arguments) in [
            ("find", json!({ "text": "lamp" })),
            ("inspect", json!({})),
            ("verify", json!({})),
            ("series", json!({ "table": "labels" })),
        ] {
            arguments["paths"] = json!([named]);
            let answer =
                parsed(&post(&server, &[OLD], &message("tools/call", call(tool, arguments))));
            let result = &answer["result"];
            assert_eq!(result["isError"], true, "{tool} {named}: {answer}");
            let text = result["content"][0]["text"].as_str().unwrap();
            assert!(text.ends_with("there are metrics, notes"), "{text}");
        }
    }
    // What is said of a place that has gone has its name.
    fs::remove_dir_all(folder.path()).unwrap();
    for (tool, arguments) in [
        ("find", json!({ "text": "lamp" })),
        ("inspect", json!({ "paths": ["notes", "metrics"] })),
        ("series", json!({ "table": "labels", "paths": ["notes"] })),
        ("rows", json!({ "table": "rows", "paths": ["notes"], "schema": "/etc/passwd" })),
    ] {
        let answer = post(&server, &[OLD], &message("tools/call", call(tool, arguments)));
        let text = answer.text();
        assert!(!text.contains(path) && text.contains("notes") || tool == "rows", "{text}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    let (server, _folder) = served();
    for (body, status) in [
        (&b"{"[..], 400),
        (b"", 400),
        (b"[]", 400),
        (b"\xff\xff", 400),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", 400),
    ] {
        let answer = server.send("POST", "/mcp", &[OLD, ACCEPT], body);
        assert_eq!(answer.status, status, "{body:?}");
        assert!(parsed(&answer)["error"]["code"].is_i64());
    }
    let long = vec![b' '; (1 << 20) + 1];
    assert_eq!(server.send("POST", "/mcp", &[OLD], &long).status, 413);
    // Without the header a revision with batches is meant.
    let body = b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]";
    let answer = server.send("POST", "/mcp", &[ACCEPT], body);
    assert_eq!(parsed(&answer).as_array().unwrap().len(), 2);
    // A page of another site.
    let cross = [OLD, ("Origin", "https://evil.example"), ("Content-Type", "application/json")];
    let answer =
        server.send("POST", "/mcp", &cross, message("ping", json!({})).to_string().as_bytes());
    assert_eq!(answer.status, 403);
}
