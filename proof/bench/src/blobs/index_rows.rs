//! The rows of restic's own benchmarks: ours beside both versions of restic, by turns.

use std::ffi::OsStr;

use anyhow::Result;

use super::go_bench::GoBench;
use super::{Bench, KIND, index};
use crate::figures::{self, Figures, least};
use crate::findings::Findings;
use crate::table::{self, Table, Target};

const NOTE: &str = "Wall clock of an operation, least of all turns: restic's benchmarks give no CPU time. Each row is \
    restic's of that name, with the same work over the same random index; ours answers with a result of its own and \
    through a lock, as restic does. Ours adds what was decoded of a file to one index, as loading does, where restic makes an \
    index of each file and merges them; MasterIndexGC has no counterpart. Parallel rows: wall clock divided by the operations of all threads. The two versions \
    of restic differ in some rows: IndexHas asks for 100,000 handles in 0.19.1, for one in 0.18.1, and 0.19.1 takes the \
    memory of IndexAlloc at once.";

/// Columns of one side.
struct Side {
    name: String,
    rows: Vec<Figures>,
}

/// Runs each row on all sides by turns.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let mut sides = vec![Side { name: "ours".to_owned(), rows: Vec::new() }];
    sides.extend(
        bench.peers.restic.iter().map(|peer| Side { name: peer.name.clone(), rows: Vec::new() }),
    );
    for row in bench.rows {
        eprintln!("  {row}");
        let mut runs: Vec<Vec<Vec<Figures>>> = sides.iter().map(|_| Vec::new()).collect();
        for _ in 0..bench.turn_count {
            let words = ["index", "--row", row].map(OsStr::new);
            runs[0].push(figures::of_ours(KIND.name, &words)?);
            for (peer, runs) in bench.peers.restic.iter().zip(&mut runs[1..]) {
                let program = GoBench { program: &peer.index_bench, scratch: bench.scratch };
                runs.push(program.run(row, 1)?);
            }
        }
        for (side, runs) in sides.iter_mut().zip(runs) {
            side.rows.extend(figures::joined(runs));
        }
    }
    report(&sides, findings);
    Ok(())
}

fn report(sides: &[Side], findings: &mut Findings) {
    let (ours, peers) = sides.split_first().expect("ours is the first");
    let head = std::iter::once("row".to_owned())
        .chain(sides.iter().map(|side| side.name.clone()))
        .chain(peers.iter().map(|side| format!("{} / ours", side.name)))
        .chain(sides.iter().map(|side| format!("MB asked for, {}", side.name)));
    let head: Vec<String> = head.collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new("Restic's own benchmarks of the index", NOTE, &head);
    for own in &ours.rows {
        let of = |side: &Side| side.rows.iter().find(|row| row.row == own.row).cloned();
        let time = |figures: &Option<Figures>| least(&figures.as_ref()?.wall_us);
        let all: Vec<Option<Figures>> = sides.iter().map(of).collect();
        let over = |peer: &Option<Figures>| Some(time(peer)? / time(&all[0])?);
        let mut cells = vec![own.row.clone()];
        cells.extend(all.iter().map(|one| duration(time(one))));
        cells.extend(all[1..].iter().map(|peer| table::times(over(peer))));
        cells.extend(all.iter().map(|one| match one {
            Some(one) => format!("{:.1}", one.alloc_bytes as f64 / 1e6),
            None => "-".to_owned(),
        }));
        table.row(cells);
        if let Some(anchor) = all.get(1) {
            let what = "restic's own benchmarks";
            let target = index::target(&own.row);
            let measure = format!("wall of {} / ours", peers[0].name);
            findings.check(&what_of(what, target), &measure, target, &own.row, over(anchor));
        }
    }
    findings.tables.push(table);
    for side in sides {
        let series = side.rows.iter().map(|row| row.series(&side.name)).collect();
        findings.raw.push((format!("index/{}", side.name), series));
    }
}

/// Rows of one target are one check.
fn what_of(what: &str, target: Target) -> String {
    if target.least > 1.0 {
        format!("{what}: look-ups of many, iteration")
    } else {
        what.to_owned()
    }
}

/// A time with its unit: operations take from nanoseconds to seconds.
fn duration(us: Option<f64>) -> String {
    match us {
        None => "-".to_owned(),
        Some(us) if us < 1.0 => format!("{:.1} ns", us * 1e3),
        Some(us) if us < 1e3 => format!("{us:.1} us"),
        Some(us) if us < 1e6 => format!("{:.2} ms", us / 1e3),
        Some(us) => format!("{:.2} s", us / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_the_unit_that_suits_it() {
        let rows = [
            (0.0405, "40.5 ns"),
            (475.12, "475.1 us"),
            (51_800.0, "51.80 ms"),
            (1_730_000.0, "1.73 s"),
        ];
        for (us, text) in rows {
            assert_eq!(duration(Some(us)), text);
        }
        assert_eq!(duration(None), "-");
    }
}
