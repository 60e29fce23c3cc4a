//! What holds of local folders, or of memory; `tests/all/cases.rs` has what holds of every store.

use std::fs;
use std::io::{self, ErrorKind::NotFound};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tempfile::TempDir;

use super::{
    Access, Aliased, Ask, Failing, Listed, LocalStore, LocalWriter, Look, MemoryStore, Modes, Name,
    Original, Replace, Store, StoreCounts, StoreError, WriteStore,
};
use crate::entry::EntryKind;
use crate::pages::{Part, ReadCounts, SystemCache};
use crate::{Disk, EntryKind::File};

const MODES: Modes = Modes { file: 0o600, folder: 0o700 };

const ACCESSES: [Access; 2] = [Access::Mapped, Access::Positioned(SystemCache::Used)];

fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
}

fn local(folder: &TempDir) -> (LocalStore, LocalWriter) {
    let writer = LocalWriter::at(folder.path(), Disk::shared(), MODES);
    (LocalStore::at(folder.path()), writer)
}

fn whole(store: &dyn Store, file: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = b"what was there".to_vec();
    store.read(&name(file), 1 << 20, &mut bytes).map(|()| bytes)
}

fn kind<T: std::fmt::Debug>(done: Result<T, StoreError>) -> io::ErrorKind {
    done.unwrap_err().source.kind()
}

#[test]
fn a_file_that_two_write_is_one_of_theirs_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (store, first) = local(&folder);
    let (memory, is_done) = (MemoryStore::new(1), AtomicBool::new(false));
    // Local writers of one name hold a lock; without one they would share the file aside.
    let cases: [(&dyn Store, Vec<&dyn WriteStore>); 2] =
        [(&store, vec![&first]), (&memory, vec![&memory, &memory])];
    for (store, writers) in cases {
        writers[0].put(&name("a"), &[0; 5000], Replace::Any).unwrap();
        is_done.store(false, Relaxed);
        std::thread::scope(|scope| {
            let put = |writer: &'_ dyn WriteStore, bytes: [u8; 2]| {
                for round in 0..200 {
                    writer.put(&name("a"), &[bytes[round % 2]; 5000], Replace::Any).unwrap();
                }
            };
            let threads: Vec<_> = (1..)
                .zip(&writers)
                .map(|(byte, &writer)| scope.spawn(move || put(writer, [byte, byte + 10])))
                .collect();
            scope.spawn(|| {
                while !is_done.load(Relaxed) {
                    let bytes = whole(store, "a").unwrap();
                    assert_eq!(bytes, [bytes[0]; 5000]);
                }
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            is_done.store(true, Relaxed);
        });
    }
}

#[test]
fn what_is_no_file_is_listed_and_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (store, writer) = local(&folder);
    writer.put(&name("file"), b"four", Replace::Any).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for (link, target) in [("to_file", "file"), ("to_folder", "folder"), ("to_nothing", "nothing")]
    {
        symlink(target, folder.path().join(link)).unwrap();
    }
    let version = Some(store.look(&name("file")).unwrap().version);
    let of = |name: &str, kind, len| {
        let version = version.filter(|_| len == Some(4));
        Listed { name: name.to_owned(), kind, len, version }
    };
    let mut listed = store.list(&Name::root()).unwrap();
    listed.sort_by(|left, right| left.name.cmp(&right.name));
    let want = [
        of("file", File, None),
        of("folder", EntryKind::Folder, None),
        of("to_file", File, Some(4)),
        of("to_folder", EntryKind::Folder, Some(0)),
        of("to_nothing", EntryKind::Rest, Some(0)),
    ];
    assert_eq!(listed, want);
    assert_eq!(whole(&store, "to_file").unwrap(), b"four");
    for access in ACCESSES {
        let error = store.open(&name("folder"), access).unwrap_err().to_string();
        assert!(error.ends_with("folder: not a plain file"), "{error}");
    }
    assert_eq!(kind(whole(&store, "to_nothing")), io::ErrorKind::NotFound);
    let Look { kind, len, .. } = store.look(&name("folder")).unwrap();
    assert_eq!((kind, len), (EntryKind::Folder, 0));
    assert_eq!(store.show(&Name::root()), folder.path());
}

#[test]
fn a_local_writer_gives_modes_and_sweeps_only_what_it_left() {
    let folder = tempfile::tempdir().unwrap();
    let (_, writer) = local(&folder);
    writer.put(&name("below/a"), b"", Replace::Any).unwrap();
    let below = folder.path().join("below");
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(below.join("a")), mode(below.clone())), (MODES.file, MODES.folder));
    for left in ["b-tmp-manicule", "c-tmp-manicule", "b-tmp-1"] {
        fs::write(below.join(left), "").unwrap();
    }
    writer.sweep(&name("below"), &|name| name == "b").unwrap();
    assert!(!below.join("b-tmp-manicule").exists());
    assert_eq!(fs::read_dir(&below).unwrap().count(), 3);
}

