//! Blocks that we built, merged, rewrote and split, opened by the real promtool and the real
//! Prometheus server.
//!
//! Ignored by default: MANICULE_PEERS names a folder with both programs, as
//! `proof/bench/peers/series/build promtool prometheus` leaves one. Run with
//! `cargo test -p manicule-cli --test all series_peer -- --ignored`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use manicule_testkit::{golden_folder, unpacked};
use serde_json::Value;

/// The inputs of the golden blocks.
const INPUTS: [&str; 6] = ["tiny", "mixed", "classic", "gaps", "api", "k5k"];

/// A folder of texts and blocks, and the programs.
struct House {
    folder: tempfile::TempDir,
    peers: PathBuf,
}

impl House {
    fn new() -> House {
        let peers = std::env::var_os("MANICULE_PEERS").expect("MANICULE_PEERS names their folder");
        let golden = golden_folder("series", "golden");
        for name in INPUTS {
            let text = golden.path().join("openmetrics").join(format!("{name}.om"));
            if !text.exists() {
                fs::write(&text, unpacked(&text.with_extension("om.zst"))).expect("a file");
            }
        }
        House { folder: golden, peers: peers.into() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> PathBuf {
        self.path("openmetrics").join(format!("{name}.om"))
    }

    /// Output of a peer.
    #[track_caller]
    fn promtool<S: AsRef<OsStr>>(&self, words: &[S]) -> String {
        output(Command::new(self.peers.join("promtool")).args(words))
    }

    /// Our output.
    #[track_caller]
    fn ours<S: AsRef<OsStr>>(&self, words: &[S]) -> String {
        output(Command::new(env!("CARGO_BIN_EXE_manicule")).arg("series").args(words))
    }

    /// Our blocks of a golden text, in a new folder.
    #[track_caller]
    fn build(&self, name: &str) -> PathBuf {
        let blocks = self.path(&format!("built-{name}"));
        let text = self.text(name);
        self.ours(&[
            "build".as_ref(),
            "--quiet".as_ref(),
            "-o".as_ref(),
            blocks.as_os_str(),
            text.as_os_str(),
        ]);
        blocks
    }

    /// promtool's blocks of a golden text, in a new folder.
    #[track_caller]
    fn build_by_promtool(&self, name: &str) -> PathBuf {
        let blocks = self.path(&format!("peer-{name}"));
        let words = ["tsdb", "create-blocks-from", "openmetrics", "-q"].map(OsStr::new);
        let text = self.text(name);
        self.promtool(&[&words[..], &[text.as_os_str(), blocks.as_os_str()]].concat());
        blocks
    }

    /// All samples of a data folder that a selector selects, as promtool prints them, in one order.
    #[track_caller]
    fn dump(&self, data: &Path, selector: &str) -> BTreeSet<String> {
        // promtool reads a whole data folder: one without a log is none.
        fs::create_dir_all(data.join("wal")).expect("a folder");
        let matched = format!("--match={selector}");
        let words = ["tsdb".as_ref(), "dump".as_ref(), OsStr::new(&matched), data.as_os_str()];
        self.promtool(&words).lines().map(str::to_owned).collect()
    }
}

#[track_caller]
fn output(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// The blocks in a folder.
fn blocks(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut blocks: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    blocks.retain(|path| path.join("index").is_file());
    blocks.sort();
    assert!(!blocks.is_empty(), "no blocks in {}", folder.display());
    blocks
}

fn name(block: &Path) -> &str {
    block.file_name().and_then(OsStr::to_str).expect("the name of a block")
}

const ALL: &str = r#"{__name__=~".+"}"#;

/// promtool lists and analyzes each block of a folder.
#[track_caller]
fn listed_and_analyzed(house: &House, data: &Path) {
    let listed = house.promtool(&["tsdb".as_ref(), "list".as_ref(), data.as_os_str()]);
    for block in blocks(data) {
        assert!(listed.contains(name(&block)), "{} is not in\n{listed}", block.display());
        let words =
            ["tsdb".as_ref(), "analyze".as_ref(), data.as_os_str(), OsStr::new(name(&block))];
        let said = house.promtool(&words);
        assert!(said.contains("Total Series: ") && said.contains(name(&block)), "{said}");
    }
}

/// A Prometheus server on a data folder, until it is dropped.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    #[track_caller]
    fn start(house: &House, data: &Path) -> Server {
        let port = {
            let free = TcpListener::bind("127.0.0.1:0").expect("a port");
            free.local_addr().expect("its number").port()
        };
        let config = house.path("prometheus.yml");
        fs::write(&config, "global: {}\n").expect("a file");
        let mut process = Command::new(house.peers.join("prometheus"))
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .args(["--storage.tsdb.retention.time=100y", "--log.level=warn"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let until = Instant::now() + Duration::from_secs(120);
        while get(port, "/-/ready").is_none_or(|(status, _)| status != 200) {
            let ended = process.try_wait().expect("a process");
            assert!(
                ended.is_none() && Instant::now() < until,
                "the server is not ready: {ended:?}"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        Server { process, port }
    }

    /// The `data` of an answer.
    #[track_caller]
    fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Value {
        let parameters: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        let path = format!("/api/v1/{path}?{}", parameters.join("&"));
        let (status, body) = get(self.port, &path).expect("an answer");
        assert_eq!(status, 200, "{path}: {body}");
        let mut answer: Value = serde_json::from_str(&body).expect("JSON");
        answer["data"].take()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Status and body of an answer; `None` if no server listens.
fn get(port: u16, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

/// A parameter of a request.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// Answers of a server on a data folder: series, labels and samples.
#[track_caller]
fn answers(house: &House, data: &Path, selector: &str) -> Vec<Value> {
    answers_of(house, data, selector, times(data))
}

/// The same for a range of times, first and last.
#[track_caller]
fn answers_of(house: &House, data: &Path, selector: &str, (first, last): (i64, i64)) -> Vec<Value> {
    let server = Server::start(house, data);
    let (start, end) = (seconds(first), seconds(last));
    let span = [("start", start.as_str()), ("end", end.as_str())];
    let matched = |path: &str| {
        let mut data = server.ask(path, &[&[("match[]", selector)][..], &span].concat());
        // Series come in the order of the labels' hash.
        if let Some(list) = data.as_array_mut() {
            list.sort_by_key(Value::to_string);
        }
        data
    };
    let names = matched("labels");
    let mut all = vec![matched("series")];
    for name in names.as_array().expect("a list") {
        let name = name.as_str().expect("a name");
        // A quoted name in a path has a form of its own; these inputs have none.
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            all.push(matched(&format!("label/{name}/values")));
        }
    }
    all.push(names);
    let window = format!("{}s", (last - first) / 1000 + 1);
    // Every sample as it is, and a function of them.
    let raw = format!("{selector}[{window}]");
    let latest = format!("last_over_time({selector}[{window}])");
    for query in [&raw, &latest] {
        let mut vector = server.ask("query", &[("query", query), ("time", &end)]);
        let list = vector["result"].as_array_mut().expect("a vector");
        assert!(!list.is_empty(), "{query} found nothing");
        list.sort_by_key(|one| one["metric"].to_string());
        all.push(vector);
    }
    all
}

/// The first and the last time of the blocks of a folder, in ms.
fn times(data: &Path) -> (i64, i64) {
    let metas = blocks(data).into_iter().map(|block| {
        let text = fs::read(block.join("meta.json")).expect("a meta file");
        serde_json::from_slice::<Value>(&text).expect("JSON")
    });
    let spans = metas.map(|meta| {
        let time = |name: &str| meta[name].as_i64().expect("a time");
        (time("minTime"), time("maxTime"))
    });
    spans.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1))).expect("a block")
}

fn seconds(ms: i64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Blocks copied into a new data folder: a server writes into the folder it is given.
fn copied(house: &House, name: &str, from: &[PathBuf]) -> PathBuf {
    let to = house.path(name);
    for block in from {
        copy(block, &to.join(block.file_name().expect("a name")));
    }
    to
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).expect("a copy");
        return;
    }
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

#[test]
#[ignore = "needs promtool and prometheus in MANICULE_PEERS"]
fn blocks_that_we_built_hold_what_promtools_hold() {
    let house = House::new();
    for name in INPUTS {
        let (ours, peers) = (house.build(name), house.build_by_promtool(name));
        listed_and_analyzed(&house, &ours);
        let (got, want) = (house.dump(&ours, ALL), house.dump(&peers, ALL));
        assert!(!want.is_empty() && got == want, "{name}: samples differ");
        assert_eq!(answers(&house, &ours, ALL), answers(&house, &peers, ALL), "{name}");
    }
}

#[test]
#[ignore = "needs promtool and prometheus in MANICULE_PEERS"]
fn blocks_that_we_merged_hold_what_they_held() {
    let house = House::new();
    for name in ["gaps", "api"] {
        let parts = blocks(&house.build_by_promtool(name));
        assert_eq!(parts.len(), 2, "{name}");
        let merged = house.path(&format!("merged-{name}"));
        let words = ["merge".as_ref(), "-o".as_ref(), merged.as_os_str()];
        let parts: Vec<&OsStr> = parts.iter().map(|part| part.as_os_str()).collect();
        house.ours(&[&words[..], &parts].concat());
        assert_eq!(blocks(&merged).len(), 1, "{name}");
        listed_and_analyzed(&house, &merged);
        let whole = house.path(&format!("peer-{name}"));
        assert_eq!(house.dump(&merged, ALL), house.dump(&whole, ALL), "{name}");
        assert_eq!(answers(&house, &merged, ALL), answers(&house, &whole, ALL), "{name}");
    }
}

#[test]
#[ignore = "needs promtool and prometheus in MANICULE_PEERS"]
fn blocks_that_we_rewrote_hold_what_they_should() {
    let house = House::new();
    let block = &blocks(&house.path("blocks/api"))[0];
    let whole = copied(&house, "api-one", std::slice::from_ref(block));
    let selector = r#"{__name__=~".*_total"}"#;
    let the_others = r#"{__name__=~".+",__name__!~".*_total"}"#;
    let (all, some) = (house.dump(&whole, ALL), house.dump(&whole, selector));
    let others: BTreeSet<String> = all.difference(&some).cloned().collect();
    assert!(!some.is_empty() && !others.is_empty(), "a selector that selects some, and not all");
    for (option, want) in [("--keep", some), ("--drop", others)] {
        let rewritten = house.path(&format!("rewritten{option}"));
        let words = ["rewrite", option, selector, "-o"].map(OsStr::new);
        house.ours(&[&words[..], &[rewritten.as_os_str(), block.as_os_str()]].concat());
        listed_and_analyzed(&house, &rewritten);
        assert_eq!(house.dump(&rewritten, ALL), want, "{option}");
        let selected = if option == "--keep" { selector } else { the_others };
        // Both have the same ends only if they are asked for the same window.
        let span = times(&whole);
        let got = answers_of(&house, &rewritten, selected, span);
        assert_eq!(got, answers_of(&house, &whole, selected, span), "{option}");
    }
}

#[test]
#[ignore = "needs promtool and prometheus in MANICULE_PEERS"]
fn blocks_that_we_split_hold_together_what_the_whole_held() {
    let house = House::new();
    let block = &blocks(&house.path("blocks/k5k"))[0];
    let whole = copied(&house, "k5k-one", std::slice::from_ref(block));
    let ways: [(&str, &[&str]); 2] =
        [("hash", &["--parts", "3"]), ("time", &["--by", "time", "--range", "10m"])];
    for (way, options) in ways {
        let split = house.path(&format!("split-{way}"));
        let words = [&["split"], options, &["-o"]].concat();
        let words: Vec<&OsStr> = words.into_iter().map(OsStr::new).collect();
        house.ours(&[&words[..], &[split.as_os_str(), block.as_os_str()]].concat());
        assert!(blocks(&split).len() > 1, "{way}: one part is not split");
        listed_and_analyzed(&house, &split);
        assert_eq!(house.dump(&split, ALL), house.dump(&whole, ALL), "{way}");
        let span = times(&whole);
        let got = answers_of(&house, &split, ALL, span);
        assert_eq!(got, answers_of(&house, &whole, ALL, span), "{way}");
    }
}

/// Our answers and the server's for the same blocks.
#[test]
#[ignore = "needs promtool and prometheus in MANICULE_PEERS"]
fn what_we_select_is_what_the_server_says() {
    let house = House::new();
    let data = copied(&house, "api-data", &blocks(&house.path("blocks/api")));
    let server = Server::start(&house, &data);
    let (first, last) = times(&data);
    let (start, end) = (seconds(first), seconds(last));
    let asked = [("start", start.as_str()), ("end", end.as_str())];
    for selector in [ALL, r#"{job=~".+",instance!=""}"#, r#"{__name__=~".*_total|up"}"#] {
        let said = server.ask("series", &[&[("match[]", selector)][..], &asked].concat());
        let said: Vec<&Value> = said.as_array().expect("a list").iter().collect();
        let got = house.ours(&[
            "select".as_ref(),
            "--json".as_ref(),
            OsStr::new(selector),
            data.as_os_str(),
        ]);
        let got: Vec<Value> =
            got.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let got = got.iter().map(|series| &series["labels"]).collect();
        assert!(!said.is_empty(), "{selector} selects nothing");
        assert_eq!(in_one_order(got), in_one_order(said), "{selector}");
    }
    let names = server.ask("labels", &asked);
    let names: Vec<&str> =
        names.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let got = house.ours(&["labels".as_ref(), data.as_os_str()]);
    assert_eq!(got.lines().collect::<Vec<_>>(), names);
    for name in names {
        let values = server.ask(&format!("label/{name}/values"), &asked);
        let got = house.ours(&["labels".as_ref(), OsStr::new(name), data.as_os_str()]);
        let values: Vec<&str> =
            values.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!(got.lines().collect::<Vec<_>>(), values, "{name}");
    }
}

fn in_one_order(series: Vec<&Value>) -> BTreeSet<String> {
    series.into_iter().map(Value::to_string).collect()
}
