//! The seed's tables: slices cold, hot, of a small partition, a scan with skips.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use manicule_format_sstable::Version;

use super::ask::Cost;
use super::jvm::{Jvm, Mode};
use super::tables::{PARTITION, SMALL, Shape};
use super::{Bench, KIND};
use crate::figures;
use crate::findings::Findings;
use crate::measure::{Digest, Sample, Series};
use crate::table::{Table, Target, tenth};

/// Numbers of rows of the seed's slices.
const COUNTS: [u64; 4] = [1, 32, 256, 4096];

/// Reads and KiB of the seed's binary search for them: from row 0, and from the middle of
/// 10 million.
const SEED: [[(u64, u64); 4]; 2] =
    [[(17, 188), (19, 160), (24, 764), (83, 8700)], [(21, 172), (22, 268), (37, 652), (88, 8844)]];

/// What one cold row of the middle may take when the upper levels of the search are in the cache:
/// reads, KiB.
const WARM: (f64, f64) = (9.0, 90.0);

const HEAD: [&str; 10] = [
    "slice",
    "reader",
    "time us",
    "CPU us",
    "reads",
    "KiB",
    "waited",
    "index hits",
    "misses",
    "blocks",
];

/// A reader and the costs of all slices of a table.
struct Lane {
    name: String,
    costs: Vec<Cost>,
}

/// The versions that peers read, each by the release that writes it.
const PEER_VERSIONS: [Version; 4] = [Version::Me, Version::Nb, Version::Oa, Version::Da];

/// Our costs, in a process of its own.
fn ours(
    bench: &Bench<'_>,
    name: &str,
    data: &Path,
    way: &[&str],
    slices: &[(u64, u64)],
) -> Result<Lane> {
    let mut words: Vec<OsString> = ["ask", "--data"].map(OsString::from).to_vec();
    words.push(data.into());
    words.extend(["--turns".into(), bench.turn_count.to_string().into(), "--way".into()]);
    words.extend(way.iter().map(OsString::from));
    words.extend(slices.iter().map(|(first, count)| format!("{first},{count}").into()));
    let said = figures::said_by_ours(KIND.name, &words)?;
    let costs = said.lines().map(|line| serde_json::from_str(line).context(line.to_owned()));
    Ok(Lane { name: name.to_owned(), costs: costs.collect::<Result<_>>()? })
}

/// Costs of each Cassandra over a table in the versions that it writes.
fn peers(
    bench: &Bench<'_>,
    shape: &Shape,
    mode: Mode,
    slices: &[(u64, u64)],
    findings: &mut Findings,
) -> Result<Vec<Lane>> {
    let mut lanes = Vec::new();
    for version in PEER_VERSIONS {
        let writer = bench.cassandras.iter().find(|one| one.writes().contains(&version));
        let Some(cassandra) = writer else { continue };
        let data = bench.needed(shape, version)?;
        let layout = if version.has_trie_index() { "bti" } else { "big" };
        let name = format!("Cassandra {} {version}", cassandra.release());
        let asked = || -> Result<Vec<Cost>> {
            let mut jvm = Jvm::start(cassandra, mode, &data, layout)?;
            slices.iter().map(|&(first, count)| jvm.cost(first, count, bench.turn_count)).collect()
        };
        match asked() {
            Ok(costs) => lanes.push(Lane { name, costs }),
            Err(error) => findings.left_out(format!("{name}: {error:#}")),
        }
    }
    Ok(lanes)
}

fn label((first, count): (u64, u64)) -> String {
    format!("{first}, {count}")
}

/// Adds the rows of a table, slice by slice, and its raw figures.
fn report(
    title: String,
    note: &str,
    slices: &[(u64, u64)],
    lanes: &[Lane],
    findings: &mut Findings,
) {
    let mut table = Table::new(title.clone(), note, &HEAD);
    for (at, slice) in slices.iter().enumerate() {
        for lane in lanes {
            let Some(cost) = lane.costs.get(at) else { continue };
            let is_ours = lane.name.starts_with("ours");
            let own = |count: u64| if is_ours { count.to_string() } else { "-".to_owned() };
            table.row(vec![
                label(*slice),
                lane.name.clone(),
                tenth(Some(cost.wall_us)),
                tenth(Some(cost.cpu_us)),
                cost.reads.to_string(),
                cost.read_bytes.div_ceil(1024).to_string(),
                own(cost.rounds),
                own(cost.hits),
                own(cost.misses),
                own(cost.populations),
            ]);
        }
        let series = lanes.iter().filter_map(|lane| Some(series(&lane.name, lane.costs.get(at)?)));
        findings.raw.push((format!("{title}/{}", label(*slice)), series.collect()));
    }
    findings.tables.push(table);
}

