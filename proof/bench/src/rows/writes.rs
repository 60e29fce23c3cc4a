//! SSTables written, merged and exported by our commands, beside Cassandra's writers and its
//! compaction, and cqlite's export.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule_format_sstable::Version;
use manicule_sstables::Cassandra;

use super::Bench;
use super::passes::{HEAD, put_rows};
use super::tables::{MANY, PARTITION};
use crate::files::remove;
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Pairing, Series, Task, ratio};
use crate::table::{Table, Target};

/// The table of all rows here, as CQL.
const SCHEMA: &str =
    "CREATE TABLE ks.t (key int, column1 int, value blob, PRIMARY KEY (key, column1))";
/// Times at which the tables that are merged were written.
const TIMESTAMPS: [&str; 4] = ["1", "2", "3", "4"];
/// Memory of CQLSSTableWriter, which holds a partition until it ends.
const LOADER_MEMORY: &str = "-Xmx8g";

/// A job, and the figures that it has to reach.
struct Job<'b> {
    name: &'static str,
    /// GB of uncompressed data.
    gb: f64,
    lanes: Vec<Lane<'b>>,
    /// Lane of a peer and its CPU time over ours.
    goals: Vec<(usize, f64)>,
    /// GB of data a second of our CPU time.
    rate: Option<f64>,
    /// Parquet files that lanes write: all have the rows of the first.
    exported: Vec<PathBuf>,
}

/// All jobs.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let note = format!(
        "Medians of {} turns after one that is not counted; files in the page cache; starting Java included, and making the values by Cassandra's writers, which \
         ours reads from Parquet.",
        bench.turn_count
    );
    let title = "SSTables written";
    let mut table = Table::new(title, &note, &HEAD);
    let inputs = Inputs::make(bench)?;
    let jobs = [
        write(bench, &inputs),
        merge(bench, &inputs)?,
        export(bench, &inputs),
        export_many(bench, &inputs)?,
    ];
    for job in jobs {
        let Job { name, gb, mut lanes, goals, rate, exported } = job;
        let all = put_rows(bench, &mut lanes, (name, gb), &mut table, findings)?;
        let ours = &all[0];
        check_exported(bench, name, &inputs, &all, &exported, findings)?;
        for (lane, least) in goals {
            let Some(peer) = all.get(lane) else { continue };
            let what = format!("CPU of {} / ours", peer.name);
            let figure = ratio(peer, ours, Pairing::Medians, CPU);
            findings.check(name, &what, Target::at_least(least, 1.5 * least), title, figure);
        }
        if let Some(least) = rate {
            let figure = ours.cpu_ms().map(|ms| gb / (ms / 1e3));
            let target = Target::at_least(least, 1.5 * least);
            findings.check(name, "GB a second of CPU", target, title, figure);
        }
        findings.raw.push((format!("{title}/{name}"), all));
    }
    findings.tables.push(table);
    Ok(())
}

/// What is read: tables of Cassandra, rows of them as Parquet, four SSTables of the same keys.
struct Inputs {
    partition: PathBuf,
    rows: PathBuf,
    schema: PathBuf,
    /// The four that are merged.
    several: PathBuf,
    /// The rows of one of these, as Parquet.
    many: PathBuf,
}

impl Inputs {
    fn make(bench: &Bench<'_>) -> Result<Inputs> {
        let scratch = |name: &str| bench.scratch.join(name);
        let (rows, many, schema) =
            (scratch("rows.parquet"), scratch("many.parquet"), scratch("t.cql"));
        fs::write(&schema, SCHEMA)?;
        let partition = bench.needed(&PARTITION, Version::Me)?;
        let table = bench.needed(&MANY, Version::Me)?;
        for (table, file) in [(&partition, &rows), (&table, &many)] {
            let words = ["rows", "export", "--format", "parquet", "--schema"].map(Path::new);
            done(bench, &[&words[..], &[&schema, Path::new("-o"), file, table]].concat())?;
        }
        let several = scratch("several");
        for timestamp in TIMESTAMPS {
            let words = ["rows", "write", "--as", "nb", "--now", "1", "--timestamp", timestamp];
            let words = words.map(Path::new);
            let rest = [Path::new("--schema"), &schema, &many, Path::new("-o"), &several];
            done(bench, &[&words[..], &rest].concat())?;
        }
        Ok(Inputs { partition, rows, schema, several, many })
    }
}

