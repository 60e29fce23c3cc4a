//! The three printers of ripgrep's library as one type.

use std::io;
use std::path::Path;

use grep_printer::{
    JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::Searcher;
use manicule::find::{Matcher, Source};

use super::call::Call;
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
                source.search(searcher, matcher, &mut sink)?;
                Ok(Outcome { matched: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                source.search(searcher, matcher, &mut sink)?;
                Ok(Outcome { matched: sink.has_match(), stats: sink.stats().cloned() })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                source.search(searcher, matcher, &mut sink)?;
                Ok(Outcome { matched: sink.has_match(), stats: Some(sink.stats().clone()) })
            }
        }
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
