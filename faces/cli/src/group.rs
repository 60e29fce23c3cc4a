//! A group of commands: `manicule code index`, `manicule series select`.
//!
//! Callers: code, series

use std::ffi::OsString;
use std::process::ExitCode;

use crate::Command;
use crate::messages::say;

/// Hands a command line to the command of a group that its first word names.
pub(crate) fn run(group: &str, commands: &[Command], words: &[OsString]) -> ExitCode {
    let Some((first, rest)) = words.split_first() else {
        say(&format_args!("which command? {group} has {}", names(commands)));
        return ExitCode::from(2);
    };
    match first.to_str() {
        Some("-h" | "--help" | "help") => crate::print(&help(group, commands)),
        name => match commands.iter().find(|command| Some(command.name) == name) {
            Some(command) => (command.run)(rest),
            None => {
                let (first, names) = (first.to_string_lossy(), names(commands));
                say(&format_args!("there is no command {group} {first}; it has {names}"));
                ExitCode::from(2)
            }
        },
    }
}

fn names(commands: &[Command]) -> String {
    commands.iter().map(|command| command.name).collect::<Vec<_>>().join(", ")
}

fn help(group: &str, commands: &[Command]) -> String {
    let mut help = String::new();
    for command in commands {
        help += &format!("  manicule {group} {} {}\n", command.name, command.help);
    }
    help + &format!("\n`manicule {group} COMMAND --help` tells more.\n")
}
