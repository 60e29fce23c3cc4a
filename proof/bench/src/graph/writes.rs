//! Rows of writing and reading at once: bursts of new products, a reader beside them, pages
//! replaced one by one.

use std::ffi::OsStr;

use anyhow::Result;

use super::steps::folder_len;
use super::{Bench, Side, load};
use crate::figures::Figures;
use crate::findings::Findings;
use crate::measure::{self, median};
use crate::table::{Table, Target, tenth, times};

/// What a process has printed, under the name of its lane.
struct Lane {
    name: String,
    figures: Vec<Figures>,
}

impl Lane {
    fn row(&self, name: &str) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.row == name)
    }

    fn wall(&self, name: &str) -> Option<f64> {
        median(self.row(name)?.wall_us.clone())
    }

    fn cpu(&self, name: &str) -> Option<f64> {
        median(self.row(name)?.cpu_us.clone())
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.row(name).map(|figures| figures.count)
    }
}

/// The ways a store is written and read.
struct Way {
    side: Side,
    name: &'static str,
    /// Words after the plan: reads, merges.
    words: [&'static str; 2],
    /// What else is asked for: `flushed` or `unsplit`.
    last: Option<&'static str>,
}

const fn way(side: Side, name: &'static str, words: [&'static str; 2]) -> Way {
    Way { side, name, words, last: None }
}

const WAYS: [Way; 8] = [
    way(Side::Ours, "ours, API, merged after each", ["api", "each"]),
    Way {
        side: Side::Ours,
        name: "ours, leaves never split, API, merged after each",
        words: ["api", "each"],
        last: Some("unsplit"),
    },
    way(Side::Ours, "ours, SPARQL, merged after each", ["sparql", "each"]),
    way(Side::Ours, "ours, API, merged by ratio", ["api", "own"]),
    way(Side::Ours, "ours, SPARQL, merged by ratio", ["sparql", "own"]),
    way(Side::Oxigraph, "Oxigraph, API", ["api", "own"]),
    way(Side::Oxigraph, "Oxigraph, SPARQL", ["sparql", "own"]),
    Way {
        side: Side::Oxigraph,
        name: "Oxigraph, SPARQL, flushed after each",
        words: ["sparql", "own"],
        last: Some("flushed"),
    },
];

fn run(bench: &Bench<'_>, verb: &str, way: &Way, last: &[&OsStr]) -> Result<Lane> {
    eprintln!("  {}", way.name);
    let (store, plan) = (bench.copy(way.side)?, &bench.input.plan);
    let mut words: Vec<&OsStr> = vec![verb.as_ref(), store.as_os_str(), plan.as_os_str()];
    words.extend(way.words.map(OsStr::new));
    words.extend(last);
    words.extend(way.last.map(OsStr::new));
    Ok(Lane { name: way.name.to_owned(), figures: bench.asked(way.side, &words)? })
}

fn lanes(bench: &Bench<'_>, verb: &str, last: &[&OsStr]) -> Result<Vec<Lane>> {
    let here = bench.sides();
    let ways = WAYS.iter().filter(|way| here.contains(&way.side));
    ways.map(|way| run(bench, verb, way, last)).collect()
}

fn keep(title: &str, lanes: &[Lane], findings: &mut Findings) {
    for lane in lanes {
        let series = lane.figures.iter().map(|figures| figures.series(&lane.name)).collect();
        findings.raw.push((format!("{title}/{}", lane.name), series));
    }
}

const BURST_ROWS: [&str; 6] =
    ["commit", "merge", "read_new", "read_new2", "read_old", "read_old_random"];

