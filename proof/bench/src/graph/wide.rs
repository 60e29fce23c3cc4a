//! Rows of questions over the whole graph: by columns and row by row, beside four stores; and with a part of the data unmerged.
//!
//! Callers: graph/mod

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::questions::{Aim, Question, wide};
use super::{Bench, Side};
use crate::figures::Figures;
use crate::findings::Findings;
use crate::measure::median;
use crate::table::{Table, Target, times, wall_cpu};

/// Seconds that one answer may take.
const SECONDS_MAX: &str = "30";

/// Those who answer, in the order of the columns.
const SIDES: [&str; 6] = [OURS, BY_ROWS, OXIGRAPH, "maplib", "sparq", "Virtuoso"];
const OURS: &str = "ours";
const BY_ROWS: &str = "ours, row by row";
const OXIGRAPH: &str = "Oxigraph";
/// Where the best of three is meant.
const COLUMN_STORES: [&str; 3] = ["maplib", "sparq", "Virtuoso"];
/// Number of bursts that are not merged: about 5 % of a million triples.
const UNMERGED_BURSTS: usize = 25;

/// A process that answers a file of questions, one row after the other: the words before that file and after it.
struct Answerer {
    program: PathBuf,
    before: Vec<OsString>,
    after: Vec<OsString>,
    /// Where Python looks for modules.
    modules: Option<PathBuf>,
}

/// What was measured of a side, by row.
type Answers = BTreeMap<String, Figures>;

impl Answerer {
    fn ours(store: &Path, evaluation: &str) -> Result<Answerer> {
        let mut before: Vec<OsString> = ["graph", "ask", "wide"].map(OsString::from).to_vec();
        before.push(store.into());
        let after = vec![SECONDS_MAX.into(), evaluation.into()];
        Ok(Answerer { program: std::env::current_exe()?, before, after, modules: None })
    }

    fn python(bench: &Bench<'_>, side: &str) -> Result<Answerer> {
        let python = bench.python.as_ref().context("the modules for Python aren't here")?;
        let mut after = vec![SECONDS_MAX.into()];
        let (engine, data) = match side {
            OXIGRAPH => ("pyoxigraph", bench.store(Side::Oxigraph)?),
            "Virtuoso" => {
                let programs = bench.virtuoso.as_ref().context("its packages aren't here")?;
                let folder = bench.scratch.join("virtuoso");
                after.extend([programs.as_os_str().to_owned(), folder.into_os_string()]);
                ("virtuoso", bench.input.shop.clone())
            }
            other => (other, bench.input.shop.clone()),
        };
        let script = python.script.with_file_name("wide.py");
        Ok(Answerer {
            program: "python3".into(),
            before: vec![script.into_os_string(), engine.into(), data.into_os_string()],
            after,
            modules: Some(python.modules.clone()),
        })
    }

    fn of(bench: &Bench<'_>, side: &str) -> Result<Answerer> {
        match side {
            OURS => Answerer::ours(&bench.store(Side::Ours)?, "columns"),
            BY_ROWS => Answerer::ours(&bench.store(Side::Ours)?, "rows"),
            other => Answerer::python(bench, other),
        }
    }

    /// Asks all questions: where a process ends before the last, the one that it ended with is left out and the others are asked of
    /// another process.
    fn ask(&self, name: &str, questions: &[Question], scratch: &Path) -> Result<Answers> {
        eprintln!("  {name}");
        let (mut open, mut answers) = (questions, Answers::new());
        let file = scratch.join("questions");
        while !open.is_empty() {
            fs::write(&file, open.iter().map(Question::lines).collect::<String>())?;
            let virtuoso = scratch.join("virtuoso");
            if virtuoso.exists() {
                fs::remove_dir_all(virtuoso)?;
            }
            let (figures, end) = self.run(&file)?;
            if !figures.iter().any(|figures| figures.row == "load") {
                bail!("{end}");
            }
            let is_said = |question: &&Question| figures.iter().any(|one| one.row == question.name);
            let said = open.iter().take_while(is_said).count();
            let has_failed = figures.last().is_some_and(|last| !last.failed.is_empty());
            let is_whole = figures.iter().any(|figures| figures.row == "peak memory");
            answers.extend(figures.into_iter().map(|figures| (figures.row.clone(), figures)));
            open = &open[said..];
            let [first, others @ ..] = open else { break };
            if !is_whole && !has_failed {
                let failed = format!("no answer in {SECONDS_MAX} s ({end})");
                let row = first.name.clone();
                answers.insert(row.clone(), Figures { row, failed, ..Figures::default() });
                open = others;
            }
        }
        Ok(answers)
    }

