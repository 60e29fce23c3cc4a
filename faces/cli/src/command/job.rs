//! A command that does something: its table of flags, and the way from a command line to its exit
//! code.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Error, Result, anyhow};

use super::addresses::Places;
use super::hints::hint;
use super::near::nearest;
use super::parse::{Asked, Refused, Spelling, Syntax, Table, operands};
use super::{Command, Flag, Operand, exit, help, operand, order, version};
use crate::messages::{has_failed, say};
use crate::print::{self, Print, Reader};

/// What is asked of a command without knowing its options.
pub(crate) trait Job: Sync {
    /// The flags.
    fn table(&self) -> &dyn Table;

    /// Whether the words can be read; what they ask for is not looked at.
    #[cfg(test)]
    fn reads(&self, words: &[OsString]) -> Result<()>;

    /// Answers a command line; `path` names the command with its group.
    fn run(&self, command: &'static Command, path: &str, words: &[OsString]) -> ExitCode;
}

/// A command by its table: the words change options `O`, which become a call `C`, which is
/// answered.
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
    /// Of a command without operands, whose flags are spelled as in getopt.
    pub(crate) const fn of(
        flags: &'static [Flag<O>],
        finish: fn(O) -> Result<C>,
        reader: Reader,
        answer: fn(&C, &mut Print) -> Result<u8>,
    ) -> Declared<O, C>
    where
        O: Default,
    {
        let (spelling, places) = (Spelling::Gnu, Places::Local);
        let syntax = Syntax { spelling, flags, operands: &[], places };
        Declared { syntax, new: O::default, finish, reader, answer }
    }

    /// With operands, a row for each that [`Command::operands`] names.
    pub(crate) const fn taking(self, operands: &'static [Operand<O>]) -> Declared<O, C> {
        Declared { syntax: Syntax { operands, ..self.syntax }, ..self }
    }

    /// With addresses of object stores in place of paths, and the flags for them.
    pub(crate) const fn at_addresses(self) -> Declared<O, C> {
        Declared { syntax: Syntax { places: Places::LocalOrRemote, ..self.syntax }, ..self }
    }

    /// With flags that are spelled as in Go.
    pub(crate) const fn in_go_spelling(self) -> Declared<O, C> {
        Declared { syntax: Syntax { spelling: Spelling::Go, ..self.syntax }, ..self }
    }

    /// The call that a line asks for, its words between blanks.
    #[cfg(test)]
    pub(crate) fn parsed(&'static self, line: &str) -> Result<C> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let mut options = (self.new)();
        let asked = self.syntax.read(words.clone(), &mut options, &|_| true);
        let (path, command, job) = super::tests::declared(self);
        let line = Line { job, command, path: &path, words: &words };
        let asked = asked.map_err(|refused| line.refusal(refused))?;
        let Asked::Work(count) = asked else { panic!("no help was wanted") };
        line.complete(count)?;
        (self.finish)(options)
    }
}

impl<O, C> Job for Declared<O, C> {
    fn table(&self) -> &dyn Table {
        &self.syntax
    }

    #[cfg(test)]
    fn reads(&self, words: &[OsString]) -> Result<()> {
        let asked = self.syntax.read(words.to_vec(), &mut (self.new)(), &|_| true);
        asked.map(drop).map_err(|refused| anyhow!("{refused:?}"))
    }

    fn run(&self, command: &'static Command, path: &str, words: &[OsString]) -> ExitCode {
        let mut options = (self.new)();
        let asked = self.syntax.read(words.to_vec(), &mut options, &|_| true);
        let answer = |out: &mut Print| (self.answer)(&(self.finish)(options)?, out);
        Line { job: self, command, path, words }.run(asked, self.reader, Box::new(answer))
    }
}

/// What a command makes of its options, without their type.
type Answer<'a> = Box<dyn FnOnce(&mut Print) -> Result<u8> + 'a>;

/// A command line, and whose it is. It doesn't have the options' type: what is done with it is
/// compiled once, not once for each command.
struct Line<'a> {
    job: &'a dyn Job,
    command: &'static Command,
    path: &'a str,
    words: &'a [OsString],
}

impl Line<'_> {
    /// Answers it, or does what is asked for in place of that.
    fn run(&self, asked: Result<Asked, Refused>, reader: Reader, answer: Answer<'_>) -> ExitCode {
        let answer = match asked {
            Ok(Asked::Work(count)) => self.complete(count).map(|()| answer),
            Ok(Asked::Help) => return print::text(&help::of(self.command, self.job, self.path)),
            Ok(Asked::Version) => return print::text(&version()),
            Err(refused @ (Refused::Operand(_) | Refused::Surplus(_))) => {
                Err(self.refusal(refused))
            }
            Err(refused) => return print::command(reader, |_| Err(self.refusal(refused))),
        };
        print::command(reader, |out| self.explained(answer.and_then(|answer| answer(out))))
    }

    /// Refuses a line of this number of operands if it lacks one.
    fn complete(&self, count: usize) -> Result<()> {
        operand::missing(self.path, self.command.operands, count).map_or(Ok(()), Err)
    }

    /// A refusal as a sentence that says what to write instead.
    fn refusal(&self, refused: Refused) -> Error {
        match refused {
            Refused::Unknown(flag) => unknown(&flag, self.job, self.path),
            Refused::Missing(name, _) => {
                anyhow!("{name} wants a value: {name} {}", name.spec.metavar.unwrap_or_default())
            }
            Refused::Flag(_, error) | Refused::Operand(error) => error,
            Refused::Surplus(word) => {
                let key = self.job.table().specs().find(|spec| spec.metavar == Some("KEY"));
                let key = key.and_then(|spec| spec.short);
                operand::surplus(self.path, self.command.operands, key, &word)
            }
            Refused::Words(lexopt::Error::UnexpectedValue { option, value }) => {
                anyhow!("{option} takes no value: leave out ={}", value.to_string_lossy())
            }
            Refused::Words(error) => error.into(),
        }
    }

    /// What became of the call; where it failed by its operands, what they should have been.
    fn explained(&self, answered: Result<u8>) -> Result<u8> {
        match answered {
            Ok(exit::FAILED) => {
                self.hint().iter().for_each(|hint| say(hint));
                Ok(exit::FAILED)
            }
            Err(error) => Err(self.hint().map_or(error, Error::msg)),
            Ok(_) if has_failed() => Ok(exit::FAILED),
            answered => answered,
        }
    }

    fn hint(&self) -> Option<String> {
        let words = operands(self.job.table(), self.words.to_vec());
        order::hint(self.path, self.command.operands, &words)
    }
}

/// Of a flag that there is none of: what to write instead, which one was probably meant, or whose
/// help lists them.
fn unknown(flag: &str, job: &dyn Job, path: &str) -> Error {
    if let Some(instead) = hint(path, flag) {
        return anyhow!("there is no option {flag} here: {instead}");
    }
    let longs = job.table().specs().filter(|spec| !spec.is_hidden).flat_map(|spec| {
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
