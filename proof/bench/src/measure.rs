//! One process measured: wall clock, CPU, peak memory; several in turns; medians and ratios.
//!
//! A measured process writes to a file and not to the null device (ripgrep stops at the first
//! match there), reads nothing from standard input, and inherits no settings of the peers.
//! Processes that it leaves running are waited for before the next one starts.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::sys::{self, Patience};

/// Variables that change the behaviour of the measured programs.
const FOREIGN_SETTINGS: &[&str] = &[
    "RIPGREP_CONFIG_PATH",
    "GLEP_INDEX_PATH",
    "GLEP_THREADS",
    "GLEP_TIMING",
    "GLEP_SYNC_BUILD",
    "GLEP_BG_BUILD_MIN_BYTES",
    "CSEARCHINDEX",
    "MANICULE_CACHE_DIR",
];

/// Maximum time that the bench waits for a process that outlives its parent.
const ORPHAN_TIME_MAX: Duration = Duration::from_secs(300);

/// One command line, with the folder it runs in.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// Name in the tables.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Folder where it runs.
    pub folder: PathBuf,
    /// Variables set for it.
    pub env: Vec<(OsString, OsString)>,
}

impl Task {
    /// A command line without variables.
    pub(crate) fn new(name: &str, program: &Path, folder: &Path) -> Self {
        Task {
            name: name.to_owned(),
            program: program.to_owned(),
            args: Vec::new(),
            folder: folder.to_owned(),
            env: Vec::new(),
        }
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Adds a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.into(), value.as_ref().to_owned()));
        self
    }
}

/// One run of a task.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Sample {
    /// Wall clock from before the start to the end of the process.
    pub wall_ms: f64,
    /// User and system time.
    pub cpu_ms: f64,
    /// Largest resident set.
    pub peak_mib: f64,
    /// CPU of the processes that it left running when it ended.
    pub after_cpu_ms: f64,
    /// Exit code.
    pub exit: i32,
}

/// Runs a task once, standard output into `out`; errors of the program go beside it.
pub(crate) fn run(task: &Task, out: &Path) -> Result<Sample> {
    let errors = out.with_extension("err");
    let mut command = Command::new(&task.program);
    command
        .args(&task.args)
        .current_dir(&task.folder)
        .stdin(Stdio::null())
        .stdout(File::create(out).with_context(|| format!("creating {}", out.display()))?)
        .stderr(File::create(&errors)?);
    for name in FOREIGN_SETTINGS {
        command.env_remove(name);
    }
    command.envs(task.env.iter().map(|(name, value)| (name, value)));
    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("starting {}", task.program.display()))?;
    let usage = sys::wait(child.id() as i32, Patience::Block)?;
    let wall_ms = start.elapsed().as_secs_f64() * 1e3;
    let usage = usage.context("a blocking wait came back with nothing")?;
    if usage.exit > 1 {
        let said = std::fs::read_to_string(&errors).unwrap_or_default();
        let said = said.lines().next().unwrap_or("nothing on standard error");
        bail!("{} {:?} ended with {}: {said}", task.name, task.args, usage.exit);
    }
    Ok(Sample {
        wall_ms,
        cpu_ms: usage.cpu_ms,
        peak_mib: usage.peak_kib as f64 / 1024.0,
        after_cpu_ms: reap_orphans(&task.name)?,
        exit: usage.exit,
    })
}

/// Waits for the processes that a measured one left running; returns their CPU.
fn reap_orphans(name: &str) -> Result<f64> {
    let start = Instant::now();
    let mut cpu_ms = 0.0;
    loop {
        match sys::wait(-1, Patience::Poll) {
            Ok(Some(usage)) => cpu_ms += usage.cpu_ms,
            Ok(None) if start.elapsed() > ORPHAN_TIME_MAX => {
                bail!("{name} left a process running for over {ORPHAN_TIME_MAX:?}")
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(cpu_ms),
            Err(error) => return Err(error.into()),
        }
    }
}

/// A task that takes its turns, and the work before each of them.
pub(crate) struct Lane<'a> {
    /// The task.
    pub task: Task,
    /// Runs before each turn, outside the measured time.
    pub before: Option<Box<dyn FnMut() -> Result<()> + 'a>>,
}

