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

use anyhow::{Result, bail};
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
    run: main,
};

const USAGE: &str = "usage: manicule-bench blobs [OPTIONS]
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
`manicule-bench blobs COMMAND --help` lists a command's options.";

/// The groups of rows, in the order in which they run.
const GROUPS: &[&str] = &["index", "map", "load", "whole", "large"];

struct Options {
    groups: Vec<String>,
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
fn main(mut words: Vec<OsString>) -> Result<()> {
    let command = words.first().and_then(|word| word.to_str()).map(str::to_owned);
    if let Some(command) = command.filter(|word| !word.starts_with('-')) {
        let words = words.split_off(1);
        return match command.as_str() {
            "generate" => generate::command(words),
            "index" => index::command(words),
            "map" => map::command(words),
            other => bail!("blobs has no command {other}\n\n{USAGE}"),
        };
    }
    let Some((options, common)) = parse(words)? else {
        println!("{USAGE}");
        return Ok(());
    };
    bench(&options, Run::begin(common)?)
}

fn bench(options: &Options, run: Run) -> Result<()> {
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
    for group in &options.groups {
        eprintln!("{group}");
        let done = match group.as_str() {
            "index" => index_rows::rows(&bench, &mut findings),
            "map" => map::rows(&bench, &mut findings),
            "load" => commands::load_rows(&bench, &mut findings),
            "large" => commands::large_rows(&bench, &mut findings),
            "whole" => commands::whole_rows(&bench, &mut findings),
            other => unreachable!("parse lets no group {other} in"),
        };
        // An hour of measurements isn't lost for what comes after it.
        if let Err(error) = done {
            findings.left_out(format!("the rest of {group}: {error:#}"));
        }
    }
    let (disk, lines) = (run.cache.clone(), [versions.join("; ")]);
    run.end("blobs", &disk, &findings, &|machine| {
        kind::summary("blobs, beside restic and rustic", machine, &lines, &findings)
    })
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

fn parse(words: Vec<OsString>) -> Result<Option<(Options, Common)>> {
    let mut options = Options {
        groups: GROUPS[..4].iter().map(|&group| group.to_owned()).collect(),
        rows: index::rows().map(|row| row.name.to_owned()).collect(),
        turn_count: 3,
        with_peers: true,
    };
    let names: Vec<&str> = index::rows().map(|row| row.name).collect();
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => {
                options.groups = kind::chosen("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "rows" => options.rows = kind::chosen("--rows", &parser.value()?.string()?, &names)?,
            "turns" => options.turn_count = parser.value()?.parse()?,
            "no-peers" => options.with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(common.map(|common| (options, common)))
}
