//! The command line.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use lexopt::prelude::{Long, Short, Value, ValueExt};
use manicule::context::{Context, ContextOptions};
use manicule::named::FILE;
use manicule::sizes::bytes;
use tokio::runtime::Builder;

use crate::asked::{Asker, Interrupted, Sheet, is_shown};
use crate::catalogs::Catalogs;
use crate::prompt;
use crate::result::Format;
use crate::said::say;
use crate::session::{Options, session};

/// What it is, in the words of `--help`.
const HELP: &str = "\
Ask all kinds of indexes in SQL.

manicule sql [OPTIONS] QUERY
    Prints what QUERY answers: SQL as DataFusion has it, over tables that are called as functions.
manicule sql [OPTIONS] -f FILE
    Asks the statements of FILE, one after the other.
manicule sql [OPTIONS]
    Asks what standard input has; at a terminal it has a prompt, which Ctrl-D ends.

Options:
  -f, --file FILE         Ask the statements of FILE.
      --format FORMAT     Print rows as a table, csv, json (an object a line), parquet or arrow.
                          Default: by the ending of the output file, else a table.
  -o, --output FILE       Write the rows to FILE, which is replaced when they are whole.
      --catalog FILE      Read the names of paths from FILE. Default: manicule.toml, if it is here.
      --memory SIZE       Hold at most SIZE in sorts, groups and joins, which spill to files, and at
                          most SIZE in what tables hold, as 512M or 2G. Default: no maximum.
      --threads NUM       Read tables in NUM parts, side by side. Default: a part a core.
      --timeout SECONDS   End a query that takes longer.
  -h, --help              Print this.
  -V, --version           Print the version.

Every table of `manicule table` is a function: rows_partitions('ks/t'), series_samples('data', 'up'),
find('TODO', 'src'); rows(..) and series(..) for short. The path comes first, then the selector, the
query or the file; other arguments are NAME => VALUE, lists of texts are ['a', 'b']. Conditions,
columns and LIMIT are handed to the table: EXPLAIN shows them. A file of catalogs has

  [catalog.prod]
  path = \"/var/lib/prometheus\"

for SELECT * FROM prod.series, or prod.samples('up').

Examples:
  manicule sql \"SELECT language, count(*) FROM code_documents('shards') GROUP BY 1\"
  manicule sql -o old.parquet \"SELECT path, size FROM blobs_files('repo') WHERE mtime < '2020-01-01'\"

Exit codes: 0 when it was done, 2 when something failed.
";

/// Exit code of what failed.
const FAILED: u8 = 2;
/// Exit code of a program that Ctrl-C has ended, as shells have it.
const INTERRUPTED: u8 = 130;

/// Stack of a thread: plans are trees that are walked by calls.
const STACK_LEN: usize = 16 << 20;

/// Answers a command line, the name of the program left out.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.collect();
    // The main thread's stack is as large as the system says.
    let thread = std::thread::Builder::new().stack_size(STACK_LEN).spawn(move || run(words));
    let answered = match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(answered)) => answered,
        // Its panic was printed.
        Ok(Err(_)) => return ExitCode::from(FAILED),
        Err(error) => Err(error.into()),
    };
    let Err(error) = answered else { return ExitCode::SUCCESS };
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    if error.downcast_ref::<io::Error>().is_some_and(is_gone) {
        // Whoever reads has enough.
        return ExitCode::SUCCESS;
    }
    say(&error);
    ExitCode::from(if error.is::<Interrupted>() { INTERRUPTED } else { FAILED })
}

#[derive(Default)]
struct Asked {
    query: Option<String>,
    file: Option<PathBuf>,
    format: Option<Format>,
    output: Option<PathBuf>,
    catalog: Option<PathBuf>,
    memory: Option<u64>,
    threads: Option<usize>,
    timeout: Option<Duration>,
}

/// What a command line asks for.
enum Wanted {
    Help,
    Version,
    Answer(Asked),
}

