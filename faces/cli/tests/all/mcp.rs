//! `manicule mcp`: what the SDKs of Python and TypeScript have sent is sent again, and answered as
//! it was; the lines for clients; the guide's examples. `proof/mcp/run --record` writes the
//! transcripts, `UPDATE=1 cargo test` the guide.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use manicule_testkit::{Examples, golden_file, golden_folder, golden_repository};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long an answer is awaited.
const PATIENCE: Duration = Duration::from_secs(120);

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proof/golden").join(name)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, words: &[&str]) -> Output {
    program(folder).args(words).output().unwrap()
}

/// The folder that `proof/mcp/example` makes: a small example of each kind.
fn example() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    copy(&golden("mcp/src"), &path.join("src"));
    copy(&golden("series/tiny"), &path.join("block"));
    copy(&golden("code/shards/git-ctags"), &path.join("shards"));
    copy(&golden_folder("rows", "me").path().join("me/mixed"), &path.join("me/mixed"));
    copy(&golden_repository("small").path().join("repo"), &path.join("repo"));
    let quads = path.join("shop200.nq");
    fs::write(&quads, golden_file("graph", "shop200.nq")).unwrap();
    let loaded = run(path, &["graph", "load", "--no-merge", "store", "shop200.nq"]);
    assert!(loaded.status.success(), "{loaded:?}");
    fs::remove_file(quads).unwrap();
    folder
}

/// A server of standard input and output.
struct Server {
    child: Child,
    messages: Receiver<Value>,
    /// Messages that came before they were asked for.
    early: Vec<Value>,
}

impl Server {
    fn start(folder: &Path, words: &[&str]) -> Server {
        let mut child = program(folder)
            .arg("mcp")
            .args(words)
            .env("RESTIC_PASSWORD", "manicule-golden")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, messages) = channel();
        let output = child.stdout.take().unwrap();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("each line is a message");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Server { child, messages, early: Vec::new() }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The message with an id.
    fn message(&mut self, id: &Value) -> Value {
        if let Some(at) = self.early.iter().position(|message| message["id"] == *id) {
            return self.early.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            if message["id"] == *id {
                return message;
            }
            self.early.push(message);
        }
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// Sends what a client sent, and compares what a server answered. Of progress there is as much as
/// time has let; a call that was cancelled may have had its answer.
fn replay(transcript: &str) {
    let folder = example();
    let real = folder.path().canonicalize().unwrap();
    let text = String::from_utf8(golden_file("mcp", transcript)).unwrap();
    let text = text.replace("$FOLDER", real.to_str().unwrap());
    let mut server = Server::start(&real, &["--no-index"]);
    let (mut compared, mut progress) = (0, 0);
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        if let Some(message) = entry.get("client") {
            server.send(message);
        } else if entry["server"]["method"] == "notifications/progress" {
            progress += 1;
        } else {
            let want = &entry["server"];
            let answer = server.message(&want["id"]);
            assert_eq!(answer, *want, "{transcript}: {}", want["id"]);
            compared += 1;
        }
    }
    assert!(compared > 25 && progress > 0, "{transcript}: {compared} {progress}");
    server.end();
}

#[test]
fn the_python_sdk_is_answered_as_it_was_without_a_handshake() {
    replay("python-2026-07-28.jsonl");
}

#[test]
fn the_python_sdk_is_answered_as_it_was_after_a_handshake() {
    replay("python-2025-11-25.jsonl");
}

#[test]
fn the_typescript_sdk_is_answered_as_it_was() {
    replay("typescript-2025-11-25.jsonl");
}

fn asked(server: &mut Server, id: u64, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    server.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    server.message(&id.into())["result"].clone()
}

fn greeted(folder: &Path, words: &[&str]) -> Server {
    let mut server = Server::start(folder, words);
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
    server.message(&json!(0));
    server
}

#[test]
fn options_and_paths_bound_what_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    for number in 0..100 {
        let name = format!("src/{number:03}.txt");
        fs::write(folder.path().join(name), "a lamp and more\n").unwrap();
    }
    let mut server = greeted(folder.path(), &["--answer", "1K", "--no-index", "src"]);
    let found = asked(&mut server, 1, "find", json!({ "text": "lamp" }));
    assert!(found["content"][0]["text"].as_str().unwrap().len() <= 1024);
    assert_eq!(found["structuredContent"]["file_count"], 100);
    assert_eq!(found["structuredContent"]["files"][0]["path"], "src/000.txt");
    let found = asked(&mut server, 2, "find", json!({ "text": "lamp", "paths": ["."] }));
    assert_eq!(found["isError"], true, "{found}");
    server.end();

