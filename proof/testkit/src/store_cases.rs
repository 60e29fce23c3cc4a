//! What holds for every store: cases that a store passes, empty at first, with its writer.

use std::io;

use manicule_store::EntryKind::{self, File};
use manicule_store::pages::{ByteSource, Part, ReadCounts, SystemCache};
use manicule_store::store::{
    Access, Ask, Listed, Look, Name, Replace, Store, StoreError, Version, WriteStore,
};

const ACCESSES: [Access; 2] = [Access::Mapped, Access::Positioned(SystemCache::Used)];

fn name(text: &str) -> Name {
    Name::new(text).expect("a name")
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

/// What was put is listed, looked at and read.
///
/// # Panics
/// If it is otherwise.
pub fn what_was_put_is_listed_looked_at_and_read(store: &dyn Store, writer: &dyn WriteStore) {
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
}

/// A missing file is missing to whoever asks.
///
/// # Panics
/// If it is otherwise.
pub fn a_missing_file_is_missing_to_whoever_asks(store: &dyn Store, writer: &dyn WriteStore) {
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
}

/// Ranges are the file's, and past its end an error with both lengths.
///
/// # Panics
/// If it is otherwise.
pub fn ranges_are_the_files_and_past_its_end_an_error_with_both_lengths(
    store: &dyn Store,
    writer: &dyn WriteStore,
) {
    writer.put(&name("a"), b"0123456789", Replace::Any).unwrap();
    writer.put(&name("empty"), b"", Replace::Any).unwrap();
    for access in ACCESSES {
        let (file, mut counts) = (store.open(&name("a"), access).unwrap(), ReadCounts::default());
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
}

/// An open file never gives bytes of its successor.
///
/// # Panics
/// If it is otherwise.
pub fn an_open_file_never_gives_bytes_of_its_successor(store: &dyn Store, writer: &dyn WriteStore) {
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
}

/// What a listing shows opens in the version that it shows, or in none: a successor is another.
///
/// # Panics
/// If it is otherwise.
pub fn a_listed_file_opens_as_it_was_listed(store: &dyn Store, writer: &dyn WriteStore) {
    let (folder, file) = (name("folder"), name("folder/a"));
    writer.put(&file, b"old", Replace::Any).unwrap();
    let listed = store.list(&folder).unwrap();
    for access in ACCESSES {
        let (source, mut out) = (store.open_listed(&folder, &listed[0], access).unwrap(), [0; 3]);
        source.read_at(0, &mut out, &mut ReadCounts::default()).unwrap();
        assert_eq!(&out, b"old");
        assert_eq!(source.version(), store.look(&file).unwrap().version);
        assert!(listed[0].version.is_none_or(|version| version == source.version()));
    }
    writer.put(&file, b"new", Replace::Any).unwrap();
    let opened = store.open_listed(&folder, &listed[0], ACCESSES[0]);
    let mut out = [0; 3];
    let read = opened.map_err(|error| error.source).and_then(|source| {
        source.read_at(0, &mut out, &mut ReadCounts::default()).map(|()| source.version())
    });
    match read {
        Ok(version) => {
            assert_eq!((&out, version), (b"new", store.look(&file).unwrap().version));
        }
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle),
    }
}

/// Several folders are listed, and several files read, as each of them alone.
///
/// # Panics
/// If it is otherwise.
pub fn many_are_listed_and_read_as_each_alone(store: &dyn Store, writer: &dyn WriteStore) {
    for (file, bytes) in [("a/b", "one"), ("a/c", ""), ("d/e/f", "three"), ("g/h", "too long")] {
        writer.put(&name(file), bytes.as_bytes(), Replace::Any).unwrap();
    }
    let folders = ["a", "d"].map(name);
    let listed = store.list_all(&folders);
    let mut listed = listed.into_iter().zip(&folders).map(|(listed, folder)| {
        let mut listed: Vec<_> = listed.unwrap().into_iter().map(|entry| entry.name).collect();
        listed.sort();
        (folder.as_str(), listed.join(" "))
    });
    assert_eq!(listed.next(), Some(("a", "b c".to_owned())));
    assert_eq!(listed.next(), Some(("d", "e".to_owned())));
    let read = store.read_all(&["d/e/f", "a/b", "a/x", "a/c", "g/h"].map(name), 7);
    let is_missing = |error: &StoreError| error.is_missing();
    let read: Vec<_> = read.into_iter().map(|read| read.map_err(|e| is_missing(&e))).collect();
    let bytes = |text: &str| Ok(text.as_bytes().to_vec());
    assert_eq!(read, [bytes("three"), bytes("one"), Err(true), bytes(""), Err(false)]);
    assert!(store.read_all(&[], 7).is_empty() && store.list_all(&[]).is_empty());
}

/// Ranges of several files come in the version that was seen of each, or in whichever there is.
///
/// # Panics
/// If it is otherwise.
pub fn ranges_are_of_the_version_that_was_seen(store: &dyn Store, writer: &dyn WriteStore) {
    let files = ["a", "b/c"].map(name);
    let seen = files.clone().map(|file| {
        writer.put(&file, b"0123456789", Replace::Any).unwrap();
        store.look(&file).unwrap().version
    });
    writer.put(&files[1], b"abc", Replace::Any).unwrap();
    let range =
        |place: usize, version, range| Ask::Range { file: files[place].clone(), version, range };
    let asked = [
        range(0, Some(seen[0]), 2..5),
        range(1, None, 1..3),
        range(1, Some(seen[1]), 0..2),
        range(0, Some(seen[0]), 4..9),
        range(0, None, 0..1),
    ];
    let mut answers = store.ask_all(&asked);
    let replaced = answers.remove(2).unwrap_err();
    assert!(replaced.is_replaced(), "{replaced}");
    let bytes: Vec<_> = answers.into_iter().map(|answer| answer.unwrap().into_bytes()).collect();
    assert_eq!(bytes, [&b"234"[..], b"bc", b"45678", b"0"]);
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

/// Of those who have seen the same version one replaces it: no increment of four is lost.
///
/// # Panics
/// If it is otherwise.
pub fn of_those_who_have_seen_the_same_version_one_replaces_it(
    store: &dyn Store,
    writer: &dyn WriteStore,
    each: u32,
) {
    let put = |number: u32, seen: Option<Version>| {
        writer.put(&name("number"), &number.to_le_bytes(), Replace::If(seen))
    };
    let first = put(0, None).unwrap();
    let error = put(0, None).unwrap_err();
    assert!(error.is_replaced(), "{error}");
    assert!(error.to_string().ends_with("number: replaced since it was opened"), "{error}");
    assert_eq!(seen(store).1, first);
    const WRITERS: u32 = 4;
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                let mut left = each;
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
    assert_eq!(seen(store).0, WRITERS * each, "none is lost");
    writer.remove(&name("number")).unwrap();
    assert!(put(1, Some(first)).unwrap_err().is_replaced());
    let again = put(1, None).unwrap();
    assert_eq!(put(2, Some(again)).unwrap(), seen(store).1);
}