/// Runs our program to its end.
fn done(bench: &Bench<'_>, words: &[&Path]) -> Result<()> {
    let task = Task::new("manicule", &bench.manicule, bench.scratch).args(words);
    measure::run(&task, &bench.scratch.join("answer")).with_context(|| format!("{words:?}"))?;
    Ok(())
}

/// A task that writes into a folder, which is emptied before each turn.
fn lane<'b>(task: Task, folder: PathBuf) -> Lane<'b> {
    let before = move || remove(&folder);
    Lane { task, before: Some(Box::new(before)) }
}

fn cassandra<'b>(bench: &'b Bench<'_>, version: Version) -> Option<&'b Cassandra> {
    bench.cassandras.iter().find(|one| one.writes().contains(&version))
}

/// A million rows of 2,000 bytes in one partition.
fn write<'b>(bench: &'b Bench<'_>, inputs: &Inputs) -> Job<'b> {
    let out = |name: &str| bench.scratch.join(name);
    let numbers = [PARTITION.row_count, PARTITION.value_len].map(|number| number.to_string());
    let ours = Task::new("manicule", &bench.manicule, bench.scratch)
        .args(["rows", "write", "--sorted", "--update", "--timestamp", "1", "--schema"])
        .args([&inputs.schema, &inputs.rows, Path::new("-o"), &out("written")]);
    let mut lanes = vec![lane(ours, out("written"))];
    let mut goals = Vec::new();
    if let Some(cassandra) = cassandra(bench, Version::Nb) {
        let name = format!("CQLSSTableWriter {}", cassandra.release());
        let task = Task::new(&name, &cassandra.program(), bench.scratch)
            .env("MANICULE_JAVA_OPTIONS", LOADER_MEMORY)
            .args([Path::new("Load"), &out("loaded")])
            .args(&numbers);
        goals.push((lanes.len(), 3.0));
        lanes.push(lane(task, out("loaded")));
    }
    if let Some(cassandra) = cassandra(bench, Version::Me) {
        let name = format!("its streaming writer {}", cassandra.release());
        let task = Task::new(&name, &cassandra.program(), bench.scratch)
            .args([Path::new("Big"), &out("streamed")])
            .args(["big", "1", &numbers[0], &numbers[1], "t"]);
        goals.push((lanes.len(), 1.0));
        lanes.push(lane(task, out("streamed")));
    }
    let gb = (PARTITION.row_count * PARTITION.value_len) as f64 / 1e9;
    Job { name: "write, 1 M rows of 2,000 B", gb, lanes, goals, rate: None, exported: Vec::new() }
}

/// Four SSTables of a million rows each, all of the same keys.
fn merge<'b>(bench: &'b Bench<'_>, inputs: &Inputs) -> Result<Job<'b>> {
    let out = |name: &str| bench.scratch.join(name);
    let ours = Task::new("manicule", &bench.manicule, bench.scratch)
        .args(["rows", "merge", "--now", "1"])
        .args([&inputs.several, Path::new("-o"), &out("merged")]);
    let mut lanes = vec![lane(ours, out("merged"))];
    let mut goals = Vec::new();
    if let Some(cassandra) = cassandra(bench, Version::Nb) {
        let (source, target) = (inputs.several.display(), out("compacted"));
        let script = out("compact");
        let line = format!("{source}\t{}\t1\t1\t{}\t{SCHEMA}\n", target.display(), i32::MIN);
        fs::write(&script, line)?;
        let name = format!("compaction {}", cassandra.release());
        let task = Task::new(&name, &cassandra.program(), bench.scratch)
            .args([Path::new("Compact"), &script]);
        goals.push((lanes.len(), 4.0));
        lanes.push(lane(task, target));
    }
    let rows = MANY.partition_count * MANY.row_count * TIMESTAMPS.len() as u64;
    let gb = (rows * MANY.value_len) as f64 / 1e9;
    Ok(Job {
        name: "merge of four, 1 M rows of 200 B each",
        gb,
        lanes,
        goals,
        rate: None,
        exported: Vec::new(),
    })
}

