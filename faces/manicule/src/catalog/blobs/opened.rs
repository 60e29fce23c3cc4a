//! A repository opened for a table, and the arguments that say how: those of the commands on
//! repositories, and restic's variables.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use manicule_blobs::signs;
use manicule_core::ErrorClass;

use crate::blobs::environment::{key_hint, password};
use crate::blobs::{Ahead, IndexCache, OpenCall, Repository};
use crate::cache::Cache;
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::failure::Failure;
use crate::place::is_address;

pub(super) const PASSWORD_FILE: Argument = Argument {
    name: "password_file",
    takes: Takes::Text,
    concerns: Concerns::Host,
    about: "File with the password of the repository. Default: what `RESTIC_PASSWORD_FILE`, `RESTIC_PASSWORD_COMMAND` or `RESTIC_PASSWORD` gives.",
};
pub(super) const PASSWORD_COMMAND: Argument = Argument {
    name: "password_command",
    takes: Takes::Text,
    concerns: Concerns::Host,
    about: "Command whose output is the password, run without a shell.",
};
pub(super) const KEY_HINT: Argument = Argument {
    name: "key_hint",
    takes: Takes::Text,
    concerns: Concerns::Opening,
    about: "Beginning of the id of the key that is tried first. Default: `RESTIC_KEY_HINT`.",
};
pub(super) const INDEX_CACHE: Argument = Argument {
    name: "index_cache",
    takes: Takes::Boolean,
    concerns: Concerns::Host,
    about: "Whether the index is cached, encrypted with the repository's key, in the folder that `manicule cache` shows. Default: false. A cache that can't be written is left out.",
};
pub(super) const INDEX_CACHE_DIR: Argument = Argument {
    name: "index_cache_dir",
    takes: Takes::Text,
    concerns: Concerns::Host,
    about: "Folder in which the index is cached.",
};

/// A table's own arguments, and those of opening a repository.
macro_rules! with_opening {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            super::opened::PASSWORD_FILE,
            super::opened::PASSWORD_COMMAND,
            super::opened::KEY_HINT,
            super::opened::INDEX_CACHE,
            super::opened::INDEX_CACHE_DIR,
        ]
    };
}
pub(super) use with_opening;

/// Opens the repository of a call. No description of a part has its password: whoever opens one
/// takes it from the same file, command or variable.
pub(super) fn opened(arguments: &Arguments, ahead: Ahead) -> Result<Repository, Failure> {
    let [path] = &arguments.paths[..] else {
        let count = arguments.paths.len();
        return Err(Failure::asked(format!("a table is of one restic repository, not of {count}")));
    };
    let hint = key_hint(arguments.text(KEY_HINT.name).map(OsStr::new))
        .map_err(|failure| Failure::asked(format!("argument key_hint: {failure}")))?;
    let call = OpenCall {
        path: path.clone(),
        password: password_of(arguments, path)?,
        key_hint: hint,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        index_cache: index_cache(arguments)?,
        ahead,
    };
    Ok(Repository::open(&call)?)
}

/// The password. Where there is no repository none is missed: opening it says what is missing.
fn password_of(arguments: &Arguments, path: &Path) -> Result<Vec<u8>, Failure> {
    let file = arguments.text(PASSWORD_FILE.name).map(Path::new);
    let command = arguments.text(PASSWORD_COMMAND.name).map(OsStr::new);
    match password(file, command)? {
        Some(password) if password.is_empty() => {
            Err(Failure::asked("an empty password is refused"))
        }
        Some(password) => Ok(password),
        None if !is_address(path) && !signs::is_repository(path) => Ok(Vec::new()),
        None => Err(Failure::asked(
            "no password: give password_file or password_command, or set RESTIC_PASSWORD_FILE, RESTIC_PASSWORD_COMMAND or RESTIC_PASSWORD",
        )),
    }
}

fn index_cache(arguments: &Arguments) -> Result<Option<IndexCache>, Failure> {
    let folder = match arguments.text(INDEX_CACHE_DIR.name) {
        Some(folder) => PathBuf::from(folder),
        None if !arguments.is_set(INDEX_CACHE.name)? => return Ok(None),
        None => match Cache::of_user() {
            Some(cache) => cache.folder,
            None => {
                let why = "there is no cache folder: the argument index_cache_dir names one";
                return Err(Failure::asked(why));
            }
        },
    };
    Ok(Some(IndexCache { folder, failed: |_| {} }))
}

/// Fails if something could not be read. It is asked when all else has been listed, or as much as
/// was wanted: what could not be read may belong before it.
pub(super) fn whole<T: Display>(unread: &[T]) -> Result<(), Failure> {
    match unread {
        [] => Ok(()),
        [one] => Err(Failure::new(ErrorClass::Damaged, one)),
        [first, rest @ ..] => {
            let text = format!("{first}; and {} more of the kind", rest.len());
            Err(Failure::new(ErrorClass::Damaged, text))
        }
    }
}
