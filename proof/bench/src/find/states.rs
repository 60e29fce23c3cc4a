//! The rows on a tree in other states: searched for the first time, cold, just changed; and the
//! phases that our own receipt lists.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};

use super::rows::{EQUAL, same_lines};
use super::{Bench, patterns};
use crate::findings::Findings;
use crate::measure::{self, CPU, Lane, Series, Task, WALL, interleave, ratio};
use crate::sys;
use crate::table::{self, Table, Target, wall_cpu};

/// Number of files in a change.
const CHANGED_COUNT: usize = 100;

/// A time longer than the resolution of the coarsest clock that the index allows for, two seconds.
const SETTLE: Duration = Duration::from_millis(2_200);

/// The first call in a tree, with a new cache folder each time: a tree of ten files, and this one.
pub(super) fn first(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let small = bench.scratch.join("ten");
    ten_files(&small)?;
    let fresh = bench.scratch.join("cache-first");
    let head = [
        "tree",
        "rg",
        "manicule",
        "wall rg/ours",
        "CPU rg/ours",
        "CPU after the answer, ms",
        "lines as rg's",
    ];
    let note = "Wall / CPU in ms to the end of the process; the cache folder is empty before each \
                turn. What is built after the answer is waited for, and is in no figure but its own.";
    let mut table = Table::new(format!("{name}: first call in a tree"), note, &head);
    let query = ["-n", "--no-heading", "-e", "needle", "."];
    let trees = [
        ("ten files", small.as_path(), query, 4 * bench.run_count),
        (
            name,
            bench.tree,
            ["-n", "--no-heading", "-e", "DeepCopyInto|dma_alloc_coherent", "."],
            bench.run_count,
        ),
    ];
    for (label, tree, query, run_count) in trees {
        let rg = Task::new("rg", &bench.programs.rg, tree).args(query);
        let mut ours = bench.manicule("manicule", &fresh).args(["find"]).args(query);
        ours.folder = tree.to_owned();
        let empty = || {
            if fresh.exists() {
                fs::remove_dir_all(&fresh)?;
            }
            Ok(())
        };
        let mut lanes = [Lane::from(rg), Lane { task: ours, before: Some(Box::new(empty)) }];
        let series = interleave(&mut lanes, 1, run_count, &bench.out())?;
        let equal = same_lines(&series, &["manicule"]);
        if equal != EQUAL {
            findings.different.push(format!("{name}: first call, {label}: {equal}"));
        }
        let wall = ratio(&series[0], &series[1], bench.pairing, WALL);
        table.row(vec![
            label.to_owned(),
            wall_cpu(series[0].wall_ms(), series[0].cpu_ms()),
            wall_cpu(series[1].wall_ms(), series[1].cpu_ms()),
            table::times(wall),
            table::times(ratio(&series[0], &series[1], bench.pairing, CPU)),
            table::ms(series[1].median(|sample| sample.after_cpu_ms)),
            equal,
        ]);
        // The last result comes no later than ripgrep's, within a tenth; in a small tree no
        // slower at all, a twentieth being noise.
        let least = if tree == bench.tree { 0.9 } else { 0.95 };
        let target = Target::at_least(least, 1.0);
        let what = format!("{name}, first call");
        findings.check(&format!("{what}, {label}"), "wall of rg / ours", target, label, wall);
        findings.raw.push((format!("{name}/first/{label}"), series));
    }
    findings.tables.push(table);
    Ok(())
}

/// Ten small files, one line of which holds the word that is searched for.
fn ten_files(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder.join("below"))?;
    for number in 0..10 {
        let place = if number % 2 == 0 { "." } else { "below" };
        let mut text = format!("file {number}\n").repeat(200);
        if number == 7 {
            text += "here is the needle\n";
        }
        fs::write(folder.join(place).join(format!("{number}.txt")), text)?;
    }
    Ok(())
}

