//! Shards in a store that is not local, longer than what opening brings of them: ranges are brought
//! as they are wanted, and the answers are those of whole ones.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use manicule_code::shards::find::query::{self, Answer, Hear, Query, search};
use manicule_code::shards::find::{
    Admit, Foreseen, Receipt, ShardFiles, census, list, not_indexed,
};
use manicule_code::shards::{ShardError, summarise, summarise_in};
use manicule_code::tree::Flow;
use manicule_core::watch::Watch;
use manicule_store::Disk;
use manicule_store::store::{FetchLimits, Fetched, MemoryStore, Name, Replace, Store, WriteStore};
use manicule_testkit::{
    Rounds, SlowStore, fail_at_every_operation, in_memory, round_of_environment,
};

use super::super::symbols::{indexed, put_ctags};
use super::answer::with_request;

const LIMITS: FetchLimits = FetchLimits { file_bytes_max: 1 << 30, kept_bytes_max: 1 << 30 };

/// Documents of the tree, and functions in each.
const COUNT: usize = 120;
const LINES: u64 = 120;

const QUERIES: [&str; 8] = [
    "needle77inHay",
    "case:yes needle7",
    "sym:function_31",
    "needle[0-9]+inHay file:doc_00",
    "file:doc_010",
    "lang:go function_5",
    "zz",
    "notthere",
];

/// Answers each request with a tag of each function, in a module of its own.
const CTAGS: &str = r#"#!/bin/sh
echo '{"_type":"program","name":"Universal Ctags"}'
while read -r request; do
  size=${request##*\"size\":}
  head -c "${size%%[,\}]*}" | awk '/^func/ {
    split($2, name, "(")
    printf "{\"_type\":\"tag\",\"name\":\"%s\",\"line\":%d,\"kind\":\"function\",", name[1], NR
    printf "\"scope\":\"module%d\",\"scopeKind\":\"package\"}\n", NR
  }'
  echo '{"_type":"completed","command":"generate-tags"}'
done
"#;

/// Shards of a tree of Go files, each with more trigrams and symbols than its end has.
fn shards() -> tempfile::TempDir {
    let (folder, output) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (tree, program) = (folder.path().join("hay"), put_ctags(folder.path(), CTAGS));
    fs::create_dir(&tree).unwrap();
    for number in 0..COUNT {
        fs::write(tree.join(format!("doc_{number:03}.go")), document(number)).unwrap();
    }
    fs::write(tree.join("empty.go"), "").unwrap();
    fs::write(tree.join("binary.bin"), [0; 900]).unwrap();
    let report = indexed(&tree, output.path(), program, |options| options.shard_len_max = 250_000);
    assert_eq!(report.symbol_count, COUNT as u64 * LINES);
    output
}

fn document(number: usize) -> String {
    let mut text = format!("package hay // needle{number}inHay\n");
    let mut state = number as u64 + 1;
    for line in 0..LINES {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("func function_{line}_{number}() string {{ return \"{state:x}\" }}\n");
    }
    text
}

fn fetched(store: impl Store + 'static, folder: &Path) -> Fetched {
    Fetched::through(Arc::new(store), folder, Disk::shared(), LIMITS)
}

/// The names that a query finds, with the places of its matches, the line that each is in, and the
/// parent of the symbol.
type Found = Vec<(String, Vec<(usize, usize, String)>)>;

struct Names<'n>(&'n Mutex<Result<Found, String>>);

impl Hear for Names<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let mut all = self.0.lock().unwrap();
        if let Ok(found) = &mut *all {
            match of_document(answer) {
                Ok(matches) => {
                    found.push((String::from_utf8_lossy(answer.document.name).into(), matches));
                }
                Err(error) => *all = Err(error.to_string()),
            }
        }
        Flow::Continue
    }

    fn range_end(&mut self, _: usize) {}
}

fn of_document(answer: &Answer<'_>) -> Result<Vec<(usize, usize, String)>, ShardError> {
    let (open, number) = (answer.document.shard, answer.document.number);
    let newlines = open.newlines(number)?;
    let of_match = |found: &query::Found| {
        let at = found.range.start;
        let line = newlines.partition_point(|newline| (*newline as usize) < at);
        let parent = match found.symbol {
            Some(symbol) => open.symbol_info(number, symbol as usize)?.parent,
            None => &[],
        };
        Ok((at, line, String::from_utf8_lossy(parent).into_owned()))
    };
    answer.found.iter().map(of_match).collect()
}

/// What a query finds, and what that took.
fn ask(files: &ShardFiles, query: &str) -> Result<(Found, Receipt), String> {
    let query = Query::parse(query).expect("a query");
    let mut errors = Vec::new();
    let shards = files.shards(query.foreseen(), &mut |error| errors.push(error.to_string()));
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let found = Mutex::new(Ok(Vec::new()));
    let receipt = with_request(|request| {
        search(&shards, &query, request, &|| Box::new(Names(&found)))
            .map_err(|error| error.to_string())
    })?;
    let mut found = found.into_inner().unwrap()?;
    found.sort();
    Ok((found, receipt))
}

