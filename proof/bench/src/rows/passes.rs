//! Passes over whole SSTables by our commands, beside Cassandra's tools.

use std::path::Path;

use anyhow::Result;
use manicule_format_sstable::Version;
use manicule_sstables::Tool;

use super::Bench;
use super::tables::{DUMPED, MANY, PARTITION, Shape};
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Pairing, Series, Task, WALL, ratio};
use crate::table::{self, Table, Target};

/// A pass over a table.
struct Pass {
    name: &'static str,
    shape: Shape,
    version: Version,
    /// Words after our program's name; the path follows.
    ours: &'static [&'static str],
    peer: Option<Tool>,
    goal: Goal,
}

/// What has to be reached.
enum Goal {
    /// The peer's CPU time over ours.
    Cpu(f64),
    /// Our wall clock, ms.
    WallMs(f64),
    /// GB of data a second of CPU.
    Rate(f64),
}

const PASSES: [Pass; 5] = [
    Pass {
        name: "dump",
        shape: DUMPED,
        version: Version::Me,
        ours: &["rows", "dump"],
        peer: Some(Tool::Dump),
        goal: Goal::Cpu(10.0),
    },
    Pass {
        name: "dump",
        shape: DUMPED,
        version: Version::Oa,
        ours: &["rows", "dump"],
        peer: Some(Tool::Dump),
        goal: Goal::Cpu(10.0),
    },
    Pass {
        name: "partitions, largest of one",
        shape: PARTITION,
        version: Version::Oa,
        ours: &["rows", "partitions"],
        peer: Some(Tool::Partitions),
        goal: Goal::WallMs(50.0),
    },
    Pass {
        name: "partitions, largest of 100,000",
        shape: MANY,
        version: Version::Oa,
        ours: &["rows", "partitions"],
        peer: Some(Tool::Partitions),
        goal: Goal::WallMs(50.0),
    },
    Pass {
        name: "tombstones",
        shape: PARTITION,
        version: Version::Me,
        ours: &["rows", "tombstones"],
        peer: None,
        goal: Goal::Rate(1.0),
    },
];

/// All passes.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let note = format!(
        "Medians of {} turns after one that is not counted; files in the page cache; starting Java included.",
        bench.turn_count
    );
    let title = "Whole SSTables";
    let mut table = Table::new(title, &note, &HEAD);
    for pass in &PASSES {
        let name = format!("{}, {}", pass.name, pass.version);
        let Some(data) = bench.table(&pass.shape, pass.version)? else {
            findings.left_out(format!("{name}: no Cassandra is here that writes the table"));
            continue;
        };
        let gb = std::fs::metadata(&data)?.len() as f64 / 1e9;
        let mut lanes: Vec<Lane<'_>> =
            tasks(bench, pass, &data).into_iter().map(Lane::from).collect();
        let all = put_rows(bench, &mut lanes, (&name, gb), &mut table, findings)?;
        let ours = &all[0];
        match pass.goal {
            Goal::Cpu(least) => {
                let figure = all.get(1).and_then(|peer| ratio(peer, ours, Pairing::Medians, CPU));
                let target = Target::at_least(least, 1.5 * least);
                findings.check(&name, "CPU of Cassandra / ours", target, title, figure);
            }
            Goal::WallMs(most) => {
                let target = Target::at_most(most, most / 2.0);
                findings.check(&name, "wall clock, ms", target, title, ours.median(WALL));
            }
            Goal::Rate(least) => {
                let target = Target::at_least(least, 2.0 * least);
                let rate = ours.cpu_ms().map(|ms| gb / (ms / 1e3));
                findings.check(&name, "GB a second of CPU", target, title, rate);
            }
        }
        findings.raw.push((format!("{title}/{name}"), all));
    }
    findings.tables.push(table);
    Ok(())
}

/// Columns of the tables of whole SSTables.
pub(super) const HEAD: [&str; 7] =
    ["job", "program", "CPU s", "wall s", "peak MiB", "GB a CPU s", "CPU / ours"];

/// Measures the programs of a job over so many GB beside each other, and adds a row of each to the
/// table.
pub(super) fn put_rows(
    bench: &Bench<'_>,
    lanes: &mut [Lane<'_>],
    (name, gb): (&str, f64),
    table: &mut Table,
    findings: &mut Findings,
) -> Result<Vec<Series>> {
    eprintln!("  {name}");
    let answer = bench.scratch.join("answer");
    let all = measure::interleave(lanes, 1, bench.turn_count, &answer)?;
    for series in &all {
        if let Some(failure) = &series.failure {
            findings.left_out(format!("{name}, {}: {failure}", series.name));
        }
        table.row(row(name, gb, series, &all[0]));
    }
    Ok(all)
}

/// A row: what a program took for a job over so many GB, and its CPU time over ours.
fn row(name: &str, gb: f64, series: &Series, ours: &Series) -> Vec<String> {
    let rate = series.cpu_ms().map(|ms| gb / (ms / 1e3));
    vec![
        name.to_owned(),
        series.name.clone(),
        table::seconds(series.cpu_ms()),
        table::seconds(series.wall_ms()),
        table::ms(series.peak_mib()),
        table::times(rate),
        table::times(ratio(series, ours, Pairing::Medians, CPU)),
    ]
}

/// The command lines of a pass, ours the first.
fn tasks(bench: &Bench<'_>, pass: &Pass, data: &Path) -> Vec<Task> {
    let ours = Task::new("manicule", &bench.manicule, bench.scratch).args(pass.ours).args([data]);
    let writer = bench.cassandras.iter().find(|one| one.writes().contains(&pass.version));
    let peer = pass.peer.zip(writer).map(|(tool, cassandra)| {
        let name = format!("Cassandra {}", cassandra.release());
        Task::new(&name, &cassandra.program(), bench.scratch).args([tool.class()]).args([data])
    });
    std::iter::once(ours).chain(peer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pass_has_a_peer_or_a_figure_of_its_own() {
        for pass in &PASSES {
            assert!(pass.peer.is_some() || !matches!(pass.goal, Goal::Cpu(_)), "{}", pass.name);
            assert!(pass.ours.first() == Some(&"rows"));
        }
    }
}
