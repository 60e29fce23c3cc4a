//! The command line.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use lexopt::prelude::{Long, Short, Value, ValueExt};
use manicule::context::give_back_large_blocks;
use manicule::named::{self, FILE, Named};
use manicule::sizes::bytes;

use crate::app::say;
use crate::served::{NamedPath, Writes};
use crate::server::{Limits, Options, start};
use crate::tls::TlsFiles;
use crate::token::Token;

/// What it is, in the words of `--help`.
const HELP: &str = "\
Serve files of other systems to those systems' own clients.

manicule serve [OPTIONS] [NAME=]PLACE...
    Serves each PLACE, a path or an address, until it is asked to end; without one, those that
    manicule.toml names. Its NAME is the path's last part. SPARQL clients, Prometheus and Grafana, zoekt's and restic's clients find at the root what
    the first place of their kind has, and at /at/NAME/ what each has. A browser finds a page.

Options:
      --listen ADDRESS    Listen at ADDRESS, as 127.0.0.1:6264, which is the default, or a port of
                          loopback. Others need --token-file or --tls-cert.
      --read-only         Refuse updates of graph stores: others may write them meanwhile.
      --token-file FILE   Ask clients for the secret in FILE: as a bearer token, or as a password.
      --tls-cert FILE     Serve HTTPS with this certificate, in PEM.
      --tls-key FILE      Its private key.
      --host NAME         Answer to NAME in Host too, besides localhost. May be given several times.
      --allow-origin URL  Let pages of this origin ask, as https://yasgui.org. Several times.
      --password-file FILE
                          File with the password of restic repositories, which the page reads.
                          Default: RESTIC_PASSWORD_FILE, _COMMAND or RESTIC_PASSWORD say it.
      --access-log FILE   Append a line for each request to FILE; - is standard error.
      --look-again SECS   Look for new blocks, shards, tables and commits so often. Default: 5; at
                          addresses at least 60.
      --memory SIZE       Memory of all calls together, as 512M or 2G. Default: 1G.
      --call-memory SIZE  Memory of one call. Default: 256M.
      --calls NUM         Calls at a time; others wait. Default: four a core.
      --timeout SECONDS   End a call that takes longer. Default: 60.
      --max-body SIZE     Longest body of a request. Default: 64M.
      --connections NUM   Connections at a time; others are refused. Default: 2048.
      --grace SECONDS     Asked to end, wait so long for what runs. Default: 30.
  -h, --help              Print this.
  -V, --version           Print the version.

GET /healthz says whether it is there, GET /metrics what it has done.

Examples:
  manicule serve /var/lib/prometheus            # remote_read: - url: http://localhost:6264/api/v1/read
  manicule serve lamps=store shards/            # SPARQL at /query, zoekt's at /api/search
  manicule serve --read-only s3://backups/repo  # restic -r rest:http://localhost:6264/ snapshots

Exit codes: 0 when it was asked to end, 2 when something failed.
";

/// Exit code of what failed.
const FAILED: u8 = 2;

/// Its port: MANI on a telephone.
const PORT: u16 = 6264;

/// Answers a command line, the name of the program left out.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    match run(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format_args!("{error:#}"));
            ExitCode::from(FAILED)
        }
    }
}

/// What a command line asks for.
enum Wanted {
    Help,
    Version,
    Serve(Box<Options>),
}

fn run(words: impl Iterator<Item = OsString>) -> Result<()> {
    let options = match parse(words)? {
        Wanted::Help => {
            print!("{HELP}");
            return Ok(());
        }
        Wanted::Version => {
            println!("manicule-server {}", env!("CARGO_PKG_VERSION"));
            return Ok(());
        }
        Wanted::Serve(options) => options,
    };
    give_back_large_blocks();
    let mut running = start(&options)?;
    let scheme = if options.tls.is_some() { "https" } else { "http" };
    for (name, noun) in running.names() {
        say(&format_args!("{noun} at /at/{name}/"));
    }
    say(&format_args!("{scheme}://{}/", running.address()));
    running.wait()?;
    Ok(())
}

fn defaults() -> Options {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let limits = Limits {
        memory: 1 << 30,
        call_memory: 256 << 20,
        calls: 4 * cores,
        time: Duration::from_secs(60),
        body: 64 << 20,
        connections: 2048,
        grace: Duration::from_secs(30),
    };
    Options {
        places: Vec::new(),
        writes: Writes::Graphs,
        listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT),
        tls: None,
        token: None,
        hosts: Vec::new(),
        origins: Vec::new(),
        password_file: None,
        access_log: None,
        look_again: Duration::from_secs(5),
        limits,
    }
}

