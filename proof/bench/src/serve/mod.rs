//! The server beside the systems' own: requests a second and a CPU second, and their times, of 1, 8
//! and 64 clients; and mixed load with writers, for as long as is wanted.

mod load;
mod mixed;
mod rows;
mod servers;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use lexopt::ValueExt;

use crate::findings::Findings;
use crate::kind::{Common, Kind, Run, groups, measure, whole};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "serve",
    help: "requests to the server, beside oxigraph serve, Prometheus and zoekt-webserver",
    usage: USAGE,
    commands: &[],
    run,
};

const USAGE: &str = "\
usage: manicule-bench serve --server PROGRAM [OPTION...]

Asks the server, beside oxigraph serve, Prometheus and zoekt-webserver, by 1, 8 and 64 clients.

  --manicule PROGRAM  our program, which makes the data; built now if it isn't given
  --server PROGRAM    manicule-server
  --zoekt PROGRAM     zoekt-webserver, which is in no registry; its rows are left out without it
  --only LIST         of sparql, prometheus, zoekt, mixed (all but mixed)
  --seconds N         time of each measurement (5)
  --minutes N         time of the mixed load (60)
  --save              keep the run in proof/runs";

/// Rows of a group.
type Rows = fn(&Bench, &mut Findings) -> Result<()>;

const GROUPS: [(&str, Rows); 4] = [
    ("sparql", rows::sparql),
    ("prometheus", rows::prometheus),
    ("zoekt", rows::zoekt),
    ("mixed", mixed::mixed),
];

/// What all rows need.
struct Bench {
    manicule: PathBuf,
    server: PathBuf,
    zoekt: Option<PathBuf>,
    repository: PathBuf,
    scratch: PathBuf,
    time: Duration,
    mixed: Duration,
}

fn run(words: Vec<OsString>) -> Result<()> {
    let mut zoekt = None::<PathBuf>;
    let (mut server, mut only) = (None::<PathBuf>, "sparql,prometheus,zoekt".to_owned());
    let (mut seconds, mut minutes) = (5.0, 60.0);
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "server" => server = Some(parser.value()?.into()),
            "zoekt" => zoekt = Some(parser.value()?.into()),
            "only" => only = parser.value()?.string()?,
            "seconds" => seconds = parser.value()?.parse()?,
            "minutes" => minutes = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let groups = groups("--only", &only, &GROUPS)?;
    let run = Run::begin(common)?;
    let bench = Bench {
        manicule: run.manicule()?,
        server: whole(&server.context("missing --server PROGRAM")?)?,
        zoekt: zoekt.as_deref().map(whole).transpose()?,
        repository: run.repository.clone(),
        scratch: run.scratch().to_owned(),
        time: Duration::try_from_secs_f64(seconds).context("--seconds")?,
        mixed: Duration::try_from_secs_f64(minutes * 60.0).context("--minutes")?,
    };
    let mut findings = Findings::default();
    measure(&bench, &groups, &mut findings);
    run.end_in_cache("serve", "the server, beside the systems' own", &[], &findings)
}
