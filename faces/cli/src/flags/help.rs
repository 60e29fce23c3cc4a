//! Help, laid out from the flag table.
//!
//! Callers: find

use std::fmt::Write as _;

use super::table::{FLAGS, Flag, Group};
use crate::messages::Manners;

/// The headings, in the order of help.
pub(crate) const GROUPS: [(Group, &str); 8] = [
    (Group::Input, "Input"),
    (Group::Search, "What matches"),
    (Group::Filter, "Which files"),
    (Group::Output, "How it is printed"),
    (Group::Modes, "What is printed"),
    (Group::Logs, "What is told besides"),
    (Group::Other, "Other"),
    (Group::Own, "Beyond ripgrep"),
];

/// The widest line of `--help`.
const WIDTH: usize = 90;

fn usage(manners: Manners) -> String {
    let call = match manners {
        Manners::Ripgrep => "rg",
        Manners::Manicule => "manicule find",
    };
    format!(
        "{ABOUT}\n\
         {call} [FLAGS] TEXT [PATH...]\n\
         {call} [FLAGS] -e TEXT ... [PATH...]\n\
         {call} [FLAGS] -f FILE ... [PATH...]\n\
         {call} [FLAGS] --files [PATH...]\n\
         {call} [FLAGS] --type-list\n{}",
        if manners == Manners::Manicule { PATHS } else { "" }
    )
}

/// What it does.
pub(crate) const ABOUT: &str = "\
Finds TEXT, a regular expression, in files and folders, line by line.
Ignore files are heeded; hidden and binary files are left out.
";

/// What may be searched.
pub(crate) const PATHS: &str = "
PATH is a file, a folder, - for standard input, a zoekt shard or a folder of shards, or a
Prometheus block, index or data folder. Without one, the current folder is searched.
";

const EXAMPLES: &str = "
Examples:
  manicule find TODO                         below the current folder
  manicule find -w -t rust unsafe src        whole words, in Rust files below src
  manicule find -i -C2 'out of memory'       any case, two lines around
  manicule find -F 'a[0].b()' lib test       plain text, in two folders
  manicule find -l -g '!vendor' 'fn main'    names of files, none below vendor
  manicule find --files -g '*.toml'          names only
  manicule find -P '(\\w+) \\1'              a word twice: back-references need PCRE2
  manicule find -U 'struct \\w+ \\{\\n\\}'     over line ends
  manicule find --json -e foo -e bar         ripgrep's JSON, an object a line
  manicule find Informer shards/             in zoekt shards, as in a tree
  manicule find payment data/                names and values in Prometheus blocks
  manicule find --receipt mutex_lock         and what the answer cost
";

/// What serves `find`, and where more is said.
const INDEX: &str = concat!(
    "
The index:
  The first call in a tree of 200 files or more reads all files, then a process of low
  priority writes an index. Later calls prove, file by file, what has not changed since,
  and read only what can match or has changed: the answer is always that of the tree as
  it is. Indexes lie in $MANICULE_CACHE_DIR, or in manicule below $XDG_CACHE_HOME or
  ~/.cache, never in the tree, and may be deleted at any time. `manicule cache --help`
  tells more; --no-index does without, as $MANICULE_NO_INDEX does for all calls.
  The guide: ",
    env!("CARGO_PKG_REPOSITORY"),
    "/tree/main/docs/guide
"
);

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
    if manners == Manners::Manicule {
        out += EXAMPLES;
    }
    each_group(manners, &mut out, |out, flag| {
        let _ = writeln!(out, "  {}", names(flag));
        fill(out, flag.help);
        fill(out, flag.more);
        if let Some(negation) = flag.negation {
            fill(out, &format!("Undone by --{negation}."));
        }
    });
    if manners == Manners::Manicule {
        out += INDEX;
    }
    let _ = write!(
        out,
        "\nExit code: 0 when something was found, 1 when nothing was, 2 when something failed.\n"
    );
    out
}

fn each_group(manners: Manners, out: &mut String, mut show: impl FnMut(&mut String, &Flag)) {
    let groups = GROUPS.into_iter();
    for (group, title) in groups.filter(|row| manners == Manners::Manicule || row.0 != Group::Own) {
        let _ = writeln!(out, "\n{title}:");
        let shown = |flag: &&Flag| flag.group == group;
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
        let help = long_help(Manners::Ripgrep);
        assert!(!help.contains("--budget") && !help.contains("manicule find"), "{help}");
    }

    #[test]
    fn lines_keep_within_the_width() {
        for line in long_help(Manners::Manicule).lines() {
            assert!(line.len() <= WIDTH, "{line}");
        }
    }
}
