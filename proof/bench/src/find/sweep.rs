//! The sweep alone: proving a tree unchanged, beside the barest loop that asks the kernel for the
//! same facts, and beside ripgrep's walk.
//!
//! The loop gets a list of folders and names, opens each folder as a handle and asks for the times
//! of the folder and of each file by handle and name, on as many threads as there are cores (at
//! most as many as ours would take). It is this program started again, so that it is measured as
//! one process like the others.
//!
//! The list: `| folder NUL | name NUL | ... | NUL |` for each folder, in the order of paths.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::Bench;
use super::states::{for_each_file, receipt};
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Task, WALL, interleave, ratio};
use crate::sys;
use crate::table::{self, Table, Target, wall_cpu};

/// The hidden subcommand of the measured process.
pub(crate) const CHILD: &str = "bare-sweep";

/// Folders that a thread takes at a time, so that neighbours in the tree stay together.
const FOLDERS_AT_ONCE: usize = 16;

/// Ours, the bare loop, ripgrep's walk.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let list = bench.scratch.join("sweep-list");
    write_list(bench, &list)?;
    let nothing = ["-e".to_owned(), "zzqqxxyynotthere".to_owned()];
    let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let bare = |name: &str, threads: &str| {
        Task::new(name, Path::new(""), bench.tree).args([
            CHILD.as_ref(),
            list.as_os_str(),
            threads.as_ref(),
        ])
    };
    let program = std::env::current_exe()?;
    let mut tasks = [
        Task::new("rg --files", &bench.programs.rg, bench.tree).args(["--files"]),
        bench.find("manicule, no match", &[], &nothing),
        bare("bare loop", &threads),
        bare("bare loop, 1 thread", "1"),
    ];
    for task in &mut tasks[2..] {
        task.program = program.clone();
    }
    let mut lanes: Vec<Lane<'_>> = tasks.into_iter().map(Lane::from).collect();
    let series = interleave(&mut lanes, 1, bench.run_count, &bench.out())?;
    if let Some(failure) = &series[2].failure {
        bail!("the bare loop failed: {failure}");
    }

    let head =
        ["program", "wall / CPU", "wall / bare loop", "CPU / bare loop", "CPU rg --files / it"];
    let note = format!(
        "Whole processes, wall / CPU in ms. Ours searches for a text that isn't there: sweep, \
         look-up and nothing to read. The bare loop runs on {threads} threads."
    );
    let mut table = Table::new(format!("{name}: sweep"), &note, &head);
    for one in &series {
        table.row(vec![
            one.name.clone(),
            wall_cpu(one.wall_ms(), one.cpu_ms()),
            table::times(ratio(one, &series[2], bench.pairing, WALL)),
            table::times(ratio(one, &series[2], bench.pairing, CPU)),
            table::times(ratio(&series[0], one, bench.pairing, CPU)),
        ]);
    }
    findings.tables.push(table);
    let what = format!("{name}, sweep");
    let mut held = |measure: &str, target: Target, figure: Option<f64>| {
        findings.check(&what, measure, target, "no match", figure);
    };
    let walk = ratio(&series[0], &series[1], bench.pairing, CPU);
    held("CPU of rg --files / ours", Target::at_least(1.5, 2.5), walk);
    let whole = ratio(&series[1], &series[2], bench.pairing, WALL);
    held("wall of ours / a bare loop", Target::at_most(1.1, 1.0), whole);

    // The phase alone, where the receipt names it, beside the loop alone.
    let inner = inner_ms(bench, &list, &threads)?;
    let phase = receipt(bench, &nothing).unwrap_or_default().into_iter().find(|(field, _)| {
        ["check", "sweep", "fresh"].iter().any(|word| field.contains(word))
            && (field.ends_with("_ms") || field.ends_with("_us"))
    });
    if let Some((field, value)) = phase {
        let phase_ms = if field.ends_with("_us") { value / 1e3 } else { value };
        held(
            "sweep phase of the receipt / the loop alone",
            Target::at_most(1.1, 1.0),
            Some(phase_ms / inner),
        );
    }
    findings.raw.push((format!("{name}/sweep"), series));
    Ok(())
}

/// The loop's own clock, without the start of the process and the reading of the list.
fn inner_ms(bench: &Bench<'_>, list: &Path, threads: &str) -> Result<f64> {
    let task = Task::new("bare loop", &std::env::current_exe()?, bench.tree).args([
        CHILD.as_ref(),
        list.as_os_str(),
        threads.as_ref(),
    ]);
    let mut times = Vec::new();
    for _ in 0..=bench.run_count {
        measure::run(&task, &bench.out())?;
        let said = fs::read_to_string(bench.out())?;
        let field = said.split_whitespace().next().context("the bare loop says nothing")?;
        times.push(field.parse()?);
    }
    times.remove(0);
    measure::median(times).context("no turns")
}

