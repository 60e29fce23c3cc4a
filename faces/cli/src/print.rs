//! Standard output as a command is given it, and the exit code that follows from what became of it.
//!
//! A write that fails is never lost: the last flush is checked, and the failure is said once.
//! Nothing is left to the buffer of the standard library, whose own flush when the program ends has
//! nowhere to report an error.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use manicule::json::{self, Report};
use serde_json::Value as Json;

use crate::command::exit::{DONE, FAILED};
use crate::messages::{InvokedAs, in_words, invoked_as, say};

/// Whether a command goes on when nobody reads what it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The answer is what is printed. A reader who leaves has what they wanted: the command ends,
    /// and that is no failure.
    Needed,
    /// The answer is the exit code, or what is made: the command goes on without a reader, to its
    /// own exit code.
    Optional,
}

/// Form of what a command says of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Sentences.
    Text,
    /// An object a line.
    Json,
    /// None: the exit code tells.
    Nothing,
}

/// A JSON object of a type: each row that a command prints under `--json` is one.
pub(crate) fn typed(kind: &str, mut fields: Json) -> Json {
    fields["type"] = kind.into();
    fields
}

/// A report as a JSON object.
pub(crate) fn json(report: impl Report) -> Json {
    serde_json::to_value(json::Json(report)).expect("keys of reports are texts")
}

/// A report as the bytes of a JSON object, its entries in its own order: for lines of which there
/// are many. By way of a value of JSON, 11 % of `series select --samples --json` were trees of the
/// labels.
pub(crate) fn json_bytes(report: impl Report) -> Vec<u8> {
    serde_json::to_vec(&json::Json(report)).expect("keys of reports are texts")
}

/// A report as a JSON object, with other entries beside its own.
pub(crate) fn json_with(report: impl Report, others: Json) -> Json {
    let mut fields = json(report);
    if let (Json::Object(fields), Json::Object(others)) = (&mut fields, others) {
        fields.extend(others);
    }
    fields
}

/// A path in a JSON object: what is not valid UTF-8 becomes U+FFFD.
pub(crate) fn path(path: &Path) -> Json {
    path.to_string_lossy().into()
}

/// Refuses to print typed columns where no file is named and standard output is a terminal.
pub(crate) fn not_for_terminal(file: Option<&Path>) -> Result<()> {
    if file.is_none() && io::stdout().is_terminal() {
        bail!("Parquet and Arrow aren't for a terminal; say -o FILE, or pipe it");
    }
    Ok(())
}

/// What became of standard output.
#[derive(Debug)]
enum State {
    Open,
    /// The reader has left.
    Left,
    /// A write failed, and so.
    Failed(String),
}

/// Maximum number of bytes written together.
const PAGE_LEN: usize = 64 << 10;

/// Standard output of one command. Each line goes out as it comes, unless pages are asked for.
pub(crate) struct Print {
    reader: Reader,
    buffer: Vec<u8>,
    by_line: bool,
    state: State,
}

/// Answers a command line: what `answer` returns is the exit code, unless what it printed could not
/// be written.
pub(crate) fn command(reader: Reader, answer: impl FnOnce(&mut Print) -> Result<u8>) -> ExitCode {
    let mut out = Print { reader, buffer: Vec::new(), by_line: true, state: State::Open };
    let answered = answer(&mut out);
    let code = match answered {
        Ok(code) => code,
        // It ended because of standard output.
        Err(_) if out.is_over() => DONE,
        Err(error) => {
            // What was found before stands before the message.
            let _ = out.flush();
            say(&in_words(&error));
            FAILED
        }
    };
    let _ = out.flush();
    let State::Failed(error) = out.state else { return ExitCode::from(code) };
    match invoked_as() {
        InvokedAs::Manicule => say(&format_args!("standard output: {error}")),
        InvokedAs::Ripgrep => say(&error),
    }
    ExitCode::from(FAILED)
}

/// Prints a text: an answer that needed no work.
pub(crate) fn text(text: &str) -> ExitCode {
    command(Reader::Needed, |out| {
        out.write_all(text.as_bytes())?;
        Ok(DONE)
    })
}

impl Print {
    /// Prints a JSON object of a type as a line.
    pub(crate) fn row(&mut self, kind: &str, fields: Json) -> io::Result<()> {
        writeln!(self, "{}", typed(kind, fields))
    }

    /// Prints a report as a JSON object of a type, as a line.
    pub(crate) fn report(&mut self, kind: &str, report: impl Report) -> io::Result<()> {
        self.row(kind, json(report))
    }

    /// Prints a report that says its type itself, or needs none, as a line.
    pub(crate) fn line(&mut self, report: impl Report) -> io::Result<()> {
        writeln!(self, "{}", json(report))
    }

    /// From here on lines are written many together, for answers that may be long. On a terminal
    /// they still come one by one.
    pub(crate) fn in_pages(&mut self) {
        self.by_line = io::stdout().is_terminal();
    }

    /// Takes note of what a write of somebody else's to standard output came to: an error where the
    /// command shall end.
    pub(crate) fn lost(&mut self, error: io::Error) -> io::Result<()> {
        match (error.kind(), self.reader) {
            (io::ErrorKind::BrokenPipe, Reader::Optional) => {
                self.state = State::Left;
                return Ok(());
            }
            (io::ErrorKind::BrokenPipe, Reader::Needed) => self.state = State::Left,
            _ => self.state = State::Failed(error.to_string()),
        }
        Err(error)
    }

    /// Whether the command shall end, for nothing more can be printed.
    fn is_over(&self) -> bool {
        match self.state {
            State::Open => false,
            State::Left => self.reader == Reader::Needed,
            State::Failed(_) => true,
        }
    }
}

impl Write for Print {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    /// Lines come in many small pieces: each is a copy and a comparison. The loop that a
    /// `write_all` is otherwise took a fifth of the instructions of `series select`.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= PAGE_LEN || (self.by_line && bytes.contains(&b'\n')) {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.buffer);
        match &self.state {
            State::Open if bytes.is_empty() => return Ok(()),
            State::Open => {}
            State::Left if self.reader == Reader::Optional => return Ok(()),
            State::Left => return Err(io::ErrorKind::BrokenPipe.into()),
            State::Failed(error) => return Err(io::Error::other(error.clone())),
        }
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(&bytes).and_then(|()| stdout.flush());
        drop(stdout);
        self.buffer = bytes;
        self.buffer.clear();
        written.or_else(|error| self.lost(error))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_has_its_type_and_paths_are_text() {
        let name = Path::new(OsStr::from_bytes(b"a\xffb"));
        let row = typed("block", json!({ "path": path(name), "len": 3 }));
        assert_eq!(row.to_string(), "{\"len\":3,\"path\":\"a\u{fffd}b\",\"type\":\"block\"}");
    }
}
