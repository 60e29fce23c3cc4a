//! Completions for fish.

use std::fmt::Write as _;

use super::{Opt, Page, Values, children};

/// A line an option, with a condition on the words before it.
pub(super) fn generate(pages: &[Page], program: &str) -> String {
    let mut out = format!(
        "# Whether the words so far begin with these, which name a command; a group's are nothing else.\n\
         function __{program}_at --argument-names path exactly\n    \
         set -l words (commandline -opc)[2..-1]\n    \
         set -l wanted (string split -n ' ' -- $path)\n    \
         set -l len (count $wanted)\n    \
         test (count $words) -ge $len; or return 1\n    \
         test -n \"$exactly\" -a (count $words) -ne $len; and return 1\n    \
         test $len -eq 0; and return 0\n    \
         test \"$words[1..$len]\" = \"$wanted\"\nend\n"
    );
    for page in pages {
        let children = children(pages, &page.path);
        let exactly = if children.is_empty() { "" } else { " exactly" };
        let when = format!("complete -c {program} -n \"__{program}_at '{}'{exactly}\"", page.path);
        for child in &children {
            let _ = writeln!(out, "{when} -f -a {} -d {}", child.name(), quoted(child.summary));
        }
        for option in &page.options {
            put_option(option, &when, &mut out);
        }
    }
    out
}

fn put_option(option: &Opt, when: &str, out: &mut String) {
    let value = match (option.metavar(), &option.values) {
        (None, _) => String::new(),
        (Some(_), Values::Any) => " -x".to_owned(),
        (Some(_), Values::Files) => " -r -F".to_owned(),
        (Some(_), Values::Folders) => " -x -a '(__fish_complete_directories)'".to_owned(),
        (Some(_), Values::Words(words)) => format!(" -x -a {}", quoted(&words.join(" "))),
    };
    let names: String = option.names.iter().map(|name| flag(name)).collect();
    let _ = writeln!(out, "{when}{names}{value} -d {}", quoted(option.help()));
    let what = option.names.last().map_or("", String::as_str);
    for undo in &option.undo {
        let _ = writeln!(out, "{when}{} -d {}", flag(undo), quoted(&format!("Undo {what}.")));
    }
}

/// A name as `complete` wants it: a letter, a word after two dashes, a word after one.
fn flag(name: &str) -> String {
    match (name.strip_prefix("--"), name.strip_prefix('-')) {
        (Some(long), _) => format!(" -l {long}"),
        (None, Some(letter)) if letter.len() == 1 => format!(" -s {letter}"),
        (None, word) => format!(" -o {}", word.unwrap_or(name)),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
