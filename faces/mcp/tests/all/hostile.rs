//! Input that nobody should send.

use std::time::Duration;

use serde_json::json;

use crate::support::{Client, block};

#[test]
fn deep_nesting_is_no_json() {
    let mut client = Client::plain();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let depth = 200_000;
        client.put((open.repeat(depth) + "1" + &close.repeat(depth) + "\n").as_bytes());
        let code = client.next()["error"]["code"].clone();
        // Of the longer one the length is refused already.
        assert!(code == -32700 || code == -32600, "{code}");
    }
    let nested = "[".repeat(120) + &"]".repeat(120);
    client.put(
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{nested}}}}}"#)
            .as_bytes(),
    );
    client.put(b"\n");
    assert_eq!(client.next()["id"], 1);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_refused_and_not_held() {
    let mut client = Client::plain();
    client.put(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"");
    let part = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| client.put(&part));
    client.put(b"\"}\n");
    let answer = client.next();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(-32600)));
    assert_eq!(client.ask(json!(2), "ping", json!({}))["id"], 2);
}

#[test]
fn bytes_that_are_no_text_are_no_json() {
    let mut client = Client::plain();
    for bytes in [
        &b"\xff\xfe\x00\n"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\x28\",\"method\":\"ping\"}\n",
        b"\0\n",
    ] {
        client.put(bytes);
        assert_eq!(client.next()["error"]["code"], -32700);
    }
    assert_eq!(client.ask(json!(2), "ping", json!({}))["id"], 2);
}

#[test]
fn ids_of_any_size_come_back_as_they_were() {
    let mut client = Client::plain();
    for id in [
        json!(0),
        json!(-7),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("x".repeat(10_000)),
        json!("\u{0}\n\""),
    ] {
        assert_eq!(client.ask(id.clone(), "ping", json!({}))["id"], id);
    }
}

#[test]
fn arguments_of_any_type_are_answered() {
    let mut client = Client::plain();
    let hostile = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!("\u{0}"),
        json!("x".repeat(5000)),
        json!([]),
        json!([[]]),
        json!([null]),
        json!({}),
        json!({ "a": [] }),
    ];
    let listed = client.ask(json!(0), "tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for argument in tool["inputSchema"]["properties"].as_object().unwrap().keys() {
            for value in &hostile {
                let mut arguments = json!({ "paths": [block()] });
                if argument != "table" && tool["inputSchema"]["properties"]["table"].is_object() {
                    let first = &tool["inputSchema"]["properties"]["table"]["enum"][0];
                    arguments["table"] = first.clone();
                }
                if name == "find" && argument != "text" && argument != "pattern" {
                    arguments["text"] = "job".into();
                }
                arguments[argument] = value.clone();
                let result = client.called(name, arguments);
                let text = result["content"][0]["text"].as_str();
                assert!(
                    text.is_some_and(|text| !text.contains("defect")),
                    "{name} {argument} {value}: {result}"
                );
            }
        }
    }
}

#[test]
fn input_that_ends_in_the_middle_of_a_line_is_a_message_still() {
    let mut client = Client::plain();
    client.put(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    client.hears_nothing(Duration::from_millis(50));
    let rest = client.leave();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0]["id"], 1);
}
