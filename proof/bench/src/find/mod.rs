//! The kind `find`: searching source trees, beside ripgrep, glep and codesearch.
//!
//! The measured quantity is described by each table's own note; the figures to reach
//! are those of the peers' study (rivals measured on the same trees).

mod corpora;
mod patterns;
mod report;
mod rivals;
mod rows;
mod states;
pub(crate) mod sweep;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use corpora::Corpus;
use lexopt::ValueExt as _;
use rivals::Programs;

use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::measure::{Pairing, Task};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "find",
    help: "search in source trees, beside ripgrep, glep and codesearch",
    usage: "usage: manicule-bench find [OPTIONS]

  --corpus k8s|linux|both   the trees to search (default: both)
  --corpora DIR             where they are, or are put: DIR/k8s-full, DIR/linux
  --rivals DIR              programs that are there already: DIR/rg, DIR/glep, DIR/cindex
  --manicule PATH           our program (default: built now, profile dist)
  --rows A,B,...            build,patterns,files,first,phases,sweep,cold,changed (default: all)
  --only TEXT               only patterns whose name holds TEXT
  --runs N                  measured turns of each program (default: 9)
  --quick                   three turns, one build
  --pair                    ratios are medians over pairs of turns, not ratios of medians
  --memory MIB              given to our build as --memory
  --threads N               given to our build as --threads
  --save                    writes proof/runs/DATE-find/

Row `changed` appends a line to 100 files of the corpus and takes it back. Without --corpora and
--rivals everything is fetched into $XDG_CACHE_HOME/manicule-bench (about 3 GB for both trees).",
    commands: &[],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

/// The row groups, in the order in which they run: `changed` is last, since it leaves other times
/// on a hundred files.
const ROWS: &[(&str, Rows)] = &[
    ("build", rows::build),
    ("patterns", rows::patterns),
    ("files", rows::files),
    ("first", states::first),
    ("phases", states::phases),
    ("sweep", sweep::rows),
    ("cold", states::cold),
    ("changed", states::changed),
];

/// The choices of one run.
struct Options {
    corpora: Vec<Corpus>,
    corpora_folder: Option<PathBuf>,
    rivals_folder: Option<PathBuf>,
    rows: Vec<(&'static str, Rows)>,
    only: Option<String>,
    run_count: usize,
    build_count: usize,
    pairing: Pairing,
    memory: Option<String>,
    threads: Option<String>,
}

/// Context of the row groups: the programs, the tree, scratch space, and the number of runs.
struct Bench<'a> {
    programs: &'a Programs,
    corpus: Corpus,
    /// The tree.
    tree: &'a Path,
    /// Scratch files of this run; outside the tree.
    scratch: &'a Path,
    only: Option<&'a str>,
    run_count: usize,
    build_count: usize,
    pairing: Pairing,
    memory: Option<&'a str>,
    threads: Option<&'a str>,
}

impl Bench<'_> {
    /// File for the answers of the measured programs.
    fn out(&self) -> PathBuf {
        self.scratch.join("answer")
    }

    /// The cache folder of our program for this tree.
    fn cache(&self) -> PathBuf {
        self.scratch.join(format!("cache-{}", self.corpus.name()))
    }

    /// Our program with its cache folder.
    fn manicule(&self, name: &str, cache: &Path) -> Task {
        ours(name, &self.programs.manicule, self.tree, cache)
    }

    /// Our `find` of the tree, given the flags and the pattern.
    fn find(&self, name: &str, extra: &[&str], query: &[String]) -> Task {
        find(self.manicule(name, &self.cache()), extra, query)
    }

    /// ripgrep with the same words.
    fn rg(&self, query: &[String]) -> Task {
        Task::new("rg", &self.programs.rg, self.tree)
            .args(["-n", "--no-heading"])
            .args(query)
            .args(["."])
    }

    /// glep with the same words; its index lies in the tree, in `.glep`.
    fn glep(&self, name: &str, extra: &[&str], query: &[String]) -> Option<Task> {
        let glep = self.programs.glep.as_ref()?;
        Some(Task::new(name, glep, self.tree).args(["-n"]).args(extra).args(query))
    }

    /// Our build of the index of the tree into a cache folder.
    fn build(&self, cache: &Path) -> Task {
        let mut task = self.manicule("manicule", cache).args(["cache", "build", "."]);
        for (flag, value) in [("--memory", self.memory), ("--threads", self.threads)] {
            if let Some(value) = value {
                task = task.args([flag, value]);
            }
        }
        task
    }
}

/// Our program in a tree, with its cache folder.
fn ours(name: &str, program: &Path, tree: &Path, cache: &Path) -> Task {
    Task::new(name, program, tree).env("MANICULE_CACHE_DIR", cache)
}

/// `find` of the current folder, given the flags and the pattern.
fn find(ours: Task, extra: &[&str], query: &[String]) -> Task {
    ours.args(["find", "-n", "--no-heading"]).args(extra).args(query).args(["."])
}

