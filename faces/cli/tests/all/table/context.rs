//! Many calls at once within one context: memory and threads stay within what it has, and calls
//! that are cancelled leave nothing running.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use manicule::answer::{self, Format};
use manicule::catalog::{Arguments, Call, table};
use manicule::context::{Context, ContextOptions};
use manicule::graph::{
    DefaultGraphChoice, Fits, LoadCall, QueryCall, QueryLimits, RowFormat, RowsAs, Store, Syntax,
    Writing, load,
};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use manicule_testkit::{Rng, golden_repository};
use tempfile::TempDir;

use super::PASSWORD;
use super::cases::{Case, Golden, cases};
use super::memory::{Grown, grown};

const CALLS: usize = 100;
const CANCELLED: usize = 1000;
/// Less than what all calls want at once: 20 loads of 4 MiB are among them.
const MEMORY_BYTES: u64 = 16 << 20;
/// What a call has outside of the budget, at most: stacks of its threads, batches that wait,
/// buffers in which its engine reads, capacity that its answer leaves unused. 0.5 MB were measured.
const OUTSIDE_BYTES: u64 = 2 << 20;
const THREADS: usize = 6;
/// How long something that was cancelled may go on.
const END_MAX: Duration = Duration::from_secs(60);

/// A call of any kind; the answer is the same each time.
type Ask = Box<dyn Fn() -> Result<Vec<u8>, Failure> + Sync + Send>;

/// A case as a call of the catalogue.
fn call_of(case: &Case, folder: &Path) -> Call {
    let pair = |argument: &&str| {
        let (name, value) = argument.split_once('=').expect("a name and a value");
        (name.to_owned(), value.to_owned())
    };
    let paths: Vec<PathBuf> = case.paths.iter().map(|path| folder.join(path)).collect();
    let mut named: Vec<_> = case.arguments.iter().map(pair).collect();
    if case.table.starts_with("blobs.") {
        let word = folder.join("word");
        fs::write(&word, PASSWORD).expect("a file");
        named.push(("password_file".to_owned(), word.display().to_string()));
    }
    Call { arguments: Arguments { paths, named }, ..Call::default() }
}

fn tables() -> Vec<(Golden, Ask)> {
    let ask = |case: Case| {
        let golden = case.folder();
        let (call, table) =
            (call_of(&case, golden.path()), table(case.table).expect("it is there"));
        let ask: Ask = Box::new(move || {
            let (mut answer, mut out) = (table.open(&call)?, Vec::new());
            match answer::write(&mut answer, Format::Csv, &mut out) {
                Ok(_) => Ok(out),
                Err(answer::WriteError::Answer(failure)) => Err(failure),
                Err(error) => panic!("{}: {error}", table.name),
            }
        });
        (golden, ask)
    };
    cases().into_iter().map(ask).collect()
}

const QUADS: usize = 250;

/// A query whose rows are sorted, and so held.
fn query(store: PathBuf) -> Ask {
    Box::new(move || {
        let call = QueryCall {
            text: "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY DESC(?c) ?f".to_owned(),
            base: None,
            default_graph: DefaultGraphChoice::Own,
            limits: QueryLimits::NONE,
            rows: RowsAs::Document(RowFormat::Csv),
            triples: Syntax::NTriples,
            prefixes: Vec::new(),
            fits: Fits::Any,
        };
        let (store, mut out) = (Store::open(&store)?, Vec::new());
        store.query(&call, &mut out, &Watch::none())?;
        Ok(out)
    })
}

/// A load into a store of its own, of 4 MiB at most.
fn loads(document: PathBuf, folder: PathBuf) -> Ask {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    Box::new(move || {
        let place = folder.join(NUMBER.fetch_add(1, Relaxed).to_string());
        let call =
            LoadCall { memory: 4 << 20, threads: 2, ..LoadCall::new(vec![document.clone()]) };
        let loaded = load(&place, Writing::PLAIN, &call, &Watch::none())?;
        Ok(loaded.added.to_string().into_bytes())
    })
}

/// The entries of a repository's index.
fn index(path: PathBuf) -> Ask {
    let password = PASSWORD.as_bytes().to_vec();
    let call = manicule::blobs::OpenCall {
        path,
        password,
        key_hint: None,
        threads: 2,
        index_cache: None,
        ahead: manicule::blobs::Ahead::Nothing,
    };
    let repository = manicule::blobs::Repository::open(&call).expect("it opens");
    Box::new(move || {
        let index = repository.index(&Watch::none())?;
        Ok(index.entry_count().to_string().into_bytes())
    })
}

/// Calls of all kinds, and what each answers alone.
struct Calls {
    asks: Vec<Ask>,
    want: Vec<Vec<u8>>,
    /// The first ones are tables; those after them take much.
    table_count: usize,
    _golden: Vec<Golden>,
    _folders: [TempDir; 2],
}

