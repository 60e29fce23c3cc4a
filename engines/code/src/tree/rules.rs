//! Rules for which files of a tree count: ripgrep's, held as plain choices and carried out by its
//! `ignore` library.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;
use ignore::overrides::Override;
use ignore::types::Types;

/// Version of these rules: a manifest notes by which one its files were found, and one of another
/// version is no proof of which files count. Raised whenever one of the libraries that decide, in
/// [`RULES_LIBRARIES`], changes its mind.
///
/// 1: a class of characters such as `[[:digit:]]` in an ignore file is one, as git has it (globset
/// 0.4.22). Indexes of before note none, which is 0.
pub(crate) const RULES_VERSION: u32 = 1;

/// The libraries that decide which files count, in the versions that [`RULES_VERSION`] is of.
#[cfg(test)]
const RULES_LIBRARIES: [(&str, &str); 2] = [("globset", "0.4.22"), ("ignore", "0.4.34")];

/// Entries directly in a given folder that the call reads in another way, or not at all.
#[derive(Clone)]
pub struct LeftOut {
    test: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
    is_known: bool,
}

impl LeftOut {
    /// Result of `test` for the path as a walk shows it. `is_known` where there are such entries
    /// already; otherwise they may come during the call.
    pub fn new(is_known: bool, test: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        LeftOut { test: Arc::new(test), is_known }
    }
}

impl fmt::Debug for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeftOut").field("is_known", &self.is_known).finish_non_exhaustive()
    }
}

/// Filter of files. The names are ripgrep's own flags, turned positive.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The folder that relative globs and ignore rules refer to.
    pub current_dir: PathBuf,
    /// Leave out names that begin with a dot.
    pub skip_hidden: bool,
    /// Heed `.ignore` and `.rgignore`.
    pub dot_ignore: bool,
    /// Heed `.gitignore`.
    pub git_ignore: bool,
    /// Heed `.git/info/exclude`.
    pub git_exclude: bool,
    /// Heed git's `core.excludesFile`.
    pub git_global: bool,
    /// Heed git's rules only inside a repository.
    pub require_git: bool,
    /// Heed ignore files of the folders above.
    pub parents: bool,
    /// Match ignore rules without regard to case.
    pub ignore_case_insensitive: bool,
    /// More ignore files, with the lowest precedence.
    pub ignore_files: Vec<PathBuf>,
    /// `-g`: globs that win over every other rule.
    pub overrides: Override,
    /// `-t` and `-T`.
    pub types: Types,
    /// Go through symbolic links.
    pub follow: bool,
    /// Maximum depth in folders, counted from the given path.
    pub max_depth: Option<usize>,
    /// Leave out files above this many bytes.
    pub max_filesize: Option<u64>,
    /// Stay on the file system of the given path.
    pub one_file_system: bool,
    /// Leave out the file that standard output goes to.
    pub skip_stdout: bool,
    /// Leave out what is read in another way.
    pub left_out: Option<LeftOut>,
}

impl Rules {
    /// Rules that ripgrep heeds when it is given no flag.
    pub fn plain(current_dir: PathBuf) -> Self {
        Rules {
            current_dir,
            skip_hidden: true,
            dot_ignore: true,
            git_ignore: true,
            git_exclude: true,
            git_global: true,
            require_git: true,
            parents: true,
            ignore_case_insensitive: false,
            ignore_files: Vec::new(),
            overrides: Override::empty(),
            types: Types::empty(),
            follow: false,
            max_depth: None,
            max_filesize: None,
            one_file_system: false,
            skip_stdout: false,
            left_out: None,
        }
    }

    /// Whether an entry directly in a given folder is left out.
    pub(crate) fn leaves_out(&self, path: &Path) -> bool {
        self.left_out.as_ref().is_some_and(|left_out| (left_out.test)(path))
    }

    /// Whether any such entry was there when the call began: no index reports those that come later
    /// as unchanged.
    pub(crate) fn leaves_some_out(&self) -> bool {
        self.left_out.as_ref().is_some_and(|left_out| left_out.is_known)
    }

    /// Whether these rules let in a part of what the plain ones do, so that a survey made with
    /// those serves them.
    pub(crate) fn narrow_the_plain(&self) -> bool {
        self.skip_hidden
            && self.dot_ignore
            && self.git_ignore
            && self.git_exclude
            && self.git_global
            && self.require_git
            && self.parents
            && !self.ignore_case_insensitive
            && self.ignore_files.is_empty()
            && !self.follow
            && !self.one_file_system
    }

    /// ripgrep's walk of `paths` under these rules, and what could not be read of the given ignore
    /// files.
    pub(crate) fn walk(
        &self,
        paths: &[PathBuf],
        threads: usize,
    ) -> (WalkBuilder, Vec<ignore::Error>) {
        let mut walk = WalkBuilder::new(&paths[0]);
        for path in &paths[1..] {
            walk.add(path);
        }
        let unread = self.ignore_files.iter().filter_map(|path| walk.add_ignore(path)).collect();
        walk.max_depth(self.max_depth)
            .follow_links(self.follow)
            .max_filesize(self.max_filesize)
            .threads(threads)
            .same_file_system(self.one_file_system)
            .skip_stdout(self.skip_stdout)
            .overrides(self.overrides.clone())
            .types(self.types.clone())
            .hidden(self.skip_hidden)
            .parents(self.parents)
            .ignore(self.dot_ignore)
            .git_global(self.git_global)
            .git_ignore(self.git_ignore)
            .git_exclude(self.git_exclude)
            .require_git(self.require_git)
            .ignore_case_insensitive(self.ignore_case_insensitive)
            .current_dir(&self.current_dir);
        if self.dot_ignore {
            walk.add_custom_ignore_filename(".rgignore");
        }
        (walk, unread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_libraries_that_decide_are_those_of_this_version_of_the_rules() {
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        let lock = std::fs::read_to_string(lock).unwrap();
        for (name, version) in RULES_LIBRARIES {
            let row = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(
                lock.contains(&row),
                "{name} was raised: read what it changed, see RULES_VERSION"
            );
        }
    }
}
