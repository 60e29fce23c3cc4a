//! What a query may take is all that it takes: it ends soon after it is told to, alone and beside
//! seven other readers and a writer, and all of them together stay within the memory that their
//! limits let them have.
//!
//! `MANICULE_SECONDS` (a number) is how long the readers read, 3 in `cargo test`; with it queries
//! are also told to end at more moments. `MANICULE_PRODUCTS` (a number) is the size of the shop, of
//! which 10,000 products are a million triples.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use manicule_core::watch::Watch;
use manicule_graph::bulk::{BulkOptions, load_bulk};
use manicule_graph::load::{Input, LoadOptions, OnFault, Place, Syntax};
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, QueryLimits, QueryOptions, QueryThreads, SparqlError, query_view,
};
use manicule_graph::{
    GraphError, LeafSizes, Merges, Snapshot, Store, StoreOptions, View, WhenLost,
};
use manicule_graphs::{Evaluation, JoinOrder, Shop, ShopSyntax, ask, change};
use manicule_store::Disk;
use manicule_testkit::{Rng, number};

/// Queries that take long over a large shop, each in its own operator.
const LONG: [(&str, &str); 14] = [
    (
        "three joins with a cycle",
        "SELECT ?a ?b { ?a v:productFeature ?f , ?k . ?b v:productFeature ?f , ?k }",
    ),
    (
        "a product of two scans",
        "SELECT (COUNT(*) AS ?n) { ?a v:price ?x . ?b v:price ?y FILTER(?x < ?y) }",
    ),
    ("a sort by texts", "SELECT ?s ?o { ?s v:text ?o } ORDER BY ?o"),
    ("a sort by two keys", "SELECT ?s ?o { ?s ?p ?o } ORDER BY DESC(?o) ?s"),
    ("a sort by what is computed", "SELECT ?s { ?s ?p ?o } ORDER BY (STRLEN(STR(?o))) ?s"),
    ("a group of all objects", "SELECT ?o (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?o"),
    ("distinct rows", "SELECT DISTINCT ?s ?o { ?s ?p ?o . ?s ?q ?o }"),
    ("a regular expression", "SELECT ?s { ?s v:text ?o FILTER(REGEX(?o, \"(a|b)+c.*d\", \"i\")) }"),
    (
        "a path of any length",
        "SELECT (COUNT(*) AS ?n) { ?a (v:productFeature/^v:productFeature)+ ?b }",
    ),
    (
        "a path from any node",
        "SELECT (COUNT(*) AS ?n) { ?a (v:product|v:reviewFor|v:producer|v:vendor)* ?b }",
    ),
    (
        "optional parts",
        "SELECT ?o ?d { ?o v:product ?p OPTIONAL { ?q v:product ?p ; v:deliveryDays ?d OPTIONAL { ?z v:reviewFor ?p } } }",
    ),
    (
        "what isn't there",
        "SELECT ?a { ?a v:text ?t FILTER NOT EXISTS { ?b v:text ?u FILTER(STRLEN(?u) > STRLEN(?t)) } }",
    ),
    (
        "texts put together",
        "SELECT ?p (GROUP_CONCAT(?o) AS ?all) { ?s v:text ?o . ?s ?p ?q } GROUP BY ?p",
    ),
    (
        "made triples",
        "CONSTRUCT { ?a v:with ?b } { ?a v:productFeature ?f . ?b v:productFeature ?f }",
    ),
];

/// Queries whose long part, row by row, lies inside the evaluator, which asks nobody whether to go
/// on: a sort of what it holds, groups, and what a path has yet to visit.
const EVALUATORS: [&str; 6] = [
    "a sort by texts",
    "a sort by two keys",
    "a sort by what is computed",
    "a group of all objects",
    "a path of any length",
    "a path from any node",
];

const PREFIXES: &str = "PREFIX v: <http://bsbm.example.org/v/> ";

/// Time that a query may take after it is told to end, in an optimised build on a processor of its
/// own.
const LATE_MAX: Duration = Duration::from_millis(50);

/// How much longer everything may take without optimisation, as among other tests on a busy
/// machine.
const SLOWNESS: u32 = if cfg!(debug_assertions) { 40 } else { 1 };

const READERS: usize = 8;

/// Held by a test while it measures: one at a time.
static MEASURED: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    MEASURED.lock().unwrap_or_else(PoisonError::into_inner)
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn now_ns() -> u64 {
    START.elapsed().as_nanos() as u64
}

