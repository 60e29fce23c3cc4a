//! Objects that are replaced or removed while they are read.

use std::io::ErrorKind;

use manicule_buckets::{Fault, When};
use manicule_store::pages::{Part, ReadCounts};
use manicule_store::store::Store;

use crate::{bucket, name, opened};

#[test]
fn a_replaced_object_is_an_error_whatever_the_server_makes_of_conditions() {
    for faults in [&[][..], &[(Fault::Unconditional, When::Every(1))]] {
        let (server, bucket) = bucket("");
        server.put("a", &[1; 400_000]);
        let file = opened(&bucket, "a").expect("open");
        let mut out = [0; 10];
        file.read_at(5, &mut out, &mut ReadCounts::default()).expect("read");
        server.fail(faults);
        server.put("a", &[2; 400_000]);
        let (mut near, mut far) = ([0; 10], [0; 10]);
        let parts = &mut [Part { at: 0, out: &mut near }, Part { at: 300_000, out: &mut far }];
        let error = file.read_parts(parts, &mut ReadCounts::default()).expect_err("replaced");
        assert_eq!(error.kind(), ErrorKind::StaleNetworkFileHandle, "{error}");
        assert_eq!((near, far), ([0; 10], [0; 10]));
        // The same bytes again are the same version.
        server.put("a", &[1; 400_000]);
        file.read_at(5, &mut out, &mut ReadCounts::default()).expect("read");
    }
}

#[test]
fn a_removed_object_is_missing() {
    let (server, bucket) = bucket("");
    server.put("a", b"one");
    let file = opened(&bucket, "a").expect("open");
    server.remove("a");
    let error = file.read_at(0, &mut [0], &mut ReadCounts::default()).expect_err("removed");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn versions_of_other_names_differ_though_their_bytes_are_the_same() {
    let (server, bucket) = bucket("");
    server.put("a", b"one");
    server.put("b", b"one");
    let version = |text| bucket.look(&name(text)).expect("a look").version;
    assert_ne!(version("a"), version("b"));
    assert_eq!(version("a"), version("a"));
}
