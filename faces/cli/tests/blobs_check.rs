//! `manicule inspect` and `manicule verify` of restic's repositories, and `manicule blobs check`.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::golden_repository;
use serde_json::Value as Json;

/// Runs the program in a folder with restic's variables as given, and no others of them.
fn run(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    for name in ["REPOSITORY", "REPOSITORY_FILE", "PASSWORD", "PASSWORD_FILE", "PASSWORD_COMMAND"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command.envs(variables.iter().copied()).output().expect("the program runs")
}

const PASSWORD: (&str, &str) = ("RESTIC_PASSWORD", "manicule-golden");

/// Standard output of a call that ends with this exit code.
#[track_caller]
fn printed(folder: &Path, words: &[&str], variables: &[(&str, &str)], code: i32) -> String {
    let output = run(folder, words, variables);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_repository_shows_more_with_its_password() {
    let golden = golden_repository("keys");
    let folder = golden.path();
    let shown = printed(folder, &["inspect", "repo"], &[], 0);
    assert!(shown.contains("\nsnapshots   1 snapshot, ") && shown.contains("key  "), "{shown}");
    assert!(shown.contains("scrypt with N = 16, r = 8, p = 1"), "{shown}");
    assert!(!shown.contains("version") && shown.contains("$RESTIC_PASSWORD"), "{shown}");
    let shown = printed(folder, &["inspect", "repo"], &[PASSWORD], 0);
    assert!(shown.contains("\nversion     2\n") && shown.contains("\nnewest "), "{shown}");
    let json = |variables: &[(&str, &str)]| -> Json {
        let line = printed(folder, &["inspect", "--json", "repo"], variables, 0);
        serde_json::from_str(&line).expect("an object")
    };
    let (closed, opened) = (json(&[]), json(&[PASSWORD]));
    assert_eq!((&closed["files"], &closed["keys"]), (&opened["files"], &opened["keys"]));
    assert_eq!((closed["files"]["data"]["files"].as_u64(), closed.get("version")), (Some(2), None));
    assert_eq!((opened["version"].as_u64(), &opened["newest"]), (Some(2), &opened["oldest"]));
    for (value, says) in [("another", "wrong password"), ("", "")] {
        let output = run(folder, &["inspect", "repo"], &[("RESTIC_PASSWORD", value)]);
        let (error, is_wrong) = (String::from_utf8_lossy(&output.stderr), !value.is_empty());
        assert_eq!(output.status.code(), Some(2 * i32::from(is_wrong)), "{error}");
        assert!(error.contains(says), "{error}");
    }
}