fn opened(files: &Fetched) -> Result<ShardFiles, String> {
    ShardFiles::open_in(files, None, None, &mut |error| panic!("{error}"))
        .map_err(|error| error.to_string())
}

fn over(store: &MemoryStore, query: &str) -> Result<Found, String> {
    let kept = tempfile::tempdir().expect("a folder");
    let files = opened(&fetched(store.clone(), kept.path()))?;
    ask(&files, query).map(|(found, _)| found)
}

#[test]
fn ranges_are_answered_as_whole_shards_are() {
    let folder = shards();
    let store = in_memory(folder.path());
    let local = ShardFiles::open(folder.path(), &mut |error| panic!("{error}")).expect("shards");
    for query in QUERIES {
        let (want, _) = ask(&local, query).expect("an answer");
        assert_eq!(over(&store, query).expect("an answer"), want, "{query}");
        let is_there = !["zz", "notthere"].contains(&query);
        assert_eq!(!want.is_empty(), is_there, "{query}");
    }
}

#[test]
fn what_is_counted_and_listed_is_that_of_whole_shards() {
    let folder = shards();
    let store = in_memory(folder.path());
    let local = ShardFiles::open(folder.path(), &mut |error| panic!("{error}")).expect("shards");
    let local = local.shards(Foreseen::Documents, &mut |error| panic!("{error}"));
    let kept = || tempfile::tempdir().expect("a folder");
    let (first, second, third, fourth) = (kept(), kept(), kept(), kept());
    let far = |kept: &tempfile::TempDir| opened(&fetched(store.clone(), kept.path())).unwrap();
    let admit = Admit::all();
    let files = far(&first);
    let shards = files.shards(Foreseen::Documents, &mut |error| panic!("{error}"));
    let want = census(&local, &admit).unwrap();
    assert_eq!(census(&shards, &admit).unwrap(), want);
    assert!(want.not_indexed.binary > 0);
    let files = far(&second);
    let shards = files.shards(Foreseen::Documents, &mut |error| panic!("{error}"));
    assert_eq!(not_indexed(&shards, &admit).unwrap(), want.not_indexed);
    let files = far(&third);
    let shards = files.shards(Foreseen::Documents, &mut |error| panic!("{error}"));
    let listed = |shards: &_| format!("{:?}", list(shards, None, 1, &Watch::none()).unwrap());
    assert_eq!(listed(&shards), listed(&local));
    let lines = summarise_in(&fetched(store.clone(), fourth.path())).unwrap();
    let lines: Vec<_> = lines.into_iter().map(|line| (line.len, line.documents)).collect();
    let want = summarise(folder.path()).unwrap().into_iter();
    assert_eq!(lines, want.map(|line| (line.len, line.documents)).collect::<Vec<_>>());
}

#[test]
fn whatever_fails_there_is_an_error_and_no_other_answer() {
    let folder = shards();
    let store = in_memory(folder.path());
    for query in ["needle77inHay", "zz", "sym:function_31 file:doc_07"] {
        let operations = fail_at_every_operation(&store, |store| over(store, query));
        assert!(operations >= 4, "{query}: {operations}");
    }
}

#[test]
fn a_shard_that_is_replaced_meanwhile_is_an_error() {
    let folder = shards();
    let store = in_memory(folder.path());
    let kept = tempfile::tempdir().expect("a folder");
    let files = opened(&fetched(store.clone(), kept.path())).unwrap();
    ask(&files, "file:doc_010").expect("an answer");
    let shard = store.list(&Name::root()).unwrap().swap_remove(0);
    let name = Name::new(&shard.name).unwrap();
    let mut bytes = Vec::new();
    store.read(&name, u64::MAX, &mut bytes).unwrap();
    store.put(&name, &bytes, Replace::Any).unwrap();
    let error = ask(&files, "needle").expect_err("another version");
    assert!(error.contains(&shard.name) && error.contains("replaced"), "{error}");
}

/// All shards in one round each time: their ends, what opening reads, posting lists, documents.
#[test]
fn queries_take_these_rounds_and_bytes() {
    let folder = shards();
    let memory = in_memory(folder.path());
    let len: u64 = memory.list(&Name::root()).unwrap().iter().filter_map(|own| own.len).sum();
    let slow = Arc::new(SlowStore::new(Arc::new(memory.clone()), round_of_environment()));
    let kept = tempfile::tempdir().expect("a folder");
    let mut rounds = Rounds::over(&slow);
    let mut call = |name: &'static str, query: &str| {
        let before = memory.counts().read_bytes;
        let files = Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
        let files = opened(&files).unwrap();
        rounds.call(name, || ask(&files, query)).expect("an answer");
        memory.counts().read_bytes - before
    };
    let first = call("a rare word", "needle77inHay");
    call("the same", "needle77inHay");
    let other = call("another rare word", "needle78inHay");
    call("names", "file:doc_010");
    call("looked through", "zz");
    rounds.check(&[
        ("a rare word", 4),
        ("the same", 0),
        ("another rare word", 2),
        ("names", 1),
        ("looked through", 1),
    ]);
    assert!(first < len / 3 && other < len / 20, "{first} and {other} of {len} bytes");
}
