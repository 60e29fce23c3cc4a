//! The measured steps over a store of RDF, one line of JSON a row. Ours and Oxigraph's measuring
//! programs have the same steps: the other one includes this file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) type Outcome<T> = Result<T, String>;

/// A store that is measured.
pub(crate) trait Engine: Sync {
    /// Reads the answer of a query to its terms.
    fn query(&self, text: &str) -> Outcome<Seen>;
    /// Reads all triples of a subject to their terms, without SPARQL.
    fn point(&self, subject: &str) -> Outcome<Seen>;
    /// Does a request, and waits until it is acknowledged.
    fn update(&self, text: &str) -> Outcome<()>;
    /// Makes all that is committed part of what is read fastest, where the store knows such a
    /// thing.
    fn merge(&self) -> Outcome<()>;
    /// CPU time of this thread and of the process, in us.
    fn cpu_us(&self) -> [f64; 2];
}

/// An answer that was read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Number of rows.
    pub(crate) rows: u64,
    /// Sum of a hash of each IRI and plain string, which no order changes. Numbers are left out:
    /// stores spell them differently.
    pub(crate) hash: u64,
}

impl Seen {
    /// Counts a text of the answer.
    pub(crate) fn text(&mut self, text: &str) {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
        self.hash = self.hash.wrapping_add(hash);
    }
}

/// Times of a row, in us.
#[derive(Default)]
struct Times {
    wall: Vec<f64>,
    cpu: Vec<f64>,
    seen: Seen,
}

/// Whose CPU time counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Thread = 0,
    Process = 1,
}

impl Times {
    /// Does work, and notes its times.
    fn take(
        &mut self,
        engine: &impl Engine,
        whose: Whose,
        work: impl FnOnce() -> Outcome<Seen>,
    ) -> Outcome<()> {
        let (cpu, start) = (engine.cpu_us()[whose as usize], Instant::now());
        let seen = work()?;
        self.wall.push(start.elapsed().as_secs_f64() * 1e6);
        self.cpu.push(engine.cpu_us()[whose as usize] - cpu);
        self.seen.rows += seen.rows;
        self.seen.hash = self.seen.hash.wrapping_add(seen.hash);
        Ok(())
    }

    fn say(&self, row: &str) {
        let list = |values: &[f64]| {
            let texts: Vec<String> = values.iter().map(|us| format!("{us:.1}")).collect();
            texts.join(",")
        };
        let Seen { rows, hash } = self.seen;
        let (cpu, wall) = (list(&self.cpu), list(&self.wall));
        let mut line = String::new();
        write!(line, r#"{{"row":"{row}","count":{rows},"hash":"{hash:x}","#).expect("memory");
        println!(r#"{line}"cpu_us":[{cpu}],"wall_us":[{wall}]}}"#);
    }
}

/// A row that is a number alone.
fn say_count(row: &str, count: u64) {
    println!(r#"{{"row":"{row}","count":{count},"cpu_us":[],"wall_us":[]}}"#);
}

fn lines(file: &Path) -> Outcome<Vec<Vec<String>>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}

fn asked(engine: &impl Engine, how: &str, text: &str) -> Outcome<Seen> {
    match how {
        "sparql" => engine.query(text),
        _ => engine.point(text),
    }
}

/// Asks the questions of a file: row, `sparql` or `api`, `warm` or `timed`, and the query or
/// subject. Rows with a file each of lines.
pub(crate) fn questions(engine: &impl Engine, file: &Path) -> Outcome<()> {
    let (mut times, mut now) = (Times::default(), String::new());
    for fields in lines(file)? {
        let [row, how, turn, text] = &fields[..] else { return Err(format!("{fields:?}")) };
        if *row != now {
            if !now.is_empty() {
                times.say(&now);
            }
            (times, now) = (Times::default(), row.clone());
        }
        if turn == "warm" {
            asked(engine, how, text)?;
        } else {
            times.take(engine, Whose::Thread, || asked(engine, how, text))?;
        }
    }
    times.say(&now);
    Ok(())
}

/// How a burst is read after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Sparql,
    Api,
}

/// When commits are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merges {
    /// After each burst.
    Each,
    /// As the store does by itself.
    Own,
}

impl Reads {
    fn of(self, engine: &impl Engine, subject: &str) -> Outcome<Seen> {
        match self {
            Reads::Api => engine.point(subject),
            Reads::Sparql => engine.query(&format!("SELECT ?p ?o WHERE {{ <{subject}> ?p ?o }}")),
        }
    }
}

const READS: [&str; 4] = ["read_new", "read_new2", "read_old", "read_old_random"];

