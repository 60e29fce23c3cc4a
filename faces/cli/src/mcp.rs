//! `manicule mcp`: tools for programs that search, over standard input and output.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use manicule::cache::Cache;
use manicule::context::{Context, ContextOptions};
use manicule::place::is_address;
use manicule_mcp::install::{Lines, Program, lines};
use manicule_mcp::session::{Limits, serve};
use manicule_mcp::{Options as Set, Places, Service};

use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, cores, exit, shared};
use crate::own::own;
use crate::print::{Print, Reader};

/// Bytes of an answer.
const ANSWER_LEN: u64 = 16 << 10;
/// Memory of all calls together.
const MEMORY: u64 = 1 << 30;
/// Time of a call.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Calls at a time: no agent waits for more, and each is a thread.
const CALLS_MAX: usize = 64;

/// Words for the clients whose lines are known.
const CLIENTS: [&str; 9] = [
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "zed",
    "windsurf",
    "gemini",
    "codex",
    "goose",
];

/// The word in place of a path that has the lines for clients printed.
const INSTALL: &str = "install";

pub(crate) static COMMAND: Command = Command {
    name: "mcp",
    operands: "[install|PATH...]",
    summary: "offer find, inspect, verify and tables as tools to programs (MCP)",
    help: Help {
        calls: &[
            Usage {
                words: "[OPTIONS] [PATH...]",
                about: "\
Answers the messages of the Model Context Protocol on standard input, one a line, until it ends. With PATH nothing outside of these
is read; the client's roots, if it has any, confine it too.",
            },
            Usage {
                words: "install [--client NAME] [OPTIONS] [PATH...]",
                about: "\
Prints the lines by which clients start this program with the given options and paths, and where each keeps them.",
            },
        ],
        notes: "\
The tools are find, inspect, verify, series, rows, code, graph and blobs; tools/list describes each. Nothing is changed: only
indexes of trees are kept in the cache folder, as find does. A call names paths relative to the client's first root, else to the
current folder. Passwords of restic repositories are taken from $RESTIC_PASSWORD_FILE, $RESTIC_PASSWORD_COMMAND or
$RESTIC_PASSWORD. Revisions of the protocol: 2024-11-05 to 2026-07-28.",
        exit: "0 when the client has left, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Paths(|o| &mut o.paths)]);

static FLAGS: &[Flag<Options>] = &[
    spec("answer", "", "Length of an answer where the call says none. Default: 16KiB.")
        .takes("SIZE")
        .does(|o, value| {
            o.answer_len = value.size()?;
            o.pass("--answer", Some(value.text()?))
        }),
    shared::MEMORY.more("Of all calls together. Default: 1GiB.").does(|o, value| {
        o.memory = value.size()?;
        o.pass("--memory", Some(value.text()?))
    }),
    spec("timeout", "", "End a call after this time, such as 10s or 5m. Default: 1m.")
        .takes("TIME")
        .does(|o, value| {
            o.timeout = Duration::from_millis(value.duration_ms()?.try_into().unwrap_or_default());
            o.pass("--timeout", Some(value.text()?))
        }),
    shared::THREADS.here("Number of threads of a call; 0 chooses automatically.").does(
        |o, value| {
            o.threads = value.threads()?;
            o.pass("--threads", Some(value.text()?))
        },
    ),
    spec("no-index", "", "Neither use nor write an index.").does(|o, _| {
        o.has_index = false;
        o.pass("--no-index", None)
    }),
    spec(
        "client",
        "",
        "Of install: print the lines of this client alone, as they go into its file.",
    )
    .takes("NAME")
    .one_of(&CLIENTS)
    .does(set!(|o, value| o.client = Some(value.choice(&CLIENTS)?))),
];

struct Options {
    answer_len: u64,
    memory: u64,
    timeout: Duration,
    threads: usize,
    has_index: bool,
    client: Option<&'static str>,
    paths: Vec<PathBuf>,
    /// The options as a client is to give them.
    passed: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            answer_len: ANSWER_LEN,
            memory: MEMORY,
            timeout: TIMEOUT,
            threads: cores(),
            has_index: true,
            client: None,
            paths: Vec::new(),
            passed: Vec::new(),
        }
    }
}

impl Options {
    fn pass(&mut self, flag: &str, value: Option<&str>) -> Result<()> {
        self.passed.push(flag.to_owned());
        self.passed.extend(value.map(str::to_owned));
        Ok(())
    }
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    match options.paths.split_first() {
        Some((first, rest)) if first == Path::new(INSTALL) => install(options, rest, out),
        _ if options.client.is_some() => bail!("--client is of `manicule mcp install`"),
        _ => converse(options),
    }
}

/// Answers messages until the client leaves.
fn converse(options: &Options) -> Result<u8> {
    for path in options.paths.iter().filter(|path| !is_address(path)) {
        path.metadata().with_context(|| path.display().to_string())?;
    }
    let service = Service::new(Set {
        places: Places::Local { within: options.paths.clone() },
        answer_len: options.answer_len.try_into().unwrap_or(usize::MAX),
        threads: options.threads,
        cache: if options.has_index { Cache::of_user() } else { None },
        program: own(),
        has_passwords: true,
    });
    let context = ContextOptions { memory: options.memory, ..ContextOptions::NONE };
    let limits =
        Limits { context: Context::new(context), timeout: options.timeout, calls_max: CALLS_MAX };
    serve(Arc::new(service), limits, io::stdin().lock(), io::stdout()).context("standard input")?;
    Ok(exit::DONE)
}

/// Prints the lines for clients.
fn install(options: &Options, paths: &[PathBuf], out: &mut Print) -> Result<u8> {
    if Context::of_process().addresses().is_some() {
        bail!(
            "a client gets no flags for buckets: set $AWS_ENDPOINT_URL and the like in its entry"
        );
    }
    let program = own().context("this program's own file isn't known")?;
    let mut words = vec!["mcp".to_owned()];
    words.extend(options.passed.iter().cloned());
    for path in paths {
        // A client starts it in a folder of its own.
        let path = if is_address(path) { path.clone() } else { absolute(path)? };
        words.push(text(&path)?);
    }
    let lines = lines(&Program { path: text(&program)?, words });
    match &options.client {
        Some(client) => {
            for own in lines.iter().filter(|own| own.word == *client) {
                writeln!(out, "{}", own.text)?;
            }
        }
        None => {
            for (at, Lines { client, place, text, .. }) in lines.iter().enumerate() {
                let before = if at > 0 { "\n" } else { "" };
                writeln!(out, "{before}# {client}: {place}\n{text}")?;
            }
        }
    }
    Ok(exit::DONE)
}

fn absolute(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| path.display().to_string())
}

fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.with_context(|| format!("{}: a client's file holds UTF-8 only", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_word() {
        let flag = FLAGS.iter().find(|flag| flag.spec.long == "client").unwrap();
        let crate::command::spec::Takes::OneOf(words) = flag.spec.takes else { panic!("no words") };
        assert_eq!(words, manicule_mcp::install::words());
    }

    #[test]
    fn options_are_passed_on_as_they_were_given() {
        let options = JOB.parsed("--answer 4K --no-index --timeout 5m install src").unwrap();
        assert_eq!(options.passed, ["--answer", "4K", "--no-index", "--timeout", "5m"]);
        let found = (options.answer_len, options.has_index, options.timeout.as_secs());
        assert_eq!(found, (4096, false, 300));
    }
}