/// A million rows of 2,000 bytes as Parquet.
fn export<'b>(bench: &'b Bench<'_>, inputs: &Inputs) -> Job<'b> {
    let out = bench.scratch.join("exported.parquet");
    let ours = Task::new("manicule", &bench.manicule, bench.scratch)
        .args(["rows", "export", "--format", "parquet", "--schema"])
        .args([&inputs.schema, Path::new("-o"), &out, &inputs.partition]);
    let gb = (PARTITION.row_count * PARTITION.value_len) as f64 / 1e9;
    let (lanes, goals, exported) = (vec![lane(ours, out)], Vec::new(), Vec::new());
    let name = "export to Parquet, 1 M rows of 2,000 B";
    Job { name, gb, lanes, goals, rate: Some(0.3), exported }
}

/// A million rows of 200 bytes in 100,000 partitions as Parquet. cqlite reads `nb` of what we
/// write; of a partition of a million rows it isn't asked, on which it takes a time that grows with
/// their square.
fn export_many<'b>(bench: &'b Bench<'_>, inputs: &Inputs) -> Result<Job<'b>> {
    let tables = bench.scratch.join("tables");
    // cqlite knows a table by the folders of a data directory.
    let table = tables.join("ks").join(format!("t-{:032x}", 1));
    let words = ["rows", "write", "--as", "nb", "--now", "1", "--timestamp", "1", "--schema"];
    let rest = [&inputs.schema, &inputs.many, Path::new("-o"), &table];
    done(bench, &[&words.map(Path::new)[..], &rest].concat())?;
    let out = |name: &str| bench.scratch.join(name);
    let ours = Task::new("manicule", &bench.manicule, bench.scratch)
        .args(["rows", "export", "--format", "parquet", "--schema"])
        .args([&inputs.schema, Path::new("-o"), &out("many-ours.parquet"), &table]);
    let mut exported = vec![out("many-ours.parquet")];
    let mut lanes = vec![lane(ours, exported[0].clone())];
    let mut goals = Vec::new();
    if let Some(cqlite) = &bench.cqlite {
        let file = out("many-cqlite.parquet");
        let task = Task::new("cqlite", cqlite, bench.scratch)
            .args(["-q".as_ref(), "--schema".as_ref(), inputs.schema.as_os_str()])
            .args(["--data-dir".as_ref(), tables.as_os_str(), "export".as_ref(), file.as_os_str()])
            .args(["--format", "parquet", "--table", "ks.t"]);
        goals.push((lanes.len(), 1.0));
        lanes.push(lane(task, file.clone()));
        exported.push(file);
    }
    let gb = (MANY.partition_count * MANY.row_count * MANY.value_len) as f64 / 1e9;
    let name = "export to Parquet, 1 M rows of 200 B";
    Ok(Job { name, gb, lanes, goals, rate: None, exported })
}

/// Compares the rows of Parquet files that the lanes have written, by the SSTables that we write of
/// them.
fn check_exported(
    bench: &Bench<'_>,
    name: &str,
    inputs: &Inputs,
    all: &[Series],
    exported: &[PathBuf],
    findings: &mut Findings,
) -> Result<()> {
    let mut first = None;
    for (file, series) in exported.iter().zip(all) {
        // A lane that failed is left out already.
        if series.failure.is_some() {
            continue;
        }
        let rows = rows_of(bench, inputs, file)?;
        let want = first.get_or_insert_with(|| rows.clone());
        if rows != *want {
            findings.different.push(format!("{name}, {}: {rows:?}, not {want:?}", series.name));
        }
    }
    Ok(())
}

/// How many rows a Parquet file has, and the checksum of their data.
fn rows_of(bench: &Bench<'_>, inputs: &Inputs, file: &Path) -> Result<[String; 2]> {
    let folder = bench.scratch.join("again");
    remove(&folder)?;
    let words = ["rows", "write", "--now", "1", "--timestamp", "1", "--schema"].map(Path::new);
    done(bench, &[&words[..], &[&inputs.schema, file, Path::new("-o"), &folder]].concat())?;
    let said = fs::read_to_string(bench.scratch.join("answer"))?;
    let count = said.lines().last().unwrap_or_default().to_owned();
    let sum = fs::read_to_string(folder.join("me-1-big-Digest.crc32"))?;
    remove(&folder)?;
    Ok([count, sum])
}
