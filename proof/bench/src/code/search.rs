//! The rows of searching: each query as a process of its own over warm files, zoekt, ours and
//! ripgrep in turns.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::queries::{Kind, OPEN, QUERIES, Query};
use super::{Bench, NO_PEER, build};
use crate::corpora::Tree;
use crate::findings::Findings;
use crate::measure::{
    self, CPU, Digest, Lane, Measure, Pairing, Series, Task, WALL, digest, interleave, ratio,
};
use crate::table::{self, Table, Target, wall_cpu};

const ZOEKT: &str = "zoekt";
const OURS: &str = "manicule";
const RG: &str = "rg";

/// Maximum number of matches that zoekt looks at in a shard; its command line has no option for
/// more.
const ZOEKT_MATCHES_MAX: u64 = 100_000;

/// No query is to be slower than a peer's; a twentieth is noise.
const NEVER_SLOWER: Target = Target::at_least(0.95, 1.0);

/// Counts of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    file_count: u64,
    lines: Digest,
}

/// Every query over the shards of a tree.
pub(super) fn rows(
    bench: &Bench<'_>,
    corpus: Tree,
    tree: &Path,
    findings: &mut Findings,
) -> Result<()> {
    let shards = shards(bench, tree)?;
    build::warm(tree)?;
    build::warm(&shards)?;
    if bench.zoekt.is_none() {
        findings.left_out(format!("zoekt beside our searches: {NO_PEER} (--zoekt)"));
    }
    let name = corpus.name();
    let head = [
        "query",
        "files",
        "lines",
        "zoekt",
        "manicule",
        "rg",
        "wall zoekt/ours",
        "CPU zoekt/ours",
        "wall rg/ours",
        "CPU rg/ours",
        "lines as zoekt's",
    ];
    let note = format!(
        "Wall / CPU in ms of whole processes over warm files, medians of {} turns after one \
         discarded; zoekt and we read the same shards, ripgrep the tree (`--no-ignore --hidden \
         -n`). zoekt cuts at {ZOEKT_MATCHES_MAX} matches a shard, and leaves out files that are \
         binary, too large or of too many trigrams, so ripgrep may find more than either.",
        bench.run_count
    );
    let mut table = Table::new(format!("{name}: search"), &note, &head);
    for query in QUERIES.iter().chain([&OPEN]) {
        if bench.only_query.is_some_and(|only| !query.name.contains(only)) {
            continue;
        }
        let tasks = tasks(bench, query, tree, &shards);
        let tallies = tallies(&tasks, &bench.out());
        let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(Lane::from).collect();
        let series = interleave(&mut lanes, 1, bench.run_count, &bench.out())?;
        for one in &series {
            if let Some(failure) = &one.failure {
                findings.left_out(format!("{name}, query {}, {}: {failure}", query.name, one.name));
            }
        }
        let of = |name: &str| series.iter().find(|one| one.name == name);
        let tally = |name: &str| {
            series.iter().zip(&tallies).find(|(one, _)| one.name == name).and_then(|(_, t)| *t)
        };
        let cell = |name: &str| {
            of(name).map_or("-".to_owned(), |one| wall_cpu(one.wall_ms(), one.cpu_ms()))
        };
        let agreement = agreement(tally(ZOEKT), tally(OURS));
        if agreement == DIFFERENT {
            let counts = [ZOEKT, OURS].map(|name| tally(name).unwrap_or_default());
            findings.different.push(format!(
                "{name}, query {}: {} files and {} lines, zoekt's: {} and {}",
                query.name,
                counts[1].file_count,
                counts[1].lines.lines,
                counts[0].file_count,
                counts[0].lines.lines
            ));
        }
        let mut cells = vec![
            query.name.to_owned(),
            tally(OURS).map_or("-".to_owned(), |tally| tally.file_count.to_string()),
            tally(OURS).map_or("-".to_owned(), |tally| tally.lines.lines.to_string()),
        ];
        cells.extend([ZOEKT, OURS, RG].map(cell));
        cells.extend(hold(name, query, &series, findings));
        cells.push(agreement.to_owned());
        eprintln!("  {}: {}: {agreement}", query.name, cells[3..6].join(", "));
        table.row(cells);
        findings.raw.push((format!("{name}/search/{}", query.name), series));
    }
    findings.tables.push(table);
    Ok(())
}

/// The shards to ask: those given, or made now.
fn shards(bench: &Bench<'_>, tree: &Path) -> Result<PathBuf> {
    if let Some(shards) = bench.shards {
        return shards.canonicalize().with_context(|| shards.display().to_string());
    }
    let shards = bench.scratch.join("shards-to-search");
    fs::create_dir_all(&shards)?;
    eprintln!("making shards to search ...");
    measure::run(&build::index_task(OURS, bench.manicule, &[], tree, &shards), &bench.out())
        .context("our shards can't be built")?;
    Ok(shards)
}