/// 100 bursts of about 2,100 triples.
pub(super) fn burst_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let lanes = lanes(bench, "bursts", &[])?;
    let title = format!("100 bursts on a shop of {} lines", bench.input.line_count);
    let note = "read_new: the last product of a burst, the first query of the generation that has it; read_new2: again; read_old: one product \
        of the load; read_old_random: one by the burst's number. Ours keeps no decoded blocks: what warming on write would do shows \
        as read_new / read_new2. A commit is one request as text, and ours is synced; Oxigraph's log is not, and it has no option for \
        that: flushed, its tables are written after each.";
    let head = ["store", "row", "p50 us", "p90 us", "max us", "CPU p50 us"];
    let mut table = Table::new(&title, note, &head);
    for lane in &lanes {
        for row in BURST_ROWS {
            let Some(figures) = lane.row(row) else { continue };
            let mut walls = figures.wall_us.clone();
            walls.sort_by(f64::total_cmp);
            let at = |share: f64| Some(walls[((walls.len() - 1) as f64 * share).round() as usize]);
            let p50 = median(walls.clone());
            let cells = [p50, at(0.9), at(1.0), lane.cpu(row)].map(tenth);
            table.row([vec![lane.name.clone(), row.to_owned()], cells.to_vec()].concat());
        }
    }
    findings.tables.push(table);

    let fresh = fresh_len(bench)?;
    let head = [
        "store",
        "bytes written a triple",
        "disk, largest MiB",
        "at the end",
        "/ fresh load",
        "memory MiB",
    ];
    let note = "Written: all that the process gave to write() and its like, the log too. Fresh: our load of shop and bursts together.";
    let mut table = Table::new(format!("{title}: what they cost"), note, &head);
    let mib = |len: Option<u64>| tenth(len.map(|len| len as f64 / f64::from(1 << 20)));
    for lane in &lanes {
        let (written, end) = (written(bench, lane), lane.count("disk at the end"));
        let share =
            end.map(|len| len as f64 / fresh as f64).filter(|_| lane.name.starts_with("ours"));
        table.row(vec![
            lane.name.clone(),
            tenth(written),
            mib(lane.count("disk, largest")),
            mib(end),
            times(share),
            mib(lane.count("memory, largest")),
        ]);
        if lane.name.starts_with("ours, API") {
            burst_checks(lane, written, share, findings);
        }
    }
    findings.tables.push(table);
    peer_checks(&lanes, findings);
    keep(&title, &lanes, findings);
    Ok(())
}

fn written(bench: &Bench<'_>, lane: &Lane) -> Option<f64> {
    Some(lane.count("bytes written")? as f64 / bench.input.burst_triples as f64)
}

/// Targets of our own figures.
fn burst_checks(lane: &Lane, written: Option<f64>, share: Option<f64>, findings: &mut Findings) {
    let (name, what) = (lane.name.as_str(), "bursts");
    if let (Some(new), Some(old)) = (lane.row("read_new"), lane.row("read_old")) {
        let shares = new.wall_us.iter().zip(&old.wall_us).map(|(new, old)| new / old);
        let target = Target::at_most(1.5, 1.1);
        let shares: Vec<f64> = shares.collect();
        let is_within = shares.iter().filter(|share| **share <= 1.5).count();
        let measure = "read_new / read_old, median of bursts";
        findings.check(what, measure, target, name, median(shares.clone()));
        let within = is_within as f64 / shares.len() as f64;
        let target = Target::at_least(1.0, 1.0);
        findings.check(
            what,
            "share of bursts with read_new <= 1.5 read_old",
            target,
            name,
            Some(within),
        );
    }
    for row in ["read_new", "read_old"] {
        let measure = format!("{row} by API, median us");
        findings.check(what, &measure, Target::at_most(20.0, 10.0), name, lane.wall(row));
    }
    let again = lane.wall("read_new").zip(lane.wall("read_new2")).map(|(new, again)| new / again);
    findings.check(what, "read_new / read_new2, medians", Target::at_most(1.5, 1.1), name, again);
    let target = Target::at_most(200.0, 100.0);
    findings.check(what, "bytes written a triple", target, name, written);
    findings.check(what, "disk after / fresh load", Target::at_most(1.5, 1.1), name, share);
}

/// Targets beside Oxigraph, and of swaps.
fn peer_checks(lanes: &[Lane], findings: &mut Findings) {
    let lane = |name: &str| lanes.iter().find(|lane| lane.name == name);
    let share = |over: Option<&Lane>, under: Option<&Lane>, row: &str| {
        Some(over?.wall(row)? / under?.wall(row)?)
    };
    let what = "bursts";
    let [each, ratio] = ["ours, API, merged after each", "ours, API, merged by ratio"].map(lane);
    for ours in [each, ratio].into_iter().flatten() {
        for peer in ["Oxigraph, SPARQL", "Oxigraph, SPARQL, flushed after each"] {
            let measure = format!("commit, ours / {peer}");
            let figure = share(Some(ours), lane(peer), "commit");
            findings.check(what, &measure, Target::at_most(0.25, 0.1), &ours.name, figure);
        }
    }
    for row in ["read_old", "read_old_random"] {
        let measure = format!("{row} by API, right after a swap / without one");
        let figure = share(each, ratio, row);
        findings.check(what, &measure, Target::at_most(1.05, 1.0), "", figure);
    }
}

