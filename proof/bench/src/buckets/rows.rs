//! Questions of a large partition, and of a table of many SSTables.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::Bench;
use super::ask::{Most, Question, ask};
use crate::findings::Findings;
use crate::measure::{self, Task};

const SCHEMA: &str = "CREATE TABLE ks.t (p int, c int, v text, PRIMARY KEY (p, c));";
/// Length of a value of the large partition.
const VALUE_LEN: usize = 2000;
/// SSTables of the tables, each of some partitions.
const TABLES: [u32; 3] = [1, 10, 100];
const PARTITIONS: u32 = 100;

/// The rows of the group.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let server = bench.server();
    let count = bench.row_count;
    let folder = bench.kept(&format!("partition-{count}"), |folder| large(bench, folder, count))?;
    server.lend(&folder, "large/");
    let middle = (count / 2).to_string();
    let most = Most { rounds: Some(5.0), bytes: Some(300e3), again: Some(1.0), of_peer: None };
    let slice = ["rows", "slice", "PLACE", "1", "--from", &middle, "--limit", "3"];
    let copied = bench.copied(&server.address("large/"), &slice);
    let questions = [
        Question::new("a slice from the middle", &slice).most(most).peers(copied),
        Question::new(
            "the last rows",
            &["rows", "slice", "PLACE", "1", "--reverse", "--limit", "3"],
        )
        .most(most),
        Question::new("partitions", &["rows", "partitions", "PLACE"]),
    ];
    let title =
        format!("A partition of {count} rows, {} GB", count * VALUE_LEN as u64 / 1_000_000_000);
    ask(bench, &title, &server, "large/", Some(&folder), &questions, findings)?;
    for count in TABLES {
        let name = format!("sstables-{count}");
        let folder = bench.kept(&name, |folder| several(bench, folder, count))?;
        server.lend(&folder, &format!("{name}/"));
        let most = Most { rounds: Some(5.0), ..Most::default() };
        let questions = [
            Question::new(&format!("a row, {count} SSTables"), &["rows", "slice", "PLACE", "7"])
                .most(most),
            Question::new(
                &format!("partitions, {count} SSTables"),
                &["rows", "partitions", "PLACE"],
            )
            .most(most),
        ];
        let title = format!("A table of {count} SSTables");
        ask(bench, &title, &server, &format!("{name}/"), Some(&folder), &questions, findings)?;
    }
    Ok(())
}

/// Makes a table of one partition, compressed as Cassandra does by default.
fn large(bench: &Bench<'_>, folder: &Path, count: u64) -> Result<()> {
    fs::write(folder.join("t.cql"), SCHEMA)?;
    let words = ["rows", "write", "--as", "nb", "--now", "1", "--timestamp", "1", "--sorted"];
    let mut child = Command::new(&bench.manicule)
        .args(words)
        .args(["--compress", "lz4", "--format", "csv", "--schema", "t.cql", "-o", ".", "-"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .context("rows write")?;
    let mut out = BufWriter::with_capacity(1 << 20, child.stdin.take().context("a pipe")?);
    let rest = "x".repeat(VALUE_LEN - 9);
    writeln!(out, "p,c,v")?;
    for row in 0..count {
        writeln!(out, "1,{row},{row:09}{rest}")?;
    }
    drop(out);
    ensure!(child.wait()?.success(), "rows write ended with an error");
    Ok(fs::remove_file(folder.join("t.cql"))?)
}

/// Makes a table of several SSTables, each with partitions of its own and one that all have.
pub(super) fn several(bench: &Bench<'_>, folder: &Path, count: u32) -> Result<()> {
    fs::write(folder.join("t.cql"), SCHEMA)?;
    let csv = bench.scratch.join("several.csv");
    for table in 0..count {
        let mut text = "p,c,v\n".to_owned();
        for partition in 0..PARTITIONS {
            let own = if partition == 0 { 7 } else { 1000 + table * PARTITIONS + partition };
            text += &format!("{own},{table},value {partition} of {table}\n");
        }
        fs::write(&csv, text)?;
        let task = Task::new("manicule", &bench.manicule, folder)
            .args(["rows", "write", "--as", "nb", "--now", "1", "--timestamp", "1"])
            .args(["--compress", "lz4", "--schema", "t.cql", "-o", "."])
            .args([&csv]);
        measure::run(&task, &bench.scratch.join("answer")).context("rows write")?;
    }
    Ok(fs::remove_file(folder.join("t.cql"))?)
}
