//! Folders brought into memory, and calls over them with every operation failing once.

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use manicule_store::store::{Failing, MemoryStore, Name, WriteStore};

/// The files of a folder and of those in it, in memory.
///
/// # Panics
/// If the folder can't be read.
pub fn in_memory(folder: &Path) -> MemoryStore {
    let store = MemoryStore::new(1);
    bring(folder, &Name::root(), &store);
    store
}

fn bring(folder: &Path, name: &Name, store: &MemoryStore) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        let name = name.join(text).expect("a name");
        if path.is_dir() {
            bring(&path, &name, store);
        } else {
            store.put(&name, &fs::read(&path).expect("a file")).expect("memory");
        }
    }
}

/// Asks once for the answer, and then again with each operation failing. If those after it fail as
/// well, an error has to come back; if they succeed, an error or, from a second try, the answer.
/// Returns the number of operations.
///
/// # Panics
/// If another answer comes back, or none when all succeed.
pub fn fail_at_every_operation<T: Debug + PartialEq>(
    store: &MemoryStore,
    ask: impl Fn(&MemoryStore) -> Result<T, String>,
) -> u64 {
    store.fail(None);
    let want = ask(store).expect("an answer where nothing fails");
    let operations = store.counts().rounds;
    assert!(operations > 0, "the store is asked");
    for n in 0..operations {
        store.fail(Some(Failing::From(n)));
        let error = ask(store).expect_err("no operation succeeds after it");
        assert!(error.contains("fails, as it was told to"), "{n} of {operations}: {error}");
        store.fail(Some(Failing::Once(n)));
        match ask(store) {
            Err(error) => assert!(error.contains("fails, as it was told to"), "{n}: {error}"),
            Ok(got) => assert_eq!(got, want, "{n} of {operations} fails"),
        }
    }
    store.fail(None);
    assert_eq!(ask(store).expect("an answer once nothing fails"), want);
    operations
}
