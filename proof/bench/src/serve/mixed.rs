//! Mixed load: readers and writers of one store, readers of blocks and shards beside them, for a
//! long time; then the server is killed, and what it has acknowledged is looked for.

use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Bench;
use super::load::{Client, Request};
use super::servers::{Server, done};
use crate::findings::Findings;
use crate::table::{Table, Target};

/// Number of writers, each of one insert after the other.
const WRITERS: u64 = 4;

/// Number of readers.
const READERS: u64 = 12;

/// Pause of a client between two requests: the load is that of a server in use, not a race.
const PAUSE: Duration = Duration::from_millis(20);

/// How often memory is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Its own memory: pages of files that it maps grow with a store, and are the system's to give
/// to others.
const OWN: &str = "RssAnon";

/// The most memory of the last third of the time, in that of the first: in each of them commits are
/// merged several times, and memory is what waits for that.
const FLAT: Target = Target::at_most(1.2, 1.05);

pub(super) fn mixed(bench: &Bench, findings: &mut Findings) -> Result<()> {
    let folder = bench.scratch.join("mixed");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("one.nt"), "<http://a/0> <http://a/p> \"0\" .\n")?;
    let mut samples = "# TYPE up gauge\n".to_owned();
    for at in 0..1000 {
        let _ = writeln!(samples, "up{{lamp=\"{at}\"}} 1 1700000000");
    }
    fs::write(folder.join("one.om"), samples + "# EOF\n")?;
    done(&bench.manicule, &["graph", "load", "store", "one.nt"], &folder)?;
    done(&bench.manicule, &["series", "build", "-o", "data", "one.om"], &folder)?;
    let tree = bench.repository.join("core").display().to_string();
    done(&bench.manicule, &["code", "index", "-index", "shards", &tree], &folder)?;
    let ready = Request::new("GET", "/healthz", &[], "");
    let server = bench.serve(&folder, &["store", "data", "shards"], &ready)?;
    let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    let asked = AtomicU64::new(0);
    let memory = drive(bench, &server, &acknowledged, &asked)?;
    let address = server.address;
    server.kill()?;
    let again = bench.serve(&folder, &["store"], &ready)?;
    anyhow::ensure!(again.address != address, "the port is another one");
    let lost = lost(&again, &acknowledged)?;
    let written: u64 = acknowledged.iter().map(|count| count.load(Relaxed)).sum();
    let most = |memory: &[f64]| memory.iter().copied().fold(0.0, f64::max);
    let third = memory.len() / 3;
    let (early, late) = (most(&memory[..third]), most(&memory[2 * third..]));
    let head = [
        "minutes",
        "commits",
        "answers",
        "lost after kill -9",
        "MiB in the first third",
        "in the last",
    ];
    let mut table = Table::new("mixed load: 4 writers, 12 readers of three kinds", "", &head);
    table.row(vec![
        format!("{:.1}", bench.mixed.as_secs_f64() / 60.0),
        written.to_string(),
        asked.load(Relaxed).to_string(),
        lost.to_string(),
        format!("{early:.0}"),
        format!("{late:.0}"),
    ]);
    findings.tables.push(table);
    findings.check("mixed load", "memory, late in early", FLAT, "MiB", Some(late / early));
    if lost > 0 {
        findings.different.push(format!("{lost} acknowledged commits are lost"));
    }
    Ok(())
}

/// Has all clients ask, and looks at the memory meanwhile.
fn drive(
    bench: &Bench,
    server: &Server,
    acknowledged: &[AtomicU64],
    asked: &AtomicU64,
) -> Result<Vec<f64>> {
    let until = Instant::now() + bench.mixed;
    let address = server.address;
    thread::scope(|scope| {
        let mut clients = Vec::new();
        for (own, count) in acknowledged.iter().enumerate() {
            clients.push(scope.spawn(move || -> Result<()> {
                let mut client = Client::connect(address)?;
                while Instant::now() < until {
                    let number = count.load(Relaxed);
                    if client.ask(&insert(own, number))?.status / 100 != 2 {
                        bail!("an update failed");
                    }
                    count.store(number + 1, Relaxed);
                    sleep(PAUSE);
                }
                Ok(())
            }));
        }
        for own in 0..READERS {
            clients.push(scope.spawn(move || -> Result<()> {
                let mut client = Client::connect(address)?;
                while Instant::now() < until {
                    let answer = client.ask(&question(own))?;
                    if answer.status != 200 {
                        bail!("a question failed: {}", String::from_utf8_lossy(&answer.body));
                    }
                    asked.fetch_add(1, Relaxed);
                    sleep(PAUSE);
                }
                Ok(())
            }));
        }
        let mut memory = Vec::new();
        while Instant::now() < until {
            memory.push(server.memory_mib(OWN)?);
            sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        for client in clients {
            client.join().expect("a client")?;
        }
        Ok(memory)
    })
}

fn insert(writer: usize, number: u64) -> Request {
    let update =
        format!("INSERT DATA {{ <http://a/{writer}-{number}> <http://a/p> \"{number}\" }}");
    Request::new("POST", "/update", &[("Content-Type", "application/sparql-update")], &update)
}

fn sparql(query: &str) -> Request {
    let headers = [("Content-Type", "application/sparql-query"), ("Accept", "text/csv")];
    Request::new("POST", "/query", &headers, query)
}

fn question(reader: u64) -> Request {
    match reader % 4 {
        0 => sparql("SELECT ?o { <http://a/0> <http://a/p> ?o }"),
        1 => sparql("SELECT (COUNT(*) AS ?n) { ?s <http://a/p> ?o }"),
        2 => Request::new("GET", "/api/v1/label/lamp/values", &[], ""),
        _ => Request::new("POST", "/api/search", &[], "{\"Q\":\"posting\"}"),
    }
}

/// Number of acknowledged commits that a store doesn't have.
fn lost(server: &Server, acknowledged: &[AtomicU64]) -> Result<u64> {
    let mut client = Client::connect(server.address)?;
    let mut lost = 0;
    for (writer, count) in acknowledged.iter().enumerate() {
        let query = format!(
            "SELECT (COUNT(DISTINCT ?s) AS ?n) {{ ?s <http://a/p> ?o \
             FILTER(STRSTARTS(STR(?s), \"http://a/{writer}-\")) }}"
        );
        let body = String::from_utf8(client.ask(&sparql(&query))?.body)?;
        let there: u64 = body.lines().nth(1).context("a row")?.trim().parse()?;
        lost += count.load(Relaxed).saturating_sub(there);
    }
    Ok(lost)
}
