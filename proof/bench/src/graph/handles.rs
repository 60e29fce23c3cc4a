//! Rows of an open handle beside a process a call: a point query, a commit, commits of eight
//! writers that share the disk's syncs.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use manicule::graph::{
    DefaultGraphChoice, Fits, QueryCall, QueryLimits, RowFormat, RowsAs, Store, Syntax, UpdateCall,
    Writer, Writing,
};
use manicule::watch::Watch;

use super::{Bench, Side};
use crate::findings::Findings;
use crate::measure::{self, Task, median};
use crate::sys;
use crate::table::{Table, Target, tenth, times};

/// Number of questions and of commits to an open handle.
const CALLS: usize = 400;
/// Number of calls by a process each.
const PROCESSES: usize = 40;
const WRITERS: usize = 8;

/// Times of a way: wall clock and CPU time of each call, in microseconds.
struct Way {
    name: &'static str,
    walls: Vec<f64>,
    cpu_us: f64,
}

/// The rows, and how much of a process' call a handle's takes.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let folder = bench.copy(Side::Ours)?;
    let subjects = fs::read_to_string(&bench.input.subjects)?;
    let questions: Vec<String> =
        subjects.lines().map(|subject| format!("SELECT * {{ <{subject}> ?p ?o }}")).collect();
    let path = folder.to_string_lossy().into_owned();
    let words = |verb: &[&str], text: &str| {
        let all = ["graph"].iter().chain(verb).map(|word| (*word).to_owned());
        all.chain([path.clone(), text.to_owned()]).collect()
    };
    let query = ["query", "--format", "json"];
    let asks = questions.iter().map(|text| words(&query, text));
    let asked = [by_handle(&folder, &questions)?, by_processes(bench, asks)?];
    let updates = (0..).map(|number| words(&["update", "-q"], &insert(0, number)));
    let commits =
        [by_writer(&folder, 1)?, by_writer(&folder, WRITERS)?, by_processes(bench, updates)?];

    let title = format!("an open handle on a shop of {} lines", bench.input.line_count);
    let note = "A process opens the store, answers and ends; a commit is one triple, synced. Of eight writers: the time of all through the number of their commits.";
    let head = ["call", "way", "p50 us", "p99 us", "CPU us a call"];
    let mut table = Table::new(&title, note, &head);
    let each = asked.iter().map(|way| ("point query", way));
    for (call, way) in each.chain(commits.iter().map(|way| ("commit", way))) {
        let mut walls = way.walls.clone();
        walls.sort_by(f64::total_cmp);
        let p99 = walls[(walls.len() - 1) * 99 / 100];
        let cells = [median(walls), Some(p99), Some(way.cpu_us)].map(tenth);
        table.row([vec![call.to_owned(), way.name.to_owned()], cells.to_vec()].concat());
    }
    findings.tables.push(table);
    let wall = |way: &Way| median(way.walls.clone()).unwrap_or_default();
    let [one, several, alone] = &commits;
    for (measure, figure, least) in [
        ("point query: handle / process, wall", wall(&asked[0]) / wall(&asked[1]), 0.2),
        ("point query: handle / process, CPU", asked[0].cpu_us / asked[1].cpu_us, 0.2),
        ("commit: handle / process, wall", wall(one) / wall(alone), 1.0),
        ("commit: eight writers / one, wall a commit", wall(several) / wall(one), 0.5),
    ] {
        let target = Target::at_most(least, least / 2.0);
        findings.check("an open handle", measure, target, "ours", Some(figure));
        eprintln!("  {measure}: {}", times(Some(figure)));
    }
    Ok(())
}

fn by_handle(folder: &Path, questions: &[String]) -> Result<Way> {
    let store = Store::open(folder)?;
    let ask = |text: &String| {
        let call = QueryCall {
            text: text.clone(),
            base: None,
            default_graph: DefaultGraphChoice::Own,
            limits: QueryLimits::NONE,
            rows: RowsAs::Document(RowFormat::Json),
            triples: Syntax::NTriples,
            prefixes: Vec::new(),
            fits: Fits::Any,
        };
        let mut out = Vec::new();
        let asked = store.query(&call, &mut out, &Watch::none())?;
        ensure!(asked.is_found, "no answer to {text}");
        Ok(())
    };
    // The first opens leaves.
    ask(&questions[0])?;
    let cpu = sys::thread_cpu_us();
    let walls = timed(questions.iter().cycle().take(CALLS), ask)?;
    Ok(Way { name: "a handle", walls, cpu_us: (sys::thread_cpu_us() - cpu) / CALLS as f64 })
}

/// A process for each line of words after the name of the program.
fn by_processes(bench: &Bench<'_>, words: impl Iterator<Item = Vec<String>>) -> Result<Way> {
    let (mut walls, mut cpu_us) = (Vec::new(), 0.0);
    for words in words.take(PROCESSES) {
        let task = Task::new("a process", &bench.manicule, bench.scratch).args(words);
        let sample = measure::run(&task, &bench.scratch.join("out"))?;
        ensure!(sample.exit == 0, "{:?} ended with {}", task.args, sample.exit);
        walls.push(sample.wall_ms * 1e3);
        cpu_us += sample.cpu_ms * 1e3 / PROCESSES as f64;
    }
    Ok(Way { name: "a process", walls, cpu_us })
}

/// A commit of a triple that no other call adds.
fn insert(by: usize, number: usize) -> String {
    format!("INSERT DATA {{ <http://a/handles/{by}> <http://a/p> {number} }}")
}

fn by_writer(folder: &Path, threads: usize) -> Result<Way> {
    let writer = Writer::open(folder, Writing::PLAIN, &Watch::none())?;
    let commit = |by: usize, number: usize| {
        let text = insert(by, number);
        let updated = writer.update(&UpdateCall::new(text), &Watch::none())?;
        ensure!(updated.added == 1, "{updated:?}");
        Ok(())
    };
    let (cpu, start) = (sys::own_cpu_ms(), Instant::now());
    let walls = if threads == 1 {
        timed(0..CALLS, |number| commit(threads, number))?
    } else {
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (commit, failed) = (&commit, &failed);
                scope.spawn(move || {
                    let mut numbers = 0..CALLS / threads;
                    if let Err(error) = numbers.try_for_each(|it| commit(threads + thread, it)) {
                        *failed.lock().expect("no panic") = Some(error);
                    }
                });
            }
        });
        if let Some(error) = failed.into_inner().context("a writer panicked")? {
            return Err(error);
        }
        vec![start.elapsed().as_secs_f64() * 1e6 / CALLS as f64]
    };
    let cpu_us = (sys::own_cpu_ms() - cpu) * 1e3 / CALLS as f64;
    writer.wait_for_merge()?;
    let name = if threads == 1 { "a handle" } else { "a handle, eight writers" };
    Ok(Way { name, walls, cpu_us })
}

/// Wall clock of each call in microseconds.
fn timed<T>(calls: impl Iterator<Item = T>, call: impl Fn(T) -> Result<()>) -> Result<Vec<f64>> {
    let time = |item| {
        let start = Instant::now();
        call(item)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    calls.map(time).collect()
}
