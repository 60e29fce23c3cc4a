//! `manicule series merge` as a user meets it, and as a kill at any moment leaves it.
//!
//! `MANICULE_ROUNDS` and `MANICULE_SEED` (numbers) make the kills more and other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use manicule_testkit::{Rng, golden_folder};

/// Kills in a plain `cargo test`.
const KILLS: u64 = 8;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["series", "merge"]).args(words).current_dir(folder);
    command
}

fn run(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().expect("it runs")
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

/// The files of a block but its meta file, which has the name in it; that one is whole if it ends as it should.
fn block(path: &Path) -> Vec<Vec<u8>> {
    let meta = fs::read_to_string(path.join("meta.json")).unwrap();
    assert!(meta.ends_with("\t\"version\": 1\n}"), "{meta}");
    let files = ["index", "tombstones", "chunks/000001"];
    files.iter().map(|name| fs::read(path.join(name)).unwrap()).collect()
}

/// The only block in a folder.
fn only_block(folder: &Path) -> PathBuf {
    let names = names(folder);
    assert!(names.len() == 1 && is_block(&names[0]), "{names:?}");
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
    assert!(block(&only_block(&folder.join("json"))) == want, "in windows too");

    let said = run(folder, &["-o", "bad", "blocks/none"]);
    let error = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(error.starts_with("manicule: blocks/none: No such file"), "{error}");
    assert!(!folder.join("bad").exists(), "nothing is made for what can't be read");
}

#[test]
fn a_killed_run_leaves_a_whole_block_or_none() {
    let seed = number("MANICULE_SEED").unwrap_or(0);
    let mut rng = Rng::new(seed);
    let golden = golden_folder("series", "golden");
    let folder = golden.path();
    let words = |out| ["--quiet", "-o", out, "blocks/k5k", "blocks/gaps", "blocks/api"];
    let started = Instant::now();
    assert!(command(folder, &words("whole")).status().unwrap().success());
    let mut run_us = started.elapsed().as_micros() as usize;
    let want = block(&only_block(&folder.join("whole")));

    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    let out = folder.join("out");
    for round in 0..number("MANICULE_ROUNDS").unwrap_or(KILLS) {
        let started = Instant::now();
        let mut child = command(folder, &words("out")).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(rng.below(run_us + run_us / 8) as u64));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            run_us = run_us.min(started.elapsed().as_micros() as usize);
        }
        let blocks: Vec<String> = names(&out).into_iter().filter(|name| is_block(name)).collect();
        for name in &blocks {
            assert!(block(&out.join(name)) == want, "{name} after round {round}, seed {seed}");
            fs::remove_dir_all(out.join(name)).unwrap();
        }
        *counts.entry(blocks.len()).or_default() += 1;
    }
    eprintln!("blocks that killed runs left, and how often: {counts:?}");

    assert!(command(folder, &words("out")).status().unwrap().success());
    assert!(block(&only_block(&out)) == want, "the next run sweeps");
}
