//! Help, laid out from the flag table.
//!
//! Callers: find

use std::fmt::Write as _;

use super::table::{FLAGS, Flag, Group};
use crate::messages::Manners;

const GROUPS: [(Group, &str); 7] = [
    (Group::Input, "Input"),
    (Group::Search, "What matches"),
    (Group::Filter, "Which files"),
    (Group::Output, "How it is printed"),
    (Group::Modes, "What is printed"),
    (Group::Logs, "What is told besides"),
    (Group::Other, "Other"),
];

/// The widest line of `--help`.
const WIDTH: usize = 90;

fn usage(manners: Manners) -> String {
    let call = match manners {
        Manners::Ripgrep => "rg",
        Manners::Manicule => "manicule find",
    };
    format!(
        "Finds TEXT, a regular expression, in files and folders, line by line.\n\
         Ignore files are heeded; hidden and binary files are left out.\n\n\
         {call} [FLAGS] TEXT [PATH...]\n\
         {call} [FLAGS] -e TEXT ... [PATH...]\n\
         {call} [FLAGS] -f FILE ... [PATH...]\n\
         {call} [FLAGS] --files [PATH...]\n\
         {call} [FLAGS] --type-list\n"
    )
}

/// One line a flag.
pub(crate) fn short_help(manners: Manners) -> String {
    let mut out = usage(manners);
    each_group(manners, &mut out, |out, flag| {
        let _ = writeln!(out, "  {:<40} {}", names(flag), flag.help);
    });
    out
}

/// Everything.
pub(crate) fn long_help(manners: Manners) -> String {
    let mut out = usage(manners);
    each_group(manners, &mut out, |out, flag| {
        let _ = writeln!(out, "  {}", names(flag));
        fill(out, flag.help);
        fill(out, flag.more);
        if let Some(negation) = flag.negation {
            fill(out, &format!("Undone by --{negation}."));
        }
    });
    let _ = write!(
        out,
        "\nExit code: 0 when something was found, 1 when nothing was, 2 when something failed.\n"
    );
    out
}

fn each_group(manners: Manners, out: &mut String, mut show: impl FnMut(&mut String, &Flag)) {
    for (group, title) in GROUPS {
        let _ = writeln!(out, "\n{title}:");
        let shown =
            |flag: &&Flag| flag.group == group && (manners == Manners::Manicule || !flag.own);
        FLAGS.iter().filter(shown).for_each(|flag| show(out, flag));
    }
}

fn names(flag: &Flag) -> String {
    let letter = flag.short.map_or("    ".to_owned(), |short| format!("-{short}, "));
    let alias = flag.alias.map_or(String::new(), |alias| format!(", --{alias}"));
    let value = flag.metavar.map_or(String::new(), |value| format!(" {value}"));
    format!("{letter}--{}{alias}{value}", flag.long)
}

/// Appends a paragraph, broken between words.
fn fill(out: &mut String, text: &str) {
    const INDENT: &str = "        ";
    let mut width = 0;
    for word in text.split_whitespace() {
        if width == 0 || width + 1 + word.len() > WIDTH {
            let _ = write!(out, "{}{INDENT}{word}", if width == 0 { "" } else { "\n" });
            width = INDENT.len() + word.len();
        } else {
            let _ = write!(out, " {word}");
            width += 1 + word.len();
        }
    }
    if width > 0 {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_is_in_both_helps() {
        let (short, long) = (short_help(Manners::Manicule), long_help(Manners::Manicule));
        for flag in FLAGS {
            let name = format!("--{}", flag.long);
            assert!(short.contains(&name) && long.contains(&name), "{name}");
            assert!(!flag.help.is_empty(), "{name}");
        }
    }

    #[test]
    fn own_flags_are_not_ripgreps() {
        assert!(!long_help(Manners::Ripgrep).contains("--budget"));
    }

    #[test]
    fn lines_keep_within_the_width() {
        for line in long_help(Manners::Manicule).lines() {
            assert!(line.len() <= WIDTH, "{line}");
        }
    }
}
