//! Benchmarks of a Go package, run as its authors would, and their lines read.
//!
//! ```text
//! BenchmarkEncodeIndex/100-2    2424    475123 ns/op    145 B/op    3 allocs/op
//! ```

use std::path::Path;

use anyhow::{Context, Result};

use crate::figures::Figures;
use crate::measure::{self, Task};

/// A compiled test package.
pub(super) struct GoBench<'a> {
    pub(super) program: &'a Path,
    /// Folder for its output.
    pub(super) scratch: &'a Path,
}

impl GoBench<'_> {
    /// Runs one benchmark with its parts, `count` times each, for as long as Go thinks right. The
    /// figures are the wall clock of an operation: Go gives no CPU time.
    pub(super) fn run(&self, benchmark: &str, count: usize) -> Result<Vec<Figures>> {
        let out = self.scratch.join("go-bench");
        let task = Task::new(benchmark, self.program, self.scratch)
            .args(["-test.run", "^$", "-test.bench"])
            .args([format!("^Benchmark{benchmark}$")])
            .args(["-test.benchmem", "-test.count"])
            .args([count.to_string()]);
        measure::run(&task, &out)?;
        let text = std::fs::read_to_string(&out).with_context(|| out.display().to_string())?;
        let mut rows: Vec<Figures> = Vec::new();
        for figures in text.lines().filter_map(read_line) {
            match rows.iter_mut().find(|one| one.row == figures.row) {
                Some(one) => one.join(figures),
                None => rows.push(figures),
            }
        }
        Ok(rows)
    }
}

/// The figures of a line, if it is one of a benchmark.
fn read_line(line: &str) -> Option<Figures> {
    let mut words = line.split_ascii_whitespace();
    let name = without_processors(words.next()?.strip_prefix("Benchmark")?);
    let _repeats: u64 = words.next()?.parse().ok()?;
    let mut figures = Figures { row: name.to_owned(), ..Figures::default() };
    while let (Some(value), Some(unit)) = (words.next(), words.next()) {
        match unit {
            "ns/op" => figures.wall_us.push(value.parse::<f64>().ok()? / 1e3),
            "B/op" => figures.alloc_bytes = value.parse().ok()?,
            "allocs/op" => figures.allocs = value.parse().ok()?,
            _ => {}
        }
    }
    (!figures.wall_us.is_empty()).then_some(figures)
}

/// A name without the number of processors that Go appends, where there are several.
fn without_processors(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((name, count)) if count.parse::<u32>().is_ok() => name,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_benchmarks_are_read_and_others_are_not() {
        let line =
            "BenchmarkEncodeIndex/100-2 \t    2424\t    475123 ns/op\t  145 B/op\t  3 allocs/op";
        let figures = read_line(line).unwrap();
        assert_eq!((figures.row.as_str(), figures.wall_us[0]), ("EncodeIndex/100", 475.123));
        assert_eq!((figures.alloc_bytes, figures.allocs), (145, 3));
        let line = "BenchmarkMasterIndexLookupParallel/known,indices=25-2   300  58.25 ns/op";
        assert_eq!(read_line(line).unwrap().row, "MasterIndexLookupParallel/known,indices=25");
        assert_eq!(
            read_line("BenchmarkIndexMapHash 9 1049 ns/op 3904.5 MB/s").unwrap().row,
            "IndexMapHash"
        );
        for line in ["goos: linux", "PASS", "ok  \tpackage\t3.2s", "BenchmarkEncodeIndex", ""] {
            assert!(read_line(line).is_none(), "{line}");
        }
    }
}
