//! Arguments of a search.

use std::path::PathBuf;

use manicule_core::ErrorClass;
use manicule_core::pattern::Case;

use crate::blobs::password::of_file;
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::failure::Failure;
use crate::find::{Boundary, Call, Passwords, Patterns, Sort, SortKey, TypeChange};

pub(super) const TEXT: Argument = Argument {
    name: "text",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "A regular expression of Rust's; of several, any has to match. It is needed.",
};
pub(super) const FIXED: Argument = Argument {
    name: "fixed",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether `text` is a text that stands for itself. Default: false.",
};
pub(super) const IGNORE_CASE: Argument = Argument {
    name: "ignore_case",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether letters of either case match. Default: false.",
};
pub(super) const WORD: Argument = Argument {
    name: "word",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether a match has to be a whole word. Default: false.",
};
pub(super) const HIDDEN: Argument = Argument {
    name: "hidden",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether files whose names begin with a dot count. Default: false.",
};
pub(super) const NO_IGNORE: Argument = Argument {
    name: "no_ignore",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether files count that ignore files leave out. Default: false.",
};
pub(super) const TYPES: Argument = Argument {
    name: "types",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "File types of ripgrep's: `rust`, `py`. Default: all.",
};
pub(super) const GLOBS: Argument = Argument {
    name: "globs",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Globs of files, relative to the current folder; with `!` in front, of those that don't count. Default: all.",
};
pub(super) const PASSWORD_FILE: Argument = Argument {
    name: "password_file",
    takes: Takes::Text,
    concerns: Concerns::Host,
    about: "File with the password of restic repositories. Default: they are refused.",
};

/// The search of a call, in the order of paths.
pub(super) fn searched(arguments: &Arguments) -> Result<Call, Failure> {
    let texts: Vec<String> = arguments.texts(TEXT.name).map(str::to_owned).collect();
    if texts.is_empty() {
        return Err(Failure::asked("find needs the argument text"));
    }
    let is_set = |argument: Argument| arguments.is_set(argument.name);
    let mut call = listed(arguments)?;
    call.patterns = Patterns {
        fixed: is_set(FIXED)?,
        case: if is_set(IGNORE_CASE)? { Case::Insensitive } else { Case::Sensitive },
        boundary: is_set(WORD)?.then_some(Boundary::Word),
        ..Patterns::new(texts)
    };
    call.passwords = arguments.text(PASSWORD_FILE.name).map(|file| passwords(file.into()));
    Ok(call)
}

/// The files of a call, in the order of paths.
pub(super) fn listed(arguments: &Arguments) -> Result<Call, Failure> {
    let mut call = Call::new("", arguments.paths.clone())?;
    call.hidden = arguments.is_set(HIDDEN.name)?;
    call.no_ignore = arguments.is_set(NO_IGNORE.name)?;
    call.types = arguments.texts(TYPES.name).map(|name| TypeChange::Select(name.into())).collect();
    call.globs = arguments.texts(GLOBS.name).map(str::to_owned).collect();
    call.sort = Some(Sort { key: SortKey::Path, reverse: false });
    Ok(call)
}

fn passwords(file: PathBuf) -> Passwords {
    Passwords::new(move |_| {
        let read = std::fs::read(&file).map_err(|error| {
            let text = format!("password file {}: {error}", file.display());
            Failure::new(ErrorClass::of_io(&error), text)
        });
        Ok(of_file(&read?))
    })
}
