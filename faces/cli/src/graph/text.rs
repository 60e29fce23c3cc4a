//! The text of a query or an update: from the command line, a file or standard input. And a time
//! after which a call ends.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use manicule::watch::Watch;

use crate::command::exit;
use crate::messages::say;
use crate::progress::{Show, Signals, watched};

/// The words of a command that takes a store and a text.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) store: PathBuf,
    pub(super) text: Option<String>,
    pub(super) file: Option<PathBuf>,
}

impl Words {
    /// Takes the text.
    pub(super) fn take(&mut self, word: OsString) -> Result<()> {
        if Path::new(&word).is_file() {
            bail!("{0} is a file: give it with -f, `-f {0}`", word.display());
        }
        let Ok(text) = word.into_string() else { bail!("the text isn't valid UTF-8") };
        self.text = Some(text);
        Ok(())
    }

    /// The store and the text; `command` is query or update.
    pub(super) fn finish(self, command: &str) -> Result<(PathBuf, String)> {
        let Words { store, text, file } = self;
        let text = match (text, file) {
            (Some(_), Some(_)) => {
                bail!("the text comes from the command line or from -f FILE, not both")
            }
            (Some(text), None) => text,
            (None, Some(file)) => read(&file)?,
            (None, None) => {
                let (name, store) = (command.to_uppercase(), store.display());
                bail!(
                    "missing {name}; usage: manicule graph {command} {store} '{name}', or -f FILE"
                )
            }
        };
        let other = is_of(&text).filter(|of| *of != command);
        if let Some(other) = other {
            let (an, store) = (if other == "query" { "a" } else { "an" }, store.display());
            bail!("this is {an} {other}: `manicule graph {other} {store} ...`");
        }
        Ok((store, text))
    }
}

/// The command that a text is for, by the first word after BASE and PREFIX; none of one that is
/// neither's.
fn is_of(text: &str) -> Option<&'static str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace);
    let mut first = words.next()?;
    loop {
        let count = match first.to_ascii_uppercase().as_str() {
            "PREFIX" => 2,
            "BASE" => 1,
            _ => break,
        };
        first = words.nth(count)?;
    }
    let end = first.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(first.len());
    let word = first[..end].to_ascii_uppercase();
    match &*word {
        "SELECT" | "ASK" | "CONSTRUCT" | "DESCRIBE" => Some("query"),
        "INSERT" | "DELETE" | "LOAD" | "CLEAR" | "DROP" | "CREATE" | "COPY" | "MOVE" | "ADD"
        | "WITH" => Some("update"),
        _ => None,
    }
}

fn read(file: &Path) -> Result<String> {
    let mut text = String::new();
    if file == Path::new("-") {
        io::stdin().read_to_string(&mut text).context("standard input")?;
        return Ok(text);
    }
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// Nanoseconds since the first look at this clock.
fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// What becomes of a call whose time is over while it doesn't look at the clock: within a sort,
/// say, or the hash of a long text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Late {
    /// It is waited for, as what it has begun must be finished or removed.
    Awaited,
    /// The program ends without it: it only reads and prints.
    Left,
}

/// How long a call that is late may take to look at the clock by itself.
const GRACE: Duration = Duration::from_millis(25);

/// Runs a call that ends at a time, if one is given.
pub(super) fn within<T, E: Into<anyhow::Error>>(
    timeout_ms: Option<i64>,
    late: Late,
    call: impl FnOnce(&Watch<'_>) -> Result<T, E>,
) -> Result<T> {
    let Some(timeout_ms) = timeout_ms else {
        return watched(Show::Progress, Signals::Noted, call).map_err(Into::into);
    };
    let timeout_ms = timeout_ms.max(0) as u64;
    let end = clock() + timeout_ms * 1_000_000;
    let _running = (late == Late::Left).then(|| end_program_after(timeout_ms));
    watched(Show::Progress, Signals::Noted, |outer| {
        let stop = || outer.is_over();
        let watch = Watch::new(&|_| (), &stop).until(end, clock);
        let done = call(&watch);
        match done {
            Err(_) if watch.deadline_passed() => bail!(not_done(timeout_ms)),
            done => done.map_err(Into::into),
        }
    })
}

fn not_done(timeout_ms: u64) -> String {
    format!("not done within {timeout_ms} ms; give --timeout more, or ask for less")
}

/// Ends the program [`GRACE`] after a time, unless what is returned has been dropped by then.
fn end_program_after(timeout_ms: u64) -> Sender<()> {
    let (running, ended) = channel();
    let end = Duration::from_millis(timeout_ms) + GRACE;
    thread::spawn(move || {
        if ended.recv_timeout(end) == Err(RecvTimeoutError::Timeout) {
            say(&not_done(timeout_ms));
            std::process::exit(exit::FAILED.into());
        }
    });
    running
}
