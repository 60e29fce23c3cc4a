//! Rounds that questions about rows take at an address: as many of a hundred SSTables as of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule::context::{Addresses, Context, ContextOptions};
use manicule::rows::{OpenCall, PartitionOptions, RankedBy, SliceCall, Table, View};
use manicule::watch::Watch;
use manicule_store::store::{
    MemoryStore, Name, Replace, Store, StoreCounts, StoreError, WriteStore,
};
use manicule_testkit::{golden_folder, names};

const ADDRESS: &str = "s3://bucket/t";
const NOW: i64 = 1_794_000_000;

/// Every address leads into it.
#[derive(Debug)]
struct Memory(MemoryStore);

impl Addresses for Memory {
    fn resolve(&self, address: &str) -> Result<(Arc<dyn Store>, Name), StoreError> {
        let name = address.strip_prefix("s3://bucket/").expect("an address of the bucket");
        Ok((Arc::new(self.0.clone()), Name::new(name).expect("a name")))
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
    context.open_addresses_by(Arc::new(Memory(store.clone())));
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
