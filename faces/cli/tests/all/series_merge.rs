//! `manicule series merge` as a user meets it. For kills see series_kill.rs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use manicule_testkit::{contents, golden_folder, names};

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["series", "merge"]).args(words).current_dir(folder);
    command
}

fn run(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().expect("it runs")
}

/// The files of a block but its meta file, which has the name in it.
fn block(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = contents(path);
    assert!(files.remove("meta.json").is_some(), "{files:?}");
    files
}

/// The only block in a folder.
fn only_block(folder: &Path) -> PathBuf {
    let names = names(folder);
    assert!(names.len() == 1, "{names:?}");
    folder.join(&names[0])
}

#[test]
fn a_user_meets_the_block_of_the_compactor_and_reports_and_errors() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path();
    let said = run(folder, &["-o", "out", "blocks/gaps"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(text.contains(" series, ") && text.contains("\nmerged 2 blocks, "), "{text}");
    let want = block(&only_block(&folder.join("merge/adjacent")));
    assert!(block(&only_block(&folder.join("out"))) == want);

    let blocks = names(&folder.join("blocks/gaps"));
    let paths: Vec<String> = blocks.iter().map(|name| format!("blocks/gaps/{name}")).collect();
    let said = run(folder, &["-o", "json", "--json", "--memory", "1", &paths[0], &paths[1]]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains(r#""level":2,"#) && text.contains(r#""parents":2,"#), "{text}");
    assert!(block(&only_block(&folder.join("json"))) == want, "with the least memory too");

    let said = run(folder, &["-o", "bad", "blocks/none"]);
    let error = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(error.starts_with("manicule: blocks/none: No such file"), "{error}");
    assert!(!folder.join("bad").exists(), "nothing is made for what can't be read");
}

#[test]
fn samples_of_one_time_are_counted_and_can_be_refused() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path();
    let said = run(folder, &["-o", "out", "--dry-run", "--json", "blocks/tiny", "blocks/tiny"]);
    let row: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    let of = |name: &str| row["source_samples"][name].as_u64().unwrap();
    assert_eq!((&row["type"], of("kept"), of("lost")), (&"dry_run".into(), of("repeated"), 0));
    assert_eq!(of("source"), 2 * of("kept"));
    for (name, text) in
        [("a", "m 1 1700000000\nm 1 1700000060"), ("b", "m 1 1700000000\nm 2 1700000060")]
    {
        std::fs::write(folder.join("in.om"), format!("{text}\n# EOF\n")).unwrap();
        let words = ["series", "build", "--quiet", "-o", name, "in.om"];
        let mut build = Command::new(env!("CARGO_BIN_EXE_manicule"));
        assert!(build.args(words).current_dir(folder).status().unwrap().success());
    }
    let said = run(folder, &["-o", "out", "--strict", "a", "b"]);
    let error = String::from_utf8(said.stderr).unwrap();
    let want = "manicule: nothing was written, as --strict is given: \
                1 sample would be lost to others of the same time\n";
    assert_eq!((said.status.code(), &error[..]), (Some(2), want));
    assert!(!folder.join("out").exists());
    let said = run(folder, &["-o", "out", "a", "b"]);
    let text = String::from_utf8(said.stdout).unwrap();
    let want = "\n2 samples of 4, 1 twice there, 1 lost to another value of the same time\nmerged 2 blocks, ";
    assert!(text.contains(want), "{text}");
}
