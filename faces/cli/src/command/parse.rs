//! From the words of a command line to the options, by a table of flags.
//!
//! Two spellings: letters that join up and `--flag=value` as in getopt, and Go's, where one dash or two begin a name
//! and a switch may be `-x=false`. Nothing is allocated but the values that are given, and rows are looked up where
//! they stand: a table of ripgrep's size is gone through in less than a microsecond.
//!
//! Callers: command/job, flags/parse

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use anyhow::{Error, Result, anyhow, bail};

use super::flag::Flag;
use super::shared::{HELP, VERSION};
use super::spec::Spec;
use super::value::{By, FlagValue, Name};

/// How flags are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `-x`, `-xvalue`, `--name value`, `--name=value`.
    Gnu,
    /// `-name value`, `-name=value`, with one dash or two; the value of a switch is only in the same word.
    Go,
}

/// What a command takes.
pub(crate) struct Syntax<O: 'static> {
    pub(crate) spelling: Spelling,
    pub(crate) flags: &'static [Flag<O>],
    pub(crate) operands: Operands<O>,
}

/// Where words go that are no flags.
pub(crate) enum Operands<O> {
    /// There are none.
    None,
    /// A path at most.
    One(fn(&mut O) -> &mut Option<PathBuf>),
    /// Paths.
    Many(fn(&mut O) -> &mut Vec<PathBuf>),
    /// Anything else.
    Call(fn(&mut O, OsString) -> Result<()>),
}

impl<O> Syntax<O> {
    pub(crate) const fn gnu(flags: &'static [Flag<O>], operands: Operands<O>) -> Syntax<O> {
        Syntax { spelling: Spelling::Gnu, flags, operands }
    }

    fn take(&self, options: &mut O, word: OsString) -> Result<()> {
        match &self.operands {
            Operands::None => {
                bail!("no path is expected here: leave out {}", word.to_string_lossy())
            }
            Operands::One(place) => match place(options) {
                Some(_) => bail!("one path too many: {}{}", word.display(), self.key(&word)),
                place => *place = Some(word.into()),
            },
            Operands::Many(paths) => paths(options).push(word.into()),
            Operands::Call(take) => take(options, word)?,
        }
        Ok(())
    }

    /// How a word that is no path is given as a key, as the end of a sentence.
    fn key(&self, word: &OsStr) -> String {
        let key = self.flags.iter().find(|flag| flag.spec.metavar == Some("KEY"));
        match key.and_then(|flag| flag.spec.short) {
            Some(letter) => {
                format!("; a key is given with -{letter}: `-{letter} {}`", word.display())
            }
            None => String::new(),
        }
    }

    /// The words of a line that are no flags and no values of flags, as far as the line can be read.
    pub(crate) fn operands(&self, words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        let (mut words, mut operands) = (Words::new(self.spelling, words), Vec::new());
        while let Ok(Some(word)) = words.next() {
            let flag = match word {
                Word::Operand(word) => {
                    operands.push(word);
                    continue;
                }
                Word::Flag(name) => look_up(self.flags.iter(), &name),
            };
            let Some((flag, by)) = flag else { break };
            if given(&mut words, Name { spec: &flag.spec, by }).is_err() {
                break;
            }
        }
        operands
    }
}

/// What a command line asks for in place of the command's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
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
    /// The words make no sense, such as a value for a switch.
    Words(lexopt::Error),
}

/// Reads the words into options, up to the first that asks for something else.
pub(crate) fn read<O>(
    syntax: &Syntax<O>,
    words: impl IntoIterator<Item = OsString>,
    options: &mut O,
    is_known: impl Fn(&Spec) -> bool,
) -> Result<Option<Asked>, Refused> {
    let mut words = Words::new(syntax.spelling, words);
    let flags = || syntax.flags.iter().filter(|flag| is_known(&flag.spec));
    loop {
        let (flag, by) = match words.next().map_err(Refused::Words)? {
            None => return Ok(None),
            Some(Word::Operand(word)) => {
                syntax.take(options, word).map_err(Refused::Operand)?;
                continue;
            }
            Some(Word::Flag(name)) => match look_up(flags(), &name) {
                Some(found) => found,
                None => match built_in(&name) {
                    Some(asked) => return Ok(Some(asked)),
                    None => return Err(Refused::Unknown(name.typed())),
                },
            },
        };
        let name = Name { spec: &flag.spec, by };
        let value = given(&mut words, name)?;
        flag.apply(options, value).map_err(|error| Refused::Flag(name, error))?;
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

/// The flag that a name stands for.
fn look_up<O: 'static>(
    mut flags: impl Iterator<Item = &'static Flag<O>>,
    name: &Typed<'_>,
) -> Option<(&'static Flag<O>, By)> {
    flags.find_map(|flag| name_of(&flag.spec, name).map(|by| (flag, by)))
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
    fn new(spelling: Spelling, words: impl IntoIterator<Item = OsString>) -> Words {
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

/// Words as Go's programs read them: `-name`, `--name`, `-name=value`. Unlike there, flags may follow operands.
struct GoWords {
    words: std::vec::IntoIter<OsString>,
    /// A `--` has been: the rest are operands.
    has_ended: bool,
    name: String,
    /// What stood after the name, in the same word.
    value: Option<OsString>,
}

impl GoWords {
    fn new(words: impl IntoIterator<Item = OsString>) -> GoWords {
        let words = words.into_iter().collect::<Vec<_>>().into_iter();
        GoWords { words, has_ended: false, name: String::new(), value: None }
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
