//! Eight readers and a writer at full rate: answers are those of a model at the reader's commit,
//! memory stays flat, the disk bounded, and a sweep leaves no file that no manifest names.
//!
//! A program of its own, as it asks of the memory of its process. `MANICULE_SECONDS` (a number) is
//! how long it lasts: 10 in `cargo test`, 600 for what people call a day.

#[path = "all/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use manicule_graph::sparql::to_term;
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot, Store, Transaction, View, read_store, read_store_again};
use manicule_testkit::{Rng, names, number};

use common::{of_default, on_disk, remove_subject};

/// Set to the folder of a store, makes this program one of its readers.
const READER: &str = "MANICULE_GRAPH_READER";
/// The reader ends when this file is there.
const END: &str = "end";

const PAGES: usize = 150;
const THREADS: usize = 4;
const PROCESSES: usize = 4;

/// The page that a commit replaces.
fn page_of(commit: u64) -> usize {
    Rng::new(commit).below(PAGES)
}

fn iri(page: usize) -> String {
    format!("http://wiki/page/{page}")
}

/// What a commit makes of its page: predicates and objects, as N-Triples spells them, sorted.
fn made_by(commit: u64) -> Vec<[String; 2]> {
    let mut rng = Rng::new(commit);
    rng.below(PAGES);
    let mut lines = vec![["serial".to_owned(), commit.to_string()]];
    for _ in 0..5 + rng.below(30) {
        let predicate = format!("p{}", rng.below(8));
        // Terms come back, so that the dictionary has an end.
        lines.push([predicate, format!("value {}", rng.below(20_000))]);
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn replace(transaction: &mut Transaction, commit: u64) {
    let page = iri(page_of(commit));
    remove_subject(transaction, TermRef::Iri(&page));
    let subject = transaction.intern(TermRef::Iri(&page)).expect("an id");
    for [name, text] in made_by(commit) {
        let predicate = format!("http://wiki/{name}");
        let predicate = transaction.intern(TermRef::Iri(&predicate)).expect("an id");
        let object = match &name[..] {
            "serial" => TermRef::Typed(&text, "http://www.w3.org/2001/XMLSchema#integer"),
            "p0" => TermRef::Iri(&text),
            _ => TermRef::Simple(&text),
        };
        let object = transaction.intern(object).expect("an id");
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    }
}

/// What the model has of a page after a commit.
fn wanted(page: usize, commit: u64) -> Vec<[String; 2]> {
    let last = (1..=commit).rev().find(|commit| page_of(*commit) == page);
    last.map_or_else(Vec::new, made_by)
}

/// What a snapshot has of a page.
fn seen(snapshot: &Snapshot, page: usize) -> Vec<[String; 2]> {
    let iri = iri(page);
    let Some(subject) = snapshot.find_term(TermRef::Iri(&iri)).expect("a look-up") else {
        return Vec::new();
    };
    let text = |id: Id| match snapshot.read_term(id, to_term).expect("a term") {
        oxrdf::Term::NamedNode(node) => node.as_str().trim_start_matches("http://wiki/").to_owned(),
        oxrdf::Term::Literal(literal) => literal.value().to_owned(),
        other => panic!("{other}"),
    };
    let quads = snapshot.scan(&of_default(Some(subject)));
    let mut lines: Vec<[String; 2]> = quads
        .map(|quad| quad.expect("a quad"))
        .map(|quad| [text(quad.predicate), text(quad.object)])
        .collect();
    lines.sort_unstable();
    lines
}

/// The commit that made each page as it is after a commit.
fn makers(commit: u64) -> Vec<Option<u64>> {
    let (mut makers, mut missing) = (vec![None; PAGES], PAGES);
    for commit in (1..=commit).rev() {
        let maker = &mut makers[page_of(commit)];
        if maker.is_none() {
            (*maker, missing) = (Some(commit), missing - 1);
        }
        if missing == 0 {
            break;
        }
    }
    makers
}

/// What a reader has done.
#[derive(Default)]
struct Reads {
    count: u64,
    whole: u64,
    us: Vec<f32>,
}

/// Number of times that are kept; later ones take the place of earlier ones.
const TIMES_KEPT: usize = 100_000;

impl Reads {
    fn note(&mut self, time: Duration) {
        let us = time.as_secs_f32() * 1e6;
        match self.us.len() {
            TIMES_KEPT => self.us[self.count as usize % TIMES_KEPT] = us,
            _ => self.us.push(us),
        }
    }
}

/// Reads until the end, each time a snapshot of its own: a page, and now and then all of the store.
fn read(mut snapshot: impl FnMut() -> Snapshot, seed: u64, has_ended: impl Fn() -> bool) -> Reads {
    let (mut rng, mut reads, mut last) = (Rng::new(seed), Reads::default(), 0);
    while !has_ended() {
        let snapshot = snapshot();
        let commit = snapshot.commit();
        assert!(commit >= last, "time goes back from {last} to {commit}");
        last = commit;
        let page = rng.below(PAGES);
        let start = Instant::now();
        let got = seen(&snapshot, page);
        reads.note(start.elapsed());
        assert_eq!(got, wanted(page, commit), "page {page} after commit {commit}");
        reads.count += 1;
        if rng.one_in(300) {
            let count = snapshot.scan(&of_default(None)).count();
            let made = makers(commit).into_iter().flatten().map(|commit| made_by(commit).len());
            assert_eq!(count, made.sum::<usize>(), "triples after commit {commit}");
            reads.whole += 1;
        }
    }
    reads
}

#[test]
#[ignore = "run by the test below, in a process of its own"]
fn reader() {
    let folder = PathBuf::from(std::env::var_os(READER).expect("a folder"));
    let end = folder.parent().expect("a folder").join(END);
    let seed = u64::from(std::process::id());
    let mut last = read_store(&folder, seed).expect("a store");
    let again = || {
        last = read_store_again(&folder, &last).expect("a store");
        last.clone()
    };
    let mut reads = read(again, seed, || end.exists());
    println!("{}", shown("a process", &mut reads));
}

fn shown(what: &str, reads: &mut Reads) -> String {
    reads.us.sort_by(f32::total_cmp);
    let at = |share: f64| match reads.us.len() {
        0 => f32::NAN,
        count => reads.us[((count - 1) as f64 * share) as usize],
    };
    let (p50, p99, max) = (at(0.5), at(0.99), at(1.0));
    let Reads { count, whole, .. } = reads;
    format!(
        "{what}: {count} pages, p50 {p50:.1} us, p99 {p99:.1}, max {max:.0}; all triples {whole} times"
    )
}

/// Resident memory of this process that no file backs, in MiB.
fn memory_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

fn disk_mib(folder: &Path) -> f64 {
    let len = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => disk_mib(&entry.path()),
        // A file that a merge removes meanwhile takes no space.
        other => other.map_or(0.0, |metadata| metadata.len() as f64 / f64::from(1 << 20)),
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(len).sum()
}

/// Largest of the second quarter and of the last one: what grows on and on is larger in the last.
fn quarters(samples: &[f64]) -> [f64; 2] {
    let quarter = samples.len() / 4;
    let max = |some: &[f64]| some.iter().copied().fold(0.0, f64::max);
    [max(&samples[quarter..2 * quarter]), max(&samples[3 * quarter..])]
}

/// Names of files that a store has and its manifest doesn't name.
fn leaked(folder: &Path, snapshot: &Snapshot) -> Vec<String> {
    let manifest = snapshot.state().base.manifest();
    let leaves = manifest.leaves.iter().map(|leaf| leaf.file.number);
    let others = manifest.dictionaries.iter().chain(&manifest.statistics).map(|row| row.number);
    let known: Vec<u64> = leaves.chain(others).collect();
    let is_known = |name: &str| {
        let (number, _) = name.split_once('.').unwrap_or((name, ""));
        known.iter().any(|known| number.parse() == Ok(*known))
    };
    let folders = ["leaf", "dict"].map(|name| folder.join(name));
    let files = folders.iter().flat_map(|folder| names(folder));
    let manifests = names(folder).into_iter().filter(|name| name.starts_with("manifest-"));
    let extra_manifests = manifests.skip(1);
    let logs = names(&folder.join("log")).into_iter().filter(|name| name != "synced");
    let extra_logs = logs.skip(1);
    files.filter(|name| !is_known(name)).chain(extra_manifests).chain(extra_logs).collect()
}

fn start_reader(folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--nocapture", "reader"])
        .env(READER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts")
}

#[test]
fn a_day_of_readers_beside_a_writer_has_no_wrong_answer_and_an_end_of_memory_and_disk() {
    let seconds = number("MANICULE_SECONDS").unwrap_or(10);
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("store");
    let store = Store::create(&folder, &on_disk()).expect("a store");
    let processes: Vec<Child> = (0..PROCESSES).map(|_| start_reader(&folder)).collect();
    let (has_ended, start) = (AtomicBool::new(false), Instant::now());
    let (mut memory, mut disk, mut commits) = (Vec::new(), Vec::new(), 0);
    std::thread::scope(|scope| {
        let (store, has_ended) = (&store, &has_ended);
        let readers: Vec<_> = (0..THREADS)
            .map(|seed| {
                let has_ended = || has_ended.load(Ordering::Relaxed);
                scope.spawn(move || read(|| store.snapshot(), seed as u64, has_ended))
            })
            .collect();
        let writer = scope.spawn(move || {
            let mut count = 0;
            while !has_ended.load(Ordering::Relaxed) {
                let mut transaction = store.begin().expect("a transaction");
                replace(&mut transaction, count + 1);
                count += 1;
                assert_eq!(transaction.commit().expect("a commit").commit, Some(count));
            }
            count
        });
        // The writer's end, should it panic, ends the readers too.
        while start.elapsed() < Duration::from_secs(seconds) && !writer.is_finished() {
            std::thread::sleep(Duration::from_millis(250));
            // Merges come by themselves too, after some thousand commits: a short run would see
            // none.
            if memory.len() % 4 == 3 {
                store.merge().expect("a merge");
            }
            memory.push(memory_mib());
            disk.push(disk_mib(&folder));
        }
        has_ended.store(true, Ordering::Relaxed);
        commits = writer.join().expect("the writer goes on");
        for reader in readers {
            let mut reads = reader.join().expect("no wrong answer");
            println!("{}", shown("a thread", &mut reads));
        }
    });
    fs::write(root.path().join(END), "").expect("a file");
    for process in processes {
        let output = process.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "a reader's process: {said}");
        said.lines()
            .filter(|line| line.starts_with("a process"))
            .for_each(|line| println!("{line}"));
    }
    store.wait_for_merge().expect("merges");
    let generation = store.snapshot().state().base.manifest().generation;
    let seconds = start.elapsed().as_secs_f64();
    println!("{commits} commits in {seconds:.0} s, generation {generation}");
    let ([memory_before, memory_after], [disk_before, disk_after]) =
        (quarters(&memory), quarters(&disk));
    println!(
        "memory, MiB: {memory_before:.0} in the second quarter, {memory_after:.0} in the last"
    );
    println!("disk, MiB: {disk_before:.0} in the second quarter, {disk_after:.0} in the last");
    assert!(commits > 20, "{commits} commits");
    assert!(memory_after <= memory_before * 1.5 + 64.0, "memory grows: {memory:?}");
    assert!(disk_after <= disk_before * 1.5 + 64.0, "the disk fills: {disk:?}");

    // All that is there in the end is what was acknowledged, and what a sweep leaves is what the
    // manifest names.
    store.merge().expect("a merge");
    drop(store);
    let store = Store::open(&folder, &on_disk()).expect("a store");
    let snapshot = store.snapshot();
    assert_eq!(snapshot.commit(), commits);
    for page in 0..PAGES {
        assert_eq!(seen(&snapshot, page), wanted(page, commits), "page {page} in the end");
    }
    assert_eq!(leaked(&folder, &snapshot), [""; 0], "files that nobody names");
}
