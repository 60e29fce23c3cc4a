//! The file types of a path, as ripgrep defines them.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::failure::Failure;
use crate::find::known_types;

/// All file types, to be asked which ones a path has.
pub(super) struct FileTypes {
    globs: GlobSet,
    /// For each glob the name of its type.
    names: Vec<String>,
}

impl FileTypes {
    /// Those that ripgrep knows.
    pub(super) fn new() -> Result<FileTypes, Failure> {
        let (mut globs, mut names) = (GlobSetBuilder::new(), Vec::new());
        for definition in known_types(&[])?.definitions() {
            // It stands for all others together.
            if definition.name() == "all" {
                continue;
            }
            for glob in definition.globs() {
                let built = GlobBuilder::new(glob).literal_separator(true).build();
                globs.add(built.map_err(Failure::asked)?);
                names.push(definition.name().to_owned());
            }
        }
        Ok(FileTypes { globs: globs.build().map_err(Failure::asked)?, names })
    }

    /// Names of the types that the path's name has, in their order.
    pub(super) fn of(&self, path: &Path) -> Vec<&str> {
        let Some(name) = path.file_name() else { return Vec::new() };
        let found = self.globs.matches(name).into_iter();
        let mut names: Vec<&str> = found.map(|at| self.names[at].as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_types_whose_globs_match_it() {
        let types = FileTypes::new().unwrap();
        assert_eq!(types.of(Path::new("a/main.rs")), ["rust"]);
        assert_eq!(types.of(Path::new("a/b.c")), ["c"]);
        assert_eq!(types.of(Path::new("x.h")), ["c", "cpp", "h", "objc", "objcpp", "sv"]);
        assert!(types.of(Path::new("nothing")).is_empty());
    }
}
