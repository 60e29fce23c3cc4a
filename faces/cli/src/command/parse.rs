//! From the words of a command line to the options, by a table of flags.
//!
//! Two spellings: letters that join up and `--flag=value` as in getopt, and Go's, where one dash or
//! two begin a name and a switch may be `-x=false`. Nothing is allocated but the values that are
//! given, and rows are looked up where they stand: a table of ripgrep's size is gone through in
//! less than a microsecond.
//!
//! Words are read through [`Table`] and [`Target`], which don't have the options' type: what reads
//! them is compiled once, not once for each command.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use anyhow::{Error, Result, anyhow};
use manicule::place::{Reach, reach};

use super::addresses::Places;
use super::flag::Flag;
use super::operand::Operand;
use super::shared::{HELP, VERSION};
use super::spec::Spec;
use super::value::{By, FlagValue, Name};

/// How flags are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `-x`, `-xvalue`, `--name value`, `--name=value`.
    Gnu,
    /// `-name value`, `-name=value`, with one dash or two; the value of a switch is only in the
    /// same word.
    Go,
}

/// What a command takes.
pub(crate) struct Syntax<O: 'static> {
    pub(crate) spelling: Spelling,
    pub(crate) flags: &'static [Flag<O>],
    pub(crate) operands: &'static [Operand<O>],
    pub(crate) places: Places,
}

impl<O> Syntax<O> {
    /// Reads the words into options, up to the first that asks for something else. What they say of
    /// addresses holds for the process.
    pub(crate) fn read(
        &self,
        words: Vec<OsString>,
        options: &mut O,
        is_known: &dyn Fn(&Spec) -> bool,
    ) -> Result<Asked, Refused> {
        let mut bound = Bound { syntax: self, options, reach: Reach::default() };
        let asked = read(self, words, &mut bound, is_known)?;
        if bound.reach != Reach::default() {
            reach(bound.reach);
        }
        Ok(asked)
    }
}

/// A table of flags without the type of the options that they change.
pub(crate) trait Table {
    fn spelling(&self) -> Spelling;

    /// The words of a row; `None` after the last.
    fn spec(&self, at: usize) -> Option<&'static Spec>;

    /// Of each operand, whether it takes all words that are left.
    #[cfg(test)]
    fn operands(&self) -> Vec<bool>;
}

impl dyn Table + '_ {
    /// The words of each row, in the order of help.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &'static Spec> {
        (0..).map_while(|at| self.spec(at))
    }
}

impl<O> Table for Syntax<O> {
    fn spelling(&self) -> Spelling {
        self.spelling
    }

    fn spec(&self, at: usize) -> Option<&'static Spec> {
        let own = self.flags.get(at).map(|flag| &flag.spec);
        own.or_else(|| Some(&self.places.flags().get(at.checked_sub(self.flags.len())?)?.spec))
    }

    #[cfg(test)]
    fn operands(&self) -> Vec<bool> {
        self.operands.iter().map(Operand::is_many).collect()
    }
}

/// Options without their type, as words are read into them.
trait Target {
    /// Does what the table's row at this place does.
    fn apply(&mut self, at: usize, value: FlagValue) -> Result<()>;

    /// Takes a word that is no flag, after this number of others.
    fn take(&mut self, count: usize, word: OsString) -> Result<(), Refused>;
}

/// Options beside the syntax by which they are changed.
struct Bound<'a, O: 'static> {
    syntax: &'a Syntax<O>,
    options: &'a mut O,
    reach: Reach,
}

impl<O> Target for Bound<'_, O> {
    fn apply(&mut self, at: usize, value: FlagValue) -> Result<()> {
        match self.syntax.flags.get(at) {
            Some(flag) => flag.apply(self.options, value),
            None => {
                let at = at - self.syntax.flags.len();
                self.syntax.places.flags()[at].apply(&mut self.reach, value)
            }
        }
    }

    fn take(&mut self, count: usize, word: OsString) -> Result<(), Refused> {
        let rows = self.syntax.operands;
        let row = rows.get(count).or_else(|| rows.last().filter(|last| last.is_many()));
        match row {
            Some(row) => {
                if row.is_path() {
                    self.syntax.places.check(&word).map_err(Refused::Operand)?;
                }
                row.take(self.options, word).map_err(Refused::Operand)
            }
            None => Err(Refused::Surplus(word)),
        }
    }
}

