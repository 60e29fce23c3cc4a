//! The rows of building an index: zoekt-index and ours in turns, each into a fresh folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::{Bench, NO_PEER};
use crate::corpora::Tree;
use crate::files::remove;
use crate::findings::Findings;
use crate::measure::{self, CPU, Digest, Measure, PEAK, Pairing, Series, Task, WALL, ratio};
use crate::table::{self, Table, Target};

const PEER: &str = "zoekt-index";
pub(super) const OURS: &str = "manicule";
const ONE_THREAD: &str = "manicule, 1 thread";
const LITTLE_MEMORY: &str = "manicule, 128 MiB";

/// Result of a builder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Left {
    shard_count: u64,
    len: u64,
}

/// A build of the shards of `tree` by a program of ours, with options of its own.
pub(crate) fn index_task(
    name: &str,
    program: &Path,
    options: &[&str],
    tree: &Path,
    output: &Path,
) -> Task {
    Task::new(name, program, tree)
        .args(["code", "index", "-disable_ctags", "--quiet"])
        .args(options)
        .args(["-index".as_ref(), output, tree])
}

/// zoekt-index and ours on each tree, in turns.
pub(super) fn rows(
    bench: &Bench<'_>,
    trees: &[(Tree, PathBuf)],
    findings: &mut Findings,
) -> Result<()> {
    let head = [
        "tree",
        "builder",
        "CPU s",
        "wall s",
        "peak MiB",
        "shards",
        "shard bytes",
        "CPU zoekt / it",
        "wall zoekt / it",
        "peak zoekt / it",
    ];
    let note = format!(
        "Processes from start to end, in turns ({} of each), medians; pages of the tree warm, the \
         output folder new; without ctags. Ours syncs its files before it ends, zoekt-index \
         doesn't. Shards are equal but for time and id.",
        bench.turn_count
    );
    let mut table = Table::new("Index build", &note, &head);
    if bench.zoekt_index.is_none() {
        findings.left_out(format!("zoekt-index beside our builds: {NO_PEER} (--zoekt-index)"));
    }
    for (corpus, tree) in trees {
        let name = corpus.name();
        let (file_count, text_len) = warm(tree)?;
        eprintln!("{name}: {file_count} files, {text_len} bytes");
        let (series, left) = build_in_turns(bench, tree)?;
        let peer = series.iter().position(|one| one.name == PEER);
        for (one, left) in series.iter().zip(&left) {
            if let Some(failure) = &one.failure {
                findings.left_out(format!("{name}, {}: {failure}", one.name));
            }
            let cell = |measure: Measure| match peer {
                Some(peer) => table::times(ratio(&series[peer], one, Pairing::Medians, measure)),
                None => NO_PEER.to_owned(),
            };
            table.row(vec![
                name.to_owned(),
                one.name.clone(),
                table::seconds(one.cpu_ms()),
                table::seconds(one.wall_ms()),
                table::ms(one.peak_mib()),
                left.shard_count.to_string(),
                left.len.to_string(),
                cell(CPU),
                cell(WALL),
                cell(PEAK),
            ]);
        }
        if let Some(peer) = peer {
            hold(*corpus, &series[peer], &series, findings);
            if left.iter().any(|one| one.shard_count != left[peer].shard_count) {
                findings.different.push(format!("{name}: other shard counts than zoekt-index"));
            }
        }
        findings.raw.push((format!("{name}/build"), series));
    }
    findings.tables.push(table);
    Ok(())
}

/// Compares our builds with the targets of a tree.
fn hold(corpus: Tree, peer: &Series, series: &[Series], findings: &mut Findings) {
    let ours = |name: &str| series.iter().find(|one| one.name == name);
    let mut check = |label: &str, measure_name: &str, least: f64, measure: Measure| {
        let figure = ours(label).and_then(|one| ratio(peer, one, Pairing::Medians, measure));
        let what = format!("{}, build", corpus.name());
        let measure = format!("{measure_name} of zoekt / ours");
        findings.check(&what, &measure, Target::at_least(least, least), label, figure);
    };
    let cpu_least = match corpus {
        Tree::Kubernetes | Tree::K8sFull | Tree::GoSrc => 4.0,
        Tree::LinuxSub | Tree::Linux => 10.0,
    };
    check(OURS, "CPU", cpu_least, CPU);
    if corpus == Tree::K8sFull {
        check(OURS, "wall", 4.0, WALL);
        check(OURS, "peak memory", 2.0, PEAK);
    }
}

fn build_in_turns(bench: &Bench<'_>, tree: &Path) -> Result<(Vec<Series>, Vec<Left>)> {
    // One folder for all: the output of a build is gone before the next begins, and so is its
    // writing back to disk.
    let output = bench.scratch.join("shards");
    let mut tasks = Vec::new();
    if let Some(zoekt_index) = bench.zoekt_index {
        let task = Task::new(PEER, zoekt_index, bench.scratch)
            .args(["-disable_ctags", "-index"])
            .args([output.as_path(), tree]);
        tasks.push(task);
    }
    let ours = |name, options: &[&str]| index_task(name, bench.manicule, options, tree, &output);
    tasks.push(ours(OURS, &[]));
    tasks.push(ours(ONE_THREAD, &["--threads", "1"]));
    tasks.push(ours(LITTLE_MEMORY, &["--memory", "128MiB"]));
    let mut all: Vec<Series> = tasks
        .iter()
        .map(|task| Series {
            name: task.name.clone(),
            samples: Vec::new(),
            output: Digest::default(),
            failure: None,
        })
        .collect();
    let mut left = vec![Left::default(); tasks.len()];
    for turn in 0..bench.turn_count {
        for ((task, series), left) in tasks.iter().zip(&mut all).zip(&mut left) {
            if series.failure.is_some() {
                continue;
            }
            remove(&output)?;
            fs::create_dir_all(&output)?;
            match measure::run(task, &bench.out()) {
                Ok(sample) if sample.exit == 0 => {
                    eprintln!(
                        "  {turn}: {}: {:.2} s CPU, {:.2} s wall, {:.0} MiB",
                        task.name,
                        sample.cpu_ms / 1e3,
                        sample.wall_ms / 1e3,
                        sample.peak_mib
                    );
                    *left = shards_in(&output)?;
                    series.samples.push(sample);
                }
                Ok(sample) => series.failure = Some(format!("ended with {}", sample.exit)),
                Err(error) => series.failure = Some(format!("{error:#}")),
            }
        }
    }
    remove(&output)?;
    let ours = all.iter().find(|one| one.name == OURS);
    if let Some(failure) = ours.and_then(|one| one.failure.as_ref()) {
        bail!("our shards can't be built: {failure}");
    }
    Ok((all, left))
}

/// The shards of a folder and their bytes.
fn shards_in(folder: &Path) -> Result<Left> {
    let mut left = Left::default();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "zoekt") {
            left.shard_count += 1;
            left.len += entry.metadata()?.len();
        }
    }
    Ok(left)
}

/// Reads every file of a tree once. Returns their number and their bytes.
pub(super) fn warm(tree: &Path) -> Result<(u64, u64)> {
    let (mut count, mut len) = (0, 0);
    for entry in fs::read_dir(tree)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" {
            let (more_count, more_len) = warm(&entry.path())?;
            (count, len) = (count + more_count, len + more_len);
        } else if kind.is_file() {
            count += 1;
            len += io::copy(&mut File::open(entry.path())?, &mut io::sink())?;
        }
    }
    Ok((count, len))
}
