//! Questions of a block of many series.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Bench;
use super::ask::{Most, Question, ask};
use crate::figures;
use crate::findings::Findings;
use crate::measure::{self, Task};

/// Selectors of the reading table of the kind `series` that are asked here too.
const SELECTED: [&str; 3] =
    ["name + pod", "4 equalities (name, namespace, le, code)", "name + pod=~\".*x7.*\""];

/// A line of what the kind `series` writes beside its label sets.
#[derive(Deserialize)]
struct Written {
    row: String,
    selector: String,
}

/// The rows of the group.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let folder =
        bench.kept(&format!("series-{}", bench.series_count), |folder| make(bench, folder))?;
    let block = fs::read_dir(folder.join("data"))?.next().context("a block")??.path();
    let server = bench.server();
    server.lend(&block, "block/");
    let most = Most { rounds: Some(5.0), bytes: Some(1e6), again: Some(2.0), of_peer: None };
    let labels = ["series", "labels", "pod", "PLACE"];
    let copied = bench.copied(&server.address("block/"), &labels);
    let mut questions = vec![Question::new("values of a label", &labels).most(most).peers(copied)];
    for line in BufReader::new(File::open(folder.join("questions.jsonl"))?).lines() {
        let Written { row, selector } = serde_json::from_str(&line?)?;
        if SELECTED.contains(&row.as_str()) {
            let words = ["series", "select", &selector, "PLACE"];
            questions.push(Question::new(&format!("series of {row}"), &words).most(most));
            let words = ["series", "select", "--samples", &selector, "PLACE"];
            questions.push(Question::new(&format!("samples of {row}"), &words).most(most));
        }
    }
    let title = format!("A block of {} series", bench.series_count);
    ask(bench, &title, &server, "block/", Some(&block), &questions, findings)
}

/// Makes the block: a sample of each series.
fn make(bench: &Bench<'_>, folder: &Path) -> Result<()> {
    let text = folder.join("samples.om");
    let count = bench.series_count.to_string();
    let path = |path: PathBuf| path.into_os_string();
    let words = ["generate", "--openmetrics", "--samples", "1", "--count", &count, "-o"];
    let mut words: Vec<_> = words.iter().map(OsString::from).collect();
    words.extend([path(text.clone()), "--questions".into(), path(folder.join("questions.jsonl"))]);
    figures::of_ours("series", &words)?;
    let task = Task::new("manicule", &bench.manicule, folder)
        .args(["series", "build", "-o", "data"])
        .args([&text]);
    measure::run(&task, &bench.scratch.join("answer")).context("series build")?;
    fs::remove_file(text)?;
    Ok(())
}
