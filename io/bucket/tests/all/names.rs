//! Names with what URLs, XML and signatures have to escape; listings of many pages; folders.

use manicule_bucket::Bucket;
use manicule_store::EntryKind;
use manicule_store::store::{Answer, Ask, Listed, Name, Replace, Store, WriteStore};

use crate::{bucket, clear, elsewhere, kind, name, opened, whole};

const SPECIAL: &[&str] = &[
    "ops_(eu)!*'.-",
    "two words",
    "a+b",
    "50%",
    "%20",
    "a&b=c",
    "<tag>",
    "\"quoted\"",
    "#hash?query",
    "~tilde^[x]{y}|`\\",
    "schön/日本",
    "$@:,;",
];

#[test]
fn special_characters_come_back_as_they_were() {
    let (server, bucket) = bucket("p (1)");
    check_special(&bucket);
    for text in SPECIAL {
        assert!(server.keys().contains(&format!("p (1)/{text}")), "{:?}", server.keys());
    }
    clear(&bucket, &Name::root());
    assert!(server.keys().is_empty(), "{:?}", server.keys());
    if let Some(bucket) = elsewhere("special (1)") {
        check_special(&bucket);
        clear(&bucket, &Name::root());
    }
}

fn check_special(bucket: &Bucket) {
    for text in SPECIAL {
        bucket.put(&name(text), text.as_bytes(), Replace::Any).expect("put");
        assert_eq!(whole(bucket, text).expect("read"), text.as_bytes());
        assert_eq!(opened(bucket, text).expect("open").len(), text.len() as u64);
        bucket.put(&name(&format!("{text}/below")), b"", Replace::Any).expect("put");
        let below = bucket.list(&name(text)).expect("list");
        assert!(below.iter().any(|entry| entry.name == "below"), "{text}: {below:?}");
    }
    let mut listed = bucket.list(&Name::root()).expect("list");
    listed.retain(|entry| entry.kind == EntryKind::File);
    let mut listed: Vec<_> = listed.iter().map(|entry| &*entry.name).collect();
    let mut want: Vec<_> = SPECIAL.iter().copied().filter(|text| !text.contains('/')).collect();
    listed.sort_unstable();
    want.sort_unstable();
    assert_eq!(listed, want);
}

#[test]
fn a_listing_of_many_pages_is_whole() {
    let (server, bucket) = bucket("many");
    for n in 0..2100 {
        server.put(&format!("many/file-{n:04}"), b"");
        server.put(&format!("many/folder-{n:04}/a"), b"");
        server.put(&format!("many/folder-{n:04}/b"), b"");
    }
    server.take_asked();
    let mut listed = bucket.list(&Name::root()).expect("list");
    assert_eq!((server.take_asked().of("LIST"), listed.len()), (5, 4200));
    listed.sort_by(|left, right| left.name.cmp(&right.name));
    let names: Vec<_> = listed.iter().map(|entry| &*entry.name).collect();
    let want = ["file", "folder"].into_iter();
    let want = want.flat_map(|kind| (0..2100).map(move |n| format!("{kind}-{n:04}")));
    assert_eq!(names, want.collect::<Vec<_>>());
    assert_eq!(bucket.counts().lists, 5);
    // All that lies in half of the folders, whose names begin so: 2,000 files of a thousand.
    server.take_asked();
    let asked = Ask::Beginning { folder: Name::root(), beginning: "folder-1".to_owned() };
    let answer = bucket.ask_all(&[asked]).pop().expect("an answer").expect("a listing");
    let Answer::Below { files, is_whole: true } = answer else { panic!("{answer:?}") };
    assert_eq!((server.take_asked().of("LIST"), files.len()), (2, 2000));
    assert!(files.iter().all(|file| file.name.starts_with("folder-1")));
}

#[test]
fn a_listing_has_lengths_and_versions_and_a_look_has_the_same() {
    let (server, bucket) = bucket("");
    server.put("a", b"four");
    server.put("b/c", b"");
    // A folder as consoles make it, an object that is no file; and one that is both.
    server.put("b/", b"");
    server.put("a/under", b"");
    let mut listed = bucket.list(&Name::root()).expect("list");
    listed.sort_by_key(|entry| (entry.name.clone(), entry.kind == EntryKind::Folder));
    let version = bucket.look(&name("a")).expect("a look").version;
    assert_eq!(opened(&bucket, "a").expect("open").version(), version);
    let folder = |name: &str| {
        let (name, kind) = (name.to_owned(), EntryKind::Folder);
        Listed { name, kind, len: Some(0), version: None }
    };
    let file = |name: &str| {
        let (name, kind, version) = (name.to_owned(), EntryKind::File, Some(version));
        Listed { name, kind, len: Some(4), version }
    };
    assert_eq!(listed, [file("a"), folder("a"), folder("b")]);
    let below = bucket.list(&name("b")).expect("list");
    assert_eq!(below.into_iter().map(|entry| entry.name).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn a_look_finds_files_and_folders_in_one_round() {
    let (server, bucket) = bucket("top");
    server.put("top/b/c", b"one");
    let looked = |text: &str, rounds: u64| {
        let before = bucket.counts();
        let kind = bucket.look(&name(text)).map(|look| (look.kind, look.len));
        assert_eq!(bucket.counts().since(&before).rounds, rounds, "{text}");
        kind
    };
    assert_eq!(looked("b/c", 1).expect("a file"), (EntryKind::File, 3));
    assert_eq!(looked("b", 1).expect("a folder"), (EntryKind::Folder, 0));
    assert_eq!(looked("", 1).expect("the prefix"), (EntryKind::Folder, 0));
    assert!(looked("c", 1).expect_err("nothing").is_missing());
}

#[test]
fn an_empty_bucket_is_an_empty_folder_and_a_missing_one_is_missing() {
    let (server, bucket) = bucket("");
    assert_eq!(bucket.look(&Name::root()).expect("a look").kind, EntryKind::Folder);
    assert!(bucket.list(&Name::root()).expect("a listing").is_empty());
    let options = crate::options(&server);
    let missing = manicule_bucket::open("s3://other/a", &options).expect("an address");
    let error = missing.list(&Name::root()).expect_err("no bucket");
    assert!(error.is_missing(), "{error}");
    assert!(error.to_string().ends_with("there is no such bucket"), "{error}");
    assert_eq!(kind(missing.look(&Name::root())), std::io::ErrorKind::NotFound);
}
