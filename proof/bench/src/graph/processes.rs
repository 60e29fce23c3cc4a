//! Rows of a process a commit: what a script, a timer or a hook does, each call of which opens the
//! store, commits and ends.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use manicule_graphs::Shop;

use super::input::{BURST_PRODUCTS, BURSTS};
use super::steps::folder_len;
use super::{Bench, Side, load};
use crate::findings::Findings;
use crate::measure::{self, Task, median};
use crate::table::{Table, Target, tenth, times};

/// Number of commits.
const COMMITS: u32 = 1000;
/// Number of times that a store is asked.
const ASKS: usize = 15;

/// The store after many commits, each of some 2,100 triples and by a process of its own.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let store = bench.copy(Side::Ours)?;
    let all = bench.scratch.join("all-processes.nt");
    fs::copy(&bench.input.shop, &all)?;
    let walls = commits(bench, &store, &all)?;
    let asked = ask(bench, &store)?;
    merge(bench, &store)?;
    let merged = ask(bench, &store)?;
    let (fresh, len) = (fresh_len(bench, &all)?, folder_len(&store));
    fs::remove_file(&all)?;
    let at = |share: f64| Some(walls[((walls.len() - 1) as f64 * share).round() as usize]);
    let title = format!(
        "{COMMITS} commits by a process each, on a shop of {} lines",
        bench.input.line_count
    );
    let note = "A cold ASK is a process too; it is asked when processes that merge have ended, and again after `compact --merge`. Fresh: a load of all.";
    let head =
        ["commit p50 ms", "p99 ms", "max ms", "cold ASK ms", "merged ms", "disk / fresh load"];
    let mut table = Table::new(&title, note, &head);
    let cells = [at(0.5), at(0.99), at(1.0), Some(asked), Some(merged)].map(tenth);
    let share = len as f64 / fresh as f64;
    table.row([cells.to_vec(), vec![times(Some(share))]].concat());
    findings.tables.push(table);
    let ratios = [
        ("p99 / p50 of the commits", at(0.99).zip(at(0.5)).map(|(p99, p50)| p99 / p50), 2.0, 1.5),
        ("cold ASK / of the merged store", Some(asked / merged), 1.5, 1.2),
        ("disk / fresh load", Some(share), 1.3, 1.2),
    ];
    for (measure, figure, least, stretch) in ratios {
        findings.check(
            "a process a commit",
            measure,
            Target::at_most(least, stretch),
            "ours",
            figure,
        );
    }
    Ok(())
}

/// Wall clocks of the commits, sorted, in milliseconds. Their triples are added to a file.
fn commits(bench: &Bench<'_>, store: &Path, all: &Path) -> Result<Vec<f64>> {
    let (maker, request) = (Shop::new(), bench.scratch.join("request.ru"));
    let mut both = File::options().append(true).open(all)?;
    let mut walls = Vec::new();
    for number in BURSTS..BURSTS + COMMITS {
        let first = bench.input.products + number * BURST_PRODUCTS;
        let text = maker.products(first..first + BURST_PRODUCTS);
        both.write_all(text.as_bytes())?;
        fs::write(&request, format!("INSERT DATA {{\n{text}}}"))?;
        let mut command = Command::new(&bench.manicule);
        command.args(["graph", "update", "-q", "-f"]).arg(&request).arg(store);
        // Not by `measure::run`, which would wait for the processes that merge.
        let start = Instant::now();
        let status = command.status()?;
        walls.push(start.elapsed().as_secs_f64() * 1e3);
        ensure!(status.success(), "commit {number} ended with {status}");
    }
    walls.sort_by(f64::total_cmp);
    Ok(walls)
}

/// CPU time of a cold ASK in milliseconds, when nothing that merges runs any more.
fn ask(bench: &Bench<'_>, store: &Path) -> Result<f64> {
    let task = Task::new("ASK", &bench.manicule, bench.scratch);
    let words = ["graph", "query", &store.to_string_lossy(), "ASK { ?s ?p 7 }"].map(str::to_owned);
    let task = task.args(words);
    let out = bench.scratch.join("out");
    measure::run(&task, &out)?;
    let samples = (0..ASKS).map(|_| Ok(measure::run(&task, &out)?.cpu_ms));
    Ok(median(samples.collect::<Result<_>>()?).unwrap_or_default())
}

fn merge(bench: &Bench<'_>, store: &Path) -> Result<()> {
    let task = Task::new("merge", &bench.manicule, bench.scratch);
    let task = task.args(["graph", "compact", "-q", "--merge"]).args([store]);
    measure::run(&task, &bench.scratch.join("out")).map(drop)
}

fn fresh_len(bench: &Bench<'_>, all: &Path) -> Result<u64> {
    let folder = bench.scratch.join("fresh");
    let task = load::task(bench, Side::Ours, all, &folder)?;
    measure::run(&task, &bench.scratch.join("out"))?;
    let len = folder_len(&folder);
    fs::remove_dir_all(&folder)?;
    Ok(len)
}
