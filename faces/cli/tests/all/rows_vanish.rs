//! `manicule rows` beside a server that removes SSTables: what vanishes between listing and reading
//! is listed again, once.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule::rows::{VerifyCall, verify};
use manicule::watch::Watch;
use manicule_testkit::{Gate, names};

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).args(words.split(' '));
    command
}

fn run(folder: &Path, words: &str) -> Output {
    command(folder, words).output().expect("manicule runs")
}

/// Three SSTables of a table, each with a row of its own and one of all.
fn plant(folder: &Path) {
    let schema = "CREATE TABLE ks.t (p int PRIMARY KEY, v text)";
    fs::write(folder.join("t.cql"), schema).unwrap();
    for number in 1..=3 {
        let words = "rows write --schema t.cql --format csv - -o t --now 1700000000";
        let mut command = command(folder, words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut writer = command.spawn().expect("manicule runs");
        let rows = format!("p,v\n0,all\n{number},own\n");
        writer.stdin.take().unwrap().write_all(rows.as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
    }
}

fn remove(table: &Path, generation: u32) {
    let begin = format!("me-{generation}-big-");
    for name in names(table).into_iter().filter(|name| name.starts_with(&begin)) {
        fs::remove_file(table.join(name)).unwrap();
    }
}

/// What a command answers, of whose table the SSTable `removed` vanishes when TOC.txt of the
/// SSTable `held` is read.
fn raced(words: &str, held: u32, removed: u32) -> (Output, Output) {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, table) = (scratch.path(), scratch.path().join("t"));
    plant(folder);
    let toc = table.join(format!("me-{held}-big-TOC.txt"));
    let gate = Gate::close(&toc, &folder.join("toc")).unwrap();
    let mut command = command(folder, words);
    let run_beside = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let opened = gate.open_after(|| {
        remove(&table, removed);
        Ok(())
    });
    let output = run_beside.expect("manicule runs").wait_with_output().unwrap();
    opened.unwrap_or_else(|error| panic!("{words}: {error}"));
    let _ = fs::remove_dir_all(folder.join("m"));
    (output, run(folder, words))
}

#[test]
fn a_table_is_listed_again_when_an_sstable_vanishes() {
    for words in [
        "rows export t",
        "rows export --raw t",
        "rows slice t 0 --json",
        "rows partitions t",
        "rows tombstones --now 1700000000 t",
        "rows stats --now 1700000000 t",
        "rows schema t",
        "rows columns t",
        "rows holders t 0",
        "rows list --now 1700000000 t",
        "rows expired --now 1700000000 t",
        "rows merge t -o m",
    ] {
        // While it is listed, and when it was.
        for (held, removed) in [(1, 2), (3, 2)] {
            let (output, want) = raced(words, held, removed);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), want.status.code(), "{words} {held}: {said}");
            assert_ne!(want.status.code(), Some(2), "{words}: {want:?}");
            assert!(output.stdout == want.stdout, "{words} {held}: {output:?} {want:?}");
        }
    }
}

#[test]
fn a_table_that_vanishes_whole_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, table) = (scratch.path(), scratch.path().join("t"));
    plant(folder);
    let gate = Gate::close(&table.join("me-1-big-TOC.txt"), &folder.join("toc")).unwrap();
    let beside = command(folder, "rows export t").stderr(Stdio::piped()).spawn();
    gate.open_after(|| {
        (2..=3).for_each(|generation| remove(&table, generation));
        fs::rename(table.join("me-1-big-Data.db"), folder.join("Data.db"))
    })
    .unwrap();
    let output = beside.expect("manicule runs").wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("Data.db is not there"), "{output:?}");
}

#[test]
fn an_sstable_that_goes_while_it_is_verified_is_none() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, table) = (scratch.path(), scratch.path().join("t"));
    plant(folder);
    let data = table.join("me-2-big-Data.db");
    let is_read = || {
        let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
        open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|path| path == data)
    };
    // ScyllaDB takes TOC.txt away first; the data, while they are read.
    let stop = || {
        let _ = fs::remove_file(table.join("me-2-big-TOC.txt"));
        // Threads ask side by side: only one of them finds a file.
        for name in if is_read() { names(&table) } else { Vec::new() } {
            if name.starts_with("me-2-big-") {
                let _ = fs::remove_file(table.join(name));
            }
        }
        false
    };
    let watch = Watch::new(&|_| {}, &stop);
    let call = VerifyCall::new(table.clone());
    let mut failed = |error| panic!("{error}");
    let verified = verify(&call, &watch, &mut failed).unwrap();
    assert!(!data.exists(), "it was never read");
    let want = verify(&call, &Watch::none(), &mut failed).unwrap();
    assert_eq!((verified.verdict.findings.count, &verified.counts), (0, &want.counts));
}
