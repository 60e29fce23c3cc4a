//! Any bytes are decoded as a remote read or refused, and so is any message within Snappy: never a
//! panic, never more memory than the message's limit.
//!
//! Seeds: `mkdir -p corpus/prometheus_remote_read`, and each `request_base64` of `read/*.jsonl` in
//! `proof/golden/series/api.tar.zst`, decoded, as a file.

#![no_main]
#![allow(dead_code, reason = "the server uses the rest")]

use libfuzzer_sys::fuzz_target;

#[path = "../../faces/server/src/prometheus/read/request.rs"]
mod request;
#[path = "../../faces/server/src/prometheus/read/wire.rs"]
mod wire;

fuzz_target!(|input: &[u8]| {
    let _ = request::decode(input);
    let packed = snap::raw::Encoder::new().compress_vec(input).expect("it is short");
    let _ = request::decode(&packed);
});