#[test]
fn memory_counts_rounds_and_fails_the_one_that_it_is_told() {
    let memory = MemoryStore::new(1);
    memory.put(&name("a"), b"0123456789", Replace::Any).unwrap();
    memory.fail(Some(Failing::Once(2)));
    let file = memory.open(&name("a"), ACCESSES[0]).unwrap();
    let (mut first, mut second, mut counts) = ([0; 3], [0; 2], ReadCounts::default());
    let mut read = || {
        let mut parts = [Part { at: 0, out: &mut first }, Part { at: 5, out: &mut second }];
        file.read_parts(&mut parts, &mut counts)
    };
    read().unwrap();
    assert_eq!(memory.counts(), StoreCounts { rounds: 2, requests: 3, read_bytes: 5 });
    assert_eq!(read().unwrap_err().to_string(), "operation 2 fails, as it was told to");
    read().unwrap();
    memory.fail(Some(Failing::From(1)));
    assert!(memory.list(&Name::root()).is_ok());
    assert!(memory.list(&Name::root()).is_err() && memory.look(&name("a")).is_err());
}

#[test]
fn files_under_other_names_are_those_that_a_manifest_has() {
    let store = MemoryStore::new(1);
    for (file, bytes) in [("a/long", &b"0123456789"[..]), ("b/short", b"01"), ("b/other", b"x")] {
        store.put(&name(file), bytes, Replace::Any).unwrap();
    }
    let original = |file: &str, len| Original { name: name(file), len, version: None };
    let files = [
        ("one".to_owned(), original("a/long", 10)),
        ("two".to_owned(), original("b/short", 3)),
        ("three".to_owned(), original("b/gone", 1)),
    ];
    let aliased = Aliased::new(Arc::new(store.clone()), files.into(), "shown".into());
    store.fail(None);
    let listed = aliased.list(&Name::root()).unwrap();
    let listed: Vec<_> = listed.iter().map(|it| (it.name.as_str(), it.len)).collect();
    assert_eq!(listed, [("one", Some(10)), ("three", Some(1)), ("two", Some(3))]);
    assert_eq!(store.counts().requests, 0);

    assert_eq!(whole(&aliased, "one").unwrap(), b"0123456789");
    let mut part = [0; 3];
    aliased.read_at(&name("one"), 4, &mut part).unwrap();
    assert_eq!(&part, b"456");
    assert_eq!(aliased.look(&name("one")).unwrap(), store.look(&name("a/long")).unwrap());
    // Not as long as the manifest says, not there, and not in the manifest.
    let two = name("two");
    for error in [whole(&aliased, "two").unwrap_err(), aliased.look(&two).unwrap_err()] {
        assert_eq!(error.source.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().ends_with("b/short: 2 bytes; the manifest says 3"), "{error}");
    }
    assert_eq!(kind(aliased.open(&two, ACCESSES[1])), io::ErrorKind::InvalidData);
    assert_eq!(kind(aliased.open(&name("three"), ACCESSES[1])), io::ErrorKind::NotFound);
    let error = whole(&aliased, "other").unwrap_err();
    assert_eq!(error.to_string(), "shown/other: the manifest doesn't name it");
    assert_eq!(kind(aliased.list(&name("one"))), io::ErrorKind::NotADirectory);

    store.fail(None);
    let [long, short] = ["a/long", "b/short"].map(|file| store.look(&name(file)).unwrap().version);
    let range = |file: &str, version| Ask::Range { file: name(file), version, range: 0..2 };
    let asked = [
        Ask::Entries(Name::root()),
        range("one", Some(long)),
        range("two", Some(short)),
        Ask::Whole { file: name("two"), len_max: 9 },
        range("other", None),
        Ask::Whole { file: name("one"), len_max: 10 },
    ];
    let mut answers = aliased.ask_all(&asked).into_iter();
    let mut next = || answers.next().unwrap();
    assert_eq!(next().unwrap().into_entries().len(), 3);
    assert_eq!(next().unwrap().into_bytes(), b"01");
    let kinds = [(); 3].map(|()| kind(next()));
    assert_eq!(kinds, [io::ErrorKind::InvalidData, io::ErrorKind::InvalidData, NotFound]);
    assert_eq!(next().unwrap().into_bytes(), b"0123456789");
    // Two looks; then what is not known without, in one round.
    assert_eq!(store.counts(), StoreCounts { rounds: 3, requests: 5, read_bytes: 14 });
}