fn options(limits: QueryLimits) -> QueryOptions<'static> {
    QueryOptions { base: None, default_graph: DefaultGraphChoice::Own, dataset: None, limits }
}

/// Number of rows of an answer, read to its end.
fn rows(
    view: &impl View,
    text: &str,
    options: &QueryOptions<'_>,
    evaluation: Evaluation,
    watch: &Watch<'_>,
) -> Result<u64, SparqlError> {
    let text = format!("{PREFIXES}{text}");
    let mut count = 0;
    match ask(view, &text, options, evaluation, watch)? {
        Answer::Rows(mut rows) => rows.try_for_each(|row| row.map(|_| count += 1))?,
        Answer::Triples(mut triples) => {
            triples.try_for_each(|triple| triple.map(|_| count += 1))?
        }
        Answer::Boolean(..) => count = 1,
    }
    Ok(count)
}

fn options_of_store() -> StoreOptions {
    StoreOptions {
        files: Disk::shared(),
        random: 11,
        leaves: LeafSizes::STANDARD,
        lost: WhenLost::Refuse,
        merges: Merges::Here,
    }
}

/// A store with a shop.
fn store(folder: &Path, products: u32) -> Store {
    let file = folder.join("shop.nt");
    let mut out = BufWriter::new(File::create(&file).expect("a file"));
    Shop::new().write(products, ShopSyntax::Triples, &mut out).expect("a shop");
    out.flush().expect("a file");
    let store = Store::create(&folder.join("store"), &options_of_store()).expect("a store");
    let bulk = store.begin_bulk().expect("it can be written").expect("it is empty");
    let input = Input { place: Place::File(file.clone()), syntax: Syntax::NTriples, base: None };
    let options = LoadOptions { graph: None, on_fault: OnFault::Stop };
    let space = BulkOptions { memory: 512 << 20, threads: 2 };
    load_bulk(bulk, &[input], &options, space, &Watch::none()).expect("a load");
    fs::remove_file(file).expect("ours");
    store
}

fn products(without_more: u32) -> u32 {
    number("MANICULE_PRODUCTS").map_or(without_more, |products| products as u32)
}

/// Time from the word to end until the query has ended; none if it was over before.
fn lateness(
    snapshot: &Snapshot,
    text: &str,
    evaluation: Evaluation,
    after: Duration,
) -> Option<Duration> {
    let watch = Watch::none();
    let (watch, has_ended) = (&watch, &AtomicBool::new(false));
    std::thread::scope(|scope| {
        let canceller = scope.spawn(move || {
            let start = Instant::now();
            while start.elapsed() < after && !has_ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_micros(200));
            }
            let told = Instant::now();
            watch.cancel();
            told
        });
        let outcome = rows(snapshot, text, &options(QueryLimits::NONE), evaluation, watch);
        let ended = Instant::now();
        has_ended.store(true, Ordering::Relaxed);
        let told = canceller.join().expect("it only waits");
        match outcome {
            Ok(_) => None,
            Err(SparqlError::Store(GraphError::Stopped(_))) => Some(ended - told),
            Err(error) => panic!("{text}: {error}"),
        }
    })
}

/// The median of some times, the one that 1 % are longer than, and the longest, as text for a
/// reader; and the second.
fn spread(times: &mut [Duration]) -> (String, Duration) {
    if times.is_empty() {
        return ("of none".to_owned(), Duration::ZERO);
    }
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let [p50, p99, max] = [at(0.5), at(0.99), at(1.0)];
    (format!("p50 {p50:.1?}, p99 {p99:.1?}, longest {max:.1?}, of {}", times.len()), p99)
}

#[test]
fn a_query_ends_soon_after_it_is_told_to() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let store = store(folder.path(), products(if cfg!(debug_assertions) { 300 } else { 2000 }));
    let moments: &[u64] = match number("MANICULE_SECONDS") {
        Some(_) => &[2, 5, 10, 20, 40, 60, 100, 150, 250, 400],
        None => &[5, 60],
    };
    let (snapshot, mut late, mut all) = (store.snapshot(), Vec::new(), Vec::new());
    for (what, text) in LONG {
        for evaluation in [Evaluation::Columns, Evaluation::Rows(JoinOrder::ByCounts)] {
            let told = |ms: &u64| lateness(&snapshot, text, evaluation, Duration::from_millis(*ms));
            let some: Vec<Duration> = moments.iter().filter_map(told).collect();
            let Some(longest) = some.iter().max() else { continue };
            // A shop as large as `cargo test` has is too small for it to matter.
            let is_evaluators = evaluation != Evaluation::Columns
                && EVALUATORS.contains(&what)
                && number("MANICULE_PRODUCTS").is_some();
            let judged = if is_evaluators { ", the evaluator's, not judged" } else { "" };
            println!("{what}, {evaluation:?}: {longest:.1?}{judged}");
            if *longest > LATE_MAX * SLOWNESS && !is_evaluators {
                late.push(format!("{what}, {evaluation:?}: {longest:?}"));
            }
            all.extend(some);
        }
    }
    assert!(all.len() > LONG.len(), "{} queries were told to end in time", all.len());
    println!("told to end, alone: {}", spread(&mut all).0);
    assert!(late.is_empty(), "{} are late:\n{}", late.len(), late.join("\n"));
}