/// Bytes of our store after a load of everything at once.
fn fresh_len(bench: &Bench<'_>) -> Result<u64> {
    let folder = bench.scratch.join("fresh");
    let task = load::task(bench, Side::Ours, &bench.input.all, &folder)?;
    measure::run(&task, &bench.scratch.join("out"))?;
    let len = folder_len(&folder);
    std::fs::remove_dir_all(&folder)?;
    Ok(len)
}

/// A reader while nothing is written, and while bursts are.
pub(super) fn reader_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let lanes = lanes(bench, "reader", &[bench.input.subjects.as_os_str()])?;
    let title = "One reader's point reads, idle and beside the bursts";
    let head = ["store", "row", "reads", "p50 us", "p99 us", "max us", "CPU p99 us"];
    let note = "Bursts one after the other without a pause; a reader's thread and the writer's, and those of merges, share the machine's processors.";
    let mut table = Table::new(title, note, &head);
    for lane in &lanes {
        for figures in &lane.figures {
            let mut cells = vec![lane.name.clone(), figures.row.clone(), figures.count.to_string()];
            cells.extend(figures.wall_us.iter().map(|us| tenth(Some(*us))));
            cells.push(tenth(figures.cpu_us.get(1).copied()));
            table.row(cells);
        }
        let p99 = |row: &str| lane.row(row)?.wall_us.get(1).copied();
        let share = p99("reader, beside the writer")
            .zip(p99("reader, idle"))
            .map(|(busy, idle)| busy / idle);
        if lane.name.starts_with("ours") {
            let target = Target::at_most(3.0, 1.5);
            findings.check("reader beside merges", "p99 / idle p99", target, &lane.name, share);
        }
    }
    findings.tables.push(table);
    keep(title, &lanes, findings);
    Ok(())
}

/// Pages replaced one by one, each durable before the next.
pub(super) fn page_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let [base, requests] = &bench.input.pages;
    let title = "300 pages replaced one by one";
    let head = ["store", "pages a s", "p50 us", "p99 us", "CPU p50 us"];
    let note = "DELETE WHERE and INSERT DATA of a page's 5 to 40 triples, as text, of a wiki of 50,000. Ours is synced after each, Oxigraph is \
        not; or its tables are flushed.";
    let (mut table, mut rates) = (Table::new(title, note, &head), Vec::new());
    let mut lanes: Vec<Lane> = Vec::new();
    for _ in 0..bench.turn_count {
        for side in bench.sides() {
            for is_flushed in [false, true] {
                if is_flushed && side == Side::Ours {
                    continue;
                }
                let store = bench.scratch.join("pages");
                let task = load::task(bench, side, base, &store)?;
                measure::run(&task, &bench.scratch.join("out"))?;
                let mut words: Vec<&OsStr> = vec!["requests".as_ref(), store.as_os_str()];
                words.push(requests.as_os_str());
                words.extend(is_flushed.then_some(OsStr::new("flushed")));
                let figures = bench.asked(side, &words)?;
                std::fs::remove_dir_all(&store)?;
                let name = side.name().to_owned() + if is_flushed { ", flushed" } else { "" };
                match lanes.iter_mut().find(|lane| lane.name == name) {
                    Some(lane) => {
                        lane.figures[0].join(figures.into_iter().next().unwrap_or_default())
                    }
                    None => lanes.push(Lane { name, figures }),
                }
            }
        }
    }
    for lane in &lanes {
        let mut walls = lane.row("page").map(|figures| figures.wall_us.clone()).unwrap_or_default();
        walls.sort_by(f64::total_cmp);
        let rate = walls.len() as f64 / (walls.iter().sum::<f64>() / 1e6);
        let p99 = walls.get(walls.len().saturating_sub(1) * 99 / 100).copied();
        rates.push((lane.name.clone(), rate));
        table.row(vec![
            lane.name.clone(),
            format!("{rate:.0}"),
            tenth(lane.wall("page")),
            tenth(p99),
            tenth(lane.cpu("page")),
        ]);
    }
    let own = rates.iter().find(|(name, _)| name == "ours").map(|(_, rate)| *rate);
    for (name, rate) in rates.iter().filter(|(name, _)| name != "ours") {
        let figure = own.map(|own| own / rate);
        let measure = format!("rate, ours / {name}");
        findings.check("pages replaced", &measure, Target::at_least(5.0, 10.0), "", figure);
    }
    findings.tables.push(table);
    keep(title, &lanes, findings);
    Ok(())
}
