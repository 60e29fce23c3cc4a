//! The kind `graph`: a store of RDF loaded, asked and written to, beside Oxigraph.
//!
//! The data is the shop of `proof/graphs`. The seed is a change of Fluree's that keeps reads fast
//! while a store is written to: its protocol of bursts, merges and reads is that of `writes`.

mod ask;
mod families;
mod handles;
mod input;
mod load;
mod processes;
mod questions;
mod reads;
mod steps;
mod wide;
mod writes;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use lexopt::ValueExt as _;

use crate::figures::{self, Figures};
use crate::files::copy_folder;
use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::machine;
use crate::measure::Task;
use crate::programs;
use input::Input;

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "graph",
    help: "a store of RDF, loaded, asked and written to, beside Oxigraph",
    usage: "usage: manicule-bench graph [OPTIONS]

  --only A,B,...      load,questions,bursts,processes,handles,reader,pages,wide,families,behind (default: all)
  --products N        size of the shop (default: 10000, which is a million triples; 50000 is 5 million)
  --turns N           turns of each row (default: 3)
  --rivals A,B,...    of wide, families: Oxigraph,maplib,sparq,Virtuoso (default: all)
  --seconds N         of wide, families, behind: time of one answer (default: 10)
  --rocksdb           Oxigraph's crate with RocksDB is the peer on disk, not pyoxigraph, which has the same inside
  --no-peers          our own rows alone
  --save              writes proof/runs/DATE-graph/

The oxigraph crate is built from the registry of crates, with RocksDB in some 40 minutes of a processor's time; pyoxigraph, sparq-rdf and
maplib come from PyPI, Virtuoso from Debian's packages, which are unpacked and not installed; they are kept in
$XDG_CACHE_HOME/manicule-proof, data in $XDG_CACHE_HOME/manicule-bench/corpora.",
    commands: &[("ask", ask::command)],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

/// The groups of rows, in the order in which they run.
const GROUPS: &[(&str, Rows)] = &[
    ("load", load::rows),
    ("questions", reads::rows),
    ("bursts", writes::burst_rows),
    ("processes", processes::rows),
    ("handles", handles::rows),
    ("reader", writes::reader_rows),
    ("pages", writes::page_rows),
    ("wide", |bench, findings| {
        wide::rows(bench, &questions::wide(bench.input.products), "the whole", findings)
    }),
    ("families", |bench, findings| {
        wide::rows(bench, &questions::of_families(), "one feature each", findings)
    }),
    ("behind", wide::behind_rows),
];

/// Time that a peer's process may take, in seconds: Oxigraph doesn't end with some questions.
const SECONDS_MAX: &str = "60";

struct Options {
    groups: Vec<(&'static str, Rows)>,
    products: u32,
    turn_count: usize,
    rivals: Vec<String>,
    answer_seconds: u64,
    with_peers: bool,
    with_rocksdb: bool,
}

/// A program with the words that come before those of the steps.
struct Peer {
    program: PathBuf,
    words: Vec<OsString>,
    /// Where Python looks for modules.
    modules: Option<PathBuf>,
}

impl Peer {
    /// A measuring program.
    fn program(folder: &Path) -> Peer {
        Peer { program: folder.join("oxigraph-peer"), words: Vec::new(), modules: None }
    }

    /// A store that a script in Python asks.
    fn python(engine: &str, modules: &Path, script: &Path) -> Peer {
        let words = vec![script.as_os_str().to_owned(), engine.into()];
        Peer { program: "python3".into(), words, modules: Some(modules.to_owned()) }
    }

    /// A command line that is measured as a whole.
    fn task(&self, name: &str, folder: &Path, words: &[&OsStr]) -> Result<Task> {
        let program = match self.modules {
            Some(_) => machine::which("python3").context("python3 isn't there")?,
            None => self.program.clone(),
        };
        let task = Task::new(name, &program, folder).args(&self.words).args(words);
        Ok(match &self.modules {
            Some(modules) => task.env("PYTHONPATH", modules),
            None => task,
        })
    }

    /// What a measured process prints, which ends after a time.
    fn asked(&self, words: &[&OsStr]) -> Result<Vec<Figures>> {
        let mut all: Vec<OsString> = Vec::new();
        all.extend(self.modules.iter().map(|modules| {
            let mut variable = OsString::from("PYTHONPATH=");
            variable.push(modules);
            variable
        }));
        all.extend(["timeout".into(), SECONDS_MAX.into(), self.program.clone().into_os_string()]);
        all.extend(self.words.iter().cloned());
        all.extend(words.iter().map(OsString::from));
        figures::of_process(Path::new("env"), all)
    }
}

/// Modules for Python, and the script that asks them.
struct Python {
    modules: PathBuf,
    script: PathBuf,
}

/// Context of the row groups.
struct Bench<'a> {
    input: Input,
    /// Our program.
    manicule: PathBuf,
    /// Oxigraph on disk, if it is here.
    oxigraph: Option<Peer>,
    /// Oxigraph in memory.
    memory: Option<Peer>,
    /// sparq, in memory.
    sparq: Option<Peer>,
    /// Stores that are asked from Python.
    python: Option<Python>,
    /// Virtuoso's programs.
    virtuoso: Option<PathBuf>,
    /// Scratch files of this run.
    scratch: &'a Path,
    turn_count: usize,
    /// The others that are asked questions over the whole graph.
    rivals: &'a [String],
    /// Time that one of their answers may take.
    answer_seconds: u64,
}