/// The words of a line that are no flags and no values of flags, as far as the line can be read.
pub(crate) fn operands(table: &dyn Table, words: Vec<OsString>) -> Vec<OsString> {
    let (mut words, mut operands) = (Words::new(table.spelling(), words), Vec::new());
    while let Ok(Some(word)) = words.next() {
        let flag = match word {
            Word::Operand(word) => {
                operands.push(word);
                continue;
            }
            Word::Flag(name) => look_up(table, &name, &|_| true),
        };
        let Some((_, name)) = flag else { break };
        if given(&mut words, name).is_err() {
            break;
        }
    }
    operands
}

/// What a command line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The command's work; the line has this number of operands.
    Work(usize),
    Help,
    Version,
}

/// Why a command line could not be read.
#[derive(Debug)]
pub(crate) enum Refused {
    /// There is no such flag.
    Unknown(String),
    /// It wants a value.
    Missing(Name, lexopt::Error),
    /// A flag's value, or the flag here, is refused.
    Flag(Name, Error),
    /// A word that is no flag is refused.
    Operand(Error),
    /// There is no operand for this word.
    Surplus(OsString),
    /// The words make no sense, such as a value for a switch.
    Words(lexopt::Error),
}

/// As [`Syntax::read`].
fn read(
    table: &dyn Table,
    words: Vec<OsString>,
    target: &mut dyn Target,
    is_known: &dyn Fn(&Spec) -> bool,
) -> Result<Asked, Refused> {
    let (mut words, mut count) = (Words::new(table.spelling(), words), 0);
    loop {
        let (at, name) = match words.next().map_err(Refused::Words)? {
            None => return Ok(Asked::Work(count)),
            Some(Word::Operand(word)) => {
                target.take(count, word)?;
                count += 1;
                continue;
            }
            Some(Word::Flag(name)) => match look_up(table, &name, is_known) {
                Some(found) => found,
                None => match built_in(&name) {
                    Some(asked) => return Ok(asked),
                    None => return Err(Refused::Unknown(name.typed())),
                },
            },
        };
        let value = given(&mut words, name)?;
        target.apply(at, value).map_err(|error| Refused::Flag(name, error))?;
    }
}

/// How a flag was given, with its value if it takes one.
fn given(words: &mut Words, name: Name) -> Result<FlagValue, Refused> {
    let mut on = name.by != By::Negation;
    let value = if name.spec.metavar.is_some() && on {
        Some(words.value().map_err(|error| Refused::Missing(name, error))?)
    } else {
        if let Some(truth) = words.truth() {
            on &= truth_of(&truth, name).map_err(|error| Refused::Flag(name, error))?;
        }
        None
    };
    Ok(FlagValue { on, name, value })
}

fn truth_of(text: &OsStr, name: Name) -> Result<bool> {
    match text.to_str() {
        Some("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(true),
        Some("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(false),
        _ => Err(anyhow!("{name} is true or false, not {:?}", text.to_string_lossy())),
    }
}

/// The row of the flag that a name stands for.
fn look_up(
    table: &dyn Table,
    name: &Typed<'_>,
    is_known: &dyn Fn(&Spec) -> bool,
) -> Option<(usize, Name)> {
    table.specs().enumerate().find_map(|(at, spec)| {
        let by = name_of(spec, name).filter(|_| is_known(spec))?;
        Some((at, Name { spec, by }))
    })
}

fn name_of(spec: &Spec, name: &Typed<'_>) -> Option<By> {
    match *name {
        Typed::Letter(letter) => (spec.short == Some(letter)).then_some(By::Short),
        Typed::Long(long, _) if spec.long == long => Some(By::Long),
        Typed::Long(long, _) if spec.alias == Some(long) => Some(By::Alias),
        Typed::Long(long, _) if spec.negation == Some(long) => Some(By::Negation),
        Typed::Long(..) => None,
    }
}

/// What every command has.
fn built_in(name: &Typed<'_>) -> Option<Asked> {
    let rows = [(&HELP, Asked::Help), (&VERSION, Asked::Version)];
    let found = rows.into_iter().find(|row| name_of(row.0, name).is_some());
    found.map(|row| row.1)
}

/// The name of a flag as it was typed, without its dashes; of a long one these come after it.
#[derive(Clone, Copy)]
enum Typed<'w> {
    Letter(char),
    Long(&'w str, &'static str),
}

impl Typed<'_> {
    fn typed(&self) -> String {
        match self {
            Typed::Letter(letter) => format!("-{letter}"),
            Typed::Long(name, dashes) => format!("{dashes}{name}"),
        }
    }
}