/// What a reader has seen.
#[derive(Default)]
struct Seen {
    whole: u64,
    late: u64,
    limited: u64,
    /// Time after the deadline, of each query that ended after it: vectorised, and row by row.
    lateness: [Vec<Duration>; 2],
}

/// Limits that a query of a service would have.
const LIMITS: QueryLimits = QueryLimits {
    rows_max: 50_000,
    rows_taken: u64::MAX,
    quads_max: 400_000,
    computed_len_max: 8 << 20,
    memory_max: 64 << 20,
    threads: QueryThreads { count: 2, rows_min: 0 },
};

/// Bytes that a query within those limits may take: those of its columns, or what it holds of its
/// quads where it goes row by row.
const QUERY_LEN_MAX: f64 = 400_000.0 * 200.0;

/// Bytes of terms and changes that the store holds of a commit until it is merged.
const COMMIT_LEN: f64 = 20_000.0;

fn read(store: &Store, seed: u64, has_ended: &AtomicBool) -> Seen {
    let (mut rng, mut seen) = (Rng::new(seed), Seen::default());
    while !has_ended.load(Ordering::Relaxed) {
        let snapshot = store.snapshot();
        let is_by_rows = rng.one_in(3);
        let evaluation =
            if is_by_rows { Evaluation::Rows(JoinOrder::ByCounts) } else { Evaluation::Columns };
        // Each commit puts one mark in the place of another.
        let marks = "SELECT ?m { ?batch v:mark ?m }";
        let all = options(QueryLimits::NONE);
        assert_eq!(
            rows(&snapshot, marks, &all, evaluation, &Watch::none()).expect("rows"),
            1,
            "marks"
        );
        let (_, text) = rng.pick(&LONG);
        let budget = Duration::from_millis(1 + rng.below(200) as u64);
        let deadline = now_ns() + budget.as_nanos() as u64;
        let watch = Watch::none().until(deadline, now_ns);
        let outcome = rows(&snapshot, text, &options(LIMITS), evaluation, &watch);
        let lateness = &mut seen.lateness[usize::from(is_by_rows)];
        lateness.extend(now_ns().checked_sub(deadline).map(Duration::from_nanos));
        match outcome {
            Ok(_) => seen.whole += 1,
            Err(SparqlError::Limit { .. }) => seen.limited += 1,
            Err(SparqlError::Store(GraphError::Stopped(_))) => seen.late += 1,
            Err(error) => panic!("{text}: {error}"),
        }
    }
    seen
}

/// A mark, of which there is one after each commit.
fn mark(count: u32) -> String {
    format!("<http://bench/{count}> <http://bsbm.example.org/v/mark> {count} .\n")
}

/// Puts one batch of products in the place of another, again and again.
fn write(store: &Store, first: u32, has_ended: &AtomicBool) -> u32 {
    let (shop, mut count) = (Shop::new(), 0);
    let batch =
        |count: u32| shop.products(first + count * 10..first + count * 10 + 10) + &mark(count);
    while !has_ended.load(Ordering::Relaxed) {
        let [old, new] = [count, count + 1].map(batch);
        let request = format!("DELETE DATA {{ {old} }} ; INSERT DATA {{ {new} }}");
        change(store, &request).expect("a change");
        count += 1;
    }
    count
}

/// Resident memory of this process that no file backs, in bytes.
fn memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0
}

