//! A conversation in the test's process, over pipes.

use std::fs;
use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use manicule::context::{Context, ContextOptions};
use manicule::graph::{LoadCall, Writing, load};
use manicule::watch::Watch;
use manicule_mcp::session::{Limits, serve};
use manicule_mcp::{Options, Places, Service};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a message is awaited that has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A query that takes hours: all triples of three, joined with nothing.
pub(crate) const SLOW: &str =
    "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c != ?f && ?f != ?i) }";

/// The block of the golden files.
pub(crate) fn block() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proof/golden/series/tiny")
}

/// A store of a thousand triples.
pub(crate) fn store() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |n: u32| format!("<x:s{n}> <x:p{}> <x:o{}> .\n", n % 7, n % 91);
    let document = folder.path().join("triples.nt");
    fs::write(&document, (0..1000).map(line).collect::<String>()).unwrap();
    let call = LoadCall::new(vec![document]);
    load(&folder.path().join("store"), Writing::PLAIN, &call, &Watch::none()).unwrap();
    folder
}

/// A service that may read everything.
pub(crate) fn service() -> Service {
    within(Vec::new())
}

/// One that may read these paths.
pub(crate) fn within(within: Vec<PathBuf>) -> Service {
    Service::new(Options {
        places: Places::Local { within },
        answer_len: 16 << 10,
        threads: 2,
        cache: None,
        program: None,
        has_passwords: false,
    })
}

pub(crate) fn limits() -> Limits {
    let context = Context::new(ContextOptions { memory: 256 << 20, ..ContextOptions::NONE });
    Limits { context, timeout: Duration::from_secs(60), calls_max: 8 }
}

/// A client of a conversation.
pub(crate) struct Client {
    to: Option<PipeWriter>,
    from: Receiver<String>,
    server: Option<JoinHandle<std::io::Result<()>>>,
}

impl Client {
    pub(crate) fn new(service: Service, limits: Limits) -> Client {
        let (input, to) = pipe().unwrap();
        let (from, output) = pipe().unwrap();
        let run = move || serve(Arc::new(service), limits, BufReader::new(input), output);
        let server = Some(thread::spawn(run));
        let (sender, received) = channel();
        thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Client { to: Some(to), from: received, server }
    }

    /// One that has agreed on a revision, with these capabilities.
    pub(crate) fn agreed(service: Service, revision: &str, capabilities: Value) -> Client {
        let mut client = Client::new(service, limits());
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({
            "protocolVersion": revision, "capabilities": capabilities, "clientInfo": info,
        });
        let result = client.ask(json!("hello"), "initialize", params);
        assert_eq!(result["result"]["protocolVersion"], revision);
        client.tell("notifications/initialized", json!({}));
        client
    }

    pub(crate) fn plain() -> Client {
        Client::agreed(service(), "2025-11-25", json!({}))
    }

    /// Sends bytes as they are.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.to.as_mut().expect("it is open").write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.put(format!("{message}\n").as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(crate) fn begin(&mut self, id: Value, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Sends a request; the next message, which has to answer it.
    pub(crate) fn ask(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.begin(id.clone(), method, params);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Begins a call of a tool.
    pub(crate) fn call(&mut self, id: Value, tool: &str, arguments: Value) {
        self.begin(id, "tools/call", json!({ "name": tool, "arguments": arguments }));
    }

    /// The result of a call of a tool.
    pub(crate) fn called(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(json!(tool), tool, arguments);
        let answer = self.next();
        assert_eq!(answer["id"], tool, "{answer}");
        answer["result"].clone()
    }

    /// The structured result of a call that succeeds.
    pub(crate) fn found(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.called(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// What a call that fails says.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.called(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(result.get("structuredContent").is_none());
        result["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.from.recv_timeout(PATIENCE).expect("a message");
        serde_json::from_str(&line).unwrap()
    }

    /// That nothing comes for a while.
    pub(crate) fn hears_nothing(&mut self, time: Duration) {
        match self.from.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("{other:?}"),
        }
    }

    /// Closes what it writes to. All that still comes, until the server has ended.
    pub(crate) fn leave(mut self) -> Vec<Value> {
        self.to = None;
        let rest: Vec<Value> =
            self.from.iter().map(|line| serde_json::from_str(&line).unwrap()).collect();
        self.server.take().expect("it runs").join().unwrap().unwrap();
        rest
    }
}
