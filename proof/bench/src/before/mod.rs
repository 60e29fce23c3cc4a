//! The kind `before`: the current programs beside those of an earlier commit, over the rows of the
//! other kinds, so that a change that makes one of them slower shows.
//!
//! Both sides run by turns, before, now, before, now; each has a cache folder and output folders of
//! its own.

mod commands;
mod programs;
mod rows;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lexopt::ValueExt as _;
use programs::Programs;

use crate::corpora::{self, Tree};
use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "before",
    help: "rows of all kinds, beside the programs of an earlier commit",
    usage: "usage: manicule-bench before --commit REV|--programs DIR [OPTIONS]

  --commit REV        the programs of this commit, built now and kept in the cache folder
  --programs DIR      DIR/manicule and DIR/manicule-bench, built already
  --manicule PATH     our program as it is (default: built now, profile dist)
  --corpora DIR       where the trees are, or are put: DIR/k8s-full, DIR/gosrc
  --corpus NAME       kubernetes, k8s-full, gosrc, linux-sub or linux (default: k8s-full)
  --only A,B,...      find,code,series-steps,series,rows,graph,blobs (default: all)
  --count N           series of the Kubernetes shape (default: 1200000)
  --runs N            turns of each search (default: 15)
  --turns N           turns of everything else (default: 5)
  --save              writes proof/runs/DATE-before/",
    commands: &[],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

const GROUPS: &[(&str, Rows)] = &[
    ("find", rows::find),
    ("code", rows::code),
    ("series-steps", rows::series_steps),
    ("series", rows::series),
    ("rows", commands::rows),
    ("graph", commands::graph),
    ("blobs", commands::blobs),
];
/// Those that search a tree of text.
const OF_TREES: &[&str] = &["find", "code"];

/// Source of the earlier programs.
enum Past {
    Commit(String),
    Folder(PathBuf),
}

struct Options {
    past: Past,
    corpora_folder: Option<PathBuf>,
    corpus: Tree,
    groups: Vec<(&'static str, Rows)>,
    series_count: usize,
    run_count: usize,
    turn_count: usize,
}

/// Context of the row groups.
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
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let (before, line) = match &options.past {
        Past::Commit(commit) => {
            let programs = programs::of_commit(&run.repository, &run.cache, commit)?;
            (programs, format!("before: commit {commit}"))
        }
        Past::Folder(folder) => {
            (Programs::in_folder(folder)?, "before: programs that were given".to_owned())
        }
    };
    let now = Programs { manicule: run.manicule()?, bench: std::env::current_exe()? };
    let corpora_folder = run.corpora(options.corpora_folder.as_deref())?;
    let mut findings = Findings::default();
    let before = before.copied(&run.scratch().join("before"))?;
    let now = now.copied(&run.scratch().join("now"))?;
    measure_all(&options, [&before, &now], &corpora_folder, run.scratch(), &mut findings)?;
    run.end("before", &corpora_folder, &findings, &|machine| {
        kind::summary("now beside before", machine, std::slice::from_ref(&line), &findings)
    })
}

fn measure_all(
    options: &Options,
    sides: [&Programs; 2],
    corpora_folder: &Path,
    scratch: &Path,
    findings: &mut Findings,
) -> Result<()> {
    let tree = if options.groups.iter().any(|(name, _)| OF_TREES.contains(name)) {
        corpora::get(options.corpus, corpora_folder)?.canonicalize()?
    } else {
        scratch.to_owned()
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
    options.groups.iter().try_for_each(|(name, rows)| {
        eprintln!("{name}");
        rows(&bench, findings)
    })
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut past = None;
    let mut options = Options {
        past: Past::Commit(String::new()),
        corpora_folder: None,
        corpus: Tree::K8sFull,
        groups: GROUPS.to_vec(),
        series_count: 1_200_000,
        run_count: 15,
        turn_count: 5,
    };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "commit" => past = Some(Past::Commit(parser.value()?.string()?)),
            "programs" => past = Some(Past::Folder(parser.value()?.into())),
            "corpora" => options.corpora_folder = Some(parser.value()?.into()),
            "corpus" => {
                let name = parser.value()?.string()?;
                let tree = Tree::ALL.into_iter().find(|tree| tree.name() == name);
                options.corpus = tree.with_context(|| format!("no tree is called {name}"))?;
            }
            "only" => {
                options.groups = kind::groups("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "count" => options.series_count = parser.value()?.parse()?,
            "runs" => options.run_count = parser.value()?.parse()?,
            "turns" => options.turn_count = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    options.past =
        past.context("--commit REV or --programs DIR names the commit to compare with")?;
    Ok((options, common))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_must_be_said() {
        assert!(parse(vec!["--runs".into(), "3".into()]).is_err());
        let words = ["--commit", "HEAD~1", "--only", "code,find", "--corpus", "gosrc"];
        let (options, _) = parse(words.map(OsString::from).to_vec()).unwrap();
        assert_eq!(
            options.groups.iter().map(|group| group.0).collect::<Vec<_>>(),
            ["find", "code"]
        );
        assert_eq!(options.corpus, Tree::GoSrc);
        assert!(
            parse(vec!["--commit".into(), "a".into(), "--only".into(), "speed".into()]).is_err()
        );
    }
}
