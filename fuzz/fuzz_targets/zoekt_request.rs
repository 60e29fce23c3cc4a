//! A body of zoekt's JSON API is read or refused, never a panic; a refusal is one short line. What
//! follows the object changes nothing, and no query is longer than one that is read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule::code::api::{ListRequest, RequestError, SearchRequest, error_json};

/// Maximum length of a refusal: more than any needs, less than a query shown whole.
const REFUSAL_LEN_MAX: usize = 400;

/// Longest query, in bytes.
const QUERY_LEN_MAX: usize = 16 << 10;

fuzz_target!(|body: &[u8]| {
    let more = [body, b" {\"Q\": 1}]"].concat();
    match SearchRequest::read(body) {
        Ok(request) => {
            let again = SearchRequest::read(&more).expect("the same request");
            assert_eq!(request.options, again.options);
            assert_eq!(format!("{:?}", request.query), format!("{:?}", again.query));
            assert!(request.options.wall_time().as_nanos() <= i64::MAX as u128);
        }
        Err(error) => refused(&error),
    }
    match ListRequest::read(body) {
        Ok(request) => {
            let again = ListRequest::read(&more).expect("the same request");
            assert_eq!(format!("{request:?}"), format!("{again:?}"));
        }
        Err(error) => refused(&error),
    }
});

fn refused(error: &RequestError) {
    if let RequestError::Query(error) = error {
        assert!(error.at <= QUERY_LEN_MAX);
    }
    let shown = error.to_string();
    assert!(shown.len() <= REFUSAL_LEN_MAX && !shown.contains('\n'), "{shown}");
    let json = error_json(&shown);
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["Error"], *shown);
}
