//! Slices inside one process of Cassandra's: asked by lines, answered by lines.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result, ensure};
use manicule_sstables::Cassandra;

use super::ask::Cost;
use crate::measure::median;
use crate::sys;

/// Repetitions before a hot slice is measured, in rows: Java compiles what runs often.
const WARM_UP_ROW_COUNT: u64 = 400_000;
/// Repetitions of a hot slice within a turn, in rows.
const HOT_ROW_COUNT: u64 = 40_000;

/// The way Cassandra reads its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Mapped, repeated.
    Hot,
    /// By position, pages of the system dropped before.
    Cold,
}

/// A running program `Timed`.
pub(super) struct Jvm {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    data: PathBuf,
    mode: Mode,
}

impl Jvm {
    /// Starts one that has a table of Big's open; `layout` is the word in its files' names.
    pub(super) fn start(
        cassandra: &Cassandra,
        mode: Mode,
        data: &Path,
        layout: &str,
    ) -> Result<Jvm> {
        let access = if mode == Mode::Hot { "mmap" } else { "standard" };
        let name = data.parent().and_then(Path::file_name).context("a table has a folder")?;
        let words = [layout.as_ref(), access.as_ref(), data.as_os_str(), name];
        let mut child = cassandra
            .command("Timed", words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("starting Cassandra")?;
        let questions = child.stdin.take().context("its input is a pipe")?;
        let answers = BufReader::new(child.stdout.take().context("its output is a pipe")?);
        Ok(Jvm { child, questions, answers, data: data.to_owned(), mode })
    }

    /// What a slice costs.
    pub(super) fn cost(&mut self, first: u64, count: u64, turn_count: usize) -> Result<Cost> {
        let (mut walls, mut cpus, mut last) = (Vec::new(), Vec::new(), Cost::default());
        let repetitions = match self.mode {
            Mode::Hot => {
                self.ask(first, count, (WARM_UP_ROW_COUNT / count).max(20))?;
                (HOT_ROW_COUNT / count).max(1)
            }
            Mode::Cold => 1,
        };
        for _ in 0..turn_count {
            if self.mode == Mode::Cold {
                drop_pages_of_folder(&self.data)?;
            }
            last = self.ask(first, count, repetitions)?;
            walls.push(last.wall_us);
            cpus.push(last.cpu_us);
        }
        last.wall_us = median(walls).unwrap_or_default();
        last.cpu_us = median(cpus).unwrap_or_default();
        Ok(last)
    }

    fn ask(&mut self, first: u64, count: u64, turns: u64) -> Result<Cost> {
        writeln!(self.questions, "{first} {count} {turns}")?;
        self.questions.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let cost = parse(&line).with_context(|| format!("Cassandra answers {line:?}"))?;
        ensure!(cost.count == count * turns, "{} rows, not {}", cost.count, count * turns);
        let each = |us: f64| us / turns as f64;
        let (wall_us, cpu_us) = (each(cost.wall_us), each(cost.cpu_us));
        let (reads, read_bytes) = (cost.reads / turns, cost.read_bytes / turns);
        Ok(Cost { first, count, wall_us, cpu_us, reads, read_bytes, ..Cost::default() })
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        // It would end with its input too; nothing is lost if it is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Its line: rows, ns, ns of the thread, reads, bytes.
fn parse(line: &str) -> Option<Cost> {
    let mut numbers = line.split_whitespace().map(|word| word.parse::<i64>().ok());
    let mut next = || numbers.next().flatten();
    let (count, wall_ns, cpu_ns) = (next()?, next()?, next()?);
    let (reads, read_bytes) = (next()?.max(0) as u64, next()?.max(0) as u64);
    let (wall_us, cpu_us) = (wall_ns as f64 / 1e3, cpu_ns as f64 / 1e3);
    Some(Cost { count: count as u64, wall_us, cpu_us, reads, read_bytes, ..Cost::default() })
}

/// Drops the system's pages of all files beside a table's data.
fn drop_pages_of_folder(data: &Path) -> Result<()> {
    for entry in fs::read_dir(data.parent().context("a table has a folder")?)? {
        let path = entry?.path();
        sys::drop_pages(&File::open(&path)?).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_costs_is_read() {
        let cost = parse("32 12500 9000 3 -5\n").unwrap();
        assert_eq!((cost.count, cost.wall_us, cost.cpu_us), (32, 12.5, 9.0));
        assert_eq!((cost.reads, cost.read_bytes), (3, 0));
        assert!(parse("32 x").is_none() && parse("").is_none());
    }
}
