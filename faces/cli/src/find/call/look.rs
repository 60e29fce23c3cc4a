//! The engines' view of a call: conclusions from its patterns and from its output.

use grep_searcher::BinaryDetection;
use manicule::code::tree::{Look, Narrow, Nul, Reach};
use manicule::pattern::{self, Dialect, Limits, Need, Syntax};

use super::Call;
use crate::flags::{Case, Coding, Context, Find, Mode};

impl Call {
    /// The engine's conclusions from the patterns.
    pub(crate) fn look(&self) -> Look {
        let options = &self.options;
        if self.mode == Mode::Files {
            return Look::Names;
        }
        let is_decoded = matches!(options.encoding, Coding::Named(_));
        // The bytes of files that are left out are counted without byte order marks.
        let counts_marks = self.stats && matches!(options.encoding, Coding::Raw);
        if self.needs_every_file()
            || options.pre.is_some()
            || options.search_zip
            || is_decoded
            || counts_marks
        {
            return Look::Contents;
        }
        let need = self.need();
        let is_by_line = !options.multiline && !options.null_data;
        let reach = if is_by_line { Reach::Line } else { Reach::Lines };
        // Over lines, and in a mapped file, ripgrep looks for a NUL only in the first 64 KiB and in
        // the lines that it prints.
        let reads_through = !options.multiline && !self.mapped;
        let ends_at_nul = self.binary_detection(false) == BinaryDetection::quit(0)
            && !self.stats
            && reads_through;
        let nul = if ends_at_nul { Nul::EndsText } else { Nul::IsRead };
        Look::Matches(Narrow { need, reach, nul })
    }

    /// Need of the patterns: what each match must contain. A pattern that can't be read is reported
    /// by the matcher.
    fn need(&self) -> Need {
        if self.is_pcre2 {
            return Need::Anything;
        }
        pattern::need(&self.pattern_texts(), &self.dialect(), &Limits::USUAL)
            .unwrap_or(Need::Anything)
    }

    /// The only text that matches, if there is just one.
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        if self.is_pcre2 { None } else { pattern::text(&self.pattern_texts(), &self.dialect()) }
    }

    fn pattern_texts(&self) -> Vec<&str> {
        self.patterns.iter().map(String::as_str).collect()
    }

    /// Dialect of the patterns for the default engine.
    fn dialect(&self) -> Dialect {
        let options = &self.options;
        Dialect {
            syntax: if options.fixed_strings { Syntax::Fixed } else { Syntax::Regex },
            case: match options.case {
                Case::Sensitive => pattern::Case::Sensitive,
                Case::Insensitive => pattern::Case::Insensitive,
                Case::Smart => pattern::Case::Smart,
            },
            unicode: !options.no_unicode,
            dot_matches_new_line: options.multiline && options.multiline_dotall,
            crlf: options.crlf,
            ..Dialect::RIPGREP
        }
    }

    /// Whether a file without any matching line leaves a trace in the output, so that all must be
    /// searched.
    fn needs_every_file(&self) -> bool {
        let options = &self.options;
        let zeros = match self.mode {
            Mode::Search(Find::FilesWithout) => true,
            Mode::Search(Find::Count | Find::CountMatches) => options.include_zero,
            Mode::Search(Find::Lines | Find::Json) => options.context == Context::Passthru,
            Mode::Search(_) => false,
            Mode::Files | Mode::Types | Mode::Generate(_) => true,
        };
        zeros || options.invert_match
    }
}
