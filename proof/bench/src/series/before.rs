//! The rows that the kind `before` runs for both of its sides: the commands of this bench that
//! measure the library from within, and commands of the program over blocks.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule_testkit::Shape;

use super::{KIND, blocks, read, write_rows};
use crate::figures::{self, Figures};
use crate::measure::{Series, Task};

/// Series with samples for the commands over blocks: as many as the rows of `blocks` have.
const SAMPLED_COUNT: usize = blocks::SERIES_COUNT;

/// Inputs of the rows.
pub(crate) struct Input {
    /// Label sets of the Kubernetes shape.
    tsv: PathBuf,
    questions: PathBuf,
    /// A block of them, without samples.
    block: PathBuf,
    /// Samples as text.
    text: PathBuf,
    /// Two blocks or more, made of it.
    sampled: Vec<PathBuf>,
    scratch: PathBuf,
}

impl Input {
    /// Makes it below `scratch`; blocks with samples are built by `program`.
    pub(crate) fn make(scratch: &Path, count: usize, program: &Path) -> Result<Input> {
        let (tsv, questions) = (scratch.join("sets.tsv"), scratch.join("questions.jsonl"));
        let text = scratch.join("samples.om");
        let count = count.to_string();
        let words = ["generate", "--shape", Shape::Kubernetes.name(), "--count", &count, "-o"];
        let rest = [tsv.as_os_str(), "--questions".as_ref(), questions.as_os_str()];
        figures::of_ours(KIND.name, &[&words.map(OsStr::new)[..], &rest].concat())?;
        let block = read::own_block(scratch, &tsv)?;
        let count = SAMPLED_COUNT.to_string();
        let words = ["generate", "--openmetrics", "--count", &count, "-o"].map(OsStr::new);
        figures::of_ours(KIND.name, &[&words[..], &[text.as_os_str()]].concat())?;
        let scratch = scratch.to_owned();
        let mut input = Input { tsv, questions, block, text, sampled: Vec::new(), scratch };
        let output = input.scratch.join("sampled");
        crate::measure::run(&input.build(program, &output), &input.scratch.join("answer"))?;
        input.sampled = blocks::blocks(&output)?;
        Ok(input)
    }

    /// Commands of the bench, each with the prefix of its rows' names.
    pub(crate) fn measured(&self) -> Vec<(&'static str, Vec<OsString>)> {
        let output = self.scratch.join("measured.index");
        let mut all: Vec<(&'static str, Vec<OsString>)> = Vec::new();
        for (name, words) in write_rows::our_ways() {
            let own = ["write".into(), "--tsv".into(), self.tsv.clone().into(), "-o".into()];
            let line = own.into_iter().chain([output.clone().into()]);
            all.push((name, line.chain(words.into_iter().map(OsString::from)).collect()));
        }
        let store = ["store", "--turns", "1", "--tsv"].map(OsString::from);
        all.push(("label store", store.into_iter().chain([self.tsv.clone().into()]).collect()));
        let read = ["read", "--turns", "3", "--block"].map(OsString::from);
        let rest = [self.block.clone().into(), "--questions".into(), self.questions.clone().into()];
        all.push(("read", read.into_iter().chain(rest).collect()));
        all
    }

    fn build(&self, program: &Path, output: &Path) -> Task {
        let words = ["series", "build", "--quiet", "-o"].map(OsStr::new);
        Task::new("build", program, &self.scratch)
            .args(words.into_iter().chain([output.as_os_str(), self.text.as_os_str()]))
    }

    /// Commands of a program over blocks, with their rows' names; their results go to `output`.
    pub(crate) fn commands(&self, program: &Path, output: &Path) -> Vec<(String, Task)> {
        let task = |name: &str, words: &[&str]| {
            Task::new(name, program, &self.scratch).args(["series"]).args(words)
        };
        let over = |name: &str, words: &[&str], paths: &[PathBuf]| {
            (name.to_owned(), task(name, words).args(paths))
        };
        let into = |name: &str, words: &[&str], paths: &[PathBuf]| {
            let task = task(name, words).args(["-o".as_ref(), output.as_os_str()]);
            (name.to_owned(), task.args(paths))
        };
        let (block, sampled) = (std::slice::from_ref(&self.block), &self.sampled[..]);
        let one = &sampled[..1];
        vec![
            ("build".to_owned(), self.build(program, output)),
            into("merge", &["merge", "--quiet"], sampled),
            into("rewrite --drop", &["rewrite", "--drop", r#"{pod=~".*7"}"#], one),
            into("split --parts 2", &["split", "--parts", "2"], one),
            over("analyze", &["analyze"], block),
            over("analyze --extended", &["analyze", "--extended"], one),
            over("labels", &["labels", "pod"], block),
            over("select --count", &["select", "--count", r#"{pod=~".+"}"#], block),
            over("select", &["select", r#"{job="kubelet"}"#], block),
            over("dump", &["dump"], one),
            over("verify", &["verify"], sampled),
        ]
    }
}

/// A row of a measured command, by both sides.
pub(crate) struct Row {
    /// Name in the command's output.
    pub(crate) name: String,
    /// Before, and now.
    pub(crate) both: [Series; 2],
    /// Whether both found the same, if a row finds something.
    pub(crate) same: Option<bool>,
}

/// Runs a command by both sides in turns: its rows.
pub(crate) fn measured(sides: [&Path; 2], words: &[OsString], turns: usize) -> Result<Vec<Row>> {
    let words = std::iter::once(OsStr::new("series")).chain(words.iter().map(OsString::as_os_str));
    let words: Vec<&OsStr> = words.collect();
    let mut runs = [Vec::new(), Vec::new()];
    for _ in 0..turns {
        for (runs, program) in runs.iter_mut().zip(sides) {
            runs.push(figures::of_process(program, &words)?);
        }
    }
    let [before, now] = runs.map(figures::joined);
    let pair = |before: Figures| {
        let now = now.iter().find(|one| one.row == before.row)?;
        let same = (!before.hash.is_empty()).then(|| before.hash == now.hash);
        let both = [before.series("before"), now.series("now")];
        Some(Row { name: before.row, both, same })
    };
    Ok(before.into_iter().filter_map(pair).collect())
}
