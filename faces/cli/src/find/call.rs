//! A call of `find`, with everything looked up: what the options mean here and now.
//!
//! Callers: find

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use grep_printer::{ColorSpecs, HyperlinkConfig, HyperlinkEnvironment, default_color_specs};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use manicule::cache::Cache;
use manicule::code::shards::find::Admit;
use manicule::code::tree::{IndexUse, LeftOut, Look, Narrow, Nul, Order, Reach, Request, Rules};
use manicule::kinds::{self, Deal, Kind};
use manicule::pattern::{self, Dialect, Limits, Need, Syntax};

use super::matcher::Matcher;
use super::patterns::{self, Stdin};
use super::sorted::Ties;
use crate::flags::{
    Binary, Buffering, Case, Coding, Color, Context, Find, Mapping, Mode, Options, Sort, SortKey,
    TypeChange,
};
use crate::messages::Manners;

/// More threads than this were never faster for ripgrep; unsaid, it takes no more.
const THREADS_MAX: usize = 12;

/// Maximum number of named files that are mapped rather than read; ripgrep's number.
const MAPPED_PATHS_MAX: usize = 10;

/// The options, and what follows from them, the terminal and the paths.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) manners: Manners,
    pub(crate) options: Options,
    pub(crate) mode: Mode,
    pub(crate) patterns: Vec<String>,
    pub(crate) paths: Vec<PathBuf>,
    /// Shards, and folders that hold shards. A folder that holds text as well is among `paths` too.
    pub(crate) shards: Vec<PathBuf>,
    /// Prometheus blocks, indexes, and folders that hold blocks; the same holds for these.
    pub(crate) blocks: Vec<PathBuf>,
    /// Paths of systems that can't be read yet; their files are searched as text.
    pub(crate) unread: Vec<(PathBuf, Kind)>,
    /// Nobody gave a path, so it is the current folder or standard input.
    pub(crate) implicit_path: bool,
    pub(crate) threads: usize,
    /// The search's numbers are printed at the end.
    pub(crate) stats: bool,
    pub(crate) colors: ColorSpecs,
    pub(crate) hyperlink: HyperlinkConfig,
    pub(crate) pre_globs: Override,
    pub(crate) types: Types,
    pub(crate) column: bool,
    pub(crate) heading: bool,
    pub(crate) with_filename: bool,
    pub(crate) line_number: bool,
    /// The patterns are PCRE2's, as far as [`Call::settle`] knows.
    is_pcre2: bool,
    globs: Override,
    left_out: Option<LeftOut>,
    current_dir: PathBuf,
    stdout_is_terminal: bool,
    mapped: bool,
}

impl Call {
    /// Looks up what the options leave open: patterns and paths, the terminal, globs and types.
    pub(crate) fn new(mut options: Options, manners: Manners) -> Result<Call> {
        if let Some(sort) = options.sort {
            sort_supported(sort)?;
        }
        let mode = mode(&options);
        let stdout_is_terminal = std::io::stdout().is_terminal();
        let current_dir = current_dir()?;
        let mut stdin = Stdin::Free;
        let patterns = patterns::take(&mut options, mode, manners, &mut stdin)?;
        let given = take_paths(&mut options, &stdin)?;
        let (paths, implicit_path) = match given.is_empty() {
            true => (vec![default_path(mode, &stdin)], true),
            false => (given, false),
        };
        let deal = match manners {
            Manners::Manicule => Deal::of(paths, options.hidden),
            Manners::Ripgrep => Deal::of_text(paths),
        };
        let left_out = deal.left_out();
        let Deal { trees: paths, shards, blocks, unread, .. } = deal;
        let is_tree = shards.is_empty() && blocks.is_empty();
        let one_file = is_tree && is_one_file(&paths, implicit_path);
        let is_search = matches!(mode, Mode::Search(_));
        let is_json = mode == Mode::Search(Find::Json);
        let colors = color_specs(&mut options);
        let hyperlink = hyperlink(&mut options);
        let types = types(&options.type_changes, mode)?;
        let globs = globs(&current_dir, &options)?;
        let pre_globs = pre_globs(&current_dir, &options.pre_globs)?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
        let mut call = Call {
            manners,
            mode,
            patterns,
            implicit_path,
            threads: match options.sort.is_some() || one_file {
                true => 1,
                false => options.threads.unwrap_or_else(cores),
            },
            stats: is_search && (options.stats || is_json),
            colors,
            hyperlink,
            pre_globs,
            types,
            globs,
            column: options.column.unwrap_or(options.vimgrep),
            heading: !options.vimgrep && options.heading.unwrap_or(stdout_is_terminal),
            with_filename: options.with_filename.unwrap_or(options.vimgrep || !one_file),
            line_number: false,
            is_pcre2: false,
            current_dir,
            stdout_is_terminal,
            mapped: false,
            paths,
            shards,
            blocks,
            unread,
            left_out,
            options,
        };
        call.line_number = call.options.line_number.unwrap_or_else(|| call.wants_line_numbers());
        call.mapped = call.wants_mapping();
        Ok(call)
    }

