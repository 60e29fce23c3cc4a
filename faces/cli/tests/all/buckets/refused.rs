//! What can't be asked: its exit code, and the sentence that says what to do.

use manicule_testkit::names;

use crate::damage::plant;

use super::bucket::{Example, Seen};

#[track_caller]
fn check(seen: &Seen, want: &str) {
    assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{}", seen.err);
    assert!(seen.err.contains(want), "{}", seen.err);
}

#[test]
fn a_bucket_or_a_table_that_is_not_there() {
    let example = Example::planted(plant::rows_packed);
    check(&example.call("rows schema s3://absent/t", &[]), "s3://absent/t");
    check(&example.call("rows schema s3://bucket/absent", &[]), "s3://bucket/absent: no SSTable");
    let of_repository = example.call("blobs snapshots -r s3://bucket/absent", &[]);
    check(&of_repository, "s3://bucket/absent");
}

#[test]
fn whoever_may_not_ask() {
    let example = Example::planted(plant::rows_packed);
    let wrong = [("AWS_SECRET_ACCESS_KEY", "another")];
    check(&example.call("rows schema s3://bucket/t", &wrong), "s3://bucket/t");
    let unsigned = example.call("rows schema --no-sign-request s3://bucket/t", &[]);
    check(&unsigned, "s3://bucket/t");
}

#[test]
fn the_endpoint_is_said_in_the_call_or_in_the_address() {
    let example = Example::planted(plant::rows_packed);
    let endpoint = example.server.endpoint();
    let want = example.local("rows schema t");
    assert_eq!(want.code, Some(0), "{}", want.err);
    for words in [
        format!("rows schema --endpoint-url {endpoint} s3://bucket/t"),
        format!("rows schema --region eu-test-1 s3:{endpoint}/bucket/t"),
    ] {
        let seen = example.call(&words, &[("AWS_ENDPOINT_URL", "")]);
        assert_eq!((seen.code, &seen.out), (Some(0), &want.out), "{words}: {}", seen.err);
    }
}

#[test]
fn a_repository_as_restic_spells_it() {
    let example = Example::planted(plant::blobs);
    let want = example.local("blobs snapshots -r repo");
    let place = format!("s3:{}/bucket/repo", example.server.endpoint());
    let by_flag = example.call(&format!("blobs snapshots -r {place}"), &[]);
    let by_variable = example.call("blobs snapshots", &[("RESTIC_REPOSITORY", &place)]);
    for seen in [by_flag, by_variable] {
        assert_eq!((seen.code, &seen.out), (Some(0), &want.out), "{}", seen.err);
    }
    let other = example.call("blobs snapshots -r sftp:host:/repo", &[]);
    check(&other, "not by sftp: mount it, or copy it here");
}

/// They would be folders `s3:` here.
#[test]
fn what_a_repository_is_restored_and_cached_into_is_local() {
    let example = Example::planted(plant::blobs);
    for flags in ["--target s3://bucket/new", "--target new --index-cache-dir s3://bucket/new"] {
        let seen = example.remote(&format!("blobs restore -r repo latest {flags}"));
        assert_eq!(seen.code, Some(2), "{flags}: {}", seen.err);
        assert!(seen.err.contains("this needs a local path"), "{flags}: {}", seen.err);
        assert_eq!(names(&example.path("")), ["repo"], "{flags}");
    }
}

#[test]
fn what_writes_takes_no_address() {
    let example = Example::planted(plant::rows_packed);
    for words in [
        "rows mark --level 1 s3://bucket/t",
        "graph compact s3://bucket/store",
        "graph load s3://bucket/store a.nt",
        "series index -o new s3://bucket/data",
    ] {
        check(&example.call(words, &[]), "this command takes local paths, and no address");
    }
    let kept = example.call("graph snapshot s3://bucket/store name", &[]);
    check(&kept, "s3://bucket/store: this needs a local path, and reads no address");
}
