//! The rows of indexing a git repository, and of runs that find nothing changed: zoekt-git-index
//! and ours in turns.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Bench, NO_PEER, build};
use crate::corpora::Tree;
use crate::files::remove;
use crate::findings::Findings;
use crate::measure::{CPU, Lane, Measure, Pairing, Series, Task, WALL, interleave, ratio};
use crate::table::{self, Table, Target};

const PEER: &str = "zoekt-git-index";
const OURS: &str = "manicule code git-index";
const PEER_AGAIN: &str = "zoekt-git-index, no commit since";
const OURS_AGAIN: &str = "manicule code git-index, no commit since";
const FOLDER_AGAIN: &str = "manicule code index, nothing changed";

/// The tree as the one commit of a repository, indexed, and indexed again.
pub(super) fn rows(
    bench: &Bench<'_>,
    corpus: Tree,
    tree: &Path,
    findings: &mut Findings,
) -> Result<()> {
    let repository = committed(tree, &bench.scratch.join("tree.git"))?;
    build::warm(tree)?;
    if bench.zoekt_git_index.is_none() {
        findings.left_out(format!("zoekt-git-index beside ours: {NO_PEER} (--zoekt-git-index)"));
    }
    let folder = |name: &str| bench.scratch.join(name);
    let mut lanes = Vec::new();
    let mut both = |program: &Path, words: &[&str], first, again| -> Result<()> {
        let task = |name, output: &Path| {
            let task = Task::new(name, program, bench.scratch).args(words);
            task.args(["-disable_ctags", "-index"]).args([output, &repository])
        };
        let output = folder("git-shards");
        let task_first = task(first, &output);
        let before = move || {
            remove(&output)?;
            Ok(fs::create_dir_all(&output)?)
        };
        lanes.push(Lane { task: task_first, before: Some(Box::new(before)) });
        let output = folder(&format!("{again} shards"));
        fs::create_dir_all(&output)?;
        lanes.push(Lane::from(task(again, &output)));
        Ok(())
    };
    if let Some(program) = bench.zoekt_git_index {
        both(program, &[], PEER, PEER_AGAIN)?;
    }
    both(bench.manicule, &["code", "git-index", "--quiet"], OURS, OURS_AGAIN)?;
    let output = folder("folder-shards");
    fs::create_dir_all(&output)?;
    lanes.push(build::index_task(FOLDER_AGAIN, bench.manicule, &[], tree, &output).into());

    let series = interleave(&mut lanes, 1, bench.turn_count, &bench.out())?;
    let name = corpus.name();
    let note = format!(
        "Processes from start to end, in turns ({} of each), medians; the tree is one commit of a \
         repository, its objects loose, pages warm; without ctags. A first run has a new output \
         folder. zoekt-index has no check whether something has changed: it writes all again, see \
         the builds.",
        bench.turn_count
    );
    let head = ["run", "CPU s", "wall s", "peak MiB", "CPU zoekt / it", "wall zoekt / it"];
    let mut table = Table::new(format!("{name}: a git repository"), &note, &head);
    let of = |name: &str| series.iter().find(|one| one.name == name);
    let peer_of = |one: &Series| match one.name.as_str() {
        PEER | OURS => of(PEER),
        PEER_AGAIN | OURS_AGAIN => of(PEER_AGAIN),
        _ => None,
    };
    for one in &series {
        if let Some(failure) = &one.failure {
            findings.left_out(format!("{name}, {}: {failure}", one.name));
        }
        let cell = |measure: Measure| match peer_of(one) {
            Some(peer) => table::times(ratio(peer, one, Pairing::Medians, measure)),
            None => "-".to_owned(),
        };
        let seconds = |ms: Option<f64>| ms.map_or("-".to_owned(), |ms| format!("{:.3}", ms / 1e3));
        table.row(vec![
            one.name.clone(),
            seconds(one.cpu_ms()),
            seconds(one.wall_ms()),
            table::ms(one.peak_mib()),
            cell(CPU),
            cell(WALL),
        ]);
    }
    let mut check = |label: &str, peer: &str, least: f64| {
        let figure = of(peer).zip(of(label));
        let figure = figure.and_then(|(peer, one)| ratio(peer, one, Pairing::Medians, CPU));
        let what = format!("{name}, git");
        findings.check(&what, "CPU of zoekt / ours", Target::at_least(least, least), label, figure);
    };
    check(OURS, PEER, 4.0);
    check(OURS_AGAIN, PEER_AGAIN, 1.0);
    findings.tables.push(table);
    findings.raw.push((format!("{name}/git"), series));
    Ok(())
}

/// A bare repository whose one commit is the tree.
fn committed(tree: &Path, repository: &Path) -> Result<PathBuf> {
    eprintln!("making a repository of {} ...", tree.display());
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=bench", "-c", "user.email=bench@example.org"]);
        git.args(["-c", "core.safecrlf=false"]);
        git.arg("--git-dir").arg(repository).args(words).current_dir(tree);
        let status = git.status().context("git can't be started")?;
        ensure!(status.success(), "git {words:?}: {status}");
        Ok(())
    };
    git(&["init", "--quiet", "--bare"])?;
    git(&["--work-tree=.", "add", "--force", "."])?;
    git(&["--work-tree=.", "commit", "--quiet", "-m", "all of it"])?;
    Ok(repository.to_owned())
}