    /// Takes note of the engine that the patterns were compiled for, so that nothing is concluded from what they would
    /// mean to another.
    pub(crate) fn settle(&mut self, matcher: &Matcher) {
        self.is_pcre2 = matcher.is_pcre2();
    }

    /// What the engine shall do. **The one place where a [`Request`] is made**.
    pub(crate) fn request(&self) -> Request {
        let sorts_by_path = self.options.sort == Some(Sort { key: SortKey::Path, reverse: false });
        Request {
            paths: self.paths.clone(),
            rules: self.rules(),
            order: if sorts_by_path { Order::Path } else { Order::Any },
            threads: self.threads,
            look: self.look(),
            index: self.index_use(),
            notice: (self.manners == Manners::Manicule).then_some(kinds::NOTICE),
        }
    }

    /// Which documents of shards count.
    pub(crate) fn admit(&self) -> Admit {
        Admit {
            globs: self.globs.clone(),
            types: self.types.clone(),
            max_filesize: self.options.max_filesize,
        }
    }

    /// The order of files of one time: who calls us `rg` gets ripgrep's.
    pub(crate) fn ties(&self) -> Ties {
        match self.manners {
            Manners::Manicule => Ties::ByName,
            Manners::Ripgrep => Ties::AsWalked,
        }
    }

    /// Whether `-g` and `-t` let a file in.
    pub(crate) fn lets_in(&self, path: &Path) -> bool {
        let by_glob = self.globs.matched(path, false);
        by_glob.is_whitelist()
            || (by_glob.is_none() && !self.types.matched(path, false).is_ignore())
    }

    fn index_use(&self) -> Option<IndexUse> {
        // Only the walk says of each file why it is left out, and who asks for that doesn't mind the time.
        let is_explained = self.options.logging.is_some();
        let sorts_by_time = self.options.sort.is_some_and(|sort| sort.key != SortKey::Path);
        let wants_walk = is_explained || (sorts_by_time && self.ties() == Ties::AsWalked);
        let cache = Cache::of_user().filter(|_| !self.options.no_index && !wants_walk)?;
        Some(cache.index_use(self.options.max_age_seconds.map(Duration::from_secs)))
    }

