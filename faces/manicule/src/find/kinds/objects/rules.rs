//! Which names below an address count: by globs, ignore files, types, and whether they are hidden;
//! in the order in which ripgrep asks.

use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{Error, Match};

use crate::code::tree::Rules;

/// Names of ignore files, those that win first.
pub(super) const IGNORE_FILES: [&str; 3] = [".rgignore", ".ignore", GIT_IGNORE];

const GIT_IGNORE: &str = ".gitignore";

/// Folder that a git repository has.
const GIT: &str = ".git";

/// The ignore files of a folder, and of those above it.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    above: Option<Arc<Ignores>>,
    own: [Option<Gitignore>; 3],
    /// Whether a folder of git's lies there or above.
    is_repository: bool,
}

impl Ignores {
    /// Those of a folder that has these names, yet without what its files say.
    pub(super) fn below<'n>(
        above: Option<Arc<Ignores>>,
        mut names: impl Iterator<Item = &'n str>,
    ) -> Self {
        let is_above = above.as_ref().is_some_and(|above| above.is_repository);
        let is_repository = is_above || names.any(|name| name == GIT);
        Ignores { above, own: Default::default(), is_repository }
    }

    /// Whether an ignore file of this name is heeded here.
    pub(super) fn heeds(&self, name: &str, rules: &Rules) -> bool {
        if name == GIT_IGNORE {
            rules.git_ignore && (self.is_repository || !rules.require_git)
        } else {
            IGNORE_FILES.contains(&name) && rules.dot_ignore
        }
    }

    /// Takes the text of an ignore file of a folder, whose name below the address is `folder`; what
    /// of it can't be used is handed to `warn`.
    pub(super) fn take(
        &mut self,
        name: &str,
        folder: &str,
        text: &[u8],
        rules: &Rules,
        warn: &mut dyn FnMut(&Error),
    ) {
        let mut builder = GitignoreBuilder::new(folder);
        let built = builder.case_insensitive(rules.ignore_case_insensitive).map(drop);
        built.unwrap_or_else(|error| warn(&error));
        for line in String::from_utf8_lossy(text).lines() {
            builder.add_line(None, line).map(drop).unwrap_or_else(|error| warn(&error));
        }
        let place = IGNORE_FILES.iter().position(|own| *own == name);
        match (place, builder.build()) {
            (Some(place), Ok(file)) => self.own[place] = Some(file),
            (_, Err(error)) => warn(&error),
            (None, _) => {}
        }
    }

    /// What they say of a name: files of a sort win over those of the next, and the nearest first.
    fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        for place in 0..IGNORE_FILES.len() {
            let mut folder = Some(self);
            while let Some(ignores) = folder {
                if let Some(file) = &ignores.own[place] {
                    let matched = file.matched(path, is_folder);
                    if !matched.is_none() {
                        return matched.map(drop);
                    }
                }
                folder = ignores.above.as_deref();
            }
        }
        Match::None
    }
}

/// Whether a name below an address counts.
pub(super) fn admits(rules: &Rules, ignores: &Ignores, name: &str, is_folder: bool) -> bool {
    let path = Path::new(name);
    if !rules.overrides.is_empty() {
        let matched = rules.overrides.matched(path, is_folder);
        if !matched.is_none() {
            return matched.is_whitelist();
        }
    }
    let ignored = ignores.matched(path, is_folder);
    if ignored.is_ignore() {
        return false;
    }
    let typed = if rules.types.is_empty() {
        Match::None
    } else {
        rules.types.matched(path, is_folder).map(drop)
    };
    if typed.is_ignore() {
        return false;
    }
    let is_hidden = name.rsplit('/').next().is_some_and(|last| last.starts_with('.'));
    ignored.is_whitelist() || typed.is_whitelist() || !is_hidden || !rules.skip_hidden
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::find::{TypeChange, globs, types};

    fn rules(glob: &[&str], of_type: Option<&str>) -> Rules {
        let glob: Vec<String> = glob.iter().map(|glob| (*glob).to_owned()).collect();
        let changes: Vec<TypeChange> =
            of_type.map(|name| TypeChange::Select(name.to_owned())).into_iter().collect();
        Rules {
            overrides: globs(Path::new("/"), &glob, &[]).expect("globs"),
            types: types(&changes).expect("types"),
            ..Rules::plain(PathBuf::from("/"))
        }
    }

    /// Ignore files as `FOLDER: NAME: LINE`.
    #[track_caller]
    fn check(rules: &Rules, files: &[(&str, &str)], name: &str, want: bool) {
        let mut ignores = Ignores::below(None, [GIT].into_iter());
        for (name, text) in files {
            let mut warn = |error: &Error| panic!("{error}");
            assert!(ignores.heeds(name, rules), "{name}");
            ignores.take(name, "", text.as_bytes(), rules, &mut warn);
        }
        assert_eq!(admits(rules, &ignores, name, false), want, "{name}");
    }

    #[test]
    fn globs_types_and_hidden_names() {
        check(&rules(&[], None), &[], "a/b.rs", true);
        check(&rules(&[], None), &[], "a/.b", false);
        check(&rules(&["*.rs"], None), &[], "a/b.rs", true);
        check(&rules(&["*.rs"], None), &[], "a/b.txt", false);
        check(&rules(&["!*.rs"], None), &[], "a/b.rs", false);
        check(&rules(&[".b"], None), &[], "a/.b", true);
        check(&rules(&[], Some("rust")), &[], "a/b.rs", true);
        check(&rules(&[], Some("rust")), &[], "a/b.txt", false);
    }

    #[test]
    fn ignore_files_in_their_order() {
        let plain = rules(&[], None);
        check(&plain, &[(".gitignore", "*.log")], "a/b.log", false);
        check(&plain, &[(".gitignore", "*.log"), (".ignore", "!b.log")], "a/b.log", true);
        check(&plain, &[(".gitignore", "!.b")], "a/.b", true);
        check(&rules(&["*.log"], None), &[(".gitignore", "*.log")], "a/b.log", true);
        let outside = Ignores::below(None, std::iter::empty());
        assert!(!outside.heeds(".gitignore", &plain) && outside.heeds(".ignore", &plain));
    }
}
