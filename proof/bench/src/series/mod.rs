//! The kind `series`: indexes of Prometheus blocks written and read, beside Prometheus's own
//! library and promtool.
//!
//! Every row runs in a process of its own, ours and the peer's by turns; each measures itself and
//! prints figures. The commands that do so (`write`, `read` ...) can be run alone. The figures to
//! reach are those of the peers' study.

pub(crate) mod before;
mod blocks;
mod input;
mod questions;
mod read;
mod seed;
mod stores;
mod write_rows;

mod write;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lexopt::ValueExt as _;
use manicule_testkit::{LabelSets, Shape};

use crate::findings::Findings;
use crate::kind::{self, Common, Kind, Run};
use crate::{figures, programs};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "series",
    help: "indexes of Prometheus blocks written and read, beside Prometheus",
    usage: "usage: manicule-bench series [OPTIONS]
       manicule-bench series generate --shape SHAPE --count N -o FILE [--questions FILE] [--openmetrics [--samples N]]
       manicule-bench series write --tsv FILE -o INDEX [OPTIONS]
       manicule-bench series read --block DIR --questions FILE [OPTIONS]
       manicule-bench series store|seed --tsv FILE [OPTIONS]

  --only A,B,...      write,shapes,store,seed,read,blocks (default: all)
  --count N           series of the Kubernetes shape (default: 1200000)
  --turns N           turns of each row (default: 5)
  --manicule PATH     our program (default: built now, profile dist)
  --peers DIR         Prometheus's programs, built already: DIR/series-peer, DIR/promtool
  --no-peers          our own rows alone
  --save              writes proof/runs/DATE-series/

Prometheus's programs are built through Go's module proxy, where Go is there, and kept in
$XDG_CACHE_HOME/manicule-proof. `manicule-bench series COMMAND --help` lists a command's options.",
    commands: &[
        ("generate", generate),
        ("write", write::command),
        ("read", read::command),
        ("store", stores::command),
        ("seed", seed::command),
    ],
    run,
};

/// What measures the rows of a group.
type Rows = fn(&Bench<'_>, &mut Findings) -> Result<()>;

/// The groups of rows, in the order in which they run.
const GROUPS: &[(&str, Rows)] = &[
    ("write", write_rows::rows),
    ("shapes", write_rows::shape_rows),
    ("store", stores::rows),
    ("seed", seed::rows),
    ("read", read::rows),
    ("blocks", blocks::rows),
];

/// Cell in place of the peer's figure.
const NO_PEER: &str = "no peer";

/// Name in the rows of the data set of the peers' study.
const K8S: &str = "k8s";

struct Options {
    groups: Vec<(&'static str, Rows)>,
    count: usize,
    turn_count: usize,
    peers: Peers,
}

/// Source of Prometheus's programs.
enum Peers {
    Built,
    In(PathBuf),
    None,
}

/// Context of the row groups.
struct Bench<'a> {
    /// Prometheus's library, measured from within.
    peer: Option<PathBuf>,
    promtool: Option<PathBuf>,
    manicule: &'a Path,
    /// Scratch files of this run.
    scratch: &'a Path,
    turn_count: usize,
    count: usize,
}

impl Bench<'_> {
    /// File of the label sets of a shape, made if it doesn't exist.
    fn tsv(&self, shape: Shape, count: usize) -> Result<PathBuf> {
        let tsv = self.scratch.join(format!("{}-{count}.tsv", shape.name()));
        if !tsv.exists() {
            let (count, questions) = (count.to_string(), self.questions());
            let words = ["generate", "--shape", shape.name(), "--count", &count, "-o"];
            let mut words: Vec<&OsStr> = words.into_iter().map(OsStr::new).collect();
            words.push(tsv.as_os_str());
            if shape == Shape::Kubernetes {
                words.extend([OsStr::new("--questions"), questions.as_os_str()]);
            }
            // In a process of its own, so that this one stays small: its size counts for those that
            // it starts.
            figures::of_ours(KIND.name, &words)?;
        }
        Ok(tsv)
    }

    /// The questions that go with the Kubernetes shape.
    fn questions(&self) -> PathBuf {
        self.scratch.join("questions.jsonl")
    }

    /// Output folder of the peer's blocks of a shape.
    fn peer_blocks(&self, shape: Shape) -> PathBuf {
        self.scratch.join(format!("peer-{}", shape.name()))
    }
}

