//! What holds for every command that is declared.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use super::operand::named;
use super::spec::{Spec, Takes};
use super::{Command, Does, Job, help, path_of};
use crate::program::COMMANDS;

/// Every command that does something, with the words that name it.
pub(super) fn jobs() -> Vec<(String, &'static Command, &'static dyn Job)> {
    let mut jobs = Vec::new();
    add_jobs("", COMMANDS, &mut jobs);
    jobs
}

fn add_jobs(
    group: &str,
    commands: &'static [&'static Command],
    jobs: &mut Vec<(String, &'static Command, &'static dyn Job)>,
) {
    for command in commands {
        let path = path_of(group, command.name);
        match command.does {
            Does::Job(job) => jobs.push((path, command, job)),
            Does::Group(commands) => add_jobs(&path, commands, jobs),
        }
    }
}

/// The command that a job is of, with the words that name it.
pub(super) fn declared(job: &'static dyn Job) -> (String, &'static Command, &'static dyn Job) {
    let found = jobs().into_iter().find(|row| std::ptr::addr_eq(row.2, job));
    found.expect("a job is of a command")
}

#[test]
fn operands_are_as_their_line_names_them() {
    for (path, command, job) in jobs().into_iter().filter(|job| job.0 != "find") {
        let named: Vec<bool> =
            named(command.operands).iter().map(|operand| operand.is_many).collect();
        assert_eq!(job.table().operands(), named, "{path} {}", command.operands);
    }
}

fn longs(spec: &Spec) -> impl Iterator<Item = &'static str> {
    [Some(spec.long), spec.alias, spec.negation].into_iter().flatten()
}

#[test]
fn every_command_is_declared() {
    let paths: Vec<String> = jobs().into_iter().map(|job| job.0).collect();
    assert_eq!(paths.len(), 72, "{paths:?}");
}

#[test]
fn names_stand_for_one_flag() {
    for (path, _, job) in jobs() {
        let mut seen = BTreeSet::new();
        for spec in job.table().specs() {
            let names = longs(spec).map(str::to_owned).chain(spec.short.map(String::from));
            for name in names {
                assert!(seen.insert(name.clone()), "{path}: {name} stands for two flags");
            }
        }
    }
}

/// Names that mean something else in some commands, and why they may.
const SEVERAL_MEANINGS: &[(&str, &str)] = &[
    ("all", "of cache build: files; of inspect: bytes of a section"),
    (
        "by",
        "of series analyze: a label; of series split: how parts are chosen; of rows partitions: what makes one large",
    ),
    ("count", "of find and code search, as of ripgrep: lines of each file"),
    (
        "delete",
        "of series rewrite: samples; of blobs restore, as of restic: what a snapshot has not",
    ),
    ("drop", "of series rewrite: series; of graph snapshot: a name"),
    ("file", "of find, as of ripgrep: patterns; of graph query and update: a text in SPARQL"),
    ("format", "of series: of samples; of graph: of documents and of answers"),
    ("graph", "of graph load: where statements go; of graph export: which are written"),
    ("ignore-case", "of blobs restore without a letter, as restic's -i is --include"),
    ("json", "of blobs find and others: as restic prints it"),
    (
        "key",
        "of rows dump, as of sstabledump: a partition to print; of rows extract and export: to take; of inspect: one whose index is shown",
    ),
    ("oldest", "of blobs cost: the number of snapshots; of blobs find, as of restic: a time"),
    ("output", "of series dump: a file; of what makes blocks: a folder"),
    (
        "prefix",
        "of code git-index, as of zoekt-git-index: before names of branches; of graph: of IRIs",
    ),
    ("quiet", "of blobs, as of restic: the answer is printed all the same"),
    ("recursive", "of blobs ls, as of restic: below each path; of rows: every table below one"),
    (
        "reverse",
        "of blobs find, as of restic: the oldest snapshot first; of blobs ls: the last path; of rows slice: the last row",
    ),
    ("sort", "of find, as of ripgrep; of blobs ls, as of restic; of blobs cost: rows"),
    ("sorted", "of graph export: lines are put in order; of rows write: rows come in it"),
    ("target", "of blobs dump, as of restic: a file; of blobs restore: a folder"),
    ("timeout", "of graph query and update: the program ends; of mcp: the call, and others go on"),
];

