//! Tables in memory whose operations fail one after the other: listing, opening and every reading
//! command end in an error, never in another answer. And the rounds that calls take.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use manicule_core::watch::Watch;
use manicule_rows::RowsError;
use manicule_rows::table::{
    Access, Listed, TableOptions, list, list_all, list_all_in, list_in, stats,
};
use manicule_rows::verify::{Depth, verify};
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use manicule_store::store::{Ahead, MemoryStore};
use manicule_testkit::{
    Rounds, SlowStore, fail_at_every_operation, in_memory, round_of_environment,
};

use crate::golden::support::{Golden, options};
use crate::golden::whole::{COMMANDS, Command, answer_of, keys_of};

/// Those that write go on to copy local files.
fn is_read(command: &&Command) -> bool {
    !["merge", "extract"].contains(&command.name)
}

fn reading<T: Debug>(
    job: impl FnOnce(&TableOptions, &mut Reading<'_>) -> Result<T, RowsError>,
) -> Result<T, String> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(8 << 20));
    let options = options(Access::Positioned(SystemCache::Used));
    let got = job(&options, &mut Reading { counts: &mut counts, budget: &budget });
    got.map_err(|error| error.to_string())
}

/// The one table of a store.
fn only(store: &MemoryStore) -> Result<Listed, String> {
    let store = Ahead::over(Arc::new(store.clone()));
    let (mut listed, left_out) = list_in(&store).map_err(|error| error.to_string())?;
    assert_eq!((listed.len(), left_out.len()), (1, 0), "{left_out:?}");
    Ok(listed.remove(0))
}

fn statistics(store: &MemoryStore) -> Result<String, String> {
    let listed = only(store)?;
    reading(|options, reading| stats(&listed, options, reading).map(|stats| format!("{stats:?}")))
}

fn verified(store: &MemoryStore) -> Result<String, String> {
    let store = Ahead::over(Arc::new(store.clone()));
    let listed = list_all_in(&store).map_err(|error| error.to_string())?.remove(0);
    let verified = reading(|options, reading| {
        verify(&listed, Depth::Whole, options, reading, &Watch::none())
    })?;
    let (findings, warnings) = (&verified.verdict.findings, &verified.verdict.warnings);
    match findings.list.iter().chain(&warnings.list).next() {
        Some(finding) => Err(finding.to_string()),
        None => Ok(format!("{:?}", verified.counts)),
    }
}

fn check(folder: &Path) {
    let (store, keys) = (in_memory(folder), keys_of(folder));
    let local = list(folder).unwrap().0.remove(0);
    for command in COMMANDS.iter().filter(is_read) {
        println!("{folder:?}: {}", command.name);
        let ask = |store: &MemoryStore| answer_of(&only(store)?, &keys, command);
        assert_eq!(ask(&store), answer_of(&local, &keys, command), "{}", command.name);
        fail_at_every_operation(&store, ask);
    }
    println!("{folder:?}: stats, verify");
    fail_at_every_operation(&store, statistics);
    fail_at_every_operation(&store, verified);
}

#[test]
fn whatever_fails_there_is_an_error_and_no_other_answer() {
    let (golden, mut versions) = (Golden::new(), BTreeSet::new());
    for folder in golden.folders() {
        let listed = list_all(&folder).unwrap();
        // One table of each version.
        if listed.len() == 1 && versions.insert(listed[0].descriptor.version.letters()) {
            check(&folder);
        }
    }
    assert!(versions.len() >= 8, "{versions:?}");
}

#[test]
fn calls_take_these_rounds() {
    let golden = Golden::new();
    let folder = golden.folders().into_iter().find(|folder| {
        let listed = list_all(folder).unwrap();
        listed.len() == 1 && listed[0].descriptor.version.letters() == "nb"
    });
    let folder = folder.expect("a table of one SSTable");
    let (memory, keys) = (in_memory(&folder), keys_of(&folder));
    let slow = Arc::new(SlowStore::new(Arc::new(memory), round_of_environment()));
    let store = || Ahead::over(slow.clone());
    let mut rounds = Rounds::over(&slow);
    rounds.call("list", || list_in(&store())).unwrap();
    for command in COMMANDS.iter().filter(is_read) {
        let ask = || answer_of(&list_in(&store()).unwrap().0.remove(0), &keys, command);
        rounds.call(command.name, ask).unwrap();
    }
    // Each command lists the table again. All that is short came with its table of contents.
    rounds.check(&[
        ("list", 2),
        ("dump", 2),
        ("keys", 2),
        ("dump -k", 2),
        ("dump -x", 2),
        ("live", 2),
        ("facts", 2),
        ("partitions", 2),
        ("tombstones", 2),
        ("find", 2),
        ("slice", 2),
    ]);
}
