//! The parser: entries out of a stream, through one buffer, however long the stream is.

use std::fmt;
use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::entry::{self, DATA_AFTER_END, Entry};
use super::labels::LabelSet;
use super::scan::Stop;
use super::{Dialect, Kind};

/// The buffer's length, until an entry is longer.
const BUFFER_LEN: usize = 1 << 20;

/// An entry may not be longer.
const ENTRY_LEN_MAX: usize = 64 << 20;

/// An entry that quoted newlines spread over lines may have no more of them: each line is a new
/// attempt.
const LINES_MAX: usize = 256;

/// Text that can't be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum TextError {
    /// The stream fails.
    Io(io::Error),
    /// The text is wrong.
    Syntax(SyntaxError),
}

/// Syntax error of a text, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// From 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
    /// The text expected there.
    pub want: String,
    /// The text found there, shortened; nothing at the end of the text.
    pub got: Option<String>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyntaxError { line, column, want, got } = self;
        write!(f, "line {line}, column {column}: expected {want}, got ")?;
        match got {
            Some(got) => write!(f, "{got:?}"),
            None => f.write_str("the end of the text"),
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::Io(error) => error.fmt(f),
            TextError::Syntax(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TextError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TextError::Io(error) => Some(error),
            TextError::Syntax(_) => None,
        }
    }
}

/// A sample.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Its series as it is written. The same text with the same kind is the same series; others may
    /// be, too.
    pub series: &'a [u8],
    /// Kind of the sample, by the type of its metric.
    pub kind: Kind,
    /// Milliseconds since 1970.
    pub time: i64,
    /// The value; a NaN is the normal one.
    pub value: f64,
    /// Whether series and kind are those of the sample before.
    pub is_repeat: bool,
    /// The line that it begins on, from 1.
    pub line: u64,
    dialect: Dialect,
}

impl Sample<'_> {
    /// The labels of its series, as a block holds them.
    pub fn labels(&self) -> Result<LabelSet, SyntaxError> {
        LabelSet::decode(self.series, self.dialect, self.kind).map_err(|error| SyntaxError {
            line: self.line,
            column: 1,
            want: error.to_string(),
            got: Some(excerpt(self.series)),
        })
    }
}

/// Reads samples from a stream.
#[derive(Debug)]
pub struct Parser<R> {
    input: R,
    dialect: Dialect,
    buffer: Vec<u8>,
    /// The part of the buffer that is filled and not yet consumed.
    begin: usize,
    end: usize,
    is_drained: bool,
    /// The line that `begin` is on, from 1, and how many bytes of the text are consumed.
    line: u64,
    consumed: u64,
    kind: Kind,
    /// The series of the sample before, while the kind is the same; empty when there is none.
    previous: Vec<u8>,
    is_ended: bool,
}

/// The next entry's place in the buffer, and whether a newline follows it.
struct Found {
    len: usize,
    is_ended: bool,
}

impl<R: Read> Parser<R> {
    /// A parser of a stream, which need not be buffered.
    pub fn new(input: R, dialect: Dialect) -> Self {
        Parser {
            input,
            dialect,
            buffer: vec![0; BUFFER_LEN],
            begin: 0,
            end: 0,
            is_drained: false,
            line: 1,
            consumed: 0,
            kind: Kind::Other,
            previous: Vec::new(),
            is_ended: false,
        }
    }