    /// What a process printed, and how it ended.
    fn run(&self, file: &Path) -> Result<(Vec<Figures>, String)> {
        let mut command = Command::new(&self.program);
        command.args(&self.before).arg(file).args(&self.after).stdin(Stdio::null());
        if let Some(modules) = &self.modules {
            command.env("PYTHONPATH", modules);
        }
        let output = command.output().with_context(|| self.program.display().to_string())?;
        let said = String::from_utf8(output.stdout)?;
        let parse = |line: &str| serde_json::from_str(line).with_context(|| line.to_owned());
        let figures = said.lines().map(parse).collect::<Result<_>>()?;
        let error = String::from_utf8_lossy(&output.stderr);
        let last = error.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
        Ok((figures, format!("{}{last}", output.status)))
    }
}

/// The median of the times of a row, in ms.
fn p50(figures: Option<&Figures>) -> [Option<f64>; 2] {
    let of = |us: &Vec<f64>| median(us.clone()).map(|us| us / 1e3);
    figures.map_or([None; 2], |figures| [of(&figures.wall_us), of(&figures.cpu_us)])
}

/// Rows of some questions, whose name the table has.
pub(super) fn rows(
    bench: &Bench<'_>,
    questions: &[Question],
    name: &str,
    findings: &mut Findings,
) -> Result<()> {
    let mut all: BTreeMap<&str, Answers> = BTreeMap::new();
    for side in SIDES {
        let is_ours = [OURS, BY_ROWS].contains(&side);
        if !is_ours && bench.python.is_none() {
            continue;
        }
        let asked = Answerer::of(bench, side)
            .and_then(|answerer| answerer.ask(side, questions, bench.scratch));
        match asked {
            Ok(answers) => drop(all.insert(side, answers)),
            Err(error) => findings.left_out(format!("{side}: {error:#}")),
        }
    }
    let title = format!("Questions: {name}, over a shop of {} lines", bench.input.line_count);
    let note = "ms, p50 wall / CPU; rows of one answer. CPU of the whole process, of Virtuoso of its server. Oxigraph, maplib and sparq are asked \
        from Python and give Python's values, Virtuoso JSON over loopback. Best: the fastest of the four others.";
    let mut head = vec!["question", "rows"];
    head.extend(SIDES);
    head.extend(["ours / best", "ours / Oxigraph"]);
    let mut table = Table::new(&title, note, &head);
    for question in questions {
        report(question, &all, &mut table, findings);
    }
    let peaks = SIDES.map(|side| all.get(side)?.get("peak memory").map(|peak| peak.count));
    let mut cells = vec!["peak memory, MiB".to_owned(), String::new()];
    let mib = |kib: u64| format!("{:.0}", kib as f64 / 1024.0);
    cells.extend(peaks.map(|peak| peak.map_or("-".to_owned(), mib)));
    cells.extend([String::new(), String::new()]);
    table.row(cells);
    if let (Some(own), Some(maplib)) = (peaks[0], peaks[3]) {
        let target = Target::at_most(0.5, 0.25);
        let share = Some(own as f64 / maplib as f64);
        findings.check(&title, "peak memory, ours / maplib", target, "", share);
    }
    for (side, answers) in &all {
        let series = answers.values().map(|figures| figures.series(side)).collect();
        findings.raw.push((format!("{title}/{side}"), series));
    }
    findings.tables.push(table);
    Ok(())
}

