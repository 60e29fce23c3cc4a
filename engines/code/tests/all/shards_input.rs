//! Which documents a folder has: little trees with hostile names, and big ones against the golden
//! tables.
//!
//! The big ones need `MANICULE_GOLDEN` (the folder that holds `languages/*.tsv.zst` and
//! `trees.tar.zst`) and `MANICULE_CORPORA` (the folder that holds `k8s-full`, `gosrc`,
//! `linux-sub`); without them they say so and pass.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use manicule_code::shards::{
    Allowance, Classify, Found, IGNORE_DIRS, IgnoreDirs, Limits, Linguist, Root, TrigramCounter,
    Unclassified, WalkError, Within,
};
use manicule_format_zoekt::Skip;
use manicule_testkit::{golden_classes, golden_file, golden_folder, unpacked};

const LIMITS: Limits = Limits { size_max: 2 << 20, trigrams_max: 20_000 };

fn plant(root: &Path, files: &[(&[u8], &[u8])]) {
    for (name, content) in files {
        let path = root.join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, content).expect("a file");
    }
}

fn walk(root: &Path, ignore_dirs: &str) -> Result<Vec<Found>, WalkError> {
    Root::open(root)?.walk(&IgnoreDirs::parse(ignore_dirs))
}

fn check(files: &[&[u8]], ignore_dirs: &str, want: &[&[u8]]) {
    let root = tempfile::tempdir().expect("a folder");
    let files: Vec<(&[u8], &[u8])> = files.iter().map(|name| (*name, &b"text"[..])).collect();
    plant(root.path(), &files);
    let found = walk(root.path(), ignore_dirs).expect("a walk");
    let names: Vec<&[u8]> = found.iter().map(|document| document.name.as_slice()).collect();
    assert_eq!(names, want);
}

#[test]
fn a_folder_stands_where_its_name_does() {
    let files: [&[u8]; 5] = [b"order.txt", b"order/b", b"order-x", b"order.d/a", b"order/a"];
    check(&files, "", &[b"order/a", b"order/b", b"order-x", b"order.d/a", b"order.txt"]);
}

#[test]
fn names_are_bytes() {
    let files: [&[u8]; 5] = [b"b\xff", b"a b", b"a\nb", b"\xc3\xa9", b"c\xfe/\x01"];
    check(&files, "", &[b"a\nb", b"a b", b"b\xff", b"c\xfe/\x01", b"\xc3\xa9"]);
}

#[test]
fn folders_named_to_be_ignored_are_left_out_but_not_files() {
    let files: [&[u8]; 4] = [b".git/a", b"a/.git/b", b"b/.hg", b"c/.svn/d"];
    check(&files, IGNORE_DIRS, &[b"b/.hg"]);
    check(&files, "", &[b".git/a", b"a/.git/b", b"b/.hg", b"c/.svn/d"]);
    check(&files, " .git , ,a", &[b"b/.hg", b"c/.svn/d"]);
}

#[test]
fn an_empty_folder_has_no_documents() {
    check(&[], IGNORE_DIRS, &[]);
}

#[test]
fn links_are_documents_and_pipes_are_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    plant(root, &[(b"a/b", b"text")]);
    symlink("a", root.join("to-folder")).expect("a link");
    symlink(OsStr::from_bytes(b"no\xffwhere"), root.join("to-nothing")).expect("a link");
    let made = Command::new("mkfifo").arg(root.join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    let found = walk(root, "").expect("a walk");
    let seen: Vec<(&[u8], u64, bool)> =
        found.iter().map(|one| (one.name.as_slice(), one.len, one.is_link)).collect();
    let want: [(&[u8], u64, bool); 3] =
        [(b"a/b", 4, false), (b"to-folder", 1, true), (b"to-nothing", 8, true)];
    assert_eq!(seen, want);
    let root = Root::open(root).expect("a root");
    let mut buffer = b"what was there before".to_vec();
    for (document, want) in found.iter().zip([&b"text"[..], b"a", b"no\xffwhere"]) {
        let within = root.read(document, 100, &mut buffer).expect("a read");
        assert_eq!((within, buffer.as_slice()), (Within::Yes, want));
    }
}

#[test]
fn a_file_is_read_as_it_is_now_up_to_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    plant(folder.path(), &[(b"a", b"1234")]);
    let root = Root::open(folder.path()).expect("a root");
    let found = walk(folder.path(), "").expect("a walk");
    let long = vec![b'x'; 100_000];
    let rows: [(&[u8], u64, Within); 6] = [
        (b"1234", 4, Within::Yes),
        (b"1234", 3, Within::No),
        (b"", 0, Within::Yes),
        (&long, 100_000, Within::Yes),
        (&long, 99_999, Within::No),
        (&long, u64::MAX, Within::Yes),
    ];
    for (content, len_max, want) in rows {
        plant(folder.path(), &[(b"a", content)]);
        let mut buffer = Vec::new();
        assert_eq!(root.read(&found[0], len_max, &mut buffer).expect("a read"), want, "{len_max}");
        let kept = if want == Within::Yes { content } else { &content[..buffer.len()] };
        assert_eq!(buffer, kept);
    }
}

