//! One table of cases over every store: they answer alike, and fail alike.

use manicule_store::Disk;
use manicule_store::store::{LocalStore, LocalWriter, MemoryStore, Modes, Store, WriteStore};
use manicule_testkit::store_cases as cases;

/// Each store, empty.
fn check(case: impl Fn(&dyn Store, &dyn WriteStore)) {
    let folder = tempfile::tempdir().unwrap();
    let modes = Modes { file: 0o600, folder: 0o700 };
    let writer = LocalWriter::at(folder.path(), Disk::shared(), modes);
    case(&LocalStore::at(folder.path()), &writer);
    let memory = MemoryStore::new(1);
    case(&memory, &memory);
}

#[test]
fn what_was_put_is_listed_looked_at_and_read() {
    check(cases::what_was_put_is_listed_looked_at_and_read);
}

#[test]
fn a_missing_file_is_missing_to_whoever_asks() {
    check(cases::a_missing_file_is_missing_to_whoever_asks);
}

#[test]
fn ranges_are_the_files_and_past_its_end_an_error_with_both_lengths() {
    check(cases::ranges_are_the_files_and_past_its_end_an_error_with_both_lengths);
}

#[test]
fn an_open_file_never_gives_bytes_of_its_successor() {
    check(cases::an_open_file_never_gives_bytes_of_its_successor);
}

#[test]
fn a_listed_file_opens_as_it_was_listed() {
    check(cases::a_listed_file_opens_as_it_was_listed);
}

#[test]
fn many_are_listed_and_read_as_each_alone() {
    check(cases::many_are_listed_and_read_as_each_alone);
}

#[test]
fn ranges_are_of_the_version_that_was_seen() {
    check(cases::ranges_are_of_the_version_that_was_seen);
}

#[test]
fn of_those_who_have_seen_the_same_version_one_replaces_it() {
    let case = cases::of_those_who_have_seen_the_same_version_one_replaces_it;
    check(|store, writer| case(store, writer, 50));
}
