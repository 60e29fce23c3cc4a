//! The visitor of files of a search whose hits go to a callback: lines are collected, and handed
//! out many at a time.

use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;

use grep_searcher::Searcher;
use manicule_core::ErrorClass;
use memchr::memchr;

use super::collected::{Batch, Collected, Deliver, LineSink};
use super::lines::plain::{PlainLine, PlainLines, Searched};
use super::lines::probe::Probe;
use super::lines::source::Source;
use super::matcher::Matcher;
use super::search::Search;
use super::visitor::{Text, Visitor};
use crate::code::tree::{Candidate, Flow, Given, Visit};
use crate::failure::Failure;
use crate::kinds::System;

/// Searches the files of one thread.
pub(super) struct Worker<'c> {
    search: &'c Search,
    to: &'c dyn Deliver,
    /// Cloned: each clone has scratch memory of its own.
    matcher: Matcher,
    searcher: Searcher,
    probe: Probe,
    plain: Option<PlainLines>,
    batch: Batch,
}

impl<'c> Worker<'c> {
    pub(super) fn new(search: &'c Search, to: &'c dyn Deliver) -> Worker<'c> {
        let matcher = search.matcher.clone().expect("a search for hits has a matcher");
        Worker {
            search,
            to,
            matcher,
            searcher: search.reading.searcher().line_number(true).build(),
            probe: Probe::new(&search.reading),
            plain: PlainLines::new(search, true),
            batch: Batch::default(),
        }
    }

    fn search(&mut self, candidate: &Candidate<'_>) -> io::Result<()> {
        let is_named = candidate.given != Given::Found;
        self.searcher.set_binary_detection(self.search.reading.binary_detection(is_named));
        let own = match candidate.file {
            // The searcher opens what may be mapped.
            None if !is_named => Some(File::open(candidate.path)?),
            _ => None,
        };
        let file = candidate.file.or(own.as_ref());
        let Worker { search, to, matcher, searcher, plain, batch, .. } = self;
        let end = search.reading.line_terminator();
        let path = candidate.path;
        let mut lines = Collected::new(*to, matcher, end, System::TREE, path, batch);
        if let (Some(plain), Some(mut file)) = (plain.as_mut().filter(|_| !is_named), file) {
            let each = |line: PlainLine<'_>| lines.line(line.number, line.offset, line.bytes);
            let searched = plain.search(file, each)?;
            if searched == Searched::Lines {
                lines.end();
                return Ok(());
            }
            lines.begin_again();
            file.rewind()?;
        }
        let source = file.map_or(Source::Path(candidate.path), Source::File);
        let mut sink = LineSink::new(lines);
        source.search(searcher, matcher, &mut sink)?;
        sink.end();
        Ok(())
    }

    fn search_text(&mut self, text: &Text<'_>) -> io::Result<()> {
        let Text { system, path, bytes: text, places, is_named } = *text;
        let Worker { search, to, matcher, searcher, plain, batch, .. } = self;
        let end = search.reading.line_terminator();
        let lines = Collected::new(*to, matcher, end, system, path, batch);
        let mut lines = lines.of_document(text);
        if let Some(plain) = plain.as_mut().filter(|_| !is_named) {
            let each = |line: PlainLine<'_>| lines.line(line.number, line.offset, line.bytes);
            if plain.search_text(text, places, each) == Searched::Lines {
                lines.end();
                return Ok(());
            }
            lines.begin_again();
        }
        searcher.set_binary_detection(search.reading.binary_detection(is_named));
        let mut sink = LineSink::new(lines);
        let mut reader = text;
        let source = match memchr(0, text) {
            None => Source::Slice(text),
            // As if it were a file: of slices the searcher looks at the first part only for a NUL.
            Some(_) => Source::Reader(&mut reader),
        };
        source.search(searcher, matcher, &mut sink)?;
        sink.end();
        Ok(())
    }

    fn ended(&self, path: &Path, searched: io::Result<()>) -> Flow {
        if let Err(error) = searched {
            let class = class_of(&error);
            self.to.failed(Failure::new(class, error).of_path(path));
        }
        if self.to.is_enough() { Flow::Quit } else { Flow::Continue }
    }
}

fn class_of(error: &io::Error) -> ErrorClass {
    match error.kind() {
        io::ErrorKind::NotFound => ErrorClass::Missing,
        _ => ErrorClass::of_io(error),
    }
}

/// Failure of a walk.
pub(super) fn failure_of_walk(error: &ignore::Error) -> Failure {
    Failure::new(error.io_error().map_or(ErrorClass::Failed, class_of), error)
}

impl Visit for Worker<'_> {
    fn file(&mut self, candidate: Candidate<'_>) -> Flow {
        if self.to.is_enough() {
            return Flow::Quit;
        }
        let searched = self.search(&candidate);
        self.ended(candidate.path, searched)
    }

    fn may_match(&mut self, text: &[u8]) -> bool {
        self.probe.may_match(&self.matcher, text)
    }

    fn left_out(&mut self, _: u64, _: u64) {}

    fn error(&mut self, error: &ignore::Error) -> Flow {
        self.to.failed(failure_of_walk(error));
        if self.to.is_enough() { Flow::Quit } else { Flow::Continue }
    }

    /// Lines of ignore files that can't be used are nobody's hits.
    fn warning(&mut self, _: &ignore::Error) {}
}

impl Visitor for Worker<'_> {
    fn text(&mut self, text: Text<'_>) -> Flow {
        if self.to.is_enough() {
            return Flow::Quit;
        }
        let searched = self.search_text(&text);
        self.ended(text.path, searched)
    }
}
