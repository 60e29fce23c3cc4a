//! Golden shards in a store that is not local: the answers of the folder, an error whatever fails,
//! and a counted number of rounds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_code::shards::find::{Foreseen, ShardFiles, list};
use manicule_code::shards::shards_of;
use manicule_core::watch::Watch;
use manicule_store::Disk;
use manicule_store::store::{FetchLimits, Fetched, MemoryStore, Name, Replace, Store, WriteStore};
use manicule_testkit::{
    Rounds, SlowStore, fail_at_every_operation, golden_folder, in_memory, round_of_environment,
};
use serde_json::{Value, json};

use super::answer::answer;
use super::compare::ordered;

const LIMITS: FetchLimits = FetchLimits { file_bytes_max: 1 << 30, kept_bytes_max: 1 << 30 };

const QUERIES: [&str; 5] = ["lamp", "(?i)l[aou]mp", "sym:Lamp", "type:repo lamp", "file:go lamp"];

fn request(query: &str) -> Value {
    json!({"Q": query, "Opts": {}})
}

fn fetched(store: impl Store + 'static, folder: &Path) -> Fetched {
    Fetched::through(Arc::new(store), folder, Disk::shared(), LIMITS)
}

/// The shards, or the first error.
fn open(files: &Fetched, before: Option<&ShardFiles>) -> Result<ShardFiles, String> {
    let mut errors = Vec::new();
    let opened =
        ShardFiles::open_in(files, None, before, &mut |error| errors.push(error.to_string()));
    match errors.into_iter().next() {
        Some(error) => Err(error),
        None => opened.map_err(|error| error.to_string()),
    }
}

/// The answer, or the first error. Of these shards all is brought when they are opened.
fn ask(files: &ShardFiles, query: &str) -> Result<Option<Value>, String> {
    let mut errors = Vec::new();
    let shards = files.shards(Foreseen::Texts, &mut |error| errors.push(error.to_string()));
    match errors.into_iter().next() {
        Some(error) => Err(error),
        None => {
            let answer = answer(&shards, &request(query), false);
            answer.map(|answer| answer.map(ordered)).map_err(|error| error.to_string())
        }
    }
}

fn answers(files: &ShardFiles) -> Result<Vec<Option<Value>>, String> {
    QUERIES.iter().map(|query| ask(files, query)).collect()
}

fn over(store: &MemoryStore) -> Result<Vec<Option<Value>>, String> {
    let kept = tempfile::tempdir().expect("a folder");
    answers(&open(&fetched(store.clone(), kept.path()), None)?)
}

/// Each golden folder of shards.
fn with_folders(mut call: impl FnMut(&Path)) {
    let golden = golden_folder("code", "shards");
    for name in ["ctags", "compound", "git-ctags", "delta", "tomb"] {
        call(&golden.path().join("shards").join(name));
    }
}

#[test]
fn a_store_is_answered_as_its_folder_is() {
    with_folders(|folder| {
        let local = ShardFiles::open(folder, &mut |error| panic!("{error}")).expect("shards");
        let got = over(&in_memory(folder)).expect("shards");
        assert!(
            got == answers(&local).expect("shards") && got.iter().any(Option::is_some),
            "{folder:?}"
        );
    });
}

#[test]
fn whatever_fails_there_is_an_error_and_no_other_answer() {
    with_folders(|folder| {
        fail_at_every_operation(&in_memory(folder), over);
    });
}

/// A plan beside shards: of one that stays with a new sidecar, and of a new one. And an exchange.
#[test]
fn plans_are_read_from_a_store_and_a_failure_of_theirs_is_an_error() {
    let golden = golden_folder("code", "shards");
    let folder = golden.path().join("shards").join("delta");
    let store = in_memory(&folder);
    let shards = shards_of(&folder).expect("shards").shards;
    assert!(shards.len() > 1, "{shards:?}");
    let before = over(&store).expect("shards");
    let text = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let (first, last) = (text(&shards[0]), text(&shards[shards.len() - 1]));
    let put = |name: &str, bytes: &[u8]| {
        store.put(&Name::new(name).unwrap(), bytes, Replace::Any).unwrap();
    };
    // The last shard has not got its name yet, the first not its sidecar.
    let bytes = |name: &str| fs::read(folder.join(name));
    put(&format!("{last}.tmp"), &bytes(&last).unwrap());
    put(&last, b"of an older index");
    if let Ok(sidecar) = bytes(&format!("{first}.meta")) {
        put(&format!("{first}.meta.tmp"), &sidecar);
        store.remove(&Name::new(&format!("{first}.meta")).unwrap()).unwrap();
    }
    let (prefix, _) = last.rsplit_once("_v16.").unwrap();
    let plan = format!("manicule plan 1\n{} {}\n", shards.len(), shards.len() - 1);
    put(&format!("{prefix}_v16.plan"), plan.as_bytes());
    assert!(over(&store).expect("shards") == before);
    fail_at_every_operation(&store, over);
}

#[test]
fn calls_take_these_rounds() {
    let golden = golden_folder("code", "shards");
    let memory = in_memory(&golden.path().join("shards").join("delta"));
    let slow = Arc::new(SlowStore::new(Arc::new(memory.clone()), round_of_environment()));
    let kept = tempfile::tempdir().expect("a folder");
    let files = || Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
    let mut rounds = Rounds::over(&slow);
    let opened = rounds.call("open, nothing kept", || open(&files(), None)).expect("shards");
    let again = || open(&files(), None);
    rounds.call("open, as another process has", again).expect("shards");
    let same = || open(&files(), Some(&opened));
    rounds.call("look again, nothing new", same).expect("shards");
    for query in QUERIES {
        rounds.call(query, || ask(&opened, query)).expect("an answer");
    }
    let shards = opened.shards(Foreseen::Texts, &mut |error| panic!("{error}"));
    rounds.call("list", || list(&shards, None, 1, &Watch::none())).expect("repositories");
    let shard = memory.list(&Name::root()).unwrap().into_iter();
    let shard = shard.map(|listed| listed.name).find(|name| name.ends_with(".zoekt"));
    let shard = Name::new(&shard.expect("a shard")).expect("a name");
    let mut bytes = Vec::new();
    memory.read(&shard, u64::MAX, &mut bytes).unwrap();
    memory.put(&shard, &bytes, Replace::Any).unwrap();
    let now = rounds.call("look again, one replaced", same).expect("shards");
    rounds.call("lamp", || ask(&now, "lamp")).expect("an answer");
    // The folder before and after, a sidecar. What opening reads of its two shards is all of them.
    rounds.check(&[
        ("open, nothing kept", 3),
        ("open, as another process has", 3),
        ("look again, nothing new", 3),
        ("lamp", 1),
        ("(?i)l[aou]mp", 0),
        ("sym:Lamp", 0),
        ("type:repo lamp", 0),
        ("file:go lamp", 0),
        ("list", 0),
        ("look again, one replaced", 3),
        ("lamp", 1),
    ]);
}
