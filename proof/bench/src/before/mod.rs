//! The kind `before`: the programs of now beside those of a commit of the past, over the rows of the other kinds, so
//! that a change that makes one of them slower shows.
//!
//! Both sides run by turns, before, now, before, now; each has a cache folder and output folders of its own.
//!
//! Callers: main

mod programs;
mod rows;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::corpora::{self, Tree};
use crate::findings::{Findings, Save};
use crate::machine::{self, Machine, Scratch};
use crate::table::verdicts_table;
use crate::{programs::build_manicule, sys};
use programs::Programs;

const USAGE: &str = "usage: manicule-bench before --commit REV|--programs DIR [OPTIONS]

  --commit REV        the programs of this commit, built now and kept in the cache folder
  --programs DIR      DIR/manicule and DIR/manicule-bench, built already
  --manicule PATH     our program as it is (default: built now, profile dist)
  --corpora DIR       where the trees are, or are put: DIR/k8s-full, DIR/gosrc
  --corpus NAME       kubernetes, k8s-full, gosrc, linux-sub or linux (default: k8s-full)
  --only A,B,...      find,code,series (default: all)
  --count N           series of the Kubernetes shape (default: 1200000)
  --runs N            turns of each search (default: 15)
  --turns N           turns of each build and of each row of series (default: 5)
  --save              writes proof/runs/DATE-before/";

const GROUPS: [&str; 3] = ["find", "code", "series"];

/// Where the programs of the past come from.
enum Past {
    Commit(String),
    Folder(PathBuf),
}

struct Options {
    past: Past,
    manicule: Option<PathBuf>,
    corpora_folder: Option<PathBuf>,
    corpus: Tree,
    groups: Vec<String>,
    series_count: usize,
    run_count: usize,
    turn_count: usize,
    save: Save,
}

/// What the row groups need.
struct Bench<'a> {
    /// Before, and now.
    sides: [&'a Programs; 2],
    corpus: Tree,
    tree: &'a Path,
    /// Scratch files of this run.
    scratch: &'a Path,
    series_count: usize,
    run_count: usize,
    turn_count: usize,
}

/// Runs the kind.
pub(crate) fn main(words: Vec<OsString>) -> Result<()> {
    let Some(options) = parse(words)? else {
        println!("{USAGE}");
        return Ok(());
    };
    sys::adopt_orphans();
    let repository = machine::repository()?;
    let cache = machine::cache_folder()?;
    let before = match &options.past {
        Past::Commit(commit) => programs::of_commit(&repository, &cache, commit)?,
        Past::Folder(folder) => Programs::in_folder(folder)?,
    };
    let manicule = match &options.manicule {
        Some(path) => path.canonicalize().with_context(|| path.display().to_string())?,
        None => build_manicule(&repository)?,
    };
    let now = Programs { manicule, bench: std::env::current_exe()? };
    let corpora_folder = options.corpora_folder.clone().unwrap_or_else(|| cache.join("corpora"));
    fs::create_dir_all(&corpora_folder)?;
    let mut findings = Findings::default();
    let scratch = Scratch::below(&cache)?;
    let before = before.copied(&scratch.path().join("before"))?;
    let now = now.copied(&scratch.path().join("now"))?;
    measure_all(&options, [&before, &now], &corpora_folder, scratch.path(), &mut findings)?;
    drop(scratch);
    let machine = Machine::look(&repository, &corpora_folder);
    let summary = summary(&machine, &options, &findings);
    findings.report("before", &repository, &machine, &summary, options.save)
}

fn measure_all(
    options: &Options,
    sides: [&Programs; 2],
    corpora_folder: &Path,
    scratch: &Path,
    findings: &mut Findings,
) -> Result<()> {
    let tree = match options.groups.iter().any(|group| group != "series") {
        true => corpora::get(options.corpus, corpora_folder)?.canonicalize()?,
        false => scratch.to_owned(),
    };
    let bench = Bench {
        sides,
        corpus: options.corpus,
        tree: &tree,
        scratch,
        series_count: options.series_count,
        run_count: options.run_count,
        turn_count: options.turn_count,
    };
    for group in &options.groups {
        eprintln!("{group}");
        match group.as_str() {
            "find" => rows::find(&bench, findings)?,
            "code" => rows::code(&bench, findings)?,
            "series" => rows::series(&bench, findings)?,
            other => unreachable!("parse lets no group {other} in"),
        }
    }
    Ok(())
}

/// The whole report as Markdown.
fn summary(machine: &Machine, options: &Options, findings: &Findings) -> String {
    let mut out = String::from("# now beside before\n\n");
    let mut line = |text: String| writeln!(out, "* {text}").expect("a string takes all");
    line(machine.line());
    line(match &options.past {
        Past::Commit(commit) => format!("before: commit {commit}"),
        Past::Folder(_) => "before: programs that were given".to_owned(),
    });
    findings.left_out.iter().for_each(|what| line(format!("left out: {what}")));
    findings.different.iter().for_each(|what| line(format!("**different:** {what}")));
    out += &verdicts_table(&findings.checks).markdown();
    for table in &findings.tables {
        out += &table.markdown();
    }
    out
}

fn parse(words: Vec<OsString>) -> Result<Option<Options>> {
    use lexopt::prelude::*;
    let mut past = None;
    let mut options = Options {
        past: Past::Commit(String::new()),
        manicule: None,
        corpora_folder: None,
        corpus: Tree::K8sFull,
        groups: GROUPS.map(str::to_owned).to_vec(),
        series_count: 1_200_000,
        run_count: 15,
        turn_count: 5,
        save: Save::Nowhere,
    };
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("commit") => past = Some(Past::Commit(parser.value()?.string()?)),
            Long("programs") => past = Some(Past::Folder(parser.value()?.into())),
            Long("manicule") => options.manicule = Some(parser.value()?.into()),
            Long("corpora") => options.corpora_folder = Some(parser.value()?.into()),
            Long("corpus") => {
                let name = parser.value()?.string()?;
                let tree = Tree::ALL.into_iter().find(|tree| tree.name() == name);
                options.corpus = tree.with_context(|| format!("no tree is called {name}"))?;
            }
            Long("only") => options.groups = chosen(&parser.value()?.string()?)?,
            Long("count") => options.series_count = parser.value()?.parse()?,
            Long("runs") => options.run_count = parser.value()?.parse()?,
            Long("turns") => options.turn_count = parser.value()?.parse()?,
            Long("save") => options.save = Save::Runs,
            Long("help") | Short('h') => return Ok(None),
            _ => return Err(word.unexpected().into()),
        }
    }
    options.past = past.context("--commit REV or --programs DIR says what to be beside")?;
    Ok(Some(options))
}

fn chosen(list: &str) -> Result<Vec<String>> {
    let groups: Vec<String> = list.split(',').map(str::to_owned).collect();
    match groups.iter().find(|group| !GROUPS.contains(&group.as_str())) {
        Some(unknown) => bail!("--only {unknown}: the groups are {}", GROUPS.join(", ")),
        None => Ok(groups),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_must_be_said() {
        assert!(parse(vec!["--runs".into(), "3".into()]).is_err());
        let words = ["--commit", "HEAD~1", "--only", "code,find", "--corpus", "gosrc"];
        let options = parse(words.map(OsString::from).to_vec()).unwrap().unwrap();
        assert_eq!(options.groups, ["code", "find"]);
        assert_eq!(options.corpus, Tree::GoSrc);
        assert!(chosen("speed").unwrap_err().to_string().contains("the groups are find"));
    }
}
