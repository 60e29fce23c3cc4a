//! `blobs repair-index` of a repository in a bucket.

use std::fs;
use std::path::Path;

use manicule_buckets::{Fault, When};

use crate::damage::plant;

use super::bucket::Example;

const REPAIR: &str = "blobs repair-index -r repo";

/// A repository that has lost all index files but one.
fn without_index(folder: &Path) {
    plant::blobs(folder);
    let index = folder.join("repo/index");
    let names = fs::read_dir(&index).expect("an index").map(|entry| entry.expect("a file").path());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names[1..].iter().for_each(|path| fs::remove_file(path).expect("it goes"));
}

/// What each of these says of a repository.
const ASKED: [&str; 4] = [
    "blobs check -r repo --read-data",
    "blobs list -r repo blobs",
    "blobs ls -r repo --recursive latest",
    "blobs find -r repo *",
];

/// Lines without the ids of new files, in order.
fn lines(text: &str) -> Vec<String> {
    let is_id = |word: &&str| word.len() == 64 && word.bytes().all(|it| it.is_ascii_hexdigit());
    let line = |line: &str| {
        let is_new = line.ends_with(" is new");
        line.split(' ').filter(|word| !is_new || !is_id(word)).collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = text.lines().map(line).collect();
    lines.sort_unstable();
    lines
}

/// The bucket's files of the repository's, without those of the index.
fn others(example: &Example) -> Vec<String> {
    let mut keys = example.server.keys();
    keys.retain(|key| !key.starts_with("repo/index/"));
    keys
}

#[test]
fn the_index_is_what_a_local_repair_makes() {
    let example = Example::planted(without_index);
    let before = others(&example);
    let (dry, asked) = example.asked(&format!("{REPAIR} --dry-run"));
    assert_eq!((dry.code, asked.of("PUT"), asked.of("DELETE")), (Some(0), 0, 0), "{}", dry.err);
    let (local, remote) = (example.local(REPAIR), example.remote(REPAIR));
    assert_eq!((local.code, remote.code), (Some(0), Some(0)), "{} {}", local.err, remote.err);
    assert_eq!(lines(&remote.out), lines(&local.out));
    // Nothing else is in the bucket, no lock either.
    assert_eq!(others(&example), before);
    for words in ASKED {
        let (local, remote) = (example.local(words), example.remote(words));
        assert_eq!((remote.code, local.code), (Some(0), Some(0)), "{words}: {}", remote.err);
        assert_eq!(lines(&remote.out), lines(&local.out), "{words}");
    }
}

#[test]
fn a_repair_that_meets_errors_ends_well_or_changes_nothing() {
    let example = Example::planted(without_index);
    example.server.fail(&[(Fault::Error, When::Every(7)), (Fault::Cut, When::Every(11))]);
    let remote = example.remote(REPAIR);
    assert_eq!(remote.code, Some(0), "{}", remote.err);

    let example = Example::planted(without_index);
    let (before, index) = (others(&example), example.server.keys());
    example.server.fail(&[]);
    let (_, asked) = example.asked(&format!("{REPAIR} --dry-run"));
    // After the lock, which is one more write, whoever asks is refused: the lock stays, as of a
    // process that was killed, and is stale to the next one.
    let first = asked.requests() + 2;
    example.server.fail(&[(Fault::Denied, When::Within(first..u64::MAX))]);
    let refused = example.remote(REPAIR);
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    example.server.fail(&[]);
    let kept = example.server.keys();
    assert!(index.iter().all(|key| kept.contains(key)), "{kept:?}");
    let remote = example.remote(REPAIR);
    assert_eq!(remote.code, Some(0), "{}", remote.err);
    assert_eq!(others(&example), before);
}

#[test]
fn a_web_server_is_not_written() {
    let example = Example::planted(without_index);
    let words = format!("{REPAIR} --dry-run");
    assert_eq!(example.remote(&words).code, Some(0));
    let place = example.server.endpoint();
    let seen = example.call(&format!("blobs repair-index -r {place}/bucket/repo"), &[]);
    assert_eq!(seen.code, Some(2), "{}", seen.out);
}