#[test]
fn the_same_flag_means_the_same_everywhere() {
    type Meaning = (Option<&'static str>, Option<char>, &'static str);
    let mut known: BTreeMap<&str, BTreeMap<Meaning, Vec<String>>> = BTreeMap::new();
    for (path, _, job) in jobs() {
        for spec in job.table().specs() {
            let meanings = known.entry(spec.long).or_default();
            let meaning = (spec.metavar, spec.short, spec.help);
            meanings.entry(meaning).or_default().push(path.clone());
        }
    }
    for (long, meanings) in known {
        let is_excused = SEVERAL_MEANINGS.iter().any(|row| row.0 == long);
        assert_eq!(meanings.len() > 1, is_excused, "--{long}: {meanings:?}");
    }
}

#[test]
fn every_flag_says_what_it_does() {
    for (path, _, job) in jobs() {
        for spec in job.table().specs() {
            for line in [spec.help, spec.line()] {
                let is_sentence =
                    line.ends_with('.') && line.starts_with(|first: char| !first.is_lowercase());
                assert!(is_sentence, "{path} --{}: {line:?}", spec.long);
            }
            let texts = [spec.help, spec.here, spec.more];
            assert!(texts.iter().all(|text| !text.contains("  ")), "{path} --{}", spec.long);
        }
    }
}

#[test]
fn values_that_are_offered_are_taken() {
    for (path, _, job) in jobs() {
        for spec in job.table().specs() {
            let words: Vec<&str> = match spec.takes {
                Takes::OneOf(words) => words.to_vec(),
                Takes::Choices(choices) => choices.iter().map(|choice| choice.0).collect(),
                Takes::Any | Takes::Types => continue,
            };
            for word in words {
                let line = [OsString::from(spec.dashed(spec.long)), word.into()];
                let read = job.reads(&line);
                assert!(read.is_ok(), "{path} {line:?}: {read:?}");
            }
            if path != "find" {
                let line = [OsString::from(spec.dashed(spec.long)), "no such word".into()];
                assert!(job.reads(&line).is_err(), "{path} {line:?}");
            }
        }
    }
}

#[test]
fn help_has_every_flag_and_keeps_within_its_width() {
    for (path, command, job) in jobs() {
        assert!(job.reads(&["--help".into()]).is_ok(), "{path}");
        if path == "find" {
            continue;
        }
        let text = help::of(command, job, &path);
        for spec in help::shown(job) {
            for long in longs(spec) {
                assert!(text.contains(&spec.dashed(long)), "{path} {long}:\n{text}");
            }
        }
        assert!(
            text.starts_with(&format!("manicule {path}")) && text.contains("\n    Exit code: 0")
        );
        assert!(!text.contains("\n\n\n") && !text.ends_with("\n\n"), "{text}");
        let is_call = |line: &str| line.starts_with("manicule ");
        for line in text.lines().filter(|line| !is_call(line)) {
            assert!(line.len() <= 106, "{path}: {line}");
        }
    }
}

#[test]
fn flags_of_a_group_may_stand_before_its_command() {
    let Some(Does::Group(commands)) =
        COMMANDS.iter().find(|command| command.name == "cache").map(|command| &command.does)
    else {
        panic!("cache is a group");
    };
    for (line, want) in [
        ("build x", Some(0)),
        ("--json list", Some(1)),
        ("--threads 2 build", Some(2)),
        ("--threads=2 -j 3 build", Some(3)),
        ("--json", None),
    ] {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        assert_eq!(super::group::command_at(&words, commands), want, "{line}");
    }
}