/// The programs that are asked. All run in the tree, which only ripgrep looks at.
fn tasks(bench: &Bench<'_>, query: &Query, tree: &Path, shards: &Path) -> Vec<Task> {
    let mut tasks = Vec::new();
    if let Some(zoekt) = bench.zoekt {
        let task = Task::new(ZOEKT, zoekt, tree).args(["-index_dir".as_ref(), shards]);
        tasks.push(task.args(query.flags).args([query.text]));
    }
    tasks.push(ours(query, bench.manicule, tree, shards));
    if let Some(rg) = bench.rg.filter(|_| !query.rg.is_empty()) {
        let mut task = Task::new(RG, rg, tree).args(["--no-ignore", "--hidden", "-n"]);
        if tree.join(".git").exists() {
            // A tree that we fetched: zoekt leaves this folder out.
            task = task.args(["-g", "!/.git"]);
        }
        tasks.push(task.args(["--no-heading"]).args(query.rg).args(["."]));
    }
    tasks
}

/// The query as a program of ours is asked.
pub(super) fn ours(query: &Query, program: &Path, tree: &Path, shards: &Path) -> Task {
    let ours = Task::new(OURS, program, tree).args(["code", "search"]);
    ours.args(query.flags).args([query.text]).args([shards])
}

/// Answers of the programs; nothing where one fails, which its series will show.
fn tallies(tasks: &[Task], out: &Path) -> Vec<Option<Tally>> {
    let tally = |task: &Task| {
        measure::run(task, out).ok()?;
        Some(Tally { file_count: file_count(out).ok()?, lines: digest(out).ok()? })
    };
    tasks.iter().map(tally).collect()
}

/// Number of files named by the lines of an answer: the text before `:NUMBER:`, or the whole line.
fn file_count(out: &Path) -> Result<u64> {
    let mut names: HashSet<Vec<u8>> = HashSet::new();
    let mut reader = BufReader::new(File::open(out)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        let name = name_of(&line);
        if !names.contains(name) {
            names.insert(name.to_vec());
        }
        line.clear();
    }
    Ok(names.len() as u64)
}

fn name_of(line: &[u8]) -> &[u8] {
    let colons = line.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at);
    let is_number = |at: &usize| {
        let rest = &line[at + 1..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && rest.get(digits) == Some(&b':')
    };
    let end = colons.into_iter().find(is_number).unwrap_or(line.len());
    &line[..end]
}

const DIFFERENT: &str = "**different**";

fn agreement(zoekt: Option<Tally>, ours: Option<Tally>) -> &'static str {
    match (zoekt, ours) {
        (Some(zoekt), Some(ours)) if zoekt == ours => "equal",
        (Some(zoekt), Some(ours))
            if zoekt.lines.lines < ours.lines.lines && ours.lines.lines > ZOEKT_MATCHES_MAX =>
        {
            "zoekt cut"
        }
        (Some(_), Some(_)) => DIFFERENT,
        (None, _) => NO_PEER,
        (_, None) => "-",
    }
}

/// The ratios of a query as cells; figures that count for a target go to the checks.
fn hold(corpus: &str, query: &Query, series: &[Series], findings: &mut Findings) -> [String; 4] {
    let of = |name: &str| series.iter().find(|one| one.name == name);
    let between =
        |peer: &str, measure: Measure| ratio(of(peer)?, of(OURS)?, Pairing::Medians, measure);
    let ours = of(OURS);
    if query.name == OPEN.name {
        let what = format!("{corpus}, opening the shards");
        let (wall, peak) = (ours.and_then(Series::wall_ms), ours.and_then(Series::peak_mib));
        findings.check(&what, "wall ms", Target::at_most(5.0, 5.0), query.name, wall);
        findings.check(&what, "peak MiB", Target::at_most(10.0, 10.0), query.name, peak);
        let cells = [(ZOEKT, WALL), (ZOEKT, CPU), (RG, WALL), (RG, CPU)];
        return cells.map(|(peer, measure)| table::times(between(peer, measure)));
    }
    if query.kind == Kind::Selective {
        let what = format!("{corpus}, selective queries, cold process");
        let (wall, cpu) = (ours.and_then(Series::wall_ms), ours.and_then(Series::cpu_ms));
        findings.check(&what, "CPU ms", Target::at_most(10.0, 10.0), query.name, cpu);
        findings.check(&what, "wall ms", Target::at_most(15.0, 15.0), query.name, wall);
    }
    let what = format!("{corpus}, each query");
    let mut held = |peer: &str, name: &str, measure: Measure| {
        let got = between(peer, measure);
        let measure = format!("{name} of {peer} / ours");
        findings.check(&what, &measure, NEVER_SLOWER, query.name, got);
        NEVER_SLOWER.cell(got)
    };
    [
        held(ZOEKT, "wall", WALL),
        held(ZOEKT, "CPU", CPU),
        held(RG, "wall", WALL),
        held(RG, "CPU", CPU),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_file() {
        assert_eq!(name_of(b"a/b.go:12:x := 3:4:"), b"a/b.go");
        assert_eq!(name_of(b"a:b/c:7:text"), b"a:b/c");
        assert_eq!(name_of(b"a/b.go\n"), b"a/b.go\n");
    }

    #[test]
    fn a_cut_answer_is_no_difference() {
        let of = |lines| Tally { file_count: 1, lines: Digest { lines, sums: [lines, 0] } };
        assert_eq!(agreement(Some(of(5)), Some(of(5))), "equal");
        assert_eq!(agreement(Some(of(5)), Some(of(6))), DIFFERENT);
        assert_eq!(agreement(Some(of(150_000)), Some(of(240_000))), "zoekt cut");
        assert_eq!(agreement(None, Some(of(6))), NO_PEER);
    }
}
