//! The man page: one for all commands.

use std::fmt::Write as _;

use super::sections::{AFTER, Section};
use super::{Opt, Page};
use crate::command::Command;
use crate::command::spec::{Group, Takes};
use crate::flags::GROUPS;
use crate::messages::InvokedAs;

/// When this version was made: the page is the same whenever it is printed.
const RELEASED: &str = "2026-11-22";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The page for the program as it was called.
pub(super) fn generate(pages: &[Page], invoked_as: InvokedAs) -> String {
    let program = invoked_as.program();
    let mut out = format!(
        ".TH {} 1 \"{RELEASED}\" \"manicule {VERSION}\" \"User Commands\"\n.SH NAME\n",
        program.to_uppercase()
    );
    match invoked_as {
        InvokedAs::Ripgrep => out += "rg \\- finds text in files and folders\n",
        InvokedAs::Manicule => {
            out += "manicule \\- searches, checks and repairs source trees, zoekt shards, Prometheus blocks, SSTables, RDF stores and restic repositories\n"
        }
    }
    out += ".SH SYNOPSIS\n";
    put_synopsis(pages, invoked_as, &mut out);
    put_find(pages, invoked_as, &mut out);
    for (page, command) in declared(pages) {
        let _ = writeln!(out, ".SH MANICULE {}", page.path.to_uppercase());
        put_command(page, command, &mut out);
    }
    for section in AFTER.iter().filter(|section| invoked_as == InvokedAs::Manicule || !section.own)
    {
        put_section(section, invoked_as, &mut out);
    }
    out
}

fn put_synopsis(pages: &[Page], invoked_as: InvokedAs, out: &mut String) {
    let find = [
        "TEXT [PATH...]",
        "-e TEXT ... [PATH...]",
        "-f FILE ... [PATH...]",
        "--files [PATH...]",
        "--type-list",
    ];
    let name = if invoked_as == InvokedAs::Ripgrep { "rg" } else { "manicule find" };
    for call in find {
        let _ = writeln!(out, "\\fB{name}\\fP [FLAGS] {}\n.br", roff(call));
    }
    for (page, command) in declared(pages) {
        for call in command.help.calls {
            let words = format!("{} {}", page.path, call.words);
            let _ = writeln!(out, "\\fBmanicule\\fP {}\n.br", roff(words.trim_end()));
        }
    }
}

/// The pages of commands that say themselves how they are called; `find` has a part of its own.
fn declared(pages: &[Page]) -> impl Iterator<Item = (&Page, &'static Command)> {
    let commands = pages.iter().filter_map(|page| Some((page, page.command?)));
    commands.filter(|(_, command)| !command.help.calls.is_empty())
}

/// The flags of `find`, under the headings of its help.
fn put_find(pages: &[Page], invoked_as: InvokedAs, out: &mut String) {
    let title = if invoked_as == InvokedAs::Ripgrep { "OPTIONS" } else { "MANICULE FIND" };
    let _ = writeln!(out, ".SH {title}");
    put_text(crate::flags::ABOUT, invoked_as, out);
    if invoked_as == InvokedAs::Manicule {
        put_text(crate::flags::PATHS, invoked_as, out);
    }
    let page = pages.iter().find(|page| page.path == "find").or(pages.first());
    let options = || page.into_iter().flat_map(|page| &page.options);
    for group in GROUPS.into_iter().filter(|group| options().any(|o| o.spec.group == *group)) {
        let _ = writeln!(out, ".SS {}", group.0);
        options().filter(|option| option.spec.group == group).for_each(|o| put_option(o, out));
    }
}

/// How it is called and what it does, its options, its notes and its exit codes.
fn put_command(page: &Page, command: &Command, out: &mut String) {
    for call in command.help.calls {
        let words = format!("manicule {} {}", page.path, call.words);
        let _ = writeln!(out, ".PP\n\\fB{}\\fP\n.PP", roff(words.trim_end()));
        put_text(call.about, InvokedAs::Manicule, out);
    }
    let mut group = Group::NONE;
    for option in &page.options {
        if option.spec.group != group {
            group = option.spec.group;
            out.push_str(".PP\n");
            put_text(group.0, InvokedAs::Manicule, out);
        }
        put_option(option, out);
    }
    out.push_str(".PP\n");
    put_text(command.help.notes, InvokedAs::Manicule, out);
    let _ = writeln!(out, ".PP\nExit code: {}", inline(command.help.exit));
}

fn put_option(option: &Opt, out: &mut String) {
    put_head(option, out);
    let spec = option.spec;
    let _ = writeln!(out, "{}", inline(spec.line()));
    if let Some(offers) = spec.offers() {
        let _ = writeln!(out, "{}", inline(&offers));
    }
    if !spec.more.is_empty() {
        let _ = writeln!(out, ".sp\n{}", inline(spec.more));
    }
    if let Takes::Choices(choices) = spec.takes {
        for (word, what) in choices {
            let _ = writeln!(out, ".br\n\\fB{}\\fP: {}", roff(word), inline(what));
        }
    }
    if let Some(undo) = option.undo.first() {
        let _ = writeln!(out, ".sp\n\\fB{}\\fP undoes it.", roff(undo));
    }
}

fn put_head(option: &Opt, out: &mut String) {
    let names: Vec<String> =
        option.names.iter().map(|name| format!("\\fB{}\\fP", roff(name))).collect();
    let value = option.metavar().map(|value| format!(" \\fI{}\\fP", roff(value)));
    let _ = writeln!(out, ".TP\n{}{}", names.join(", "), value.unwrap_or_default());
}

fn put_section(section: &Section, invoked_as: InvokedAs, out: &mut String) {
    let _ = writeln!(out, ".SH {}", section.title);
    put_text(section.text, invoked_as, out);
}

/// Paragraphs between empty lines; lines that are indented stand as they are. `CALL` is how `find`
/// is called.
fn put_text(text: &str, invoked_as: InvokedAs, out: &mut String) {
    let call = if invoked_as == InvokedAs::Ripgrep { "rg" } else { "manicule find" };
    let mut is_verbatim = false;
    for line in text.trim_matches('\n').lines() {
        let line = line.replace("CALL", call).replace("PROGRAM", invoked_as.program());
        if line.starts_with("  ") != is_verbatim && !line.is_empty() {
            is_verbatim = !is_verbatim;
            out.push_str(if is_verbatim { ".nf\n" } else { ".fi\n" });
        }
        match line.as_str() {
            "" => out.push_str(".PP\n"),
            line if is_verbatim => {
                let _ = writeln!(out, "{}", roff(line));
            }
            line => {
                let _ = writeln!(out, "{}", inline(line));
            }
        }
    }
    if is_verbatim {
        out.push_str(".fi\n");
    }
}

/// Text, with what stands between back quotes in bold.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            1 => out += &format!("\\fB{}\\fP", roff(part).trim_start_matches("\\&")),
            _ if at == 0 => out += &roff(part),
            _ => out += roff(part).trim_start_matches("\\&"),
        }
    }
    out
}

/// Text that groff takes for nothing but text.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_for_a_request() {
        assert_eq!(roff(".TH is -x"), "\\&.TH is \\-x");
        assert_eq!(roff("\\d"), "\\ed");
        assert_eq!(inline("`-x` and `.y`"), "\\fB\\-x\\fP and \\fB.y\\fP");
    }
}
