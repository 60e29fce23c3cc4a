//! Rounds that questions about rows take at an address: as many of a hundred SSTables as of one,
//! and of some tables below it as of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use manicule::context::{Addresses, Context, ContextOptions};
use manicule::rows::{
    Ahead, Copies, OpenCall, PartitionOptions, RankedBy, SliceCall, Table, View, tables_below,
};
use manicule::watch::Watch;
use manicule_store::rounds;
use manicule_store::store::{
    MemoryStore, Name, Replace, Store, StoreCounts, StoreError, WriteStore,
};
use manicule_testkit::{SlowStore, golden_folder, names};

const ADDRESS: &str = "s3://bucket/t";
const NOW: i64 = 1_794_000_000;

/// Every address leads into it.
#[derive(Debug)]
struct Memory(Arc<dyn Store>);

impl Addresses for Memory {
    fn resolve(&self, address: &str) -> Result<(Arc<dyn Store>, Name), StoreError> {
        let name = address.strip_prefix("s3://bucket/").expect("an address of the bucket");
        Ok((Arc::clone(&self.0), Name::new(name).expect("a name")))
    }
}

/// The first SSTable of a folder as often as said, in memory: each of another generation.
fn several(folder: &Path, count: u32) -> MemoryStore {
    let store = MemoryStore::new(1);
    let mut first = None;
    for name in names(folder) {
        let parts: Vec<&str> = name.splitn(3, '-').collect();
        let [version, generation, rest] = parts[..] else { continue };
        if *first.get_or_insert(generation.to_owned()) != *generation {
            continue;
        }
        let bytes = fs::read(folder.join(&name)).expect("a file");
        for generation in 1..=count {
            let name = Name::new(&format!("t/{version}-{generation}-{rest}")).expect("a name");
            store.put(&name, &bytes, Replace::Any).expect("memory");
        }
    }
    store
}

/// Does a job with what the address leads to in memory; what was asked of it.
fn counted<T>(store: &MemoryStore, job: impl FnOnce() -> T) -> (T, StoreCounts) {
    let context = Context::new(ContextOptions::NONE);
    context.open_addresses_by(Arc::new(Memory(Arc::new(store.clone()))));
    store.fail(None);
    let done = context.enter(job);
    (done, store.counts())
}

fn open() -> Table {
    Table::open(&OpenCall::new(PathBuf::from(ADDRESS))).expect("a table")
}

fn slice(view: View) -> u64 {
    let table = open();
    let call = SliceCall { view, ..SliceCall::new("1".to_owned(), NOW) };
    let slice = table.slice(&call).expect("a slice");
    slice.each(&Watch::none(), |_, _| Ok::<(), manicule::rows::Error>(())).expect("rows").rows
}

/// A question of a table that is opened for it, which gives a number, by its name.
type Question = (&'static str, fn() -> u64);

const QUESTIONS: &[Question] = &[
    ("holders", || open().holders("1").expect("holders").list.len() as u64),
    ("holders of an absent key", || open().holders("77777").expect("none").list.len() as u64),
    ("slice, live", || slice(View::Live { now: NOW })),
    ("slice, own", || slice(View::Own)),
    ("schema", || open().schema(None).expect("a schema").cql.len() as u64),
    ("stats", || open().stats().expect("stats").sstables.iter().flatten().count() as u64),
    ("overviews", || open().overviews().expect("overviews").list.len() as u64),
    ("sstables", || open().sstables().expect("SSTables").list.len() as u64),
    ("partitions", || {
        let (by, counted) = (RankedBy::Size, None);
        let options = PartitionOptions { listed_count_max: 5, by, min: 0, counted };
        open().partitions(&options, &Watch::none()).expect("partitions").count
    }),
];

/// Of a hundred as of ten; of one all short components come with its table of contents.
fn check(archive: &str, table: &str) {
    let golden = golden_folder("rows", archive);
    let folder = golden.path().join(table);
    let stores = [1, 10, 100].map(|count| several(&folder, count));
    for (name, ask) in QUESTIONS {
        let asked = stores.each_ref().map(|store| counted(store, ask));
        println!("{table}, {name}: {asked:?}");
        let rounds = asked.map(|(_, counts)| counts.rounds);
        assert_eq!(rounds[0], 2, "{table}, {name}");
        assert_eq!(rounds[1], rounds[2], "{table}, {name}");
        assert!(rounds[2] <= 4, "{table}, {name}: {rounds:?}");
    }
}

#[test]
fn a_hundred_sstables_take_the_rounds_of_ten() {
    check("me", "me/mixed");
    check("tries", "da/mixed");
}

/// Tables of an SSTable each, in folders of one folder.
fn tables(count: u32) -> Arc<SlowStore> {
    let golden = golden_folder("rows", "me");
    let one = several(&golden.path().join("me/mixed"), 1);
    let store = MemoryStore::new(1);
    for entry in one.list(&Name::new("t").expect("a name")).expect("memory") {
        let mut bytes = Vec::new();
        let file = Name::new(&format!("t/{}", entry.name)).expect("a name");
        one.read(&file, u64::MAX, &mut bytes).expect("memory");
        for table in 0..count {
            let name = Name::new(&format!("t/{table:03}/{}", entry.name)).expect("a name");
            store.put(&name, &bytes, Replace::Any).expect("memory");
        }
    }
    Arc::new(SlowStore::new(Arc::new(store), Duration::ZERO).at("s3://bucket"))
}

/// Of 32 tables the listings and a round; what a listing has shown isn't listed again, and of an
/// SSTable three components are read where opening reads eight.
#[test]
fn tables_below_an_address_are_opened_side_by_side() {
    for (count, want) in [(1, 3), (16, 3), (32, 3), (33, 4), (96, 5)] {
        let store = tables(count);
        let context = Context::new(ContextOptions::NONE);
        context.open_addresses_by(Arc::new(Memory(store.clone())));
        let (before, mut paths) = (rounds::ended(), Vec::new());
        context.enter(|| {
            let below = tables_below(Path::new(ADDRESS), Copies::Passed);
            assert!(below.unread.is_empty());
            let overviews = |path: &Path| {
                let call = OpenCall { ahead: Ahead::Statistics, ..OpenCall::new(path.to_owned()) };
                let table = Table::open(&call).expect("a table");
                table.overviews().expect("overviews").list.len()
            };
            below.each(overviews, &mut |path, sstable_count| {
                assert_eq!(sstable_count, 1);
                paths.push(path);
            });
        });
        assert!(paths.len() == count as usize && paths.is_sorted());
        let counts = store.take_counts();
        let took = (rounds::ended() - before, counts.requests);
        println!("{count} tables: {took:?}");
        assert_eq!(took.0, want, "{count} tables");
        let files = counts.requests / u64::from(count);
        assert!(files <= 5, "{count} tables: {counts:?}");
    }
}
