//! Rows of questions, each side in a process of its own, by turns.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::questions::{Row, SELECTIVE, WHOLE, lines};
use super::{Bench, Side};
use crate::figures::{self, Figures};
use crate::findings::Findings;
use crate::measure::median;
use crate::table::{Table, Target, tenth, times};

/// All sides that answer questions.
const SIDES: [&str; 4] = ["ours", "Oxigraph", "Oxigraph in memory", "sparq in memory"];

/// Rows by side.
type Answers = BTreeMap<&'static str, Vec<Figures>>;

/// All rows.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let mut all = Answers::new();
    let selective: String = SELECTIVE.iter().map(|row| lines(row, bench.input.products)).collect();
    ask(bench, "selective", &selective, bench.turn_count, &mut all, findings)?;
    for row in &WHOLE {
        let text = lines(row, bench.input.products);
        ask(bench, row.name, &text, 1, &mut all, findings)?;
    }
    let head = ["question", "store", "p50 us", "p99 us", "CPU p50 us", "rows", "time / ours"];
    let title = format!("Questions to a shop of {} lines", bench.input.line_count);
    let note = "All sides read their rows to terms; those in Python (Oxigraph on disk, sparq) to its values, which takes some 2 us a row. CPU of \
        the thread of ours and of the crate, of the process in Python. In one process each, after questions that only warm up.";
    let mut table = Table::new(&title, note, &head);
    for row in SELECTIVE.iter().chain(&WHOLE) {
        report(row, &all, &mut table, findings);
    }
    for (side, figures) in &all {
        let series = figures.iter().map(|figures| figures.series(side)).collect();
        findings.raw.push((format!("{title}/{side}"), series));
    }
    findings.tables.push(table);
    Ok(())
}

/// Asks all sides the questions of a file, in turns.
fn ask(
    bench: &Bench<'_>,
    name: &str,
    text: &str,
    turn_count: usize,
    all: &mut Answers,
    findings: &mut Findings,
) -> Result<()> {
    let file = bench.scratch.join("questions");
    fs::write(&file, text)?;
    let mut runs: BTreeMap<&str, Vec<Vec<Figures>>> = BTreeMap::new();
    let mut failed = Vec::new();
    for _ in 0..turn_count {
        for side in SIDES.iter().filter(|side| is_here(bench, side)) {
            if failed.contains(side) {
                continue;
            }
            match asked(bench, side, &file) {
                Ok(figures) => runs.entry(side).or_default().push(figures),
                Err(error) => {
                    findings.left_out(format!("{side}, {name}: {error:#}"));
                    failed.push(side);
                }
            }
        }
    }
    for (side, runs) in runs {
        all.entry(side).or_default().extend(figures::joined(runs));
    }
    Ok(())
}

fn is_here(bench: &Bench<'_>, side: &str) -> bool {
    match side {
        "ours" => true,
        "Oxigraph" => bench.oxigraph.is_some(),
        "Oxigraph in memory" => bench.memory.is_some(),
        _ => bench.sparq.is_some(),
    }
}

fn asked(bench: &Bench<'_>, side: &str, file: &Path) -> Result<Vec<Figures>> {
    let (file, data) = (file.as_os_str(), bench.input.shop.as_os_str());
    let questions = "questions".as_ref();
    match (side, &bench.memory, &bench.sparq) {
        ("ours", ..) => {
            bench.asked(Side::Ours, &[questions, bench.store(Side::Ours)?.as_os_str(), file])
        }
        ("Oxigraph", ..) => {
            let store = bench.store(Side::Oxigraph)?;
            bench.asked(Side::Oxigraph, &[questions, store.as_os_str(), file])
        }
        ("Oxigraph in memory", Some(peer), _) => {
            peer.asked(&["questions-memory".as_ref(), data, file])
        }
        ("sparq in memory", _, Some(peer)) => peer.asked(&[questions, data, file]),
        _ => bail!("it isn't here"),
    }
}

fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = (values.len().checked_sub(1)? as f64 * share).round() as usize;
    values.get(at).copied()
}

/// Adds the rows of a question.
fn report(row: &Row, all: &Answers, table: &mut Table, findings: &mut Findings) {
    let of = |side: &str| {
        let all = all.get(side)?;
        all.iter().find(|figures| figures.row == row.name && !figures.wall_us.is_empty())
    };
    let Some(ours) = of("ours") else { return };
    let own = median(ours.wall_us.clone());
    for side in SIDES {
        let Some(figures) = of(side) else { continue };
        let wall = median(figures.wall_us.clone());
        let share = |over: Option<f64>, under: Option<f64>| Some(over? / under?);
        table.row(vec![
            row.name.to_owned(),
            side.to_owned(),
            tenth(wall),
            tenth(percentile(&figures.wall_us, 0.99)),
            tenth(median(figures.cpu_us.clone())),
            figures.count.to_string(),
            times(share(wall, own)),
        ]);
        // Oxigraph in memory is no store that outlives its process: it is shown, and no target.
        if side == "Oxigraph" {
            let [most, wanted] = row.share;
            let target = Target::at_most(most, wanted);
            findings.check(row.name, "time, ours / Oxigraph", target, "", share(own, wall));
        }
        let is_same =
            figures.count == ours.count && (figures.hash.is_empty() || figures.hash == ours.hash);
        if !is_same {
            let (count, own) = (figures.count, ours.count);
            findings.different.push(format!("{}, {side}: {count} rows, ours {own}", row.name));
        }
    }
}
