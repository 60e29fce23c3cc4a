//! The man page: one for all commands.
//!
//! Callers: manual

use std::fmt::Write as _;

use super::sections::{AFTER, Section};
use super::{Opt, Page, Part};
use crate::flags::{FLAGS, GROUPS, Group};
use crate::messages::Manners;

/// When this version was made: the page is the same whenever it is printed.
const RELEASED: &str = "2026-11-22";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The page for the program as it was called.
pub(super) fn generate(pages: &[Page], manners: Manners) -> String {
    let program = manners.program();
    let mut out = format!(
        ".TH {} 1 \"{RELEASED}\" \"manicule {VERSION}\" \"User Commands\"\n.SH NAME\n",
        program.to_uppercase()
    );
    match manners {
        Manners::Ripgrep => out += "rg \\- finds text in files and folders\n",
        Manners::Manicule => out += "manicule \\- finds where it is, in the files that you have\n",
    }
    out += ".SH SYNOPSIS\n";
    put_synopsis(pages, manners, &mut out);
    put_find(pages, manners, &mut out);
    for page in pages.iter().filter(|page| !page.parts.is_empty()) {
        let _ = writeln!(out, ".SH MANICULE {}", page.path.to_uppercase());
        put_parts(&page.parts, &mut out);
    }
    for section in AFTER.iter().filter(|section| manners == Manners::Manicule || !section.own) {
        put_section(section, manners, &mut out);
    }
    out
}

fn put_synopsis(pages: &[Page], manners: Manners, out: &mut String) {
    let find = [
        "TEXT [PATH...]",
        "-e TEXT ... [PATH...]",
        "-f FILE ... [PATH...]",
        "--files [PATH...]",
        "--type-list",
    ];
    let name = if manners == Manners::Ripgrep { "rg" } else { "manicule find" };
    for call in find {
        let _ = writeln!(out, "\\fB{name}\\fP [FLAGS] {}\n.br", roff(call));
    }
    for page in pages {
        for part in &page.parts {
            if let Part::Call(call) = part {
                let rest = call.strip_prefix("manicule ").unwrap_or(call);
                let _ = writeln!(out, "\\fBmanicule\\fP {}\n.br", roff(rest));
            }
        }
    }
}

/// The flags of `find`, under the headings of its help.
fn put_find(pages: &[Page], manners: Manners, out: &mut String) {
    let title = if manners == Manners::Ripgrep { "OPTIONS" } else { "MANICULE FIND" };
    let _ = writeln!(out, ".SH {title}");
    put_text(crate::flags::ABOUT, manners, out);
    if manners == Manners::Manicule {
        put_text(crate::flags::PATHS, manners, out);
    }
    let page = pages.iter().find(|page| page.path == "find").or(pages.first());
    for (group, title) in GROUPS {
        let flags = FLAGS.iter().filter(|flag| flag.group == group);
        if group == Group::Own && manners == Manners::Ripgrep {
            continue;
        }
        let _ = writeln!(out, ".SS {title}");
        for flag in flags {
            let long = format!("--{}", flag.long);
            let option =
                page.and_then(|page| page.options.iter().find(|o| o.names.contains(&long)));
            let Some(option) = option else { continue };
            put_head(option, out);
            let _ = writeln!(out, "{}", inline(flag.help));
            if !flag.more.is_empty() {
                let _ = writeln!(out, ".sp\n{}", inline(flag.more));
            }
            if let Some(undo) = option.undo.first() {
                let _ = writeln!(out, ".sp\nUndone by \\fB{}\\fP.", roff(undo));
            }
        }
    }
}

/// A help text: calls in bold, options as a list, prose filled, and tables as they stand.
fn put_parts(parts: &[Part], out: &mut String) {
    for part in parts {
        match part {
            Part::Call(call) => {
                let _ = writeln!(out, ".PP\n\\fB{}\\fP", roff(call));
            }
            Part::Option(option, _) => {
                put_head(option, out);
                let _ = writeln!(out, "{}", inline(&option.help));
            }
            Part::Prose(lines) if lines.is_empty() => out.push_str(".PP\n"),
            Part::Prose(lines) if lines.iter().any(|line| line.trim().contains("   ")) => {
                out.push_str(".nf\n");
                for line in lines {
                    let _ = writeln!(out, "{}", roff(line.strip_prefix("    ").unwrap_or(line)));
                }
                out.push_str(".fi\n");
            }
            Part::Prose(lines) => {
                out.push_str(".PP\n");
                for line in lines {
                    let _ = writeln!(out, "{}", inline(line.trim()));
                }
            }
        }
    }
}

fn put_head(option: &Opt, out: &mut String) {
    let names: Vec<String> =
        option.names.iter().map(|name| format!("\\fB{}\\fP", roff(name))).collect();
    let value = option.metavar.as_ref().map(|value| format!(" \\fI{}\\fP", roff(value)));
    let _ = writeln!(out, ".TP\n{}{}", names.join(", "), value.unwrap_or_default());
}

fn put_section(section: &Section, manners: Manners, out: &mut String) {
    let _ = writeln!(out, ".SH {}", section.title);
    put_text(section.text, manners, out);
}

/// Paragraphs between empty lines; lines that are indented stand as they are. `CALL` is how `find` is called.
fn put_text(text: &str, manners: Manners, out: &mut String) {
    let call = if manners == Manners::Ripgrep { "rg" } else { "manicule find" };
    let mut is_verbatim = false;
    for line in text.trim_matches('\n').lines() {
        let line = line.replace("CALL", call).replace("PROGRAM", manners.program());
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
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
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
