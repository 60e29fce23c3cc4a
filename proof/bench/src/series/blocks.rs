//! Whole blocks: built from text beside promtool, merged beside Prometheus's compactor.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs;
use std::hash::Hasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use manicule_testkit::LabelSets;

use super::{Bench, K8S, KIND, NO_PEER};
use crate::figures;
use crate::files::{bytes_below, remove};
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Measure, PEAK, Pairing, Series, Task, WALL, ratio};
use crate::table::{self, Table};

/// Three hours of a sample a minute: the even hours of UTC cut them in blocks.
pub(super) const SAMPLE_COUNT: u64 = 180;
const STEP_S: u64 = 60;
const FIRST_S: u64 = 1_700_000_000;
/// Number of series with samples here; each line of text has all labels.
pub(super) const SERIES_COUNT: usize = 5_000;

/// Writes this many samples of each of the sets as OpenMetrics.
pub(super) fn write_openmetrics(
    sets: &LabelSets,
    sample_count: u64,
    mut out: impl Write,
) -> io::Result<()> {
    let mut last = "";
    for (at, labels) in sets.iter().enumerate() {
        let mut series = String::new();
        let mut metric = "";
        for (name, value) in labels {
            if name == "__name__" {
                metric = value;
                continue;
            }
            let comma = if series.is_empty() { "" } else { "," };
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            series += &format!("{comma}{name}=\"{value}\"");
        }
        if metric != last {
            writeln!(out, "# TYPE {metric} unknown")?;
            last = metric;
        }
        for sample in 0..sample_count {
            // A counter that grows a little unevenly, as most series do.
            let value = at as u64 * 1000 + sample * 17 + (sample * sample + at as u64) % 11;
            let time = FIRST_S + sample * STEP_S;
            writeln!(out, "{metric}{{{series}}} {value} {time}")?;
        }
    }
    writeln!(out, "# EOF")?;
    out.flush()
}

/// The rows of building and of merging.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let count = SERIES_COUNT.min(bench.count);
    let text = bench.scratch.join("samples.om");
    let series = count.to_string();
    let words = ["generate", "--openmetrics", "--count", &series, "-o"].map(OsStr::new);
    figures::of_ours(KIND.name, &[&words[..], &[text.as_os_str()]].concat())?;
    let built = build(bench, count, &text, findings)?;
    merge(bench, &built, findings)?;
    remove(&text)
}

const HEAD: &[&str] = &[
    "program",
    "CPU s",
    "wall s",
    "peak MiB",
    "output",
    "CPU peer / it",
    "wall peer / it",
    "peak peer / it",
];

/// Adds lanes that were run by turns; the first is ours, the peer's, if any, the second.
fn report(
    title: &str,
    note: &str,
    all: Vec<Series>,
    outputs: &[PathBuf],
    findings: &mut Findings,
) -> Result<()> {
    let mut table = Table::new(title, note, HEAD);
    let peer = all.get(1).cloned();
    for (series, output) in all.iter().zip(outputs) {
        if let Some(failure) = &series.failure {
            findings.left_out(format!("{title}, {}: {failure}", series.name));
        }
        let over = |measure: Measure| match &peer {
            Some(peer) => table::times(ratio(peer, series, Pairing::Medians, measure)),
            None => NO_PEER.to_owned(),
        };
        let len = if output.exists() { bytes_below(output)? } else { 0 };
        table.row(vec![
            series.name.clone(),
            table::seconds(series.cpu_ms()),
            table::seconds(series.wall_ms()),
            table::ms(series.peak_mib()),
            format!("{:.1} MB", len as f64 / 1e6),
            over(CPU),
            over(WALL),
            over(PEAK),
        ]);
    }
    if let [ours, peer] = outputs
        && all.iter().all(|series| series.failure.is_none())
        && contents(ours)? != contents(peer)?
    {
        findings.different.push(format!("{title}: the blocks"));
    }
    findings.tables.push(table);
    findings.raw.push((format!("{title}/{K8S}"), all));
    Ok(())
}

/// A lane whose output folder is new in every turn.
fn lane(task: Task, output: &Path) -> Lane<'static> {
    let output = output.to_owned();
    let before = move || {
        remove(&output)?;
        Ok(fs::create_dir_all(&output)?)
    };
    Lane { task, before: Some(Box::new(before)) }
}