impl From<Task> for Lane<'_> {
    fn from(task: Task) -> Self {
        Lane { task, before: None }
    }
}

/// Everything measured of one task.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Series {
    /// Name in the tables.
    pub name: String,
    /// Samples, one a turn.
    pub samples: Vec<Sample>,
    /// Digest of its output in the first turn.
    pub output: Digest,
    /// Reason why there are no samples.
    pub failure: Option<String>,
}

impl Series {
    /// Median wall clock.
    pub(crate) fn wall_ms(&self) -> Option<f64> {
        self.median(|sample| sample.wall_ms)
    }

    /// Median CPU time.
    pub(crate) fn cpu_ms(&self) -> Option<f64> {
        self.median(|sample| sample.cpu_ms)
    }

    /// Median of the peaks.
    pub(crate) fn peak_mib(&self) -> Option<f64> {
        self.median(|sample| sample.peak_mib)
    }

    /// Median of one measure over all turns.
    pub(crate) fn median(&self, measure: impl Fn(&Sample) -> f64) -> Option<f64> {
        median(self.samples.iter().map(measure).collect())
    }
}

/// Runs the lanes in turns, A B C A B C ...; the first `discarded` rounds only warm up.
/// A lane that fails keeps its reason and takes no more turns.
pub(crate) fn interleave(
    lanes: &mut [Lane<'_>],
    discarded: usize,
    runs: usize,
    out: &Path,
) -> Result<Vec<Series>> {
    let mut all: Vec<Series> = lanes
        .iter()
        .map(|lane| Series {
            name: lane.task.name.clone(),
            samples: Vec::new(),
            output: Digest::default(),
            failure: None,
        })
        .collect();
    for round in 0..discarded + runs {
        for (lane, series) in lanes.iter_mut().zip(&mut all) {
            if series.failure.is_some() {
                continue;
            }
            if let Some(before) = &mut lane.before {
                before()?;
            }
            match run(&lane.task, out) {
                Ok(sample) => {
                    if round == 0 {
                        series.output = digest(out)?;
                    }
                    if round >= discarded {
                        series.samples.push(sample);
                    }
                }
                Err(error) => {
                    eprintln!("  {error:#}");
                    series.failure = Some(format!("{error:#}"));
                }
            }
        }
    }
    Ok(all)
}

/// Does work in this process, and measures it; its peak can't be known.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, Sample) {
    let (start, cpu_ms) = (Instant::now(), sys::own_cpu_ms());
    let result = work();
    let cpu_ms = sys::own_cpu_ms() - cpu_ms;
    (result, Sample { wall_ms: start.elapsed().as_secs_f64() * 1e3, cpu_ms, ..Sample::default() })
}

/// A measure of a sample.
pub(crate) type Measure = fn(&Sample) -> f64;
/// Wall clock, in ms.
pub(crate) const WALL: Measure = |sample| sample.wall_ms;
/// User and system time, in ms.
pub(crate) const CPU: Measure = |sample| sample.cpu_ms;
/// Largest resident set, in MiB.
pub(crate) const PEAK: Measure = |sample| sample.peak_mib;

/// Way to compare two series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// The ratio of the medians.
    Medians,
    /// The median of the ratios of each pair of turns: steadier if the machine drifts.
    Pairs,
}

/// `over / under` by one measure.
pub(crate) fn ratio(
    over: &Series,
    under: &Series,
    pairing: Pairing,
    measure: impl Fn(&Sample) -> f64,
) -> Option<f64> {
    match pairing {
        Pairing::Medians => Some(over.median(&measure)? / under.median(&measure)?),
        Pairing::Pairs => median(
            over.samples
                .iter()
                .zip(&under.samples)
                .map(|(over, under)| measure(over) / measure(under))
                .collect(),
        ),
    }
}

