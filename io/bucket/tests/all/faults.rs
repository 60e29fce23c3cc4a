//! What goes wrong on the way: the right answer, or an error that says what.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use manicule_bucket::{Bucket, Limits, Options, open};
use manicule_buckets::{Fault, Server, When};
use manicule_core::ErrorClass;
use manicule_store::pages::{Part, ReadCounts};
use manicule_store::store::{Name, Replace, Store, WriteStore};

use crate::{bucket, name, opened, options, whole};

/// Faults that pass.
const PASSING: &[Fault] = &[
    Fault::Error,
    Fault::SlowDown,
    Fault::Reset,
    Fault::Cut,
    Fault::Short,
    Fault::OtherRange,
    Fault::Whole,
];

fn filled() -> (Server, Bucket, Vec<u8>) {
    let (server, bucket) = bucket("p");
    let all: Vec<u8> = (0..100_000u32).flat_map(u32::to_be_bytes).collect();
    server.put("p/a", &all);
    (server, bucket, all)
}

#[test]
fn answers_are_right_where_one_request_of_three_fails() {
    for fault in PASSING {
        let (server, bucket, all) = filled();
        server.fail(&[(*fault, When::Every(3))]);
        for _ in 0..3 {
            let file = opened(&bucket, "a").unwrap_or_else(|error| panic!("{fault:?}: {error}"));
            let mut outs: Vec<_> = (0..5).map(|n| (n * 79_000, [0; 1000])).collect();
            let mut parts: Vec<_> =
                outs.iter_mut().map(|(at, out)| Part { at: *at, out }).collect();
            file.read_parts(&mut parts, &mut ReadCounts::default())
                .unwrap_or_else(|error| panic!("{fault:?}: {error}"));
            for (at, out) in &outs {
                assert_eq!(out[..], all[*at as usize..][..1000], "{fault:?}");
            }
            assert_eq!(bucket.list(&Name::root()).expect("list")[0].name, "a", "{fault:?}");
            // Of a whole object what is short can't be told from what is whole.
            if *fault != Fault::Short {
                assert!(whole(&bucket, "a").expect("read") == all, "{fault:?}");
            }
            let mut out = [0; 9];
            bucket.read_at(&name("a"), 399_991, &mut out).expect("read");
            assert_eq!(out, all[399_991..], "{fault:?}");
            bucket.put(&name("b"), b"new", Replace::Any).expect("put");
        }
    }
}

/// An error where a fault is there to stay: its class, and its words after the address.
#[track_caller]
fn check(fault: Fault, class: ErrorClass, kind: ErrorKind, words: &str) {
    let (server, bucket, _) = filled();
    let file = opened(&bucket, "a").expect("open");
    server.fail(&[(fault, When::Every(1))]);
    let error = bucket.read_at(&name("a"), 1, &mut [0; 4]).expect_err("a fault");
    assert_eq!((error.class(), error.source.kind()), (class, kind), "{error}");
    assert_eq!(error.to_string(), format!("s3://bucket/p/a: {words}"));
    let error = file.read_at(1, &mut [0; 4], &mut ReadCounts::default()).expect_err("a fault");
    assert_eq!((error.kind(), error.to_string()), (kind, words.to_owned()));
}

#[test]
fn an_error_that_stays_says_what_it_is() {
    let (denied, failed) = (ErrorClass::Denied, ErrorClass::Failed);
    let refused = ErrorKind::PermissionDenied;
    let words = "the server answers 403 Forbidden: AccessDenied: access denied";
    check(Fault::Denied, denied, refused, words);
    check(Fault::Expired, denied, refused, "the credentials have expired");
    let words = "it is archived, and has to be restored first";
    check(Fault::Archived, ErrorClass::Unsupported, ErrorKind::Unsupported, words);
    let words = "the server sends requests elsewhere: the region is not the bucket's";
    check(Fault::Elsewhere, failed, ErrorKind::InvalidInput, words);
    let words = "the server answers 503 Service Unavailable: SlowDown: reduce your request rate";
    check(Fault::SlowDown, ErrorClass::Busy, ErrorKind::ResourceBusy, words);
    let words = "the server answers 500 Internal Server Error: InternalError: try again";
    check(Fault::Error, failed, ErrorKind::Other, words);
    let words = "Requested 1..5, got 0..1";
    check(Fault::OtherRange, failed, ErrorKind::Other, words);
    let words = "Received non-partial response when range requested";
    check(Fault::Whole, failed, ErrorKind::Other, words);
    let words = "4 bytes were announced at offset 1, 2 came";
    check(Fault::Short, failed, ErrorKind::UnexpectedEof, words);
}

#[test]
fn a_server_that_says_nothing_is_an_error_in_time() {
    let (server, bucket, _) = filled();
    server.fail(&[(Fault::Silence, When::Every(1))]);
    let limits = Limits {
        silence: Duration::from_millis(50),
        retries: 1,
        patience: Duration::from_millis(200),
        ..crate::LIMITS
    };
    let impatient = Options { limits, ..options(&server) };
    let impatient = open(&server.address("p"), &impatient).expect("an address");
    let begun = Instant::now();
    let error = whole(&impatient, "a").expect_err("silence");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
    drop(bucket);
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let (server, bucket, _) = filled();
    let gone = options(&server);
    let address = server.address("p");
    drop((server, bucket));
    let bucket = open(&address, &gone).expect("an address");
    let error = whole(&bucket, "a").expect_err("nobody");
    assert_eq!(error.source.kind(), ErrorKind::NotConnected, "{error}");
    assert!(error.to_string().contains("Connection refused"), "{error}");
}

#[test]
fn a_listing_that_lags_shows_what_is_gone_as_missing() {
    let (server, bucket, _) = filled();
    server.let_listings_lag(true);
    server.put("p/b", b"new");
    server.remove("p/a");
    let listed = bucket.list(&Name::root()).expect("list");
    assert_eq!(listed.iter().map(|entry| &*entry.name).collect::<Vec<_>>(), ["a"]);
    assert!(opened(&bucket, "a").expect_err("gone").is_missing());
    assert_eq!(whole(&bucket, "b").expect("read"), b"new");
    server.let_listings_lag(false);
    assert_eq!(bucket.list(&Name::root()).expect("list")[0].name, "b");
}
