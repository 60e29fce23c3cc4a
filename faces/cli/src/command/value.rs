//! How a flag was given, and its value as what a command wants: each error is a sentence that names
//! the flag as it was typed.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};
use manicule::sizes::bytes;

use super::spec::{Spec, Takes};
use crate::units::{self, joined};

/// More threads than that help nobody.
const THREADS_MAX: usize = 1024;

/// How a flag was given.
#[derive(Clone, Debug)]
pub(crate) struct FlagValue {
    /// By its name rather than its negation.
    pub(crate) on: bool,
    /// The name it was given by.
    pub(crate) name: Name,
    pub(crate) value: Option<OsString>,
}

/// A flag by one of its names, which shows as it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub(crate) spec: &'static Spec,
    pub(crate) by: By,
}

/// Which of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Long,
    Short,
    Alias,
    Negation,
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dashes = if self.spec.has_one_dash { "-" } else { "--" };
        let name = match self.by {
            By::Long => Some(self.spec.long),
            By::Alias => self.spec.alias,
            By::Negation => self.spec.negation,
            By::Short => return write!(out, "-{}", self.spec.short.unwrap_or('?')),
        };
        write!(out, "{dashes}{}", name.unwrap_or_default())
    }
}

impl FlagValue {
    /// Given by its letter.
    pub(crate) fn is_short(&self) -> bool {
        self.name.by == By::Short
    }

    pub(crate) fn os(&self) -> &OsStr {
        self.value.as_deref().unwrap_or_default()
    }

    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(self.os())
    }

    pub(crate) fn text(&self) -> Result<&str> {
        let text = self.os().to_str();
        text.with_context(|| format!("the value of {} is not valid UTF-8", self.name))
    }

    pub(crate) fn string(&self) -> Result<String> {
        self.text().map(str::to_owned)
    }

    pub(crate) fn number<N: FromStr>(&self) -> Result<N> {
        let text = self.os().to_string_lossy();
        text.parse().ok().with_context(|| format!("{} {text:?} is no number", self.name))
    }

    /// A number of bytes.
    pub(crate) fn size(&self) -> Result<u64> {
        bytes(self.text()?).with_context(|| self.name.to_string())
    }

    /// Memory for a command that writes blocks.
    pub(crate) fn memory(&self) -> Result<u64> {
        units::memory(self.text()?).with_context(|| self.name.to_string())
    }

    /// A length of time, in milliseconds.
    pub(crate) fn duration_ms(&self) -> Result<i64> {
        units::duration_ms(self.text()?).with_context(|| self.name.to_string())
    }

    /// A number of threads; 0 is as many as there are cores.
    pub(crate) fn threads(&self) -> Result<usize> {
        let threads: usize = self.number()?;
        Ok(if threads == 0 { cores() } else { threads.min(THREADS_MAX) })
    }

    /// One of the values that the flag's row offers; `meanings` are in the row's order.
    pub(crate) fn choice<T: Copy>(&self, meanings: &[T]) -> Result<T> {
        Ok(meanings[self.choice_at(meanings.len())?])
    }

    /// As [`FlagValue::choice`]; other words that `other` knows, such as endings of names, are
    /// taken too.
    pub(crate) fn choice_or<T: Copy>(
        &self,
        meanings: &[T],
        other: impl Fn(&str) -> Option<T>,
    ) -> Result<T> {
        match self.choice(meanings) {
            Ok(meaning) => Ok(meaning),
            Err(error) => self.os().to_str().and_then(other).ok_or(error),
        }
    }

    /// Where the value is among those that the flag's row offers. It doesn't have the meanings'
    /// type: it is compiled once, not once for each.
    fn choice_at(&self, meaning_count: usize) -> Result<usize> {
        let words: Vec<&str> = match self.name.spec.takes {
            Takes::OneOf(words) => words.to_vec(),
            Takes::Choices(choices) => choices.iter().map(|choice| choice.0).collect(),
            Takes::Any | Takes::Types => Vec::new(),
        };
        assert_eq!(words.len(), meaning_count, "{}: a meaning for each word", self.name);
        let at = self.os().to_str().and_then(|text| words.iter().position(|word| *word == text));
        let Some(at) = at else {
            let given = self.os().to_string_lossy();
            bail!("{} is {}, not {given:?}", self.name, joined(&words, "or"));
        };
        Ok(at)
    }
}

/// Number of threads that run at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