    /// What the engine may conclude from the patterns.
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
        // Over lines, and in a mapped file, ripgrep looks for a NUL only in the first 64 KiB and in what it prints.
        let reads_through = !options.multiline && !self.mapped;
        let ends_at_nul = self.binary_detection(false) == BinaryDetection::quit(0)
            && !self.stats
            && reads_through;
        let nul = if ends_at_nul { Nul::EndsText } else { Nul::IsRead };
        Look::Matches(Narrow { need, reach, nul })
    }

    /// What each match must hold. A pattern that can't be read is the matcher's to complain about.
    fn need(&self) -> Need {
        if self.is_pcre2 {
            return Need::Anything;
        }
        pattern::need(&self.pattern_texts(), &self.dialect(), &Limits::USUAL)
            .unwrap_or(Need::Anything)
    }

    /// The text that matches and that each match is, if there is just one.
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        match self.is_pcre2 {
            true => None,
            false => pattern::text(&self.pattern_texts(), &self.dialect()),
        }
    }

    fn pattern_texts(&self) -> Vec<&str> {
        self.patterns.iter().map(String::as_str).collect()
    }

    /// How the default engine reads the patterns.
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

    fn rules(&self) -> Rules {
        let options = &self.options;
        Rules {
            current_dir: self.current_dir.clone(),
            skip_hidden: !options.hidden,
            dot_ignore: !options.no_ignore_dot,
            git_ignore: !options.no_ignore_vcs,
            git_exclude: !options.no_ignore_vcs && !options.no_ignore_exclude,
            git_global: !options.no_ignore_vcs && !options.no_ignore_global,
            require_git: !options.no_require_git,
            parents: !options.no_ignore_parent,
            ignore_case_insensitive: options.ignore_file_case_insensitive,
            ignore_files: match options.no_ignore_files {
                true => Vec::new(),
                false => options.ignore_files.clone(),
            },
            overrides: self.globs.clone(),
            types: self.types.clone(),
            follow: options.follow,
            max_depth: options.max_depth,
            max_filesize: options.max_filesize,
            one_file_system: options.one_file_system,
            skip_stdout: matches!(self.mode, Mode::Search(_)),
            left_out: self.left_out.clone(),
        }
    }

    /// The order that the engine's walk doesn't give, so that files are collected and sorted first.
    pub(crate) fn late_sort(&self) -> Option<Sort> {
        self.options.sort.filter(|sort| sort.reverse || sort.key != SortKey::Path)
    }

    /// Whether any file can have an answer: without a pattern, or with `-m0`, none has.
    pub(crate) fn match_possible(&self) -> bool {
        let some_pattern = !self.patterns.is_empty() || self.options.invert_match;
        some_pattern && self.options.max_count != Some(0)
    }

    /// Whether a file without any matching line leaves a trace in the output, so that all must be looked into.
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

    /// Whether the answer is complete with the first match.
    pub(crate) fn quit_after_match(&self) -> bool {
        self.options.quiet && !self.stats
    }

    /// Whether results go straight to standard output, rather than through a buffer for each file.
    pub(crate) fn is_direct(&self) -> bool {
        self.threads == 1 && self.options.budget.is_none()
    }

    /// What stands between the results of two files.
    pub(crate) fn file_separator(&self) -> Option<Vec<u8>> {
        if self.mode != Mode::Search(Find::Lines) {
            return None;
        }
        match (self.heading, self.options.context.lines()) {
            (true, _) => Some(Vec::new()),
            (false, (0, 0)) => None,
            (false, _) => self.context_separator(),
        }
    }

    /// What stands between groups of context lines.
    pub(crate) fn context_separator(&self) -> Option<Vec<u8>> {
        match &self.options.context_separator {
            None => Some(b"--".to_vec()),
            Some(said) => said.clone(),
        }
    }

    /// When to print colours, the terminal known.
    pub(crate) fn color(&self) -> termcolor::ColorChoice {
        match self.options.color {
            Color::Auto if !self.stdout_is_terminal => termcolor::ColorChoice::Never,
            Color::Auto => termcolor::ColorChoice::Auto,
            Color::Never => termcolor::ColorChoice::Never,
            Color::Always => termcolor::ColorChoice::Always,
            Color::Ansi => termcolor::ColorChoice::AlwaysAnsi,
        }
    }

    /// Whether each line shall be seen as soon as it is known.
    pub(crate) fn by_line(&self) -> bool {
        match self.options.buffering {
            Buffering::Auto => self.stdout_is_terminal,
            Buffering::Line => true,
            Buffering::Block => false,
        }
    }

    /// Standard output, for one writer.
    pub(crate) fn stdout(&self) -> grep_cli::StandardStream {
        match self.by_line() {
            true => grep_cli::stdout_buffered_line(self.color()),
            false => grep_cli::stdout_buffered_block(self.color()),
        }
    }

    /// What a NUL byte means in a file that was given by name (or not).
    pub(crate) fn binary_detection(&self, named: bool) -> BinaryDetection {
        match self.options.binary {
            Binary::Text => BinaryDetection::none(),
            _ if self.options.null_data => BinaryDetection::none(),
            Binary::Search => BinaryDetection::convert(0),
            Binary::Skip if named => BinaryDetection::convert(0),
            Binary::Skip => BinaryDetection::quit(0),
        }
    }

    /// A searcher as the options want it; what a NUL byte means is set for each file.
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
            builder.memory_map(super::mmap::allowed());
        }
        builder.build()
    }

    /// A searcher that only says whether there is a match.
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

    fn wants_line_numbers(&self) -> bool {
        let only_stdin = self.paths == [Path::new("-")];
        !self.options.quiet
            && match self.mode {
                Mode::Search(Find::Json) => true,
                Mode::Search(Find::Lines) => {
                    (self.stdout_is_terminal && !only_stdin) || self.column || self.options.vimgrep
                }
                _ => false,
            }
    }

    fn wants_mapping(&self) -> bool {
        match self.options.mapping {
            Mapping::Always => true,
            Mapping::Never => false,
            Mapping::Auto => {
                self.paths.len() <= MAPPED_PATHS_MAX && self.paths.iter().all(|path| path.is_file())
            }
        }
    }
}

/// `-v --count-matches` counts lines, `-o --count` counts matches.
fn mode(options: &Options) -> Mode {
    match options.mode {
        Mode::Search(Find::CountMatches) if options.invert_match => Mode::Search(Find::Count),
        Mode::Search(Find::Count) if options.only_matching => Mode::Search(Find::CountMatches),
        mode => mode,
    }
}

fn sort_supported(sort: Sort) -> Result<()> {
    let meta = std::env::current_exe().and_then(|path| path.metadata());
    let (time, what) = match sort.key {
        SortKey::Path => return Ok(()),
        SortKey::Modified => (meta.and_then(|meta| meta.modified()), "last modified"),
        SortKey::Accessed => (meta.and_then(|meta| meta.accessed()), "last accessed"),
        SortKey::Created => (meta.and_then(|meta| meta.created()), "creation time"),
    };
    match time {
        Ok(_) => Ok(()),
        Err(error) => bail!("sorting by {what} isn't supported: {error}"),
    }
}

