//! Which program finds the symbols of what is indexed.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use manicule_code::shards::SymbolSource;

/// Names of universal-ctags: its own, and that of Debian's package.
const NAMES: [&str; 2] = ["universal-ctags", "ctags-universal"];

/// The program that finds symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Symbols {
    /// No symbols (`-disable_ctags`).
    Off,
    /// universal-ctags, if it is found: the program that `CTAGS_COMMAND` names, or the first in the
    /// folders of `PATH` that is called `universal-ctags`, or `ctags-universal`.
    #[default]
    WhereFound,
    /// This program. Its name is part of what decides whether an index is still the same.
    By(PathBuf),
}

impl Symbols {
    /// The source of symbols; `None` if it must be there (`-require_ctags`) and isn't.
    pub(super) fn source(&self, is_required: bool) -> Option<SymbolSource> {
        let program = match self {
            Symbols::Off => return Some(SymbolSource::Off),
            Symbols::By(program) => Some(program.clone()),
            Symbols::WhereFound => {
                let named = env::var_os("CTAGS_COMMAND").filter(|name| !name.is_empty());
                let found = || found_in(&env::var_os("PATH").unwrap_or_default());
                named.map(PathBuf::from).or_else(found)
            }
        };
        match program {
            Some(program) => Some(SymbolSource::Ctags { program, must_succeed: is_required }),
            None => (!is_required).then_some(SymbolSource::Absent),
        }
    }
}

/// The first program of one of the names in the folders of `PATH`.
fn found_in(folders: &OsStr) -> Option<PathBuf> {
    let is_program = |path: &Path| {
        let meta = fs::metadata(path);
        meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    NAMES.iter().find_map(|name| {
        let paths = env::split_paths(folders).filter(|folder| folder.is_absolute());
        paths.map(|folder| folder.join(name)).find(|path| is_program(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_own_name_comes_before_debians() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("1"), folder.path().join("2"));
        for (path, mode) in [
            (first.join("ctags-universal"), 0o755),
            (first.join("universal-ctags"), 0o644),
            (second.join("universal-ctags"), 0o755),
        ] {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let found = |folders: &[&Path]| found_in(&env::join_paths(folders).unwrap());
        assert_eq!(found(&[&first, &second]), Some(second.join("universal-ctags")));
        assert_eq!(found(&[&first]), Some(first.join("ctags-universal")));
        assert_eq!(found(&[Path::new("relative"), folder.path()]), None);
    }

    #[test]
    fn what_is_required_is_there_or_refused() {
        let by = Symbols::By(PathBuf::from("/x/ctags"));
        let ctags = |must_succeed| SymbolSource::Ctags { program: "/x/ctags".into(), must_succeed };
        assert_eq!(by.source(false), Some(ctags(false)));
        assert_eq!(by.source(true), Some(ctags(true)));
        assert_eq!(Symbols::Off.source(true), Some(SymbolSource::Off));
    }
}
