//! Puts: whole, in parts, under conditions.

use std::io::ErrorKind;

use manicule_buckets::{Fault, When};
use manicule_store::store::{Replace, Store, WriteStore};

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