enum Word<'w> {
    Flag(Typed<'w>),
    Operand(OsString),
}

/// The words of a command line in their spelling.
enum Words {
    Gnu(lexopt::Parser),
    Go(GoWords),
}

impl Words {
    fn new(spelling: Spelling, words: Vec<OsString>) -> Words {
        match spelling {
            Spelling::Gnu => Words::Gnu(lexopt::Parser::from_args(words)),
            Spelling::Go => Words::Go(GoWords::new(words)),
        }
    }

    fn next(&mut self) -> Result<Option<Word<'_>>, lexopt::Error> {
        match self {
            Words::Go(words) => Ok(words.next()),
            Words::Gnu(parser) => Ok(parser.next()?.map(|word| match word {
                lexopt::Arg::Short(letter) => Word::Flag(Typed::Letter(letter)),
                lexopt::Arg::Long(name) => Word::Flag(Typed::Long(name, "--")),
                lexopt::Arg::Value(word) => Word::Operand(word),
            })),
        }
    }

    fn value(&mut self) -> Result<OsString, lexopt::Error> {
        match self {
            Words::Gnu(parser) => parser.value(),
            Words::Go(words) => {
                let value = words.value.take().or_else(|| words.words.next());
                value.ok_or(lexopt::Error::MissingValue { option: None })
            }
        }
    }

    /// What is said of a switch in its own word.
    fn truth(&mut self) -> Option<OsString> {
        match self {
            // lexopt refuses such a value at the next word.
            Words::Gnu(_) => None,
            Words::Go(words) => words.value.take(),
        }
    }
}

/// Words as Go's programs read them: `-name`, `--name`, `-name=value`. Unlike there, flags may
/// follow operands.
struct GoWords {
    words: std::vec::IntoIter<OsString>,
    /// A `--` has been: the rest are operands.
    has_ended: bool,
    name: String,
    /// What stood after the name, in the same word.
    value: Option<OsString>,
}

impl GoWords {
    fn new(words: Vec<OsString>) -> GoWords {
        GoWords { words: words.into_iter(), has_ended: false, name: String::new(), value: None }
    }

    fn next(&mut self) -> Option<Word<'_>> {
        let mut word = self.words.next()?;
        if !self.has_ended && word == "--" {
            self.has_ended = true;
            word = self.words.next()?;
        }
        let name = word.as_bytes().strip_prefix(b"-");
        let name = name.filter(|name| !name.is_empty() && !self.has_ended);
        let Some(name) = name else { return Some(Word::Operand(word)) };
        let (name, dashes) = name.strip_prefix(b"-").map_or((name, "-"), |name| (name, "--"));
        let at = name.iter().position(|byte| *byte == b'=').unwrap_or(name.len());
        self.value = name.get(at + 1..).map(|value| OsStr::from_bytes(value).to_owned());
        self.name = String::from_utf8_lossy(&name[..at]).into_owned();
        let mut letters = self.name.chars();
        Some(Word::Flag(match (letters.next(), letters.next()) {
            (Some(letter), None) => Typed::Letter(letter),
            _ => Typed::Long(&self.name, dashes),
        }))
    }
}
