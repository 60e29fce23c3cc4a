//! The program. It looks at the name it was called by, and at its first word, and hands the rest to a command.

mod below;
mod cache;
mod code;
mod find;
mod flags;
mod group;
mod inspect;
mod manual;
mod messages;
mod near;
mod print;
mod progress;
mod receipt;
mod series;
mod signals;
mod units;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use manual::Manual;
use messages::{Manners, say, set_command, set_manners, show};
use near::nearest;

/// What the program can do, or a group of its commands.
struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(&[OsString]) -> ExitCode,
    manual: Manual,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "find",
        help: "TEXT [PATH...]  where a text or regex occurs; ripgrep's flags and manners",
        run: |words| find::run(words, Manners::Manicule),
        manual: Manual::Table,
    },
    Command {
        name: "code",
        help: "index|search  zoekt's shards of source code, and its query language over them",
        run: code::run,
        manual: Manual::Group(code::COMMANDS),
    },
    Command {
        name: "series",
        help: "select|labels|analyze|...  Prometheus blocks: written, asked, merged, rewritten",
        run: series::run,
        manual: Manual::Group(series::COMMANDS),
    },
    Command {
        name: "inspect",
        help: "[PATH...]     what it is, its parts with offsets and sizes, how far behind its index is",
        run: inspect::run_inspect,
        manual: Manual::Text(inspect::INSPECT_HELP),
    },
    Command {
        name: "verify",
        help: "[PATH...]      every checksum, order and reference, and that index and tree agree",
        run: inspect::run_verify,
        manual: Manual::Text(inspect::VERIFY_HELP),
    },
    Command {
        name: "cache",
        help: "list|clear|build  what is kept in the user's cache folder",
        run: cache::run,
        manual: Manual::Text(cache::HELP),
    },
];

/// Wrong use, or something failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    if Path::new(&called).file_stem() == Some(OsStr::new("rg")) {
        set_manners(Manners::Ripgrep);
        return find::run(&words, Manners::Ripgrep);
    }
    set_manners(Manners::Manicule);
    let Some((first, rest)) = words.split_first() else {
        // No answer to anything, so not on standard output.
        show(&overview());
        return ExitCode::from(FAILED);
    };
    match first.to_str() {
        Some("-V" | "--version") => print::text(&version()),
        Some("-h" | "--help") => print::text(&overview()),
        Some("help") => help(rest),
        Some("--generate") => find::run(&words, Manners::Manicule),
        _ => run(first, rest),
    }
}

/// `manicule help`, and of a command or a command of a group.
fn help(words: &[OsString]) -> ExitCode {
    match words.split_first() {
        None => print::text(&overview()),
        Some((first, rest)) => run(first, &[rest, &["--help".into()]].concat()),
    }
}

/// Hands the rest of a command line to the command that its first word names.
fn run(first: &OsStr, rest: &[OsString]) -> ExitCode {
    match COMMANDS.iter().find(|command| OsStr::new(command.name) == first) {
        // Its flags are ripgrep's, and it says more of its version.
        Some(command) if command.name == "find" => (command.run)(rest),
        Some(_) if asks_for_version(rest) => print::text(&version()),
        Some(command) => {
            set_command(command.name);
            (command.run)(rest)
        }
        None => {
            let word = first.to_string_lossy();
            say(&format_args!("there is no command {word:?}{}", meant(&word)));
            ExitCode::from(FAILED)
        }
    }
}

/// What was probably meant by a word that is no command, as the end of a sentence.
fn meant(word: &str) -> String {
    let in_group = |group: &'static str, commands: &'static [Command]| {
        let found = commands.iter().find(|command| command.name == word);
        found.map(|command| format!("{group} {}", command.name))
    };
    let near = match word {
        "version" | "-v" | "-version" => Some("--version".to_owned()),
        "grep" | "rg" => Some("find".to_owned()),
        _ => in_group("code", code::COMMANDS)
            .or_else(|| in_group("series", series::COMMANDS))
            .or_else(|| nearest(word, COMMANDS.iter().map(|c| c.name)).map(str::to_owned)),
    };
    match near {
        Some(name) => format!(": did you mean `manicule {name}`?"),
        None => "; `manicule --help` lists them, `manicule find TEXT` finds a text".to_owned(),
    }
}

/// Whether one of the words is `--version`, where options may stand.
fn asks_for_version(words: &[OsString]) -> bool {
    let options = words.iter().take_while(|word| *word != "--");
    options.into_iter().any(|word| word == "--version" || word == "-version" || word == "-V")
}

fn version() -> String {
    format!("manicule {}\n", env!("CARGO_PKG_VERSION"))
}

/// A line a command: how it is called, and in a column what it does.
fn overview() -> String {
    let rows = group::rows("manicule", COMMANDS);
    format!(
        "Manicule finds where it is, in the files that you have.\n\n{rows}\n\
         Examples:\n  \
           manicule find TODO                       ripgrep's answers, from an index that is always up to date\n  \
           manicule find -t rust -w unsafe src      ripgrep's flags\n  \
           manicule code search 'lang:go Informer' shards/\n  \
           manicule series analyze data/            who ate my cardinality?\n  \
           manicule verify data/                    every checksum, order and reference\n\n\
         `manicule COMMAND --help` tells more, `manicule --version` which one this is. Indexes lie in\n\
         $MANICULE_CACHE_DIR, or in manicule below $XDG_CACHE_HOME or ~/.cache: see `manicule cache --help`.\n\
         `manicule --generate complete-bash` (-zsh, -fish, -powershell, or man) prints completions, or the man\n\
         page. Called by the name rg, the program is ripgrep.\n\
         The guide: {}/tree/main/docs/guide\n",
        env!("CARGO_PKG_REPOSITORY"),
    )
}
