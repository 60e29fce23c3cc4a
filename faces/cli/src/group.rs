//! A group of commands: `manicule code index`, `manicule series select`.
//!
//! Callers: main, code, series

use std::ffi::OsString;
use std::process::ExitCode;

use crate::Command;
use crate::messages::{say, set_command, show};
use crate::near::nearest;
use crate::print;

/// Hands a command line to the command of a group that its first word names.
pub(crate) fn run(group: &str, commands: &[Command], words: &[OsString]) -> ExitCode {
    let Some((first, rest)) = words.split_first() else {
        show(&help(group, commands));
        return ExitCode::from(2);
    };
    match first.to_str() {
        Some("-h" | "--help") => print::text(&help(group, commands)),
        Some("help") if rest.is_empty() => print::text(&help(group, commands)),
        Some("help") => run(group, commands, &[rest, &["--help".into()]].concat()),
        name => match commands.iter().find(|command| Some(command.name) == name) {
            Some(command) => {
                set_command(&format!("{group} {}", command.name));
                (command.run)(rest)
            }
            None => {
                let word = first.to_string_lossy();
                say(&format_args!(
                    "there is no command {group} {word}{}",
                    meant(&word, group, commands)
                ));
                ExitCode::from(2)
            }
        },
    }
}

/// What was probably meant, as the end of a sentence.
fn meant(word: &str, group: &str, commands: &[Command]) -> String {
    let names = || commands.iter().map(|command| command.name);
    match nearest(word, names()) {
        Some(name) => format!(": did you mean `manicule {group} {name}`?"),
        None => format!("; it has {}", names().collect::<Vec<_>>().join(", ")),
    }
}

/// A line a command: how it is called, and in a column what it does.
pub(crate) fn rows(group: &str, commands: &[Command]) -> String {
    let rows = commands.iter().map(|command| {
        let (words, what) = command.help.split_once("  ").unwrap_or((command.help, ""));
        (format!("{} {words}", command.name), what.trim_start())
    });
    let rows: Vec<(String, &str)> = rows.collect();
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let line = |(call, what)| format!("  {group} {call:width$}  {what}\n");
    rows.into_iter().map(line).collect()
}

fn help(group: &str, commands: &[Command]) -> String {
    let rows = rows(&format!("manicule {group}"), commands);
    format!("{rows}\n`manicule {group} COMMAND --help` tells more.\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::Manual;

    #[test]
    fn what_commands_do_stands_in_a_column() {
        let command = |name, help| {
            let run = |_: &[OsString]| ExitCode::SUCCESS;
            Command { name, help, run, manual: Manual::Text("") }
        };
        let commands = [command("a", "FILE  reads"), command("longer", "[PATH...]    writes")];
        let want = "  manicule g a FILE            reads\n  manicule g longer [PATH...]  writes\n";
        assert!(help("g", &commands).starts_with(want));
    }
}
