//! Figures of a measured process: one line of JSON a row, in the same form by our own and by the
//! peer written in Go.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::allocations::counted;
use crate::measure::{Digest, Sample, Series, timed};

/// Costs of the turns of one row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// Name in the tables.
    pub row: String,
    /// Number of things written or found.
    #[serde(default)]
    pub count: u64,
    /// Hash of the answer, so that two sides can be compared.
    #[serde(default)]
    pub hash: String,
    /// User and system time of each turn.
    pub cpu_us: Vec<f64>,
    /// Wall clock of each turn.
    pub wall_us: Vec<f64>,
    /// Peak of the resident set above its size before.
    #[serde(default)]
    pub extra_kib: i64,
    /// User and system time of the first turn of all, when nothing was cached yet.
    #[serde(default)]
    pub first_us: f64,
    /// Wall clock of the longest call of all turns, if a turn has several.
    #[serde(default)]
    pub longest_us: f64,
    /// Allocations of one turn.
    #[serde(default)]
    pub allocs: u64,
    /// Bytes asked for in one turn.
    #[serde(default)]
    pub alloc_bytes: u64,
    /// Maximum number of bytes of one turn that were held only for a time.
    #[serde(default)]
    pub transient_bytes: u64,
    /// Number of bytes held at the end.
    #[serde(default)]
    pub kept_bytes: i64,
    /// Why there is no answer.
    #[serde(default)]
    pub failed: String,
}

/// Of more turns than this some are kept in `raw.json`.
const THINNED_FROM: usize = 100;
/// Number of those that are kept then.
const KEPT_TURNS: usize = 50;

impl Figures {
    /// The smallest CPU time of a turn, in ms: the value least disturbed by other programs on the
    /// machine.
    pub(crate) fn cpu_ms(&self) -> Option<f64> {
        least(&self.cpu_us).map(|us| us / 1e3)
    }

    /// The smallest wall clock of a turn, in ms.
    pub(crate) fn wall_ms(&self) -> Option<f64> {
        least(&self.wall_us).map(|us| us / 1e3)
    }

    /// Its form in `raw.json`: of many turns some are kept, evenly spaced from the shortest to the
    /// longest.
    pub(crate) fn series(&self, side: &str) -> Series {
        let mut turns: Vec<_> = self.cpu_us.iter().zip(&self.wall_us).collect();
        if turns.len() > THINNED_FROM {
            turns.sort_by(|one, other| one.1.total_cmp(other.1));
            let last = turns.len() - 1;
            turns = (0..KEPT_TURNS).map(|at| turns[at * last / (KEPT_TURNS - 1)]).collect();
        }
        let sample = |(cpu_us, wall_us): (&f64, &f64)| Sample {
            wall_ms: wall_us / 1e3,
            cpu_ms: cpu_us / 1e3,
            peak_mib: self.extra_kib as f64 / 1024.0,
            ..Sample::default()
        };
        Series {
            name: format!("{side}: {}", self.row),
            samples: turns.into_iter().map(sample).collect(),
            output: Digest { lines: self.count, sums: [0; 2] },
            failure: (!self.failed.is_empty()).then(|| self.failed.clone()),
        }
    }

    /// One measured turn, added.
    pub(crate) fn turn(&mut self, sample: &Sample) {
        self.cpu_us.push(sample.cpu_ms * 1e3);
        self.wall_us.push(sample.wall_ms * 1e3);
    }

    /// The turns of another run of the same row, added.
    pub(crate) fn join(&mut self, other: Figures) {
        self.cpu_us.extend(other.cpu_us);
        self.wall_us.extend(other.wall_us);
        self.extra_kib = self.extra_kib.max(other.extra_kib);
        self.longest_us = self.longest_us.max(other.longest_us);
    }

    /// Prints it on standard output.
    pub(crate) fn say(&self) -> Result<()> {
        let mut out = std::io::stdout().lock();
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }
}

/// The smallest value.
pub(crate) fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

/// Minimum duration of a batch of turns: clocks and counters are too coarse for one of 2 us.
const BATCH_MS: f64 = 3.0;

/// Number of turns of `wall_ms` each that make a batch of at least [`BATCH_MS`]; at least one.
fn turns_of_a_batch(wall_ms: f64) -> u32 {
    ((BATCH_MS / wall_ms.max(1e-4)).ceil() as u32).max(1)
}

