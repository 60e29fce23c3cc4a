//! `manicule find` in restic repositories: names and paths of snapshots, each once.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::golden_repository;
use serde_json::Value as Json;

fn find(folder: &Path, words: &[&str], password: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("find").args(words).current_dir(folder).stdin(Stdio::null());
    for name in ["PASSWORD", "PASSWORD_FILE", "PASSWORD_COMMAND"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command.envs(password.map(|password| ("RESTIC_PASSWORD", password)));
    command.output().expect("the program runs")
}

/// Standard output and standard error of a call that ends with this exit code.
#[track_caller]
fn check(folder: &Path, words: &[&str], password: Option<&str>, code: i32) -> (String, String) {
    let output = find(folder, words, password);
    let [text, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{words:?}: {text}{error}");
    (text, error)
}

const PASSWORD: Option<&str> = Some("manicule-golden");

#[test]
fn a_path_is_printed_once_with_the_snapshots_that_have_it() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    let printed = |words: &[&str], code: i32| check(folder, words, PASSWORD, code).0;
    assert_eq!(
        printed(&["^todo", "repo"], 0),
        "repo: /srv/drafts/notes/todo.txt (15 snapshots, 2026-02-01 547cb575 to 2026-02-18 99471d22)\n"
    );
    assert_eq!(printed(&["nowhere", "repo"], 1), "");
    // Names are matched, whole paths where the pattern has a slash.
    assert!(!printed(&["drafts", "repo"], 0).contains("todo"));
    let below = printed(&["srv/drafts/notes", "repo"], 0);
    assert!(
        below.contains("/srv/drafts/notes (") && below.contains("/srv/drafts/notes/todo.txt (")
    );
    assert_eq!(printed(&["-F", "/todo.txt", "repo"], 0), printed(&["-w", "todo", "repo"], 0));
    let (all, count) = (printed(&["", "repo"], 0), printed(&["-c", "", "repo"], 0));
    assert_eq!(count, format!("repo:{}\n", all.lines().count()));
    let others = printed(&["-v", "todo", "repo"], 0).lines().count();
    assert_eq!(others + 1, all.lines().count());
    assert_eq!(printed(&["-v", "/todo", "repo"], 0).lines().count(), others);
    assert_eq!(printed(&["-l", "todo", "repo"], 0), "repo\n");
    assert_eq!(printed(&["-q", "todo", "repo"], 0), "");
    assert_eq!(printed(&["-i", "-m1", "TODO|POEM", "repo"], 0).lines().count(), 1);
    assert_eq!(printed(&["--files-without-match", "nowhere", "repo"], 0), "repo\n");
    let json: Json =
        serde_json::from_str(printed(&["--json", "todo", "repo"], 0).lines().next().unwrap())
            .unwrap();
    let data = &json["data"];
    assert_eq!(
        (&json["type"], &data["name"]),
        (&"snapshot_path".into(), &"/srv/drafts/notes/todo.txt".into())
    );
    assert_eq!(
        (data["snapshots"].as_u64(), &data["last"]["time"]),
        (Some(15), &"2026-02-18T20:00:00Z".into())
    );
    let colored = printed(&["--color=ansi", "odo", "repo"], 0);
    assert!(colored.contains("/t\x1b[0m\x1b[1m\x1b[31modo\x1b[0m.txt"), "{colored:?}");
}

#[test]
fn without_its_password_a_repository_is_an_error_and_the_rest_is_searched() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    fs::write(folder.join("note"), "todo\n").unwrap();
    let (text, error) = check(folder, &["todo", "repo", "note"], None, 2);
    assert!(text == "note:todo\n" && error.contains("set RESTIC_PASSWORD_FILE"), "{text}{error}");
    let (text, error) = check(folder, &["todo", "repo", "note"], Some("wrong"), 2);
    assert!(text == "note:todo\n" && error.contains("wrong password"), "{text}{error}");
    let (text, _) = check(folder, &["todo", "repo", "note"], PASSWORD, 0);
    assert!(text.contains("note:todo\n") && text.contains("repo: /srv"), "{text}");
    let (text, _) = check(folder, &["--files", "repo"], None, 0);
    assert_eq!(text, "repo\n");
    let (_, error) = check(folder, &["-C1", "todo", "repo"], PASSWORD, 2);
    assert!(error.contains("no lines"), "{error}");
    // Further down it is a tree of files, as for ripgrep, and that is told.
    let (text, error) = check(folder, &["^todo", "."], None, 0);
    let told = "1 restic repository further down searched as plain files only";
    assert!(text.contains("note:todo\n") && error.contains(told), "{text}{error}");
    // A file beside its own in the folder is searched as one.
    fs::write(folder.join("repo/README"), "todo\n").unwrap();
    let (text, _) = check(folder, &["^todo", "repo"], PASSWORD, 0);
    assert!(text.contains("repo/README:todo\n") && text.contains("repo: /srv"), "{text}");
}

