//! What holds for every store, of a bucket: whole, and below a prefix.

use manicule_store::store::{Name, Store, WriteStore};
use manicule_testkit::store_cases as cases;

use crate::{bucket, clear, elsewhere};

/// A bucket as a whole, and below a prefix; and one of another server.
fn check(case: &str, run: impl Fn(&dyn Store, &dyn WriteStore)) {
    for prefix in ["", "a prefix/of two"] {
        let (server, bucket) = bucket(prefix);
        if !prefix.is_empty() {
            // It begins alike and lies elsewhere.
            server.put("a prefix/of two others", b"");
        }
        run(&bucket, &bucket);
    }
    if let Some(bucket) = elsewhere(case) {
        run(&bucket, &bucket);
        clear(&bucket, &Name::root());
    }
}

#[test]
fn what_was_put_is_listed_looked_at_and_read() {
    check(
        "what_was_put_is_listed_looked_at_and_read",
        cases::what_was_put_is_listed_looked_at_and_read,
    );
}

#[test]
fn a_missing_file_is_missing_to_whoever_asks() {
    check(
        "a_missing_file_is_missing_to_whoever_asks",
        cases::a_missing_file_is_missing_to_whoever_asks,
    );
}

#[test]
fn ranges_are_the_files_and_past_its_end_an_error_with_both_lengths() {
    check(
        "ranges_are_the_files_and_past_its_end_an_error_with_both_lengths",
        cases::ranges_are_the_files_and_past_its_end_an_error_with_both_lengths,
    );
}

#[test]
fn an_open_file_never_gives_bytes_of_its_successor() {
    check(
        "an_open_file_never_gives_bytes_of_its_successor",
        cases::an_open_file_never_gives_bytes_of_its_successor,
    );
}

#[test]
fn a_listed_file_opens_as_it_was_listed() {
    check("a_listed_file_opens_as_it_was_listed", cases::a_listed_file_opens_as_it_was_listed);
}

#[test]
fn many_are_listed_and_read_as_each_alone() {
    check("many_are_listed_and_read_as_each_alone", cases::many_are_listed_and_read_as_each_alone);
}

#[test]
fn ranges_are_of_the_version_that_was_seen() {
    check(
        "ranges_are_of_the_version_that_was_seen",
        cases::ranges_are_of_the_version_that_was_seen,
    );
}

#[test]
fn of_those_who_have_seen_the_same_version_one_replaces_it() {
    let case = cases::of_those_who_have_seen_the_same_version_one_replaces_it;
    check("of_those_who_have_seen_the_same_version_one_replaces_it", |store, writer| {
        case(store, writer, 5)
    });
}
