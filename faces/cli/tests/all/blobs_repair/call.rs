//! Calls of the program on damaged repositories.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use manicule_repositories::{FileKind, PASSWORD, Patient, Victims, damage};
use manicule_testkit::golden_repository;
use manicule_testkit::kill::wait_until;
use tempfile::TempDir;

pub(crate) fn command(repo: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["blobs", "repair-index"]).args(words).stdin(Stdio::null());
    for name in ["REPOSITORY_FILE", "PASSWORD_FILE", "PASSWORD_COMMAND", "KEY_HINT"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command.env("RESTIC_REPOSITORY", repo).env("RESTIC_PASSWORD", PASSWORD);
    command
}

pub(crate) fn run(repo: &Path, words: &[&str]) -> Output {
    command(repo, words).output().expect("it runs")
}

/// Standard output of a call that ends with this exit code.
#[track_caller]
pub(crate) fn printed(repo: &Path, words: &[&str], code: i32) -> String {
    let output = run(repo, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

pub(crate) fn damaged(names: &[&str]) -> (TempDir, PathBuf) {
    let golden = golden_repository("unused");
    let repo = golden.path().join("repo");
    names.iter().for_each(|name| damage(name, &repo, &Victims::of_unused()).expect(name));
    (golden, repo)
}

/// A run that has taken its lock, and waits before it looks for those of others.
pub(crate) fn started(repo: &Path) -> Child {
    let patient = Patient::open(repo);
    let mut child = command(repo, &[]).stdout(Stdio::null()).spawn().expect("it starts");
    assert!(wait_until(&mut child, || !patient.ids(FileKind::Lock).is_empty()), "it has ended");
    child
}