fn current_dir() -> Result<PathBuf> {
    match (std::env::current_dir(), std::env::var_os("PWD")) {
        (Ok(path), _) => Ok(path),
        (Err(_), Some(path)) if !path.is_empty() => Ok(PathBuf::from(path)),
        (Err(error), _) => {
            bail!("failed to get current working directory: {error}\ndid your CWD get deleted?")
        }
    }
}

fn take_paths(options: &mut Options, stdin: &Stdin) -> Result<Vec<PathBuf>> {
    let paths: Vec<PathBuf> = options.positional.drain(..).map(PathBuf::from).collect();
    if *stdin == Stdin::Taken && paths.iter().any(|path| path == Path::new("-")) {
        bail!("error: attempted to read patterns from stdin while also searching stdin");
    }
    Ok(paths)
}

/// Standard input when something seems to come from there, else the current folder.
fn default_path(mode: Mode, stdin: &Stdin) -> PathBuf {
    let reads_stdin =
        matches!(mode, Mode::Search(_)) && *stdin == Stdin::Free && grep_cli::is_readable_stdin();
    PathBuf::from(if reads_stdin { "-" } else { "./" })
}

fn is_one_file(paths: &[PathBuf], implicit: bool) -> bool {
    match paths {
        [path] if path == Path::new("-") => true,
        // Whatever isn't a folder is taken for a file: a pipe, a socket, something missing.
        [path] => !implicit && !path.is_dir(),
        _ => false,
    }
}

fn color_specs(options: &mut Options) -> ColorSpecs {
    let mut specs = default_color_specs();
    specs.append(&mut options.colors);
    ColorSpecs::new(&specs)
}

fn hyperlink(options: &mut Options) -> HyperlinkConfig {
    let format = std::mem::take(&mut options.hyperlink_format);
    let mut environment = HyperlinkEnvironment::new();
    let told = options.hostname_bin.as_deref().and_then(hostname_told_by);
    let own = || grep_cli::hostname().ok().and_then(|name| name.into_string().ok());
    environment.host(told.or_else(own));
    let distro = std::env::var("WSL_DISTRO_NAME").ok();
    environment.wsl_prefix(distro.map(|distro| format!("wsl$/{distro}")));
    HyperlinkConfig::new(environment, format)
}

/// Output of the program, or `None` where it is empty: then this host is asked.
fn hostname_told_by(program: &Path) -> Option<String> {
    let program = grep_cli::resolve_binary(program).ok()?;
    let mut command = std::process::Command::new(program);
    command.stdin(std::process::Stdio::null());
    let reader = grep_cli::CommandReader::new(&mut command).ok()?;
    let name = std::io::read_to_string(reader).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

fn types(changes: &[TypeChange], mode: Mode) -> Result<Types> {
    // Nobody asks for types: some 250 definitions need not be made, half a millisecond.
    if changes.is_empty() && mode != Mode::Types {
        return Ok(Types::empty());
    }
    let mut types = TypesBuilder::new();
    types.add_defaults();
    for change in changes {
        match change {
            TypeChange::Clear(name) => {
                types.clear(name);
            }
            TypeChange::Select(name) => {
                types.select(name);
            }
            TypeChange::Negate(name) => {
                types.negate(name);
            }
            TypeChange::Add(definition) => types.add_def(bounded(definition)?)?,
        }
    }
    Ok(types.build()?)
}

fn globs(current_dir: &Path, options: &Options) -> Result<Override> {
    let mut globs = OverrideBuilder::new(current_dir);
    globs.case_insensitive(options.glob_case_insensitive)?;
    for glob in &options.globs {
        globs.add(bounded(glob)?)?;
    }
    // It holds for the globs that follow.
    globs.case_insensitive(true)?;
    for glob in &options.iglobs {
        globs.add(bounded(glob)?)?;
    }
    Ok(if options.globs.is_empty() && options.iglobs.is_empty() {
        Override::empty()
    } else {
        globs.build()?
    })
}

fn pre_globs(current_dir: &Path, globs: &[String]) -> Result<Override> {
    if globs.is_empty() {
        return Ok(Override::empty());
    }
    let mut builder = OverrideBuilder::new(current_dir);
    for glob in globs {
        builder.add(bounded(glob)?)?;
    }
    Ok(builder.build()?)
}

/// How many braces a glob may open. The library that reads globs calls itself for each that is open, and so does the
/// drop of what it made of them.
const BRACES_MAX: usize = 100;

/// A glob that is no danger to the stack.
fn bounded(glob: &str) -> Result<&str> {
    let braces = glob.matches('{').count();
    if braces > BRACES_MAX {
        bail!("a glob has {braces} braces, and {BRACES_MAX} are the most; write several globs");
    }
    Ok(glob)
}
