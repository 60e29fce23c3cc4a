//! ripgrep's searcher as a call wants it: lines, context, encodings, NUL bytes, memory maps.

use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::Call;
use crate::find::mmap;
use crate::flags::{Binary, Coding, Context, Mapping};

/// Maximum number of named files that are mapped rather than read; ripgrep's number.
const MAPPED_PATHS_MAX: usize = 10;

impl Call {
    /// Meaning of a NUL byte in a file that was given by name (or not).
    pub(crate) fn binary_detection(&self, named: bool) -> BinaryDetection {
        match self.options.binary {
            Binary::Text => BinaryDetection::none(),
            _ if self.options.null_data => BinaryDetection::none(),
            Binary::Search => BinaryDetection::convert(0),
            Binary::Skip if named => BinaryDetection::convert(0),
            Binary::Skip => BinaryDetection::quit(0),
        }
    }

    /// A searcher as the options want it; the meaning of a NUL byte is set for each file.
    pub(crate) fn searcher(&self) -> Searcher {
        let options = &self.options;
        let mut builder = self.plain_searcher();
        let (before, after) = options.context.lines();
        builder
            .max_matches(options.max_count)
            .line_number(self.line_number)
            .stop_on_nonmatch(options.stop_on_nonmatch)
            .passthru(options.context == Context::Passthru)
            .before_context(before)
            .after_context(after);
        if self.mapped {
            builder.memory_map(mmap::allowed());
        }
        builder.build()
    }

    /// A searcher that only reports whether there is a match.
    pub(crate) fn probe(&self) -> Searcher {
        self.plain_searcher().line_number(false).build()
    }

    fn plain_searcher(&self) -> SearcherBuilder {
        let options = &self.options;
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(match (options.crlf, options.null_data) {
                (true, _) => grep_matcher::LineTerminator::crlf(),
                (false, true) => grep_matcher::LineTerminator::byte(0),
                (false, false) => grep_matcher::LineTerminator::byte(b'\n'),
            })
            .invert_match(options.invert_match)
            .multi_line(options.multiline);
        match &options.encoding {
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

    pub(super) fn wants_mapping(&self) -> bool {
        match self.options.mapping {
            Mapping::Always => true,
            Mapping::Never => false,
            Mapping::Auto => {
                let paths = self.deal.trees();
                paths.len() <= MAPPED_PATHS_MAX && paths.iter().all(|path| path.is_file())
            }
        }
    }
}