fn series(name: &str, cost: &Cost) -> Series {
    let (wall_ms, cpu_ms) = (cost.wall_us / 1e3, cost.cpu_us / 1e3);
    let sample = Sample { wall_ms, cpu_ms, ..Sample::default() };
    let output = Digest { lines: cost.count, sums: [cost.reads, cost.read_bytes] };
    Series { name: name.to_owned(), samples: vec![sample], output, failure: None }
}

const COLD_NOTE: &str = "First row and number of rows. Ours past the system's cache (O_DIRECT), with a cache that is empty, or has \
    what five slices elsewhere left in it; Cassandra by position, its files' pages dropped and the table opened again before each \
    slice. Time and CPU: medians. Waited: reads that had to wait for others. The host's cache is warm.";

/// Slices of the seed's partition, cold.
pub(super) fn cold_rows(bench: &Bench<'_>, shape: &Shape, findings: &mut Findings) -> Result<()> {
    let middle = shape.row_count / 2;
    let slices: Vec<(u64, u64)> =
        [0, middle].iter().flat_map(|first| COUNTS.map(|count| (*first, count))).collect();
    let data = bench.needed(shape, Version::Me)?;
    let mut lanes = vec![
        ours(bench, "ours", &data, &["cold"], &slices)?,
        ours(bench, "ours, upper levels cached", &data, &["warm"], &slices)?,
        ours(bench, "ours, without the index", &data, &["cold", "--scan"], &slices)?,
    ];
    if let Some(data) = bench.table(shape, Version::Da)? {
        lanes.push(ours(bench, "ours, da", &data, &["cold"], &slices)?);
    }
    let kib = |cost: &Cost| cost.read_bytes as f64 / 1024.0;
    for (at, (cost, slice)) in lanes[0].costs.iter().zip(&slices).enumerate() {
        let (reads, seed_kib) = SEED[at / COUNTS.len()][at % COUNTS.len()];
        let (row, what) = (label(*slice), format!("cold slices, {} rows", shape.row_count));
        let target = Target::at_most(1.0, 0.5);
        let share = cost.reads as f64 / reads as f64;
        findings.check(&what, "reads, ours / the seed", target, &row, Some(share));
        let share = kib(cost) / seed_kib as f64;
        findings.check(&what, "KiB, ours / the seed", target, &row, Some(share));
    }
    if let Some(cost) = lanes[1].costs.get(COUNTS.len()) {
        let what = format!("one row of the middle, upper levels cached, {} rows", shape.row_count);
        let reads = Some(cost.reads as f64);
        findings.check(&what, "reads", Target::at_most(WARM.0, 3.0), "", reads);
        findings.check(&what, "KiB", Target::at_most(WARM.1, 73.0), "", Some(kib(cost)));
    }
    let mut peers = peers(bench, shape, Mode::Cold, &slices, findings)?;
    for peer in &peers {
        let one = (peer.costs.get(COUNTS.len()), lanes[0].costs.get(COUNTS.len()));
        if let (Some(peer_cost), Some(own)) = one {
            let share = Some(kib(peer_cost) / kib(own));
            let target = Target::at_least(5.0, 10.0);
            findings.check(
                "one row of the middle, cold",
                "KiB of Cassandra / ours",
                target,
                &peer.name,
                share,
            );
        }
    }
    lanes.append(&mut peers);
    let title = format!("Slices of a partition of {} rows, cold", shape.row_count);
    report(title, COLD_NOTE, &slices, &lanes, findings);
    Ok(())
}

const HOT_NOTE: &str = "First row and number of rows. Everything in memory: files mapped, ours in one process, Cassandra's in one Java process \
    that has read 400,000 rows before. Per operation, medians.";

