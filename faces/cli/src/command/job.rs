//! A command that does something: its table of flags, and the way from a command line to its exit code.
//!
//! Callers: every command

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Error, Result, anyhow};

use super::flag::Flag;
use super::hints::hint;
use super::near::nearest;
use super::parse::{Asked, Refused, Spelling, Syntax, read};
use super::spec::Spec;
use super::{Command, exit, help, order, version};
use crate::messages::say;
use crate::print::{self, Print, Reader};

/// What is asked of a command without knowing its options.
pub(crate) trait Job: Sync {
    /// The flags, in the order of help.
    fn specs(&self) -> Vec<&'static Spec>;

    fn spelling(&self) -> Spelling;

    /// Whether the words can be read; what they ask for is not looked at.
    #[cfg(test)]
    fn reads(&self, words: &[OsString]) -> Result<()>;

    /// Answers a command line; `path` names the command with its group.
    fn run(&self, command: &'static Command, path: &str, words: &[OsString]) -> ExitCode;
}

/// A command by its table: the words change options `O`, which become a call `C`, which is answered.
pub(crate) struct Declared<O: 'static, C: 'static = O> {
    pub(crate) syntax: Syntax<O>,
    /// The options of an empty command line.
    pub(crate) new: fn() -> O,
    /// Fills in what was not said, and refuses what does not go together.
    pub(crate) finish: fn(O) -> Result<C>,
    pub(crate) reader: Reader,
    pub(crate) answer: fn(&C, &mut Print) -> Result<u8>,
}

impl<O, C> Declared<O, C> {
    fn options(&self, words: &[OsString]) -> Result<Result<O, Asked>, Refused> {
        let mut options = (self.new)();
        let asked = read(&self.syntax, words.iter().cloned(), &mut options, |_| true)?;
        Ok(asked.map_or(Ok(options), Err))
    }

    /// The call that a line asks for, its words between blanks.
    #[cfg(test)]
    pub(crate) fn parsed(&self, line: &str) -> Result<C> {
        self.parsed_as("", line)
    }

    /// As [`Declared::parsed`], of the command that `path` names.
    #[cfg(test)]
    pub(crate) fn parsed_as(&self, path: &str, line: &str) -> Result<C> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let options = self.options(&words).map_err(|refused| in_words(refused, self, path))?;
        (self.finish)(options.expect("no help was wanted"))
    }
}

impl<O, C> Job for Declared<O, C> {
    fn specs(&self) -> Vec<&'static Spec> {
        self.syntax.flags.iter().map(|flag: &'static Flag<O>| &flag.spec).collect()
    }

    fn spelling(&self) -> Spelling {
        self.syntax.spelling
    }

    #[cfg(test)]
    fn reads(&self, words: &[OsString]) -> Result<()> {
        let in_words = |refused| in_words(refused, self, "");
        self.options(words).map(drop).map_err(in_words)
    }

    fn run(&self, command: &'static Command, path: &str, words: &[OsString]) -> ExitCode {
        let options = match self.options(words) {
            Ok(Ok(options)) => Ok(options),
            Ok(Err(Asked::Help)) => return print::text(&help::of(command, self, path)),
            Ok(Err(Asked::Version)) => return print::text(&version()),
            Err(Refused::Operand(error)) => Err(error),
            Err(refused) => {
                let error = in_words(refused, self, path);
                return print::command(self.reader, |_| Err(error));
            }
        };
        print::command(self.reader, |out| {
            let answered = options.and_then(|options| (self.answer)(&(self.finish)(options)?, out));
            explained(answered, || {
                let words = self.syntax.operands(words.iter().cloned());
                order::hint(path, command.operands, &words)
            })
        })
    }
}

/// What became of a call; where it failed by its operands, what they should have been.
fn explained(answered: Result<u8>, hint: impl FnOnce() -> Option<String>) -> Result<u8> {
    match answered {
        Ok(exit::FAILED) => {
            hint().iter().for_each(|hint| say(hint));
            Ok(exit::FAILED)
        }
        Err(error) => Err(hint().map_or(error, Error::msg)),
        answered => answered,
    }
}

/// A refusal as a sentence that says what to write instead.
fn in_words(refused: Refused, job: &dyn Job, path: &str) -> Error {
    match refused {
        Refused::Unknown(flag) => unknown(&flag, job, path),
        Refused::Missing(name, _) => {
            anyhow!("{name} wants a value: {name} {}", name.spec.metavar.unwrap_or_default())
        }
        Refused::Flag(_, error) | Refused::Operand(error) => error,
        Refused::Words(lexopt::Error::UnexpectedValue { option, value }) => {
            anyhow!("{option} takes no value: leave out ={}", value.to_string_lossy())
        }
        Refused::Words(error) => error.into(),
    }
}

/// Of a flag that there is none of: what to write instead, which one was probably meant, or whose help lists them.
fn unknown(flag: &str, job: &dyn Job, path: &str) -> Error {
    if let Some(instead) = hint(path, flag) {
        return anyhow!("there is no option {flag} here: {instead}");
    }
    let specs = job.specs();
    let longs = specs.iter().filter(|spec| !spec.is_hidden).flat_map(|spec| {
        let longs = [Some(spec.long), spec.negation, spec.alias].into_iter().flatten();
        longs.map(|long| (spec.dashed(long), long))
    });
    let longs: Vec<(String, &str)> = longs.collect();
    let unknown = flag.trim_start_matches('-');
    let near = (unknown.len() > 1).then(|| nearest(unknown, longs.iter().map(|row| row.1)));
    let dashes =
        if flag.starts_with("--") { "" } else { "; if it is not an option, put it after --" };
    match near.flatten().and_then(|near| longs.iter().find(|row| row.1 == near)) {
        Some((dashed, _)) => anyhow!("there is no option {flag}: did you mean {dashed}?"),
        None => anyhow!("there is no option {flag}; `manicule {path} --help` lists them{dashes}"),
    }
}
