//! Help, laid out from the flag table.

use std::fmt::Write as _;

use super::parse::SYNTAX;
use super::table::{FILTER, INPUT, LOGS, MODES, OTHER, OUTPUT, OWN, SEARCH, is_own};
use crate::command::Table;
use crate::command::addresses::BUCKETS;
use crate::command::spec::{Group, Spec};
use crate::messages::InvokedAs;

/// The headings, in the order of help.
pub(crate) const GROUPS: [Group; 9] =
    [INPUT, SEARCH, FILTER, OUTPUT, MODES, LOGS, OTHER, OWN, BUCKETS];

/// The widest line of `--help`.
const WIDTH: usize = 90;

fn usage(invoked_as: InvokedAs) -> String {
    let call = match invoked_as {
        InvokedAs::Ripgrep => "rg",
        InvokedAs::Manicule => "manicule find",
    };
    format!(
        "{ABOUT}\n\
         {call} [FLAGS] TEXT [PATH...]\n\
         {call} [FLAGS] -e TEXT ... [PATH...]\n\
         {call} [FLAGS] -f FILE ... [PATH...]\n\
         {call} [FLAGS] --files [PATH...]\n\
         {call} [FLAGS] --type-list\n{}",
        if invoked_as == InvokedAs::Manicule { PATHS } else { "" }
    )
}

/// What it does.
pub(crate) const ABOUT: &str = "\
Finds TEXT, a regular expression, in files and folders, line by line.
Ignore files are respected; hidden and binary files are skipped.
";

/// What may be searched.
pub(crate) const PATHS: &str = "
PATH is a file, a folder, - for standard input, a zoekt shard or a folder of shards, a
Prometheus block, index or data folder, a restic repository, an SSTable's Data.db or the
folder of a table, or a graph store; or the address of any of them, or of text objects,
in a bucket: s3://BUCKET/PREFIX, gs://, az://, https://. Without one, the current folder
is searched.
";

const EXAMPLES: &str = "
Examples:
  manicule find TODO                         below the current folder
  manicule find -w -t rust unsafe src        whole words, in Rust files below src
  manicule find -i -C2 'out of memory'       ignoring case, two lines of context
  manicule find -F 'a[0].b()' lib test       plain text, in two folders
  manicule find -l -g '!vendor' 'fn main'    file names, none below vendor
  manicule find --files -g '*.toml'          names only
  manicule find -P '(\\w+) \\1'              a word twice: back-references need PCRE2
  manicule find -U 'struct \\w+ \\{\\n\\}'     across line ends
  manicule find --json -e foo -e bar         ripgrep's JSON, one object per line
  manicule find Informer shards/             in zoekt shards, as in a tree
  manicule find payment data/                names and values in Prometheus blocks
  manicule find anvil ks/t-0123/             keys and values in SSTables
  manicule find anvil shop                   IRIs and literals of a graph store
  manicule find payment s3://bucket/thanos   in a bucket, whatever lies there
  manicule find --receipt mutex_lock         and the cost of the call
";

/// What serves `find`, and where more is said.
const INDEX: &str = concat!(
    "
The index:
  The first call in a tree of 200 files or more reads all files, then a process of low
  priority writes an index. Later calls check, file by file, what has not changed since,
  and read only what can match or has changed: results are always those of the current
  tree. Indexes are kept in $MANICULE_CACHE_DIR, or else in manicule under
  $XDG_CACHE_HOME or ~/.cache, never in the tree, and may be deleted at any time.
  See `manicule cache --help` for details; --no-index uses none, as $MANICULE_NO_INDEX
  does for all calls.
  The guide: ",
    env!("CARGO_PKG_REPOSITORY"),
    "/tree/main/docs/guide
"
);

/// One line a flag.
pub(crate) fn short_help(invoked_as: InvokedAs) -> String {
    let mut out = usage(invoked_as);
    each_group(invoked_as, &mut out, |out, flag| {
        let _ = writeln!(out, "  {:<40} {}", names(flag), flag.line());
    });
    out
}

/// Everything.
pub(crate) fn long_help(invoked_as: InvokedAs) -> String {
    let mut out = usage(invoked_as);
    if invoked_as == InvokedAs::Manicule {
        out += EXAMPLES;
    }
    each_group(invoked_as, &mut out, |out, flag| {
        let _ = writeln!(out, "  {}", names(flag));
        fill(out, flag.line());
        fill(out, flag.more);
        if let Some(negation) = flag.negation {
            fill(out, &format!("--{negation} undoes it."));
        }
    });
    if invoked_as == InvokedAs::Manicule {
        out += INDEX;
    }
    let _ = write!(
        out,
        "\nExit code: 0 when something was found, 1 when nothing was, 2 when something failed.\n"
    );
    out
}

fn each_group(invoked_as: InvokedAs, out: &mut String, mut show: impl FnMut(&mut String, &Spec)) {
    let table: &dyn Table = &SYNTAX;
    let all = || table.specs().filter(|spec| invoked_as == InvokedAs::Manicule || !is_own(spec));
    for group in GROUPS {
        let mut specs = all().filter(|spec| spec.group == group).peekable();
        if specs.peek().is_some() {
            let _ = writeln!(out, "\n{}:", group.0.trim_end_matches(':'));
            specs.for_each(|spec| show(out, spec));
        }
    }
}

fn names(flag: &Spec) -> String {
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
        let (short, long) = (short_help(InvokedAs::Manicule), long_help(InvokedAs::Manicule));
        let table: &dyn Table = &SYNTAX;
        for spec in table.specs() {
            let name = format!("--{}", spec.long);
            assert!(short.contains(&name) && long.contains(&name), "{name}");
            assert!(!spec.help.is_empty(), "{name}");
        }
    }

    #[test]
    fn own_flags_are_not_ripgreps() {
        let help = long_help(InvokedAs::Ripgrep);
        assert!(!help.contains("--budget") && !help.contains("manicule find"), "{help}");
    }

    #[test]
    fn lines_keep_within_the_width() {
        for line in long_help(InvokedAs::Manicule).lines() {
            assert!(line.len() <= WIDTH, "{line}");
        }
    }
}
