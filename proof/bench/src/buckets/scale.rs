//! Many small things below one prefix: blocks, SSTables, tables, objects. What listing and planning
//! take.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule_buckets::Server;
use serde_json::Value;

use super::ask::{Most, Question, ask};
use super::peers::THANOS;
use super::{Bench, Rows};
use crate::findings::Findings;
use crate::kind;
use crate::measure::{self, Task};

const BLOCKS: u64 = 10_000;
/// Two hours, as Prometheus's blocks are long.
const BLOCK_MS: i64 = 7_200_000;
/// The first sample of the first block.
const FIRST_MS: i64 = 1_700_000_000_000;
const SSTABLES: u32 = 2_000;
const PACKS: u32 = 1_000_000;

/// The rows of the group.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    kind::measure(bench, &bench.parts, findings);
    Ok(())
}

/// The parts of the group, by their names. What one can't measure the others do.
pub(super) const PARTS: &[(&str, Rows)] =
    &[("blocks", blocks), ("sstables", sstables), ("tables", tables), ("objects", packs)];

fn blocks(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let server = bench.server();
    let text = bench.scratch.join("block.om");
    let time = FIRST_MS / 1000;
    fs::write(&text, format!("# TYPE up gauge\nup{{job=\"a\"}} 1 {time}\n# EOF\n"))?;
    let data = bench.scratch.join("block");
    let task = Task::new("manicule", &bench.manicule, bench.scratch)
        .args(["series", "build", "-o"])
        .args([&data, &text]);
    measure::run(&task, &bench.scratch.join("answer")).context("series build")?;
    let block = fs::read_dir(&data)?.next().context("a block")??.path();
    let meta: Value = serde_json::from_slice(&fs::read(block.join("meta.json"))?)?;
    for number in 0..BLOCKS {
        put_block(&server, &block, meta.clone(), number)?;
    }
    let time = |number: u64| ((FIRST_MS + number as i64 * BLOCK_MS) / 1000).to_string();
    let (start, end) = (time(BLOCKS / 2), time(BLOCKS / 2 + 1));
    let one = ["series", "select", "--start", &start, "--end", &end, "up", "PLACE"];
    let config = format!(
        "type: S3\nconfig: {{bucket: bucket, endpoint: \"{}\", insecure: true, \
         access_key: test-id, secret_key: test-secret, region: eu-test-1}}\nprefix: blocks",
        server.endpoint().trim_start_matches("http://")
    );
    let thanos = |words: &[&str]| -> Vec<Task> {
        let task = |program: &PathBuf| {
            Task::new(THANOS, program, bench.scratch)
                .args(["tools", "bucket"])
                .args(words)
                .args(["--objstore.config", &config])
        };
        bench.peers.thanos.as_ref().map(task).into_iter().collect()
    };
    let questions = [
        Question::new("blocks, listed", &["table", "series.blocks", "PLACE"])
            .most(Most { of_peer: Some(1.0), ..Most::default() })
            .peers(thanos(&["ls"])),
        Question::new("series of two hours", &one),
    ];
    let title = format!("{BLOCKS} blocks");
    ask(bench, &title, &server, "blocks/", None, &questions, findings)
}

/// Puts a block like another, some hours later.
fn put_block(server: &Server, block: &Path, mut meta: Value, number: u64) -> Result<()> {
    let id = format!("01HF{number:022}");
    let begin = FIRST_MS + number as i64 * BLOCK_MS;
    meta["ulid"] = id.clone().into();
    meta["compaction"]["sources"] = vec![id.clone()].into();
    (meta["minTime"], meta["maxTime"]) = (begin.into(), (begin + BLOCK_MS).into());
    meta["thanos"] = serde_json::json!({
        "labels": { "replica": "a" }, "downsample": { "resolution": 0 }, "source": "sidecar",
    });
    for name in ["index", "chunks/000001"] {
        server.put(&format!("blocks/{id}/{name}"), &fs::read(block.join(name))?);
    }
    server.put(&format!("blocks/{id}/meta.json"), &serde_json::to_vec(&meta)?);
    Ok(())
}

fn sstables(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let folder = kept_sstables(bench)?;
    let server = bench.server();
    server.lend(&folder, "table/");
    let questions = [
        Question::new("SSTables, listed", &["rows", "list", "PLACE"]),
        Question::new("a row", &["rows", "slice", "PLACE", "1234567"]),
    ];
    let title = format!("A table of {SSTABLES} SSTables");
    ask(bench, &title, &server, "table/", Some(&folder), &questions, findings)
}

/// The SSTables of the table before, each in a folder of its own.
fn tables(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let from = kept_sstables(bench)?;
    let name = format!("tables-{SSTABLES}");
    let folder = bench.kept(&name, |folder| {
        for entry in fs::read_dir(&from)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).context("UTF-8")?;
            // The schema beside them is none of an SSTable.
            let Some(generation) = name.split('-').nth(1) else { continue };
            let table = folder.join(format!("ks/t-{generation:0>32}"));
            fs::create_dir_all(&table)?;
            fs::hard_link(&path, table.join(name))?;
        }
        Ok(())
    })?;
    let server = bench.server();
    server.lend(&folder, "node/");
    let questions = [
        // They name the tables by their paths.
        Question::new("their SSTables, listed", &["rows", "list", "-r", "PLACE"]).not_compared(),
        Question::new("their largest partitions", &["rows", "partitions", "-r", "PLACE"])
            .not_compared(),
    ];
    let title = format!("{SSTABLES} tables of an SSTable");
    ask(bench, &title, &server, "node/", None, &questions, findings)
}

/// The folder of many SSTables.
fn kept_sstables(bench: &Bench<'_>) -> Result<PathBuf> {
    let name = format!("sstables-{SSTABLES}");
    bench.kept(&name, |folder| super::rows::several(bench, folder, SSTABLES))
}

/// A repository with a million objects that no index names.
fn packs(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let server = bench.server();
    let repository = bench.scratch.join("fleet");
    let words = ["generate", "--shape", "fleet", "--data", "2000", "--snapshots", "4", "-o"];
    let mut words: Vec<_> = words.iter().map(OsString::from).collect();
    words.push(repository.clone().into_os_string());
    crate::figures::of_ours("blobs", &words)?;
    server.bring(&repository, "repository/");
    for number in 0..PACKS {
        // Spread over all folders of packs, as hashes are.
        let id = format!("{:064x}", u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15) as u128)
            .chars()
            .rev()
            .collect::<String>();
        server.put(&format!("repository/data/{}/{id}", &id[..2]), b"p");
    }
    let questions = [
        Question::new("snapshots", &["blobs", "snapshots", "-r", "PLACE"]),
        Question::new("check: every object is listed", &["blobs", "check", "-r", "PLACE"]),
    ];
    let title = format!("{PACKS} objects in a repository");
    ask(bench, &title, &server, "repository/", None, &questions, findings)
}
