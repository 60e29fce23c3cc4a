//! The kind `blobs`: restic repositories loaded, searched and checked, beside restic itself and
//! rustic.
//!
//! Restic's own benchmarks are run by the package that has them, compiled; ours have the same work
//! and names. Commands run over generated repositories (`generate`), which are kept between runs.
//! The figures to reach are those of the peers' study.

mod commands;
mod generate;
mod go_bench;
mod index;
mod index_rows;
mod locked;
mod map;
mod master;
mod peers;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use lexopt::ValueExt as _;

use crate::figures;
use crate::files::remove;
use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::programs;
use peers::{Peers, Restic};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "blobs",
    help: "restic repositories loaded, searched and checked, beside restic and rustic",
    usage: "usage: manicule-bench blobs [OPTIONS]
       manicule-bench blobs generate --shape index|fleet|real -o DIR [OPTIONS]
       manicule-bench blobs index --row NAME [OPTIONS]
       manicule-bench blobs map [OPTIONS]

  --only A,B,...      index,map,load,whole,large (default: all but large: 30 million entries)
  --rows A,B,...      of index: benchmarks by restic's names (default: all that we have)
  --turns N           turns of each row (default: 3)
  --no-peers          our own rows alone
  --save              writes proof/runs/DATE-blobs/

restic is built through Go's module proxy, where Go is there, rustic through the registry of crates; both are kept in
$XDG_CACHE_HOME/manicule-proof, generated repositories in $XDG_CACHE_HOME/manicule-bench/corpora.
`manicule-bench blobs COMMAND --help` lists a command's options.",
    commands: &[("generate", generate::command), ("index", index::command), ("map", map::command)],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

/// The groups of rows, in the order in which they run.
const GROUPS: &[(&str, Rows)] = &[
    ("index", index_rows::rows),
    ("map", map::rows),
    ("load", commands::load_rows),
    ("whole", commands::whole_rows),
    ("large", commands::large_rows),
];

struct Options {
    groups: Vec<(&'static str, Rows)>,
    rows: Vec<String>,
    turn_count: usize,
    with_peers: bool,
}

/// Context of the row groups.
struct Bench<'a> {
    peers: &'a Peers,
    /// Our program.
    manicule: PathBuf,
    /// Folder of the generated repositories, kept between runs.
    corpora: PathBuf,
    /// Scratch files of this run.
    scratch: &'a Path,
    rows: &'a [String],
    turn_count: usize,
}

/// Runs the kind.
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let manicule = run.manicule()?;
    let peers = if options.with_peers {
        Peers::built(&run.repository, &mut findings)
    } else {
        Peers::default()
    };
    let mut versions = vec![programs::version("manicule", &manicule)];
    versions.extend(peers.versions());
    let bench = Bench {
        peers: &peers,
        manicule,
        corpora: run.corpora(None)?,
        scratch: run.scratch(),
        rows: &options.rows,
        turn_count: options.turn_count,
    };
    kind::measure(&bench, &options.groups, &mut findings);
    let lines = [versions.join("; ")];
    run.end_in_cache("blobs", "blobs, beside restic and rustic", &lines, &findings)
}

impl Bench<'_> {
    /// A generated repository, made if it isn't kept yet.
    fn corpus(&self, shape: &str) -> Result<PathBuf> {
        self.kept(shape, &[])
    }

    /// The index of six times as many entries.
    fn large_corpus(&self) -> Result<PathBuf> {
        self.kept_as(
            "index-30m",
            "index",
            &["--data", "28500000", "--trees", "1500000"].map(OsString::from),
        )
    }

    /// A repository that restic makes, if it isn't kept yet.
    fn real_corpus(&self, restic: &Restic) -> Result<PathBuf> {
        let source = self.scratch.join("source");
        let program = ["--restic".into(), restic.program.clone().into()];
        let files = ["--source".into(), source.clone().into()];
        let kept = self.kept("real", &[program, files].concat())?;
        remove(&source)?;
        Ok(kept)
    }

    /// A repository of a shape, made with further words of the command.
    fn kept(&self, shape: &str, words: &[OsString]) -> Result<PathBuf> {
        self.kept_as(shape, shape, words)
    }

    fn kept_as(&self, name: &str, shape: &str, words: &[OsString]) -> Result<PathBuf> {
        let folder = self.corpora.join(format!("blobs-{name}"));
        if !folder.is_dir() {
            eprintln!("  making {} ...", folder.display());
            let aside = self.corpora.join(format!("blobs-{name}.new"));
            remove(&aside)?;
            // In a process of its own, so that this one stays small: its size counts for those that
            // it starts.
            let first = ["generate", "--shape", shape, "-o"].map(OsString::from);
            let words = [&first[..], &[aside.clone().into()], words].concat();
            figures::of_ours(KIND.name, &words)?;
            fs::rename(&aside, &folder)?;
        }
        Ok(folder)
    }
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut options = Options {
        groups: GROUPS[..4].to_vec(),
        rows: index::rows().map(|row| row.name.to_owned()).collect(),
        turn_count: 3,
        with_peers: true,
    };
    let names: Vec<&str> = index::rows().map(|row| row.name).collect();
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => {
                options.groups = kind::groups("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "rows" => options.rows = kind::chosen("--rows", &parser.value()?.string()?, &names)?,
            "turns" => options.turn_count = parser.value()?.parse()?,
            "no-peers" => options.with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}
