//! What holds for every store, of a bucket: whole, and below a prefix.

use manicule_store::store::{Store, WriteStore};
use manicule_testkit::store_cases as cases;

use crate::bucket;

fn check(case: impl Fn(&dyn Store, &dyn WriteStore)) {
    for prefix in ["", "a prefix/of two"] {
        let (server, bucket) = bucket(prefix);
        // It begins alike and lies elsewhere.
        server.put("a prefix/of two others", b"");
        server.remove(if prefix.is_empty() { "a prefix/of two others" } else { "" });
        case(&bucket, &bucket);
    }
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
fn of_those_who_have_seen_the_same_version_one_replaces_it() {
    let case = cases::of_those_who_have_seen_the_same_version_one_replaces_it;
    check(|store, writer| case(store, writer, 5));
}
