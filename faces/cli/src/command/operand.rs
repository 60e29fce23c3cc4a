//! Operands: the words of a command line that are no flags and no values of flags.
//!
//! A command names them in a line, [`Command::operands`](super::Command), and has a row for each,
//! which says where the word goes. Which word is missing, and which is one too many, follows from
//! the line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::{Error, Result, anyhow};

use crate::units::joined;

/// A row of a command's operands: what their words do to the options `O`.
pub(crate) enum Operand<O> {
    /// A path.
    Path(fn(&mut O) -> &mut PathBuf),
    /// All words that are left, as paths.
    Paths(fn(&mut O) -> &mut Vec<PathBuf>),
    /// Another word.
    Word(fn(&mut O, OsString) -> Result<()>),
    /// All words that are left, one at a time.
    Words(fn(&mut O, OsString) -> Result<()>),
}

impl<O> Operand<O> {
    pub(super) const fn is_many(&self) -> bool {
        matches!(self, Operand::Paths(_) | Operand::Words(_))
    }

    pub(super) const fn is_path(&self) -> bool {
        matches!(self, Operand::Path(_) | Operand::Paths(_))
    }

    pub(super) fn take(&self, options: &mut O, word: OsString) -> Result<()> {
        match self {
            Operand::Path(path) => *path(options) = word.into(),
            Operand::Paths(paths) => paths(options).push(word.into()),
            Operand::Word(change) | Operand::Words(change) => change(options, word)?,
        }
        Ok(())
    }
}

/// An operand as a command's line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// `STORE`, or `BLOCK|INDEX`.
    pub(super) name: &'static str,
    pub(super) is_optional: bool,
    pub(super) is_many: bool,
}

/// The operands of `STORE [QUERY]`, `-o DIR BLOCK...`. Flags and their values are passed over.
pub(super) fn named(operands: &'static str) -> Vec<Named> {
    let mut named = Vec::new();
    let mut words = operands.split_whitespace();
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            words.next();
            continue;
        }
        let is_optional = word.starts_with('[');
        let name = word.trim_start_matches('[').split(['[', ']', '.']).next().unwrap_or(word);
        named.push(Named { name, is_optional, is_many: word.contains("...") });
    }
    named
}

/// What is wrong with a line of this number of operands, if it lacks one that is required; `path`
/// names the command, `operands` its operands.
pub(super) fn missing(path: &str, operands: &'static str, count: usize) -> Option<Error> {
    let next = named(operands).into_iter().nth(count).filter(|operand| !operand.is_optional)?;
    let names: Vec<&str> = next.name.split('|').collect();
    Some(anyhow!("missing {}; usage: manicule {path} {operands}", joined(&names, "or")))
}

/// Operands that are texts: without quotes a shell makes several words of one.
const TEXTS: [&str; 3] = ["KEY", "QUERY", "UPDATE"];

/// What is wrong with a line that has a word after its last operand. `key` is the letter of a flag
/// that takes a key; the rest is as of [`missing`].
pub(super) fn surplus(
    path: &str,
    operands: &'static str,
    key: Option<char>,
    word: &OsStr,
) -> Error {
    let word = word.display();
    let last = named(operands).last().map(|last| last.name);
    match (last, key) {
        (None, _) => anyhow!("no path is expected here: leave out {word}"),
        (_, Some(letter)) => {
            anyhow!("one word too many: {word}; a key is given with -{letter}: `-{letter} {word}`")
        }
        (Some(text), None) if TEXTS.contains(&text) => {
            anyhow!("one word too many: {word}; quote a {text} that has blanks")
        }
        (Some(_), None) => anyhow!("one word too many: {word}; usage: manicule {path} {operands}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_declared_by_name() {
        let names = |operands| -> Vec<(&str, bool, bool)> {
            let named = named(operands).into_iter();
            named.map(|operand| (operand.name, operand.is_optional, operand.is_many)).collect()
        };
        assert_eq!(names("STORE [QUERY]"), [("STORE", false, false), ("QUERY", true, false)]);
        assert_eq!(names("-o DIR BLOCK..."), [("BLOCK", false, true)]);
        assert_eq!(names("SNAPSHOT[:PATH] --target DIR"), [("SNAPSHOT", false, false)]);
        assert_eq!(names("[PATH...]"), [("PATH", true, true)]);
        assert_eq!(names(""), []);
    }

    #[test]
    fn the_first_operand_that_is_required_is_missing() {
        for (operands, count, want) in [
            ("TABLE KEY", 0, Some("missing TABLE; usage: manicule rows x TABLE KEY")),
            ("TABLE KEY", 1, Some("missing KEY; usage: manicule rows x TABLE KEY")),
            ("TABLE KEY", 2, None),
            ("-o DIR A|B...", 0, Some("missing A or B; usage: manicule rows x -o DIR A|B...")),
            ("-o DIR A|B...", 1, None),
            ("STORE [NAME]", 1, None),
            ("", 0, None),
        ] {
            let error = missing("rows x", operands, count).map(|error| error.to_string());
            assert_eq!(error.as_deref(), want, "{operands}");
        }
    }
}
