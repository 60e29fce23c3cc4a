//! What of the flags decides what is found, in the façade's words.

use std::mem::take;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use manicule::blobs::environment::password_of_variables;
use manicule::cache::Cache;
use manicule::code::tree::{IndexUse, Rules};
use manicule::find::{
    Engine as Regexes, Names, Passwords, Patterns, Reading, Search, Ties, Wanted, globs,
    known_types, types,
};
use manicule::kinds::{Deal, notice};
use manicule::{ErrorClass, Failure};

use crate::flags::{Context, Engine, Find, Mapping, Mode, Options, SortKey};
use crate::messages::InvokedAs;

/// Maximum number of named files that are mapped rather than read; ripgrep's number.
const MAPPED_PATHS_MAX: usize = 10;

/// The flags of a choice of files.
const NAMES: Names =
    Names { globs: "-g", types: "-t and -T", max_depth: "-d", max_filesize: "--max-filesize" };

/// Why documents of shards and objects of stores don't go through a program.
const PRE_OF_TEXTS: &str = "--pre starts a program for each file; the documents of a shard are \
                            no files, nor is what lies at an address";

/// What has been made of a command line beside its options.
pub(super) struct Said {
    pub(super) invoked_as: InvokedAs,
    pub(super) mode: Mode,
    pub(super) patterns: Vec<String>,
    pub(super) deal: Deal,
    pub(super) threads: usize,
    pub(super) is_counted: bool,
}

/// The search that a command line means; its patterns are not compiled yet.
pub(super) fn search(options: &mut Options, said: Said, current_dir: PathBuf) -> Result<Search> {
    let Said { invoked_as, mode, patterns, deal, threads, is_counted } = said;
    let ties = match invoked_as {
        InvokedAs::Manicule => Ties::ByName,
        InvokedAs::Ripgrep => Ties::AsWalked,
    };
    Ok(Search {
        patterns: patterns_of(options, patterns),
        matcher: None,
        reading: reading(options, &deal),
        rules: rules(options, mode, &deal, current_dir)?,
        deal,
        sort: options.sort,
        ties,
        threads,
        index: index_use(options, ties),
        notice: (invoked_as == InvokedAs::Manicule).then(notice),
        wanted: wanted(options, mode),
        is_counted,
        has_census: options.receipt,
        of_lines: asks_for_lines(options),
        of_files: options.pre.is_some().then_some(PRE_OF_TEXTS),
        names: NAMES,
        passwords: Passwords::new(password),
        index_cache: None,
    })
}

fn patterns_of(options: &Options, texts: Vec<String>) -> Patterns {
    Patterns {
        texts,
        engine: match options.engine {
            Engine::Rust | Engine::Auto => Regexes::Rust,
            Engine::Pcre2 => Regexes::Pcre2,
        },
        fixed: options.fixed_strings,
        case: options.case,
        boundary: options.boundary,
        unicode: !options.no_unicode,
        size_max: options.regex_size_limit,
        dfa_size_max: options.dfa_size_limit,
    }
}

fn reading(options: &mut Options, deal: &Deal) -> Reading {
    Reading {
        binary: options.binary,
        coding: take(&mut options.encoding),
        multiline: options.multiline,
        dot_matches_new_line: options.multiline && options.multiline_dotall,
        crlf: options.crlf,
        null_data: options.null_data,
        invert: options.invert_match,
        stop_on_nonmatch: options.stop_on_nonmatch,
        matches_max: options.max_count,
        mapped: wants_mapping(options.mapping, deal.trees()),
    }
}

fn wants_mapping(mapping: Mapping, paths: &[PathBuf]) -> bool {
    match mapping {
        Mapping::Always => true,
        Mapping::Never => false,
        Mapping::Auto => paths.len() <= MAPPED_PATHS_MAX && paths.iter().all(|path| path.is_file()),
    }
}

fn rules(options: &mut Options, mode: Mode, deal: &Deal, current_dir: PathBuf) -> Result<Rules> {
    let changes = take(&mut options.type_changes);
    let types = if mode == Mode::Types { known_types(&changes)? } else { types(&changes)? };
    let (mut plain, mut any_case) = (take(&mut options.globs), take(&mut options.iglobs));
    if options.glob_case_insensitive {
        any_case.splice(0..0, plain.drain(..));
    }
    Ok(Rules {
        overrides: globs(&current_dir, &plain, &any_case)?,
        current_dir,
        skip_hidden: !options.hidden,
        dot_ignore: !options.no_ignore_dot,
        git_ignore: !options.no_ignore_vcs,
        git_exclude: !options.no_ignore_vcs && !options.no_ignore_exclude,
        git_global: !options.no_ignore_vcs && !options.no_ignore_global,
        require_git: !options.no_require_git,
        parents: !options.no_ignore_parent,
        ignore_case_insensitive: options.ignore_file_case_insensitive,
        ignore_files: if options.no_ignore_files {
            Vec::new()
        } else {
            take(&mut options.ignore_files)
        },
        types,
        follow: options.follow,
        max_depth: options.max_depth,
        max_filesize: options.max_filesize,
        one_file_system: options.one_file_system,
        skip_stdout: matches!(mode, Mode::Search(_)),
        left_out: deal.left_out(),
    })
}

/// The kept indexes that the call may use.
fn index_use(options: &Options, ties: Ties) -> Option<IndexUse> {
    // Only the walk knows for each file why it is left out, and a call that asks for that may take
    // longer.
    let is_explained = options.logging.is_some();
    let sorts_by_time = options.sort.is_some_and(|sort| sort.key != SortKey::Path);
    let wants_walk = is_explained || (sorts_by_time && ties == Ties::AsWalked);
    let cache = Cache::of_user().filter(|_| !options.no_index && !wants_walk)?;
    Some(cache.index_use(options.max_age_seconds.map(Duration::from_secs)))
}

/// Whether a file without any matching line leaves a trace in the output, so that all must be
/// searched; or nobody knows what the bytes are before another program has made them.
fn wanted(options: &Options, mode: Mode) -> Wanted {
    let leaves_trace = match mode {
        Mode::Files => return Wanted::Names,
        Mode::Search(Find::FilesWithout) => true,
        Mode::Search(Find::Count | Find::CountMatches) => options.include_zero,
        Mode::Search(Find::Lines | Find::Json) => options.context == Context::Passthru,
        Mode::Search(_) => false,
        Mode::Types | Mode::Generate(_) => true,
    };
    let is_made = options.pre.is_some() || options.search_zip;
    if leaves_trace || is_made { Wanted::EachFile } else { Wanted::Hits }
}

/// Options that ask for lines: the first of those that are given.
fn asks_for_lines(options: &Options) -> Option<&'static str> {
    let what = [
        (options.context != Context::default(), "-A, -B, -C and --passthru"),
        (options.only_matching, "-o"),
        (options.replace.is_some(), "-r"),
        (options.multiline, "-U"),
        (options.pre.is_some(), "--pre"),
    ];
    what.iter().find(|row| row.0).map(|row| row.1)
}

/// The password of a restic repository, as its variables say.
fn password(_: &Path) -> Result<Vec<u8>, Failure> {
    password_of_variables()?.ok_or_else(|| {
        let why = "a restic repository, which needs its password: set RESTIC_PASSWORD_FILE, RESTIC_PASSWORD_COMMAND or RESTIC_PASSWORD to search it";
        Failure::new(ErrorClass::Denied, why)
    })
}