#[test]
fn globs_and_types_choose_among_the_paths_of_snapshots() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    let printed = |words: &[&str], code: i32| check(folder, words, PASSWORD, code).0;
    let all = printed(&["", "repo"], 0);
    let texts: Vec<&str> = all.lines().filter(|line| line.contains(".txt (")).collect();
    assert!(!texts.is_empty() && texts.len() < all.lines().count(), "{all}");
    for words in [&["-g", "*.txt"][..], &["-t", "txt"], &["-g", "/srv/**/*.txt"]] {
        let found = printed(&[words, &["", "repo"]].concat(), 0);
        assert_eq!(found.lines().collect::<Vec<_>>(), texts, "{words:?}");
    }
    assert_eq!(
        printed(&["-g", "!srv/drafts/notes", "todo", "repo"], 1),
        "",
        "what is below a folder"
    );
    assert_eq!(printed(&["-g", "*.kdbx", "", "repo"], 1), "");
    assert_eq!(printed(&["-c", "-g", "*.txt", "", "repo"], 0), format!("repo:{}\n", texts.len()));
    // Two in a name are two matches of a row.
    assert_eq!(printed(&["-c", "o", "repo", "-g", "todo.txt"], 0), "repo:1\n");
    assert_eq!(printed(&["--count-matches", "o", "repo", "-g", "todo.txt"], 0), "repo:2\n");
    for words in [&["-d", "0"][..], &["--max-filesize", "1K"]] {
        let (_, error) = check(folder, &[words, &["todo", "repo"]].concat(), PASSWORD, 2);
        assert!(error.contains(&format!("{}: a restic repository has", words[0])), "{error}");
    }
    let (_, error) = check(folder, &["--receipt", "todo", "repo"], PASSWORD, 0);
    assert!(error.contains("snapshots") && error.contains("paths_matched"), "{error}");
    // In the repository itself nobody has typed a path.
    let here = check(&folder.join("repo"), &["^todo"], PASSWORD, 0).0;
    assert!(here.starts_with("/srv/drafts/notes/todo.txt (15 snapshots"), "{here}");
    let (_, error) = check(folder, &["todo", "repo"], Some("wrong"), 2);
    assert_eq!(error.matches("repo: ").count(), 1, "{error}");
}

#[test]
fn results_of_several_kinds_come_in_the_order_of_the_paths() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    fs::write(folder.join("a"), "todo\n").unwrap();
    fs::write(folder.join("z"), "todo\n").unwrap();
    let paths = |words: &[&str]| {
        let (text, _) = check(folder, &[&["--sort", "path", "^todo"], words].concat(), PASSWORD, 0);
        text.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&["z", "repo", "a"]), ["z", "repo", "a"]);
    assert_eq!(paths(&["a", "repo", "z"]), ["a", "repo", "z"]);
}

#[test]
fn trees_that_cannot_be_read_are_named() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let (whole, _) = check(folder, &["", "repo"], PASSWORD, 0);
    let packs = folder.join("repo/data");
    for digits in fs::read_dir(packs).unwrap().take(3) {
        fs::remove_dir_all(digits.unwrap().path()).unwrap();
    }
    let (text, error) = check(folder, &["", "repo"], PASSWORD, 2);
    assert!(error.contains("tree ") && text.len() < whole.len(), "{error}");
}
