//! A table of messages in and out.

use serde_json::{Value, json};

use crate::support::{Client, limits, service};

/// Sends lines; each answer has these values at these pointers. `None`: it has no answer.
#[track_caller]
fn check(client: &mut Client, line: &str, want: Option<&[(&str, Value)]>) {
    client.put(format!("{line}\n").as_bytes());
    let Some(want) = want else { return };
    let answer = client.next();
    assert_eq!(answer["jsonrpc"], "2.0", "{line}");
    for (pointer, value) in want {
        assert_eq!(answer.pointer(pointer), Some(value), "{line}: {answer}");
    }
}

#[test]
fn a_message_that_is_none_has_an_error_by_its_code() {
    let client = &mut Client::plain();
    for (line, code, id) in [
        ("{", -32700, json!(null)),
        ("nothing", -32700, json!(null)),
        ("1", -32600, json!(null)),
        ("\"x\"", -32600, json!(null)),
        ("[]", -32600, json!(null)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, json!(null)),
        (r#"{"id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"a","method":"no/such"}"#, -32601, json!("a")),
        (r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel"}"#, -32601, json!(2)),
        (r#"{"jsonrpc":"2.0","id":2,"method":"server/discover"}"#, -32601, json!(2)),
        (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call"}"#, -32602, json!(3)),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rm"}}"#,
            -32602,
            json!(3),
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find","arguments":[]}}"#,
            -32602,
            json!(3),
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"x"}}"#,
            -32602,
            json!(4),
        ),
        (r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}"#, -32600, json!(5)),
    ] {
        check(client, line, Some(&[("/error/code", json!(code)), ("/id", id)]));
    }
    // It still answers.
    check(client, r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#, Some(&[("/result", json!({}))]));
}

#[test]
fn what_wants_no_answer_has_none() {
    let client = &mut Client::plain();
    for line in [
        "",
        "   ",
        r#"{"jsonrpc":"2.0","method":"notifications/what"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","id":"roots-1","result":{"roots":[]}}"#,
        r#"{"jsonrpc":"2.0","id":17,"error":{"code":1,"message":"x"}}"#,
    ] {
        check(client, line, None);
    }
    check(client, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Some(&[("/id", json!(1))]));
}

#[test]
fn a_handshake_agrees_on_the_revision_that_is_asked_for_or_the_newest() {
    for (asked, want) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let mut client = Client::new(service(), limits());
        let params = json!({ "protocolVersion": asked, "capabilities": {} });
        let answer = client.ask(json!(0), "initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], want, "{asked}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "manicule");
        let again = client.ask(json!(1), "initialize", json!({ "protocolVersion": asked }));
        assert_eq!(again["error"]["code"], -32600);
    }
    let mut client = Client::new(service(), limits());
    let answer = client.ask(json!(0), "initialize", json!({}));
    assert_eq!(answer["error"]["code"], -32602);
    assert!(client.ask(json!(1), "ping", json!({}))["result"].is_object());
    let early = client.ask(json!(2), "tools/list", json!({}));
    assert_eq!(early["error"]["code"], -32600, "before the handshake");
}

#[test]
fn older_revisions_get_what_they_have() {
    for (revision, has_annotations, has_output) in
        [("2024-11-05", false, false), ("2025-03-26", true, false), ("2025-06-18", true, true)]
    {
        let mut client = Client::agreed(service(), revision, json!({}));
        let listed = client.ask(json!(1), "tools/list", json!({}));
        let tool = &listed["result"]["tools"][0];
        assert_eq!(tool["annotations"].is_object(), has_annotations, "{revision}");
        assert_eq!(tool["outputSchema"].is_object(), has_output, "{revision}");
        let result = client.called("inspect", json!({ "paths": [crate::support::block()] }));
        assert_eq!(result["structuredContent"].is_object(), has_output, "{revision}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("prometheus-block"));
        assert!(result.get("resultType").is_none());
    }
}

#[test]
fn messages_in_a_batch_are_answered_in_one_where_the_revision_has_them() {
    let mut client = Client::agreed(service(), "2025-03-26", json!({}));
    client.send(&json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/what" },
        { "jsonrpc": "2.0", "id": 2, "method": "tools/call",
          "params": { "name": "inspect", "arguments": { "paths": [crate::support::block()] } } },
        { "id": 3 },
    ]));
    let answers = client.next();
    let answers = answers.as_array().expect("a batch");
    let mut ids: Vec<String> = answers.iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["1", "2", "3"]);
    // Of notifications alone nothing is answered.
    client.send(&json!([{ "jsonrpc": "2.0", "method": "notifications/what" }]));
    assert_eq!(client.ask(json!(9), "ping", json!({}))["id"], 9);
}

fn envelope(version: &str, capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

#[test]
fn a_stateless_request_needs_no_handshake() {
    let mut client = Client::new(service(), limits());
    let meta = || json!({ "_meta": envelope("2026-07-28", json!({})) });
    let found = client.ask(json!(1), "server/discover", meta());
    let result = &found["result"];
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert_eq!(
        (&result["resultType"], &result["cacheScope"]),
        (&json!("complete"), &json!("public"))
    );
    assert!(result["ttlMs"].as_u64().unwrap() > 0);
    let listed = client.ask(json!(2), "tools/list", meta());
    assert_eq!(listed["result"]["resultType"], "complete");
    let mut params = meta();
    params["name"] = "inspect".into();
    params["arguments"] = json!({ "paths": [crate::support::block()] });
    let called = client.ask(json!(3), "tools/call", params);
    assert_eq!(called["result"]["resultType"], "complete");
    assert_eq!(called["result"]["structuredContent"]["complete"], true);
    let server = &called["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "manicule");
    for (method, code) in
        [("ping", -32601), ("logging/setLevel", -32601), ("subscriptions/listen", -32601)]
    {
        assert_eq!(client.ask(json!(4), method, meta())["error"]["code"], code, "{method}");
    }
    // Neither the revision of others nor a part of an envelope.
    let other =
        client.ask(json!(5), "tools/list", json!({ "_meta": envelope("2031-01-01", json!({})) }));
    assert_eq!(other["error"]["code"], -32022);
    assert_eq!(other["error"]["data"]["requested"], "2031-01-01");
    assert_eq!(other["error"]["data"]["supported"][0], "2026-07-28");
    let mut half = meta();
    half["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(client.ask(json!(6), "tools/list", half)["error"]["code"], -32602);
    let no_text = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": 7 } });
    assert_eq!(client.ask(json!(7), "tools/list", no_text)["error"]["code"], -32602);
}

#[test]
fn a_stateless_client_with_roots_is_asked_for_them_in_the_result() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one lamp\n").unwrap();
    let mut client = Client::new(service(), limits());
    let params = |more: Value| {
        let mut params = json!({
            "name": "find", "arguments": { "text": "lamp" },
            "_meta": envelope("2026-07-28", json!({ "roots": {} })),
        });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let asked = client.ask(json!(1), "tools/call", params(json!({})));
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["roots"]["method"], "roots/list");
    let uri = format!("file://{}", folder.path().display());
    let given = json!({ "inputResponses": { "roots": { "roots": [{ "uri": uri }] } } });
    let answer = client.ask(json!(2), "tools/call", params(given));
    assert_eq!(answer["result"]["structuredContent"]["files"][0]["path"], "a.txt");
}
