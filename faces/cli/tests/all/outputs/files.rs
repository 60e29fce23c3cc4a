//! Files that the commands write: on a full disk no half-written file is left that looks whole.

use std::fs;

use manicule_testkit::names;

use super::yard::{LIMIT_UNIT, Yard};

/// A disk that takes one unit of each file only: exit code 2, the error named, and nothing in
/// `OUT`.
#[track_caller]
fn check(yard: &Yard, words: &str) {
    let out = yard.fresh();
    let output = yard.limited(LIMIT_UNIT, words, &out).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}: {said}");
    assert!(said.contains("File too large (os error 27)"), "{words}: {said}");
    assert!(output.stdout.is_empty(), "{words}: {}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(names(&yard.path(&out)), Vec::<String>::new(), "{words}");
}

#[test]
fn nothing_half_is_left() {
    let yard = Yard::new();
    for words in [
        "code index -index OUT tree",
        "series build -o OUT samples.om",
        "series merge -o OUT DATA/A DATA/B",
        "series index -o OUT DATA/A",
        "series rewrite -o OUT --drop up DATA/A",
        "series split -o OUT --parts 2 DATA/A",
        "series dump -o OUT/dumped big",
    ] {
        check(&yard, words);
    }
    yard.prepare("cache clear tree", "");
    check(&yard, "cache build tree");
    yard.prepare("cache build tree", "");
}

#[test]
fn a_dump_replaces_a_file_when_it_is_whole() {
    let yard = Yard::new();
    let dumped = yard.path("dumped");
    fs::write(&dumped, "old").expect("a file");
    let output = yard.limited(LIMIT_UNIT, "series dump -o dumped big", "").output();
    assert_eq!(output.expect("it runs").status.code(), Some(2));
    assert_eq!(fs::read_to_string(&dumped).expect("a file"), "old");
    yard.prepare("series dump -o dumped big", "");
    let plain = yard.command("series dump big", "").output().expect("it runs");
    assert!(fs::read(&dumped).expect("a file") == plain.stdout);
    // Anything but a regular file is written to as it is.
    let output = yard.command("series dump -o /dev/stdout big", "").output().expect("it runs");
    assert!(output.stdout == plain.stdout);
    let output = yard.command("series dump -o /dev/full big", "").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "manicule: /dev/full: No space left on device (os error 28)\n");
    assert_eq!(output.status.code(), Some(2));
}
