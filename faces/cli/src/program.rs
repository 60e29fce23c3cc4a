//! What the program can do: its commands, its overview, and how a command line is handed to one of
//! them.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use crate::command::hints::hint;
use crate::command::near::nearest;
use crate::command::{Command, Does, exit, group, version};
use crate::flags::Script;
use crate::messages::{InvokedAs, say, show};
use crate::{
    blobs, cache, code, elsewhere, find, graph, inspect, manual, mcp, print, rows, series, table,
};

/// Every command, in the order of the overview.
pub(crate) static COMMANDS: &[&Command] = &[
    &FIND,
    &code::COMMAND,
    &series::COMMAND,
    &rows::COMMAND,
    &graph::COMMAND,
    &blobs::COMMAND,
    &inspect::INSPECT,
    &inspect::VERIFY,
    &table::COMMAND,
    &elsewhere::SQL,
    &elsewhere::SERVE,
    &mcp::COMMAND,
    &cache::COMMAND,
];

static FIND: Command = find::command(&find::Find { scripts });

fn scripts(script: Script, invoked_as: InvokedAs) -> String {
    manual::generate(script, invoked_as, COMMANDS)
}

/// Answers a command line of `rg`, which is `find`'s.
pub(crate) fn run_as_ripgrep(words: &[OsString]) -> ExitCode {
    find::run(words, InvokedAs::Ripgrep, scripts)
}

/// Answers a command line of `manicule`.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    let Some((first, rest)) = words.split_first() else {
        // No answer to anything, so not on standard output.
        show(&overview());
        return ExitCode::from(exit::FAILED);
    };
    match first.to_str() {
        Some("-V" | "--version") => print::text(&version()),
        Some("-h" | "--help") => print::text(&overview()),
        Some("help") => help(rest),
        Some("--generate") => FIND.run("find", words),
        _ => run_command(first, rest),
    }
}

/// `manicule help`, and of a command or a command of a group.
fn help(words: &[OsString]) -> ExitCode {
    match words.split_first() {
        None => print::text(&overview()),
        Some((first, rest)) => run_command(first, &[rest, &["--help".into()]].concat()),
    }
}

/// Hands the rest of a command line to the command that its first word names.
fn run_command(first: &OsStr, rest: &[OsString]) -> ExitCode {
    match COMMANDS.iter().find(|command| OsStr::new(command.name) == first) {
        Some(command) => command.run(command.name, rest),
        None => {
            let word = first.to_string_lossy();
            say(&format_args!("there is no command {word:?}{}", meant(&word, rest)));
            ExitCode::from(exit::FAILED)
        }
    }
}

/// What was probably meant by a word that is no command, as the end of a sentence.
fn meant(word: &str, rest: &[OsString]) -> String {
    if let Some(hint) = hint("", word) {
        return format!(": {hint}");
    }
    if word.starts_with('-') {
        let is_command = |command: &&&Command| rest.iter().any(|word| word == command.name);
        let name = COMMANDS.iter().find(is_command).map_or("COMMAND", |command| command.name);
        return format!(": flags go after the command, as in `manicule {name} {word}`");
    }
    let in_group = |command: &&'static Command| match command.does {
        Does::Job(_) => None,
        Does::Group(commands) => {
            let found = commands.iter().find(|command| command.name == word);
            found.map(|found| format!("{} {}", command.name, found.name))
        }
    };
    let near = COMMANDS
        .iter()
        .find_map(in_group)
        .or_else(|| nearest(word, COMMANDS.iter().map(|c| c.name)).map(str::to_owned));
    match near {
        Some(name) => format!(": did you mean `manicule {name}`?"),
        None => "; `manicule --help` lists them, `manicule find TEXT` finds a text".to_owned(),
    }
}

/// A line a command: how it is called, and in a column what it does.
fn overview() -> String {
    let rows = group::rows("manicule", COMMANDS);
    format!(
        "Searches, checks and repairs source trees, zoekt shards, Prometheus blocks,\n\
         SSTables, RDF stores and restic repositories, without running the systems that\n\
         wrote them.\n\n{rows}\n\
         Examples:\n  \
           manicule find TODO                       ripgrep's results, from an index\n  \
           manicule find -t rust -w unsafe src      ripgrep's flags\n  \
           manicule code search 'lang:go Informer' shards/\n  \
           manicule series analyze data/            who ate my cardinality?\n  \
           manicule verify data/                    every checksum and reference\n\n\
         See `manicule COMMAND --help` for details; `manicule --version` prints the\n\
         version. Indexes are kept in $MANICULE_CACHE_DIR, or else in manicule under\n\
         $XDG_CACHE_HOME or ~/.cache: see `manicule cache --help`.\n\
         `manicule --generate complete-bash` (-zsh, -fish, -powershell, or man) prints\n\
         completions, or the man page. Called by the name rg, the program is ripgrep.\n\
         The guide: {}/tree/main/docs/guide\n",
        env!("CARGO_PKG_REPOSITORY"),
    )
}
