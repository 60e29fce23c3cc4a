//! A file's bytes, searched by ripgrep's searcher.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use crate::find::matcher::Matcher;

/// Source of a file's bytes.
pub enum Source<'a> {
    /// A path to open.
    Path(&'a Path),
    /// An open file, at its start.
    File(&'a File),
    /// Bytes in memory.
    Slice(&'a [u8]),
    /// A stream: standard input, another program's output.
    Reader(&'a mut dyn Read),
}

impl Source<'_> {
    /// Searches it. The one place where the searcher is compiled.
    pub fn search(
        self,
        searcher: &mut Searcher,
        matcher: &Matcher,
        sink: &mut dyn Sink<Error = io::Error>,
    ) -> io::Result<()> {
        let sink = Any(sink);
        match self {
            Source::Path(path) => searcher.search_path(matcher, path, sink),
            Source::File(file) => searcher.search_file(matcher, file, sink),
            Source::Slice(bytes) => searcher.search_slice(matcher, bytes, sink),
            Source::Reader(reader) => searcher.search_reader(matcher, reader, sink),
        }
    }
}

/// Any sink as one type: the searcher is compiled once for all.
struct Any<'s>(&'s mut dyn Sink<Error = io::Error>);

impl Sink for Any<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.0.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.0.context(searcher, context)
    }

    fn context_break(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.0.context_break(searcher)
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> io::Result<bool> {
        self.0.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.0.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.0.finish(searcher, end)
    }
}
