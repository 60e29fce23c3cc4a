//! What is asked of whom: each question of our server and of the peer's, over the same data.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Bench;
use super::load::{Client, Request, Seen, load};
use super::servers::{Server, done, free_port};
use crate::findings::Findings;
use crate::programs;
use crate::table::{Table, Target, tenth, times};

/// Numbers of clients.
const CLIENTS: [usize; 3] = [1, 8, 64];

/// Number of requests whose answers are compared before.
const COMPARED: usize = 20;

/// Number of subjects of the store, each with three triples.
const SUBJECTS: u32 = 100_000;

/// Number of series of the block.
const SERIES: u32 = 100_000;

/// Requests a CPU second, ours in the peer's.
const PER_CPU: Target = Target::at_least(2.0, 4.0);

/// p99 of ours in the peer's.
const P99: Target = Target::at_most(1.0, 0.5);

/// A question, and what of an answer is compared.
struct Question<'q> {
    title: &'q str,
    requests: Vec<Request>,
    essence: fn(&[u8]) -> Result<Value>,
}

/// Point queries of SPARQL.
pub(crate) fn sparql(bench: &Bench, findings: &mut Findings) -> Result<()> {
    let folder = bench.folder("sparql")?;
    let document = folder.join("lamps.nt");
    fs::write(&document, triples()).context("lamps.nt")?;
    let document = document.display().to_string();
    done(&bench.manicule, &["graph", "load", "ours", &document], &folder)?;
    let question = Question {
        title: "point query of SPARQL, 300,000 triples",
        requests: (0..1000).map(|at| point_query(at * 97 % SUBJECTS)).collect(),
        essence: |body| Ok(serde_json::from_slice::<Value>(body)?["results"]["bindings"].clone()),
    };
    let ready = &question.requests[0];
    let ours = || bench.serve(&folder, &["--read-only", "ours"], ready);
    let peer = programs::built(&bench.repository, "serve", &["oxigraph"])?.join("oxigraph");
    done(&peer, &["load", "--location", "theirs", "--file", &document], &folder)?;
    let theirs = || {
        let port = free_port()?;
        let mut command = Command::new(&peer);
        command.current_dir(&folder).args(["serve-read-only", "--location", "theirs", "--bind"]);
        Server::start(
            {
                command.arg(format!("127.0.0.1:{port}"));
                command
            },
            port,
            ready,
        )
    };
    beside(bench, findings, &question, "Oxigraph", &ours, &theirs)
}

fn triples() -> String {
    let mut text = String::new();
    for at in 0..SUBJECTS {
        let lamp = format!("<http://lamps.example/{at}>");
        let (room, watts) = (at % 977, at % 61);
        let _ =
            writeln!(text, "{lamp} <http://lamps.example/room> <http://lamps.example/r{room}> .");
        let _ = writeln!(text, "{lamp} <http://lamps.example/name> \"lamp {at}\" .");
        let integer = "<http://www.w3.org/2001/XMLSchema#integer>";
        let _ = writeln!(text, "{lamp} <http://lamps.example/watts> \"{watts}\"^^{integer} .");
    }
    text
}

fn point_query(at: u32) -> Request {
    let lamp = format!("<http://lamps.example/{at}>");
    let query = format!("SELECT ?name {{ {lamp} <http://lamps.example/name> ?name }}");
    let headers = [
        ("Content-Type", "application/sparql-query"),
        ("Accept", "application/sparql-results+json"),
    ];
    Request::new("POST", "/query", &headers, &query)
}