/// Commits bursts and reads after each. A line of the plan: `warm` or `timed`, the request's file,
/// the subjects of read_new, read_old and read_old_random.
pub(crate) fn bursts(
    engine: &impl Engine,
    folder: &Path,
    plan: &Path,
    reads: Reads,
    merges: Merges,
) -> Outcome<()> {
    let (mut commit, mut merge) = (Times::default(), Times::default());
    let mut rows = READS.map(|_| Times::default());
    let (mut written, mut disk_max, mut rss_max) = (0, 0, 0);
    for fields in lines(plan)? {
        let [turn, file, new, old, random] = &fields[..] else { return Err(format!("{fields:?}")) };
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let (before, warm) = (written_len(), turn == "warm");
        if warm {
            engine.update(&text)?;
        } else {
            commit
                .take(engine, Whose::Process, || engine.update(&text).map(|()| Seen::default()))?;
        }
        match merges {
            Merges::Own => {}
            Merges::Each if warm => engine.merge()?,
            Merges::Each => {
                merge.take(engine, Whose::Process, || engine.merge().map(|()| Seen::default()))?;
            }
        }
        for (times, subject) in rows.iter_mut().zip([new, new, old, random]) {
            if warm {
                reads.of(engine, subject)?;
            } else {
                times.take(engine, Whose::Thread, || reads.of(engine, subject))?;
            }
        }
        if !warm {
            written += written_len() - before;
        }
        disk_max = disk_max.max(folder_len(folder));
        rss_max = rss_max.max(resident_len());
    }
    commit.say("commit");
    if merges == Merges::Each {
        merge.say("merge");
    }
    rows.iter().zip(READS).for_each(|(times, row)| times.say(row));
    say_count("bytes written", written);
    say_count("disk, largest", disk_max);
    say_count("disk at the end", folder_len(folder));
    say_count("memory, largest", rss_max);
    Ok(())
}

/// One reader asks for subjects of `others` in turn: for a time while nothing is written, then
/// while the plan's bursts are.
pub(crate) fn reader(
    engine: &impl Engine,
    plan: &Path,
    reads: Reads,
    merges: Merges,
    others: &[String],
) -> Outcome<()> {
    const IDLE: Duration = Duration::from_secs(3);
    let read = |is_over: &(dyn Fn() -> bool + Sync)| -> Outcome<Times> {
        let mut times = Times::default();
        for subject in others.iter().cycle() {
            if is_over() {
                break;
            }
            times.take(engine, Whose::Thread, || reads.of(engine, subject))?;
        }
        Ok(times)
    };
    let start = Instant::now();
    read(&|| start.elapsed() > IDLE / 3)?;
    let start = Instant::now();
    say_spread("reader, idle", read(&|| start.elapsed() > IDLE)?);
    let has_ended = AtomicBool::new(false);
    let plan = lines(plan)?;
    let beside = std::thread::scope(|scope| {
        let reader = scope.spawn(|| read(&|| has_ended.load(Ordering::Relaxed)));
        let write = || -> Outcome<()> {
            for fields in plan {
                let text = fs::read_to_string(&fields[1]).map_err(|error| error.to_string())?;
                engine.update(&text)?;
                if merges == Merges::Each {
                    engine.merge()?;
                }
            }
            Ok(())
        };
        let written = write();
        has_ended.store(true, Ordering::Relaxed);
        let read = reader.join().map_err(|_| "the reader panicked".to_owned())?;
        written.and(read)
    })?;
    say_spread("reader, beside the writer", beside);
    Ok(())
}

/// Median, p99 and maximum, in place of some hundred thousand times.
fn say_spread(row: &str, times: Times) {
    let spread = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| ((values.len() - 1) as f64 * share).round() as usize;
        [0.5, 0.99, 1.0].map(|share| values[at(share)]).to_vec()
    };
    let count = times.wall.len() as u64;
    let seen = Seen { rows: count, hash: 0 };
    Times { wall: spread(times.wall), cpu: spread(times.cpu), seen }.say(row);
}

/// Does the requests of a file, one a line, each acknowledged before the next.
pub(crate) fn requests(engine: &impl Engine, file: &Path) -> Outcome<()> {
    let mut times = Times::default();
    for fields in lines(file)? {
        let text = fields.join("\t");
        times.take(engine, Whose::Process, || {
            engine.update(&text).map(|()| Seen { rows: 1, hash: 0 })
        })?;
    }
    times.say("page");
    Ok(())
}

/// Bytes that this process has given to `write` and its like.
fn written_len() -> u64 {
    field("/proc/self/io", "wchar")
}

/// Resident memory.
fn resident_len() -> u64 {
    field("/proc/self/status", "VmRSS") * 1024
}

fn field(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let digits = value.and_then(|value| value.split_whitespace().next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Bytes of all files below a folder.
pub(crate) fn folder_len(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let len = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_len(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(len).sum()
}