#[test]
fn budgets_hold_under_eight_readers_and_a_writer() {
    let _alone = alone();
    let seconds = number("MANICULE_SECONDS").unwrap_or(3);
    let folder = tempfile::tempdir().expect("a folder");
    let first = products(if cfg!(debug_assertions) { 300 } else { 1000 });
    let store = store(folder.path(), first);
    change(&store, &format!("INSERT DATA {{ {} }}", mark(0))).expect("a change");
    let (has_ended, start) = (AtomicBool::new(false), Instant::now());
    let (mut all, mut peak, before) = (Seen::default(), 0.0f64, memory());
    let commits = std::thread::scope(|scope| {
        let (store, has_ended) = (&store, &has_ended);
        let readers: Vec<_> = (0..READERS)
            .map(|seed| scope.spawn(move || read(store, seed as u64, has_ended)))
            .collect();
        let writer = scope.spawn(move || write(store, first, has_ended));
        let is_well = || !writer.is_finished() && readers.iter().all(|one| !one.is_finished());
        while start.elapsed() < Duration::from_secs(seconds) && is_well() {
            std::thread::sleep(Duration::from_millis(20));
            peak = peak.max(memory());
        }
        has_ended.store(true, Ordering::Relaxed);
        for reader in readers {
            let seen = reader.join().expect("no wrong answer");
            all.whole += seen.whole;
            all.late += seen.late;
            all.limited += seen.limited;
            all.lateness.iter_mut().zip(seen.lateness).for_each(|(all, own)| all.extend(own));
        }
        writer.join().expect("the writer goes on")
    });
    let Seen { whole, late, limited, mut lateness } = all;
    assert!(commits > 0 && late > 0, "{commits} {whole} {late} {limited}");
    let [(by_columns, p99), (by_rows, _)] = lateness.each_mut().map(|times| spread(times));
    println!(
        "{commits} commits; {whole} queries whole, {late} ended by their time, {limited} by another limit"
    );
    println!("after their time, beside the others: vectorised {by_columns}; row by row {by_rows}");
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    println!("memory, MiB: {:.0} before, {:.0} at most", mib(before), mib(peak));
    // A processor is shared by some of the threads, so each gets its turn later.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let turns = (READERS + 1).div_ceil(processors) as u32;
    assert!(p99 <= LATE_MAX * SLOWNESS * turns, "late by {p99:?}");
    // The store holds commits until 256 MiB of them are merged, and both while they are; from 1 GiB
    // on commits wait.
    let store_len = (f64::from(commits) * COMMIT_LEN).min(f64::from(1 << 30));
    let most = before + READERS as f64 * QUERY_LEN_MAX + store_len + f64::from(128 << 20);
    assert!(peak <= most, "memory, MiB: {:.0} of {:.0}", mib(peak), mib(most));
}

/// Triples that CONSTRUCT makes, which are all known to have come in 27 MB.
const MADE: u64 = 600_000;

/// Set in the process that [`construct_keeps_to_the_memory_of_its_query`] measures.
const MEASURED_ALONE: &str = "MANICULE_MEASURED_ALONE";

/// In a process of its own: what the other tests left in the allocator's arenas comes and goes by
/// up to 10 MiB, the query takes 3.
#[test]
fn construct_keeps_to_the_memory_of_its_query() {
    if std::env::var_os(MEASURED_ALONE).is_some() {
        return construct_within_its_memory();
    }
    let _alone = alone();
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "--nocapture", "construct_keeps_to_the_memory_of_its_query"])
        .env(MEASURED_ALONE, "1")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains(" 1 passed"), "{text}{why}");
}

fn construct_within_its_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &options_of_store()).expect("a store");
    let numbers: String = (0..800).map(|at| format!("<x:{at}> <x:v> {at} . ")).collect();
    change(&store, &format!("INSERT DATA {{ {numbers} }}")).expect("a change");
    let text = "CONSTRUCT { ?a <x:with> ?b } { ?a <x:v> ?x . ?b <x:v> ?y }";
    let limits = QueryLimits { memory_max: 8 << 20, ..QueryLimits::NONE };
    let snapshot = store.snapshot();
    let (before, mut peak, mut count, watch) = (memory(), 0.0f64, 0, Watch::none());
    let options = options(limits);
    let answer = query_view(&snapshot, text, &options, &watch).expect("an answer");
    let Answer::Triples(mut triples) = answer else { panic!("not triples") };
    while count < MADE {
        triples.next().expect("more of them").expect("a triple");
        if count % 4096 == 0 {
            peak = peak.max(memory());
        }
        count += 1;
    }
    let grown = (peak - before) / f64::from(1 << 20);
    assert!(grown < 12.0, "{grown:.1} MiB more than before");
}
