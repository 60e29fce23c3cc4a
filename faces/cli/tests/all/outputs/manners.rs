//! Standard error without a reader, and ripgrep's behaviour.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::yard::Yard;

fn as_rg(yard: &Yard, words: &str) -> Command {
    let mut command = yard.command(words, "");
    command.arg0("rg");
    command
}

/// The exit code if standard error has no reader.
fn unheard(mut command: Command) -> Option<i32> {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    command.stderr(writer).output().expect("it runs").status.code()
}

#[test]
fn a_verdict_needs_no_standard_error() {
    let yard = Yard::new();
    for (words, code) in [
        ("verify bad", 1),
        ("verify bad-shards", 1),
        ("verify nowhere", 2),
        ("series diff DATA/A nowhere", 2),
        ("find needle tree nowhere", 2),
        ("seek", 2),
    ] {
        assert_eq!(unheard(yard.command(words, "")), Some(code), "{words}");
    }
    // As in ripgrep.
    assert_eq!(unheard(as_rg(&yard, "needle tree nowhere")), Some(0));
}

/// Exit code, and number of messages, if standard output is full.
fn full(mut command: Command) -> (Option<i32>, usize) {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = command.stdout(full).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = said.lines().filter(|line| line.contains("No space left on device")).count();
    assert_eq!(said.lines().count(), count, "{said}");
    (output.status.code(), count)
}

#[test]
fn ripgrep_names_each_file_that_could_not_be_printed() {
    let yard = Yard::new();
    assert_eq!(full(as_rg(&yard, "-c needle tree")), (Some(2), 100));
    assert_eq!(full(yard.command("find -c needle tree", "")), (Some(2), 1));
    // About these ripgrep prints no message, and ends with 0.
    for words in [
        "-j1 needle tree/f1.txt",
        "--files tree",
        "--sort path -l needle tree",
        "-q --stats e tree",
    ] {
        assert_eq!(full(as_rg(&yard, words)), (Some(2), 1), "{words}");
    }
}

#[test]
fn a_budget_that_cuts_can_be_told() {
    let yard = Yard::new();
    let output =
        yard.command("find --budget 500 --receipt needle tree", "").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0));
    assert!(said.contains("receipt: budget_cut 1\n"), "{said}");
    let words = "find --budget 50000 --receipt needle tree/f1.txt";
    let output = yard.command(words, "").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("receipt: budget_cut 0\nmanicule: receipt: budget_left_out_len 0\n"),
        "{said}"
    );
}
