//! The kind `weight`: what a first build takes, from an empty folder, beside ripgrep's own, and
//! which crates take it.
//!
//! Cargo calls this program in front of each rustc (`RUSTC_WRAPPER`), so that the time of each is
//! known.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use lexopt::ValueExt as _;

use crate::files::remove;
use crate::findings::Findings;
use crate::kind::{Common, Kind, Run};
use crate::measure::{self, CPU, Lane, PEAK, Pairing, Task, WALL, ratio};
use crate::sys::{self, Patience};
use crate::table::{self, Table, Target};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "weight",
    help: "a first build from nothing, beside ripgrep's, by crates",
    usage: "usage: manicule-bench weight [OPTIONS]

  --turns N           builds of each (default: 3)
  --no-peers          ours alone
  --save              writes proof/runs/DATE-weight/

Builds what `cargo run --release -- find` builds, each time into an empty folder, and ripgrep 15.2.0 with PCRE2 as `cargo install`
builds it. What cargo downloads has to be there already: `cargo fetch`, and a first turn that is not counted for ripgrep.",
    commands: &[],
    run,
};

/// Variable that makes this program a wrapper of rustc: the file that gets a line for each call.
const UNITS: &str = "MANICULE_BENCH_UNITS";
/// The largest crates that the table has.
const LARGEST: usize = 25;
const OURS: &str = "manicule";
const RIPGREP: &str = "ripgrep 15.2.0";

/// Runs rustc, if cargo calls this program in its place, and notes the call's time. Returns its
/// exit code.
pub(crate) fn as_wrapper() -> Option<Result<i32>> {
    let units = std::env::var_os(UNITS)?;
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    Some(wrapped(Path::new(&units), &words))
}

fn wrapped(units: &Path, words: &[OsString]) -> Result<i32> {
    let (program, rest) = words.split_first().context("cargo names no rustc")?;
    let child = Command::new(program).args(rest).spawn().context("rustc")?;
    let usage = sys::wait(child.id() as i32, Patience::Block)?.context("it has ended")?;
    let name = rest.iter().skip_while(|word| *word != "--crate-name").nth(1);
    if let Some(name) = name {
        let line = format!("{}\t{:.1}\n", name.to_string_lossy(), usage.cpu_ms);
        // One write: calls that end at once don't mix.
        File::options().append(true).create(true).open(units)?.write_all(line.as_bytes())?;
    }
    Ok(usage.exit)
}

fn run(words: Vec<OsString>) -> Result<()> {
    let (mut turns, mut with_peers) = (3, true);
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "turns" => turns = parser.value()?.parse()?,
            "no-peers" => with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    measure_all(&run, turns, with_peers, &mut findings)?;
    run.end_in_cache("weight", "The first build, beside ripgrep's", &[], &findings)
}

fn measure_all(run: &Run, turns: usize, with_peers: bool, findings: &mut Findings) -> Result<()> {
    let (built, units) = (run.scratch().join("built"), run.scratch().join("units"));
    let cargo = Path::new(env!("CARGO"));
    let ours = Task::new(OURS, cargo, &run.repository)
        .args(["build", "--release", "--locked", "--offline", "--quiet", "--bin", "manicule"])
        .env("RUSTC_WRAPPER", std::env::current_exe()?)
        .env(UNITS, &units);
    let peer = Task::new(RIPGREP, cargo, run.scratch())
        .args(["install", "--quiet", "--locked", "--force", "--version", "15.2.0"])
        .args(["--features", "pcre2", "--root"])
        .args([&built, Path::new("ripgrep")]);
    // Ours last: its program is what lies there in the end.
    let tasks = if with_peers { vec![peer, ours] } else { vec![ours] };
    let lane = |task: Task| {
        let mut lane = Lane::from(task.env("CARGO_TARGET_DIR", &built));
        lane.before = Some(Box::new(|| remove(&built)));
        lane
    };
    let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(lane).collect();
    let out = run.scratch().join("answer");
    if with_peers {
        // It downloads what it needs.
        measure::interleave(&mut lanes[..1], 0, 1, &out)?;
    }
    let all = measure::interleave(&mut lanes, 0, turns, &out)?;
    let ours = all.last().context("ours is built")?;
    ensure!(ours.failure.is_none(), "our build: {}", ours.failure.as_deref().unwrap_or_default());
    let bytes = fs::metadata(built.join("release/manicule"))?.len();
    let note = "Medians; two cores build at once; memory is the largest of one process.";
    let head = ["program", "CPU s", "wall s", "peak MiB", "CPU / the first"];
    let mut table = Table::new("A build from nothing", note, &head);
    for series in &all {
        table.row(vec![
            series.name.clone(),
            table::seconds(series.cpu_ms()),
            table::seconds(series.wall_ms()),
            table::ms(series.median(PEAK)),
            table::times(ratio(series, &all[0], Pairing::Medians, CPU)),
        ]);
    }
    findings.tables.push(table);
    findings.tables.push(crates(&units, turns)?);
    if let [peer, ours] = &all[..] {
        let figure = ratio(ours, peer, Pairing::Medians, CPU);
        let target = Target::at_most(4.5, 3.0);
        findings.check("a build from nothing", "CPU, ours / ripgrep's", target, OURS, figure);
    }
    let wall = ours.median(WALL).map(|ms| ms / 1e3);
    findings.check("a build from nothing", "wall s", Target::at_most(300.0, 180.0), OURS, wall);
    let (mb, target) = (bytes as f64 / 1e6, Target::at_most(25.0, 20.0));
    findings.check("a build from nothing", "MB of the program", target, OURS, Some(mb));
    findings.raw.push(("a build from nothing".to_owned(), all));
    Ok(())
}

/// CPU of the calls of rustc, by crates, the largest first. Scripts that build C are not among
/// them.
fn crates(units: &Path, turns: usize) -> Result<Table> {
    let mut by_crate: BTreeMap<String, f64> = BTreeMap::new();
    for line in fs::read_to_string(units)?.lines() {
        let (name, ms) = line.split_once('\t').context("a line of a call")?;
        *by_crate.entry(name.to_owned()).or_default() += ms.parse::<f64>()? / turns as f64;
    }
    let all: f64 = by_crate.values().sum();
    let mut sorted: Vec<(String, f64)> = by_crate.into_iter().collect();
    sorted.sort_by(|left, right| right.1.total_cmp(&left.1));
    let note = format!(
        "CPU of rustc's calls in a build of ours, in the mean: {:.0} s in all, of {} crates.",
        all / 1e3,
        sorted.len()
    );
    let mut table = Table::new("The largest crates", &note, &["crate", "CPU s"]);
    for (name, ms) in sorted.into_iter().take(LARGEST) {
        table.row(vec![name, table::seconds(Some(ms))]);
    }
    Ok(table)
}
