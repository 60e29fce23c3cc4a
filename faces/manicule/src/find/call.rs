//! What a program says of a search.

use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;

use super::globs::{TypeChange, globs, types};
use super::matcher::Matcher;
use super::patterns::Patterns;
use super::reading::Reading;
use super::search::{Names, Passwords, Search, Wanted};
use super::sorted::{Sort, Ties};
use crate::blobs::IndexCache;
use crate::cache::Cache;
use crate::code::tree::{IndexUse, Rules};
use crate::failure::Failure;
use crate::kinds::{Deal, System, notice};

/// Default maximum number of threads: more were never faster.
const THREADS_MAX: usize = 12;

/// Arguments of a search.
#[derive(Clone, Debug)]
pub struct Call {
    /// Files, folders and indexes. What a folder holds of several kinds is searched as each of
    /// them.
    pub paths: Vec<PathBuf>,
    /// What is looked for.
    pub patterns: Patterns,
    /// How files are read as text, and which hits are wanted.
    pub reading: Reading,
    /// Systems whose files are searched; all that searches as text counts as one. `None`: all.
    pub systems: Option<Vec<System>>,
    /// Whether files whose names begin with a dot count.
    pub hidden: bool,
    /// Whether files count that ignore files leave out.
    pub no_ignore: bool,
    /// Selection by file types.
    pub types: Vec<TypeChange>,
    /// Selection by globs, which win over ignore files.
    pub globs: Vec<String>,
    /// Maximum depth in folders, counted from a given path.
    pub max_depth: Option<usize>,
    /// Leave out files above this many bytes.
    pub max_filesize: Option<u64>,
    /// The folder that globs are relative to.
    pub current_dir: PathBuf,
    /// The order; `None`: the fastest, not the same from call to call.
    pub sort: Option<Sort>,
    /// Number of threads; with an order it is one.
    pub threads: usize,
    /// Kept indexes of source trees; `None` to walk.
    pub index: Option<IndexUse>,
    /// Passwords of restic repositories; `None`: they are refused.
    pub passwords: Option<Passwords>,
    /// Kept indexes of restic repositories.
    pub index_cache: Option<IndexCache>,
    /// Maximum number of hits.
    pub limit: Option<u64>,
}

impl Call {
    /// A regular expression in which case counts, over everything but what ripgrep leaves out, on
    /// all cores, by the user's kept indexes of trees. Fails where there is no current folder.
    pub fn new(pattern: &str, paths: Vec<PathBuf>) -> Result<Call, Failure> {
        let current_dir = std::env::current_dir().map_err(|error| {
            Failure::new(ErrorClass::of_io(&error), format!("the current folder: {error}"))
        })?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Call {
            paths,
            patterns: Patterns::new(vec![pattern.to_owned()]),
            reading: Reading::plain(),
            systems: None,
            hidden: false,
            no_ignore: false,
            types: Vec::new(),
            globs: Vec::new(),
            max_depth: None,
            max_filesize: None,
            current_dir,
            sort: None,
            threads: cores.min(THREADS_MAX),
            index: Cache::of_user().map(|cache| cache.index_use(None)),
            passwords: None,
            index_cache: None,
            limit: None,
        })
    }

    /// The search for hits.
    pub(super) fn search(&self) -> Result<Search, Failure> {
        let mut search = self.resolved(Wanted::Hits)?;
        search.matcher = Some(Matcher::compile(&search.patterns, &search.reading)?);
        Ok(search)
    }

    /// The list of the files that a search would look into.
    pub(super) fn list(&self) -> Result<Search, Failure> {
        let mut search = self.resolved(Wanted::Names)?;
        search.deal.paths.retain(|system, _| system.is_text());
        Ok(search)
    }

    fn resolved(&self, wanted: Wanted) -> Result<Search, Failure> {
        if self.paths.is_empty() {
            return Err(Failure::asked("a search needs a path"));
        }
        // Standard input has the name `-` in a search of files, and is nobody's here.
        let file = |path: &PathBuf| {
            if path == Path::new("-") { PathBuf::from("./-") } else { path.clone() }
        };
        let mut deal = Deal::of(self.paths.iter().map(file).collect(), self.hidden);
        if let Some(systems) = &self.systems {
            let is_wanted = |system: System| {
                let is_same = |own: &System| *own == system || own.is_text() && system.is_text();
                systems.iter().any(is_same)
            };
            deal.paths.retain(|system, _| is_wanted(*system));
        }
        let refused = || {
            Passwords::new(|_| {
                let why = "a restic repository, which needs its password";
                Err(Failure::new(ErrorClass::Denied, why))
            })
        };
        Ok(Search {
            patterns: self.patterns.clone(),
            matcher: None,
            reading: self.reading.clone(),
            rules: self.rules(&deal)?,
            deal,
            sort: self.sort,
            ties: Ties::ByName,
            threads: if self.sort.is_some() { 1 } else { self.threads },
            index: self.index.clone(),
            notice: Some(notice()),
            wanted,
            is_counted: false,
            has_census: false,
            of_lines: self.reading.multiline.then_some("multiline"),
            of_files: None,
            names: NAMES,
            passwords: self.passwords.clone().unwrap_or_else(refused),
            index_cache: self.index_cache.clone(),
        })
    }

    fn rules(&self, deal: &Deal) -> Result<Rules, Failure> {
        let heeds_ignores = !self.no_ignore;
        Ok(Rules {
            skip_hidden: !self.hidden,
            dot_ignore: heeds_ignores,
            git_ignore: heeds_ignores,
            git_exclude: heeds_ignores,
            git_global: heeds_ignores,
            parents: heeds_ignores,
            overrides: globs(&self.current_dir, &self.globs, &[])?,
            types: types(&self.types)?,
            max_depth: self.max_depth,
            max_filesize: self.max_filesize,
            left_out: deal.left_out(),
            ..Rules::plain(self.current_dir.clone())
        })
    }
}

/// The fields of a call.
const NAMES: Names =
    Names { globs: "globs", types: "types", max_depth: "max_depth", max_filesize: "max_filesize" };
