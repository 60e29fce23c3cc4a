//! Commands over generated repositories: each a table of one row a program.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Result, bail};
use manicule_repositories::PASSWORD;
use serde::Deserialize;

use super::Bench;
use super::peers::Restic;
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, PEAK, Pairing, Sample, Series, Task, WALL, ratio};
use crate::table::{self, Table, Target};

/// A question, and how each program is asked it.
struct Question {
    name: String,
    /// Words after our own options, and those of where to keep an index of ours, if it is asked
    /// with one.
    ours: Vec<OsString>,
    cache: bool,
    restic: Option<Vec<OsString>>,
    /// Words after rustic's own options; `None` where it can't be asked.
    rustic: Option<Vec<OsString>>,
    /// The program around rustic's library, with its first word.
    rustic_peer: Option<&'static str>,
    goals: Vec<Goal>,
}

/// A figure to reach.
struct Goal {
    /// The program that ours is compared with; `None` for our own figure.
    peer: Option<&'static str>,
    measure: (&'static str, Measure),
    target: Target,
}

type Measure = fn(&Sample) -> f64;

/// The peers by the first letters of their names.
const RESTIC: &str = "restic 0.19.1";
const RUSTIC: &str = "rustic";
const RUSTIC_CORE: &str = "rustic_core";

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

impl Question {
    fn new(name: impl Into<String>, ours: &[&str]) -> Question {
        let (cache, restic, rustic, rustic_peer, goals) = (false, None, None, None, Vec::new());
        Question { name: name.into(), ours: words(ours), cache, restic, rustic, rustic_peer, goals }
    }

    /// A question that is asked in the same words.
    fn same(ours: &[&str]) -> Question {
        Question::new(ours.join(" "), ours).restic(ours)
    }

    fn restic(self, list: &[&str]) -> Question {
        Question { restic: Some(words(list)), ..self }
    }

    fn rustic(self, list: &[&str]) -> Question {
        Question { rustic: Some(words(list)), ..self }
    }

    fn rustic_peer(self, word: &'static str) -> Question {
        Question { rustic_peer: Some(word), ..self }
    }

    /// Asked with an index of ours that is kept between turns.
    fn cached(self) -> Question {
        Question { name: format!("{}, index kept", self.name), cache: true, ..self }
    }

    /// A peer's CPU time over ours has to be `least`.
    fn cpu(mut self, peer: &'static str, least: f64) -> Question {
        let target = Target::at_least(least, 1.5 * least);
        self.goals.push(Goal { peer: Some(peer), measure: ("CPU", CPU), target });
        self
    }

    /// A peer's memory over ours has to be `least`.
    fn peak(mut self, peer: &'static str, least: f64) -> Question {
        let target = Target::at_least(least, 1.5 * least);
        self.goals.push(Goal { peer: Some(peer), measure: ("peak memory", PEAK), target });
        self
    }

    /// Our wall clock has to be `most_ms`.
    fn wall_ms(mut self, most_ms: f64) -> Question {
        let target = Target::at_most(most_ms, most_ms / 2.0);
        self.goals.push(Goal { peer: None, measure: ("wall clock, ms", WALL), target });
        self
    }
}

/// An id that no blob has: searching it loads the whole index, and nothing more where there are no
/// snapshots.
const NO_BLOB: &str = "00000000000000000000000000000000000000000000000000000000000000ab";

/// Rows of loading: an index of five million entries, without packs.
pub(super) fn load_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let repository = bench.corpus("index")?;
    let find = ["find", "--blob", NO_BLOB];
    let load = Question::new("load: find --blob, of no blob", &find);
    let questions = [
        load.restic(&find)
            .rustic_peer("load")
            .cpu(RESTIC, 5.0)
            .cpu(RUSTIC_CORE, 4.0)
            .peak(RESTIC, 2.0),
        Question::new("load: find --blob, of no blob", &find).cached().wall_ms(50.0),
        Question::same(&["list", "blobs"]).cpu(RESTIC, 5.0),
    ];
    let title = "An index of 5,000,000 entries in 100 files";
    ask(bench, title, &repository, &questions, findings)
}

