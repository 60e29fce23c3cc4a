//! `manicule series build` as a user meets it. For kills see series_kill.rs.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::names;

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["series", "build"]).args(words).current_dir(folder);
    command
}

fn run(folder: &Path, words: &[&str], input: &str) -> Output {
    let mut command = command(folder, words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // A program that stops reading has reported why.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// Two series in five blocks of two hours.
fn text() -> String {
    let mut text = String::new();
    for number in 0..2000 {
        text += &format!("a{{n=\"{}\"}} {} {}\n", number % 2, number * 7 % 13, number * 17);
    }
    text + "# EOF\n"
}

#[test]
fn a_user_meets_blocks_reports_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["-o", "out"], &text());
    let out = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success(), "{said:?}", said = said.stderr);
    assert_eq!(out.lines().count(), 6, "{out}");
    assert!(out.contains("built 5 blocks from 2000 samples of 2 series, "), "{out}");
    assert_eq!(names(&folder.path().join("out")).len(), 5);

    fs::write(folder.path().join("a.om"), text()).unwrap();
    let words = ["-o", "long", "--max-block-duration", "1d", "--json", "a.om", "-"];
    let said = run(folder.path(), &words, "a{n=\"0\"} 1 0\nb 1 5\n# EOF\n");
    let out = String::from_utf8(said.stdout).unwrap();
    assert_eq!(out.lines().count(), 2, "{out}");
    assert!(out.contains(r#""repeated":1,"samples":2002,"series":3,"#), "{out}");

    let said = run(folder.path(), &["-o", "text", "--format", "prometheus", "--quiet"], "a 1 5000");
    assert!(said.status.success() && said.stdout.is_empty());
    assert_eq!(names(&folder.path().join("text")).len(), 1);

    let said = run(folder.path(), &["-o", "bad"], "a 1 1\nb{x=1} 2 2\n");
    let error = String::from_utf8(said.stderr).unwrap();
    let want = "manicule: standard input: line 2, column 5: expected a label's value in quotes, got \"1}\"\n";
    assert_eq!((said.status.code(), &error[..]), (Some(2), want));
    assert_eq!(names(&folder.path().join("bad")), [""; 0]);

    let said = run(folder.path(), &["-o", "bad", "none.om"], "");
    assert_eq!(said.status.code(), Some(2));
    assert!(String::from_utf8(said.stderr).unwrap().starts_with("manicule: none.om: No such file"));
}
