//! A group of commands: `manicule code index`, `manicule series select`.
//!
//! Callers: code, series

use std::ffi::OsString;
use std::process::ExitCode;

use crate::Command;
use crate::messages::say;
use crate::print;

/// Hands a command line to the command of a group that its first word names.
pub(crate) fn run(group: &str, commands: &[Command], words: &[OsString]) -> ExitCode {
    let Some((first, rest)) = words.split_first() else {
        say(&format_args!("which command? {group} has {}", names(commands)));
        return ExitCode::from(2);
    };
    match first.to_str() {
        Some("-h" | "--help" | "help") => print::text(&help(group, commands)),
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

/// A line a command: how it is called, and in a column what it does.
fn help(group: &str, commands: &[Command]) -> String {
    let rows = commands.iter().map(|command| {
        let (words, what) = command.help.split_once("  ").unwrap_or((command.help, ""));
        (format!("{} {words}", command.name), what.trim_start())
    });
    let rows: Vec<(String, &str)> = rows.collect();
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let mut help = String::new();
    for (call, what) in rows {
        help += &format!("  manicule {group} {call:width$}  {what}\n");
    }
    help + &format!("\n`manicule {group} COMMAND --help` tells more.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_do_stands_in_a_column() {
        let run = |_: &[OsString]| ExitCode::SUCCESS;
        let commands = [
            Command { name: "a", help: "FILE  reads", run },
            Command { name: "longer", help: "[PATH...]    writes", run },
        ];
        let want = "  manicule g a FILE            reads\n  manicule g longer [PATH...]  writes\n";
        assert!(help("g", &commands).starts_with(want));
    }
}
