//! One table of cases over every store: they answer alike, and fail alike.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tempfile::TempDir;

use super::{
    Access, Aliased, Failing, Listed, LocalStore, LocalWriter, Look, MemoryStore, Modes, Name,
    Original, Replace, Store, StoreCounts, StoreError, Version, WriteStore,
};
use crate::entry::EntryKind;
use crate::pages::{ByteSource, Part, ReadCounts, SystemCache};
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

/// Each store, empty.
fn check(case: impl Fn(&dyn Store, &dyn WriteStore)) {
    let folder = tempfile::tempdir().unwrap();
    let (store, writer) = local(&folder);
    case(&store, &writer);
    let memory = MemoryStore::new(1);
    case(&memory, &memory);
}

fn whole(store: &dyn Store, file: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = b"what was there".to_vec();
    store.read(&name(file), 1 << 20, &mut bytes).map(|()| bytes)
}

/// The names of a folder, in order, folders with a slash.
fn names(store: &dyn Store, folder: &Name) -> Vec<String> {
    let shown = |Listed { name, kind, .. }: Listed| match kind {
        EntryKind::Folder => name + "/",
        _ => name,
    };
    let mut names: Vec<_> = store.list(folder).unwrap().into_iter().map(shown).collect();
    names.sort();
    names
}

fn kind<T: std::fmt::Debug>(done: Result<T, StoreError>) -> io::ErrorKind {
    done.unwrap_err().source.kind()
}

#[test]
fn what_was_put_is_listed_looked_at_and_read() {
    check(|store, writer| {
        writer.put(&name("a"), b"one", Replace::Any).unwrap();
        writer.put(&name("b/c"), b"", Replace::Any).unwrap();
        writer.put(&name("b/d/e"), b"three", Replace::Any).unwrap();
        assert_eq!(names(store, &Name::root()), ["a", "b/"]);
        assert_eq!(names(store, &name("b")), ["c", "d/"]);
        for (file, want) in [("a", "one"), ("b/c", ""), ("b/d/e", "three")] {
            assert_eq!(whole(store, file).unwrap(), want.as_bytes());
            let version = store.open(&name(file), ACCESSES[0]).unwrap().version();
            let want = Look { kind: File, len: want.len() as u64, version };
            assert_eq!(store.look(&name(file)).unwrap(), want);
        }
        for listed in store.list(&name("b")).unwrap() {
            assert_eq!(listed.len.unwrap_or(0), 0, "{listed:?}");
        }
        writer.remove(&name("b/c")).unwrap();
        writer.remove(&name("b/c")).unwrap();
        assert_eq!(names(store, &name("b")), ["d/"]);
    });
}

#[test]
fn a_missing_file_is_missing_to_whoever_asks() {
    check(|store, writer| {
        writer.put(&name("there"), b"one", Replace::Any).unwrap();
        let missing = name("here/not");
        assert!(store.look(&missing).unwrap_err().is_missing());
        assert!(store.read_at(&missing, 0, &mut [0]).unwrap_err().is_missing());
        for access in ACCESSES {
            assert!(store.open(&missing, access).unwrap_err().is_missing());
        }
        let error = whole(store, "here/not").unwrap_err();
        assert!(error.is_missing() && error.to_string().contains("here/not: "), "{error}");
        writer.sweep(&name("here"), &|_| true).unwrap();
    });
}