    let none = run(folder.path(), &["mcp", "nowhere"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&none.stderr).contains("nowhere"));
}

#[test]
fn an_index_is_kept_as_find_keeps_it_and_nothing_else_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, cache) = (folder.path().join("tree"), folder.path().join("cache"));
    fs::create_dir(&tree).unwrap();
    (0..50).for_each(|n| fs::write(tree.join(format!("{n}.txt")), "a lamp\n").unwrap());
    let before: Vec<_> = fs::read_dir(&tree).unwrap().map(|entry| entry.unwrap().path()).collect();
    let ask = |words: &[&str]| {
        let mut command = program(&tree);
        command.arg("mcp").args(words).env("MANICULE_CACHE_DIR", &cache);
        command.env_remove("MANICULE_NO_INDEX").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.as_mut().unwrap();
        for (id, method, params) in [
            (0, "initialize", json!({ "protocolVersion": "2025-11-25" })),
            (1, "tools/call", json!({ "name": "find", "arguments": { "text": "lamp" } })),
        ] {
            let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            writeln!(input, "{message}").unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("\\\"file_count\\\":50"));
    };
    ask(&["--no-index"]);
    assert!(!cache.exists(), "nothing is written");
    ask(&[]);
    let after: Vec<_> = fs::read_dir(&tree).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(before, after);
}

#[test]
fn each_client_is_told_how_to_start_it() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let output = run(&real, &["mcp", "install", "--timeout", "5m", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    let own = env!("CARGO_BIN_EXE_manicule");
    let line = format!("claude mcp add manicule -- {own} mcp --timeout 5m {}\n", real.display());
    assert!(text.contains(&line), "{text}");
    for client in ["cursor", "claude-desktop", "vscode", "zed", "windsurf", "gemini"] {
        let output = run(&real, &["mcp", "install", "--client", client, "--no-index", "."]);
        let file: Value = serde_json::from_slice(&output.stdout).unwrap();
        let servers = file.as_object().unwrap().values().next().unwrap();
        assert_eq!(servers["manicule"]["command"], own, "{client}");
        assert_eq!(servers["manicule"]["args"], json!(["mcp", "--no-index", real]), "{client}");
    }
    let output = run(&real, &["mcp", "--client", "cursor"]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&real, &["mcp", "install", "--region", "x"]);
    assert_eq!(output.status.code(), Some(2), "flags that no client would get");
}

#[test]
fn the_guide_shows_what_is_printed() {
    let folder = example();
    let mut page = Examples::of("docs/guide/tools-for-agents.md");
    let output = run(folder.path(), &["mcp", "install", "--client", "codex"]);
    let text = String::from_utf8(output.stdout).unwrap();
    page.hold("install", &text.replace(env!("CARGO_BIN_EXE_manicule"), "/usr/local/bin/manicule"));

    let mut server = greeted(folder.path(), &["--no-index"]);
    server.send(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/list" }));
    let listed = server.message(&json!(9));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let line = |tool: &Value| {
        format!("{:<8} {}\n", tool["name"].as_str().unwrap(), tool["title"].as_str().unwrap())
    };
    page.hold("tools", &tools.iter().map(line).collect::<String>());
    for (id, (name, tool, arguments)) in [
        ("find", "find", json!({ "text": "parse_config", "word": true })),
        ("labels", "series", json!({ "table": "labels", "paths": ["block"], "limit": 2 })),
        ("wrong", "series", json!({ "table": "lables", "paths": ["block"] })),
    ]
    .into_iter()
    .enumerate()
    {
        let result = asked(&mut server, 10 + id as u64, tool, arguments.clone());
        let answer = match result.get("structuredContent") {
            Some(answer) => serde_json::to_string_pretty(answer).unwrap(),
            None => result["content"][0]["text"].as_str().unwrap().to_owned(),
        };
        page.hold(name, &format!("{tool} {arguments}\n\n{answer}\n"));
    }
    server.end();
}
