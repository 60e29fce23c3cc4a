//! The page of all figures, docs/figures.md, and the bars of README.md, docs/bars.svg: made of the
//! runs in proof/runs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::kind::Kind;
use crate::machine::{self, Machine};
use crate::measure::median;
use crate::table::{Check, Sense, verdicts_table};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "figures",
    help: "docs/figures.md and docs/bars.svg, of proof/runs",
    usage: "usage: manicule-bench figures",
    commands: &[],
    run,
};

/// A run that was kept.
#[derive(Deserialize)]
struct Run {
    #[serde(skip)]
    name: String,
    machine: Machine,
    findings: Judged,
}

/// What the page takes of a run's findings.
#[derive(Deserialize)]
struct Judged {
    checks: Vec<Check>,
}

/// A kind of run, as folders of proof/runs are named, and its heading.
const HEADINGS: [(&str, &str); 11] = [
    ("find", "Source trees, beside ripgrep, glep and codesearch"),
    ("code", "zoekt's shards, beside zoekt and ripgrep"),
    ("series", "Prometheus blocks, beside Prometheus and promtool"),
    ("rows", "SSTables, beside Cassandra and cqlite"),
    ("graph", "RDF stores, beside Oxigraph, maplib, sparq and Virtuoso"),
    ("buckets", "Questions at addresses, beside restic, Thanos's tools and a copy"),
    ("serve", "The server, beside oxigraph serve, Prometheus and zoekt-webserver"),
    ("tables", "Tables in Python and SQL, beside dumps and DuckDB"),
    ("blobs", "restic repositories, beside restic and rustic"),
    ("weight", "The first build, beside ripgrep's"),
    ("before", "The program beside an earlier commit"),
];

/// A bar: its kind, the check it is of, and what it says.
const BARS: [(&str, &str, &str, &str); 6] = [
    (
        "find",
        "k8s-full, selective",
        "wall of rg / ours",
        "find a rare word, Kubernetes' source · ripgrep",
    ),
    ("code", "k8s-full, build", "CPU of zoekt / ours", "make its shards · zoekt-index"),
    ("series", "analyze", "CPU ours / promtool's", "analyze 1.2 million series · promtool"),
    (
        "rows",
        "merge of four, 1 M rows of 200 B each",
        "CPU of compaction 4.1.7 / ours",
        "merge four SSTables · Cassandra 4.1",
    ),
    ("graph", "load", "CPU of Oxigraph / ours", "load a million triples · Oxigraph on disk"),
    ("blobs", "check", "CPU of restic 0.19.1 / ours", "check a repository · restic"),
];

fn run(words: Vec<OsString>) -> Result<()> {
    ensure!(words.is_empty(), "figures takes no words");
    write(&machine::repository()?)
}

/// Rewrites both files.
pub(crate) fn write(repository: &Path) -> Result<()> {
    let runs = runs(&repository.join("proof/runs"))?;
    fs::write(repository.join("docs/figures.md"), page(&runs))?;
    fs::write(repository.join("docs/bars.svg"), bars(&runs)?)?;
    Ok(())
}

/// The runs that are kept, the last one first. Those of before there were checks are left out.
fn runs(folder: &Path) -> Result<Vec<Run>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut runs = Vec::new();
    for entry in entries {
        let entry = entry?;
        let text = fs::read_to_string(entry.path().join("raw.json"))?;
        let Ok(run) = serde_json::from_str::<Run>(&text) else { continue };
        runs.push(Run { name: entry.file_name().to_string_lossy().into_owned(), ..run });
    }
    runs.sort_by(|left, right| right.name.cmp(&left.name));
    Ok(runs)
}

/// Runs of a kind: folders `DATE-KIND` and `DATE-KIND-LETTER`.
fn of_kind<'r>(runs: &'r [Run], kind: &'r str) -> impl Iterator<Item = &'r Run> {
    let is_of =
        move |run: &&Run| run.name.get(11..).and_then(|rest| rest.split('-').next()) == Some(kind);
    runs.iter().filter(is_of)
}