/// The phases of our own receipt.
pub(super) fn phases(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let note = "Every number of `--receipt --json`, medians.";
    let mut columns: Vec<(String, Vec<(String, f64)>)> = Vec::new();
    for pattern in patterns::samples(bench.corpus) {
        let numbers = receipt(bench, &pattern.query())?;
        columns.push((pattern.name(), numbers));
    }
    let mut head = vec!["field"];
    head.extend(columns.iter().map(|(label, _)| label.as_str()));
    let mut table = Table::new(format!("{name}: receipt"), note, &head);
    let fields: Vec<String> = columns[0].1.iter().map(|(field, _)| field.clone()).collect();
    for field in fields {
        let value = |numbers: &[(String, f64)]| {
            numbers.iter().find(|(known, _)| *known == field).map(|&(_, value)| value)
        };
        let mut cells = vec![field.clone()];
        cells.extend(columns.iter().map(|(_, numbers)| figure(value(numbers))));
        table.row(cells);
    }
    findings.tables.push(table);
    Ok(())
}

fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.fract() == 0.0 => format!("{value}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// Medians of all numbers in the receipt, by their path in it.
pub(super) fn receipt(bench: &Bench<'_>, query: &[String]) -> Result<Vec<(String, f64)>> {
    let cache = bench.cache();
    let task = bench
        .manicule("manicule --receipt", &cache)
        .args(["find", "--receipt", "--json"])
        .args(query)
        .args(["."]);
    let out = bench.out();
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for round in 0..=bench.run_count {
        measure::run(&task, &out)?;
        if round == 0 {
            continue;
        }
        let Some(data) = receipt_of(&out)? else {
            bail!("`find --receipt --json` printed no object of type receipt");
        };
        let mut numbers = Vec::new();
        flatten("", &data, &mut numbers);
        for (field, number) in numbers {
            match columns.iter_mut().find(|(known, _)| *known == field) {
                Some((_, values)) => values.push(number),
                None => columns.push((field, vec![number])),
            }
        }
    }
    let medians = columns
        .into_iter()
        .filter_map(|(field, values)| measure::median(values).map(|middle| (field, middle)));
    Ok(medians.collect())
}

/// The data of the last object of type `receipt` in an answer of JSON lines.
fn receipt_of(path: &Path) -> Result<Option<serde_json::Value>> {
    let mut found = None;
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        // A look at the text first: most lines are matches, and parsing their JSON would take long.
        if line.contains("\"receipt\"") {
            let mut value: serde_json::Value = serde_json::from_str(&line)?;
            if value["type"] == "receipt" {
                found = Some(value["data"].take());
            }
        }
    }
    Ok(found)
}

fn flatten(prefix: &str, value: &serde_json::Value, out: &mut Vec<(String, f64)>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                let path =
                    if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(&path, value, out);
            }
        }
        serde_json::Value::Number(number) => {
            out.extend(number.as_f64().map(|number| (prefix.to_owned(), number)));
        }
        _ => {}
    }
}

/// Cold: the index's pages dropped, then those of the whole tree too. Names and inodes stay.
pub(super) fn cold(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let head = ["pattern", "dropped", "rg", "manicule", "glep", "wall rg/ours", "wall glep/ours"];
    let note = "Wall / CPU in ms, pages dropped before each turn with posix_fadvise; folders' \
                names and inodes stay in memory.";
    let mut table = Table::new(format!("{name}: cold"), note, &head);
    let cache = bench.cache();
    let glep_index = bench.tree.join(".glep");
    let run_count = bench.run_count.div_ceil(3);
    for pattern in patterns::samples(bench.corpus) {
        let query = pattern.query();
        for dropped in ["index", "index and files"] {
            let drop_all = |index: &Path| {
                if index.exists() {
                    drop_below(index)?;
                }
                if dropped != "index" {
                    for_each_file(bench, &[], |path| {
                        File::open(path).and_then(|file| sys::drop_pages(&file)).ok();
                        Ok(())
                    })?;
                }
                Ok(())
            };
            let mut tasks = vec![
                (bench.rg(&query), bench.scratch),
                (bench.find("manicule", &[], &query), cache.as_path()),
            ];
            tasks.extend(bench.glep("glep", &[], &query).map(|task| (task, glep_index.as_path())));
            let mut lanes: Vec<Lane<'_>> = tasks
                .into_iter()
                .map(|(task, index)| {
                    // rg has no index of its own: nothing but the files is dropped for it.
                    let index = if task.name == "rg" { Path::new("") } else { index };
                    Lane { task, before: Some(Box::new(move || drop_all(index))) }
                })
                .collect();
            let series = interleave(&mut lanes, 1, run_count, &bench.out())?;
            let glep = series.iter().find(|one| one.name == "glep");
            let wall = ratio(&series[0], &series[1], bench.pairing, WALL);
            table.row(vec![
                pattern.name(),
                dropped.to_owned(),
                wall_cpu(series[0].wall_ms(), series[0].cpu_ms()),
                wall_cpu(series[1].wall_ms(), series[1].cpu_ms()),
                glep.map_or("-".to_owned(), |one| wall_cpu(one.wall_ms(), one.cpu_ms())),
                table::times(wall),
                table::times(glep.and_then(|g| ratio(g, &series[1], bench.pairing, WALL))),
            ]);
            findings.raw.push((format!("{name}/cold/{dropped}/{}", pattern.name()), series));
        }
    }
    findings.tables.push(table);
    Ok(())
}

