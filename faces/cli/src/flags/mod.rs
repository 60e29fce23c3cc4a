//! The flags of `find`: their table, the options it changes, how it is read in ripgrep's words, and
//! its help.

mod config;
mod help;
mod options;
mod parse;
mod table;
mod value;

pub(crate) use help::{ABOUT, GROUPS, PATHS, long_help, short_help};
pub(crate) use options::{
    Buffering, Color, Context, Engine, Find, Logging, Mapping, Mode, Options, Pattern, Script,
    Sort, SortKey, Special,
};
pub(crate) use parse::{SYNTAX, parse, with_config};
pub(crate) use table::is_own;

use crate::messages::InvokedAs;

/// Operands of the command.
pub(crate) const OPERANDS: &str = "TEXT [PATH...]";

/// Makes the man page or the completions for a shell. They are of all commands, so the program
/// lends it.
pub(crate) type Scripts = fn(Script, InvokedAs) -> String;
