//! Puts: whole, in parts, under conditions.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_bucket::Bucket;
use manicule_buckets::{Fault, Server, When};
use manicule_core::watch::Watch;
use manicule_store::store::{Replace, Store, StoreError, Version, WriteStore};

use crate::{bucket, kind, name, whole};

/// Three parts.
const LONG: usize = 250_005;

fn long() -> Vec<u8> {
    (0..LONG).map(|at| (at / 1000) as u8).collect()
}

#[test]
fn a_long_file_is_put_in_parts_and_is_there_with_the_last() {
    let (server, bucket) = bucket("");
    let long = long();
    let version = bucket.put(&name("a"), &long, Replace::Any).expect("put");
    let (asked, rounds) = (server.take_asked(), bucket.counts().rounds);
    assert_eq!((asked.of("POST"), asked.of("PUT")), (2, 3));
    assert_eq!(bucket.look(&name("a")).expect("a look").version, version);
    assert!(whole(&bucket, "a").expect("read") == long);
    assert_eq!(server.open_uploads(), 0);
    assert_eq!(bucket.counts().puts, 5);
    // The parts go out side by side.
    assert_eq!(rounds, 3);
}

#[test]
fn a_failed_upload_leaves_what_was_there_and_no_parts() {
    for number in 1..=5 {
        let (server, bucket) = bucket("");
        server.put("a", b"old");
        server.fail(&[(Fault::Denied, When::Within(number..number + 1))]);
        assert_eq!(
            kind(bucket.put(&name("a"), &long(), Replace::Any)),
            ErrorKind::PermissionDenied
        );
        assert_eq!(whole(&bucket, "a").expect("read"), b"old");
        assert_eq!(server.open_uploads(), 0, "request {number}");
    }
}

#[test]
fn a_long_file_that_compares_is_one_request() {
    let (server, bucket) = bucket("");
    let long = long();
    let first = bucket.put(&name("a"), &long, Replace::If(None)).expect("put");
    assert_eq!(
        kind(bucket.put(&name("a"), &long, Replace::If(None))),
        ErrorKind::StaleNetworkFileHandle
    );
    let second = bucket.put(&name("a"), b"short", Replace::If(Some(first))).expect("put");
    let late = bucket.put(&name("a"), b"late", Replace::If(Some(first))).expect_err("replaced");
    assert!(late.is_replaced(), "{late}");
    assert_eq!(server.take_asked().of("POST"), 0);
    assert_eq!(bucket.look(&name("a")).expect("a look").version, second);
}

#[test]
fn a_put_that_fails_for_a_while_succeeds_in_the_end() {
    for fault in [Fault::Error, Fault::SlowDown, Fault::Reset] {
        let (server, bucket) = bucket("");
        server.fail(&[(fault, When::Every(2))]);
        for round in 0..4u8 {
            bucket.put(&name("a"), &[round], Replace::Any).expect("put");
            assert_eq!(whole(&bucket, "a").expect("read"), [round], "{fault:?}");
        }
        bucket.put(&name("b"), &long(), Replace::Any).expect("put");
        assert_eq!(bucket.look(&name("b")).expect("a look").len, LONG as u64);
    }
}

fn put_file(bucket: &Bucket, source: &Path, replace: Replace) -> Result<Version, StoreError> {
    bucket.put_file(&name("a"), source, replace, &Watch::none().silent())
}

/// A local file of a number of parts and a bit.
fn local_file(parts: usize) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let bytes: Vec<u8> = (0..parts * 100_000 + 5).map(|at| (at / 777) as u8).collect();
    std::fs::write(file.path(), bytes).expect("written");
    file
}

#[test]
fn a_local_file_is_put_in_parts() {
    let (server, bucket) = bucket("");
    let file = local_file(10);
    let version = put_file(&bucket, file.path(), Replace::If(None)).expect("put");
    let (asked, rounds) = (server.take_asked(), bucket.counts().rounds);
    assert_eq!((asked.of("HEAD"), asked.of("POST"), asked.of("PUT")), (1, 2, 11));
    // A look, the beginning, eight parts, the others, the end.
    assert_eq!(rounds, 5);
    assert_eq!(bucket.look(&name("a")).expect("a look").version, version);
    assert!(whole(&bucket, "a").expect("read") == std::fs::read(file.path()).expect("read"));

    let again = put_file(&bucket, file.path(), Replace::If(None)).expect_err("it is there");
    assert!(again.is_replaced(), "{again}");
    assert_eq!(server.take_asked().of("POST"), 0);
    let short = local_file(1);
    let second = put_file(&bucket, short.path(), Replace::If(Some(version))).expect("put");
    assert_eq!((server.take_asked().of("POST"), second.len()), (0, 100_005));
    let late = put_file(&bucket, file.path(), Replace::If(Some(version))).expect_err("replaced");
    assert!(late.is_replaced(), "{late}");
}

#[test]
fn a_local_file_whose_upload_fails_is_not_there() {
    let file = local_file(3);
    for number in 1..=7 {
        let (server, bucket) = bucket("");
        server.fail(&[(Fault::Denied, When::Within(number..number + 1))]);
        let put = put_file(&bucket, file.path(), Replace::If(None));
        assert_eq!(kind(put), ErrorKind::PermissionDenied, "request {number}");
        nothing_is_left(&server, &bucket);
    }
}

#[test]
fn an_upload_that_is_stopped_leaves_nothing() {
    let (server, bucket) = bucket("");
    let (file, asked) = (local_file(10), AtomicU64::new(0));
    // The first parts are sent by then.
    let stop = || asked.fetch_add(1, Relaxed) >= 1;
    let watch = Watch::new(&|_| {}, &stop);
    let put = bucket.put_file(&name("a"), file.path(), Replace::If(None), &watch.silent());
    assert!(put.expect_err("stopped").is_stopped());
    assert_eq!(server.take_asked().of("PUT"), 8);
    nothing_is_left(&server, &bucket);
}

#[track_caller]
fn nothing_is_left(server: &Server, bucket: &Bucket) {
    server.fail(&[]);
    assert_eq!(server.open_uploads(), 0);
    assert!(bucket.look(&name("a")).expect_err("nothing").is_missing());
}
