//! The kind `rows`: slices of a huge partition, passes over whole SSTables, SSTables written and
//! exported, beside Cassandra and cqlite.
//!
//! Cassandra's own writer makes the tables, which are kept between runs. The seed is ScyllaDB's
//! published table of slices of one partition of 10 million rows of 2,000 bytes: its counts of
//! reads and KiB are the figures to reach.

mod ask;
mod jvm;
mod passes;
mod slices;
mod tables;
mod writes;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use lexopt::ValueExt as _;
use manicule_sstables::Cassandra;

use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::programs;

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "rows",
    help: "slices of huge partitions, passes over SSTables, new ones, beside Cassandra",
    run: main,
};

const USAGE: &str = "usage: manicule-bench rows [OPTIONS]
       manicule-bench rows ask --data FILE --way cold|warm|hot|skips [OPTIONS] FIRST,COUNT...

  --only A,B,...      slices,hot,small,skips,passes,writes,large (default: all but large: a partition of 20 GB)
  --turns N           turns of each row (default: 5)
  --no-peers          our own rows alone, of tables that are kept
  --save              writes proof/runs/DATE-rows/

Cassandra comes from Maven Central, the Java that it runs on from PyPI, cqlite (of writes) from the
registry of crates; they are kept in $XDG_CACHE_HOME/manicule-proof, tables in $XDG_CACHE_HOME/manicule-bench/corpora.
`manicule-bench rows ask --help` lists the options of one measured process.";

/// The groups of rows, in the order in which they run.
const GROUPS: &[&str] = &["slices", "hot", "small", "skips", "passes", "writes", "large"];

/// Releases of Cassandra; the first makes the tables that all of them read.
const RELEASES: [&str; 3] = ["3.11.17", "4.1.7", "5.0.3"];

struct Options {
    groups: Vec<String>,
    turn_count: usize,
    with_peers: bool,
}

/// Context of the row groups.
struct Bench<'a> {
    /// Those that could be installed.
    cassandras: Vec<Cassandra>,
    /// cqlite, where it could be installed and is measured.
    cqlite: Option<PathBuf>,
    /// Our program.
    manicule: PathBuf,
    /// Folder of the tables, kept between runs.
    corpora: PathBuf,
    /// Scratch files of this run.
    scratch: &'a Path,
    turn_count: usize,
}

/// Runs the kind.
fn main(mut words: Vec<OsString>) -> Result<()> {
    let command = words.first().and_then(|word| word.to_str()).map(str::to_owned);
    if let Some(command) = command.filter(|word| !word.starts_with('-')) {
        let words = words.split_off(1);
        return match command.as_str() {
            "ask" => ask::command(words),
            other => bail!("rows has no command {other}\n\n{USAGE}"),
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
    let mut cassandras = Vec::new();
    for release in RELEASES.iter().filter(|_| options.with_peers) {
        match programs::built(&run.repository, "cassandra", &[release]) {
            Ok(folder) => cassandras.push(Cassandra::new(folder)),
            Err(error) => findings.left_out(format!("{error:#}")),
        }
    }
    let mut cqlite = None;
    if options.with_peers && options.groups.iter().any(|group| group == "writes") {
        match programs::built(&run.repository, "cqlite", &[]) {
            Ok(folder) => cqlite = Some(folder.join("cqlite")),
            Err(error) => findings.left_out(format!("{error:#}")),
        }
    }
    let mut versions = vec![programs::version("manicule", &manicule)];
    versions.extend(cassandras.iter().map(|one| format!("Cassandra {}", one.release())));
    versions.extend(cqlite.iter().map(|program| programs::version("cqlite", program)));
    let bench = Bench {
        cassandras,
        cqlite,
        manicule,
        corpora: run.corpora(None)?,
        scratch: run.scratch(),
        turn_count: options.turn_count,
    };
    for group in &options.groups {
        eprintln!("{group}");
        let done = match group.as_str() {
            "slices" => slices::cold_rows(&bench, &tables::PARTITION, &mut findings),
            "hot" => slices::hot_rows(&bench, &tables::PARTITION, &mut findings),
            "small" => slices::small_rows(&bench, &mut findings),
            "skips" => slices::skip_rows(&bench, &mut findings),
            "passes" => passes::rows(&bench, &mut findings),
            "writes" => writes::rows(&bench, &mut findings),
            "large" => slices::cold_rows(&bench, &tables::LARGE, &mut findings)
                .and_then(|()| slices::hot_rows(&bench, &tables::LARGE, &mut findings)),
            other => unreachable!("parse lets no group {other} in"),
        };
        // What other groups measured isn't lost for it.
        if let Err(error) = done {
            findings.left_out(format!("the rest of {group}: {error:#}"));
        }
    }
    let (disk, lines) = (run.cache.clone(), [versions.join("; ")]);
    run.end("rows", &disk, &findings, &|machine| {
        kind::summary("rows, beside Cassandra", machine, &lines, &findings)
    })
}

fn parse(words: Vec<OsString>) -> Result<Option<(Options, Common)>> {
    let mut options = Options {
        groups: GROUPS[..6].iter().map(|&group| group.to_owned()).collect(),
        turn_count: 5,
        with_peers: true,
    };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => {
                options.groups = kind::chosen("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "turns" => options.turn_count = parser.value()?.parse()?,
            "no-peers" => options.with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(common.map(|common| (options, common)))
}
