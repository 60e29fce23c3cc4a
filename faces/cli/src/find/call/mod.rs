//! A call of `find`, with the options resolved against the terminal, the paths and the system.

mod colors;
mod search;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use grep_printer::{ColorSpecs, HyperlinkConfig};
use grep_searcher::Searcher;
use ignore::overrides::Override;
use manicule::find::{Matcher, Search, globs};
use manicule::kinds::Deal;
use manicule::place::is_address;

use super::matcher;
use super::patterns::{self, Stdin};
use crate::flags::{Buffering, Color, Context, Find, Mode, Options, Sort, SortKey};
use crate::messages::InvokedAs;
use colors::{color_specs, hyperlink};
use search::{Said, search};

/// Default maximum number of threads: more were never faster for ripgrep, and it takes no more by
/// default.
const THREADS_MAX: usize = 12;

/// The options, and settings derived from them, the terminal and the paths.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) invoked_as: InvokedAs,
    pub(crate) options: Options,
    pub(crate) mode: Mode,
    /// What of them decides what is found.
    pub(crate) search: Search,
    /// Whether no path was given, so that it is the current folder or standard input.
    pub(crate) implicit_path: bool,
    /// Whether the search's numbers are printed at the end.
    pub(crate) stats: bool,
    pub(crate) colors: ColorSpecs,
    pub(crate) hyperlink: HyperlinkConfig,
    pub(crate) pre_globs: Override,
    pub(crate) column: bool,
    pub(crate) heading: bool,
    pub(crate) with_filename: bool,
    pub(crate) line_number: bool,
    stdout_is_terminal: bool,
}

impl Call {
    /// Resolves the rest of the options: patterns and paths, the terminal, globs and types.
    pub(crate) fn new(mut options: Options, invoked_as: InvokedAs) -> Result<Call> {
        if let Some(sort) = options.sort {
            sort_supported(sort)?;
        }
        let mode = mode(&options);
        let stdout_is_terminal = std::io::stdout().is_terminal();
        let current_dir = current_dir()?;
        let mut stdin = Stdin::Free;
        let patterns = patterns::take(&mut options, mode, invoked_as, &mut stdin)?;
        let given = take_paths(&mut options, &stdin)?;
        let (paths, implicit_path) = if given.is_empty() {
            (vec![default_path(mode, &stdin)], true)
        } else {
            (given, false)
        };
        let deal = match invoked_as {
            InvokedAs::Manicule => {
                if options.search_zip && paths.iter().any(|path| is_address(path)) {
                    bail!("-z starts a program for each file; what lies at an address is none");
                }
                Deal::of(paths, options.hidden)
            }
            InvokedAs::Ripgrep => Deal::of_text(paths),
        };
        let one_file = deal.paths.len() == 1 && is_one_file(&deal, implicit_path);
        let is_search = matches!(mode, Mode::Search(_));
        let is_json = mode == Mode::Search(Find::Json);
        let colors = color_specs(&mut options);
        let hyperlink = hyperlink(&mut options);
        let stats = is_search && (options.stats || is_json);
        let threads = if options.sort.is_some() || one_file {
            1
        } else {
            let cores = || std::thread::available_parallelism().map_or(1, usize::from);
            options.threads.unwrap_or_else(|| cores().min(THREADS_MAX))
        };
        let pre_globs = globs(&current_dir, &options.pre_globs, &[]);
        let said = Said { invoked_as, mode, patterns, deal, threads, is_counted: stats };
        let search = search(&mut options, said, current_dir)?;
        let mut call = Call {
            invoked_as,
            mode,
            search,
            implicit_path,
            stats,
            colors,
            hyperlink,
            pre_globs: pre_globs?,
            column: options.column.unwrap_or(options.vimgrep),
            heading: !options.vimgrep && options.heading.unwrap_or(stdout_is_terminal),
            with_filename: options.with_filename.unwrap_or(options.vimgrep || !one_file),
            line_number: false,
            stdout_is_terminal,
            options,
        };
        call.line_number = call.options.line_number.unwrap_or_else(|| call.wants_line_numbers());
        Ok(call)
    }