/// Slices of the seed's partition, hot.
pub(super) fn hot_rows(bench: &Bench<'_>, shape: &Shape, findings: &mut Findings) -> Result<()> {
    let middle = shape.row_count / 2;
    let slices: Vec<(u64, u64)> =
        [0, middle].iter().flat_map(|first| COUNTS.map(|count| (*first, count))).collect();
    let data = bench.needed(shape, Version::Me)?;
    let mut lanes = vec![ours(bench, "ours", &data, &["hot"], &slices)?];
    if let Some(data) = bench.table(shape, Version::Da)? {
        lanes.push(ours(bench, "ours, da", &data, &["hot"], &slices)?);
    }
    let mut peers = peers(bench, shape, Mode::Hot, &slices, findings)?;
    for peer in peers.iter().filter(|peer| !peer.name.ends_with("da")) {
        for ((own, peer_cost), (first, count)) in
            lanes[0].costs.iter().zip(&peer.costs).zip(&slices)
        {
            let row = format!("{}: {}", peer.name, label((*first, *count)));
            let wall = Some(peer_cost.wall_us / own.wall_us);
            let cpu = Some(peer_cost.cpu_us / own.cpu_us);
            if *count == 1 {
                let target = Target::at_least(1.0, 2.0);
                findings.check("hot, one row", "time of Cassandra / ours", target, &row, wall);
            } else if *count == 4096 {
                let target = Target::at_least(2.0, 4.0);
                findings.check("hot, 4,096 rows", "CPU of Cassandra / ours", target, &row, cpu);
            }
        }
    }
    lanes.append(&mut peers);
    let title = format!("Slices of a partition of {} rows, hot", shape.row_count);
    report(title, HOT_NOTE, &slices, &lanes, findings);
    Ok(())
}

/// A partition that is smaller than a block.
pub(super) fn small_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let mut slices: Vec<(u64, u64)> = [0, 200]
        .iter()
        .flat_map(|first| [1, 32, 256, 400].map(|count: u64| (*first, count.min(400 - first))))
        .collect();
    slices.dedup();
    let data = bench.needed(&SMALL, Version::Me)?;
    let lanes = vec![
        ours(bench, "ours", &data, &["cold"], &slices)?,
        ours(bench, "ours, without the index", &data, &["cold", "--scan"], &slices)?,
        ours(bench, "ours, hot", &data, &["hot"], &slices)?,
        ours(bench, "ours, hot, without the index", &data, &["hot", "--scan"], &slices)?,
    ];
    for (at, slice) in slices.iter().enumerate() {
        let row = label(*slice);
        let reads = lanes[0].costs.get(at).map(|cost| cost.reads as f64);
        findings.check("small partition", "reads", Target::at_most(2.0, 2.0), &row, reads);
        if let (Some(own), Some(scan)) = (lanes[2].costs.get(at), lanes[3].costs.get(at)) {
            let share = Some(own.wall_us / scan.wall_us);
            let target = Target::at_most(1.05, 1.0);
            findings.check(
                "small partition",
                "hot time by the index / without",
                target,
                &row,
                share,
            );
        }
    }
    report("A partition of 400 rows of 200 bytes".to_owned(), COLD_NOTE, &slices, &lanes, findings);
    Ok(())
}

const SKIPS_NOTE: &str = "All rows of the partition, past the system's cache; with skips the cells of every other row are left alone.";

/// A scan of which every other row is skipped.
pub(super) fn skip_rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let slices = [(0, PARTITION.row_count)];
    let data = bench.needed(&PARTITION, Version::Me)?;
    let lanes = vec![
        ours(bench, "ours, with skips", &data, &["skips"], &slices)?,
        ours(bench, "ours, all", &data, &["cold", "--scan"], &slices)?,
    ];
    if let (Some(skips), Some(all)) = (lanes[0].costs.first(), lanes[1].costs.first()) {
        let reads = Some(skips.reads as f64 / all.reads as f64);
        let cpu = Some(skips.cpu_us / all.cpu_us);
        let what = "scan with skips / without";
        findings.check(what, "reads", Target::at_most(1.01, 1.0), "", reads);
        findings.check(what, "CPU", Target::at_most(1.0, 0.9), "", cpu);
        let mib = Some(skips.peak_bytes as f64 / (1 << 20) as f64);
        findings.check("scan with skips", "memory, MiB", Target::at_most(4.0, 3.0), "", mib);
    }
    report("A scan with skips".to_owned(), SKIPS_NOTE, &slices, &lanes, findings);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_has_a_figure_for_each_slice() {
        assert_eq!(SEED.len() * SEED[0].len(), 2 * COUNTS.len());
        assert_eq!(label((500_000, 32)), "500000, 32");
    }
}