/// Blocks from text; returns the folder of those to merge.
fn build(bench: &Bench<'_>, count: usize, text: &Path, findings: &mut Findings) -> Result<PathBuf> {
    let [own, peers] = ["built-ours", "built-peer"].map(|name| bench.scratch.join(name));
    let ours = Task::new("manicule series build", bench.manicule, bench.scratch).args([
        OsStr::new("series"),
        "build".as_ref(),
        "--quiet".as_ref(),
        "-o".as_ref(),
        own.as_os_str(),
        text.as_os_str(),
    ]);
    let mut lanes = vec![lane(ours, &own)];
    let mut outputs = vec![own.clone()];
    if let Some(promtool) = &bench.promtool {
        let words = ["tsdb", "create-blocks-from", "openmetrics", "-q"].map(OsStr::new);
        let task = Task::new("promtool tsdb create-blocks-from", promtool, bench.scratch)
            .args(words.into_iter().chain([text.as_os_str(), peers.as_os_str()]));
        lanes.push(lane(task, &peers));
        outputs.push(peers);
    }
    let all = measure::interleave(&mut lanes, 0, bench.turn_count, &bench.scratch.join("answer"))?;
    let note = format!(
        "{count} series of {SAMPLE_COUNT} samples, {:.0} MB of OpenMetrics, into blocks of two hours. Processes from \
         start to end, by turns; medians. Blocks are compared by the bytes of their indexes and segments.",
        fs::metadata(text)?.len() as f64 / 1e6
    );
    report("Blocks built from text", &note, all, &outputs, findings)?;
    Ok(outputs.pop().unwrap_or(own))
}

/// The blocks of a folder as one.
fn merge(bench: &Bench<'_>, folder: &Path, findings: &mut Findings) -> Result<()> {
    let blocks = blocks(folder)?;
    if blocks.len() < 2 {
        findings.left_out("merge: there are no two blocks to merge");
        return Ok(());
    }
    let [own, peers] = ["merged-ours", "merged-peer"].map(|name| bench.scratch.join(name));
    let words = ["series", "merge", "--quiet", "-o"].map(OsStr::new);
    let ours = Task::new("manicule series merge", bench.manicule, bench.scratch)
        .args(words.into_iter().chain([own.as_os_str()]))
        .args(&blocks);
    let mut lanes = vec![lane(ours, &own)];
    let mut outputs = vec![own];
    if let Some(peer) = &bench.peer {
        let words = [OsStr::new("merge"), "-out".as_ref(), peers.as_os_str()];
        let task =
            Task::new("Prometheus's compactor", peer, bench.scratch).args(words).args(&blocks);
        lanes.push(lane(task, &peers));
        outputs.push(peers);
    }
    let all = measure::interleave(&mut lanes, 0, bench.turn_count, &bench.scratch.join("answer"))?;
    let note = format!(
        "The {} blocks of the row before. Processes from start to end, by turns; medians.",
        blocks.len()
    );
    report("Blocks merged", &note, all, &outputs, findings)
}

/// The blocks below a folder.
pub(super) fn blocks(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut blocks: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    blocks.retain(|path| path.join("index").is_file());
    blocks.sort();
    Ok(blocks)
}

/// Contents of a folder's blocks, without the parts that differ from run to run: names of blocks
/// and their meta files.
fn contents(folder: &Path) -> Result<Vec<u64>> {
    let blocks = blocks(folder)?;
    ensure!(!blocks.is_empty(), "{} has no block", folder.display());
    let mut hashes = Vec::new();
    for block in blocks {
        let mut segments: Vec<PathBuf> = fs::read_dir(block.join("chunks"))?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<_>>()?;
        segments.sort();
        let mut hasher = DefaultHasher::new();
        for file in std::iter::once(block.join("index")).chain(segments) {
            hasher.write(&fs::read(&file).with_context(|| file.display().to_string())?);
        }
        hashes.push(hasher.finish());
    }
    hashes.sort_unstable();
    Ok(hashes)
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Shape;

    use super::*;

    #[test]
    fn samples_stand_behind_their_series() {
        let mut text = Vec::new();
        write_openmetrics(&LabelSets::new(Shape::Dense, 3), SAMPLE_COUNT, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len() as u64, 1 + 3 * SAMPLE_COUNT + 1);
        assert_eq!(lines[0], "# TYPE state unknown");
        assert!(
            lines[1].starts_with("state{cell=\"alpha\",") && lines[1].ends_with("} 0 1700000000")
        );
        assert_eq!(lines.last(), Some(&"# EOF"));
    }
}
