//! The commands, as the program itself lists them.

use std::collections::BTreeSet;

use super::yard::Yard;

/// Every command, as `find` or `series dump`.
pub(crate) fn commands(yard: &Yard) -> BTreeSet<String> {
    let mut commands = BTreeSet::new();
    for (name, rest) in listed(yard, "") {
        let is_group = rest.contains('|');
        if !is_group {
            commands.insert(name);
        } else {
            let members = listed(yard, &name).into_iter().map(|row| format!("{name} {}", row.0));
            commands.extend(members);
        }
    }
    commands
}

/// The names that the help of a group lists, each with the next word of its line.
fn listed(yard: &Yard, group: &str) -> Vec<(String, String)> {
    let output = yard.command(&format!("{group} --help"), "").output().expect("it runs");
    let help = String::from_utf8(output.stdout).expect("text");
    let start = format!("manicule {group}");
    let rows = help.lines().take_while(|line| !line.starts_with("Example")).filter_map(|line| {
        let mut words = line.trim_start().strip_prefix(start.trim_end())?.split_whitespace();
        let name =
            words.next().filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()))?;
        Some((name.to_owned(), words.next().unwrap_or_default().to_owned()))
    });
    rows.collect()
}

/// The command that a row calls, if it calls one.
pub(crate) fn command_of<'c>(words: &str, commands: &'c BTreeSet<String>) -> Option<&'c str> {
    let is_called =
        |command: &&String| words == **command || words.starts_with(&format!("{command} "));
    commands.iter().find(is_called).map(String::as_str)
}
