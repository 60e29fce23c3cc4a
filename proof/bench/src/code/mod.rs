//! The kind `code`: zoekt shards made and searched, beside zoekt and ripgrep.
//!
//! No registry carries zoekt, so its programs are given by path; without them our own rows are
//! measured, and those of the peer are marked as such. The figures to reach are those of the peers'
//! study.

mod build;
mod git;
mod languages;
mod postings;
mod queries;
mod search;
mod texts;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lexopt::ValueExt as _;

use crate::corpora::{self, Tree};
use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run, whole};
use crate::measure::Task;
use crate::programs;

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "code",
    help: "zoekt shards made and searched, beside zoekt",
    usage: "usage: manicule-bench code [OPTIONS]

  --zoekt-index BIN   zoekt's indexer, to build beside ours
  --zoekt-git-index BIN
                      zoekt's indexer of repositories, to run beside ours
  --zoekt BIN         zoekt's search, to search beside ours
  --corpora DIR       where the trees are, or are put: DIR/k8s-full, DIR/gosrc ...
  --corpus A,B,...    kubernetes,k8s-full,gosrc,linux-sub,linux (default: all but linux,
                      which takes zoekt two minutes a turn); git, postings and
                      search take k8s-full, languages linux-sub
  --only A,B,...      build,git,search,languages,postings (default: all)
  --shards DIR        shards of k8s-full to search, there already (default: made now)
  --rivals DIR        programs that are there already: DIR/rg
  --manicule PATH     our program (default: built now, profile dist)
  --query TEXT        only queries whose name holds TEXT
  --turns N           turns of builds and postings (default: 3)
  --runs N            turns of each search (default: 9)
  --save              writes proof/runs/DATE-code/

Without --corpora and --rivals everything is fetched into $XDG_CACHE_HOME/manicule-bench.
Shards take up to three times their tree there while the bench runs.",
    commands: &[],
    run,
};

/// The groups of rows, in the order in which they run. Those that hold texts in this process come
/// last: a started process is charged with the memory of its parent.
const GROUPS: &[&str] = &["build", "git", "search", "languages", "postings"];

/// Cell in place of zoekt's figure.
const NO_PEER: &str = "no peer given";

/// The choices of one run.
struct Options {
    zoekt_index: Option<PathBuf>,
    zoekt_git_index: Option<PathBuf>,
    zoekt: Option<PathBuf>,
    corpora_folder: Option<PathBuf>,
    corpora: Vec<Tree>,
    groups: Vec<String>,
    shards: Option<PathBuf>,
    rivals_folder: Option<PathBuf>,
    only_query: Option<String>,
    turn_count: usize,
    run_count: usize,
}

/// Context of the row groups.
struct Bench<'a> {
    manicule: &'a Path,
    zoekt_index: Option<&'a Path>,
    zoekt_git_index: Option<&'a Path>,
    zoekt: Option<&'a Path>,
    rg: Option<&'a Path>,
    shards: Option<&'a Path>,
    only_query: Option<&'a str>,
    /// Scratch files of this run.
    scratch: &'a Path,
    turn_count: usize,
    run_count: usize,
}

impl Bench<'_> {
    /// File for the answers of the measured programs.
    fn out(&self) -> PathBuf {
        self.scratch.join("answer")
    }
}

pub(crate) use build::index_task;

/// Each query over shards as a task in their tree, with its row's name.
pub(crate) fn search_tasks(program: &Path, tree: &Path, shards: &Path) -> Vec<(String, Task)> {
    let queries = queries::QUERIES.iter().chain([&queries::OPEN]);
    queries
        .map(|query| (query.name.to_owned(), search::ours(query, program, tree, shards)))
        .collect()
}

/// Runs the kind.
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let runs = |group: &str| options.groups.iter().any(|chosen| chosen == group);
    let mut versions = Vec::new();
    let is_run = ["build", "git", "search"].into_iter().any(runs);
    let manicule = if is_run { run.manicule()? } else { PathBuf::new() };
    if manicule != Path::new("") {
        versions.push(programs::version("manicule", &manicule));
    }
    let rg = if runs("search") {
        programs::ripgrep(options.rivals_folder.as_deref(), &run.cache.join("rivals"))
            .inspect_err(|error| findings.left_out(format!("ripgrep: {error:#}")))
            .ok()
    } else {
        None
    };
    versions.extend(rg.as_deref().map(|rg| programs::version("ripgrep", rg)));
    let zoekt_index = options.zoekt_index.as_deref().map(whole).transpose()?;
    let zoekt_git_index = options.zoekt_git_index.as_deref().map(whole).transpose()?;
    let zoekt = options.zoekt.as_deref().map(whole).transpose()?;
    versions.push(match &zoekt_index {
        Some(program) => programs::version_by("zoekt-index", program, &["-version", "."]),
        None => format!("zoekt: {NO_PEER}"),
    });
    let corpora_folder = run.corpora(options.corpora_folder.as_deref())?;
    let bench = Bench {
        manicule: &manicule,
        zoekt_index: zoekt_index.as_deref(),
        zoekt_git_index: zoekt_git_index.as_deref(),
        zoekt: zoekt.as_deref(),
        rg: rg.as_deref(),
        shards: options.shards.as_deref(),
        only_query: options.only_query.as_deref(),
        scratch: run.scratch(),
        turn_count: options.turn_count,
        run_count: options.run_count,
    };
    measure_all(&options, &bench, &corpora_folder, &mut findings)?;
    let lines = [versions.join("; ")];
    run.end("code", &corpora_folder, &findings, &|machine| {
        kind::summary("code, beside zoekt and ripgrep", machine, &lines, &findings)
    })
}