/// The build of the index of a tree by a program.
pub(crate) fn index_task(program: &Path, tree: &Path, cache: &Path) -> Task {
    ours("index build", program, tree, cache).args(["cache", "build", "."])
}

/// The searches of a tree by a program, each with its row's name: every pattern with the index,
/// some with `--max-age` and without the index, the list of files. The patterns are those of
/// Kubernetes.
pub(crate) fn search_tasks(program: &Path, tree: &Path, cache: &Path) -> Vec<(String, Task)> {
    let ours = |name: &str| ours(name, program, tree, cache);
    let row = |extra: &[&str], pattern: &patterns::Pattern| {
        let name = [&extra.join(" "), " ", &pattern.name()].concat().trim_start().to_owned();
        let task = find(ours(&name), extra, &pattern.query());
        (name, task)
    };
    let mut tasks: Vec<_> =
        patterns::of(Corpus::K8sFull).iter().map(|pattern| row(&[], pattern)).collect();
    for extra in [&["--max-age", "60"][..], &["--no-index"]] {
        tasks.extend(patterns::samples(Corpus::K8sFull).into_iter().map(|one| row(extra, one)));
    }
    for extra in [&[][..], &["--no-index"]] {
        let name = [&["--files"], extra].concat().join(" ");
        let task = ours(&name).args(["find", "--files"]).args(extra);
        tasks.push((name, task));
    }
    tasks
}

/// Runs the kind.
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let (given, kept) = (options.rivals_folder.as_deref(), run.cache.join("rivals"));
    let programs = rivals::gather(run.manicule()?, given, &kept, &mut findings)?;
    let corpora_folder = run.corpora(options.corpora_folder.as_deref())?;
    measure_all(&options, &programs, &corpora_folder, run.scratch(), &mut findings)?;
    run.end("find", &corpora_folder, &findings, &|machine| {
        report::summary(machine, &programs, &options, &findings)
    })
}

fn measure_all(
    options: &Options,
    programs: &Programs,
    corpora_folder: &Path,
    scratch: &Path,
    findings: &mut Findings,
) -> Result<()> {
    for &corpus in &options.corpora {
        let tree = match corpora::get(corpus, corpora_folder) {
            Ok(tree) => tree.canonicalize()?,
            Err(error) => {
                findings.left_out(format!("corpus {}: {error:#}", corpus.name()));
                continue;
            }
        };
        let bench = Bench {
            programs,
            corpus,
            tree: &tree,
            scratch,
            only: options.only.as_deref(),
            run_count: options.run_count,
            build_count: options.build_count,
            pairing: options.pairing,
            memory: options.memory.as_deref(),
            threads: options.threads.as_deref(),
        };
        rows::prepare(&bench, options.rows.iter().any(|(name, _)| *name == "build"), findings)?;
        for (name, rows) in &options.rows {
            eprintln!("{}: {name}", corpus.name());
            rows(&bench, findings)?;
        }
    }
    Ok(())
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut options = Options {
        corpora: vec![Corpus::K8sFull, Corpus::Linux],
        corpora_folder: None,
        rivals_folder: None,
        rows: ROWS.to_vec(),
        only: None,
        run_count: 9,
        build_count: 3,
        pairing: Pairing::Medians,
        memory: None,
        threads: None,
    };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "corpus" => {
                options.corpora = match parser.value()?.string()?.as_str() {
                    "k8s" => vec![Corpus::K8sFull],
                    "linux" => vec![Corpus::Linux],
                    "both" => vec![Corpus::K8sFull, Corpus::Linux],
                    other => bail!("--corpus {other}: it is k8s, linux or both"),
                }
            }
            "corpora" => options.corpora_folder = Some(parser.value()?.into()),
            "rivals" => options.rivals_folder = Some(parser.value()?.into()),
            "rows" => options.rows = kind::groups("--rows", &parser.value()?.string()?, ROWS)?,
            "only" => options.only = Some(parser.value()?.string()?),
            "runs" => options.run_count = parser.value()?.parse()?,
            "quick" => (options.run_count, options.build_count) = (3, 1),
            "pair" => options.pairing = Pairing::Pairs,
            "memory" => options.memory = Some(parser.value()?.string()?),
            "threads" => options.threads = Some(parser.value()?.string()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::HelpWanted;

    #[test]
    fn options_are_read() {
        let words = ["--corpus", "k8s", "--quick", "--pair", "--rows", "files"];
        let (options, _) = parse(words.map(OsString::from).to_vec()).unwrap();
        assert_eq!(options.corpora, [Corpus::K8sFull]);
        assert_eq!((options.run_count, options.build_count), (3, 1));
        assert_eq!(options.pairing, Pairing::Pairs);
        assert!(parse(vec!["--help".into()]).is_err_and(|error| error.is::<HelpWanted>()));
        assert!(parse(vec!["--fast".into()]).is_err());
    }
}
