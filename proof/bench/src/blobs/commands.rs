//! Commands over generated repositories: each a table of one row a program.
//!
//! Callers: blobs/mod

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use manicule_repositories::PASSWORD;
use serde::Deserialize;

use super::Bench;
use super::peers::Restic;
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, PEAK, Pairing, Series, Task, WALL, ratio};
use crate::table::{self, Table};

/// A question, and how each program is asked it.
struct Question {
    name: String,
    restic: Vec<OsString>,
    /// Words after rustic's own options; `None` where it can't be asked.
    rustic: Option<Vec<OsString>>,
    /// The program around rustic's library, with its first word.
    rustic_peer: Option<&'static str>,
}

impl Question {
    fn new(name: impl Into<String>, restic: &[&str]) -> Question {
        let restic = restic.iter().map(OsString::from).collect();
        Question { name: name.into(), restic, rustic: None, rustic_peer: None }
    }

    fn rustic(self, words: &[&str]) -> Question {
        Question { rustic: Some(words.iter().map(OsString::from).collect()), ..self }
    }

    fn rustic_peer(self, word: &'static str) -> Question {
        Question { rustic_peer: Some(word), ..self }
    }
}

/// An id that no blob has: searching it loads the whole index, and nothing more where there are no snapshots.
const NO_BLOB: &str = "00000000000000000000000000000000000000000000000000000000000000ab";

/// Rows of loading: an index of five million entries, without packs.
pub(super) fn load_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let repository = bench.corpus("index")?;
    let questions = [
        Question::new("load: find --blob, of no blob", &["find", "--blob", NO_BLOB])
            .rustic_peer("load"),
        Question::new("list blobs", &["list", "blobs"]),
    ];
    let title = "An index of 5,000,000 entries in 100 files";
    ask(bench, title, &repository, &questions, findings)
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
        let path = some_file(anchor, &repository)?;
        ask(bench, title, &repository, &questions(&path), findings)?;
    }
    Ok(())
}

/// What is asked of a whole repository, and of a file in it.
fn questions(path: &str) -> [Question; 7] {
    let prune = ["prune", "--dry-run", "--max-unused"];
    [
        Question::new("list blobs", &["list", "blobs"]),
        Question::new("find --blob, of no blob", &["find", "--blob", NO_BLOB]),
        Question::new("find PATH in all snapshots", &["find", path])
            .rustic(&["find", "--path", path]),
        Question::new("stats --mode raw-data", &["stats", "--mode", "raw-data"]),
        Question::new("check", &["check"]).rustic(&["check"]),
        Question::new("check --read-data", &["check", "--read-data"])
            .rustic(&["check", "--read-data"]),
        Question::new("prune --dry-run --max-unused 0", &[&prune[..], &["0"]].concat())
            .rustic(&[&prune[..], &["0B"]].concat()),
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

/// A file's path, some folders deep, in the last snapshot.
fn some_file(restic: &Restic, repository: &Path) -> Result<String> {
    let list = manicule_repositories::Restic::new(&restic.program)
        .answer(repository, ["ls", "--no-lock", "--json", "latest"])?;
    let nodes = list.lines().filter_map(|line| serde_json::from_str::<Listed>(line).ok());
    // No character that a pattern gives a meaning to.
    let is_plain = |path: &str| {
        path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-.".contains(&byte))
    };
    let is_deep_file = |node: &Listed| {
        node.kind == "file" && node.path.split('/').count() > 4 && is_plain(&node.path)
    };
    let node = { nodes }.find(is_deep_file).context("no plain file lies deep enough")?;
    Ok(node.path)
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
         programs' own. The anchor is the first program of a command.",
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
        findings.raw.push((format!("{title}/{}", question.name), all));
    }
    findings.tables.push(table);
    Ok(())
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

/// The command lines of a question.
fn tasks(bench: &Bench<'_>, repository: &Path, question: &Question) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for restic in &bench.peers.restic {
        let task = Task::new(&restic.name, &restic.program, bench.scratch)
            .args(["--no-cache", "--no-lock", "--quiet", "-r"])
            .args([repository])
            .args(&question.restic)
            .env("RESTIC_PASSWORD", PASSWORD);
        tasks.push(task);
    }
    if let (Some(program), Some(words)) = (&bench.peers.rustic, &question.rustic) {
        let task = Task::new("rustic", program, bench.scratch)
            .args(["--no-cache", "--no-progress", "--log-level", "warn", "-r"])
            .args([repository])
            .args(words)
            .env("RUSTIC_PASSWORD", PASSWORD);
        tasks.push(task);
    }
    if let (Some(program), Some(word)) = (&bench.peers.rustic_peer, question.rustic_peer) {
        let task = Task::new("rustic_core", program, bench.scratch)
            .args([word])
            .args([repository])
            .args([PASSWORD]);
        tasks.push(task);
    }
    tasks
}
