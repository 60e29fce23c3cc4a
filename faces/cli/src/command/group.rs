//! A group of commands: `manicule code index`, `manicule series select`; and the program, which is
//! one itself.

use std::ffi::OsString;
use std::process::ExitCode;

use super::help::{OVERVIEW_WIDTH, put_filled, put_text};
use super::hints::hint;
use super::near::nearest;
use super::{Command, Does, exit, path_of, version};
use crate::messages::{say, show};
use crate::print;

/// Hands a command line to the command of a group that its first word names.
pub(crate) fn run(
    group: &'static Command,
    commands: &'static [&'static Command],
    words: &[OsString],
) -> ExitCode {
    let Some(first) = words.first() else {
        // No answer to anything, so not on standard output.
        show(&help(group, commands));
        return ExitCode::from(exit::FAILED);
    };
    match first.to_str() {
        Some("-h" | "--help") => return print::text(&help(group, commands)),
        Some("-V" | "--version") => return print::text(&version()),
        Some("help") if words.len() == 1 => return print::text(&help(group, commands)),
        Some("help") => return run(group, commands, &[&words[1..], &["--help".into()]].concat()),
        _ => {}
    }
    let at = command_at(words, commands).unwrap_or(0);
    let named = commands.iter().find(|command| words[at] == command.name);
    match named {
        Some(command) => {
            let rest = [&words[..at], &words[at + 1..]].concat();
            command.run(&path_of(group.name, command.name), &rest)
        }
        None => {
            let (word, group) = (words[at].to_string_lossy(), group.name);
            let meant = meant(&word, group, commands);
            say(&format_args!("there is no command {group} {word}{meant}"));
            ExitCode::from(exit::FAILED)
        }
    }
}

/// Where the command's name stands: flags may come before it, with their values.
pub(super) fn command_at(words: &[OsString], commands: &[&'static Command]) -> Option<usize> {
    let mut is_value = false;
    words.iter().position(|word| {
        let word = word.to_string_lossy();
        let is_flag = word.starts_with('-');
        let is_command = !is_value && !is_flag;
        is_value = !is_value && is_flag && takes_value(&word, commands);
        is_command
    })
}

/// Whether the word after this one is a flag's value.
fn takes_value(word: &str, commands: &[&'static Command]) -> bool {
    let specs = commands.iter().flat_map(|command| match command.does {
        Does::Job(job) => job.table().specs().collect(),
        Does::Group(_) => Vec::new(),
    });
    let is_named = |short: Option<char>, long: &str| match word.strip_prefix("--") {
        Some(name) => name == long,
        None => short.is_some_and(|short| word.strip_prefix('-') == Some(&short.to_string())),
    };
    specs.into_iter().any(|spec| spec.metavar.is_some() && is_named(spec.short, spec.long))
}

/// What was probably meant, as the end of a sentence.
fn meant(word: &str, group: &str, commands: &[&Command]) -> String {
    if let Some(hint) = hint(group, word) {
        return format!(": {hint}");
    }
    let names = || commands.iter().map(|command| command.name);
    match nearest(word, names()) {
        Some(name) => format!(": did you mean `manicule {group} {name}`?"),
        None => format!("; it has {}", names().collect::<Vec<_>>().join(", ")),
    }
}

/// A line a command: how it is called, and in a column what it does; below it where that is too
/// wide.
pub(crate) fn rows(group: &str, commands: &[&Command]) -> String {
    let rows = commands
        .iter()
        .map(|command| (format!("{} {}", command.name, command.operands), command.summary));
    let rows: Vec<(String, &str)> = rows.collect();
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let column = 2 + group.len() + 1 + width + 2;
    let is_wide = rows.iter().any(|(_, what)| column + what.len() > OVERVIEW_WIDTH);
    let mut out = String::new();
    for (call, what) in rows {
        if is_wide {
            out += &format!("  {group} {}\n", call.trim_end());
            put_filled(&mut out, [what], "      ", OVERVIEW_WIDTH);
        } else {
            out += &format!("  {group} {call:width$}  {what}\n")
        }
    }
    out
}

fn help(group: &Command, commands: &[&Command]) -> String {
    let rows = rows(&format!("manicule {}", group.name), commands);
    let mut out = format!("{rows}\n");
    if !group.help.notes.is_empty() {
        put_text(&mut out, group.help.notes, "", OVERVIEW_WIDTH);
        out.push('\n');
    }
    out + &format!("See `manicule {} COMMAND --help` for details.\n", group.name)
}