/// Whose store it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Ours,
    Oxigraph,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Ours => "ours",
            Side::Oxigraph => "Oxigraph",
        }
    }
}

impl Bench<'_> {
    /// The sides that are here.
    fn sides(&self) -> Vec<Side> {
        let oxigraph = self.oxigraph.as_ref().map(|_| Side::Oxigraph);
        std::iter::once(Side::Ours).chain(oxigraph).collect()
    }

    /// Folder of a side's store with the whole shop: loaded now, if the rows of loading haven't
    /// left it.
    fn store(&self, side: Side) -> Result<PathBuf> {
        let folder = self.scratch.join(format!("store-{}", side.name()));
        if !folder.exists() {
            let task = load::task(self, side, &self.input.shop, &folder)?;
            crate::measure::run(&task, &self.scratch.join("out"))?;
        }
        Ok(folder)
    }

    /// A copy of it that may be written to, which takes the place of the last one.
    fn copy(&self, side: Side) -> Result<PathBuf> {
        let (from, to) = (self.store(side)?, self.scratch.join("copy"));
        if to.exists() {
            std::fs::remove_dir_all(&to)?;
        }
        copy_folder(&from, &to)?;
        Ok(to)
    }

    /// What a measured process of a side prints.
    fn asked(&self, side: Side, words: &[&OsStr]) -> Result<Vec<Figures>> {
        match (side, &self.oxigraph) {
            (Side::Oxigraph, Some(peer)) => peer.asked(words),
            (Side::Oxigraph, None) => bail!("Oxigraph isn't here"),
            (Side::Ours, _) => {
                let mut all: Vec<OsString> = vec!["ask".into()];
                all.extend(words.iter().map(OsString::from));
                figures::of_ours(KIND.name, &all)
            }
        }
    }
}

/// Runs the kind.
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let manicule = run.manicule()?;
    let mut built = |name: &str, words: &[&str]| {
        if !options.with_peers {
            None
        } else {
            programs::built(&run.repository, name, words)
                .map_err(|error| findings.left_out(format!("{error:#}")))
                .ok()
        }
    };
    let script = run.repository.join("proof/bench/peers/graph-python/ask.py");
    let python = built("graph-python", &[]);
    let peer = |engine: &str| Some(Peer::python(engine, python.as_ref()?, &script));
    let memory = built("oxigraph", &[]).map(|folder| Peer::program(&folder));
    let disk = options.with_rocksdb.then(|| built("oxigraph", &["disk"])).flatten();
    let oxigraph = disk.map(|folder| Peer::program(&folder)).or_else(|| peer("pyoxigraph"));
    let mut versions = vec![programs::version("manicule", &manicule)];
    versions.extend(memory.iter().map(|_| "oxigraph 0.5.13 (crate, in memory)".to_owned()));
    versions.extend(oxigraph.iter().map(|peer| match peer.modules {
        Some(_) => "pyoxigraph 0.5.13 (on disk)".to_owned(),
        None => "oxigraph 0.5.13 (crate, on disk)".to_owned(),
    }));
    let sparq = peer("sparq");
    versions.extend(sparq.iter().map(|_| "sparq-rdf 0.1.6 (in memory)".to_owned()));
    let is_wide = options.groups.iter().any(|(name, _)| ["wide", "families"].contains(name));
    let virtuoso = is_wide.then(|| built("virtuoso", &[])).flatten();
    if is_wide {
        versions.extend(sparq.iter().map(|_| "maplib 0.20.26 (in memory)".to_owned()));
        versions.extend(virtuoso.iter().map(|_| "Virtuoso 7.2.5.1".to_owned()));
    }
    let input = Input::make(&run.corpora(None)?.join("graph"), options.products)?;
    let bench = Bench {
        input,
        manicule,
        oxigraph,
        memory,
        sparq,
        python: python.map(|modules| Python { modules, script }),
        virtuoso,
        scratch: run.scratch(),
        turn_count: options.turn_count,
        rivals: &options.rivals,
        answer_seconds: options.answer_seconds,
    };
    let size = format!("{} products, {} lines", options.products, bench.input.line_count);
    kind::measure(&bench, &options.groups, &mut findings);
    let lines = [versions.join("; "), size];
    run.end_in_cache("graph", "graph, beside Oxigraph", &lines, &findings)
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut options = Options {
        groups: GROUPS.to_vec(),
        products: 10_000,
        turn_count: 3,
        rivals: wide::RIVALS.map(str::to_owned).to_vec(),
        answer_seconds: 10,
        with_peers: true,
        with_rocksdb: false,
    };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => options.groups = kind::groups("--only", &parser.value()?.string()?, GROUPS)?,
            "products" => options.products = parser.value()?.parse()?,
            "turns" => options.turn_count = parser.value()?.parse()?,
            "rivals" => {
                options.rivals =
                    kind::chosen("--rivals", &parser.value()?.string()?, &wide::RIVALS)?;
            }
            "seconds" => options.answer_seconds = parser.value()?.parse()?,
            "rocksdb" => options.with_rocksdb = true,
            "no-peers" => options.with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}
