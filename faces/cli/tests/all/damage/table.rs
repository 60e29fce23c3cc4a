//! The shape of the table: an example of a kind, its files, and a row for each command.

use std::path::Path;

use manicule_testkit::Damage;

use super::cases::Case;

/// A command on an example, and what it is judged by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its words. `OUT` is a path where nothing is.
    pub(crate) words: &'static str,
    pub(crate) does: Does,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    /// Prints an answer.
    Reads,
    /// Says whether the files are right. If it finds nothing, every other command answers rightly.
    Judges,
    /// Makes something at `OUT`, whose contents this command prints.
    Makes(&'static str),
    /// Makes files at `OUT`, which this command prints: if it fails, those that it could make stay.
    Restores(&'static str),
    /// Changes the example, whose contents this command prints.
    Changes(&'static str),
    /// Adds to the example without reading all of it: this command, which does, may find the damage
    /// after it.
    Adds(&'static str),
    /// Mends the example or reports what it has lost: any answer, but no signal, panic or hang.
    Mends,
}

/// What an example's damaged files may do to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The files are what is asked for.
    Source,
    /// The files are a cache: the answer is right whatever becomes of them.
    Cache,
}

/// A small example of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    pub(crate) name: &'static str,
    /// Plants it into an empty folder.
    pub(crate) plant: fn(&Path),
    /// Beginnings of the paths of the files that are damaged.
    pub(crate) files: &'static [&'static str],
    /// At most so many files of a folder directly below one of `files`.
    pub(crate) alike_max: usize,
    /// Files of which a beginning is an earlier state of the whole, as the file of a log is. Its
    /// states are planted by `earlier`.
    pub(crate) earlier: Option<Earlier>,
    pub(crate) trust: Trust,
    pub(crate) unproven: &'static [Unproven],
    /// Tables of its commands.
    pub(crate) rows: &'static [&'static [Row]],
}

impl Example {
    /// Its commands.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.rows.iter().copied().flatten()
    }
}

/// What a command may answer to a damage that nothing in the files can prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum May {
    /// Anything, if it doesn't die: the damaged file is a sound other one.
    Believe,
    /// What is left, as the system does, if a warning names the file.
    Warn,
    /// An error that doesn't name the file: no other file has its name.
    LeaveUnnamed,
}

/// A damage that nothing in the files can prove, or that the system takes for a state of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unproven {
    /// The end of the paths of the files; or the folder that they lie in, with a slash behind it.
    pub(crate) suffix: &'static str,
    pub(crate) is: fn(Damage) -> bool,
    /// Beginnings of the commands that believe the file.
    pub(crate) words: &'static [&'static str],
    pub(crate) may: May,
}

impl Unproven {
    /// Whether a command may answer anything then.
    pub(crate) fn excuses(&self, case: &Case, words: &str) -> bool {
        let is_named = self.words.iter().any(|begin| words.starts_with(begin));
        let is_of = if self.suffix.ends_with('/') {
            case.file.starts_with(self.suffix)
        } else {
            case.file.ends_with(self.suffix)
        };
        is_named && is_of && (self.is)(case.damage)
    }
}

/// Earlier states that a cut file may leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    /// The end of the paths of such files.
    pub(crate) suffix: &'static str,
    /// Plants each state into an empty folder, by its number, from 0.
    pub(crate) plant: fn(&Path, usize),
    pub(crate) count: usize,
}

pub(crate) const fn reads(words: &'static str) -> Row {
    Row { words, does: Does::Reads }
}

pub(crate) const fn judges(words: &'static str) -> Row {
    Row { words, does: Does::Judges }
}

pub(crate) const fn makes(words: &'static str, then: &'static str) -> Row {
    Row { words, does: Does::Makes(then) }
}

pub(crate) const fn restores(words: &'static str, then: &'static str) -> Row {
    Row { words, does: Does::Restores(then) }
}

pub(crate) const fn changes(words: &'static str, then: &'static str) -> Row {
    Row { words, does: Does::Changes(then) }
}

pub(crate) const fn adds(words: &'static str, then: &'static str) -> Row {
    Row { words, does: Does::Adds(then) }
}

pub(crate) const fn mends(words: &'static str) -> Row {
    Row { words, does: Does::Mends }
}
