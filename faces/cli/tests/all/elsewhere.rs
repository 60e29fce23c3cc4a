//! `manicule sql` and `manicule serve`: the programs that they become.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "#!/bin/sh\necho \"$0\"; for word; do echo \"$word\"; done; exit 7\n";

fn put(program: &Path) {
    fs::write(program, PROGRAM).expect("a program");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a program");
}

fn run(program: &Path, words: &[&str], path: &Path) -> (String, String, Option<i32>) {
    let mut command = Command::new(program);
    let Output { stdout, stderr, status } =
        command.args(words).env("PATH", path).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("a text");
    (text(stdout), text(stderr), status.code())
}

#[test]
fn a_command_is_the_program_beside_it_or_on_the_path_else_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let [own, elsewhere] = ["own", "elsewhere"].map(|name| folder.path().join(name));
    fs::create_dir(&own).expect("a folder");
    fs::create_dir(&elsewhere).expect("a folder");
    let manicule = own.join("manicule");
    fs::copy(env!("CARGO_BIN_EXE_manicule"), &manicule).expect("a copy");
    for (words, what, name, install) in [
        (&["sql", "--format", "csv", "SELECT 1"][..], "SQL", "manicule-sql", "--path faces/sql"),
        (
            &["serve", "--read-only", "a=b"],
            "the server",
            "manicule-server",
            "--profile lasting --path faces/server",
        ),
    ] {
        let (out, err, code) = run(&manicule, words, &elsewhere);
        assert_eq!((&*out, code), ("", Some(2)));
        let want = format!(
            "manicule: {what} is a program of its own, {name}, which is not here: \
             `cargo install {install} --features buckets` installs it\n"
        );
        assert_eq!(err, want);
        for folder in [&elsewhere, &own] {
            let program = folder.join(name);
            put(&program);
            let (out, err, code) = run(&manicule, words, &elsewhere);
            let want = format!("{}\n{}\n", program.display(), words[1..].join("\n"));
            assert_eq!((out, &*err, code), (want, "", Some(7)));
        }
    }
}
