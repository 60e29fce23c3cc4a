//! The visitor that searches files: a searcher and a printer for each thread.

use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use grep_cli::{CommandReaderBuilder, DecompressionReaderBuilder};
use grep_searcher::Searcher;
use manicule::code::tree::{Candidate, Flow, Given, Visit};
use manicule::find::{Matcher, Probe, Searched, Source, Text, Visitor};
use memchr::memchr;

use super::call::Call;
use super::lines::Lines;
use super::output::{Page, Room, When};
use super::printer::{Outcome, Printer};
use super::tally::Tally;
use crate::messages::InvokedAs;

/// Maximum time that results wait to be printed together with others.
const WAIT_MAX: Duration = Duration::from_millis(20);

/// Searches the files of one thread.
pub(crate) struct Worker<'c> {
    call: &'c Call,
    tally: &'c Tally<'c>,
    matcher: Matcher,
    searcher: Searcher,
    probe: Probe,
    /// The fast way, for calls and files that need no more.
    lines: Option<Lines>,
    printer: Printer,
    /// Time of the last flush of results.
    published: Instant,
    /// The program of `--pre`.
    pre: Option<&'c Path>,
    /// Rules for starting the decompressors of `-z`.
    unzip: Option<DecompressionReaderBuilder>,
}

impl<'c> Worker<'c> {
    /// A worker that prints on `page`. The matcher is cloned: each clone has scratch memory of its
    /// own.
    pub(crate) fn new(
        call: &'c Call,
        tally: &'c Tally<'c>,
        pre: Option<&'c Path>,
        page: Box<dyn Page>,
    ) -> Worker<'c> {
        let unzip = call.options.search_zip.then(|| {
            let mut unzip = DecompressionReaderBuilder::new();
            unzip.async_stderr(true);
            unzip
        });
        Worker {
            call,
            tally,
            matcher: call.matcher().clone(),
            searcher: call.searcher(),
            probe: Probe::new(&call.search.reading),
            lines: Lines::new(call),
            printer: Printer::new(call, page),
            published: Instant::now(),
            pre,
            unzip,
        }
    }

    fn search(&mut self, path: &Path, candidate: &Candidate<'_>) -> io::Result<Outcome> {
        let named = candidate.given != Given::Found;
        self.searcher.set_binary_detection(self.call.search.reading.binary_detection(named));
        if candidate.given == Given::Stdin {
            return self.search_source(path, Source::Reader(&mut io::stdin().lock()));
        }
        if let Some(program) = self.pre.filter(|_| self.goes_through_pre(path)) {
            return self.search_output_of(program, path);
        }
        if let Some(unzip) = &self.unzip
            && unzip.get_matcher().has_command(path)
        {
            let mut reader = unzip.build(path)?;
            let outcome = self.search_source(path, Source::Reader(&mut reader));
            let closed = reader.close();
            return outcome.and_then(|outcome| closed.map(|()| outcome));
        }
        if candidate.given == Given::Found
            && let Some(outcome) = self.search_lines(path, candidate)?
        {
            return Ok(outcome);
        }
        match candidate.file {
            Some(file) => self.search_source(path, Source::File(file)),
            None => self.search_source(path, Source::Path(path)),
        }
    }

    /// Searches a file the fast way; `None` if that does not apply.
    fn search_lines(
        &mut self,
        path: &Path,
        candidate: &Candidate<'_>,
    ) -> io::Result<Option<Outcome>> {
        let Some(lines) = &mut self.lines else { return Ok(None) };
        let own = match candidate.file {
            Some(_) => None,
            None => Some(File::open(candidate.path)?),
        };
        let Some(mut file) = candidate.file.or(own.as_ref()) else { return Ok(None) };
        if lines.search(file, path)? == Searched::Unusual {
            file.rewind()?;
            return Ok(None);
        }
        let matched = !lines.out().is_empty();
        self.printer.page().write_all(lines.out())?;
        Ok(Some(Outcome { matched, stats: None }))
    }

    /// Searches a text in memory.
    fn search_text(&mut self, text: &Text<'_>) -> io::Result<Outcome> {
        let Text { path, bytes: text, places, is_named, .. } = *text;
        if let Some(lines) = self.lines.as_mut().filter(|_| !is_named)
            && lines.search_text(text, path, places) == Searched::Lines
        {
            let matched = !lines.out().is_empty();
            if matched {
                self.printer.page().write_all(lines.out())?;
            }
            return Ok(Outcome { matched, stats: None });
        }
        self.searcher.set_binary_detection(self.call.search.reading.binary_detection(is_named));
        match memchr(0, text) {
            None => self.search_source(path, Source::Slice(text)),
            // As if it were a file: of slices the searcher looks at the first part only for a NUL.
            Some(_) => self.search_source(path, Source::Reader(&mut &text[..])),
        }
    }

    fn search_source(&mut self, path: &Path, source: Source<'_>) -> io::Result<Outcome> {
        self.printer.search(&mut self.searcher, &self.matcher, path, source)
    }

    fn goes_through_pre(&self, path: &Path) -> bool {
        let globs = &self.call.pre_globs;
        globs.is_empty() || !globs.matched(path, false).is_ignore()
    }

    /// Searches the output of the program of `--pre` for this path.
    fn search_output_of(&mut self, program: &Path, path: &Path) -> io::Result<Outcome> {
        let mut command = Command::new(program);
        command.arg(path).stdin(Stdio::from(File::open(path)?));
        let failed = |what: &str, command: &Command, error: &dyn std::fmt::Display| {
            io::Error::other(format!("preprocessor command {what}: '{command:?}': {error}"))
        };
        let mut reader = CommandReaderBuilder::new()
            .async_stderr(true)
            .build(&mut command)
            .map_err(|error| failed("could not start", &command, &error))?;
        let outcome = self
            .search_source(path, Source::Reader(&mut reader))
            .map_err(|error| failed("failed", &command, &error));
        let closed = reader.close();
        let outcome = outcome?;
        closed?;
        Ok(outcome)
    }

    /// Plain lines may wait a little; at a terminal, or in a slow search, they are flushed at once.
    fn when(&mut self) -> When {
        let waits = self.lines.is_some() && !self.call.by_line();
        let now = Instant::now();
        if waits && now.duration_since(self.published) < WAIT_MAX {
            return When::Soon;
        }
        self.published = now;
        When::Now
    }

    /// Counts the result of a file, and flushes its output.
    fn settle(&mut self, path: &Path, outcome: io::Result<Outcome>) -> Flow {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            // Lines printed before the buffer was full did match.
            Err(_) if self.printer.page().is_full() => Outcome { matched: true, stats: None },
            Err(error) if self.printer.page().has_failed() => return self.lose(path, error),
            Err(error) => return self.told(path, error),
        };
        if outcome.matched {
            self.tally.found();
        }
        if let Some(stats) = outcome.stats.filter(|_| self.call.stats) {
            self.tally.add(&stats);
        }
        let when = self.when();
        match self.printer.page().publish(self.tally.out, when) {
            Ok(Room::More) => {}
            Ok(Room::Full) => return Flow::Quit,
            Err(error) => {
                if self.lose(path, error) == Flow::Quit {
                    return Flow::Quit;
                }
            }
        }
        if self.call.quit_after_match() && self.tally.matched() {
            Flow::Quit
        } else {
            Flow::Continue
        }
    }

    /// Standard output has failed. ripgrep reports that for each file and goes on, unless the
    /// reader has closed the pipe.
    fn lose(&mut self, path: &Path, error: io::Error) -> Flow {
        match (self.call.invoked_as, error.kind()) {
            (_, io::ErrorKind::BrokenPipe) | (InvokedAs::Manicule, _) => self.tally.lose(error),
            (InvokedAs::Ripgrep, _) => self.told(path, error),
        }
    }

    fn told(&mut self, path: &Path, error: io::Error) -> Flow {
        self.tally.messages.failure(&format_args!("{}: {error}", path.display()));
        Flow::Continue
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.printer.page().finish(self.tally.out) {
            self.tally.lose(error);
        }
    }
}