    /// Number of bytes of the text read so far.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The next sample, or `None` at the end of the text.
    pub fn next_sample(&mut self) -> Result<Option<Sample<'_>>, TextError> {
        loop {
            let Some((entry, found)) = self.next_entry()? else { return Ok(None) };
            let begin = self.begin;
            let is_repeat = match entry {
                Entry::Sample { series_len, .. } => {
                    let series = &self.buffer[begin..begin + series_len];
                    let is_repeat = !self.previous.is_empty() && series == self.previous;
                    if !is_repeat {
                        self.previous.clear();
                        self.previous.extend_from_slice(series);
                    }
                    is_repeat
                }
                Entry::Kind(kind) => {
                    self.kind = kind;
                    self.previous.clear();
                    false
                }
                Entry::Nothing | Entry::End => false,
            };
            let (line, kind, dialect) = (self.line, self.kind, self.dialect);
            self.step_over(&found);
            match entry {
                Entry::Sample { series_len, time, value } => {
                    let series = &self.buffer[begin..begin + series_len];
                    let sample = Sample { series, kind, time, value, is_repeat, line, dialect };
                    return Ok(Some(sample));
                }
                Entry::Kind(_) | Entry::Nothing => {}
                Entry::End => return self.end_of_text(),
            }
        }
    }

    fn next_entry(&mut self) -> Result<Option<(Entry, Found)>, TextError> {
        let mut found = match self.find(0)? {
            Some(found) => found,
            None if self.dialect == Dialect::Prometheus || self.is_ended => return Ok(None),
            None => return Err(self.fault(0, "`# EOF` at the end of the text")),
        };
        for _ in 0..LINES_MAX {
            let bytes = &self.buffer[self.begin..self.begin + found.len];
            match self.read(bytes, found.is_ended) {
                Ok(entry) => return Ok(Some((entry, found))),
                Err(Stop::Fault { at, what }) => return Err(self.fault(at, what)),
                Err(Stop::More) if !found.is_ended => {
                    return Err(self.fault(found.len, "a quote that ends"));
                }
                Err(Stop::More) => {
                    let from = found.len + 1;
                    found = self.find(from)?.unwrap_or(Found { len: from, is_ended: false });
                }
            }
        }
        Err(self.fault(0, "an entry of fewer lines"))
    }

    /// Reads an entry; one that begins with the series of the sample before is not read again.
    fn read(&self, bytes: &[u8], is_ended: bool) -> Result<Entry, Stop> {
        // The last line needs a newline in OpenMetrics only.
        let is_ended = is_ended || self.dialect == Dialect::Prometheus;
        let len = self.previous.len();
        // A bare name may go on after blanks, in Prometheus's format.
        let is_whole = self.dialect == Dialect::OpenMetrics || self.previous.ends_with(b"}");
        if len > 0 && is_whole && bytes.get(len) == Some(&b' ') && bytes[..len] == self.previous {
            return entry::read_sample(bytes, len, is_ended, self.dialect);
        }
        entry::read(bytes, is_ended, self.dialect)
    }

    /// The entry that ends with the first newline from `from` on, counted from `begin`, or with the
    /// text. `None` if the text ends before.
    fn find(&mut self, from: usize) -> Result<Option<Found>, TextError> {
        let mut from = from;
        loop {
            let rest = &self.buffer[self.begin + from..self.end];
            if let Some(at) = memchr(b'\n', rest) {
                return Ok(Some(Found { len: from + at, is_ended: true }));
            }
            from = self.end - self.begin;
            if self.is_drained {
                return Ok((from > 0).then_some(Found { len: from, is_ended: false }));
            }
            if from >= ENTRY_LEN_MAX {
                return Err(self.fault(0, "a shorter entry"));
            }
            self.fill()?;
        }
    }

    /// Reads more after what is there, which moves to the buffer's front.
    fn fill(&mut self) -> Result<(), TextError> {
        self.buffer.copy_within(self.begin..self.end, 0);
        self.end -= self.begin;
        self.begin = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end * 2, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.is_drained = true,
                Ok(len) => self.end += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(TextError::Io(error)),
            }
            return Ok(());
        }
    }

    fn step_over(&mut self, found: &Found) {
        let entry = &self.buffer[self.begin..self.begin + found.len];
        // Only a quoted string can hold a newline: those of long lines are not worth looking for.
        self.line += u64::from(found.is_ended) + memchr_iter(b'\n', entry).count() as u64;
        let len = found.len + usize::from(found.is_ended);
        self.begin += len;
        self.consumed += len as u64;
    }

    fn end_of_text(&mut self) -> Result<Option<Sample<'_>>, TextError> {
        self.is_ended = true;
        match self.find(0)? {
            None => Ok(None),
            Some(_) => Err(self.fault(0, DATA_AFTER_END)),
        }
    }

    /// The error at a byte of the entry that is next.
    fn fault(&self, at: usize, want: &str) -> TextError {
        let entry = &self.buffer[self.begin..self.end];
        let before = &entry[..at];
        let line = self.line + memchr_iter(b'\n', before).count() as u64;
        let column = (at - memrchr(b'\n', before).map_or(0, |newline| newline + 1)) as u64 + 1;
        let got = (at < entry.len()).then(|| excerpt(&entry[at..]));
        TextError::Syntax(SyntaxError { line, column, want: want.to_owned(), got })
    }
}

