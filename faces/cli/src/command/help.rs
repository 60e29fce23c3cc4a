//! Help of a command: how it is called, its flags in columns, the notes, the exit codes.

use std::fmt::Write as _;

use super::shared::{HELP, VERSION};
use super::spec::{Group, Spec, Takes};
use super::{Command, Job, Spelling};

/// The widest line.
const WIDTH: usize = 100;
/// The widest line of an overview of commands.
pub(super) const OVERVIEW_WIDTH: usize = 80;
/// Names that are longer have a line of their own.
const NAMES_MAX: usize = 28;

/// The help of a command that `path` names.
pub(crate) fn of(command: &Command, job: &dyn Job, path: &str) -> String {
    let mut out = String::new();
    for call in command.help.calls {
        let _ = writeln!(out, "{}", format!("manicule {path} {}", call.words).trim_end());
        put_text(&mut out, call.about, "    ", WIDTH);
    }
    let specs = shown(job);
    let width = specs.iter().map(|spec| names(spec, job).len());
    let width = width.filter(|len| *len <= NAMES_MAX).max().unwrap_or(0);
    for group in groups(&specs) {
        out.push('\n');
        if group != Group::NONE {
            put_text(&mut out, group.0, "    ", WIDTH);
            out.push('\n');
        }
        for spec in specs.iter().filter(|spec| spec.group == group) {
            put_flag(&mut out, spec, job, width);
        }
    }
    if !command.help.notes.is_empty() {
        out.push('\n');
        put_text(&mut out, command.help.notes, "    ", WIDTH);
    }
    if !command.help.exit.is_empty() {
        let _ = writeln!(out);
        put_text(&mut out, &format!("Exit code: {}", command.help.exit), "    ", WIDTH);
    }
    out
}

/// The flags that a user may type, with those that every command has.
pub(crate) fn shown(job: &dyn Job) -> Vec<&'static Spec> {
    let mut specs: Vec<&Spec> = job.table().specs().filter(|spec| !spec.is_hidden).collect();
    for built_in in [&HELP, &VERSION] {
        if specs.iter().all(|spec| spec.long != built_in.long) {
            specs.push(built_in);
        }
    }
    specs
}

/// The headings of flags, in the order in which the table first has them.
fn groups(specs: &[&Spec]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for spec in specs {
        if !groups.contains(&spec.group) {
            groups.push(spec.group);
        }
    }
    groups
}

/// All its names, and what its value stands for.
fn names(spec: &Spec, job: &dyn Job) -> String {
    let letter = match (spec.short, job.table().spelling()) {
        (Some(letter), _) => format!("-{letter}, "),
        (None, Spelling::Gnu) => "    ".to_owned(),
        (None, Spelling::Go) => String::new(),
    };
    let alias = spec.alias.map_or(String::new(), |alias| format!(", {}", spec.dashed(alias)));
    let value = spec.metavar.map_or(String::new(), |value| format!(" {value}"));
    format!("{letter}{}{alias}{value}", spec.dashed(spec.long))
}

/// A row: the names, and in a column all that is said of the flag.
fn put_flag(out: &mut String, spec: &Spec, job: &dyn Job, width: usize) {
    let names = names(spec, job);
    let indent = " ".repeat(4 + width + 2);
    let mut text = String::new();
    let undone = spec.negation.map(|long| format!("{} undoes it.", spec.dashed(long)));
    let offers = spec.offers();
    let [offers, undone] = [&offers, &undone].map(|text| text.as_deref().unwrap_or_default());
    put_filled(&mut text, [spec.line(), offers, spec.more, undone], &indent, WIDTH);
    if let Takes::Choices(choices) = spec.takes {
        choices.iter().for_each(|(word, what)| {
            put_filled(&mut text, [word, ": ", what].concat().split(' '), &indent, WIDTH);
        });
    }
    if names.len() > width {
        let _ = write!(out, "    {names}\n{text}");
    } else {
        let _ = write!(out, "    {names:width$}  {}", text.trim_start());
    }
}

/// Paragraphs between empty lines, filled; lines that begin with two blanks stand as they are.
pub(super) fn put_text(out: &mut String, text: &str, indent: &str, width: usize) {
    let mut paragraph: Vec<&str> = Vec::new();
    for line in text.lines().chain([""]) {
        if !line.is_empty() && !line.starts_with("  ") {
            paragraph.push(line);
            continue;
        }
        put_filled(out, std::mem::take(&mut paragraph), indent, width);
        match line {
            "" => out.push('\n'),
            line => {
                let _ = writeln!(out, "{indent}{}", &line[2..]);
            }
        }
    }
    // The empty line that ended the last paragraph.
    out.pop();
}

/// Appends a paragraph, broken between words; nothing for no words.
pub(super) fn put_filled<'t>(
    out: &mut String,
    texts: impl IntoIterator<Item = &'t str>,
    indent: &str,
    width_max: usize,
) {
    let mut width = 0;
    for word in texts.into_iter().flat_map(str::split_whitespace) {
        if width == 0 || width + 1 + word.len() > width_max {
            let _ = write!(out, "{}{indent}{word}", if width == 0 { "" } else { "\n" });
            width = indent.len() + word.len();
        } else {
            let _ = write!(out, " {word}");
            width += 1 + word.len();
        }
    }
    if width > 0 {
        out.push('\n');
    }
}