#[test]
fn the_ignore_file_holds_whole_paths() {
    let ignore: (&[u8], &[u8]) = (b".sourcegraph/ignore", b"# none\n/build\n*.log\nx/**/y\n");
    let folder = tempfile::tempdir().expect("a folder");
    let names: [&[u8]; 6] = [b"a.log", b"b/a.log", b"build/a", b"builder", b"x/y/z", b"x/z"];
    plant(folder.path(), &names.map(|name| (name, &b"text"[..])));
    plant(folder.path(), &[ignore]);
    let names = |root: &Path| -> Vec<Vec<u8>> {
        walk(root, "").expect("a walk").into_iter().map(|document| document.name).collect()
    };
    assert_eq!(names(folder.path()), [&b".sourcegraph/ignore"[..], b"b/a.log", b"x/z"]);

    let hidden = folder.path().join(".sourcegraph");
    fs::rename(&hidden, folder.path().join("real")).expect("a move");
    symlink("real", &hidden).expect("a link");
    assert_eq!(names(folder.path()).len(), 8, "a link instead of the folder is not followed");
    fs::remove_file(&hidden).expect("gone");
    fs::create_dir(&hidden).expect("a folder");
    symlink("../real/ignore", hidden.join("ignore")).expect("a link");
    assert_eq!(names(folder.path()).len(), 8, "a link instead of the file is not followed");
}

fn check_error(make: impl FnOnce(&Path) -> PathBuf, want: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let error = walk(&make(folder.path()), "").expect_err("no walk");
    let text = error.to_string().replace(&folder.path().display().to_string(), "ROOT");
    assert_eq!(text, want);
}

#[test]
fn errors_name_the_path() {
    check_error(
        |root| {
            plant(root, &[(b"a", b"")]);
            root.join("a")
        },
        "ROOT/a is no folder: name the folder that holds the files",
    );
    check_error(|root| root.join("a"), "ROOT/a is no folder: name the folder that holds the files");
    check_error(
        |root| {
            plant(root, &[(b".sourcegraph/ignore", b"[")]);
            root.to_owned()
        },
        "can't follow ROOT/.sourcegraph/ignore",
    );
}

#[test]
fn a_folder_that_nobody_may_read_ends_the_walk() {
    let close = |root: &Path| {
        plant(root, &[(b"a/b", b"")]);
        let closed = fs::Permissions::from_mode(0o000);
        fs::set_permissions(root.join("a"), closed).expect("closed");
        root.to_owned()
    };
    let folder = tempfile::tempdir().expect("a folder");
    if fs::read_dir(close(folder.path()).join("a")).is_ok() {
        // .ci/run runs it again without root's capabilities.
        return println!("left out: whoever runs this may read everything");
    }
    check_error(close, "can't read ROOT/a: make it readable, or name it in .sourcegraph/ignore");
}

fn skip_name(skip: Option<Skip>) -> &'static str {
    match skip {
        None => "",
        Some(Skip::TooLarge) => "large",
        Some(Skip::TooSmall) => "small",
        Some(Skip::Binary) => "binary",
        Some(Skip::TooManyTrigrams) => "trigrams",
    }
}

/// What the pieces say of one tree, against its golden table.
fn check_tree(name: &str, root: &Path, table: &[u8]) {
    let golden = golden_classes(table);
    let started = Instant::now();
    let root = Root::open(root).expect("a root");
    let found = root.walk(&IgnoreDirs::parse(IGNORE_DIRS)).expect("a walk");
    let walked = started.elapsed();
    assert_eq!(found.len(), golden.len(), "{name}");
    let linguist = Linguist::default();
    let (mut content, mut counter) = (Vec::new(), TrigramCounter::default());
    let mut classifying = Duration::ZERO;
    let mut others = Vec::new();
    for document in &found {
        let want = &golden[&document.name];
        let mut skip = LIMITS.skip_unread(document.len, Allowance::Plain);
        content.clear();
        if skip.is_none() {
            root.read(document, LIMITS.read_max(Allowance::Plain), &mut content).expect("a read");
            skip = LIMITS.skip(&content, Allowance::Plain, &mut counter);
        }
        let unclassified = Unclassified { name: &document.name, content: &content, skip };
        let started = Instant::now();
        let class = linguist.classify(&unclassified);
        classifying += started.elapsed();
        let got = (&*class.language, class.category.name(), skip_name(skip));
        if got != (&*want.0, &*want.1, &*want.2) {
            others.push(format!("{}: {got:?}, not {want:?}", document.name.escape_ascii()));
        }
    }
    println!(
        "{name}: {} documents, walked in {walked:.1?}, classified in {classifying:.1?}",
        found.len()
    );
    assert!(
        others.is_empty(),
        "{name}: {} of {}:\n{}",
        others.len(),
        found.len(),
        others.join("\n")
    );
}

#[test]
fn documents_classes_and_skip_reasons_are_the_golden_ones() {
    let trees = golden_folder("code", "trees");
    check_tree("small", &trees.path().join("trees/small"), &golden_file("code", "small.tsv"));
    let folders = ["MANICULE_GOLDEN", "MANICULE_CORPORA"].map(std::env::var_os);
    let [Some(golden), Some(corpora)] = folders.map(|folder| folder.map(PathBuf::from)) else {
        return println!("left out: corpora, for MANICULE_GOLDEN and MANICULE_CORPORA are not set");
    };
    for name in ["k8s-full", "gosrc", "pygments", "linux-sub"] {
        let root = corpora.join(name);
        if root.is_dir() {
            let table = unpacked(&golden.join("languages").join(format!("{name}.tsv.zst")));
            check_tree(name, &root, &table);
        } else {
            println!("left out: {} is missing", root.display());
        }
    }
}