#[test]
fn ranges_are_the_files_and_past_its_end_an_error_with_both_lengths() {
    check(|store, writer| {
        writer.put(&name("a"), b"0123456789", Replace::Any).unwrap();
        writer.put(&name("empty"), b"", Replace::Any).unwrap();
        for access in ACCESSES {
            let (file, mut counts) =
                (store.open(&name("a"), access).unwrap(), ReadCounts::default());
            let [mut first, mut second, mut none] = [[0; 3], [0; 3], [0; 3]];
            let mut parts = [
                Part { at: 7, out: &mut first },
                Part { at: 0, out: &mut second },
                Part { at: 10, out: &mut none[..0] },
            ];
            file.read_parts(&mut parts, &mut counts).unwrap();
            assert_eq!((&first, &second, file.len()), (b"789", b"012", 10));
            let over = file.read_at(8, &mut first, &mut counts).unwrap_err();
            assert_eq!(over.kind(), io::ErrorKind::UnexpectedEof);
            let beside = [Part { at: 0, out: &mut second }, Part { at: u64::MAX, out: &mut first }];
            assert!(file.read_parts(&mut { beside }, &mut counts).is_err());
            let empty = store.open(&name("empty"), access).unwrap();
            assert!(empty.is_empty());
            empty.read_at(0, &mut [], &mut counts).unwrap();
            assert!(empty.read_at(0, &mut [0], &mut counts).is_err());
        }
        let mut out = [0; 4];
        store.read_at(&name("a"), 6, &mut out).unwrap();
        assert_eq!(&out, b"6789");
        let error = store.read_at(&name("a"), 7, &mut out).unwrap_err().to_string();
        let says = "a: 4 bytes wanted at offset 7, and the file has 10";
        assert!(error.ends_with(says), "{error}");
        for (at, want) in [(0, &b"0123456789"[..]), (8, b"89"), (10, b""), (11, b"")] {
            let mut rest = b"before".to_vec();
            store.read_rest(&name("a"), at, &mut rest).unwrap();
            assert_eq!(rest, want);
        }
        let error = store.read(&name("a"), 9, &mut Vec::new()).unwrap_err().to_string();
        let says = "a: 10 bytes, more than the 9 that are read at once";
        assert!(error.ends_with(says), "{error}");
        store.read(&name("a"), 10, &mut Vec::new()).unwrap();
    });
}

#[test]
fn an_open_file_never_gives_bytes_of_its_successor() {
    check(|store, writer| {
        for access in ACCESSES {
            writer.put(&name("a"), b"old", Replace::Any).unwrap();
            let old = store.open(&name("a"), access).unwrap();
            writer.put(&name("a"), b"new", Replace::Any).unwrap();
            let (new, mut out) = (store.open(&name("a"), access).unwrap(), [0; 3]);
            assert_ne!(old.version(), new.version());
            match old.read_at(0, &mut out, &mut ReadCounts::default()) {
                Ok(()) => assert_eq!(&out, b"old"),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle),
            }
            new.read_at(0, &mut out, &mut ReadCounts::default()).unwrap();
            assert_eq!(&out, b"new");
            let again = store.open(&name("a"), access).unwrap();
            assert_eq!(again.version(), new.version());
        }
    });
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

/// The number in a file, and its version; the file stays open meanwhile.
fn seen(store: &dyn Store) -> (u32, Version, Box<dyn ByteSource>) {
    loop {
        let file = store.open(&name("number"), ACCESSES[1]).unwrap();
        let mut bytes = [0; 4];
        match file.read_at(0, &mut bytes, &mut ReadCounts::default()) {
            Ok(()) => return (u32::from_le_bytes(bytes), file.version(), file),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle),
        }
    }
}

#[test]
fn of_those_who_have_seen_the_same_version_one_replaces_it() {
    check(|store, writer| {
        let put = |number: u32, seen: Option<Version>| {
            writer.put(&name("number"), &number.to_le_bytes(), Replace::If(seen))
        };
        let first = put(0, None).unwrap();
        let error = put(0, None).unwrap_err();
        assert!(error.is_replaced(), "{error}");
        assert!(error.to_string().ends_with("number: replaced since it was opened"), "{error}");
        assert_eq!(seen(store).1, first);
        const WRITERS: u32 = 4;
        const EACH: u32 = 50;
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    let mut left = EACH;
                    while left > 0 {
                        let (number, version, _held) = seen(store);
                        match put(number + 1, Some(version)) {
                            Ok(_) => left -= 1,
                            Err(error) => assert!(error.is_replaced(), "{error}"),
                        }
                    }
                });
            }
        });
        assert_eq!(seen(store).0, WRITERS * EACH, "none is lost");
        writer.remove(&name("number")).unwrap();
        assert!(put(1, Some(first)).unwrap_err().is_replaced());
        let again = put(1, None).unwrap();
        assert_eq!(put(2, Some(again)).unwrap(), seen(store).1);
    });
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
    let original = |file: &str, len| Original { name: name(file), len };
    let files = [
        ("one".to_owned(), original("a/long", 10)),
        ("two".to_owned(), original("b/short", 3)),
        ("three".to_owned(), original("b/gone", 1)),
    ];
    let aliased = Aliased::new(Arc::new(store.clone()), files.into(), "shown".into());
    store.fail(None);
    assert_eq!(names(&aliased, &Name::root()), ["one", "three", "two"]);
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
}
