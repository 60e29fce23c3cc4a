//! Handles over addresses, which here lead into memory: answers are those of the local folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule::ErrorClass;
use manicule::blobs::repair::{Effect, ReadPacks};
use manicule::blobs::{self, RepairCall, Repository};
use manicule::context::{Addresses, Context, ContextOptions};
use manicule::graph::{Writer, Writing};
use manicule::rows::{self, MarkCall, Table};
use manicule::watch::Watch;
use manicule_store::store::{MemoryStore, Name, Store, StoreError};
use manicule_testkit::{golden_folder, golden_repository, in_memory};

/// Every address leads into it, by what follows the bucket.
#[derive(Debug)]
struct Memory(Arc<MemoryStore>);

impl Addresses for Memory {
    fn resolve(&self, address: &str) -> Result<(Arc<dyn Store>, Name), StoreError> {
        let name = address.strip_prefix("s3://bucket").expect("an address of the bucket");
        let name = Name::new(name.trim_matches('/')).unwrap_or_default();
        Ok((self.0.clone(), name))
    }
}

/// Does a job within a context whose bucket has the files of a folder.
fn with_bucket<T>(folder: &Path, job: impl FnOnce(&MemoryStore) -> T) -> T {
    let store = Arc::new(in_memory(folder));
    let context = Context::new(ContextOptions::NONE);
    context.open_addresses_by(Arc::new(Memory(store.clone())));
    context.enter(|| job(&store))
}

fn address(name: &str) -> PathBuf {
    PathBuf::from(format!("s3://bucket/{name}"))
}

#[test]
fn a_table_is_read_at_its_address() {
    let golden = golden_folder("rows", "me");
    let local = golden.path().join("me/mixed");
    let ask = |path: PathBuf| {
        let table = Table::open(&rows::OpenCall::new(path)).expect("a table");
        let overviews = table.overviews().expect("overviews");
        assert!(overviews.errors.is_empty(), "{:?}", overviews.errors);
        let lens: Vec<_> = overviews.list.iter().map(|one| (one.len, one.data_len)).collect();
        let holders = table.holders("1").expect("holders");
        let places: Vec<_> = holders.list.iter().map(|(_, at)| *at).collect();
        (table.schema(None).expect("a schema").cql, lens, places)
    };
    let want = ask(local.clone());
    let file = std::fs::read_dir(&local).expect("a folder").find_map(|entry| {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        name.ends_with("-Data.db").then_some(name)
    });
    let file = file.expect("an SSTable");
    let of_file = ask(local.join(&file));
    with_bucket(&golden.path().join("me"), |_| {
        assert_eq!(ask(address("mixed")), want);
        assert_eq!(ask(address("mixed/")), want);
        assert_eq!(ask(address(&format!("mixed/{file}"))), of_file);
        let absent = Table::open(&rows::OpenCall::new(address("absent"))).expect_err("no table");
        assert_eq!(absent.class(), ErrorClass::Missing, "{absent}");
    });
}

#[test]
fn what_is_open_of_a_table_stays_so_until_it_is_another() {
    let golden = golden_folder("rows", "me");
    with_bucket(&golden.path().join("me"), |store| {
        let table = Table::open(&rows::OpenCall::new(address("mixed"))).expect("a table");
        table.sstables().expect("SSTables");
        table.look_again().expect("a listing");
        let before = store.counts();
        table.sstables().expect("SSTables");
        assert_eq!(store.counts().rounds, before.rounds, "all are open");
    });
}

#[test]
fn a_repository_is_read_at_its_address() {
    let golden = golden_repository("small");
    let call = |path: PathBuf| blobs::OpenCall {
        path,
        password: b"manicule-golden".to_vec(),
        key_hint: None,
        threads: 2,
        index_cache: None,
        ahead: blobs::Ahead::Nothing,
    };
    let ask = |path: PathBuf| {
        let repository = Repository::open(&call(path)).expect("a repository");
        let snapshots = repository.snapshots(&Watch::none()).expect("snapshots").kept;
        let ids: Vec<_> = snapshots.iter().map(|kept| kept.id).collect();
        let index = repository.index(&Watch::none()).expect("an index");
        (ids, index.entry_count())
    };
    let want = ask(golden.path().join("repo"));
    with_bucket(golden.path(), |_| {
        assert_eq!(ask(address("repo")), want);
        let repository = Repository::open(&call(address("repo"))).expect("a repository");
        let retry_for = std::time::Duration::ZERO;
        let repair = RepairCall { read: ReadPacks::Doubtful, effect: Effect::Repair { retry_for } };
        let repaired = repository.repair_index(&repair, &Watch::none()).expect("nothing to do");
        assert_eq!((repaired.report.index_written, repaired.stale_locks), (0, Vec::new()));
    });
}

#[test]
fn what_writes_takes_no_address() {
    let refused = Writer::open(&address("store"), Writing::PLAIN, &Watch::none());
    let refused = refused.expect_err("it is remote");
    let want = "s3://bucket/store: this needs a local path, and reads no address";
    assert_eq!((refused.to_string().as_str(), refused.class()), (want, ErrorClass::Unsupported));
    let call = MarkCall { paths: vec![address("t")], level: Some(1), repaired: None, is_dry: true };
    let refused = rows::mark(&call, |_, _| Ok::<_, rows::Error>(())).expect_err("it is remote");
    assert_eq!(refused.class(), ErrorClass::Unsupported, "{refused}");
}
