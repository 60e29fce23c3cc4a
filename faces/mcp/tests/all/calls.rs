//! Calls side by side: cancelled, late, watched; roots.

use std::fs;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use manicule_mcp::session::serve;
use serde_json::{Value, json};

use crate::support::{Client, SLOW, block, limits, service, store, within};

fn slow(store: &tempfile::TempDir) -> Value {
    json!({ "table": "solutions", "paths": [store.path().join("store")], "query": SLOW })
}

#[test]
fn a_cancelled_call_ends_without_an_answer_and_others_run_meanwhile() {
    let (store, mut client) = (store(), Client::plain());
    client.call(json!(1), "graph", slow(&store));
    let inspected = client.found("inspect", json!({ "paths": [block()] }));
    assert_eq!(inspected["complete"], true, "while the other runs");
    client.tell("notifications/cancelled", json!({ "requestId": 1, "reason": "enough" }));
    client.hears_nothing(Duration::from_millis(300));
    // Its id is free when it has ended, long before the query would have.
    let begun = Instant::now();
    loop {
        client.call(json!(1), "inspect", json!({ "paths": [block()] }));
        let answer = client.next();
        if answer["id"] == 1 {
            break;
        }
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(client.leave().is_empty());
}

#[test]
fn an_id_that_still_runs_is_refused() {
    let (store, mut client) = (store(), Client::plain());
    client.call(json!("a"), "graph", slow(&store));
    client.call(json!("a"), "inspect", json!({ "paths": [block()] }));
    let answer = client.next();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(-32600)));
    client.tell("notifications/cancelled", json!({ "requestId": "a" }));
}

#[test]
fn a_call_that_takes_too_long_says_so() {
    let store = store();
    let mut bounds = limits();
    bounds.timeout = Duration::from_millis(200);
    let mut client = Client::new(service(), bounds);
    client.ask(json!(0), "initialize", json!({ "protocolVersion": "2025-11-25" }));
    let said = client.refused("graph", slow(&store));
    assert!(said.contains("longer than calls may"), "{said}");
}

#[test]
fn no_more_calls_run_than_may() {
    let store = store();
    let mut bounds = limits();
    bounds.calls_max = 2;
    let mut client = Client::new(service(), bounds);
    client.ask(json!(0), "initialize", json!({ "protocolVersion": "2025-11-25" }));
    client.call(json!(1), "graph", slow(&store));
    client.call(json!(2), "graph", slow(&store));
    let said = client.refused("inspect", json!({ "paths": [block()] }));
    assert!(said.contains("2 calls run already"), "{said}");
    for id in [1, 2] {
        client.tell("notifications/cancelled", json!({ "requestId": id }));
    }
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_call_gets_its_answer() {
    let mut client = Client::plain();
    client.call(json!(1), "verify", json!({ "paths": [block()] }));
    client.call(json!(2), "inspect", json!({ "paths": [block()] }));
    let mut ids: Vec<Value> = client.leave().iter().map(|answer| answer["id"].clone()).collect();
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, [json!(1), json!(2)]);
}

#[test]
fn progress_is_told_by_the_token_and_rises() {
    let mut client = Client::plain();
    for token in [json!("t"), json!(7)] {
        let params = json!({
            "name": "verify", "arguments": { "paths": [block(), block()] },
            "_meta": { "progressToken": token },
        });
        client.begin(json!(1), "tools/call", params);
        let mut said = Vec::new();
        loop {
            let message = client.next();
            if message["id"] == 1 {
                break;
            }
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], token);
            said.push(message["params"]["progress"].as_f64().unwrap());
        }
        assert!(!said.is_empty() && said.is_sorted_by(|one, other| one < other), "{said:?}");
    }
    // Without a token nothing is told.
    client.found("verify", json!({ "paths": [block()] }));
}

#[test]
fn a_client_with_roots_is_asked_for_them_and_calls_stay_within() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("out side"));
    for place in [&inside, &outside] {
        fs::create_dir(place).unwrap();
        fs::write(place.join("a.txt"), format!("a lamp in {}\n", place.display())).unwrap();
    }
    let uri = |path: &std::path::Path| format!("file://{}", path.display()).replace(' ', "%20");
    let mut client =
        Client::agreed(service(), "2025-06-18", json!({ "roots": { "listChanged": true } }));
    let asked = client.next();
    assert_eq!((&asked["method"], &asked["id"]), (&json!("roots/list"), &json!("roots-1")));
    // A call waits for the answer.
    client.call(json!(1), "find", json!({ "text": "lamp" }));
    client.hears_nothing(Duration::from_millis(100));
    let roots = |path| json!({ "roots": [{ "uri": uri(path), "name": "x" }] });
    client.send(&json!({ "jsonrpc": "2.0", "id": "roots-1", "result": roots(&inside) }));
    let answer = client.next();
    let files = &answer["result"]["structuredContent"]["files"];
    assert_eq!((files[0]["path"].as_str(), files[1].is_null()), (Some("a.txt"), true), "{answer}");
    for path in ["..", "../out side/a.txt", "/", outside.to_str().unwrap()] {
        let said = client.refused("find", json!({ "text": "lamp", "paths": [path] }));
        assert!(said.contains("outside of the client's roots"), "{said}");
        let said = client.refused("inspect", json!({ "paths": [path] }));
        assert!(said.contains("outside of the client's roots"), "{said}");
    }
    // They change.
    client.tell("notifications/roots/list_changed", json!({}));
    let asked = client.next();
    assert_eq!(asked["id"], "roots-2");
    client.send(&json!({ "jsonrpc": "2.0", "id": "roots-1", "result": roots(&inside) }));
    client.send(&json!({ "jsonrpc": "2.0", "id": "roots-2", "result": roots(&outside) }));
    let found = client.found("find", json!({ "text": "lamp" }));
    assert!(found["files"][0]["lines"][0]["text"].as_str().unwrap().ends_with("out side"));
    // A client that can't say them after all has none.
    client.tell("notifications/roots/list_changed", json!({}));
    client.next();
    client.send(
        &json!({ "jsonrpc": "2.0", "id": "roots-3", "error": { "code": -1, "message": "" } }),
    );
    client.refused("find", json!({ "text": "lamp" }));
}

#[test]
fn given_places_confine_all_calls() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "a lamp\n").unwrap();
    let mut client =
        Client::agreed(within(vec![folder.path().to_owned()]), "2025-11-25", json!({}));
    assert_eq!(client.found("find", json!({ "text": "lamp" }))["file_count"], 1);
    let said = client.refused("find", json!({ "text": "lamp", "paths": ["/etc"] }));
    assert!(said.contains("outside of the places"), "{said}");
    let table = json!({ "table": "rows", "paths": [folder.path()], "schema": "/etc/passwd" });
    let said = client.refused("rows", table);
    assert!(said.contains("outside of the places"), "{said}");
}

/// What is written, slowly.
#[derive(Clone, Default)]
struct Slow(Arc<Mutex<Vec<u8>>>);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        thread::sleep(Duration::from_millis(100));
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_conversation_ends_when_its_answers_are_out() {
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "protocolVersion": "2025-11-25" } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "inspect", "arguments": { "paths": [block()] } } }),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let output = Slow::default();
    serve(Arc::new(service()), limits(), input.as_bytes(), output.clone()).unwrap();
    let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    let ids: Vec<Value> = written
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, [0, 1], "{written}");
    assert!(written.ends_with('\n'), "{written}");
}