fn parse(words: impl Iterator<Item = OsString>) -> Result<Wanted> {
    let mut parser = lexopt::Parser::from_args(words);
    let mut options = defaults();
    let (mut certificate, mut key) = (None, None);
    while let Some(word) = parser.next()? {
        let limits = &mut options.limits;
        match word {
            Short('h') | Long("help") => return Ok(Wanted::Help),
            Short('V') | Long("version") => return Ok(Wanted::Version),
            Long("listen") => options.listen = address(&parser.value()?.string()?)?,
            Long("read-only") => options.writes = Writes::Refused,
            Long("token-file") => {
                options.token = Some(Token::read(&PathBuf::from(parser.value()?))?);
            }
            Long("tls-cert") => certificate = Some(PathBuf::from(parser.value()?)),
            Long("tls-key") => key = Some(PathBuf::from(parser.value()?)),
            Long("host") => options.hosts.push(parser.value()?.string()?),
            Long("allow-origin") => options.origins.push(parser.value()?.string()?),
            Long("password-file") => options.password_file = Some(parser.value()?.into()),
            Long("access-log") => options.access_log = Some(parser.value()?.into()),
            Long("look-again") => options.look_again = seconds(&parser.value()?.string()?)?,
            Long("memory") => limits.memory = bytes(&parser.value()?.string()?)?,
            Long("call-memory") => limits.call_memory = bytes(&parser.value()?.string()?)?,
            Long("calls") => limits.calls = at_least_one(parser.value()?.parse()?),
            Long("timeout") => limits.time = seconds(&parser.value()?.string()?)?,
            Long("max-body") => limits.body = bytes(&parser.value()?.string()?)?.try_into()?,
            Long("connections") => limits.connections = at_least_one(parser.value()?.parse()?),
            Long("grace") => limits.grace = seconds(&parser.value()?.string()?)?,
            Value(word) => options.places.push(named_path(word)),
            other => return Err(other.unexpected().into()),
        }
    }
    options.tls = match (certificate, key) {
        (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key }),
        (None, None) => None,
        _ => bail!("--tls-cert and --tls-key belong together"),
    };
    if options.places.is_empty() {
        options.places = catalogs()?;
    }
    Ok(Wanted::Serve(Box::new(options)))
}

/// The places that the current folder's file has names for; of several paths each with its number.
fn catalogs() -> Result<Vec<NamedPath>> {
    let file = Path::new(FILE);
    if !file.exists() {
        bail!("missing PLACE, and no {FILE} here; usage: manicule serve [OPTIONS] [NAME=]PLACE...");
    }
    let mut places = Vec::new();
    for Named { name, paths, .. } in named::read(file)? {
        let several = paths.len() > 1;
        places.extend(paths.into_iter().enumerate().map(|(at, path)| {
            let name = if several { format!("{name}-{}", at + 1) } else { name.clone() };
            NamedPath { name: Some(name), path }
        }));
    }
    Ok(places)
}

/// `NAME=PATH`, or a path alone: one that is there with such a name is that.
fn named_path(word: OsString) -> NamedPath {
    let whole = PathBuf::from(&word);
    let own = word.as_bytes();
    let is_name = |name: &[u8]| !name.is_empty() && !name.contains(&b'/');
    if let Some(at) = own.iter().position(|byte| *byte == b'=')
        && is_name(&own[..at])
        && !whole.exists()
    {
        let path = OsString::from_vec(own[at + 1..].to_vec());
        let name = String::from_utf8_lossy(&own[..at]).into_owned();
        return NamedPath { name: Some(name), path: path.into() };
    }
    NamedPath { name: None, path: whole }
}

/// An address and a port; or a port of loopback.
fn address(text: &str) -> Result<SocketAddr> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let wrong = |why: &dyn std::fmt::Display| anyhow!("--listen {text}: {why}");
    let mut found = text.to_socket_addrs().map_err(|error| wrong(&error))?;
    found.next().ok_or_else(|| wrong(&"no such address"))
}

fn at_least_one(count: usize) -> usize {
    count.max(1)
}

fn seconds(text: &str) -> Result<Duration> {
    let wrong = || anyhow!("{text} is no number of seconds");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if time.is_zero() { Err(wrong()) } else { Ok(time) }
}
