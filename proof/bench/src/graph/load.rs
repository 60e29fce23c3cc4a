//! Rows of loading: the shop into an empty store, by our program and by the peers.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::steps::folder_len;
use super::{Bench, Side};
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Pairing, Task, ratio};
use crate::table::{self, Table, Target};

/// The command line that loads a document.
pub(super) fn task(bench: &Bench<'_>, side: Side, data: &Path, store: &Path) -> Result<Task> {
    Ok(match side {
        Side::Ours => Task::new("ours", &bench.manicule, bench.scratch)
            .args(["graph", "load"])
            .args([store, data]),
        Side::Oxigraph => {
            let peer = bench.oxigraph.as_ref().context("Oxigraph isn't here")?;
            let words = ["load".as_ref(), store.as_os_str(), data.as_os_str()];
            peer.task("Oxigraph", bench.scratch, &words)?
        }
    })
}

/// All loads in turns.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let data = bench.input.shop.as_path();
    let mut tasks = Vec::new();
    for side in bench.sides() {
        let store = bench.scratch.join(format!("store-{}", side.name()));
        tasks.push((task(bench, side, data, &store)?, Some(store)));
    }
    if let Some(peer) = &bench.memory {
        let words = ["load-memory".as_ref(), data.as_os_str()];
        tasks.push((peer.task("Oxigraph in memory", bench.scratch, &words)?, None));
    }
    if let Some(peer) = &bench.sparq {
        let words = ["load".as_ref(), data.as_os_str()];
        tasks.push((peer.task("sparq in memory", bench.scratch, &words)?, None));
    }
    let stores: Vec<_> = tasks.iter().map(|(_, store)| store.clone()).collect();
    let lane = |(task, store): (Task, Option<std::path::PathBuf>)| {
        let before = move || -> Result<()> {
            match &store {
                Some(store) if store.exists() => Ok(fs::remove_dir_all(store)?),
                _ => Ok(()),
            }
        };
        Lane { task, before: Some(Box::new(before)) }
    };
    let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(lane).collect();
    let all = measure::interleave(&mut lanes, 0, bench.turn_count, &bench.scratch.join("out"))?;
    let head =
        ["store", "CPU s", "wall s", "peak MiB", "triples a CPU s", "bytes a triple", "CPU / ours"];
    let title = format!("Load of {} lines of N-Triples", bench.input.line_count);
    let note = format!(
        "Medians of {} turns. Whole processes; ours ends when all is synced.",
        bench.turn_count
    );
    let mut table = Table::new(&title, &note, &head);
    let lines = bench.input.line_count as f64;
    for (series, store) in all.iter().zip(&stores) {
        if let Some(failure) = &series.failure {
            findings.left_out(format!("{title}, {}: {failure}", series.name));
        }
        let bytes = store.as_ref().map(|store| folder_len(store) as f64 / lines);
        let rate = series.cpu_ms().map(|ms| format!("{:.0}", lines / (ms / 1e3)));
        table.row(vec![
            series.name.clone(),
            table::seconds(series.cpu_ms()),
            table::seconds(series.wall_ms()),
            table::ms(series.peak_mib()),
            rate.unwrap_or_else(|| "-".to_owned()),
            table::tenth(bytes),
            table::times(ratio(series, &all[0], Pairing::Medians, CPU)),
        ]);
        let over = ratio(series, &all[0], Pairing::Medians, CPU);
        let (what, measure) = ("load", format!("CPU of {} / ours", series.name));
        match series.name.as_str() {
            "ours" => {
                let target = Target::at_most(40.0, 20.0);
                findings.check(what, "bytes on disk a triple", target, "", bytes);
            }
            "Oxigraph" => findings.check(what, &measure, Target::at_least(6.0, 8.0), "", over),
            "sparq in memory" => {
                findings.check(what, &measure, Target::at_least(1.3, 2.0), "", over);
            }
            _ => {}
        }
    }
    findings.raw.push((title, all));
    findings.tables.push(table);
    Ok(())
}
