//! Rows of questions over the whole graph: vectorised and row by row, beside four stores; and with
//! a part of the data unmerged.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::questions::{Aim, Question, wide};
use super::{Bench, Side};
use crate::figures::Figures;
use crate::files::copy_folder;
use crate::findings::Findings;
use crate::measure::median;
use crate::table::{self, Table, Target, times};

/// Those who answer, in the order of the columns.
const SIDES: [&str; 6] = [OURS, BY_ROWS, OXIGRAPH, "maplib", "sparq", "Virtuoso"];
const OURS: &str = "ours";
const BY_ROWS: &str = "ours, row by row";
const OXIGRAPH: &str = "Oxigraph";
/// The others.
pub(super) const RIVALS: [&str; 4] = [OXIGRAPH, "maplib", "sparq", "Virtuoso"];
/// Where the best of three is meant.
const COLUMN_STORES: [&str; 3] = ["maplib", "sparq", "Virtuoso"];
/// How much longer ours may take than the best of the others, and than row by row.
const SLOWER_MAX: [f64; 2] = [1.1, 1.05];
/// Number of bursts that are not merged: about 5 % of a million triples.
const UNMERGED_BURSTS: usize = 25;

/// A process that answers a file of questions, one row after the other: the words before that file
/// and after it.
struct Answerer {
    program: PathBuf,
    before: Vec<OsString>,
    after: Vec<OsString>,
    /// Where Python looks for modules.
    modules: Option<PathBuf>,
    /// Seconds that one answer may take.
    seconds: String,
}

/// What was measured of a side, by row.
type Answers = BTreeMap<String, Figures>;

impl Answerer {
    fn ours(bench: &Bench<'_>, store: &Path, evaluation: &str) -> Result<Answerer> {
        let seconds = bench.answer_seconds.to_string();
        let mut before: Vec<OsString> = ["graph", "ask", "wide"].map(OsString::from).to_vec();
        before.push(store.into());
        let after = vec![OsString::from(&seconds), evaluation.into()];
        Ok(Answerer { program: std::env::current_exe()?, before, after, modules: None, seconds })
    }

    fn python(bench: &Bench<'_>, side: &str) -> Result<Answerer> {
        let python = bench.python.as_ref().context("the modules for Python aren't here")?;
        let seconds = bench.answer_seconds.to_string();
        let mut after = vec![OsString::from(&seconds)];
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
            seconds,
        })
    }

    fn of(bench: &Bench<'_>, side: &str) -> Result<Answerer> {
        match side {
            OURS => Answerer::ours(bench, &bench.store(Side::Ours)?, "columns"),
            BY_ROWS => Answerer::ours(bench, &bench.store(Side::Ours)?, "rows"),
            other => Answerer::python(bench, other),
        }
    }

    /// Asks all questions: where a process ends before the last, the one that it ended with is left
    /// out and the others are asked of another process.
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
                let failed = format!("no answer in {} s ({end})", self.seconds);
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

/// Milliseconds: those below 1 with their microseconds.
fn ms(value: Option<f64>) -> String {
    match value {
        Some(value) if value < 1.0 => format!("{value:.3}"),
        other => table::ms(other),
    }
}

fn wall_cpu([wall, cpu]: [Option<f64>; 2]) -> String {
    if wall.is_none() { "-".to_owned() } else { format!("{} / {}", ms(wall), ms(cpu)) }
}

/// Answers of all sides to some questions, and the tables made of them.
struct Comparison<'a> {
    title: &'a str,
    all: BTreeMap<&'static str, Answers>,
    table: Table,
    slower: Table,
}