/// Repeated work: each of `batches` measures is the mean of a batch. And once with its allocations
/// counted.
pub(crate) fn repeated(
    row: &str,
    batches: usize,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Figures> {
    let (done, first) = timed(&mut work);
    done?;
    let turns = turns_of_a_batch(first.wall_ms);
    let mut figures = Figures { row: row.to_owned(), ..Figures::default() };
    for _ in 0..batches {
        let (done, sum) = timed(|| (0..turns).try_for_each(|_| work()));
        done?;
        let mean = |sum: f64| sum / f64::from(turns);
        figures.turn(&Sample { wall_ms: mean(sum.wall_ms), cpu_ms: mean(sum.cpu_ms), ..sum });
    }
    let (done, asked) = counted(work);
    done?;
    (figures.allocs, figures.alloc_bytes) = (asked.count, asked.len);
    figures.transient_bytes = asked.transient();
    Ok(figures)
}

/// The resident set of this process, and its peak since [`from_here`], in KiB.
fn status_kib(key: &str) -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let value = line.and_then(|rest| rest.trim().split(' ').next());
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// The memory of this process that belongs to no file, in KiB.
pub(crate) fn anonymous_kib() -> i64 {
    status_kib("RssAnon")
}

/// Baseline of the memory measured from here on: the resident size.
pub(crate) struct FromHere {
    base_kib: i64,
}

/// Returns the allocator's free memory to the system, and resets the peak.
pub(crate) fn from_here() -> FromHere {
    crate::sys::give_memory_back();
    let base_kib = status_kib("VmRSS");
    // Linux: 5 resets the peak. On other systems the peak stays that of the whole process.
    fs::write("/proc/self/clear_refs", "5").ok();
    FromHere { base_kib }
}

impl FromHere {
    /// Peak of the resident size above the baseline.
    pub(crate) fn extra_kib(&self) -> i64 {
        self.peak_kib() - self.base_kib
    }

    /// Peak of the resident size.
    pub(crate) fn peak_kib(&self) -> i64 {
        status_kib("VmHWM")
    }
}

/// Runs a program that prints figures; `words` are its arguments.
pub(crate) fn of_process<S: AsRef<std::ffi::OsStr>>(
    program: &Path,
    words: impl IntoIterator<Item = S>,
) -> Result<Vec<Figures>> {
    let said = said_by(program, words)?;
    parsed(&said)
}

/// Figures by their lines.
fn parsed(said: &str) -> Result<Vec<Figures>> {
    said.lines().map(|line| serde_json::from_str(line).with_context(|| line.to_owned())).collect()
}

/// What a program prints that ends well.
fn said_by<S: AsRef<std::ffi::OsStr>>(
    program: &Path,
    words: impl IntoIterator<Item = S>,
) -> Result<String> {
    let output = Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("starting {}", program.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", output.status, said.lines().last().unwrap_or("it said nothing"));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs this program as a measured process of its own: a command of a kind.
pub(crate) fn of_ours<S: AsRef<std::ffi::OsStr>>(kind: &str, words: &[S]) -> Result<Vec<Figures>> {
    let said = said_by_ours(kind, words)?;
    parsed(&said)
}

/// The same of a command that prints lines of its own.
pub(crate) fn said_by_ours<S: AsRef<std::ffi::OsStr>>(kind: &str, words: &[S]) -> Result<String> {
    let program: PathBuf = std::env::current_exe()?;
    let words = std::iter::once(kind.as_ref()).chain(words.iter().map(AsRef::as_ref));
    said_by(&program, words)
}

/// Rows of several runs, those of the same name joined, in the order of the first.
pub(crate) fn joined(runs: impl IntoIterator<Item = Vec<Figures>>) -> Vec<Figures> {
    let mut all: Vec<Figures> = Vec::new();
    for figures in runs.into_iter().flatten() {
        match all.iter_mut().find(|one| one.row == figures.row) {
            Some(one) => one.join(figures),
            None => all.push(figures),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_name_are_joined() {
        let row = |row: &str, us: f64, extra_kib| Figures {
            row: row.to_owned(),
            cpu_us: vec![us],
            wall_us: vec![us],
            extra_kib,
            ..Figures::default()
        };
        let runs = [vec![row("a", 2e3, 7), row("b", 1e3, 0)], vec![row("a", 1e3, 5)]];
        let all = joined(runs);
        assert_eq!(all.iter().map(|one| one.row.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((all[0].cpu_ms(), all[0].extra_kib), (Some(1.0), 7));
    }

    #[test]
    fn of_many_turns_some_are_kept_from_the_shortest_to_the_longest() {
        let us: Vec<f64> = (0..1000).rev().map(f64::from).collect();
        let row = Figures { cpu_us: us.clone(), wall_us: us, ..Figures::default() };
        let kept: Vec<f64> =
            row.series("ours").samples.iter().map(|sample| sample.wall_ms * 1e3).collect();
        assert_eq!((kept.len(), kept[0], kept[KEPT_TURNS - 1]), (KEPT_TURNS, 0.0, 999.0));
        assert!(kept.is_sorted());
        let few = Figures { cpu_us: vec![2.0; 7], wall_us: vec![3.0; 7], ..Figures::default() };
        assert_eq!(few.series("ours").samples.len(), 7);
    }

    #[test]
    fn a_line_of_the_peer_is_read() {
        let line = r#"{"row":"open","count":0,"cpu_us":[5,4],"wall_us":[7.9,8],"extra_kib":12}"#;
        let figures: Figures = serde_json::from_str(line).unwrap();
        assert_eq!((figures.cpu_ms(), figures.wall_ms()), (Some(0.004), Some(0.0079)));
    }

    #[test]
    fn work_is_repeated_until_it_can_be_measured() {
        let turns = [10.0, 3.0, 2.0, 0.007, 0.0].map(turns_of_a_batch);
        assert_eq!(turns, [1, 1, 2, 429, 30_000]);
        let mut count = 0;
        let figures = repeated("it", 3, || {
            count += 1;
            Ok(())
        });
        assert_eq!(figures.unwrap().wall_us.len(), 3);
        // Once to see how long it takes, three batches, once for the allocations.
        assert!(count >= 5 && (count - 2) % 3 == 0, "{count}");
    }

    #[test]
    fn memory_that_was_taken_shows() {
        let before = from_here();
        let taken = vec![1u8; 64 << 20];
        assert!(std::hint::black_box(&taken)[7] == 1 && before.extra_kib() > 60 << 10);
    }
}
