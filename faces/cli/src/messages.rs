//! Messages on standard error, and whether anything failed.

use std::fmt::Display;
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::command::exit;

/// The name that the program was called by: whose command line and words are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvokedAs {
    /// Called as `manicule`.
    Manicule,
    /// Called as `rg`.
    Ripgrep,
}

impl InvokedAs {
    /// The name in front of each message.
    pub(crate) fn program(self) -> &'static str {
        match self {
            InvokedAs::Manicule => "manicule",
            InvokedAs::Ripgrep => "rg",
        }
    }

    /// The name in the middle of a sentence.
    pub(crate) fn product(self) -> &'static str {
        match self {
            InvokedAs::Manicule => "manicule",
            InvokedAs::Ripgrep => "ripgrep",
        }
    }
}

static INVOKED_AS: OnceLock<InvokedAs> = OnceLock::new();

/// Fixes the name that the messages keep to; once, at the start. The logger has no other way to
/// learn it.
pub(crate) fn set_invoked_as(invoked_as: InvokedAs) {
    let _ = INVOKED_AS.set(invoked_as);
}

/// The name that the program was called by.
pub(crate) fn invoked_as() -> InvokedAs {
    INVOKED_AS.get().copied().unwrap_or(InvokedAs::Manicule)
}

/// An error with its causes, each after what it caused. Many say their cause themselves: that is
/// not said again.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if words.ends_with(&cause) {
            continue;
        }
        // A path in front of an error that begins with it.
        if cause.strip_prefix(&words).is_some_and(|rest| rest.starts_with(": ")) {
            words = cause;
            continue;
        }
        if !words.is_empty() {
            words += ": ";
        }
        words += &cause;
    }
    words
}

/// Writes a text to standard error as it stands: what a call without a command gets. If nobody
/// reads it, the exit code still says that the call was none.
pub(crate) fn show(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes one message with the program's name in front.
///
/// Standard output is held meanwhile, so that on a terminal no line lands within another. Without
/// standard error there is nowhere to report to, but the exit code still shows it; ripgrep ends
/// there.
pub(crate) fn say(message: &dyn Display) {
    let invoked_as = invoked_as();
    let line = format!("{}: {message}\n", invoked_as.program());
    let stdout = std::io::stdout().lock();
    let said = std::io::stderr().lock().write_all(line.as_bytes());
    drop(stdout);
    match said {
        Err(error) if invoked_as == InvokedAs::Ripgrep => {
            let gone = error.kind() == std::io::ErrorKind::BrokenPipe;
            std::process::exit(if gone { exit::DONE } else { exit::FAILED }.into());
        }
        _ => {}
    }
}

/// Whether a part of what was asked for could not be read.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);

/// Has the call of a command end with the code of an error, as a part of what was asked for could
/// not be read: what it can answer it does.
pub(crate) fn fail_in_the_end() {
    HAS_FAILED.store(true, Relaxed);
}

/// Whether it has to.
pub(crate) fn has_failed() -> bool {
    HAS_FAILED.load(Relaxed)
}

/// Which messages of a search are shown, and whether one was a failure.
#[derive(Debug)]
pub(crate) struct Messages {
    show: bool,
    show_ignore: bool,
    failed: AtomicBool,
}

impl Messages {
    /// As `--no-messages` and `--no-ignore-messages` say.
    pub(crate) fn new(show: bool, show_ignore: bool) -> Messages {
        Messages { show, show_ignore, failed: AtomicBool::new(false) }
    }

    /// Whether messages are wanted.
    pub(crate) fn shows(&self) -> bool {
        self.show
    }

    /// Something failed; the search goes on, the exit code says so.
    pub(crate) fn failure(&self, message: &dyn Display) {
        self.failed.store(true, Relaxed);
        if self.show {
            say(message);
        }
    }

    /// An ignore file has a mistake; nothing failed.
    pub(crate) fn ignore_rule(&self, message: &dyn Display) {
        if self.show && self.show_ignore {
            say(message);
        }
    }

    /// Whether something failed so far.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Relaxed)
    }
}

/// Shows the libraries' log records, as `--debug` and `--trace` want.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let place = match (record.file(), record.line()) {
            (Some(file), Some(line)) => format!("|{file}:{line}"),
            (Some(file), None) => format!("|{file}"),
            _ => String::new(),
        };
        say(&format_args!("{}|{}{place}: {}", record.level(), record.target(), record.args()));
    }

    fn flush(&self) {}
}

/// Begins to show log records up to this level.
pub(crate) fn log_up_to(level: log::LevelFilter) {
    // The only failure is that a logger is there already, which is this one.
    let _ = log::set_logger(&Logger);
    log::set_max_level(level);
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn a_cause_is_said_once() {
        let error = "x".parse::<u64>().unwrap_err().into();
        let error = lexopt::Error::ParsingFailed { value: "x".into(), error };
        let error = anyhow::Error::new(error).context("--limit");
        let want = "--limit: cannot parse argument \"x\": invalid digit found in string";
        assert_eq!(in_words(&error), want);
        let error = anyhow::anyhow!("inner").context("outer");
        assert_eq!(in_words(&error), "outer: inner");
        let error = anyhow::anyhow!("a/b: wrong password").context("a/b");
        assert_eq!(in_words(&error), "a/b: wrong password");
    }
}