/// Drops the pages of a file, or of all files below a folder, after writing them out.
fn drop_below(path: &Path) -> Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            drop_below(&entry?.path())?;
        }
    } else if path.is_file() {
        let file = File::open(path)?;
        file.sync_all()?;
        sys::drop_pages(&file)?;
    }
    Ok(())
}

/// Every file that ripgrep would search, in the order in which it lists them.
pub(super) fn for_each_file(
    bench: &Bench<'_>,
    extra: &[&str],
    mut each: impl FnMut(&Path) -> Result<()>,
) -> Result<()> {
    let list = bench.scratch.join("files");
    let task =
        Task::new("rg --files", &bench.programs.rg, bench.tree).args(["--files", "-0"]).args(extra);
    measure::run(&task, &list)?;
    for name in BufReader::new(File::open(&list)?).split(0) {
        each(&bench.tree.join(OsStr::from_bytes(&name?)))?;
    }
    Ok(())
}

/// After 100 changed files. Two caches of the same tree are compared: one made before the
/// change (restored before each turn, so that it never catches up), one after.
pub(super) fn changed(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let name = bench.corpus.name();
    let before = bench.scratch.join("cache-before");
    let stale = bench.scratch.join("cache-stale");
    let after = bench.scratch.join("cache-after");
    measure::run(&bench.build(&before), &bench.out())?;
    let mut touched = Touched::choose(bench)?;
    touched.append()?;
    std::thread::sleep(SETTLE);
    measure::run(&bench.build(&after), &bench.out())?;

    let head = [
        "pattern",
        "rg",
        "unchanged",
        "100 changed",
        "ms more",
        "CPU ms more",
        "glep, just changed",
        "wall rg/ours",
        "lines as rg's",
    ];
    let note = "Wall / CPU in ms. A line was appended to 100 files spread over the tree; \
                `unchanged` is the same tree with an index made after that. glep takes changes \
                into its index within the call, so the files are changed again before each of its \
                turns.";
    let mut table = Table::new(format!("{name}: after 100 changed files"), note, &head);
    for pattern in patterns::samples(bench.corpus) {
        let query = pattern.query();
        let find = |name: &str, cache: &Path| {
            let task = bench.manicule(name, cache).args(["find", "-n", "--no-heading"]);
            task.args(&query).args(["."])
        };
        let restore = || restore_cache(&before, &stale);
        let mut lanes = [
            Lane::from(bench.rg(&query)),
            Lane::from(find("unchanged", &after)),
            Lane { task: find("100 changed", &stale), before: Some(Box::new(restore)) },
        ];
        let series = interleave(&mut lanes, 1, bench.run_count, &bench.out())?;
        let equal = same_lines(&series, &["unchanged", "100 changed"]);
        if equal != EQUAL {
            findings.different.push(format!("{name}: changed, {}: {equal}", pattern.name()));
        }
        let more =
            |measure: fn(&Series) -> Option<f64>| Some(measure(&series[2])? - measure(&series[1])?);
        let target = Target::at_most(10.0, 4.0);
        let wall_more = more(Series::wall_ms);
        let what = format!("{name}, 100 changed files");
        findings.check(&what, "wall ms more", target, &pattern.name(), wall_more);
        table.row(vec![
            pattern.name(),
            wall_cpu(series[0].wall_ms(), series[0].cpu_ms()),
            wall_cpu(series[1].wall_ms(), series[1].cpu_ms()),
            wall_cpu(series[2].wall_ms(), series[2].cpu_ms()),
            target.cell(wall_more),
            table::tenth(more(Series::cpu_ms)),
            String::new(),
            table::times(ratio(&series[0], &series[2], bench.pairing, WALL)),
            equal,
        ]);
        findings.raw.push((format!("{name}/changed/{}", pattern.name()), series));
    }
    for (pattern, row) in patterns::samples(bench.corpus).iter().zip(&mut table.rows) {
        let Some(task) = bench.glep("glep", &[], &pattern.query()) else { continue };
        let mut lanes = [Lane { task, before: Some(Box::new(|| touched.append())) }];
        let series = interleave(&mut lanes, 1, bench.run_count, &bench.out())?;
        row[6] = wall_cpu(series[0].wall_ms(), series[0].cpu_ms());
        findings.raw.push((format!("{name}/changed/glep/{}", pattern.name()), series));
    }
    findings.tables.push(table);
    Ok(())
}

