//! Answers that need no search: help, versions, the file types, completions.

use std::io::Write;

use anyhow::Result;

use super::call::Call;
use super::matcher::pcre2_version;
use crate::command::exit;
use crate::flags::{Special, long_help, short_help};
use crate::messages::InvokedAs;
use crate::print::Print;

/// Version of ripgrep whose behaviour is kept.
const RIPGREP: &str = "15.2.0";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Prints the answer; returns the exit code.
pub(crate) fn print(special: Special, invoked_as: InvokedAs, out: &mut Print) -> Result<u8> {
    let version = match invoked_as {
        InvokedAs::Ripgrep => format!("ripgrep {RIPGREP} (manicule {VERSION})"),
        InvokedAs::Manicule => format!("manicule {VERSION} (manners of ripgrep {RIPGREP})"),
    };
    let pcre2 = pcre2_version(invoked_as.product());
    let is_there = pcre2.is_ok();
    let sign = if is_there { '+' } else { '-' };
    let (Ok(pcre2) | Err(pcre2)) = pcre2;
    let text = match special {
        Special::HelpShort => short_help(invoked_as),
        Special::HelpLong => long_help(invoked_as),
        Special::VersionShort => version,
        Special::VersionLong => format!("{version}\n\nfeatures:{sign}pcre2\n\n{pcre2}"),
        Special::Pcre2Version => pcre2,
    };
    writeln!(out, "{}", text.trim_end())?;
    Ok(exit::if_any(special != Special::Pcre2Version || is_there))
}

/// Prints each file type with its globs; returns the exit code.
pub(crate) fn print_types(call: &Call, out: &mut Print) -> Result<u8> {
    out.in_pages();
    let definitions = call.search.rules.types.definitions();
    for definition in definitions {
        writeln!(out, "{}: {}", definition.name(), definition.globs().join(", "))?;
    }
    Ok(exit::if_any(!definitions.is_empty()))
}