/// Values of a label, and samples of a series, of Prometheus' API.
pub(crate) fn prometheus(bench: &Bench, findings: &mut Findings) -> Result<()> {
    let folder = bench.folder("prometheus")?;
    fs::write(folder.join("lamps.om"), samples()).context("lamps.om")?;
    done(&bench.manicule, &["series", "build", "-o", "data", "lamps.om"], &folder)?;
    let peers = programs::built(&bench.repository, "series", &["prometheus"])?;
    fs::write(folder.join("empty.yml"), "global: {}\n").context("empty.yml")?;
    let ready = Request::new("GET", "/api/v1/labels", &[], "");
    let ours = || bench.serve(&folder, &["data"], &ready);
    let theirs = || {
        let port = free_port()?;
        let mut command = Command::new(peers.join("prometheus"));
        command.current_dir(&folder).args([
            "--config.file=empty.yml",
            "--storage.tsdb.path=data",
            "--storage.tsdb.retention.time=100y",
            "--storage.tsdb.no-lockfile",
            &format!("--web.listen-address=127.0.0.1:{port}"),
        ]);
        Server::start(command, port, &ready)
    };
    let data = |body: &[u8]| Ok(serde_json::from_slice::<Value>(body)?["data"].clone());
    let get = |target: String| Request::new("GET", &target, &[], "");
    let values =
        |at: u32| get(format!("/api/v1/label/room/values?match[]=lamp%7Bfloor=%22{at}%22%7D"));
    let range = |at: u32| {
        let selector = format!("lamp%7Bname=%22lamp-{}%22%7D", at * 97 % SERIES);
        let times = "start=1700000000&end=1700006000&step=60";
        get(format!("/api/v1/query_range?query={selector}&{times}"))
    };
    for question in [
        Question {
            title: "values of a label, 100,000 series",
            requests: (0..100).map(values).collect(),
            essence: data,
        },
        Question {
            title: "query_range of one of 100,000 series",
            requests: (0..1000).map(range).collect(),
            essence: data,
        },
    ] {
        beside(bench, findings, &question, "Prometheus", &ours, &theirs)?;
    }
    Ok(())
}

fn samples() -> String {
    let mut text = "# TYPE lamp gauge\n".to_owned();
    for at in 0..SERIES {
        let (floor, room) = (at % 100, at % 977);
        for step in 0..10 {
            let (value, time) = (at % 7 + step, 1_700_000_000 + 600 * step);
            let labels = format!("name=\"lamp-{at}\",floor=\"{floor}\",room=\"{room}\"");
            let _ = writeln!(text, "lamp{{{labels}}} {value} {time}");
        }
    }
    text + "# EOF\n"
}

/// Selective queries of zoekt's API.
pub(crate) fn zoekt(bench: &Bench, findings: &mut Findings) -> Result<()> {
    let folder = bench.folder("zoekt")?;
    sources(&bench.repository, &folder)?;
    done(&bench.manicule, &["code", "index", "-index", "shards", "sources"], &folder)?;
    let Some(peer) = &bench.zoekt else { bail!("zoekt-webserver: no --zoekt PROGRAM was given") };
    let words = ["fingerprint", "promoted index", "posting list", "snapshot set", "tombstone"];
    let search = |word: &&str| {
        let body = format!("{{\"Q\":\"\\\"{word}\\\"\",\"Opts\":{{\"MaxDocDisplayCount\":10}}}}");
        Request::new("POST", "/api/search", &[("Content-Type", "application/json")], &body)
    };
    let question = Question {
        title: "search for a phrase in this repository's sources",
        requests: words.iter().map(search).collect(),
        essence: files_found,
    };
    let ready = &question.requests[0];
    let ours = || bench.serve(&folder, &["shards"], ready);
    let theirs = || {
        let port = free_port()?;
        let mut command = Command::new(peer);
        command.current_dir(&folder).args(["-rpc", "-index", "shards", "-listen"]);
        Server::start(
            {
                command.arg(format!("127.0.0.1:{port}"));
                command
            },
            port,
            ready,
        )
    };
    beside(bench, findings, &question, "zoekt-webserver", &ours, &theirs)
}

/// Puts the sources of the repository's last commit into a folder: what else lies among them, as
/// somebody's build, would change what words are rare.
fn sources(repository: &Path, folder: &Path) -> Result<()> {
    let repository = repository.display().to_string();
    let archive = format!("--output={}", folder.join("sources.tar").display());
    done(Path::new("git"), &["-C", &repository, "archive", &archive, "HEAD"], folder)?;
    fs::create_dir_all(folder.join("sources"))?;
    done(Path::new("tar"), &["-xf", "sources.tar", "-C", "sources"], folder)
}

