//! What the flags say, before anything is looked up: each field is changed by the rows of the flag
//! table.

use std::ffi::OsString;
use std::path::PathBuf;

use grep_printer::{HyperlinkFormat, UserColorSpec};
pub(crate) use manicule::find::{Binary, Boundary, Case, Coding, Sort, SortKey, TypeChange};

/// Everything that a command line can say, under the flags' own names; the table describes each.
/// `Default` is the empty command line.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) special: Option<Special>,
    pub(crate) mode: Mode,
    pub(crate) positional: Vec<OsString>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) binary: Binary,
    pub(crate) boundary: Option<Boundary>,
    pub(crate) buffering: Buffering,
    pub(crate) byte_offset: bool,
    pub(crate) case: Case,
    pub(crate) color: Color,
    pub(crate) colors: Vec<UserColorSpec>,
    pub(crate) column: Option<bool>,
    pub(crate) context: Context,
    /// `None` is ripgrep's `--`; `Some(None)` prints no separator at all.
    pub(crate) context_separator: Option<Option<Vec<u8>>>,
    pub(crate) crlf: bool,
    pub(crate) dfa_size_limit: Option<usize>,
    pub(crate) encoding: Coding,
    pub(crate) engine: Engine,
    pub(crate) field_context_separator: Option<Vec<u8>>,
    pub(crate) field_match_separator: Option<Vec<u8>>,
    pub(crate) fixed_strings: bool,
    pub(crate) follow: bool,
    pub(crate) glob_case_insensitive: bool,
    pub(crate) globs: Vec<String>,
    pub(crate) heading: Option<bool>,
    pub(crate) hidden: bool,
    pub(crate) hostname_bin: Option<PathBuf>,
    pub(crate) hyperlink_format: HyperlinkFormat,
    pub(crate) iglobs: Vec<String>,
    pub(crate) ignore_files: Vec<PathBuf>,
    pub(crate) ignore_file_case_insensitive: bool,
    pub(crate) include_zero: bool,
    pub(crate) invert_match: bool,
    pub(crate) line_number: Option<bool>,
    pub(crate) logging: Option<Logging>,
    pub(crate) max_columns: Option<u64>,
    pub(crate) max_columns_preview: bool,
    pub(crate) max_count: Option<u64>,
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_filesize: Option<u64>,
    pub(crate) mapping: Mapping,
    pub(crate) multiline: bool,
    pub(crate) multiline_dotall: bool,
    pub(crate) no_config: bool,
    pub(crate) no_ignore_dot: bool,
    pub(crate) no_ignore_exclude: bool,
    pub(crate) no_ignore_files: bool,
    pub(crate) no_ignore_global: bool,
    pub(crate) no_ignore_messages: bool,
    pub(crate) no_ignore_parent: bool,
    pub(crate) no_ignore_vcs: bool,
    pub(crate) no_messages: bool,
    pub(crate) no_require_git: bool,
    pub(crate) no_unicode: bool,
    pub(crate) null: bool,
    pub(crate) null_data: bool,
    pub(crate) one_file_system: bool,
    pub(crate) only_matching: bool,
    pub(crate) path_separator: Option<u8>,
    pub(crate) pre: Option<PathBuf>,
    pub(crate) pre_globs: Vec<String>,
    pub(crate) quiet: bool,
    pub(crate) regex_size_limit: Option<usize>,
    pub(crate) replace: Option<String>,
    pub(crate) search_zip: bool,
    pub(crate) sort: Option<Sort>,
    pub(crate) stats: bool,
    pub(crate) stop_on_nonmatch: bool,
    pub(crate) text_trim: bool,
    pub(crate) threads: Option<usize>,
    pub(crate) type_changes: Vec<TypeChange>,
    pub(crate) unrestricted: usize,
    pub(crate) vimgrep: bool,
    pub(crate) with_filename: Option<bool>,
    // Manicule's own.
    pub(crate) budget: Option<u64>,
    pub(crate) receipt: bool,
    pub(crate) max_age_seconds: Option<u64>,
    pub(crate) no_index: bool,
}

/// An answer that needs no search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// `-h`
    HelpShort,
    /// `--help`
    HelpLong,
    /// `-V`
    VersionShort,
    /// `--version`
    VersionLong,
    /// `--pcre2-version`
    Pcre2Version,
}

/// What to do with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Look into them.
    Search(Find),
    /// List them.
    Files,
    /// List the file types.
    Types,
    /// Print what a shell or `man` wants to know of the flags.
    Generate(Script),
}

/// For whom the flags are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// `man`
    Man,
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
    /// PowerShell
    PowerShell,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode::Search(Find::Lines)
    }
}

/// What a search prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// The matching lines.
    Lines,
    /// Paths with a match.
    FilesWith,
    /// Paths without.
    FilesWithout,
    /// Number of lines that match.
    Count,
    /// Number of matches.
    CountMatches,
    /// JSON Lines.
    Json,
}

/// When standard output is flushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Buffering {
    /// A line at a time on a terminal, else a block at a time.
    #[default]
    Auto,
    /// After each line.
    Line,
    /// When the buffer is full.
    Block,
}

/// When to print colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Color {
    /// Never.
    Never,
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Always, as ANSI sequences.
    Ansi,
}

/// The lines around a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// All of them.
    Passthru,
    /// Some: what `-B`, `-A` and `-C` have said.
    Lines {
        /// `-B`
        before: Option<usize>,
        /// `-A`
        after: Option<usize>,
        /// `-C`
        both: Option<usize>,
    },
}

impl Default for Context {
    fn default() -> Context {
        Context::Lines { before: None, after: None, both: None }
    }
}

impl Context {
    /// Sets one of the three; any of them ends `--passthru`.
    pub(crate) fn say(&mut self, which: &str, count: usize) {
        if *self == Context::Passthru {
            *self = Context::default();
        }
        let Context::Lines { before, after, both } = self else { return };
        *match which {
            "before" => before,
            "after" => after,
            _ => both,
        } = Some(count);
    }

    /// Lines before and after: `-B` and `-A` win over `-C`, in whatever order they came.
    pub(crate) fn lines(self) -> (usize, usize) {
        match self {
            Context::Passthru => (0, 0),
            Context::Lines { before, after, both } => {
                (before.or(both).unwrap_or(0), after.or(both).unwrap_or(0))
            }
        }
    }
}

/// Which regex engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Rust's.
    #[default]
    Rust,
    /// Rust's, then PCRE2.
    Auto,
    /// PCRE2.
    Pcre2,
}

/// Log level of the libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logging {
    /// `--debug`
    Debug,
    /// `--trace`
    Trace,
}

/// Whether files are mapped into memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mapping {
    /// When few files are given by name.
    #[default]
    Auto,
    /// Wherever it works.
    Always,
    /// Nowhere.
    Never,
}

/// Where a pattern comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// `-e`
    Text(String),
    /// `-f`
    File(PathBuf),
}
