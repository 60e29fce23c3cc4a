//! The report: machine, versions, tables, targets; and what is kept of a run.
//!
//! Callers: find/mod

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::rivals::Programs;
use super::{Findings, Options};
use crate::machine::Machine;
use crate::measure::Pairing;
use crate::table::targets_table;

/// The whole report as Markdown.
pub(super) fn summary(
    machine: &Machine,
    programs: &Programs,
    options: &Options,
    findings: &Findings,
) -> String {
    let mut out = String::from("# find, beside ripgrep, glep and codesearch\n\n");
    let ratios = match options.pairing {
        Pairing::Medians => "ratios of medians",
        Pairing::Pairs => "medians of ratios of paired turns",
    };
    let lines = [
        machine.line(),
        programs.versions.join("; "),
        format!("{} turns of each program after one discarded, {ratios}.", options.run_count),
    ];
    for line in lines {
        writeln!(out, "* {line}").expect("a string takes all");
    }
    for what in &findings.left_out {
        writeln!(out, "* left out: {what}").expect("a string takes all");
    }
    match findings.different.as_slice() {
        [] => out += "* Every answer that was compared had ripgrep's lines.\n",
        rows => {
            writeln!(out, "* **{} answers had other lines than ripgrep's:**", rows.len())
                .expect("a string takes all");
            for row in rows {
                writeln!(out, "  * {row}").expect("a string takes all");
            }
        }
    }
    out += &targets_table(&findings.checks).markdown();
    for table in &findings.tables {
        out += &table.markdown();
    }
    out
}

/// What `raw.json` holds.
#[derive(Serialize)]
struct Kept<'a> {
    machine: &'a Machine,
    findings: &'a Findings,
}

/// Writes `README.md` and `raw.json` into a new folder of `proof/runs`.
pub(super) fn save(
    repository: &Path,
    machine: &Machine,
    summary: &str,
    findings: &Findings,
) -> Result<()> {
    let runs = repository.join("proof/runs");
    let names =
        std::iter::once(String::new()).chain(('b'..='z').map(|letter| format!("-{letter}")));
    let folder = names
        .map(|suffix| runs.join(format!("{}-find{suffix}", machine.date)))
        .find(|folder| !folder.exists())
        .ok_or_else(|| anyhow::anyhow!("25 runs of one day are enough"))?;
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("README.md"), summary)?;
    let raw = serde_json::to_string(&Kept { machine, findings })?;
    // One series a line: a diff of two runs stays readable.
    fs::write(folder.join("raw.json"), raw.replace("[\"", "\n[\"") + "\n")?;
    eprintln!("saved in proof/runs/{}", folder.file_name().unwrap_or_default().to_string_lossy());
    Ok(())
}