/// Rows of some questions, whose name the table has.
pub(super) fn rows(
    bench: &Bench<'_>,
    questions: &[Question],
    name: &str,
    findings: &mut Findings,
) -> Result<()> {
    let mut all = BTreeMap::new();
    for side in SIDES {
        let is_ours = [OURS, BY_ROWS].contains(&side);
        if !is_ours && (bench.python.is_none() || !bench.rivals.iter().any(|one| one == side)) {
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
    let note = format!(
        "ms, p50 wall / CPU; rows of one answer. CPU of the whole process, of Virtuoso of its server. Oxigraph, maplib and sparq are asked from \
         Python and give Python's values, Virtuoso JSON over loopback. Best: the fastest of the four others. Who takes longer than {} s gives \
         no answer.",
        bench.answer_seconds
    );
    let mut head = vec!["question", "rows"];
    head.extend(SIDES);
    head.extend(["wall / best", "CPU / best", "wall / Oxigraph", "CPU / row by row"]);
    let table = Table::new(&title, &note, &head);
    let head = ["question", "ours", "best", "wall / best", "CPU / best", "CPU / row by row"];
    let note = "By both wall and CPU more than 10 % slower than the best of the others, or 5 % slower than row by row; medians.";
    let slower = Table::new(format!("{title}: the slower ones"), note, &head);
    let mut comparison = Comparison { title: &title, all, table, slower };
    for question in questions {
        comparison.report(question, findings);
    }
    let Comparison { all, mut table, slower, .. } = comparison;
    let peaks = SIDES.map(|side| all.get(side)?.get("peak memory").map(|peak| peak.count));
    let mut cells = vec!["peak memory, MiB".to_owned(), String::new()];
    let mib = |kib: u64| format!("{:.0}", kib as f64 / 1024.0);
    cells.extend(peaks.map(|peak| peak.map_or("-".to_owned(), mib)));
    cells.resize(table.head.len(), String::new());
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
    findings.tables.extend([table, slower]);
    Ok(())
}

impl Comparison<'_> {
    fn of(&self, side: &str, question: &Question) -> Option<&Figures> {
        self.all.get(side)?.get(&question.name)
    }

    /// The fastest of some sides, its wall and CPU.
    fn best(
        &self,
        sides: &[&'static str],
        question: &Question,
    ) -> Option<(&'static str, [f64; 2])> {
        let of = |side: &&'static str| {
            let [wall, cpu] = p50(self.of(side, question));
            Some((*side, [wall?, cpu?]))
        };
        sides.iter().filter_map(of).min_by(|one, other| one.1[0].total_cmp(&other.1[0]))
    }

    /// Adds the row of a question, and compares it with its aims and the answers with each other.
    fn report(&mut self, question: &Question, findings: &mut Findings) {
        let Some(ours) = self.of(OURS, question) else { return };
        let own = p50(Some(ours));
        // Wall and CPU, as shares of those of the fastest of some sides.
        let shares = |sides: &[&'static str]| {
            let best = self.best(sides, question)?.1;
            Some([own[0]? / best[0], own[1]? / best[1]])
        };
        let [best, columns, beside, plain] =
            [&RIVALS[..], &COLUMN_STORES, &[OXIGRAPH], &[BY_ROWS]].map(shares);
        let turns = ours.wall_us.len().max(1) as u64;
        let mut cells = vec![question.name.clone(), (ours.count / turns).to_string()];
        for side in SIDES {
            let figures = self.of(side, question);
            cells.push(wall_cpu(p50(figures)));
            let Some(figures) = figures else { continue };
            if !figures.failed.is_empty() {
                findings.left_out(format!("{}, {side}: {}", question.name, figures.failed));
            } else if let Some(why) = difference(question, ours, figures) {
                findings.different.push(format!("{}, {side}: {why}", question.name));
            }
        }
        let [wall, cpu] = [0, 1].map(|at| best.map(|both| both[at]));
        let plain_cpu = plain.map(|both| both[1]);
        let oxigraph = beside.map(|both| both[0]);
        cells.extend([wall, cpu, oxigraph, plain_cpu].map(times));
        let what = question.name.as_str();
        for aim in question.aims {
            let (measure, [most, wanted], share) = match *aim {
                Aim::Oxigraph(most, wanted) => ("wall, ours / Oxigraph", [most, wanted], beside),
                Aim::ColumnStores(most, wanted) => {
                    ("wall, ours / best of maplib, Virtuoso, sparq", [most, wanted], columns)
                }
                Aim::Best(most, wanted) => ("wall, ours / best of the four", [most, wanted], best),
            };
            // What has no aim of its own is one row of the targets.
            let (what, label) =
                if question.aims.len() == 1 { (self.title, what) } else { (what, "") };
            let share = share.map(|both| both[0]);
            findings.check(what, measure, Target::at_most(most, wanted), label, share);
        }
        let target = Target::at_most(SLOWER_MAX[1], 1.0);
        let measure = "CPU, by columns where known / row by row";
        findings.check(self.title, measure, target, what, plain_cpu);
        let is_slower = |shares: Option<[f64; 2]>, most: f64| {
            shares.is_some_and(|both| both.iter().all(|share| *share > most))
        };
        if is_slower(best, SLOWER_MAX[0]) || is_slower(plain, SLOWER_MAX[1]) {
            let best = self.best(&RIVALS, question);
            let best = best.map_or("-".to_owned(), |(side, both)| {
                format!("{side}, {}", wall_cpu(both.map(Some)))
            });
            let mut row = vec![what.to_owned(), wall_cpu(own), best];
            row.extend([wall, cpu, plain_cpu].map(times));
            self.slower.row(row);
        }
        self.table.row(cells);
    }
}

/// Whether an answer isn't ours.
fn difference(question: &Question, ours: &Figures, other: &Figures) -> Option<String> {
    if [ours, other].iter().any(|figures| !figures.failed.is_empty()) {
        return None;
    }
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
    // Any rows are right.
    let is_free =
        question.texts().iter().any(|text| text.contains("LIMIT") && !text.contains("ORDER BY"));
    let has_hash = !is_free && !other.hash.is_empty() && !ours.hash.is_empty() && is_as_often;
    (has_hash && other.hash != ours.hash).then(|| "other IRIs or strings".to_owned())
}

/// The same questions of a store that is 5 % behind its merges, and of that store once merged; and
/// commits while it falls behind.
pub(super) fn behind_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let questions = wide(bench.input.products);
    let copy = bench.copy(Side::Ours)?;
    let plan = bench.scratch.join("unmerged-plan");
    let lines = fs::read_to_string(&bench.input.plan)?;
    let some: Vec<&str> = lines.lines().take(UNMERGED_BURSTS).collect();
    fs::write(&plan, some.join("\n"))?;
    let words = ["bursts".as_ref(), copy.as_os_str(), plan.as_os_str()];
    let own = ["sparql", "own"].map(OsStr::new);
    let bursts = bench.asked(Side::Ours, &[words.as_slice(), &own].concat())?;
    let ask =
        |name: &str| Answerer::ours(bench, &copy, "columns")?.ask(name, &questions, bench.scratch);
    // In turns, so that what else the machine does is in both.
    let mut behind = vec![ask("with 5 % unmerged")?];
    let merged_copy = bench.scratch.join("merged");
    if merged_copy.exists() {
        fs::remove_dir_all(&merged_copy)?;
    }
    copy_folder(&copy, &merged_copy)?;
    bench.asked(Side::Ours, &["merge".as_ref(), merged_copy.as_os_str()])?;
    let ask_merged = || {
        let answerer = Answerer::ours(bench, &merged_copy, "columns")?;
        answerer.ask("merged", &questions, bench.scratch)
    };
    let mut merged = vec![ask_merged()?];
    for _ in 1..bench.turn_count {
        behind.push(ask("with 5 % unmerged")?);
        merged.push(ask_merged()?);
    }
    let [behind, merged] = [behind, merged].map(joined_answers);
    let title = "Questions with a part of the data unmerged";
    let note = "The shop and 25 bursts: about 52,000 triples in the log and in memory, and then in leaves. ms, p50 wall / CPU, of all turns.";
    let head = ["question", "rows", "unmerged", "merged", "wall", "CPU"];
    let mut table = Table::new(title, note, &head);
    for question in &questions {
        let [one, other] = [&behind, &merged].map(|answers| answers.get(&question.name));
        let (over, under) = (p50(one), p50(other));
        let share = |at: usize| Some(over[at]? / under[at]?);
        let count = one.map_or(0, |one| one.count / one.wall_us.len().max(1) as u64);
        table.row(vec![
            question.name.clone(),
            count.to_string(),
            wall_cpu(over),
            wall_cpu(under),
            times(share(0)),
            times(share(1)),
        ]);
        let target = Target::at_most(1.2, 1.1);
        findings.check(title, "CPU, unmerged / merged", target, &question.name, share(1));
        for (name, figures) in [("unmerged", one), ("merged", other)] {
            if let Some(figures) = figures.filter(|figures| !figures.failed.is_empty()) {
                findings.left_out(format!("{}, {name}: {}", question.name, figures.failed));
            }
        }
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
    if let Some(commit) = bursts.iter().find(|figures| figures.row == "commit") {
        commits(commit, findings);
    }
    Ok(())
}

/// Answers of several turns, those to one question put together.
fn joined_answers(turns: Vec<Answers>) -> Answers {
    let all = turns.into_iter().flatten();
    let mut joined = Answers::new();
    for (name, figures) in all {
        match joined.get_mut(&name) {
            Some(one) => {
                // Answers are the same in all turns: as many rows for each, whose hashes add up.
                one.count += figures.count;
                one.join(figures);
                one.hash = String::new();
            }
            None => drop(joined.insert(name, figures)),
        }
    }
    joined
}

/// Commits while less is unmerged, beside those while more is.
fn commits(commit: &Figures, findings: &mut Findings) {
    let half = commit.cpu_us.len() / 2;
    let of = |us: &[f64]| median(us.to_vec()).map(|us| us / 1e3);
    let [first, last] = [(0, half), (half, commit.cpu_us.len())]
        .map(|(from, to)| [of(&commit.wall_us[from..to]), of(&commit.cpu_us[from..to])]);
    let title = "Commits of some 2,100 triples while the store falls behind";
    let note = "ms, p50 wall / CPU; each is synced.";
    let head = ["commits", "the first half", "the second half", "CPU, second / first"];
    let mut table = Table::new(title, note, &head);
    let share = last[1].zip(first[1]).map(|(over, under)| over / under);
    let count = commit.cpu_us.len().to_string();
    table.row(vec![count, wall_cpu(first), wall_cpu(last), times(share)]);
    findings.check(title, "CPU, second half / first", Target::at_most(1.1, 1.0), "", share);
    findings.tables.push(table);
}