/// Adds the row of a question, and compares it with its aims and the answers with each other.
fn report(
    question: &Question,
    all: &BTreeMap<&str, Answers>,
    table: &mut Table,
    findings: &mut Findings,
) {
    let of = |side: &str| all.get(side)?.get(&question.name);
    let wall = |side: &str| p50(of(side))[0];
    let least = |sides: &[&str]| sides.iter().filter_map(|side| wall(side)).min_by(f64::total_cmp);
    let share = |over: Option<f64>, under: Option<f64>| Some(over? / under?);
    let Some(ours) = of(OURS) else { return };
    let own = wall(OURS);
    let best = share(own, least(&SIDES[2..]));
    let beside = share(own, wall(OXIGRAPH));
    let turns = ours.wall_us.len().max(1) as u64;
    let mut cells = vec![question.name.clone(), (ours.count / turns).to_string()];
    for side in SIDES {
        let [wall, cpu] = p50(of(side));
        cells.push(wall_cpu(wall, cpu));
        let Some(figures) = of(side) else { continue };
        if !figures.failed.is_empty() {
            findings.left_out(format!("{}, {side}: {}", question.name, figures.failed));
        } else if let Some(why) = difference(question, ours, figures) {
            findings.different.push(format!("{}, {side}: {why}", question.name));
        }
    }
    cells.extend([times(best), times(beside)]);
    table.row(cells);
    let what = question.name.as_str();
    for aim in question.aims {
        let (measure, target, figure) = match *aim {
            Aim::Oxigraph(most, wanted) => ("ours / Oxigraph", [most, wanted], beside),
            Aim::ColumnStores(most, wanted) => {
                let under = least(&COLUMN_STORES);
                ("ours / best of maplib, Virtuoso, sparq", [most, wanted], share(own, under))
            }
            Aim::Best(most, wanted) => ("ours / best of the four", [most, wanted], best),
        };
        let target = Target::at_most(target[0], target[1]);
        findings.check(what, measure, target, "", figure);
    }
    let plain = share(own, wall(BY_ROWS));
    let target = Target::at_most(1.05, 1.0);
    findings.check(what, "by columns where known / row by row", target, "", plain);
}

/// Whether an answer isn't ours.
fn difference(question: &Question, ours: &Figures, other: &Figures) -> Option<String> {
    let turns = [ours, other].map(|figures| figures.wall_us.len().max(1) as u64);
    let is_as_often = turns[0] == turns[1];
    if !is_as_often && !question.is_one {
        return None;
    }
    let [own, count] =
        [(ours.count, turns[0]), (other.count, turns[1])].map(|(all, turns)| all / turns);
    if own != count {
        return Some(format!("{count} rows, ours {own}"));
    }
    let has_hash = !other.hash.is_empty() && !ours.hash.is_empty() && is_as_often;
    (has_hash && other.hash != ours.hash).then(|| "other IRIs or strings".to_owned())
}

/// The same questions of a store that is 5 % behind its merges, and of that store once merged.
pub(super) fn behind_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let questions = wide(bench.input.products);
    let copy = bench.copy(Side::Ours)?;
    let plan = bench.scratch.join("unmerged-plan");
    let lines = fs::read_to_string(&bench.input.plan)?;
    let some: Vec<&str> = lines.lines().take(UNMERGED_BURSTS).collect();
    fs::write(&plan, some.join("\n"))?;
    let words = ["bursts".as_ref(), copy.as_os_str(), plan.as_os_str()];
    let own = ["sparql", "own"].map(OsStr::new);
    bench.asked(Side::Ours, &[words.as_slice(), &own].concat())?;
    let ask = |name: &str| Answerer::ours(&copy, "columns")?.ask(name, &questions, bench.scratch);
    let behind = ask("with 5 % unmerged")?;
    bench.asked(Side::Ours, &["merge".as_ref(), copy.as_os_str()])?;
    let merged = ask("merged")?;
    let title = "Questions with a part of the data unmerged";
    let note = "The shop and 25 bursts: about 52,000 triples in the log and in memory, and then in leaves. ms, p50 wall / CPU.";
    let head = ["question", "rows", "unmerged", "merged", "unmerged / merged"];
    let mut table = Table::new(title, note, &head);
    for question in &questions {
        let [one, other] = [&behind, &merged].map(|answers| answers.get(&question.name));
        let ([wall, cpu], [merged_wall, merged_cpu]) = (p50(one), p50(other));
        let share = wall.zip(merged_wall).map(|(over, under)| over / under);
        let count = one.map_or(0, |one| one.count / one.wall_us.len().max(1) as u64);
        table.row(vec![
            question.name.clone(),
            count.to_string(),
            wall_cpu(wall, cpu),
            wall_cpu(merged_wall, merged_cpu),
            times(share),
        ]);
        let target = Target::at_most(1.2, 1.1);
        findings.check(&question.name, "unmerged / merged", target, "", share);
        if let (Some(one), Some(other)) = (one, other)
            && let Some(why) = difference(question, one, other)
        {
            findings.different.push(format!("{}, merged: {why}", question.name));
        }
    }
    for (name, answers) in [("unmerged", behind), ("merged", merged)] {
        let series = answers.values().map(|figures| figures.series(name)).collect();
        findings.raw.push((format!("{title}/{name}"), series));
    }
    findings.tables.push(table);
    Ok(())
}
