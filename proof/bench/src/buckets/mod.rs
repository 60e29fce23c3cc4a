//! The kind `buckets`: questions at addresses, over an object store of this process that is as far
//! away as one in a cloud.
//!
//! Each request waits before it is answered, and all bytes share one line. Rounds, requests and
//! bytes are counted by the store, alike of our program and of the peers: restic, Thanos's tools,
//! and a copy of everything with AWS's own tool that a local question follows.

mod ask;
mod blobs;
mod code;
mod peak;
mod peers;
mod rows;
mod scale;
mod series;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use manicule_buckets::{Server, Setup};

use crate::corpora::{self, Tree};
use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::programs;
use peers::Peers;

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "buckets",
    help: "questions at addresses, beside restic, Thanos's tools and a copy of everything",
    usage: "usage: manicule-bench buckets [OPTIONS]

  --only A,B,...      series,rows,blobs,code,scale (default: all)
  --parts A,B,...     of scale: blocks,sstables,tables,objects (default: all)
  --latency MS        how long a request waits (default: 30)
  --rate MB           megabytes that pass in a second (default: 100)
  --turns N           turns of each question (default: 3)
  --count N           series of the block (default: 1200000)
  --rows N            rows of 2 KB of the large partition (default: 10000000, 20 GB)
  --corpora DIR       where the tree of the shards is, or is put: DIR/k8s-full
  --no-peers          our own rows alone
  --save              writes proof/runs/DATE-buckets/

restic and Thanos are built through Go's module proxy, where Go is there; `aws` is the one that is installed. What is
asked is made once and kept in $XDG_CACHE_HOME/manicule-bench/corpora.",
    commands: &[(peak::NAME, peak::command)],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

/// The groups of rows, in the order in which they run.
const GROUPS: &[(&str, Rows)] = &[
    ("series", series::rows),
    ("rows", rows::rows),
    ("blobs", blobs::rows),
    ("code", code::rows),
    ("scale", scale::rows),
];

struct Options {
    groups: Vec<(&'static str, Rows)>,
    parts: Vec<(&'static str, Rows)>,
    latency: Duration,
    bytes_per_second: u64,
    turn_count: usize,
    series_count: usize,
    row_count: u64,
    corpora_folder: Option<PathBuf>,
    with_peers: bool,
}

/// Context of the row groups.
struct Bench<'a> {
    manicule: PathBuf,
    peers: Peers,
    latency: Duration,
    bytes_per_second: u64,
    /// Inputs that are kept between runs.
    corpora: PathBuf,
    trees: Option<&'a Path>,
    /// Scratch files of this run.
    scratch: &'a Path,
    turn_count: usize,
    series_count: usize,
    row_count: u64,
    /// Parts of the group `scale`.
    parts: Vec<(&'static str, Rows)>,
}

impl Bench<'_> {
    /// An object store as far away as the options say.
    fn server(&self) -> Server {
        let server = Server::start(Setup::Signed);
        server.wait(self.latency);
        server.limit(self.bytes_per_second);
        server
    }

    /// A folder of the corpora that `make` fills, unless it is kept from an earlier run.
    fn kept(&self, name: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let folder = self.corpora.join(format!("buckets-{name}"));
        if !folder.is_dir() {
            eprintln!("  making {} ...", folder.display());
            let aside = self.corpora.join(format!("buckets-{name}.new"));
            crate::files::remove(&aside)?;
            std::fs::create_dir_all(&aside)?;
            make(&aside)?;
            std::fs::rename(&aside, &folder)?;
        }
        Ok(folder)
    }

    /// The source tree that shards are made of.
    fn tree(&self) -> Result<PathBuf> {
        let folder = self.trees.unwrap_or(&self.corpora);
        Ok(corpora::get(Tree::K8sFull, folder)?.canonicalize()?)
    }
}

/// Runs the kind.
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let manicule = run.manicule()?;
    let peers = if options.with_peers {
        Peers::found(&run.repository, &mut findings)
    } else {
        Peers::default()
    };
    let mut versions = vec![programs::version("manicule", &manicule)];
    versions.extend(peers.versions());
    let bench = Bench {
        manicule,
        peers,
        latency: options.latency,
        bytes_per_second: options.bytes_per_second,
        corpora: run.corpora(None)?,
        trees: options.corpora_folder.as_deref(),
        scratch: run.scratch(),
        turn_count: options.turn_count,
        series_count: options.series_count,
        row_count: options.row_count,
        parts: options.parts,
    };
    kind::measure(&bench, &options.groups, &mut findings);
    let line = format!(
        "{} ms a request, {} MB a second",
        options.latency.as_millis(),
        options.bytes_per_second / 1_000_000
    );
    let lines = [versions.join("; "), line];
    run.end_in_cache("buckets", "questions at addresses", &lines, &findings)
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    use lexopt::ValueExt as _;
    let mut options = Options {
        groups: GROUPS.to_vec(),
        parts: scale::PARTS.to_vec(),
        latency: Duration::from_millis(30),
        bytes_per_second: 100_000_000,
        turn_count: 3,
        series_count: 1_200_000,
        row_count: 10_000_000,
        corpora_folder: None,
        with_peers: true,
    };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => {
                options.groups = kind::groups("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "parts" => {
                options.parts = kind::groups("--parts", &parser.value()?.string()?, scale::PARTS)?;
            }
            "latency" => options.latency = Duration::from_millis(parser.value()?.parse()?),
            "rate" => options.bytes_per_second = 1_000_000 * parser.value()?.parse::<u64>()?,
            "turns" => options.turn_count = parser.value()?.parse()?,
            "count" => options.series_count = parser.value()?.parse()?,
            "rows" => options.row_count = parser.value()?.parse()?,
            "corpora" => options.corpora_folder = Some(parser.value()?.into()),
            "no-peers" => options.with_peers = false,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}
