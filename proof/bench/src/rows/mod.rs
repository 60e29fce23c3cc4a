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

use anyhow::Result;
use lexopt::ValueExt as _;
use manicule_sstables::Cassandra;

use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::programs;

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "rows",
    help: "slices of huge partitions, passes over SSTables, new ones, beside Cassandra",
    usage: "usage: manicule-bench rows [OPTIONS]
       manicule-bench rows ask --data FILE --way cold|warm|hot|skips [OPTIONS] FIRST,COUNT...

  --only A,B,...      slices,hot,small,skips,passes,writes,large (default: all but large: a partition of 20 GB)
  --turns N           turns of each row (default: 5)
  --no-peers          our own rows alone, of tables that are kept
  --save              writes proof/runs/DATE-rows/

Cassandra comes from Maven Central, the Java that it runs on from PyPI, cqlite (of writes) from the
registry of crates; they are kept in $XDG_CACHE_HOME/manicule-proof, tables in $XDG_CACHE_HOME/manicule-bench/corpora.
`manicule-bench rows ask --help` lists the options of one measured process.",
    commands: &[("ask", ask::command)],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

/// The groups of rows, in the order in which they run.
const GROUPS: &[(&str, Rows)] = &[
    ("slices", |bench, findings| slices::cold_rows(bench, &tables::PARTITION, findings)),
    ("hot", |bench, findings| slices::hot_rows(bench, &tables::PARTITION, findings)),
    ("small", slices::small_rows),
    ("skips", slices::skip_rows),
    ("passes", passes::rows),
    ("writes", writes::rows),
    ("large", |bench, findings| {
        slices::cold_rows(bench, &tables::LARGE, findings)?;
        slices::hot_rows(bench, &tables::LARGE, findings)
    }),
];

/// Releases of Cassandra; the first makes the tables that all of them read.
const RELEASES: [&str; 3] = ["3.11.17", "4.1.7", "5.0.3"];

struct Options {
    groups: Vec<(&'static str, Rows)>,
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
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
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
    if options.with_peers && options.groups.iter().any(|(name, _)| *name == "writes") {
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
    kind::measure(&bench, &options.groups, &mut findings);
    let lines = [versions.join("; ")];
    run.end_in_cache("rows", "rows, beside Cassandra", &lines, &findings)
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut options = Options { groups: GROUPS[..6].to_vec(), turn_count: 5, with_peers: true };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => {
                options.groups = kind::groups("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "turns" => options.turn_count = parser.value()?.parse()?,
            "no-peers" => options.with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}
