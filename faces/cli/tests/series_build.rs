//! `manicule series build` as a user meets it, and as a kill at any moment leaves it.
//!
//! `MANICULE_ROUNDS` and `MANICULE_SEED` (numbers) make the kills more and other.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use manicule_testkit::Rng;

/// Kills in a plain `cargo test`.
const KILLS: u64 = 8;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["series", "build"]).args(words).current_dir(folder);
    command
}

fn run(folder: &Path, words: &[&str], input: &str) -> Output {
    let mut command = command(folder, words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // Who reads no more has said why.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("UTF-8");
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
    names.sort();
    names
}

fn is_block(name: &str) -> bool {
    name.len() == 26
}

/// The files of a block but its meta file, which has the name in it.
fn block(path: &Path) -> Vec<Vec<u8>> {
    let files = ["index", "tombstones", "chunks/000001"];
    files.iter().map(|name| fs::read(path.join(name)).unwrap()).collect()
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

#[test]
fn a_killed_run_leaves_whole_blocks_only() {
    let seed = number("MANICULE_SEED").unwrap_or(0);
    let mut rng = Rng::new(seed);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.om"), text()).unwrap();
    let started = Instant::now();
    let words = |out| ["--quiet", "--memory", "8000", "-o", out, "a.om"];
    assert!(command(folder.path(), &words("whole")).status().unwrap().success());
    let mut run_us = started.elapsed().as_micros() as usize;
    let wanted: Vec<_> = names(&folder.path().join("whole"))
        .iter()
        .map(|name| block(&folder.path().join("whole").join(name)))
        .collect();

    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    let out = folder.path().join("out");
    for round in 0..number("MANICULE_ROUNDS").unwrap_or(KILLS) {
        let started = Instant::now();
        let mut child = command(folder.path(), &words("out")).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(rng.below(run_us + run_us / 8) as u64));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            run_us = run_us.min(started.elapsed().as_micros() as usize);
        }
        let blocks: Vec<String> = names(&out).into_iter().filter(|name| is_block(name)).collect();
        for (name, want) in blocks.iter().zip(&wanted) {
            assert!(block(&out.join(name)) == *want, "{name} after round {round}, seed {seed}");
        }
        *counts.entry(blocks.len()).or_default() += 1;
        for name in blocks {
            fs::remove_dir_all(out.join(name)).unwrap();
        }
    }
    eprintln!("blocks that killed runs left, and how often: {counts:?}");

    assert!(command(folder.path(), &words("out")).status().unwrap().success());
    let left = names(&out);
    assert_eq!(left.len(), wanted.len(), "the next run sweeps: {left:?}");
    assert!(left.iter().all(|name| is_block(name)), "{left:?}");
}