/// The middle value; of an even count the mean of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        count if count % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// The lines of an output without their order: equal digests mean equal sorted lines.
///
/// Sums of two hashes of each line, so that the bench holds no output in memory: what it holds
/// itself would count as peak memory of the processes that it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Digest {
    /// Lines.
    pub lines: u64,
    /// Two sums of hashes.
    pub sums: [u64; 2],
}

/// Digests a file. A leading `./` of a line is left out: glep doesn't print it.
pub(crate) fn digest(path: &Path) -> Result<Digest> {
    digest_lines(BufReader::new(File::open(path)?))
}

fn digest_lines(mut bytes: impl BufRead) -> Result<Digest> {
    let mut digest = Digest::default();
    let mut line = Vec::new();
    while bytes.read_until(b'\n', &mut line)? > 0 {
        let kept = line.strip_prefix(b"./").unwrap_or(&line);
        digest.lines += 1;
        for (sum, seed) in digest.sums.iter_mut().zip([0xcbf2_9ce4_8422_2325, 0x84_2223_25cb]) {
            *sum = sum.wrapping_add(line_hash(kept, seed));
        }
        line.clear();
    }
    Ok(digest)
}

/// Eight bytes at a time, with a final avalanche: sums of plain FNV values would collide.
fn line_hash(line: &[u8], seed: u64) -> u64 {
    let mut hash = seed ^ (line.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for chunk in line.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        hash ^= hash >> 32;
    }
    hash = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(walls: &[f64]) -> Series {
        let sample = |&wall_ms: &f64| Sample {
            wall_ms,
            cpu_ms: 2.0 * wall_ms,
            peak_mib: 1.0,
            after_cpu_ms: 0.0,
            exit: 0,
        };
        Series {
            name: "it".to_owned(),
            samples: walls.iter().map(sample).collect(),
            output: Digest::default(),
            failure: None,
        }
    }

    #[test]
    fn a_median_is_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0]), Some(3.0));
        assert_eq!(median(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }

    #[test]
    fn pairs_and_medians_differ_when_the_machine_drifts() {
        let (slow, fast) = (series(&[10.0, 20.0, 60.0]), series(&[5.0, 4.0, 30.0]));
        let wall = |sample: &Sample| sample.wall_ms;
        assert_eq!(ratio(&slow, &fast, Pairing::Medians, wall), Some(4.0));
        assert_eq!(ratio(&slow, &fast, Pairing::Pairs, wall), Some(2.0));
        assert_eq!(ratio(&slow, &series(&[]), Pairing::Medians, wall), None);
    }

    #[test]
    fn a_digest_knows_lines_and_no_order() {
        let of = |text: &str| digest_lines(text.as_bytes()).unwrap();
        assert_eq!(of("a:1\nb:2\n"), of("b:2\na:1\n"));
        assert_eq!(of("./a:1\n"), of("a:1\n"));
        assert_ne!(of("a:1\nb:2\n"), of("a:2\nb:1\n"));
        assert_ne!(of("a\n"), of("a"));
        assert_ne!(of("a\na\n"), of("a\n"));
        assert_eq!(of("a\nb\n").lines, 2);
    }

    #[test]
    fn a_process_is_measured_and_its_output_read() {
        let folder = std::env::temp_dir();
        let out = folder.join(format!("manicule-bench-test-{}", std::process::id()));
        let task = Task::new("sh", Path::new("/bin/sh"), &folder).args(["-c", "echo hi; exit 1"]);
        let sample = run(&task, &out).unwrap();
        assert_eq!(sample.exit, 1);
        assert!(sample.wall_ms > 0.0 && sample.peak_mib > 0.0, "{sample:?}");
        assert_eq!(digest(&out).unwrap().lines, 1);
        let failing = Task::new("sh", Path::new("/bin/sh"), &folder)
            .args(["-c", "echo what to do >&2; exit 2"]);
        let error = run(&failing, &out).unwrap_err().to_string();
        assert!(error.contains("what to do"), "{error}");
        for path in [out.with_extension("err"), out] {
            std::fs::remove_file(path).unwrap();
        }
    }
}