/// Rows of what few have: an index of thirty million entries. A prune of it is planned; no pack is
/// there, and nothing is used.
pub(super) fn large_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let repository = bench.large_corpus()?;
    let find = ["find", "--blob", NO_BLOB];
    let prune = ["prune", "--dry-run", "--max-unused", "0"];
    let questions = [
        Question::new("load: find --blob, of no blob", &find).restic(&find).peak(RESTIC, 2.0),
        Question::new("load: find --blob, of no blob", &find).cached(),
        Question::new("prune --dry-run --max-unused 0", &["usage", "--max-unused", "0"])
            .restic(&prune)
            .peak(RESTIC, 2.0),
    ];
    ask(bench, "An index of 30,000,000 entries in 600 files", &repository, &questions, findings)
}

/// Rows of whole repositories.
pub(super) fn whole_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let Some(anchor) = bench.peers.anchor() else {
        findings.left_out("commands over whole repositories: no restic to find a path by");
        return Ok(());
    };
    let repositories = [
        (bench.corpus("fleet")?, "Generated: 1,000,000 data blobs, 1,000 snapshots"),
        (bench.real_corpus(anchor)?, "Made by restic of generated files"),
    ];
    for (repository, title) in repositories {
        let path = some_file(bench, anchor, &repository)?;
        ask(bench, title, &repository, &questions(&path), findings)?;
    }
    Ok(())
}

/// What is asked of a whole repository, and of a file in it. Not for a blob: restic walks each
/// snapshot whole then, and had no answer about a thousand of them after ten minutes of CPU.
fn questions(path: &str) -> [Question; 10] {
    let prune = ["prune", "--dry-run", "--max-unused"];
    let unused = Question::new("prune --dry-run --max-unused 0", &["usage", "--max-unused", "0"]);
    [
        Question::same(&["list", "blobs"]),
        Question::new("find PATH in all snapshots", &["find", path])
            .restic(&["find", path])
            .rustic(&["find", "--path", path])
            .cpu(RESTIC, 3.0)
            .cpu(RUSTIC, 5.0),
        Question::new("ls latest", &["ls", "latest"]).restic(&["ls", "latest"]),
        Question::same(&["check"]).rustic(&["check"]).cpu(RESTIC, 3.0),
        Question::same(&["check", "--read-data"])
            .rustic(&["check", "--read-data"])
            .cpu(RESTIC, 1.0),
        unused
            .restic(&[&prune[..], &["0"]].concat())
            .rustic(&[&prune[..], &["0B"]].concat())
            .cpu(RESTIC, 3.0),
        Question::new("history PATH", &["history", path]).wall_ms(5000.0),
        Question::new("history PATH", &["history", path]).cached().wall_ms(50.0),
        Question::new("cost of all snapshots", &["cost"])
            .restic(&["stats", "--mode", "raw-data"])
            .wall_ms(3000.0),
        Question::new("cost of all snapshots", &["cost"]).cached(),
    ]
}

/// A line of `ls --json`.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    path: String,
    #[serde(default, rename = "type")]
    kind: String,
}

/// A file's path, some folders deep, in the last snapshot. The list goes through a file: what the
/// bench held in memory would count as peak memory of the processes that it starts.
fn some_file(bench: &Bench<'_>, restic: &Restic, repository: &Path) -> Result<String> {
    let list = bench.scratch.join("list");
    let task = Task::new(&restic.name, &restic.program, bench.scratch)
        .args(["--no-cache", "--no-lock", "-r"])
        .args([repository])
        .args(["ls", "--json", "latest"])
        .env("RESTIC_PASSWORD", PASSWORD);
    measure::run(&task, &list)?;
    // No character that a pattern gives a meaning to.
    let is_plain = |path: &str| {
        path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-.".contains(&byte))
    };
    for line in BufReader::new(File::open(&list)?).lines() {
        let Ok(node) = serde_json::from_str::<Listed>(&line?) else { continue };
        if node.kind == "file" && node.path.split('/').count() > 4 && is_plain(&node.path) {
            return Ok(node.path);
        }
    }
    bail!("no plain file lies deep enough in {}", repository.display());
}

