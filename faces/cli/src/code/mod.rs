//! `manicule code`: source code in zoekt shards.
//!
//! Callers: main

mod index;
mod lines;
mod search;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::Command;
use crate::messages::say;

/// What can be done with code.
const COMMANDS: &[Command] = &[
    Command {
        name: "index",
        help: "DIR...            zoekt's shards of a folder, as zoekt-index writes them",
        run: index::run,
    },
    Command {
        name: "search",
        help: "QUERY [PATH...]  zoekt's query language over shards, ours or zoekt's",
        run: search::run,
    },
];

/// Answers a command line: 0 when something was found or done, 1 when nothing was, 2 when something failed.
pub(crate) fn run(words: &[OsString]) -> ExitCode {
    let Some((first, rest)) = words.split_first() else {
        say(&format_args!("which command? code has {}", names()));
        return ExitCode::from(2);
    };
    match first.to_str() {
        Some("-h" | "--help" | "help") => crate::print(&help()),
        name => match COMMANDS.iter().find(|command| Some(command.name) == name) {
            Some(command) => (command.run)(rest),
            None => {
                let first = first.to_string_lossy();
                say(&format_args!("there is no command code {first}; it has {}", names()));
                ExitCode::from(2)
            }
        },
    }
}

fn names() -> String {
    COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(", ")
}

fn help() -> String {
    let mut help = String::new();
    for command in COMMANDS {
        help += &format!("  manicule code {} {}\n", command.name, command.help);
    }
    help + "\n`manicule code COMMAND --help` tells more.\n"
}