impl Calls {
    fn new() -> Calls {
        let folder = tempfile::tempdir().expect("a folder");
        let document = folder.path().join("a.nt");
        let line = |number: usize| format!("<x:lamp{}> <x:is> \"{number}\" .\n", number % 90);
        fs::write(&document, (0..QUADS).map(line).collect::<String>()).expect("a file");
        let store = folder.path().join("store");
        load(&store, Writing::PLAIN, &LoadCall::new(vec![document.clone()]), &Watch::none())
            .expect("it loads");
        let repository = golden_repository("small");

        let (golden, mut asks): (Vec<_>, Vec<_>) = tables().into_iter().unzip();
        let table_count = asks.len();
        asks.push(query(store));
        asks.push(loads(document, folder.path().to_owned()));
        asks.push(index(repository.path().join("repo")));
        let want: Vec<Vec<u8>> =
            asks.iter().map(|ask| ask().expect("it is answered alone")).collect();
        assert!(want[table_count].len() > QUADS * QUADS, "the query holds something");
        Calls { asks, want, table_count, _golden: golden, _folders: [folder, repository] }
    }

    /// Numbers of the calls of a run. A third is of the kinds that take much.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        let (table_count, count) = (self.table_count, self.asks.len());
        (0..CALLS).map(move |number| match number % 3 {
            0 => table_count + number / 3 % (count - table_count),
            _ => number % table_count,
        })
    }

    /// Bytes of all answers of a run.
    fn answer_len(&self) -> u64 {
        self.numbers().map(|number| self.want[number].len() as u64).sum()
    }

    /// Makes all calls at once. Returns the number of those that are answered, as they are alone;
    /// the others find no memory.
    fn run(&self, context: &Context) -> u64 {
        let answered = AtomicU64::new(0);
        thread::scope(|scope| {
            for number in self.numbers() {
                let (ask, want, answered) = (&self.asks[number], &self.want[number], &answered);
                scope.spawn(move || match context.enter(ask) {
                    Ok(got) => {
                        assert!(got == *want, "call {number} has another answer beside others");
                        answered.fetch_add(1, Relaxed);
                    }
                    Err(failure) => assert_eq!(failure.class(), ErrorClass::Busy, "{failure}"),
                });
            }
        });
        answered.into_inner()
    }
}

#[test]
fn a_hundred_calls_keep_within_what_all_may_take() {
    let test = "table::context::a_hundred_calls_keep_within_what_all_may_take";
    let grown = grown(test, Calls::new, |calls| {
        let context = Context::new(ContextOptions {
            memory: MEMORY_BYTES,
            threads: THREADS,
            ..ContextOptions::NONE
        });
        let answered = calls.run(&context);
        let peak = context.memory().peak_bytes();
        assert!(peak <= MEMORY_BYTES, "{peak} bytes");
        assert!(peak >= 4 << 20, "something was held: {peak}");
        assert_eq!(context.memory().held_bytes(), 0);
        // Beside the permits: the thread of an answer, and one in it or in the call where it needs
        // two.
        assert!(context.permits().peak() <= THREADS + 2 * CALLS);
        assert!(answered >= CALLS as u64 / 2, "most calls are answered");
        assert_ended(&context);
        calls.answer_len()
    });
    let Some(Grown { own, all, answered: answers }) = grown else { return };
    println!("{own} bytes, {all} with mapped files, for answers of {answers}");
    let bound = MEMORY_BYTES + answers + CALLS as u64 * OUTSIDE_BYTES;
    assert!(own <= bound, "the process has grown by {own} bytes of {bound}");
}

/// Nothing runs any more, some time after the last call.
fn assert_ended(context: &Context) {
    let begun = Instant::now();
    while context.permits().taken() > 0 {
        assert!(begun.elapsed() < END_MAX, "{} threads go on", context.permits().taken());
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_thousand_cancelled_calls_leave_nothing_running() {
    let context = Context::new(ContextOptions { threads: THREADS, ..ContextOptions::NONE });
    let goldens: Vec<_> = cases()
        .into_iter()
        .map(|case| {
            let golden = case.folder();
            (call_of(&case, golden.path()), table(case.table).expect("it is there"), golden)
        })
        .collect();
    let mut rng = Rng::new(7);
    for number in 0..CANCELLED {
        let (call, table, _) = &goldens[number % goldens.len()];
        let mut answer = context.enter(|| table.open(call)).expect("it opens");
        match rng.below(3) {
            0 => {}
            1 => thread::sleep(Duration::from_micros(rng.bits() % 2000)),
            _ => drop(answer.next()),
        }
        drop(answer);
    }
    assert_ended(&context);
    assert!(context.permits().peak() > 1, "calls have run beside each other");
}
