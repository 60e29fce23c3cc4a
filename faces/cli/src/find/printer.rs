//! The three printers of ripgrep's library as one type.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_printer::{
    JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::call::Call;
use super::matcher::Matcher;
use super::output::Page;
use crate::flags::{Find, Mode};

/// Printer of a file's matches.
pub(crate) enum Printer {
    /// Lines.
    Standard(Standard<Box<dyn Page>>),
    /// Paths and counts.
    Summary(Summary<Box<dyn Page>>),
    /// JSON Lines.
    Json(JSON<Box<dyn Page>>),
}

/// Source of a file's bytes.
pub(crate) enum Source<'a> {
    /// A path to open.
    Path(&'a Path),
    /// An open file, at its start.
    File(&'a File),
    /// Bytes in memory.
    Slice(&'a [u8]),
    /// A stream: standard input, another program's output.
    Reader(&'a mut dyn Read),
}

/// Result of a file.
pub(crate) struct Outcome {
    /// Whether it has a result.
    pub(crate) matched: bool,
    /// Its statistics, if they are wanted.
    pub(crate) stats: Option<Stats>,
}

impl Printer {
    /// The printer that the call wants.
    pub(crate) fn new(call: &Call, page: Box<dyn Page>) -> Printer {
        let find = match call.mode {
            Mode::Search(find) => find,
            Mode::Files | Mode::Types | Mode::Generate(_) => Find::Lines,
        };
        let kind = match (find, call.options.quiet) {
            (Find::FilesWithout, true) => SummaryKind::QuietWithoutMatch,
            (_, true) => SummaryKind::QuietWithMatch,
            (Find::Lines, false) => return Printer::Standard(standard(call).build(page)),
            (Find::Json, false) => return Printer::Json(json(call).build(page)),
            (Find::FilesWith, false) => SummaryKind::PathWithMatch,
            (Find::FilesWithout, false) => SummaryKind::PathWithoutMatch,
            (Find::Count, false) => SummaryKind::Count,
            (Find::CountMatches, false) => SummaryKind::CountMatches,
        };
        Printer::Summary(summary(call, kind).build(page))
    }

    /// Its destination.
    pub(crate) fn page(&mut self) -> &mut dyn Page {
        let page = match self {
            Printer::Standard(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
            Printer::Json(printer) => printer.get_mut(),
        };
        &mut **page
    }

    /// Searches one source, and prints its matches under this path.
    pub(crate) fn search(
        &mut self,
        searcher: &mut Searcher,
        matcher: &Matcher,
        path: &Path,
        source: Source<'_>,
    ) -> io::Result<Outcome> {
        match self {
            Printer::Standard(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                run(searcher, matcher, source, Any(&mut sink))?;
                Ok(Outcome { matched: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                run(searcher, matcher, source, Any(&mut sink))?;
                Ok(Outcome { matched: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                run(searcher, matcher, source, Any(&mut sink))?;
                Ok(Outcome { matched: sink.has_match(), stats: Some(sink.stats().clone()) })
            }
        }
    }
}

fn run(
    searcher: &mut Searcher,
    matcher: &Matcher,
    source: Source<'_>,
    sink: Any<'_>,
) -> io::Result<()> {
    match source {
        Source::Path(path) => searcher.search_path(matcher, path, sink),
        Source::File(file) => searcher.search_file(matcher, file, sink),
        Source::Slice(bytes) => searcher.search_slice(matcher, bytes, sink),
        Source::Reader(reader) => searcher.search_reader(matcher, reader, sink),
    }
}

/// Any sink as one type: the searcher is compiled once for all.
pub(crate) struct Any<'s>(pub(crate) &'s mut dyn Sink<Error = io::Error>);

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

fn standard(call: &Call) -> StandardBuilder {
    let options = &call.options;
    let mut builder = StandardBuilder::new();
    builder
        .byte_offset(options.byte_offset)
        .color_specs(call.colors.clone())
        .column(call.column)
        .heading(call.heading)
        .hyperlink(call.hyperlink.clone())
        .max_columns(options.max_columns)
        .max_columns_preview(options.max_columns_preview)
        .only_matching(options.only_matching)
        .path(call.with_filename)
        .path_terminator(options.null.then_some(0))
        .per_match(options.vimgrep)
        .per_match_one_line(true)
        .replacement(replacement(call))
        .separator_context(call.context_separator())
        .separator_field_context(
            options.field_context_separator.clone().unwrap_or_else(|| b"-".to_vec()),
        )
        .separator_field_match(
            options.field_match_separator.clone().unwrap_or_else(|| b":".to_vec()),
        )
        .separator_path(options.path_separator)
        .stats(call.stats)
        .trim_ascii(options.text_trim);
    if call.is_direct() {
        builder.separator_search(call.file_separator());
    }
    builder
}

fn summary(call: &Call, kind: SummaryKind) -> SummaryBuilder {
    let mut builder = SummaryBuilder::new();
    builder
        .color_specs(call.colors.clone())
        .exclude_zero(!call.options.include_zero)
        .hyperlink(call.hyperlink.clone())
        .kind(kind)
        .path(call.with_filename)
        .path_terminator(call.options.null.then_some(0))
        .separator_field(b":".to_vec())
        .separator_path(call.options.path_separator)
        .stats(call.stats);
    builder
}

fn json(call: &Call) -> JSONBuilder {
    let mut builder = JSONBuilder::new();
    builder.pretty(false).always_begin_end(false).replacement(replacement(call));
    builder
}

fn replacement(call: &Call) -> Option<Vec<u8>> {
    call.options.replace.as_ref().map(|text| text.clone().into_bytes())
}