fn measure_all(
    options: &Options,
    bench: &Bench<'_>,
    corpora_folder: &Path,
    findings: &mut Findings,
) -> Result<()> {
    for group in &options.groups {
        eprintln!("{group}");
        if group == "build" {
            let mut trees = Vec::new();
            for &corpus in &options.corpora {
                trees.extend(tree(corpus, corpora_folder, findings)?.map(|tree| (corpus, tree)));
            }
            build::rows(bench, &trees, findings)?;
            continue;
        }
        let corpus = if group == "languages" { Tree::LinuxSub } else { Tree::K8sFull };
        let Some(tree) = tree(corpus, corpora_folder, findings)? else { continue };
        match group.as_str() {
            "git" => git::rows(bench, corpus, &tree, findings)?,
            "languages" => {
                languages::row(corpus.name(), &tree, bench.turn_count, findings)?;
            }
            "search" => search::rows(bench, corpus, &tree, findings)?,
            "postings" => postings::rows(corpus.name(), &tree, bench.turn_count, findings)?,
            other => unreachable!("parse lets no group {other} in"),
        }
    }
    Ok(())
}

/// Folder of a tree; none if it can't be fetched.
fn tree(corpus: Tree, folder: &Path, findings: &mut Findings) -> Result<Option<PathBuf>> {
    match corpora::get(corpus, folder) {
        Ok(tree) => Ok(Some(tree.canonicalize()?)),
        Err(error) => {
            findings.left_out(format!("corpus {}: {error:#}", corpus.name()));
            Ok(None)
        }
    }
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut options = Options {
        zoekt_index: None,
        zoekt_git_index: None,
        zoekt: None,
        corpora_folder: None,
        corpora: Tree::ALL.into_iter().filter(|tree| *tree != Tree::Linux).collect(),
        groups: GROUPS.iter().map(|&group| group.to_owned()).collect(),
        shards: None,
        rivals_folder: None,
        only_query: None,
        turn_count: 3,
        run_count: 9,
    };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "zoekt-index" => options.zoekt_index = Some(parser.value()?.into()),
            "zoekt-git-index" => options.zoekt_git_index = Some(parser.value()?.into()),
            "zoekt" => options.zoekt = Some(parser.value()?.into()),
            "corpora" => options.corpora_folder = Some(parser.value()?.into()),
            "corpus" => options.corpora = chosen_corpora(&parser.value()?.string()?)?,
            "only" => {
                options.groups = kind::chosen("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "shards" => options.shards = Some(parser.value()?.into()),
            "rivals" => options.rivals_folder = Some(parser.value()?.into()),
            "query" => options.only_query = Some(parser.value()?.string()?),
            "turns" => options.turn_count = parser.value()?.parse()?,
            "runs" => options.run_count = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}

fn chosen_corpora(list: &str) -> Result<Vec<Tree>> {
    let one = |name: &str| {
        let known = Tree::ALL.into_iter().find(|tree| tree.name() == name);
        let names = || Tree::ALL.map(Tree::name).join(", ");
        known.with_context(|| format!("--corpus {name}: the trees are {}", names()))
    };
    list.split(',').map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::HelpWanted;

    #[test]
    fn options_are_read() {
        let of = |words: &[&str]| parse(words.iter().map(OsString::from).collect());
        let (options, _) = of(&["--only", "postings", "--turns", "5"]).unwrap();
        assert_eq!(options.groups, ["postings"]);
        assert_eq!((options.turn_count, options.run_count), (5, 9));
        let (options, _) = of(&["--corpus", "gosrc,linux"]).unwrap();
        assert_eq!(options.corpora, [Tree::GoSrc, Tree::Linux]);
        assert!(of(&["--only", "speed"]).is_err() && of(&["--corpus", "all"]).is_err());
        assert!(of(&["--help"]).is_err_and(|error| error.is::<HelpWanted>()));
    }
}
