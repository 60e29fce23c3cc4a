//! Commands x outputs.

use std::collections::BTreeSet;

use super::names::{command_of, commands};
use super::run::{Judge, KINDS};
use super::table::{ROWS, Row, shows};
use super::yard::Yard;

#[test]
fn every_command_has_a_row() {
    let yard = Yard::new();
    let commands = commands(&yard);
    for known in ["find", "verify", "cache list", "code search", "series dump"] {
        assert!(commands.contains(known), "the program lists its commands: {commands:?}");
    }
    let called: BTreeSet<&str> =
        ROWS.iter().filter_map(|row| command_of(row.words, &commands)).collect();
    let forgotten: Vec<&String> =
        commands.iter().filter(|command| !called.contains(command.as_str())).collect();
    assert!(forgotten.is_empty(), "no row in outputs/table.rs for {forgotten:?}");
}

#[test]
fn nothing_printed_is_lost() {
    let yard = Yard::new();
    let helps: Vec<String> =
        commands(&yard).iter().map(|command| format!("{command} --help")).collect();
    let helps = helps.iter().map(|words| shows(words));
    let (mut wrong, mut shown) = (Vec::new(), heading());
    let rows: Vec<Row<'_>> = ROWS.iter().copied().chain(helps).collect();
    for row in &rows {
        shown += &line(&yard, row, &mut wrong);
    }
    println!("{shown}{} rows", rows.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn heading() -> String {
    let kinds = KINDS.map(|kind| format!("{:>7}", format!("{kind:?}").to_lowercase()));
    format!("{:70} code {}\n", "", kinds.concat())
}

fn line(yard: &Yard, row: &Row<'_>, wrong: &mut Vec<String>) -> String {
    let mut line = format!("{:70} {:>4} ", row.words, row.code);
    match Judge::new(yard, row) {
        Err(why) => wrong.push(format!("{}: {why}", row.words)),
        Ok(judge) => {
            for kind in KINDS {
                let checked = judge.check(kind);
                line += &format!("{:>7}", if checked.is_ok() { "ok" } else { "WRONG" });
                wrong.extend(checked.err().map(|why| format!("{}, {kind:?}: {why}", row.words)));
            }
        }
    }
    line + "\n"
}