/// The first characters of a text, up to the end of the line or a blank.
fn excerpt(text: &[u8]) -> String {
    const LEN_MAX: usize = 40;
    let line_len = memchr(b'\n', text).unwrap_or(text.len());
    let word = match text.iter().position(|byte| matches!(byte, b' ' | b'\n')) {
        Some(0) => &text[..1],
        Some(len) => &text[..len],
        None => &text[..line_len],
    };
    String::from_utf8_lossy(&word[..word.len().min(LEN_MAX)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = self.0.len().min(out.len()).min(1);
            out[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn samples<R: Read>(input: R, dialect: Dialect) -> String {
        let mut parser = Parser::new(input, dialect);
        let mut out = String::new();
        loop {
            match parser.next_sample() {
                Err(error) => return format!("{out}{error}"),
                Ok(None) => return out,
                Ok(Some(sample)) => {
                    let series = String::from_utf8_lossy(sample.series).into_owned();
                    let repeat = if sample.is_repeat { " again" } else { "" };
                    let (time, value) = (sample.time, sample.value);
                    out.push_str(&format!("{series} {value} @{time}{repeat}; "));
                }
            }
        }
    }

    fn check(dialect: Dialect, text: &str, want: &str) {
        assert_eq!(samples(text.as_bytes(), dialect), want, "{text}");
        assert_eq!(samples(Drip(text.as_bytes()), dialect), want, "{text} in drips");
    }

    #[test]
    fn samples_of_open_metrics() {
        let om = Dialect::OpenMetrics;
        check(om, "# EOF\n", "");
        check(om, "# EOF", "");
        check(om, "up 1 2\nup 3 4.0005\n# EOF\n", "up 1 @2000; up 3 @4000 again; ");
        check(om, "up{a=\"b\"} 1 -2 # {x=\"y\"} 0.5 7\n# EOF\n", "up{a=\"b\"} 1 @-2000; ");
        let text = "# HELP h a text\n# TYPE h histogram\n# UNIT h_s s\nh_sum 1 1\n# EOF\n";
        check(om, text, "h_sum 1 @1000; ");
        // The type makes another series of the same text.
        let text = "b{le=\"1\"} 1 1\n# TYPE b histogram\nb{le=\"1\"} 1 2\n# EOF\n";
        check(om, text, "b{le=\"1\"} 1 @1000; b{le=\"1\"} 1 @2000; ");
        let text = "{\"two\nlines\"} 1 1\nx 1 y\n# EOF\n";
        let want = "{\"two\nlines\"} 1 @1000; line 3, column 5: expected a time in seconds since 1970, got \"y\"";
        check(om, text, want);
    }

    #[test]
    fn samples_of_the_older_format() {
        let text = Dialect::Prometheus;
        check(text, "", "");
        check(text, "\n# anything\n#\n up\t1   2 \nup {a=\"b\" c=\"d\"}3 4", {
            " up 1 @2; up {a=\"b\" c=\"d\"} 3 @4; "
        });
        check(text, "up 1 2\nup {a=\"b\"} 1 2", "up 1 @2; up {a=\"b\"} 1 @2; ");
    }

    #[test]
    fn errors_say_where() {
        let om = Dialect::OpenMetrics;
        check(
            om,
            "",
            "line 1, column 1: expected `# EOF` at the end of the text, got the end of the text",
        );
        check(om, "up 1 2\n", {
            "up 1 @2000; line 2, column 1: expected `# EOF` at the end of the text, got the end of the text"
        });
        check(
            om,
            "# EOF\nup 1 2\n",
            "line 2, column 1: expected nothing behind `# EOF`, got \"up\"",
        );
        check(om, "up  1\n", "line 1, column 4: expected a value, got \" \"");
        check(om, "up 1\n# EOF\n", {
            "line 1, column 5: expected one blank, and a time in seconds (a block needs the time of every sample), got \"\\n\""
        });
        check(om, "{\"m", "line 1, column 4: expected a quote that ends, got the end of the text");
        check(om, "up 1 2", "line 1, column 7: expected a newline, got the end of the text");
        for time in ["NaN", "1e309", "-1e300", "x"] {
            let want =
                format!("line 1, column 6: expected a time in seconds since 1970, got {time:?}");
            check(om, &format!("up 1 {time}\n"), &want);
        }
        let text = Dialect::Prometheus;
        let want = "line 1, column 4: expected a value: a number, NaN or Inf, got \"\\n\"";
        check(text, "up \n", want);
        check(text, "up 1 1.5\n", "line 1, column 7: expected the end of the line, got \".5\"");
    }

    #[test]
    fn an_entry_may_not_have_any_number_of_lines() {
        let text = format!("{{\"{}\"}} 1 1\n# EOF\n", "\n".repeat(LINES_MAX));
        let error = samples(text.as_bytes(), Dialect::OpenMetrics);
        assert!(error.starts_with("line 1, column 1: expected an entry of fewer lines"), "{error}");
    }

    #[test]
    fn an_entry_longer_than_the_buffer_is_read() {
        let value = "x".repeat(3 * BUFFER_LEN);
        let text = format!("up{{a=\"{value}\"}} 1 1\nup 1 1\n# EOF\n");
        let got = samples(text.as_bytes(), Dialect::OpenMetrics);
        assert_eq!(got, format!("up{{a=\"{value}\"}} 1 @1000; up 1 @1000; "));
    }
}