impl Visit for Worker<'_> {
    fn file(&mut self, candidate: Candidate<'_>) -> Flow {
        self.tally.visit();
        let path = self.call.shown(candidate.path);
        self.printer.page().begin();
        let outcome = self.search(path, &candidate);
        self.settle(path, outcome)
    }

    fn may_match(&mut self, piece: &[u8]) -> bool {
        self.probe.may_match(&self.matcher, piece)
    }

    fn left_out(&mut self, file_count: u64, len: u64) {
        if file_count > 0 {
            self.tally.leave_out(file_count, len, self.call.stats);
        }
    }

    fn error(&mut self, error: &ignore::Error) -> Flow {
        self.tally.messages.failure(error);
        Flow::Continue
    }

    fn warning(&mut self, error: &ignore::Error) {
        self.tally.messages.ignore_rule(error);
    }
}

impl Visitor for Worker<'_> {
    fn text(&mut self, text: Text<'_>) -> Flow {
        self.tally.visit();
        self.printer.page().begin();
        let outcome = self.search_text(&text);
        self.settle(text.path, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    fn check(line: &str, piece: &[u8], want: bool) {
        let words = line.split_whitespace().map(std::ffi::OsString::from);
        let options = flags::parse(words, InvokedAs::Manicule).expect(line);
        let mut call = Call::new(options, InvokedAs::Manicule).expect(line);
        call.compile().expect(line);
        let got = Probe::new(&call.search.reading).may_match(call.matcher(), piece);
        assert_eq!(got, want, "{line} in {:?}", bstr::BStr::new(piece));
    }

    #[test]
    fn a_line_anywhere_is_enough() {
        check("b$ .", b"a\nab\nc\n", true);
        check("^b .", b"a\nab\nc\n", false);
        check("a.b .", b"a\nb\n", false);
    }

    #[test]
    fn an_empty_piece_has_no_line() {
        check("^ .", b"", false);
        check("-v x .", b"", false);
    }

    #[test]
    fn flags_count() {
        check("-i AB .", b"xaby\n", true);
        check("-w ab .", b"xaby\n", false);
        check("-v a .", b"a\nba\n", false);
        check("-v a .", b"a\nb\n", true);
        check("-U a\\nb .", b"a\nb\n", true);
        check("--crlf a$ .", b"a\r\n", true);
        check("--null-data ^b .", b"a\0b\0", true);
        check("-m0 a .", b"a\n", true);
    }

    #[test]
    fn anchors_of_the_whole_text_see_each_line() {
        check("\\Ab .", b"a\nb\n", true);
    }

    #[test]
    fn utf16_is_read_as_text() {
        check("ab .", b"\xFF\xFEa\0b\0", true);
    }

    #[test]
    fn a_nul_byte_leaves_it_to_the_search() {
        check("x .", b"a\0b", true);
        check("-a x .", b"a\0b", false);
    }
}
