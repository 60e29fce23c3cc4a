//! The flags of `find`: one table, the options it changes, its parser and its help.
//!
//! Callers: find

mod config;
mod help;
mod options;
mod parse;
mod table;

pub(crate) use help::{ABOUT, GROUPS, PATHS, long_help, short_help};
pub(crate) use options::{
    Binary, Boundary, Buffering, Case, Coding, Color, Context, Engine, Find, Logging, Mapping,
    Mode, Options, Pattern, Script, Sort, SortKey, Special, TypeChange,
};
pub(crate) use parse::{parse, with_config};
pub(crate) use table::{FLAGS, Flag, Group, Takes};