/// Puts a copy of a cache folder where another run may change it. Large files are linked: files
/// that are published are never written again.
fn restore_cache(from: &Path, to: &Path) -> Result<()> {
    const LINKED_LEN_MIN: u64 = 256 << 10;
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            restore_cache(&entry.path(), &place)?;
        } else if entry.metadata()?.len() >= LINKED_LEN_MIN {
            fs::hard_link(entry.path(), place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

/// Files with lines appended; their old lengths and times come back when this is dropped.
struct Touched {
    files: Vec<(PathBuf, u64, SystemTime)>,
}

impl Touched {
    /// A hundred source files, evenly spread over the sorted list.
    fn choose(bench: &Bench<'_>) -> Result<Self> {
        let mut paths = Vec::new();
        for_each_file(bench, &["--sort", "path", "-g", "*.{go,c,h}"], |path| {
            paths.push(path.to_owned());
            Ok(())
        })?;
        let step = (paths.len() / CHANGED_COUNT).max(1);
        let chosen = paths.into_iter().step_by(step).take(CHANGED_COUNT);
        let files = chosen
            .map(|path| {
                let meta = fs::metadata(&path)?;
                Ok((path, meta.len(), meta.modified()?))
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Touched { files })
    }

    /// Appends one more comment line to each.
    fn append(&mut self) -> Result<()> {
        for (path, _, _) in &self.files {
            let mut file = OpenOptions::new().append(true).open(path)?;
            file.write_all(b"// one more line\n")?;
        }
        Ok(())
    }
}

impl Drop for Touched {
    fn drop(&mut self) {
        for (path, len, modified) in &self.files {
            let restored = OpenOptions::new().write(true).open(path).and_then(|file| {
                file.set_len(*len)?;
                file.set_times(FileTimes::new().set_modified(*modified))
            });
            if let Err(error) = restored {
                eprintln!("{} keeps its appended lines: {error}", path.display());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_flattened_to_its_numbers() {
        let value = serde_json::json!({"files": 3, "phases": {"check_ms": 1.5}, "tree": "x"});
        let mut numbers = Vec::new();
        flatten("", &value, &mut numbers);
        let want = [("files".to_owned(), 3.0), ("phases.check_ms".to_owned(), 1.5)];
        assert_eq!(numbers, want);
    }

    #[test]
    fn touched_files_come_back() {
        let path = std::env::temp_dir().join(format!("manicule-bench-t{}", std::process::id()));
        fs::write(&path, "text\n").unwrap();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let mut touched = Touched { files: vec![(path.clone(), 5, modified)] };
        touched.append().unwrap();
        touched.append().unwrap();
        assert!(fs::metadata(&path).unwrap().len() > 5);
        drop(touched);
        assert_eq!(fs::read_to_string(&path).unwrap(), "text\n");
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
        fs::remove_file(path).unwrap();
    }
}
