//! A query of `code search` is read or refused, never a panic; the refusal names a position in it
//! and is one short line.
//!
//! Queries nest, so they are to be long:
//! `cargo +nightly fuzz run zoekt_query -- -max_len=65536 -timeout=60`. Seeds that are deep at
//! once:
//!
//! ```sh
//! mkdir -p corpus/zoekt_query; cd corpus/zoekt_query
//! for piece in - '(' '-(' 'c:(' 'a or (' '[' '[[:' '{' '(?i:' '(?P<a>' '\Q' '"' '(a*' '(a|'; do
//!   yes -- "$piece" | tr -d '\n' | head -c 60000 >"deep-$(printf %s "$piece" | od -An -tx1 | tr -d ' ')"
//! done
//! for pair in '(,)' '(, )' '-(, )' 'c:(,)*' '(?:,|b)'; do
//!   printf '%s' "$(yes -- "${pair%,*}" | head -8000)" a "$(yes -- "${pair#*,}" | head -8000)" | tr -d '\n'
//!   >"pair-${#pair}$RANDOM"
//! done
//! ```

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_code::shards::find::query::Query;

/// Maximum length of a refusal: more than any needs, less than a query shown whole.
const REFUSAL_LEN_MAX: usize = 400;

fuzz_target!(|text: &str| {
    let Err(error) = Query::parse(text) else { return };
    assert!(error.at <= text.len() && text.is_char_boundary(error.at), "{error}");
    let shown = error.to_string();
    assert!(shown.len() <= REFUSAL_LEN_MAX && !shown.contains('\n'), "{shown}");
});