fn parse(words: Vec<OsString>) -> Result<Wanted> {
    let mut parser = lexopt::Parser::from_args(words);
    let mut asked = Asked::default();
    while let Some(word) = parser.next()? {
        match word {
            Short('h') | Long("help") => return Ok(Wanted::Help),
            Short('V') | Long("version") => return Ok(Wanted::Version),
            Short('f') | Long("file") => asked.file = Some(parser.value()?.into()),
            Short('o') | Long("output") => asked.output = Some(parser.value()?.into()),
            Long("catalog") => asked.catalog = Some(parser.value()?.into()),
            Long("format") => asked.format = Some(Format::named(&parser.value()?.string()?)?),
            Long("memory") => asked.memory = Some(bytes(&parser.value()?.string()?)?),
            Long("threads") => {
                let threads: usize = parser.value()?.parse()?;
                asked.threads = Some(threads).filter(|threads| *threads > 0);
            }
            Long("timeout") => {
                let seconds: f64 = parser.value()?.parse()?;
                let timeout = Duration::try_from_secs_f64(seconds);
                asked.timeout =
                    Some(timeout.map_err(|_| anyhow!("--timeout {seconds} is no time"))?);
            }
            Value(query) if asked.query.is_none() => asked.query = Some(query.string()?),
            Value(word) => {
                let word = word.to_string_lossy();
                bail!("{word} comes after the query: a query with blanks is one word, in quotes")
            }
            other => {
                let flag = match other {
                    Long(name) => format!("--{name}"),
                    Short(name) => format!("-{name}"),
                    Value(_) => unreachable!("handled above"),
                };
                bail!("there is no option {flag}; `manicule sql --help` lists them")
            }
        }
    }
    if asked.query.is_some() && asked.file.is_some() {
        bail!("a query and a file of statements are asked one at a time: leave out one");
    }
    Ok(Wanted::Answer(asked))
}

fn run(words: Vec<OsString>) -> Result<()> {
    let asked = match parse(words)? {
        Wanted::Help => {
            print!("{HELP}");
            return Ok(());
        }
        Wanted::Version => {
            println!("manicule-sql {}", env!("CARGO_PKG_VERSION"));
            return Ok(());
        }
        Wanted::Answer(asked) => asked,
    };
    let format = match (asked.format, &asked.output) {
        (Some(format), _) => format,
        (None, Some(path)) => Format::of_file(path)?,
        (None, None) => Format::Table,
    };
    if format.is_packed() && asked.output.is_none() && is_shown() {
        bail!("a terminal shows no Parquet and no Arrow: write a file with -o");
    }
    let text = match (&asked.query, &asked.file) {
        (Some(query), _) => Some(query.clone()),
        (None, Some(file)) => Some(
            fs::read_to_string(file)
                .with_context(|| file.display().to_string())
                .map_err(|error| anyhow!("{error:#}"))?,
        ),
        (None, None) if io::stdin().is_terminal() => None,
        (None, None) => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            Some(text)
        }
    };
    let asker = asker(asked, format)?;
    let answered = match text {
        Some(text) => asker.ask(&text),
        None => prompt::ask(&asker),
    };
    // A thread that still reads is not waited for: it was asked to end.
    asker.queries.shutdown_background();
    answered
}

fn asker(asked: Asked, format: Format) -> Result<Asker> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = asked.threads.unwrap_or_else(cores);
    let limits =
        ContextOptions { memory: asked.memory.unwrap_or(u64::MAX), ..ContextOptions::NONE };
    let context = Context::new(limits);
    let catalogs = match asked.catalog {
        Some(file) => Catalogs::read(&file, &context)?,
        None if Path::new(FILE).exists() => Catalogs::read(Path::new(FILE), &context)?,
        None => Catalogs::default(),
    };
    let memory = asked.memory.map(|memory| usize::try_from(memory).unwrap_or(usize::MAX));
    let session = session(&Options { memory, threads }, catalogs, &context)?;
    let queries = Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK_LEN)
        .enable_all()
        .build()?;
    let waiting = Builder::new_current_thread().enable_all().build()?;
    let sheet = Sheet { format, output: asked.output, timeout: asked.timeout };
    Ok(Asker { session, queries, waiting, sheet })
}
