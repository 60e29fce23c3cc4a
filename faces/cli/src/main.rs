//! The program. It looks at the name it was called by, and at its first word, and hands the rest to a command.

mod cache;
mod code;
mod find;
mod flags;
mod group;
mod inspect;
mod messages;
mod print;
mod receipt;
mod series;
mod signals;
mod units;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use messages::{Manners, say, set_manners};

/// What the program can do, or a group of its commands.
struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(&[OsString]) -> ExitCode,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "find",
        help: "TEXT [PATH...]   where a text or regex occurs; ripgrep's flags and manners",
        run: |words| find::run(words, Manners::Manicule),
    },
    Command {
        name: "code",
        help: "index|search  zoekt's shards of source code, and its query language over them",
        run: code::run,
    },
    Command {
        name: "series",
        help: "build|select|labels|analyze|...  Prometheus blocks: written, asked, merged, rewritten",
        run: series::run,
    },
    Command {
        name: "inspect",
        help: "[PATH...]     what it is, its parts with offsets and sizes, how far behind its index is",
        run: inspect::run_inspect,
    },
    Command {
        name: "verify",
        help: "[PATH...]      every checksum, order and reference, and that index and tree agree",
        run: inspect::run_verify,
    },
    Command {
        name: "cache",
        help: "list|clear|build  what is kept in the user's cache folder",
        run: cache::run,
    },
];

/// The names of the commands, for completions.
fn command_names() -> String {
    COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(" ")
}

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
        say(&"which command? `manicule --help` lists them");
        return ExitCode::from(FAILED);
    };
    match first.to_str() {
        Some("-h" | "--help" | "help") => print::text(&help()),
        Some("-V" | "--version") => {
            print::text(&format!("manicule {}\n", env!("CARGO_PKG_VERSION")))
        }
        Some(name) => match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) => (command.run)(rest),
            None => unknown(first),
        },
        None => unknown(first),
    }
}

fn unknown(word: &OsStr) -> ExitCode {
    say(&format_args!(
        "there is no command {:?}; `manicule --help` lists them",
        word.to_string_lossy()
    ));
    ExitCode::from(FAILED)
}

fn help() -> String {
    let mut help = "Manicule finds where it is, in the files that you have.\n\n".to_owned();
    for command in COMMANDS {
        help += &format!("  manicule {} {}\n", command.name, command.help);
    }
    help + "\n`manicule COMMAND --help` tells more. Called by the name rg, the program is ripgrep.\n"
}