    /// The path as it is printed: without a `./` that the user didn't type.
    pub(crate) fn shown<'p>(&self, path: &'p Path) -> &'p Path {
        if self.implicit_path { path.strip_prefix("./").unwrap_or(path) } else { path }
    }

    /// Compiles the patterns.
    pub(crate) fn compile(&mut self) -> Result<()> {
        let Call { search, options, invoked_as, .. } = self;
        search.matcher = Some(matcher::build(search, options.engine, *invoked_as)?);
        Ok(())
    }

    /// The compiled patterns.
    pub(crate) fn matcher(&self) -> &Matcher {
        self.search.matcher.as_ref().expect("a search has compiled patterns")
    }

    /// A searcher as the options want it; the meaning of a NUL byte is set for each file.
    pub(crate) fn searcher(&self) -> Searcher {
        let context = self.options.context;
        let (before, after) = context.lines();
        self.search
            .reading
            .searcher()
            .line_number(self.line_number)
            .passthru(context == Context::Passthru)
            .before_context(before)
            .after_context(after)
            .build()
    }

    /// Whether the result is complete with the first match.
    pub(crate) fn quit_after_match(&self) -> bool {
        self.options.quiet && !self.stats
    }

    /// Whether results go straight to standard output, rather than through a buffer for each file.
    pub(crate) fn is_direct(&self) -> bool {
        self.search.threads == 1 && self.options.budget.is_none()
    }

    /// Separator between the results of two files.
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

    /// Separator between groups of context lines.
    pub(crate) fn context_separator(&self) -> Option<Vec<u8>> {
        match &self.options.context_separator {
            None => Some(b"--".to_vec()),
            Some(said) => said.clone(),
        }
    }

    /// Whether to print colours on this terminal.
    pub(crate) fn color(&self) -> termcolor::ColorChoice {
        match self.options.color {
            Color::Auto if !self.stdout_is_terminal => termcolor::ColorChoice::Never,
            Color::Auto => termcolor::ColorChoice::Auto,
            Color::Never => termcolor::ColorChoice::Never,
            Color::Always => termcolor::ColorChoice::Always,
            Color::Ansi => termcolor::ColorChoice::AlwaysAnsi,
        }
    }

    /// Whether each line is flushed at once.
    pub(crate) fn by_line(&self) -> bool {
        match self.options.buffering {
            Buffering::Auto => self.stdout_is_terminal,
            Buffering::Line => true,
            Buffering::Block => false,
        }
    }

    /// Standard output, for one writer.
    pub(crate) fn stdout(&self) -> grep_cli::StandardStream {
        if self.by_line() {
            grep_cli::stdout_buffered_line(self.color())
        } else {
            grep_cli::stdout_buffered_block(self.color())
        }
    }

    fn wants_line_numbers(&self) -> bool {
        let only_stdin = self.search.deal.trees() == [Path::new("-")];
        !self.options.quiet
            && match self.mode {
                Mode::Search(Find::Json) => true,
                Mode::Search(Find::Lines) => {
                    (self.stdout_is_terminal && !only_stdin) || self.column || self.options.vimgrep
                }
                _ => false,
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

/// Standard input if it seems to have data, else the current folder.
fn default_path(mode: Mode, stdin: &Stdin) -> PathBuf {
    let reads_stdin =
        matches!(mode, Mode::Search(_)) && *stdin == Stdin::Free && grep_cli::is_readable_stdin();
    PathBuf::from(if reads_stdin { "-" } else { "./" })
}

fn is_one_file(deal: &Deal, implicit: bool) -> bool {
    match deal.trees() {
        [path] if path == Path::new("-") => true,
        // Everything but a folder is taken for a file: a pipe, a socket, something missing.
        [path] => !implicit && deal.is_file(path),
        _ => false,
    }
}
