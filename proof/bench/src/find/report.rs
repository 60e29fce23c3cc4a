//! The report: machine, versions, tables, targets.

use std::fmt::Write as _;

use super::Options;
use super::rivals::Programs;
use crate::findings::Findings;
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
