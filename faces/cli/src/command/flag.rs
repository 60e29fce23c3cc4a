//! A row of a command's table: the words of a flag, and its effect on the options.

use anyhow::Result;

use super::spec::Spec;
use super::value::FlagValue;

/// A change that does a statement and succeeds: most rows need no more.
macro_rules! set {
    (|$options:ident, $value:ident| $change:expr) => {
        |$options, $value| {
            $change;
            Ok(())
        }
    };
    (|$options:ident| $change:expr) => {
        |$options, _| {
            $change;
            Ok(())
        }
    };
}
pub(crate) use set;

/// A row of a command's table: its words, and what it does to the options `O`.
pub(crate) struct Flag<O> {
    pub(crate) spec: Spec,
    pub(crate) change: Change<O>,
}

/// What a flag does to the options.
pub(crate) enum Change<O> {
    /// Sets a field; clears it under the flag's negation.
    Switch(fn(&mut O) -> &mut bool),
    /// Anything else.
    Call(fn(&mut O, FlagValue) -> Result<()>),
}

impl Spec {
    /// As a switch of a field.
    pub(crate) const fn sets<O>(self, field: fn(&mut O) -> &mut bool) -> Flag<O> {
        Flag { spec: self, change: Change::Switch(field) }
    }

    /// As a call that changes options.
    pub(crate) const fn does<O>(self, change: fn(&mut O, FlagValue) -> Result<()>) -> Flag<O> {
        Flag { spec: self, change: Change::Call(change) }
    }
}

impl<O> Flag<O> {
    pub(crate) fn apply(&self, options: &mut O, value: FlagValue) -> Result<()> {
        match self.change {
            Change::Switch(field) => {
                *field(options) = value.on;
                Ok(())
            }
            Change::Call(change) => change(options, value),
        }
    }
}
