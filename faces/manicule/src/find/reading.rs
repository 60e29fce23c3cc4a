//! How files are read as text: lines, encodings, NUL bytes, memory maps.

use grep_matcher::LineTerminator;
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder};

use super::mmap;

/// What a NUL byte in a found file means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binary {
    /// The search of the file ends there.
    #[default]
    Skip,
    /// The search goes on; the file is a match as a whole.
    Search,
    /// Nothing: it is a byte as any other.
    Text,
}

/// How bytes become text.
#[derive(Clone, Debug, Default)]
pub enum Coding {
    /// By byte order mark, else as they are.
    #[default]
    Auto,
    /// In a given encoding.
    Named(Encoding),
    /// As they are, byte order mark or not.
    Raw,
}

/// How files are read as text, as far as that decides what matches.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What a NUL byte means.
    pub binary: Binary,
    /// How bytes become text.
    pub coding: Coding,
    /// Whether a match may span lines.
    pub multiline: bool,
    /// Whether `.` matches a line end, too.
    pub dot_matches_new_line: bool,
    /// Whether `\r\n` ends a line, too.
    pub crlf: bool,
    /// Whether a NUL ends a line, in place of a newline.
    pub null_data: bool,
    /// Whether those lines are wanted that don't match; in an index, those items.
    pub invert: bool,
    /// Whether the search of a file ends at the first line that doesn't match after one that did.
    pub stop_on_nonmatch: bool,
    /// Maximum number of lines that match in a file, and of hits in an index.
    pub matches_max: Option<u64>,
    /// Whether files are mapped into memory where the searcher expects that to be faster.
    pub mapped: bool,
}

impl Reading {
    /// Text as ripgrep reads it when it is given no flag.
    pub fn plain() -> Self {
        Reading {
            binary: Binary::Skip,
            coding: Coding::Auto,
            multiline: false,
            dot_matches_new_line: false,
            crlf: false,
            null_data: false,
            invert: false,
            stop_on_nonmatch: false,
            matches_max: None,
            mapped: false,
        }
    }

    /// Meaning of a NUL byte in a file that was given by name (or not).
    pub fn binary_detection(&self, is_named: bool) -> BinaryDetection {
        match self.binary {
            Binary::Text => BinaryDetection::none(),
            _ if self.null_data => BinaryDetection::none(),
            Binary::Search => BinaryDetection::convert(0),
            Binary::Skip if is_named => BinaryDetection::convert(0),
            Binary::Skip => BinaryDetection::quit(0),
        }
    }

    /// ripgrep's searcher that reads so; the meaning of a NUL byte is set for each file.
    pub fn searcher(&self) -> SearcherBuilder {
        let mut builder = self.plain_searcher();
        builder.max_matches(self.matches_max).stop_on_nonmatch(self.stop_on_nonmatch);
        if self.mapped {
            builder.memory_map(mmap::allowed());
        }
        builder
    }

    /// A searcher that only reports whether there is a match.
    pub(super) fn probe(&self) -> Searcher {
        self.plain_searcher().line_number(false).build()
    }

    /// The end of a line.
    pub(super) fn line_terminator(&self) -> LineTerminator {
        match (self.crlf, self.null_data) {
            (true, _) => LineTerminator::crlf(),
            (false, true) => LineTerminator::byte(0),
            (false, false) => LineTerminator::byte(b'\n'),
        }
    }

    fn plain_searcher(&self) -> SearcherBuilder {
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(self.line_terminator())
            .invert_match(self.invert)
            .multi_line(self.multiline);
        match &self.coding {
            Coding::Auto => {}
            Coding::Named(encoding) => {
                builder.encoding(Some(encoding.clone()));
            }
            Coding::Raw => {
                builder.bom_sniffing(false);
            }
        }
        builder
    }
}
