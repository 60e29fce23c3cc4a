//! A repository's description as JSON is read or refused, never a panic. What is read is written as
//! shards have it, and read from there is the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_format_zoekt::Repository;

fuzz_target!(|bytes: &[u8]| {
    Repository::unknown_keys(bytes);
    let Ok(repository) = Repository::from_json(bytes) else { return };
    let written = repository.encode();
    let again = Repository::from_json(&written).expect("what is written can be read");
    assert_eq!(again.encode(), written, "{}", String::from_utf8_lossy(&written));
});