/// Runs the kind.
fn run(words: Vec<OsString>) -> Result<()> {
    let (options, common) = parse(words)?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let manicule = run.manicule()?;
    let mut versions = vec![programs::version("manicule", &manicule)];
    let peers = match &options.peers {
        Peers::Built => programs::built(&run.repository, "series", &[]),
        Peers::In(folder) => Ok(folder.canonicalize()?),
        Peers::None => Err(anyhow::anyhow!("none asked for")),
    };
    let peers = peers.inspect_err(|error| findings.left_out(format!("Prometheus: {error:#}"))).ok();
    let program = |name: &str| Some(peers.as_ref()?.join(name)).filter(|path| path.is_file());
    let bench = Bench {
        peer: program("series-peer"),
        promtool: program("promtool"),
        manicule: &manicule,
        scratch: run.scratch(),
        turn_count: options.turn_count,
        count: options.count,
    };
    versions.extend(
        bench.peer.as_deref().map(|peer| programs::version_by("series-peer", peer, &["version"])),
    );
    kind::measure(&bench, &options.groups, &mut findings);
    let lines = [versions.join("; ")];
    run.end_in_cache("series", "series, beside Prometheus", &lines, &findings)
}

/// Output form of label sets.
enum Form {
    Tsv,
    /// With samples.
    OpenMetrics,
}

/// Writes the label sets of a shape.
fn generate(words: Vec<OsString>) -> Result<()> {
    use lexopt::prelude::*;
    let (mut shape, mut count, mut output, mut questions) = (Shape::Kubernetes, None, None, None);
    let mut form = Form::Tsv;
    let mut sample_count = blocks::SAMPLE_COUNT;
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("shape") => shape = shape_named(&parser.value()?.string()?)?,
            Long("count") => count = Some(parser.value()?.parse()?),
            Short('o') => output = Some(PathBuf::from(parser.value()?)),
            Long("questions") => questions = Some(PathBuf::from(parser.value()?)),
            Long("openmetrics") => form = Form::OpenMetrics,
            Long("samples") => sample_count = parser.value()?.parse()?,
            _ => return Err(word.unexpected().into()),
        }
    }
    let sets = LabelSets::new(shape, count.context("--count N is missing")?);
    let output = output.context("-o FILE is missing")?;
    let file = File::create(&output).with_context(|| output.display().to_string())?;
    match form {
        Form::Tsv => sets.write_tsv(file)?,
        Form::OpenMetrics => blocks::write_openmetrics(&sets, sample_count, BufWriter::new(file))?,
    }
    if let Some(path) = questions {
        let mut out = BufWriter::new(File::create(path)?);
        for question in questions::questions(&sets) {
            serde_json::to_writer(&mut out, &question)?;
            std::io::Write::write_all(&mut out, b"\n")?;
        }
    }
    Ok(())
}

fn shape_named(name: &str) -> Result<Shape> {
    let mut shapes = Shape::HELD_OUT.into_iter().chain([Shape::Kubernetes]);
    shapes.find(|shape| shape.name() == name).with_context(|| format!("no shape is called {name}"))
}

fn parse(words: Vec<OsString>) -> Result<(Options, Common)> {
    let mut options =
        Options { groups: GROUPS.to_vec(), count: 1_200_000, turn_count: 5, peers: Peers::Built };
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "only" => {
                options.groups = kind::groups("--only", &parser.value()?.string()?, GROUPS)?;
            }
            "count" => options.count = parser.value()?.parse()?,
            "turns" => options.turn_count = parser.value()?.parse()?,
            "peers" => options.peers = Peers::In(parser.value()?.into()),
            "no-peers" => options.peers = Peers::None,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((options, common))
}
