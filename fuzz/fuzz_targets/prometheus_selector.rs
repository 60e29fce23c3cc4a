//! A selector is read or refused, never a panic; a selector that was read is shown so that it reads
//! back the same, and its matchers answer for any value, in keeping with their own summaries.
//!
//! Regexes nest, so selectors are to be long:
//! `cargo +nightly fuzz run prometheus_selector -- -max_len=65536
//! -timeout=60`. Seeds that are deep at once:
//!
//! ```sh
//! mkdir -p corpus/prometheus_selector; cd corpus/prometheus_selector
//! for pair in '(,)' '(?:a,)*' '(a|,)' '(,b)?' '((?i),)+' '[,]' '{,}' '\\Q,'; do
//!   printf '{a=~"%s' "$(yes -- "${pair%,*}" | head -9000)" a "$(yes -- "${pair#*,}" | head -9000)" '"}' | tr -d '\n'
//!   >"pair-$RANDOM"
//! done
//! ```

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_series::{Accepts, Selector};

fuzz_target!(|input: &[u8]| {
    // A NUL separates the selector from the value.
    let (text, value) = match input.iter().position(|byte| *byte == 0) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, &input[..0]),
    };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(selector) = Selector::parse(text) else { return };
    let shown = selector.to_string();
    assert_eq!(Selector::parse(&shown).as_ref(), Ok(&selector), "{text:?} shown as {shown:?}");
    for matcher in selector.matchers() {
        let is_described = matcher.describes(value);
        let (must, may) = match matcher.described() {
            Accepts::Everything => (true, true),
            Accepts::NonEmpty => (!value.is_empty(), !value.is_empty()),
            Accepts::Values(values) => {
                let is_in = values.iter().any(|known| known == value);
                (is_in, is_in)
            }
            Accepts::Prefix(prefix) => (value.starts_with(prefix), value.starts_with(prefix)),
            Accepts::Some { prefix } => (false, value.starts_with(prefix)),
        };
        assert!((is_described || !must) && (may || !is_described), "{matcher:?} on {value:?}");
    }
});