/// All checks, each of the last run that has it.
fn page(runs: &[Run]) -> String {
    let mut out = "# Figures\n\nRows that are held to a target, each of the last run that measured it; medians and the worst row. Each run's page has all \
        rows, how they were measured, and what was left out.\n\nA target is our own aim, set before the work. A ratio of the peer to ours above 1, or of ours to the peer \
        below 1, is ahead of the peer; **missed** says that the row falls short of the aim, not that the peer is ahead. `manicule-bench figures` writes this page of [proof/runs](../proof/runs); the bench's tests compare.\n"
        .to_owned();
    for (kind, heading) in HEADINGS {
        if of_kind(runs, kind).next().is_none() {
            continue;
        }
        write!(out, "\n## {heading}\n").expect("a string takes all");
        let mut known = BTreeSet::new();
        for run in of_kind(runs, kind) {
            let is_new = |check: &&Check| known.insert((check.what.clone(), check.measure.clone()));
            let checks: Vec<Check> = run.findings.checks.iter().filter(is_new).cloned().collect();
            if checks.is_empty() {
                continue;
            }
            let name = &run.name;
            let line = run.machine.line();
            write!(out, "\n[{name}](../proof/runs/{name}/README.md): {line}\n\n")
                .expect("a string");
            out += verdicts_table(&checks)
                .markdown()
                .split_once("\n\n")
                .map_or("", |(_, table)| table);
        }
    }
    out
}

/// How many times of ours a peer takes, by the last run that has the check.
fn times_ours(runs: &[Run], (kind, what, measure): (&str, &str, &str)) -> Option<f64> {
    let checks = of_kind(runs, kind).flat_map(|run| &run.findings.checks);
    let check = checks.into_iter().find(|check| check.what == what && check.measure == measure)?;
    let figure = median(check.figures.iter().map(|&(_, figure)| figure).collect())?;
    Some(if check.target.sense == Sense::AtLeast { figure } else { 1.0 / figure })
}

/// Pixels of the bars: where they begin, the length of a factor of ten, and the height of a row.
const LEFT: f64 = 360.0;
const TENFOLD: f64 = 170.0;
const ROW: f64 = 30.0;

/// The bars on a scale of logarithms.
fn bars(runs: &[Run]) -> Result<String> {
    let height = ROW * (BARS.len() as f64 + 1.0) + 10.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\" width=\"760\" role=\"img\" aria-label=\"Times of the peer's cost\">\n\
         <style>text {{ font: 14px system-ui, sans-serif; fill: #777 }} .of {{ text-anchor: end }} .times {{ font-weight: bold }}</style>\n"
    );
    for (row, (kind, what, measure, label)) in BARS.into_iter().enumerate() {
        let figure = times_ours(runs, (kind, what, measure));
        let figure = figure.with_context(|| format!("no run of {kind} has {what}, {measure}"))?;
        let (top, length) = (ROW * row as f64 + 8.0, TENFOLD * figure.log10().max(0.0));
        let (text, end) = (top + 15.0, LEFT + length + 8.0);
        writeln!(
            svg,
            "<text class=\"of\" x=\"{:.0}\" y=\"{text:.0}\">{label}</text>\
             <rect x=\"{LEFT}\" y=\"{top:.0}\" width=\"{length:.0}\" height=\"20\" rx=\"3\" fill=\"#c2410c\"/>\
             <text class=\"times\" x=\"{end:.0}\" y=\"{text:.0}\">{figure:.1} x</text>",
            LEFT - 10.0
        )?;
    }
    let bottom = height - 12.0;
    for (tick, times) in [(0.0, "1"), (1.0, "10"), (2.0, "100")] {
        let x = LEFT + TENFOLD * tick;
        writeln!(svg, "<text x=\"{x:.0}\" y=\"{bottom:.0}\">{times}</text>")?;
    }
    Ok(svg + "</svg>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_and_bars_are_those_of_the_runs() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let runs = runs(&repository.join("proof/runs")).unwrap();
        for (name, wanted) in [("figures.md", page(&runs)), ("bars.svg", bars(&runs).unwrap())] {
            let kept = fs::read_to_string(repository.join("docs").join(name)).unwrap_or_default();
            assert!(
                kept == wanted,
                "docs/{name} is not of proof/runs: manicule-bench figures writes it"
            );
        }
    }
}