/// Writes the list: every folder above a file that ripgrep searches, and those files.
fn write_list(bench: &Bench<'_>, list: &Path) -> Result<()> {
    let mut folders: BTreeMap<PathBuf, Vec<OsString>> = BTreeMap::new();
    for_each_file(bench, &[], |path| {
        let below = path.strip_prefix(bench.tree)?;
        let name = below.file_name().context("a file has a name")?;
        for folder in below.ancestors().skip(1) {
            folders.entry(folder.to_owned()).or_default();
        }
        let folder = below.parent().unwrap_or(Path::new(""));
        folders.entry(folder.to_owned()).or_default().push(name.to_owned());
        Ok(())
    })?;
    let mut out = BufWriter::new(File::create(list)?);
    for (folder, names) in &folders {
        let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        for name in std::iter::once(shown.as_os_str()).chain(names.iter().map(OsString::as_os_str))
        {
            out.write_all(name.as_bytes())?;
            out.write_all(&[0])?;
        }
        out.write_all(&[0])?;
    }
    Ok(out.flush()?)
}

/// The measured process: `LIST THREADS`, in the tree. Prints the loop's wall and CPU in ms, and
/// the number of files and folders, and a number that depends on all of them.
pub(crate) fn child(words: Vec<OsString>) -> Result<()> {
    let [list, threads] = <[OsString; 2]>::try_from(words)
        .map_err(|_| anyhow::anyhow!("usage: {CHILD} LIST THREADS"))?;
    let threads: usize = threads.to_string_lossy().parse()?;
    let list = fs::read(OsString::from_vec(list.into_vec()))?;
    let folders = split_list(&list);
    let (start, cpu) = (Instant::now(), sys::own_cpu_ms());
    let (count, mix) = sweep(&list, &folders, threads)?;
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    println!("{wall_ms:.3} {:.3} {count} {mix}", sys::own_cpu_ms() - cpu);
    Ok(())
}

/// Start of each folder's part of the list.
fn split_list(list: &[u8]) -> Vec<usize> {
    let mut folders = Vec::new();
    let mut at = 0;
    while at < list.len() {
        folders.push(at);
        let end = list[at..].windows(2).position(|pair| pair == [0, 0]);
        at += end.map_or(list.len() - at, |end| end + 2);
    }
    folders
}

fn sweep(list: &[u8], folders: &[usize], threads: usize) -> Result<(u64, u64)> {
    let root = sys::open_folder(None, c".")?;
    let (next, count, mix) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        let (mut seen, mut sum) = (0, 0u64);
        loop {
            let first = next.fetch_add(FOLDERS_AT_ONCE, Ordering::Relaxed);
            if first >= folders.len() {
                break;
            }
            let last = (first + FOLDERS_AT_ONCE).min(folders.len());
            for &at in &folders[first..last] {
                let mut rest = &list[at..];
                let mut take = || {
                    let name = CStr::from_bytes_until_nul(rest).ok()?;
                    rest = &rest[name.count_bytes() + 1..];
                    (!name.is_empty()).then_some(name)
                };
                let Some(folder) = take() else { continue };
                let Ok(handle) = sys::open_folder(Some(&root), folder) else { continue };
                sum = sum.wrapping_add(sys::fingerprint(&handle, c"").unwrap_or(0));
                seen += 1;
                while let Some(name) = take() {
                    sum = sum.wrapping_add(sys::fingerprint(&handle, name).unwrap_or(0));
                    seen += 1;
                }
            }
        }
        count.fetch_add(seen, Ordering::Relaxed);
        mix.fetch_add(sum, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    Ok((count.into_inner(), mix.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_splits_into_folders() {
        assert_eq!(split_list(b".\0a\0b\0\0sub\0c\0\0"), [0, 7]);
        assert_eq!(split_list(b""), [0; 0]);
    }

    #[test]
    fn the_loop_sees_every_file_and_folder() {
        let list = b".\0Cargo.toml\0\0src\0main.rs\0nowhere.rs\0\0";
        let one = sweep(list, &split_list(list), 1).unwrap();
        let two = sweep(list, &split_list(list), 2).unwrap();
        assert_eq!(one, two);
        assert_eq!(one.0, 5);
        assert_ne!(one.1, 0);
    }
}