/// The files that a search has found, in their order.
fn files_found(body: &[u8]) -> Result<Value> {
    let answer: Value = serde_json::from_slice(body)?;
    let result = answer["Result"].as_object().context("no Result")?;
    // Of nothing it is null.
    let files = result.get("Files").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    Ok(files.iter().map(|file| file["FileName"].clone()).collect())
}

/// Compares answers, then measures both with each number of clients.
fn beside(
    bench: &Bench,
    findings: &mut Findings,
    question: &Question<'_>,
    peer: &str,
    ours: &dyn Fn() -> Result<Server>,
    theirs: &dyn Fn() -> Result<Server>,
) -> Result<()> {
    let Question { title, requests, essence } = question;
    {
        let (one, two) = (ours()?, theirs()?);
        let (mut one, mut two) = (Client::connect(one.address)?, Client::connect(two.address)?);
        for request in requests.iter().take(COMPARED) {
            let (own, other) = (one.ask(request)?, two.ask(request)?);
            if essence(&own.body)? != essence(&other.body)? {
                findings.different.push(format!("{title}: an answer differs from {peer}'s"));
                break;
            }
        }
    }
    let head = [
        "clients",
        "requests/s",
        peer,
        "requests/CPU s",
        peer,
        "times",
        "p50, p99 ms",
        peer,
        "peak MiB",
        peer,
    ];
    let mut table = Table::new(*title, "", &head);
    for clients in CLIENTS {
        let own = measured(bench, requests, clients, ours)?;
        let other = measured(bench, requests, clients, theirs)?;
        let ratio = own.per_cpu() / other.per_cpu();
        let p99 = own.seen.quantile_ms(0.99).zip(other.seen.quantile_ms(0.99));
        table.row(vec![
            clients.to_string(),
            own.per_second(),
            other.per_second(),
            format!("{:.0}", own.per_cpu()),
            format!("{:.0}", other.per_cpu()),
            times(Some(ratio)),
            own.quantiles(),
            other.quantiles(),
            format!("{:.0}", own.peak_mib),
            format!("{:.0}", other.peak_mib),
        ]);
        let label = format!("{clients} clients");
        findings.check(title, "requests a CPU second", PER_CPU, &label, Some(ratio));
        findings.check(title, "p99", P99, &label, p99.map(|(own, other)| own / other));
    }
    findings.tables.push(table);
    Ok(())
}

struct Measured {
    seen: Seen,
    cpu: f64,
    peak_mib: f64,
}

impl Measured {
    fn per_cpu(&self) -> f64 {
        self.seen.count() as f64 / self.cpu
    }

    fn per_second(&self) -> String {
        format!("{:.0}", self.seen.count() as f64 / self.seen.wall.as_secs_f64())
    }

    fn quantiles(&self) -> String {
        let of = |part| tenth_or_hundredth(self.seen.quantile_ms(part));
        format!("{}, {}", of(0.5), of(0.99))
    }
}

/// Times below a millisecond need more digits.
fn tenth_or_hundredth(value: Option<f64>) -> String {
    if value.is_some_and(|value| value < 1.0) { times(value) } else { tenth(value) }
}

fn measured(
    bench: &Bench,
    requests: &[Request],
    clients: usize,
    start: &dyn Fn() -> Result<Server>,
) -> Result<Measured> {
    let server = start()?;
    // What is read once is read before.
    load(server.address, requests, clients, Duration::from_millis(500))?;
    let before = server.cpu_seconds()?;
    let seen = load(server.address, requests, clients, bench.time)?;
    let cpu = server.cpu_seconds()? - before;
    if cpu <= 0.0 {
        bail!("the server took no time");
    }
    Ok(Measured { seen, cpu, peak_mib: server.memory_mib("VmHWM")? })
}

impl Bench {
    /// A folder of a group, empty.
    fn folder(&self, name: &str) -> Result<std::path::PathBuf> {
        let folder = self.scratch.join(name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// Our server, of a folder's places.
    pub(super) fn serve(&self, folder: &Path, words: &[&str], ready: &Request) -> Result<Server> {
        let port = free_port()?;
        let mut command = Command::new(&self.server);
        command.current_dir(folder).args(["--listen", &port.to_string()]).args(words);
        Server::start(command, port, ready)
    }
}
