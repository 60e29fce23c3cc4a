//! Any form and any text of a URL are read as parameters of Prometheus' API, or refused; and any
//! text as an expression: never a panic. What is read as an expression is one again within
//! parentheses.

#![no_main]
#![allow(dead_code, reason = "the server uses the rest")]

use libfuzzer_sys::fuzz_target;
use manicule::series::query::Expression;

#[path = "../../faces/server/src/prometheus/error.rs"]
mod error;
#[path = "../../faces/server/src/prometheus/params.rs"]
mod params;

fuzz_target!(|input: &[u8]| {
    // A NUL separates the form from the URL's text.
    let (form, url) = match input.iter().position(|byte| *byte == 0) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, &input[..0]),
    };
    let params = params::Params::parse([form, url]);
    for name in ["start", "end", "time"] {
        let _ = (params.time(name), params.needed_time(name));
    }
    for name in ["step", "timeout", "lookback_delta"] {
        let _ = (params.duration(name), params.needed_duration(name));
    }
    let _ = (params.limit(), params.selectors());
    let Ok(text) = std::str::from_utf8(form) else { return };
    let (plain, again) = (Expression::parse(text), Expression::parse(&format!("(\n{text}\n)")));
    if let (Ok(plain), Ok(again)) = (plain, again) {
        // Not a number is never the same.
        assert_eq!(format!("{plain:?}"), format!("{again:?}"), "{text:?}");
    }
});