/// Asks all programs each question, by turns.
fn ask(
    bench: &Bench<'_>,
    title: &str,
    repository: &Path,
    questions: &[Question],
    findings: &mut Findings,
) -> Result<()> {
    let head = [
        "command",
        "program",
        "CPU s",
        "wall s",
        "peak MiB",
        "CPU / anchor",
        "wall / anchor",
        "peak / anchor",
    ];
    let note = format!(
        "Medians of {} turns after one that is not counted; files in the page cache; no cache and no locks of the \
         programs' own, save where an index is kept. The anchor is the first program of a command.",
        bench.turn_count
    );
    let mut table = Table::new(title, &note, &head);
    for question in questions {
        let mut lanes: Vec<Lane<'_>> =
            tasks(bench, repository, question).into_iter().map(Lane::from).collect();
        eprintln!("  {}", question.name);
        let all =
            measure::interleave(&mut lanes, 1, bench.turn_count, &bench.scratch.join("answer"))?;
        for series in &all {
            if let Some(failure) = &series.failure {
                findings.left_out(format!("{}, {}: {failure}", question.name, series.name));
            }
            table.row(cells(question, series, &all[0]));
        }
        reach(title, question, &all, findings);
        findings.raw.push((format!("{title}/{}", question.name), all));
    }
    findings.tables.push(table);
    Ok(())
}

/// Compares ours, the last, with what it has to reach.
fn reach(title: &str, question: &Question, all: &[Series], findings: &mut Findings) {
    let Some((ours, peers)) = all.split_last() else { return };
    for Goal { peer, measure: (what, measure), target } in &question.goals {
        let (measure_name, figure) = match peer {
            None => ((*what).to_owned(), ours.median(measure)),
            Some(name) => {
                let peer = peers.iter().find(|series| series.name == *name);
                let figure = peer.and_then(|peer| ratio(peer, ours, Pairing::Medians, measure));
                (format!("{what} of {name} / ours"), figure)
            }
        };
        findings.check(&question.name, &measure_name, *target, title, figure);
    }
}

fn cells(question: &Question, series: &Series, anchor: &Series) -> Vec<String> {
    let over = |measure| table::times(ratio(series, anchor, Pairing::Medians, measure));
    vec![
        question.name.clone(),
        series.name.clone(),
        table::seconds(series.cpu_ms()),
        table::seconds(series.wall_ms()),
        table::ms(series.peak_mib()),
        over(CPU),
        over(WALL),
        over(PEAK),
    ]
}

/// The command lines of a question, ours the last.
fn tasks(bench: &Bench<'_>, repository: &Path, question: &Question) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for restic in &bench.peers.restic {
        let Some(words) = &question.restic else { break };
        let task = Task::new(&restic.name, &restic.program, bench.scratch)
            .args(["--no-cache", "--no-lock", "--quiet", "-r"])
            .args([repository])
            .args(words)
            .env("RESTIC_PASSWORD", PASSWORD);
        tasks.push(task);
    }
    if let (Some(program), Some(words)) = (&bench.peers.rustic, &question.rustic) {
        let task = Task::new(RUSTIC, program, bench.scratch)
            .args(["--no-cache", "--no-progress", "--log-level", "warn", "-r"])
            .args([repository])
            .args(words)
            .env("RUSTIC_PASSWORD", PASSWORD);
        tasks.push(task);
    }
    if let (Some(program), Some(word)) = (&bench.peers.rustic_peer, question.rustic_peer) {
        let task = Task::new(RUSTIC_CORE, program, bench.scratch)
            .args([word])
            .args([repository])
            .args([PASSWORD]);
        tasks.push(task);
    }
    let mut ours = Task::new("manicule", &bench.manicule, bench.scratch)
        .args(["blobs"])
        .args(&question.ours)
        .args(["-r"])
        .args([repository])
        .env("RESTIC_PASSWORD", PASSWORD);
    if question.cache {
        let folder = bench.scratch.join("index-cache");
        ours = ours.args(["--index-cache-dir"]).args([folder]);
    }
    tasks.push(ours);
    tasks
}
